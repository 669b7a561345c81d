"""Every study that is cancelled before anything was measured: an empty table with its columns, and no nonsense."""

from __future__ import annotations

import threading

import pytest

from engine import studies

STUDIES = {
    "convergence": lambda cancel: studies.convergence("free", "NMB", [0.5], duration=2, cancel=cancel),
    "work-precision": lambda cancel: studies.work_precision("free", "NMB", [0.5], duration=2, cancel=cancel),
    "long-run": lambda cancel: studies.long_run("free", "NMB", 100_000, cancel=cancel),
    "steps-to-accuracy": lambda cancel: studies.steps_to_accuracy("slow-top", "NMB", cancel=cancel),
    "edge": lambda cancel: studies.stability_edge("free", "NMB", duration=2, cancel=cancel),
    "advise": lambda cancel: studies.advise("free", 1e-3, methods=["NMB"], duration=2, cancel=cancel),
    "full-body": lambda cancel: studies.full_body("DB4", ["LGVI"], duration=0.1, cancel=cancel),
}


@pytest.mark.parametrize("study", STUDIES)
def test_cancelled_at_once(study):
    cancel = threading.Event()
    cancel.set()
    found = STUDIES[study](cancel)
    frame = found.to_frame()
    assert not found.finished and len(frame) == 0 and "method" in frame.columns
    assert "nan" not in found.conclusion


def test_what_was_not_timed_is_not_ranked():
    cancel = threading.Event()
    found = studies.work_precision(
        "free", ["NMB", "CF4"], [0.05, 0.025], duration=2, cancel=cancel,
        progress=lambda done, total, row: cancel.set() if done == 3 else None,
    )  # fmt: skip
    assert len(found.tried) == 3
    assert found.cheapest(1e-2) == () and found.cheapest(1e-2, by="torque_evaluations") != ()
    assert found.conclusion == "No run was timed."


@pytest.mark.parametrize("study", STUDIES)
def test_a_result_is_shown_by_its_conclusion_and_in_notebooks_by_its_table(study):
    found = STUDIES[study](None)
    shown = repr(found)
    assert len(shown) < 400 and "\n" not in shown and "array" not in shown
    assert f" on {found.problem.label}: {found.conclusion[:40]}" in shown
    assert "<table" in found._repr_html_()
