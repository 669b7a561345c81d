"""Which rule is this? Motions of known rules are named, and others are not."""

from __future__ import annotations

import re
import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from covering import covering, first

import engine
from engine.referee.decision import MOST
from engine.referee.matches import STOPPED
from engine.referee.reading import read_trajectory
from engine.referee.rules import find_rules
from engine.referee.trajectory import Trajectory, find_step, make_trajectory

J = (1.0, 2.0, 2.8)
ENGINES = Path(__file__).parents[1] / "data" / "engines"
FEW = (
    "bullet",
    "jolt",
    "ode",
    "rapier",
    "mujoco-rk4",
    "simbody",
    "godot",
    "RK4-QUAT",
    "MR2",
    "SQ-M",
)
"""The rules that quick tests compare with."""


def compute(method: str, rows: int = 150, **options: object) -> Trajectory:
    """The motion of a free body by a rule."""
    body = engine.Problem(J=J, Omega0=(1.2, 1.9, 1.5))
    run = engine.simulate(body, method, dt=1 / 60, steps=rows, **options)
    return make_trajectory(run.t, run.R, run.Omega, J)


@pytest.mark.parametrize("method", first(["rapier", "bullet", "ode", "simbody", "RK4-QUAT"], 2))
def test_a_rule_of_the_lab_is_named_with_its_substeps(method: str) -> None:
    found = find_rules(compute(method), methods=FEW)
    assert method in found.rules
    assert found.precision == "double"
    assert found.substeps == (4 if method == "rapier" else 1)
    assert found.distance < 1e-14


def test_damping_is_fitted_and_recognised_as_an_engines_default() -> None:
    found = find_rules(compute("jolt"), methods=FEW)
    assert found.rules[0] == "jolt"
    assert found.numbers["damping"][0] == 0.05
    other = find_rules(compute("jolt(damping=0.31)"), methods=FEW)
    assert "jolt(damping=0.31)" in other.rules


def test_sentences_have_few_digits_and_right_plurals() -> None:
    sentences = " ".join(find_rules(compute("DMV", 60), methods=("jolt",)).sentences)
    assert (
        "The nearest other is Length-restoring Euler (RESTORED(" in sentences
        and "rad per row)" in sentences
    )
    assert not re.search(r"\d\.\d{6}", sentences)


def test_numbers_of_32_bits_show() -> None:
    found = find_rules(compute("bullet", precision="single"), methods=FEW)
    assert "bullet" in found.rules
    assert found.precision == "single"


def test_attitudes_alone_suffice() -> None:
    whole = compute("ode")
    found = find_rules(make_trajectory(whole.t, whole.R, None, J), methods=FEW)
    assert "ode" in found.rules


@pytest.mark.parametrize(
    ("method", "rows"),
    covering(
        product(["ode", "simbody"], [[75], [5], [20, 21, 90], [40, 80, 120]]),
        by=lambda method, rows: (method, tuple(rows)),
    ),
)
def test_missing_rows_leave_the_rule(method: str, rows: list[int]) -> None:
    whole = compute(method)
    there = np.delete(np.arange(151), rows)
    assert whole.Omega is not None
    motion = make_trajectory(whole.t[there], whole.R[there], whole.Omega[there], J)
    found = find_rules(motion, methods=FEW)
    assert method in found.rules
    assert found.precision == "double"


def test_the_step_is_that_without_gaps() -> None:
    t = np.arange(601) / 60
    for row in range(1, 600):
        assert find_step(np.delete(t, row)) == 1 / 60
    assert find_step(t + np.where(t > 4, 0.5 / 60, 0.0)) == 1 / 60


def test_a_rule_that_is_not_in_the_list_is_not_named() -> None:
    found = find_rules(compute("DMV"), methods=FEW)
    assert found.rules == ()
    assert found.possible == ()
    assert found.nearest[0].distance > 1e-9


def test_rules_that_the_file_cannot_tell_apart_are_not_named() -> None:
    true = compute("mujoco-rk4", 30)
    coarse = make_trajectory(true.t, true.R.round(4), true.Omega.round(4), J, 1e-4, 5e-5)
    found = find_rules(coarse, methods=("mujoco-rk4", "RK4-QUAT", "RKMK"))
    assert found.rules == ()
    assert len(found.possible) >= 2


def test_a_search_reports_its_progress_and_can_be_cancelled() -> None:
    stop = threading.Event()
    done = []

    def follow(at: int, of: int) -> None:
        done.append((at, of))
        stop.set()

    found = find_rules(compute("ode", 20), methods=FEW, progress=follow, cancel=stop)
    assert [at for at, _ in done] == [1]
    assert found.rules == ()
    assert found.sentences[:2] == (STOPPED, f"1 of {len(FEW)} rules were compared with the rows.")
    assert len(found.nearest) == 1


def test_the_progress_of_a_search_goes_on_while_agreeing_rules_are_compared() -> None:
    done: list[tuple[float, int]] = []
    rules = ("ode", "mujoco-euler")
    find_rules(compute("ode", 60), methods=rules, progress=lambda *at: done.append(at))
    parts = [at for at, _ in done]
    assert parts == sorted(parts) and parts[-1] <= done[-1][1]
    assert len({of for _, of in done}) == 1
    assert any(len(rules) < at < len(rules) + MOST for at in parts)


@pytest.mark.parametrize(
    ("file", "rule"),
    [
        ("bullet-in-ammo-js", "bullet"),
        ("jolt-mapplygyroscopicforce", "jolt"),
        ("mujoco-rk4", "mujoco-rk4"),
        ("rapier-in-node", "rapier"),
        ("ode-in-panda3d", "ode"),
        ("newton-xpbd", "xpbd"),
        ("jsbsim", "jsbsim"),
    ],
)
def test_a_file_of_an_engine_names_its_rule(file: str, rule: str) -> None:
    motion = read_trajectory(ENGINES / f"{file}.csv", J)
    found = find_rules(motion, methods=(*FEW, "xpbd", "jsbsim", "RK-QUAT(tableau=euler)"))
    assert rule in found.rules


def test_too_few_rows_name_nothing() -> None:
    body = make_trajectory([0.0, 0.1], [np.eye(3)] * 2, [[0.0, 0.0, 1.0]] * 2, J)
    assert find_rules(body, methods=FEW).rules == ()


def test_a_cap_is_fitted() -> None:
    found = find_rules(compute("jolt(damping=0, max_speed=2.5)"), methods=("jolt", "ode"))
    assert "jolt(damping=0, max_speed=2.5)" in found.rules
    assert found.numbers["max_speed"][0] == pytest.approx(2.5, abs=1e-12)


def test_small_smooth_errors_of_another_rule_are_no_rounding() -> None:
    """The midpoint rule on quaternions differs from Heun's by 10⁻⁷ to 10⁻⁶ rad a step."""
    found = find_rules(compute("RK-QUAT(tableau=midpoint)"), methods=("RK-QUAT(tableau=heun)",))
    assert found.rules == ()


def test_smooth_errors_that_jump_in_single_rows_are_no_rounding() -> None:
    """Rodrigues parameters make large errors in few rows, which hide that the others are smooth."""
    whole = compute("RK-QUAT(tableau=heun)", 600)
    motion = make_trajectory(whole.t, whole.R, None, J)
    assert find_rules(motion, methods=["RK-MRP(tableau=midpoint)"]).rules == ()


def test_two_caps_of_one_effect_are_one_rule() -> None:
    motion = compute("rapier(substeps=1, max_turn=0.044)")
    found = find_rules(motion, methods=["RESTORED(map=cay)", "rapier"])
    assert "rapier(max_turn=0.044, substeps=1)" in found.rules


def test_rounding_that_goes_on_from_row_to_row_excludes_no_rule() -> None:
    """Box3D's file in 32 bits, without its velocities, fits the rule of a code of grains as well."""
    motion = read_trajectory(ENGINES / "box3d-in-robox3d.csv", J, frame="none")
    found = find_rules(motion, methods=("box3d", "mercurydpm-clump"))
    assert found.rules == () and len(found.possible) >= 2


@pytest.mark.exhaustive
def test_a_loose_iteration_is_named_by_no_other_rule() -> None:
    """Simbody's Verlet solves to its accuracy, 10⁻³ by default, which is no rounding."""
    motion = read_trajectory(ENGINES / "simbody-verlet.csv", J)
    found = find_rules(motion, methods=("espresso", "simbody"))
    assert found.rules == ()
    assert found.nearest[0].name == "VERLET-QUAT"


def test_estimated_moments_are_refined_by_the_rule() -> None:
    whole = compute("ode")
    rough = whole.with_moments([1.01 / 2.8, 1.99 / 2.8, 1.0], [0.01, 0.01, 0.0])
    found = find_rules(rough, methods=("ode", "bullet"))
    assert "ode" in found.rules
    assert found.moments == pytest.approx(np.array(J) / 2.8, abs=1e-12)
    assert (found.moment_errors[:2] < 1e-12).all()
    assert found.moment_errors[2] == 0.0


@pytest.mark.parametrize(
    ("file", "rule"),
    [("brax-generalized", "brax"), ("simbody-verlet-setaccuracy-1e-9", "simbody")],
)
def test_the_small_constants_of_engines_leave_their_rule(file: str, rule: str) -> None:
    """Brax adds 10⁻⁸ to a length, and Simbody stops its iteration at 10⁻¹⁰."""
    motion = read_trajectory(ENGINES / f"{file}.csv", J, frame="body")
    found = find_rules(motion, methods=(rule, "bullet"))
    assert rule in found.rules
    assert found.digits >= 6


def test_a_step_of_whole_nanoseconds_is_found() -> None:
    motion = read_trajectory(ENGINES / "basilisk.csv", J, frame="body")
    found = find_rules(motion, methods=("basilisk", "RKMK"))
    assert "basilisk" in found.rules
    assert found.step == pytest.approx(0.016666667, abs=1e-13)
    assert any("0.016666667 s" in sentence for sentence in found.sentences)


def test_a_cap_on_the_turn_is_named_by_its_engine() -> None:
    found = find_rules(compute("rapier(substeps=1, max_turn=0.044)"), methods=("rapier", "jolt"))
    assert "rapier(max_turn=0.044, substeps=1)" in found.rules


def test_quaternions_of_any_length_turn_alike() -> None:
    """JSBSim renormalises; a quaternion whose length drifts turns a free body in the same way."""
    motion = read_trajectory(ENGINES / "jsbsim.csv", J, frame="body")
    found = find_rules(motion, methods=("RK-QUAT(tableau=euler)", "jsbsim"))
    assert "jsbsim" in found.rules
    assert "RK-QUAT(tableau=euler)" in found.rules


def test_substeps_that_leave_the_same_are_one_rule() -> None:
    """Without a gyroscopic term, a turn in ten steps is a turn in one."""
    motion = read_trajectory(ENGINES / "ammojs-typed.csv", J, frame="space")
    found = find_rules(motion, methods=("ammojs-typed", "reactphysics3d"))
    assert "ammojs-typed" in found.rules
    assert found.substeps == 1


@pytest.mark.parametrize(("speed", "is_found"), [(1.0, True), (2.0, True), (1000.0, False)])
def test_a_motion_that_overflows_shows_its_rule_before(speed: float, is_found: bool) -> None:
    body = engine.Problem(J=J, Omega0=(3 * speed, 4 * speed, 5 * speed))
    run = engine.simulate(body, "SEMI-EULER", dt=1 / 20, steps=100)
    assert run.status == "diverged" and np.abs(run.Omega).max() > 1e90
    found = find_rules(
        make_trajectory(run.t, run.R, run.Omega, J), methods=("SEMI-EULER", "bullet", "ode")
    )
    assert (found.rules[-1:] == ("SEMI-EULER",)) is is_found
    assert found.sentences and bool(found.rules) is is_found
