"""SciPy's `solve_ivp` with the lab's problems and methods."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import engine
from engine.scipy import Motion, Solver
from engine.simulation import to_quaternions

INERTIA = [[3.0, 0.4, 0.1], [0.4, 2.0, 0.2], [0.1, 0.2, 1.5]]


@engine.torque
def pulling(t, R):
    return np.sin(3 * t) * R[2, 0], 0.2 * R[2, 1], np.cos(t)


PROBLEMS = {
    "free": engine.problem("free"),
    "not in principal axes": engine.problem("free", J=INERTIA),
    "top": engine.problem("slow-top"),
    "torque of time": engine.Problem(J=INERTIA, Omega0=(0.3, 1.0, 0.2), torque=pulling),
}


@pytest.fixture(params=PROBLEMS)
def motion(request):
    return Motion(PROBLEMS[request.param])


def states_of(run, start):
    """The states of a run as `solve_ivp` has them: quaternions that begin at the same of the two
    signs, and Ω.
    """
    q = to_quaternions(run.R)
    return np.hstack([q * np.sign(q[0] @ start[:4]), run.Omega]).T


def test_scipy_s_solvers_follow_the_lab_s_motion(motion):
    solved = solve_ivp(motion, (0, 2), motion.start, method="DOP853", rtol=1e-11, atol=1e-12)
    fine = engine.simulate(motion.problem, "RKMK853", duration=2, samples=100, rtol=1e-12)
    np.testing.assert_allclose(
        solved.y[:, -1], states_of(fine, motion.start)[:, -1], rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("method", ["NMB", "ABAM", "RK-QUAT"])  # ABAM carries earlier steps
def test_a_solver_makes_the_steps_of_a_run(motion, method):
    solved = solve_ivp(motion, (0, 1), motion.start, method=Solver(method), dt=0.01)
    run = engine.simulate(motion.problem, method, dt=0.01, duration=1)
    assert solved.success and solved.nfev == run.cost.torque_evaluations
    np.testing.assert_allclose(solved.t, run.t, rtol=0, atol=1e-15)
    np.testing.assert_allclose(solved.y, states_of(run, motion.start), rtol=0, atol=1e-12)


def test_steps_are_equal_and_end_with_the_span():
    motion = Motion("slow-top")
    solved = solve_ivp(motion, (0, 1), motion.start, method=Solver("NMB"), dt=0.03)
    assert solved.t[-1] == 1 and len(solved.t) == 35
    np.testing.assert_allclose(np.diff(solved.t), 1 / 34)


def test_dense_output_is_of_order_four_and_finds_events(motion):
    """Halving the step divides the error between the steps by about 2⁴."""
    fine = solve_ivp(
        motion, (0, 2), motion.start, method="DOP853", rtol=1e-12, atol=1e-12, dense_output=True
    )
    t = np.linspace(0, 2, 777)
    errors = []
    for dt in (0.04, 0.02):
        solved = solve_ivp(
            motion, (0, 2), motion.start, method=Solver("RK-QUAT"), dt=dt, dense_output=True
        )
        errors.append(abs(solved.sol(t) - fine.sol(t)).max())
    assert 12 < errors[0] / errors[1] < 20
    middle = (fine.y[5].min() + fine.y[5].max()) / 2
    found, expected = (
        solve_ivp(
            motion, (0, 2), motion.start, method=one, events=lambda t, y: y[5] - middle, **options
        ).t_events[0]
        for one, options in (
            (Solver("RK-QUAT"), {"dt": 0.01}),
            ("DOP853", {"rtol": 1e-11, "atol": 1e-11}),
        )
    )
    assert len(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_a_start_of_the_caller_s_counts(motion):
    start = np.array([0.5, 0.5, -0.5, 0.5, 0.3, -0.2, 1.1])
    solved = solve_ivp(motion, (0, 1), start, method=Solver("RK-QUAT"), dt=0.001)
    fine = solve_ivp(motion, (0, 1), start, method="DOP853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(solved.y[:, -1], fine.y[:, -1], rtol=0, atol=1e-9)


def test_a_run_that_fails_ends_with_its_reason():
    def bursting(t, R):
        return (np.nan if t > 0.5 else 0.0), 0.0, 0.0

    motion = Motion(engine.Problem(J=(1, 2, 3), Omega0=(0.3, 1.0, 0.2), torque=bursting))
    solved = solve_ivp(motion, (0, 1), motion.start, method=Solver("NMB"), dt=0.01)
    assert solved.status == -1 and 0.4 < solved.t[-1] < 0.6
    assert solved.message == " ".join(
        engine.simulate(motion.problem, "NMB", dt=0.01, duration=1).messages
    )


@pytest.mark.parametrize("attempt, sentence", [
    (lambda: Solver("RK45"), "RK45 chooses its own steps, as SciPy's do; Solver is for steps of one size"),
    (
        lambda: solve_ivp(lambda t, y: y, (0, 1), np.ones(7), method=Solver("NMB")),
        r"NMB needs the problem: give solve_ivp a Motion, as Motion\('slow-top'\)",
    ),
    (
        lambda: solve_ivp(Motion("free"), (1, 2), np.ones(7), method=Solver("NMB")),
        "t_span must begin at 0 and end later",
    ),
    (lambda: Motion("two-bodies"), "two-bodies"),
    (lambda: Solver("NMX"), "there is no method 'NMX'"),
])  # fmt: skip
def test_errors_are_sentences(attempt, sentence):
    with pytest.raises(ValueError, match=sentence):
        attempt()
