"""Work and precision: the cost of runs, the cheapest run for an error, and no interpolation."""

from __future__ import annotations

import itertools
import math
import threading
from dataclasses import replace

import pytest

import engine
from app.state.pages import study_forms
from engine import papers, studies
from engine.studies import work_precision
from engine.studies.core import Executor
from engine.text.formatting import format_seconds


@pytest.fixture(scope="module")
def study():
    return work_precision("slow-top", ["NMB", "CF4", "DOP853"], duration=2.0, repetitions=3)


def test_rows_are_of_runs(study):
    row = study.of("NMB")[2]
    run = engine.simulate("slow-top", "NMB", dt=row.setting, steps=row.steps)
    assert row.attitude == pytest.approx(engine.error(run).last.attitude, rel=1e-6)
    assert row.torque_evaluations == run.cost.torque_evaluations
    assert 0 < row.seconds <= row.median
    assert study.finished and study.machine["processors"]


def test_tolerances_stand_for_steps_where_a_method_chooses_them(study):
    settings = [row.setting for row in study.of("DOP853")]
    assert settings[0] == 1e-3 and settings == sorted(settings, reverse=True)
    assert study.of("DOP853")[-1].attitude < 1e-6


def test_one_disturbance_keeps_no_smaller_steps_from_a_method(monkeypatch):
    runs = itertools.count()
    simulate = Executor.simulate

    def disturbed(*given, **setting):
        run = simulate(*given, **setting)
        vars(run)["cost"] = replace(run.cost, seconds=float(next(runs) == 1))
        return run

    monkeypatch.setattr(Executor, "simulate", disturbed)
    found = work_precision("free", ["NMB"], [0.5, 0.25], duration=2.0, repetitions=1)
    assert [row.setting for row in found.tried] == [0.5, 0.25]


@pytest.mark.parametrize("by", ["seconds", "torque_evaluations", "steps"])
def test_the_cheapest_within_an_error_and_none_cheaper(study, by):
    for within in (1e-2, 1e-4, 1e-6):
        ranked = study.cheapest(within, by=by)
        costs = [getattr(row, by) for row in ranked]
        assert costs == sorted(costs)
        for row in ranked:
            assert row in study.tried and row.attitude <= within
            finer = study.of(row.method)[study.of(row.method).index(row) :]
            assert all(other.attitude <= within for other in finer)
    assert study.cheapest(1e-7, by="steps")[0].method != "NMB"


def test_roundoff_of_the_finest_steps_does_not_disqualify_a_method(study):
    """Errors of CF4 on the slow top, which rise again below Δt = 0.0003."""
    errors = [1.3e-8, 8e-10, 5.5e-11, 6e-12, 1.8e-11, 1.8e-10, 1.9e-10, 2.5e-9]
    row = study.of("CF4")[0]
    rows = [
        replace(row, setting=0.0025 / 2**k, steps=2**k, attitude=error)
        for k, error in enumerate(errors)
    ]
    found = replace(study, tried=tuple(rows))
    assert [one.attitude for one in found.cheapest(1e-9, by="steps")] == [8e-10]
    assert [one.attitude for one in found.cheapest(1e-10, by="steps")] == [5.5e-11]
    assert found.cheapest(1e-12, by="steps") == ()


def test_sentences(study):
    first = study.cheapest(1e-3)[0]
    assert (
        f"{study.names[first.method]} is the fastest to an error of 0.001 rad: "
        f"{format_seconds(first.seconds, 2)}." in study.conclusion
    )
    assert set(study.to_frame()["method"]) == {"NMB", "CF4", "DOP853"}


@pytest.mark.parametrize(
    "body",
    [
        engine.problem("free", Omega0=(0, 0, 0)),
        engine.Problem(J=(2, 2, 2), Omega0=(0.3, 0.5, 0.9)),
        engine.Problem(J=(1, 2, 3), Omega0=(0, 1.3, 0)),
    ],
    ids=["at rest", "spherical", "steady"],
)
def test_what_holds_within_a_small_error_is_not_repeated_for_larger_ones(body):
    found = work_precision(body, ["KEK", "PDMV"], [0.02, 0.01], duration=1.0, repetitions=1)
    errors = [row.attitude for row in found.tried]
    assert max(errors) < 1e-9 and "10⁻⁹ rad" in found.conclusion
    assert found.conclusion.count(" is the fastest to an error of ") == 1


def test_one_method_is_not_the_fastest(study):
    alone = replace(study, tried=study.of("CF4"))
    assert "fastest" not in alone.conclusion and "Only" not in alone.conclusion
    assert alone.conclusion.startswith("Commutator-free 4 reaches an error of 0.001 rad, in ")
    coarse = [replace(row, attitude=0.1) for row in study.of("NMB")]
    one = replace(study, tried=(*alone.tried, *coarse))
    assert one.conclusion.startswith("Only Commutator-free 4 reaches an error of 0.001 rad, in ")
    none = replace(study, tried=tuple(coarse))
    said = "Explicit Newmark does not reach an error of 0.001 rad with these steps."
    assert none.conclusion == said


def test_the_least_torques_are_those_of_a_method_that_needs_fewer(study):
    slow, fast = study.of("NMB")[0], study.of("CF4")[0]
    rows = [
        replace(slow, attitude=1e-4, seconds=2.0, torque_evaluations=1),
        replace(fast, attitude=1e-4, seconds=1.0, torque_evaluations=1),
    ]
    body = engine.Problem(J=(1, 2, 3), torque=engine.torque(lambda t, R: (0.0, 0.0, 0.0)))
    found = replace(study, problem=body, tried=tuple(rows))
    fastest = "Commutator-free 4 is the fastest to an error of 0.001 rad: 1 s."
    assert found.conclusion == f"{fastest} Explicit Newmark is next: 2 s."
    rows[1] = replace(rows[1], torque_evaluations=4)
    found = replace(study, problem=body, tried=tuple(rows))
    assert found.conclusion.endswith(" Explicit Newmark evaluates the torque least often: 1 time.")


@pytest.mark.exhaustive
def test_all_methods_that_fit_and_why_others_do_not():
    study = work_precision("slow-top", dts=[0.1, 0.05], duration=0.5, repetitions=1)
    keys = {engine.algorithm(label).key for label in study.methods}
    assert keys | {engine.algorithm(label).key for label in study.left_out} | {"EXACT"} == {
        m.key for m in engine.algorithms()
    }
    assert all(reason for reason in study.left_out.values()) and study.left_out


def test_cancelled_in_the_turns_it_keeps_the_errors():
    cancel = threading.Event()

    def progress(done, total, row):
        if "seconds" in row:
            cancel.set()

    study = work_precision(
        "free", "NMB", [0.5, 0.25], duration=10.0, repetitions=50, progress=progress, cancel=cancel
    )
    assert not study.finished and len(study.tried) == 2
    assert (
        math.isfinite(study.tried[0].seconds) and study.tried[1].attitude < study.tried[0].attitude
    )


def test_what_is_refused():
    with pytest.raises(ValueError, match="kind is one of"):
        work_precision("free", "NMB", [0.5], duration=1.0, repetitions=1).cheapest(
            1.0, kind="speed"
        )
    with pytest.raises(ValueError, match="repetitions"):
        work_precision("free", "NMB", repetitions=0)


@pytest.mark.parametrize(("key", "method", "duration", "steps"), [
    ("free", "AKW", 300.0, 184), ("kovalevskaya-top", "MR2", 100.0, 90),
])  # fmt: skip
def test_an_end_that_is_near_by_chance_after_the_phase_was_lost_is_not_the_cheapest(
    key, method, duration, steps
):
    dts = [duration / steps, duration / 4000]
    study = work_precision(key, method, dts, duration=duration, repetitions=1)
    assert [row.attitude == math.inf for row in study.tried] == [True, False]
    (cheapest,) = study.cheapest(1.0, by="steps")
    assert cheapest.steps == 4000
    said = "loses phase with large steps. Its attitude error then wanders between 0 and π, so it is not ranked."
    assert study.conclusion.endswith(f" {study.names[method]} {said}")


def test_a_preset_is_a_link_with_the_setting_of_sciml_benchmarks():
    (title, words), *_ = study_forms.list_presets(studies.find("work-precision")).items()
    asked, notices = study_forms.read_query(
        {name: text for name, text in words.items() if name != "page"}
    )
    assert "SciMLBenchmarks" in title and notices == [] and asked.steps < study_forms.MOST_STEPS
    body = asked.build_problem()
    published = papers.find_comparison("sciml-rigid-body")
    assert (body.J == published.problem.J).all() and (body.Omega0 == published.problem.Omega0).all()
    assert (
        body.torque == published.problem.torque
        and asked.values()["duration"] == published.problem.duration
    )
    found = work_precision(body, ["DOP853"], duration=asked.values()["duration"], repetitions=1)
    errors = [row.momentum for row in found.tried]
    assert len(errors) == 10 and max(errors[6:]) < 1e-7 < errors[0]
