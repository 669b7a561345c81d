"""Long runs: extremes over every step, means of blocks, slopes, and memory that does not grow with
the steps.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest

import engine
from engine.kernels import driver
from engine.studies import long_run
from engine.text.formatting import show


@pytest.fixture(scope="module")
def study():
    return long_run("free", ["NMB", "AKW", "TERZE"], 200_000, dt=0.05)


def test_extremes_are_of_every_step_and_blocks_within_them(study):
    run = engine.simulate("free", "NMB", dt=0.05, steps=200_000, samples=10)
    found = study.of("NMB")
    least, most, _ = run.extrema["energy"]
    assert (found.least, found.most) == pytest.approx(
        (least / run.energy[0] - 1, most / run.energy[0] - 1), abs=1e-15
    )
    assert (found.low >= found.least - 1e-15).all() and (found.high <= found.most + 1e-15).all()
    assert ((found.low <= found.mean) & (found.mean <= found.high)).all()
    assert len(found.t) == len(found.mean) == 64 and np.all(np.diff(found.t) > 0)


def test_verdicts(study):
    assert (
        study.of("NMB").drift.verdict == "no drift" and study.of("AKW").drift.verdict == "no drift"
    )
    assert study.of("TERZE").drift.verdict.startswith("drifts")
    nmb, terze = study.of("NMB"), study.of("TERZE")
    assert study.conclusion == (
        "Explicit Newmark: the energy does not drift in 200,000 steps. "
        f"Its relative error reaches {show(max(-nmb.least, nmb.most), 2)}. "
        "Implicit midpoint: the energy stays at roundoff in 200,000 steps. "
        f"Störmer–Verlet: the energy drifts by {show(terze.drift.slope, 2)} a step. "
        f"Its relative error reaches {show(max(-terze.least, terze.most), 2)}."
    )
    assert len(study.to_frame()) == 3 * 64


def test_the_chart_names_each_line_with_its_drift_or_amplitude(study):
    words = {guide.of: guide for guide in study.chart.guides}
    assert list(words) == list(study.names.values())
    assert words["Störmer–Verlet"].text.endswith(" per t") and "≤" in words["Explicit Newmark"].text
    for method, guide in words.items():
        assert guide.text.startswith(f"{method}: ")
        assert [curve.under is None for curve in study.chart.curves if curve.name == method] == [
            False,
            True,
        ]


def test_memory_does_not_grow_with_the_steps():
    short, long = (long_run("free", "MR2", n) for n in (100_000, 3_000_000))
    assert len(long.of("MR2").t) == len(short.of("MR2").t)
    assert long.of("MR2").t[-1] == pytest.approx(30 * short.of("MR2").t[-1], rel=0.01)


def test_a_run_that_ends_early_is_told_of():
    study = long_run("free", "DMV", 100_000, dt=2.0)
    assert study.of("DMV").status == "no-solution"
    said = f"Moser–Veselov: the run ends after {study.of('DMV').steps:,} steps."
    assert study.conclusion == said and study.finished


def test_progress_and_cancel():
    cancel = threading.Event()
    reports = []

    def progress(done, total):
        reports.append((done, total))
        if done > 1_000_000:
            cancel.set()

    study = long_run("free", ["MR2", "NMB"], 1_000_000_000, progress=progress, cancel=cancel)
    assert not study.finished
    (run,) = study.runs
    assert run.status == "cancelled" and 1_000_000 < run.steps < 1_000_000_000
    assert (
        len(run.t) >= 1
        and (run.low >= run.least - 1e-15).all()
        and (run.high <= run.most + 1e-15).all()
    )
    assert study.conclusion.startswith(
        f"McLachlan–Reich was stopped after {run.steps:,} steps. The error of the energy reaches "
    )
    assert reports[-1][1] == 2_000_000_000 and 1_000_000 < reports[-1][0] < 1_000_000_000


@pytest.mark.parametrize("early", [1, 10_000, 29_000])
def test_blocks_are_told_while_it_runs_as_they_are_at_the_end(early, monkeypatch):
    """Also if the kernel pauses early, or so late that only a few steps of the last block are
    missing.
    """
    reports, steps = [], 63_997  # whose last row completes the last block
    monkeypatch.setattr(driver, "FIRST_BLOCK", dict.fromkeys(driver.FIRST_BLOCK, steps - early))
    study = long_run("free", "NMB", steps, progress=lambda *now: reports.append(now))
    rows = [
        (done, row) for done, _, row in ((*now, None)[:3] for now in reports) if row is not None
    ]
    assert rows[0][0] == steps - early
    assert reports[-1] == (steps, steps, rows[-1][1])
    frame = study.to_frame()
    assert [row["method"] for _, row in rows] == list(frame["method"])
    for name in ("t", "mean", "low", "high"):
        assert [row[name] for _, row in rows] == pytest.approx(
            frame[name].to_numpy(), rel=1e-9, abs=1e-16
        )


def test_the_last_that_is_told_of_a_run_that_ends_early_are_the_steps_that_it_made():
    reports = []
    run = engine.simulate(
        "free", "DMV", dt=2.0, steps=100_000, progress=lambda *now: reports.append(now)
    )
    assert run.status == "no-solution" and reports[-1] == (run.cost.steps, 100_000)
    reports.clear()
    study = long_run("free", "DMV", 100_000, dt=2.0, progress=lambda *now: reports.append(now))
    assert reports[-1][0] == study.of("DMV").steps == run.cost.steps
    assert sum(len(now) == 3 for now in reports) == len(study.to_frame())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("free", []), "at least one method"),
        (("free", "DOP853"), "chooses its own steps"),
        (("free", "NMB", 10), "steps"),
        (("free", "NMB", 1e12), "steps"),
    ],
)
def test_what_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        long_run(*given)
