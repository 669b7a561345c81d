"""Convergence: errors against the exact motion, slopes without the plateau of roundoff, and the
conclusions.
"""

from __future__ import annotations

import math
import re
import threading

import numpy as np
import pytest
from covering import covering

import engine
from engine.algorithms import FixedStep, name_method
from engine.simulation.one_body import why_not
from engine.studies import convergence
from engine.studies.convergence import format_order
from engine.studies.core.measurements import NEAR, Slope
from engine.text.formatting import show


@pytest.fixture(scope="module")
def study():
    return convergence(
        "free", ["NMB", "AKW", "CF4"], [1 / 2**k for k in range(1, 10)], duration=20.0
    )


def test_errors_are_those_of_the_runs(study):
    rung = study.of("NMB")[3]
    run = engine.simulate("free", "NMB", dt=1 / 16, steps=320)
    off = engine.error(run).last
    assert (rung.dt, rung.steps, rung.status) == (1 / 16, 320, "done")
    assert rung.attitude == pytest.approx(off.attitude, rel=1e-6)
    assert rung.momentum == pytest.approx(off.pi / np.linalg.norm(run.pi[0]), rel=1e-6)
    assert rung.energy == pytest.approx(np.abs(run.energy / run.energy[0] - 1).max(), rel=1e-9)


@pytest.mark.parametrize(("method", "order"), [("NMB", 2), ("AKW", 2), ("CF4", 4)])
def test_slopes_are_the_orders(study, method, order):
    found = study.slope(method)
    assert found.value == pytest.approx(order, abs=0.15) and found.points >= 3


@engine.torque
def pull(t, R):
    return 2.0 * R[1, 2], -2.0 * R[0, 2], 0.0


@engine.torque
def sway(t, R):
    return math.sin(3.0 * t) * R[1, 2], 0.5 * math.cos(2.0 * t), -R[0, 2]


PROBLEMS = {
    "free": (engine.problem("free"), 10.0),
    "slow-top": (engine.problem("slow-top"), 2.0),
    "asymmetric-top": (engine.problem("asymmetric-top"), 4.0),
    "spring": (
        engine.Problem(J=(1, 1, 2), R0=(0.5, 0, 0), Omega0=(0, 0, 3), torque=pull),
        4.0,
    ),
    "sway": (
        engine.Problem(J=(1, 2, 2.5), R0=(0.5, 0, 0), Omega0=(0.3, 0.8, 1.5), torque=sway),
        4.0,
    ),
}
FITTING = [
    (key, method.label)
    for method in engine.algorithms()
    if isinstance(method, FixedStep)
    for key, (problem, _) in PROBLEMS.items()
    if not why_not(problem, method, 0.1)
]


@pytest.mark.parametrize(
    ("key", "method"),
    covering(FITTING, by=lambda key, method: (key, engine.algorithm(method).family)),
)
def test_no_order_is_stated_below_the_declared_one_where_steps_reach_roundoff(key, method):
    """π turns with the attitude, so it has the lower of both orders; some problems raise one."""
    problem, duration = PROBLEMS[key]
    dts = [duration / 2**k for k in range(1, 18)]
    study = convergence(problem, method, dts, duration=duration)
    declared = engine.algorithm(method).order_on(free=key == "free")
    for kind, order in (("attitude", declared[0]), ("momentum", min(declared))):
        found = study.slope(method, kind)
        if found is None:
            assert "at roundoff" in study.conclusion
        elif found.uncertainty <= NEAR:
            off = NEAR + 2 * found.uncertainty
            assert order - off < found.value < order + 1 + off
            stated = study.describe_orders(method)
            assert f"{name_method(method)}: {stated}" in study.conclusion
            (kinds,) = re.findall(
                rf"order {format_order(found)} in ([^,]*(?:, [a-z]+ and [a-z]+)?)", stated
            )
            assert kind in kinds
        else:
            assert re.search(
                rf"Errors in [^.]*{kind}[^.]* follow no power of Δt yet", study.conclusion
            )


@pytest.mark.parametrize(("key", "methods", "orders"), [
    ("slow-top", ["CF4", "RK-QUAT"], [4, 9]),
    ("spring", ["CF4", "RK4-QUAT", "MR2", "NMB"], [4, 4, 2, 2]),
])  # fmt: skip
def test_default_steps_show_the_order_although_the_finest_reach_roundoff(key, methods, orders):
    study = convergence(PROBLEMS[key][0], methods, duration=20.0)
    for method, order in zip(methods, orders, strict=True):
        found = study.slope(method)
        assert found.value == pytest.approx(order, abs=0.15) and found.uncertainty < 0.15
        if order >= 4:
            end, least = study.roundoff(method)
            assert end < found.steps[0] and least < 1e-11
            said = f"Its attitude error stops falling near Δt = {show(end, 2)}."
            assert said in study.conclusion


@pytest.mark.parametrize("sensor", ["none", "integrated"])
def test_coning_corrections_have_their_orders_also_by_the_sample_rate(sensor):
    """With a sensor, the samples of a step stay as many."""
    methods = ["EXP(rate=mean)", "CONING", "CONING(samples=3)", "CONING(samples=4)"]
    vibrating = engine.problem("coning", sensor=sensor, sample_rate=12_000, bits=0, dt=0.001)
    dts = [0.008, 0.004, 0.002, 0.001, 0.0005]
    study = convergence(vibrating, methods, dts)
    orders = [study.slope(method).value for method in methods]
    assert orders == pytest.approx([2, 4, 6, 6], abs=0.15)
    assert list(study.floors) == ["attitude"] and "momentum" not in study.to_frame()
    assert [axes.y.label for axes in study.chart.axes] == ["attitude error at the end, rad"]
    corrected, doubled = (study.of(method)[-1] for method in methods[1::2])
    assert corrected.attitude > 100 * doubled.attitude


def test_a_window_that_is_too_small_is_named():
    fine = convergence("slow-top", "RK-QUAT", [0.04, 0.02, 0.01, 0.005], duration=20.0)
    assert fine.slope("RK-QUAT") is None
    said = (
        r"Errors in attitude.* show no order yet: add steps above [\d.]+, where roundoff begins\."
    )
    assert re.search(said, fine.conclusion)
    coarse = convergence("slow-top", "NEWTON-1", [0.2, 0.1, 0.05], duration=20.0)
    assert coarse.slope("NEWTON-1", "momentum") is None
    said = "Errors in momentum and energy show no order yet: add smaller steps."
    assert said in coarse.conclusion
    assert all(rung.momentum > 0.3 for rung in coarse.rungs)
    assert len(coarse.chart.axes) == 3, "also without a point in a frame"


def test_what_is_kept_has_no_slope_and_that_is_said(study):
    assert study.slope("AKW", "energy") is None
    said = "Implicit midpoint: order 2 in attitude; momentum and energy at roundoff."
    assert said in study.conclusion


def test_a_method_without_a_solution_has_no_error_there():
    study = convergence("free", "DMV", [4.0, 2.0, 0.5, 0.25, 0.125, 0.0625], duration=20.0)
    assert [rung.status for rung in study.of("DMV")][:2] == ["no-solution", "no-solution"]
    assert math.isnan(study.of("DMV")[0].attitude)
    assert study.slope("DMV").value == pytest.approx(2, abs=0.15)
    assert "With Δt = 2 or more it does not reach the end." in study.conclusion


def test_a_table_and_steps_that_divide_the_duration():
    study = convergence("slow-top", "SW", [0.3, 0.1], duration=1.0)
    assert [(rung.steps, rung.dt) for rung in study.rungs] == [(4, 0.25), (10, 0.1)]
    frame = study.to_frame()
    assert list(frame["steps"]) == [4, 10] and frame["torque_evaluations"].min() > 0


def test_it_is_kept_resumed_and_cancelled(tmp_path):
    kept = tmp_path / "free.jsonl"
    cancel = threading.Event()
    reports = []

    def progress(done, total, row):
        reports.append((done, total, row["method"]))
        if done == 3:
            cancel.set()

    part = convergence(
        "free", "NMB", duration=10.0, workers=1, keep=kept, cancel=cancel, progress=progress
    )
    assert not part.finished and 3 <= len(part.rungs) < 13
    whole = convergence("free", "NMB", duration=10.0, keep=kept)
    assert whole.finished and whole.rungs[: len(part.rungs)] == part.rungs
    with pytest.raises(ValueError, match="holds another study"):
        convergence("free", "NMB", duration=11.0, keep=kept)
    with pytest.raises(ValueError, match="holds another study"):
        convergence(
            engine.problem("free").replace(Omega0=(0, 0, 1.0)), "NMB", duration=10.0, keep=kept
        )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"methods": []}, "at least one method"),
        ({"methods": "DOP853"}, "chooses its own steps"),
        ({"methods": "NMB", "dts": []}, "at least one step"),
        ({"methods": "NMB", "dts": [1e-9]}, "are more than"),
        ({"methods": "NMB", "dts": [-1.0]}, "dt"),
        ({"methods": "nobody"}, "there is no method"),
    ],
)
def test_what_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        convergence("free", **given)


@pytest.mark.parametrize(("key", "method", "duration", "steps"), [
    ("free", "AKW", 300.0, 184), ("kovalevskaya-top", "MR2", 100.0, 90),
])  # fmt: skip
def test_an_end_that_is_near_by_chance_after_the_phase_was_lost_does_not_count(
    key, method, duration, steps
):
    off = engine.error(engine.simulate(key, method, dt=duration / steps, steps=steps))
    assert off.last.attitude < 1.0 and off.phase_lost < duration, "it is near at the end alone"
    fine = [duration / n for n in (16_000, 32_000, 64_000)]
    study = convergence(key, method, [duration / steps, *fine], duration=duration)
    assert study.rungs[0].attitude == math.inf and study.rungs[1].attitude < 0.1
    assert study.slope(method).points == 3
    assert (
        f"With Δt = {duration / steps:.3g} or more it loses phase, which hides the attitude error."
        in study.conclusion
    )


def test_the_chart_has_triangles_of_slopes_and_the_legend_the_largest_step_with_which_a_method_runs():
    study = convergence("free", "DMV", [4.0, 2.0, 0.5, 0.25, 0.125], duration=20.0)
    guides = study.chart.guides
    triangles = [guide for guide in guides if len(guide.x) == 4 and guide.plot == 0]
    for slope, guide in zip((1, 2, 4), triangles, strict=True):
        assert math.log(guide.y[0] / guide.y[1]) == pytest.approx(
            slope * math.log(guide.x[0] / guide.x[1])
        )
        assert f"slope {slope}" in [one.text for one in guides]
    assert study.chart.notes["Moser–Veselov"].endswith("runs to Δt = 0.5")


def test_orders_stand_beside_the_names_in_the_legend(study):
    assert study.chart.names == ["Explicit Newmark", "Implicit midpoint", "Commutator-free 4"]
    notes = study.chart.notes
    assert notes["Explicit Newmark"] == notes["Implicit midpoint"] == "order 2"
    assert notes["Commutator-free 4"] == "order 4"
    mixed = convergence("slow-top", "CF4", [0.2 / 2**k for k in range(8)], duration=5.0)
    (note,) = mixed.chart.notes.values()
    assert note == mixed.describe_orders("CF4") != "order 4", "momentum has another"
    with_notes = study.chart.with_notes()
    assert with_notes.names[:2] == ["Explicit Newmark: order 2", "Implicit midpoint: order 2"]


def test_the_summary_does_not_repeat_the_legend():
    study = convergence("free", ["RK4-QUAT", "MR2", "CG3", "SEMI-EULER"])
    assert study.chart.notes == {
        "Runge–Kutta 4": "order 4 in attitude, order 5 in momentum and energy, runs to Δt = 4.2",
        "McLachlan–Reich": "order 2",
        "Crouch–Grossman 3": "order 3",
        "Semi-implicit Euler": "order 1 in momentum and energy, runs to Δt = 0.52",
    }
    assert study.summary == (
        "Errors in attitude of Semi-implicit Euler show no order yet: add smaller steps. "
        "3 of 4 methods lose phase with large steps, from Δt = 0.065 on, which hides the attitude error."
    )
    one = convergence("free", "SEMI-EULER", [0.25, 0.125, 0.0625], duration=100.0)
    assert "Semi-implicit Euler loses phase with large steps, from Δt = " in one.summary


@pytest.mark.parametrize(("value", "says"), [(2.0, "2"), (1.86, "2"), (2.3, "2.3"), (0.7, "0.7")])
def test_an_order_is_whole_if_it_is_near(value, says):
    assert format_order(Slope(value, 0.1, 4, (0.1, 1.0), (0.3, 1e-3))) == says
