"""Advice: each advised step was run and is within the error, all others have a reason, and time is
bounded.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from timeouts import TIMEOUT

import engine
from engine.algorithms import name_method, name_methods
from engine.studies import advisor, convergence
from engine.studies.core import Executor
from engine.studies.core.errors_at_end import energy_error
from engine.text.formatting import format_seconds

advise = functools.partial(advisor.advise, budget=TIMEOUT)
"""Give advice with enough time, however busy the machine is."""
METHODS = ["NMB", "MR2", "CF4", "BUSS4", "DOP853"]


@pytest.fixture(scope="module")
def advised():
    return advise("slow-top", 1e-4, 2.0, methods=METHODS, repetitions=3)


def run(found, advice):
    """Repeat the advised run."""
    given = {"duration": found.duration, "samples": 1}
    if math.isnan(advice.dt):
        return engine.simulate(
            found.problem, advice.method, rtol=advice.rtol, atol=advice.rtol, **given
        )
    return engine.simulate(
        found.problem, advice.method, dt=advice.dt, steps=advice.steps, samples=1
    )


def test_what_is_advised_was_run_and_is_within_the_error(advised):
    assert advised.finished and advised.repetitions == 3 and advised.machine["processors"]
    assert {"CF4", "BUSS4"} <= {advice.method for advice in advised.ranked}
    for advice in advised.ranked:
        again = run(advised, advice)
        assert again.t[-1] == pytest.approx(2.0)
        error = engine.error(again).last.attitude
        assert error == pytest.approx(advice.error, rel=1e-6) and error <= 1e-4
        assert again.cost.torque_evaluations == advice.torque_evaluations
        assert 0 < advice.seconds <= advice.median


def test_the_fastest_stands_first_and_no_method_is_forgotten(advised):
    seconds = [advice.seconds for advice in advised.ranked]
    assert seconds == sorted(seconds)
    report = [advice.method for advice in advised.ranked] + list(advised.others)
    assert sorted(report) == sorted(METHODS) and all(advised.others.values())


def test_the_step_is_larger_than_the_ladder_s_rung_and_not_much_larger_would_do():
    within = 2e-7
    advice = advise("slow-top", within, 2.0, methods="CF4", repetitions=1).ranked[0]
    reached = [
        rung.dt
        for rung in convergence("slow-top", "CF4", duration=2.0).of("CF4")
        if rung.attitude <= within
    ]
    assert reached[0] < advice.dt < 2 * reached[0]
    fewer = round(advice.steps / 1.1)
    coarser = engine.simulate("slow-top", "CF4", dt=2.0 / fewer, steps=fewer, samples=1)
    assert engine.error(coarser).last.attitude > within >= advice.error


def test_a_row_with_tolerances_is_reproduced_by_what_it_says():
    found = advisor.advise("slow-top", 1e-7, 2.0, methods="RKMK853", repetitions=1)
    (row,) = found.ranked
    assert math.isnan(row.dt) and row.setting.startswith("rtol = atol = ")
    run = engine.simulate("slow-top", row.method, rtol=row.rtol, atol=row.atol, duration=2.0)
    assert run.cost.steps == row.steps
    assert engine.error(run).last.attitude == pytest.approx(row.error, rel=1e-6)


def test_where_the_coarsest_rung_is_within_it_still_larger_steps_are_tried():
    found = advise("free", 0.01, 20.0, methods="PDMV", repetitions=1)
    assert found.ranked[0].dt > 2 * found.problem.dt and found.ranked[0].error <= 0.01


def test_the_energy_needs_no_reference():
    found = advise(
        "asymmetric-top", 1e-3, 50.0, kind="energy", methods=["NMB", "AKW", "TERZE"], repetitions=1
    )
    assert found.reference == "the energy at the start" and found.ranked
    for advice in found.ranked:
        assert energy_error(run(found, advice)) == pytest.approx(advice.error, rel=1e-9)
        assert advice.error <= 1e-3
    assert found.conclusion.startswith("For an energy error of 0.001, use ")
    for advice in found.ranked:
        off = engine.error(run(found, advice))
        expected = math.inf if off.phase_lost >= 0 else off.attitude[-1]
        assert found.attitudes[advice.method] == pytest.approx(expected, rel=1e-6)
    assert found.attitudes["AKW"] == math.inf, "its step is the whole duration"
    assert "Energy says nothing about the attitude. " in found.conclusion
    assert (
        "Implicit midpoint loses phase. Its attitude error wanders between 0 and π, so it is not ranked."
        in found.conclusion
    )


def test_those_that_do_not_reach_it_give_the_reason():
    found = advise("free", 1e-10, 60.0, methods=["NMB", "PDMV"], repetitions=1)
    assert " do not suffice; High-order Moser–Veselov takes " in found.others["NMB"]
    none = advise("free", 1e-11, 20.0, methods=["NMB"], repetitions=1)
    assert (
        none.ranked == () and none.conclusion == "No method reached an attitude error of 10⁻¹¹ rad."
    )
    assert "the smallest step tried, Δt = " in none.others["NMB"] and none.to_frame().empty


def test_no_method_is_given_up_for_a_disturbance_of_short_runs(monkeypatch):
    simulate = Executor.simulate

    def disturbed(executor, body, method, **setting):
        run = simulate(executor, body, method, **setting)
        if method.key == "KB":
            vars(run)["cost"] = replace(run.cost, seconds=5e-4)
        return run

    monkeypatch.setattr(Executor, "simulate", disturbed)
    found = advise("free", 1e-4, 5.0, methods=["CF4", "KB"], repetitions=1)
    assert [advice.method for advice in found.ranked] == ["CF4", "KB"]


def test_sentences(advised):
    first, second, *_ = advised.ranked
    said = advised.conclusion
    names = name_methods([first.method, second.method])
    use = f"use {names[first.method]} with {first.setting}. It takes {format_seconds(first.seconds, 2)}."
    assert said.startswith(f"For an attitude error of 0.0001 rad, {use}")
    assert f" {names[second.method]} is next, with {second.setting}: " in said
    assert list(advised.to_frame()["method"]) == [advice.method for advice in advised.ranked]


def test_time_is_bounded_and_what_it_left_out_is_told(monkeypatch):
    looks = itertools.count()  # at a clock that goes on by a tenth of a second with each
    monkeypatch.setattr(advisor, "time", SimpleNamespace(monotonic=lambda: 0.1 * next(looks)))
    found = advise(
        "free", 1e-7, 1e6, methods=["NMB", "AKW", "TERZE", "MR2"], budget=0.3, repetitions=2
    )
    assert 0.3 < found.spent < 3.0, "it goes on after its time"
    assert not found.finished and any("the 0.3 s ran out" in why for why in found.others.values())
    assert "in the time given" in found.conclusion


def test_cancelled_it_says_so():
    cancel = threading.Event()
    found = advise(
        "free", 1e-9, methods=["NMB", "AKW"], cancel=cancel, progress=lambda *_: cancel.set()
    )
    assert not found.finished and any("cancelled" in why for why in found.others.values())
    assert [trial.method for trial in found.tried] == ["NMB"] and len(found.tried_to_frame()) == 1


@pytest.mark.parametrize(
    ("given", "options", "says"),
    [
        (("free", 0.0), {}, "within"),
        (("free", 1e-3), {"error": "speed"}, "error is one of attitude, momentum, energy"),
        (("free", 1e-3), {"budget": 0.0}, "budget"),
        (("free", 1e-3), {"methods": []}, "at least one method"),
        (("slow-top", 1e-3), {"methods": "BUSS6"}, "higher rates"),
        (("book-toss", 1e-3), {"kind": "energy"}, "energy of book-toss is not kept"),
        (("slow-top", 1e-11, 1000.0), {"methods": "NMB"}, "the reference itself leaves"),
    ],
)
def test_what_is_refused(given, options, says):
    with pytest.raises(ValueError, match=says):
        advise(*given, **options)


def test_the_budget_does_not_count_compiling(monkeypatch):
    clock = [0.0]
    compiled = set()

    def slow_at_first(body, method, /, **given):
        label = engine.algorithm(method).key
        clock[0] += 0.01 if label in compiled else 100.0
        compiled.add(label)
        return engine.simulate(body, method, **given)

    monkeypatch.setattr(advisor, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    for module in (advisor, sys.modules["engine.studies.core.executor"]):
        monkeypatch.setattr(module, "simulate", slow_at_first)
    found = advisor.advise("free", 1e-3, 2.0, methods=["NMB", "MR2"], budget=10.0)
    assert {advice.method for advice in found.ranked} == {"NMB", "MR2"} and found.finished
    assert found.spent < 10.0


@pytest.mark.parametrize(("key", "method", "duration", "within", "steps"), [
    ("fast-top", "MR2", 20.0, 0.5, 250), ("free", "AKW", 300.0, 1.0, 304), ("asymmetric-top", "AKW", 60.0, 1.0, 600),
])  # fmt: skip
def test_an_end_that_is_near_by_chance_after_the_phase_was_lost_is_not_advised(
    key, method, duration, within, steps
):
    off = engine.error(engine.simulate(key, method, dt=duration / steps, steps=steps))
    assert off.last.attitude < within and off.phase_lost < duration, "it is near at the end alone"
    found = advise(key, within, duration, methods=method, repetitions=1)
    assert {trial.error for trial in found.tried if trial.steps == steps} == {math.inf}
    assert (
        not engine.error(
            engine.simulate(key, method, dt=found.ranked[0].dt, duration=duration)
        ).phase_lost
        >= 0
    )
    said = "loses phase with larger steps. Its attitude error then wanders between 0 and π, so it is not ranked."
    assert found.conclusion.endswith(f" {name_method(method)} {said}")
