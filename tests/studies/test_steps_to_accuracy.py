"""The number of steps that methods need: the search alone, on Buss's prism, and on other
problems.
"""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.studies.core.errors_at_end import find_exact_end
from engine.studies.core.search import find_smallest
from engine.studies.steps_to_accuracy import steps_to_accuracy
from engine.text.formatting import show


@given(first=st.integers(1, 50), wanted=st.integers(1, 5000), most=st.integers(50, 4000))
def test_a_threshold_is_found_exactly(first, wanted, most):
    expected = max(first, wanted)
    assert find_smallest(lambda n: n >= wanted, first, most) == (
        expected if expected <= most else None
    )


@given(met=st.lists(st.booleans(), min_size=40, max_size=40))
def test_among_few_numbers_the_last_that_fails_counts(met):
    """Up to forty every number is tried, and from the answer to its double none fails; before it
    one does.
    """
    found = find_smallest(lambda n: met[n - 1], 1, len(met))
    if found is None:
        assert not met[-1] or not all(met[len(met) // 2 :])
    else:
        assert all(met[found - 1 : 2 * found])
        assert found == 1 or not met[found - 2]


def test_the_search_is_short():
    tried = []

    def meets(n):
        tried.append(n)
        return n >= 12345

    assert find_smallest(meets, 10, 100_000) == 12345
    assert sum(tried) < 100 * 12345


def test_the_search_goes_on_above_a_late_failure():
    """Like MR4 on Buss's prism: fourteen steps suffice by chance, and the last failure is at 25."""
    assert find_smallest(lambda n: n in (14, 15, 17) or n >= 26, 10, 1000) == 26


def test_errors_of_the_numbers_next_to_the_answer():
    study = steps_to_accuracy("prism", "BUSS3+E", 1e-3, duration=4.0)
    (row,) = study.rows
    assert row.steps == 652 and row.dt == 4.0 / 652 and study.finished
    end = find_exact_end(study.problem, 4.0, 1e-9)
    before, there = (
        engine.simulate("prism", "BUSS3+E", dt=4.0 / n, steps=n, samples=1) for n in (651, 652)
    )

    def angle(run):
        return 2 * np.arcsin(np.linalg.norm(run.R[-1] - end.R) / np.sqrt(8))

    assert angle(before) > 1e-3 >= angle(there)
    assert row.error == pytest.approx(angle(there), rel=1e-6)
    assert np.degrees(row.rotation) * 652 / 651 == pytest.approx(25.0, abs=0.005), (
        "θ as the paper prints it"
    )


def test_the_true_end_is_true():
    """A steady spin is known exactly."""
    spin = engine.Problem(J=(1.0, 2.0, 2.5), Omega0=(0.0, 0.0, 0.9))
    end = find_exact_end(spin, 10.0, 1e-10)
    c, s = np.cos(9.0), np.sin(9.0)
    np.testing.assert_allclose(end.R, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-12)
    assert end.mean_speed == pytest.approx(0.9, rel=1e-12)


@pytest.mark.parametrize("error", ["attitude", "momentum"])
def test_order_shows_in_the_steps(error):
    """A hundredth of the error takes ten times the steps at second order, and a tenth root of ten
    at fourth.
    """
    study = steps_to_accuracy("slow-top", ["NMB", "RKMK"], (1e-4, 1e-6), duration=2.0, error=error)
    for method, ratio in (("NMB", 10.0), ("RKMK", np.sqrt(10.0))):
        assert study.steps(method, 1e-6) / study.steps(method, 1e-4) == pytest.approx(
            ratio, rel=0.1
        )
    rows = {(row.method, row.accuracy): row for row in study.rows}
    assert rows["RKMK", 1e-6].torque_evaluations == 4 * rows["RKMK", 1e-6].steps


def test_what_is_not_reached():
    study = steps_to_accuracy(
        "prism", ["BUSS1", "BUSS1+E", "BUSS4"], 1e-3, duration=0.4, most_steps=400
    )
    assert [study.steps(m, 1e-3) for m in ("BUSS1", "BUSS1+E", "BUSS4")] == [None, None, 53]
    assert study.rows[0].error > 1e-3
    fewest = "Buss 4 needs the fewest steps for an attitude error of 0.001 rad: 53."
    assert fewest in study.conclusion
    said = "Buss 1 and Buss 1 with energy correction do not reach it in 400 steps."
    assert study.conclusion.endswith(said)
    frame = study.to_frame()
    assert list(frame["method"]) == ["BUSS1", "BUSS1+E", "BUSS4"]
    assert frame["steps"].isna().tolist() == [True, True, False]
    none = steps_to_accuracy("prism", "BUSS1", 1e-3, duration=0.4, most_steps=100)
    goal = "No method reaches an attitude error of 0.001 rad in 100 steps."
    assert none.conclusion.startswith(goal)


def test_roundoff_is_told_from_too_few_steps():
    """HSTAGM's error on this top falls to about 2·10⁻⁷, and does not fall with more steps."""
    study = steps_to_accuracy("slow-top", "HSTAGM", 2e-8, duration=20.0, most_steps=2_000_000)
    (row,) = study.rows
    assert row.steps is None and 2e-8 < row.least < row.error
    assert f" comes nearest, with {show(row.least, 2)}." in study.conclusion


def test_steps_without_a_solution_do_not_count():
    """DMV's steps have no solution before they are small enough, whatever the accuracy."""
    study = steps_to_accuracy("free", ["DMV", "MR2"], math.pi, duration=10.0, error="momentum")
    mr2, dmv = (study.steps(m, math.pi) for m in ("MR2", "DMV"))
    few, enough = (engine.simulate("free", "DMV", dt=10.0 / n, steps=n) for n in (dmv - 1, dmv))
    assert (few.status, enough.status) == ("no-solution", "done") and mr2 < dmv


def test_energy_correction_for_all():
    study = steps_to_accuracy(
        "prism", ["BUSS2", "BUSS3+E"], 1e-3, duration=0.4, energy_correction=True
    )
    assert [row.method for row in study.rows] == ["BUSS2+E", "BUSS3+E"]
    assert [row.steps for row in study.rows] == [364, 37]


def test_progress_and_cancelling():
    reports = []
    cancel = threading.Event()

    def progress(done, of):
        reports.append((done, of))
        if done == 2:
            cancel.set()

    study = steps_to_accuracy(
        "prism", ["MR2", "MR4"], (1e-2, 1e-3), duration=0.4, progress=progress, cancel=cancel
    )
    assert reports == [(1, 4), (2, 4)]
    assert not study.finished and [row.method for row in study.rows] == ["MR2", "MR2"]


@pytest.mark.parametrize("given, why", [
    ({"methods": []}, "at least one method"),
    ({"methods": "MR9"}, "no method 'MR9'"),
    ({"methods": "SW", "energy_correction": True}, "acceleration"),
    ({"methods": "DOP853"}, "its own steps"),
    ({"within": 0.0}, "within"),
    ({"error": "phase"}, "attitude, momentum"),
    ({"most_steps": 10**12}, "most_steps"),
    ({"duration": -1.0}, "duration"),
    ({"within": 1e-14, "duration": 40.0}, "could not be found"),
    ({"problem": "magnet", "methods": "BUSS5"}, "rate"),
])  # fmt: skip
def test_refusals(given, why):
    with pytest.raises(ValueError, match=why):
        steps_to_accuracy(**{"problem": "prism", "methods": "MR2", "duration": 0.4} | given)


def test_fewest_steps_are_not_always_the_least_work():
    found = steps_to_accuracy("slow-top", ["RKMK", "SW"], [0.1], duration=2.0)
    by_steps, by_torques = (
        min(found.rows, key=lambda row: getattr(row, name))
        for name in ("steps", "torque_evaluations")
    )
    assert (by_steps.method, by_torques.method) == ("RKMK", "SW")
    fewest = f"needs the fewest steps for an attitude error of 0.1 rad: {by_steps.steps}."
    assert f"{found.names['RKMK']} {fewest}" in found.conclusion
    least = f"needs the fewest torque evaluations: {by_torques.torque_evaluations}."
    assert f" {found.names['SW']} {least}" in found.conclusion


def test_methods_that_need_as_many_steps_are_named_together():
    found = steps_to_accuracy("free", ["NMB", "MR2"], 0.5, duration=0.1)
    assert {row.steps for row in found.rows} == {1}
    assert (
        "Explicit Newmark and McLachlan–Reich need the fewest steps for an attitude error of 0.5 rad: 1."
        in found.conclusion
        and "the most" not in found.conclusion
    )


@pytest.mark.parametrize(("key", "method", "duration", "steps"), [
    ("free", "AKW", 300.0, 184), ("kovalevskaya-top", "MR2", 100.0, 90),
])  # fmt: skip
def test_steps_after_which_the_end_is_near_by_chance_do_not_count(key, method, duration, steps):
    off = engine.error(engine.simulate(key, method, dt=duration / steps, steps=steps))
    assert off.last.attitude < 1.0 and off.phase_lost < duration, "it is near at the end alone"
    (row,) = (study := steps_to_accuracy(key, method, 1.0, duration=duration)).rows
    assert row.steps > row.by_chance == steps
    enough = engine.error(engine.simulate(key, method, dt=row.dt, steps=row.steps))
    assert enough.last.attitude == pytest.approx(row.error, rel=1e-6) and not enough.phase_lost >= 0
    assert study.conclusion.endswith(
        f" {study.names[method]} ends within it by chance with {steps} steps: it loses phase before."
    )
    assert study.to_frame()["by_chance"].tolist() == [steps]
    momentum = steps_to_accuracy(key, method, 1.0, duration=duration, error="momentum").rows[0]
    assert momentum.steps < row.steps and momentum.by_chance is None, "the momentum has no phase"
