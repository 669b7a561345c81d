"""Gravity of two bodies, and the implicit equation of their rotations, against independent
computations.
"""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.algebra import Diag3, Mat3, Vec3, exp, vee
from engine.algorithms.two_bodies.implicit import (
    SOLVER,
    cayley_balance,
    momentum_after,
    nonstandard,
)
from engine.problems.two_bodies.attraction import between_dumbbells, between_masses

RNG = np.random.default_rng(20)
X = np.array([1.1, -0.4, 0.7])
TURN = np.array([0.4, -1.2, 0.3])


def attitude(turn):
    return np.array(list(exp(Vec3(*turn)))).reshape(3, 3)


def gravity_of(function, X, R, p):
    """U, U_X, M and the least distance."""
    g = function(Vec3(*X), Mat3(*R.ravel()), p)
    return g.U, np.array(list(g.U_X)), np.array(list(g.M)), np.sqrt(g.near)


def heap(n):
    return RNG.uniform(0.5, 2.0, n), RNG.uniform(-0.2, 0.2, (n, 3))


def numbers(G, *bodies):
    rows = [np.column_stack(body).ravel() for body in bodies]
    return [G, *(len(masses) for masses, _ in bodies), *np.concatenate(rows)]


FIRST = heap(5)
SECOND = heap(3)
CASES = {
    "dumbbells": (between_dumbbells, [0.3, 0.2, 0.35]),
    "masses": (between_masses, numbers(0.7, FIRST, SECOND)),
}


@pytest.mark.parametrize("function, p", CASES.values(), ids=CASES)
def test_force_and_moment_are_those_of_the_potential(function, p):
    """By central differences along X, and along turns of body 1 seen from body 2."""
    R = attitude(TURN)
    U, U_X, M, _ = gravity_of(function, X, R, p)
    d = 1e-5
    for i, e in enumerate(np.eye(3)):
        slope = (
            gravity_of(function, X + d * e, R, p)[0] - gravity_of(function, X - d * e, R, p)[0]
        ) / (2 * d)
        assert U_X[i] == pytest.approx(slope, abs=1e-9)
        turned = [gravity_of(function, X, attitude(s * d * e) @ R, p)[0] for s in (1, -1)]
        # dU = U_X·dX + M·θ for a turn of body 1 by θ
        assert M[i] == pytest.approx((turned[0] - turned[1]) / (2 * d), abs=1e-9)
    assert U < 0.0


def test_a_sum_over_all_pairs():
    R = attitude(TURN)
    U, U_X, M, near = gravity_of(*CASES["masses"][:1], X, R, CASES["masses"][1])
    (m1, r1) = FIRST
    (m2, r2) = SECOND
    d = X + (r1 @ R.T)[:, None] - r2[None]
    distance = np.linalg.norm(d, axis=-1)
    k = 0.7 * m1[:, None] * m2
    assert pytest.approx(-(k / distance).sum(), rel=1e-14) == U
    pulls = (k / distance**3)[..., None] * d
    np.testing.assert_allclose(U_X, pulls.sum(axis=(0, 1)), rtol=1e-13)
    np.testing.assert_allclose(M, np.cross(r1 @ R.T, pulls.sum(axis=1)).sum(axis=0), rtol=1e-12)
    assert near == pytest.approx(distance.min(), rel=1e-15)


def test_dumbbells_are_two_pairs_of_masses():
    ends = lambda length: (np.full(2, 1.0), np.array([[length, 0, 0], [-length, 0, 0]]))  # noqa: E731
    R = attitude(TURN)
    closed = gravity_of(between_dumbbells, X, R, [0.3, 0.2, 0.35])
    summed = gravity_of(between_masses, X, R, numbers(0.3, ends(0.2), ends(0.35)))
    for one, other in zip(closed, summed, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_the_problem_takes_the_closed_form_where_there_is_one():
    pair = engine.problem("dumbbells")
    assert pair.attraction.name == "dumbbells"
    across = engine.twobody.Masses(
        (0.75, 0.75), ((0, 0.125, 0), (0, -0.125, 0)), (0.0238, 0.0004, 0.0238)
    )
    assert pair.replace(body1=across).attraction.name == "masses"


class Counts:
    """Records a solver's work."""

    def __init__(self):
        self.iterations = 0
        self.solved = True

    def count_newton(self, iterations):
        self.iterations += iterations

    def not_found(self):
        self.solved = False

    def no_solution(self):
        self.solved = False


J, Π = Diag3(0.0004, 0.0238, 0.0238), Vec3(0.004, 0.119, 0.238)


@pytest.mark.parametrize("solver", SOLVER.choices.values(), ids=SOLVER.choices)
@pytest.mark.parametrize("h", [0.002, -0.002, 0.05])
def test_the_implicit_equation(solver, h):
    """F Jd − Jd Fᵀ = hat(h Π) to roundoff of h Π, a number of about 1e-4: 1e-15 of it would not do
    (P1).
    """
    counts = Counts()
    F = solver(counts, h, J.inv, Π)
    before = 2 * np.array(list(vee(F @ nonstandard(J))))  # the vector of F Jd − Jd Fᵀ
    hΠ = h * np.array(list(Π))
    roundoff = 4e-16 * max(J) / np.abs(hΠ).max()
    assert np.abs(before - hΠ).max() <= (2 * roundoff + 1e-15) * np.abs(hΠ).max()
    after = np.array(list(momentum_after(nonstandard(J), F)))
    np.testing.assert_allclose(after, np.array(list(F.T @ Vec3(*hΠ))), atol=4e-17)
    assert counts.solved and counts.iterations <= 5


def test_both_solvers_find_the_same_turn():
    by_exp, by_cayley = (
        np.array(list(solver(Counts(), 0.01, J.inv, Π))) for solver in SOLVER.choices.values()
    )
    assert np.abs(by_exp - by_cayley).max() <= 5e-16


@pytest.mark.parametrize("solver", SOLVER.choices.values(), ids=SOLVER.choices)
def test_a_turn_too_far_has_no_solution(solver):
    counts = Counts()
    F = solver(counts, 0.4, J.inv, Π)
    assert not counts.solved and np.isnan(list(F)).any()


@pytest.mark.parametrize(("length", "within"), [(0.999, True), (1.0, False), (3.0, False)])
def test_cayley_s_balance_ends_at_a_quarter_turn(length, within):
    """Otherwise Newton's method might find a rotation beyond it, which is not the step's."""
    residual, tangent = cayley_balance(Counts(), 1.0, Vec3(0.0, 0.6 * length, 0.8 * length), J, Π)
    assert np.isfinite([*residual, tangent.xx, tangent.yy, tangent.zz]).all() == within
    assert np.isnan([*residual, tangent.xx, tangent.yy, tangent.zz]).all() != within
