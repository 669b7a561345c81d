"""RKMK853, RKMK54 and CF43: order, tolerance, dense output and bounds of the compiled pairs that
choose their steps.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from covering import covering, first
from scipy.integrate import RK45
from scipy.integrate._ivp import dop853_coefficients as hairer
from scipy.interpolate import BPoly
from scipy.spatial.transform import Rotation

import engine
from engine.algorithms.core.tableaux import PAIRS

METHODS = {"RKMK853": 8, "RKMK54": 5, "CF43": 4}
TOLERANCES = (1e-5, 1e-7, 1e-9, 1e-11)


def run(problem, method, tolerance, **how):
    return engine.simulate(problem, method, rtol=tolerance, atol=tolerance, **how)


def end_error(found, wanted):
    return Rotation.from_matrix(found.R[-1].T @ wanted.R[-1]).magnitude()


def slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


# ------------------------------------------------------------------------------------- coefficients


def test_the_pairs_are_those_of_the_authors_programs():
    eight = PAIRS["dop853"]
    five = PAIRS["dp5"]
    np.testing.assert_array_equal(eight.errors, [hairer.E5, hairer.E3])
    np.testing.assert_array_equal(eight.dense, hairer.D)
    for i, row in enumerate(eight.further.a, start=13):
        np.testing.assert_array_equal(row, hairer.A[i, :i])
    np.testing.assert_allclose(five.tableau.b, RK45.B, rtol=1e-15)
    for i, row in enumerate(five.tableau.a):
        np.testing.assert_allclose(row, RK45.A[i, :i], rtol=1e-15)
    np.testing.assert_allclose(np.abs(five.errors[0]), np.abs(RK45.E), rtol=1e-14)


def step_of_vectors(pair, f, y, h):
    """A step of a pair for plain vectors: the end, the estimates of the error, and the dense output
    at the middle.
    """
    K = []
    for row in (*pair.tableau.a, pair.tableau.b, *pair.further.a):
        K.append(f(y + h * sum((a * k for a, k in zip(row, K, strict=False)), 0 * y)))
    stages = len(pair.tableau.b)
    gain = h * sum(b * k for b, k in zip(pair.tableau.b, K, strict=False))
    errors = [h * sum(e * k for e, k in zip(row, K, strict=False)) for row in pair.errors]
    bend = h * K[0] - gain
    parts = [gain, bend, gain - h * K[stages] - bend]
    parts += [h * sum(d * k for d, k in zip(row, K, strict=True)) for row in pair.dense]
    middle = 0
    for part in reversed(parts):
        middle = 0.5 * (part + middle)
    return y + gain, errors, y + middle


@pytest.mark.parametrize(
    "key, orders", [("dop853", (9, (6, 4), 8)), ("dp5", (6, (5,), 5))], ids=["dop853", "dp5"]
)
def test_the_local_errors_have_their_orders(key, orders):
    """Of the end, of the estimates, and of the dense output, for Euler's equations."""

    def f(y):
        return np.array([-0.6 * y[1] * y[2], 0.7 * y[2] * y[0], -0.2 * y[0] * y[1]])

    pair = PAIRS[key]
    y = np.array([0.9, 1.7, -1.3])
    sizes = np.array([1.6, 0.8, 0.4]) if key == "dop853" else np.array([0.2, 0.1, 0.05])

    def flow(t):
        z = y
        for _ in range(64):
            z = step_of_vectors(PAIRS["dop853"], f, z, t / 64)[0]
        return z

    steps = [step_of_vectors(pair, f, y, h) for h in sizes]
    end = [np.linalg.norm(step[0] - flow(h)) for step, h in zip(steps, sizes, strict=True)]
    middle = [np.linalg.norm(step[2] - flow(h / 2)) for step, h in zip(steps, sizes, strict=True)]
    assert abs(slope(sizes, end) - orders[0]) < 0.5
    assert abs(slope(sizes, middle) - orders[2]) < 0.8
    for i, order in enumerate(orders[1]):
        assert abs(slope(sizes, [np.linalg.norm(step[1][i]) for step in steps]) - order) < 0.5


# ------------------------------------------------------------------------------------- tolerance
# and order


@pytest.mark.parametrize(
    "method, key",
    covering(
        [(m, key) for m in METHODS for key in ("free", "slow-top", "soft-wall", "magnet")],
        by=lambda method, key: (method,),
    ),
)
def test_the_error_is_proportional_to_the_tolerance(method, key):
    """From a thirtieth to 50 tolerances, over six orders of magnitude, and with the order of the
    method.
    """
    duration = 30.0 if key == "free" else 5.0
    exact = run(key, "RKMK853", 1e-13, duration=duration, samples=1)
    runs = [run(key, method, tolerance, duration=duration, samples=1) for tolerance in TOLERANCES]
    errors = [end_error(one, exact) for one in runs]
    for tolerance, error, one in zip(TOLERANCES, errors, runs, strict=True):
        assert one.status == "done" and tolerance / 30 < error < 50 * tolerance
    assert (
        -1.5 * METHODS[method]
        < slope([one.cost.steps for one in runs], errors)
        < -0.8 * METHODS[method]
    )
    # The controller sizes steps by the order of the estimate.
    assert abs(slope(TOLERANCES, [one.cost.steps for one in runs]) * METHODS[method] + 1) < 0.25


@engine.torque
def swing(t, R):
    return (3.0 * math.sin(4.0 * t), 2.0 * math.cos(7.0 * t), 1.0)


@engine.torque
def shake(t, R):
    return (0.0, 0.0, 10.0 * math.cos(200.0 * t))


@pytest.mark.parametrize(("method", "torque"), covering(product(METHODS, [swing, shake])))
def test_a_torque_of_the_time_alone_is_controlled(method, torque):
    """Also that of a body that hardly turns, whose turn shows nothing of it."""
    for spin in ((0.3, 1.5, 2.2), (0.0, 0.0, 0.01)):
        problem = engine.Problem(J=(1, 2, 2.5), Omega0=spin, torque=torque)
        exact = run(problem, "RKMK853", 1e-13, duration=5.0, samples=1)
        for tolerance in (1e-4, 1e-6, 1e-8):
            found = run(problem, method, tolerance, duration=5.0, samples=1)
            off = np.abs(found.Omega[-1] - exact.Omega[-1]).max()
            assert end_error(found, exact) < 150 * tolerance and off < 150 * tolerance


@pytest.mark.parametrize("method", first(list(METHODS)))
def test_scipy_comes_to_the_same_end(method):
    for key in ("free", "slow-top", "soft-wall"):
        other = run(key, "DOP853", 1e-12, duration=4.0, samples=16)
        own = run(key, method, 1e-12, duration=4.0, samples=16)
        np.testing.assert_allclose(own.R, other.R, atol=3e-10)
        np.testing.assert_allclose(own.Omega, other.Omega, atol=3e-8)


# ------------------------------------------------------------------------------------- an
# independent transcription


def hat(v):
    return np.cross(np.eye(3), v)


def exponential(v):
    return Rotation.from_rotvec(v).as_matrix()


def dexpinv(v, w):
    """dexp⁻¹ of the right-trivialised tangent, by its matrix."""
    angle = np.linalg.norm(v)
    V = hat(v)
    factor = 1 / 12 if angle < 1e-4 else (1 - angle / 2 / math.tan(angle / 2)) / angle**2
    return w - V @ w / 2 + factor * V @ V @ w


def forced_rates(J, t, R, Pi, gain, torque):
    """RKMK: the rates of the rotation vector, and of impulse in the frame at the start."""
    E = exponential(gain[:3])
    Omega = E.T @ (Pi + gain[3:]) / J
    return np.concatenate([dexpinv(-gain[:3], Omega), E @ torque(t, R @ E)])


def forced_end(J, Pi, gain):
    E = exponential(gain[:3])
    return E, E.T @ (Pi + gain[3:])


def free_rates(J, t, R, Pi, gain, torque):
    """The rates of the angle about the momentum, and of the velocity, by Euler's equations."""
    Omega = Pi / J + gain[3:]
    n, n0 = (v / np.linalg.norm(v) for v in (J * Omega, Pi))
    return np.concatenate([[Omega @ (n + n0) / (1 + n @ n0), 0, 0], np.cross(J * Omega, Omega) / J])


def free_end(J, Pi, gain):
    n, n0 = (v / np.linalg.norm(v) for v in (Pi + J * gain[3:], Pi))
    K = hat(np.cross(n, n0))
    least = np.eye(3) + K + K @ K / (1 + n @ n0)
    return exponential(gain[0] * n0) @ least, n * np.linalg.norm(Pi)


def attempt_rkmk853(J, t, h, R, Pi, torque):
    """A step with SciPy's coefficients: its turn, the momentum after it, its angle, the errors of
    turn and speed.
    """
    free = torque is no_torque
    rates, finish = (free_rates, free_end) if free else (forced_rates, forced_end)
    K = np.zeros((12, 6))
    for i in range(12):
        K[i] = rates(J, t + hairer.C[i] * h, R, Pi, h * hairer.A[i, :i] @ K[:i], torque)
    gain = h * hairer.B @ K
    E, end = finish(J, Pi, gain)
    errors = []
    for weights in (hairer.E5, hairer.E3):
        turn, push = np.split(h * weights[:12] @ K, 2)
        errors.append((turn, push if free else E.T @ push / J))
    return E, end, np.linalg.norm(gain[:3]), errors


def solve_cf43(J, t, h, R, Pi, torque):
    """Both solutions of CF43 as turns and momenta, the angle, and the difference as the controller
    takes it.
    """

    def stage(t, E, P):
        return h * (E.T @ P / J), h * (E @ torque(t, R @ E))

    (k1, l1) = stage(t, np.eye(3), Pi)
    half = t + h / 2
    k2, l2 = stage(half, exponential(k1 / 2), Pi + l1 / 2)
    k3, l3 = stage(half, exponential(k2 / 2), Pi + l2 / 2)
    k4, l4 = stage(t + h, exponential(k1 / 2) @ exponential(k3 - k1 / 2), Pi + l3)

    def finish(k, push):
        a, b = k1 / 4 + (k2 + k3) / 6 - k / 12, -k1 / 12 + (k2 + k3) / 6 + k / 4
        E, P = exponential(a) @ exponential(b), Pi + (l1 + 2 * l2 + 2 * l3 + push) / 6
        return E, P, np.linalg.norm(a) + np.linalg.norm(b)

    E, P, angle = finish(k4, l4)
    k5, l5 = stage(t + h, E, P)
    other, Q, _ = finish(k5, l5)
    turn = (k4 - k5) / 6
    push = (l4 - l5) / 6
    if torque is not no_torque:
        defect = defect_of_impulse(t, h, Pi, E, P, (k1, l1), (k5, l5), stage)
        push = push + defect
        Q = Q - defect
    return (E, E.T @ P), (other, other.T @ Q), angle, turn, push


def defect_of_impulse(t, h, Pi, E, P, first, last, stage):
    """h times the torque at Gauss's point less the derivative of the cubic polynomial there."""
    (k1, l1) = first
    (k5, l5) = last
    c = 0.5 - math.sqrt(3) / 6
    turn = Rotation.from_matrix(E).as_rotvec()
    begin = np.concatenate([k1, l1])
    end = np.concatenate([dexpinv(-turn, k5), l5])
    cubic = BPoly.from_derivatives(
        [0, 1], [[np.zeros(6), begin], [np.concatenate([turn, P - Pi]), end]]
    )
    turn, push = np.split(cubic(c), 2)
    return stage(t + c * h, exponential(turn), Pi + push)[1] - cubic.derivative()(c)[3:]


def attempt_cf43(J, t, h, R, Pi, torque):
    """A step of CF43, as `attempt_rkmk853` gives it."""
    (E, end), _, angle, turn, push = solve_cf43(J, t, h, R, Pi, torque)
    return E, end, angle, [(turn, E.T @ push / J)]


def transcription(attempt, order, problem, torque, duration, tolerance):
    """A pair from its description, with matrices: the end, and the number of steps."""
    J = np.diag(problem.J)
    R = problem.R0
    Pi = J * problem.Omega0
    t = 0.0
    steps = 0
    Omega = Pi / J
    change = (np.cross(Pi, Omega) + torque(0.0, R)) / J
    size = (
        2
        * (2 * tolerance) ** (1 / order)
        / (np.linalg.norm(Omega) + math.sqrt(np.linalg.norm(change)))
    )
    while t < duration:
        left = duration - t
        h = left if 0.99 * left < size else size
        E, end, angle, errors = attempt(J, t, h, R, Pi, torque)
        speed = max(np.linalg.norm(Pi / J), np.linalg.norm(end / J))
        squares = [
            turn @ turn / (2 * tolerance) ** 2 + off @ off / (tolerance * (1 + speed)) ** 2
            for turn, off in errors
        ]
        error = math.sqrt(squares[0])
        if len(squares) == 2:
            error = squares[0] / math.sqrt(squares[0] + 0.01 * squares[1])
        again = h / min(max(error ** (1 / order) / 0.8, 1 / 6, angle / 2.4), 3.0)
        if error <= 1 and angle <= 3:
            R = R @ E
            Pi = end
            t = t + h
            steps = steps + 1
            again = max(again, size) if h < size else again
        size = again
    return R, Pi, steps


def no_torque(t, R):
    return np.zeros(3)


def pull_in_body(t, R):
    return R.T @ (3.0 * R[1, 2], -3.0 * R[0, 2], 0.2 * t)


@engine.torque
def pull(t, R):
    return (3.0 * R[1, 2], -3.0 * R[0, 2], 0.2 * t)


FORCED = engine.Problem(J=(1, 2, 2.5), R0=(0.3, 0.4, -0.2), Omega0=(0.3, 1.5, 2.2), torque=pull)


@pytest.mark.parametrize(
    "method, attempt, tight", [("RKMK853", attempt_rkmk853, 1e-10), ("CF43", attempt_cf43, 1e-8)]
)
def test_a_transcription_agrees(method, attempt, tight):
    for problem, torque in ((engine.problem("free"), no_torque), (FORCED, pull_in_body)):
        for tolerance in (1e-6, tight):
            own = run(problem, method, tolerance, duration=3.0, samples=1)
            R, Pi, steps = transcription(attempt, METHODS[method], problem, torque, 3.0, tolerance)
            assert own.cost.steps == steps
            np.testing.assert_allclose(own.R[-1], R, atol=1e-11)
            np.testing.assert_allclose(own.Pi[-1], Pi, atol=1e-10)


def test_the_commutator_free_solutions_have_orders_four_and_three():
    """In one step, of turn and of momentum; (K₄ − K₅)/6 is the logarithm of their quotient to two
    orders more.
    """
    J = np.diag(FORCED.J)
    sizes = np.array([0.2, 0.1, 0.05])
    differences = []
    for h in sizes:
        exact = run(FORCED, "RKMK853", 3e-14, duration=h, samples=1)
        *both, _, turn, push = solve_cf43(J, 0.0, h, FORCED.R0, J * FORCED.Omega0, pull_in_body)
        row = []
        for E, Pi in both:
            off = Rotation.from_matrix((FORCED.R0 @ E).T @ exact.R[-1])
            row += [off.magnitude(), np.linalg.norm(Pi - exact.Pi[-1])]
        (E, Pi), (other, _) = both
        apart = Rotation.from_matrix(other.T @ E).as_rotvec()
        differences.append(
            [*row, np.linalg.norm(turn), np.linalg.norm(push), np.linalg.norm(apart - turn)]
        )
    orders = [slope(sizes, column) for column in np.transpose(differences)]
    np.testing.assert_allclose(orders, [5, 5, 4, 4, 4, 4, 6], atol=0.35)


# ------------------------------------------------------------------------------------- rows, cost
# and extrema


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("key", first(["slow-top", "free"]))
def test_rows_do_not_change_the_steps(method, key):
    """Rows within a step come from the dense output, and are as accurate as the ends of steps."""
    one, many = (run(key, method, 1e-8, duration=4.0, samples=n) for n in (1, 1024))
    np.testing.assert_array_equal(many.R[-1], one.R[-1])
    np.testing.assert_array_equal(many.Omega[-1], one.Omega[-1])
    assert many.cost.steps == one.cost.steps < 1000
    exact = run(key, "RKMK853", 1e-13, duration=4.0, samples=1024)
    errors = np.abs(many.R - exact.R).max(axis=(1, 2))
    assert errors.max() < 10 * max(errors[-1], 1e-8)
    assert many.orthogonality.max() < 1e-13
    moved = np.abs(many.pi - many.pi[0]).max() if key == "free" else np.ptp(many.pi[:, 2])
    assert moved < 1e-12 * np.abs(many.pi).max()


@pytest.mark.parametrize("method", first(list(METHODS)))
def test_own_steps_count_for_the_extrema(method):
    coarse, fine = (run("slow-top", method, 1e-9, duration=4.0, samples=n) for n in (1, 2048))
    low, high, _ = coarse.extrema["casimir"]
    assert len(coarse) == 2 and high - low > 0.9 * np.ptp(fine.observed["casimir"]) > 10 * np.ptp(
        coarse.observed["casimir"]
    )


def test_the_cost_counts_steps_made_in_vain(tmp_path):
    found = run("soft-wall", "RKMK853", 1e-8, duration=5.0, samples=1)
    cost = found.cost
    assert cost.steps > 10 and cost.rejected_steps > 3
    assert cost.torque_evaluations == 12 * (cost.steps + cost.rejected_steps) + 1
    assert engine.load(found.save(tmp_path / "run.npz")).cost == cost


# ------------------------------------------------------------------------------------- ends


def test_the_torque_is_not_called_beyond_the_end():
    latest = 0.0

    def torque(t, R):
        nonlocal latest
        latest = max(latest, t)
        return (0.1, 0.2 * R[0, 1], 0.0)

    done = run(
        engine.Problem(J=(1, 2, 2.5), Omega0=(0.3, 1, 0.2), torque=torque),
        "RKMK853",
        1e-6,
        duration=3.0,
        samples=7,
    )
    assert done.status == "done" and latest == 3.0


def test_a_body_at_rest_stays_there():
    still = run(
        engine.Problem(J=(1, 2, 2.5), Omega0=(0, 0, 0)), "RKMK853", 1e-6, duration=1000.0, samples=4
    )
    assert still.status == "done" and still.cost.steps < 10
    np.testing.assert_array_equal(still.R, np.broadcast_to(np.eye(3), (5, 3, 3)))


@pytest.mark.parametrize("method", first(list(METHODS)))
def test_what_cannot_be_met_ends_with_a_reason(method):
    """A torque that jumps everywhere leaves an error in the smallest step."""

    @engine.torque
    def noise(t, R):
        return (0.0, 1e6 * math.sin(1e30 * t + 1e20 * R[0, 0]), 1.0)

    rough = run(engine.Problem(J=(1, 2, 2.5), torque=noise), method, 1e-12, duration=1.0, samples=3)
    assert rough.status == "no-solution" and len(rough) < 4
    assert f"{rough.method.short} does not reach the row after t = " in rough.message
    assert "larger tolerance" in rough.message and np.isfinite(rough.R).all()


def test_steps_between_two_rows_are_bounded():
    few = run("free", "RKMK54", 1e-12, duration=6000.0, samples=1)
    assert few.status == "no-solution" and few.cost.steps == 100_001 and len(few) == 1
    assert "too many" in few.message and "more samples" in few.message
    assert run("free", "RKMK54", 1e-12, duration=6000.0, samples=20).status == "done"


@pytest.mark.parametrize("method", first(list(METHODS)))
def test_the_book_s_jumps_are_stepped_on(method):
    scipy, own = (run("book-toss", m, 1e-11, duration=3.0, samples=10) for m in ("DOP853", method))
    np.testing.assert_allclose(own.R, scipy.R, atol=1e-7)
    assert (
        own.cost.rejected_steps < 20
    )  # a step across a jump, or one with the wrong torque, is rejected many times
    late = engine.problem(
        "book-toss", td=2.5
    )  # at the end of a run, only the torque before the jump acts
    scipy, own = (run(late, m, 1e-11, duration=2.5, samples=3) for m in ("DOP853", method))
    np.testing.assert_allclose(own.Omega[-1], scipy.Omega[-1], atol=1e-9)
    assert own.cost.rejected_steps < 10


@pytest.mark.parametrize("method", first(list(METHODS)))
def test_a_torque_that_fails_ends_the_run(method):
    def torque(t, R):
        if t > 1.0:
            raise RuntimeError("enough")
        return (0.1, 0.0, 0.2)

    failed = engine.simulate(engine.Problem(torque=torque), method, duration=3.0)
    assert failed.status == "diverged" and "enough" in failed.message
    assert 0.5 < failed.t[-1] <= 1.0 and np.isfinite(failed.R).all()
