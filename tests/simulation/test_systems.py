"""One body and two: both implement the same protocol in the same way."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.algebra import Mat3, Vec3, exp
from engine.algorithms import FixedStep
from engine.algorithms.two_bodies.runge_kutta import find_gravity, rates, view
from engine.algorithms.two_bodies.runge_kutta import start as runge_kutta_start
from engine.exact.motion import estimate_effort, has_exact, list_reference_kernels
from engine.kernels import build
from engine.parameters.parameter import Number, Parameter
from engine.simulation.systems import SYSTEMS
from engine.studies.core import fitting
from engine.studies.core.test_problems import PROBLEMS
from engine.text.spaces import SPACES

PAIRS = [
    ("free", "NMB"),
    ("slow-top", "DOP853"),
    ("free", "EXACT"),
    ("dumbbells", "LGVI"),
    ("DB4", "DOP853"),
]


def test_every_method_and_problem_has_its_system() -> None:
    assert set(SYSTEMS) == set(SPACES)
    for one in (*engine.algorithms(None), *engine.problems(None)):
        assert SYSTEMS[one.space] is SYSTEMS[one.space]
    assert set(engine.problems(None)) == {
        problem for space in SPACES for problem in engine.problems(space)
    }


@pytest.mark.parametrize("key", [problem.key for problem in engine.problems(None)])
def test_a_method_has_kernels_if_nothing_stands_against_it(key: str) -> None:
    problem = engine.problem(key)
    system = SYSTEMS[problem.space]
    for method in engine.algorithms(problem.space):
        reason = system.why_not(problem, method, problem.dt)
        assert bool(reason) != bool(system.list_kernels(problem, method, problem.dt)), method
        if reason:
            with pytest.raises(ValueError) as refused:
                engine.simulate(problem, method, steps=1)
            assert str(refused.value).endswith(reason)


@pytest.mark.parametrize("key, label", PAIRS)
def test_a_run_compiles_its_kernels_and_no_others(
    key: str, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = engine.problem(key).replace()  # a copy, which has no kernels yet
    method = engine.algorithm(label, space=problem.space)
    system = SYSTEMS[problem.space]
    asked = set()
    compiled = build.compile_kernel
    monkeypatch.setattr(
        build, "compile_kernel", lambda parts, name="": asked.add(parts) or compiled(parts, name)
    )
    engine.simulate(problem, method, dt=problem.dt, duration=20 * problem.dt)
    assert asked == set(system.list_kernels(problem, method, problem.dt))


@pytest.mark.parametrize("key, label", PAIRS)
def test_a_table_holds_the_motion(key: str, label: str) -> None:
    problem = engine.problem(key)
    run = engine.simulate(problem, label, duration=20 * problem.dt)
    assert type(run) is SYSTEMS[problem.space].run_type
    columns = run.columns()
    motion = type(run).take_motion(columns)
    assert list(motion) == list(run.motion)
    assert list(columns) == ["t", *run.observed], "the motion is taken out, and the rest stays"
    for name, values in run.motion.items():
        np.testing.assert_array_equal(motion[name], values)
        np.testing.assert_array_equal(getattr(run, name), values)
        assert values.shape == (len(run), *run.series[name].axes)


def test_where_there_is_no_exact_motion_nothing_is_compiled_or_made_for_it() -> None:
    for key in ("asymmetric-top", "dumbbells", "two-bodies"):
        problem = engine.problem(key)
        assert (
            has_exact(problem)
            == (key != "two-bodies")
            == bool(list_reference_kernels(problem, problem.dt))
            == bool(estimate_effort(problem, 30.0, problem.dt))
        )


def test_what_a_method_needs_is_asked_of_a_torque_of_one_s_own_as_well() -> None:
    """Such a torque has no rates, and does work."""
    top = engine.Problem(J=(1, 1, 2), torque=lambda t, R: R[0])
    system = SYSTEMS[top.space]
    assert "BUSS2 needs none" in str(system.why_not(top, engine.algorithm("BUSS4"), 0.1))
    assert "free bodies" in str(system.why_not(top, engine.algorithm("BUSS3+E"), 0.1))
    fit, left_out = fitting(top, None)
    assert "BUSS4" in left_out and engine.algorithm("BUSS4") not in fit


def start(bodies, t, h, R1, R2, Omega1, Omega2, x1, x2, v1, v2, share):  # type: ignore[no-untyped-def]
    """That of a method without an option."""
    return runge_kutta_start(bodies, t, h, R1, R2, Omega1, Omega2, x1, x2, v1, v2)


def step(bodies, t, h, y, g, share):  # type: ignore[no-untyped-def]
    """A share of Euler's step."""
    y = y + share * h * rates(bodies, y, g)
    return y, find_gravity(bodies, y)


@pytest.mark.parametrize("switched_off", ["0", "1"])
def test_an_option_that_is_a_number_reaches_the_step_of_two_bodies(
    switched_off: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLHODE_PLAIN", switched_off)
    share = Parameter("share", Number(0.0, 1.0), "of the step that is made", default=0.5)
    partly = FixedStep.declare(
        key="PART", order=(1, 1), start=start, view=view, step=step, options=(share,)
    )
    made = [
        engine.simulate("dumbbells", partly, share=part, steps=1).v1 for part in (0.25, 0.5, 1.0)
    ]
    moved = [float(np.linalg.norm(v[1] - v[0])) for v in made]
    np.testing.assert_allclose(np.divide(moved, moved[2]), (0.25, 0.5, 1.0), rtol=0.05)


TORQUES = [
    p
    for p in (*engine.problems(), *PROBLEMS.values())
    if (f := p.action(p.dt).field).tangent and f.name != "free"
]


@pytest.mark.parametrize("problem", TORQUES, ids=lambda problem: problem.key)
@pytest.mark.parametrize("t", [0.0, 0.7])
def test_the_tangent_of_a_torque_is_that_of_its_differences(
    problem: engine.Problem, t: float
) -> None:
    field, numbers, *_ = problem.action(problem.dt)
    R = exp(Vec3(0.4, -0.7, 1.1))
    step = 1e-6
    declared = np.reshape([*field.tangent(t, R, Mat3(*np.eye(3).flat), numbers)], (3, 3))
    turned = (
        [[*field.torque(t, R @ exp(Vec3(*(h * e))), numbers)] for h in (step, -step)]
        for e in np.eye(3)
    )
    measured = [np.subtract(ahead, behind) / (2 * step) for ahead, behind in turned]
    np.testing.assert_allclose(
        declared, np.transpose(measured), rtol=1e-6, atol=1e-6 * np.abs(declared).max()
    )
