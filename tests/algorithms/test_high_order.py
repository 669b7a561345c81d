"""Methods of order six to ten: order, coefficients, and the effect of the coordinates of DMV's
solver.
"""

from __future__ import annotations

import functools
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from covering import first
from scipy import optimize
from scipy.integrate import DOP853

import engine
from engine.algebra import Diag3, Vec3, dot
from engine.algorithms import preprocessed
from engine.algorithms.core.tableaux import CROUCH_GROSSMAN, LOW_STORAGE, TABLEAUX
from engine.algorithms.dmv import cayley_turn
from engine.kernels.layout import INERTIA, LEDGER, PARAMETERS
from engine.kernels.one_body import BodyInField
from engine.problems.field import FREE

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.peers import END, attitude_error

ORDER_TO = {
    6: preprocessed.correct_to_order6,
    8: preprocessed.correct_to_order8,
    10: preprocessed.correct_to_order10,
}


def slope(steps, errors, floor=3e-13):
    """Return the slope of log error by log step, over at least four points above roundoff."""
    points = [(h, e) for h, e in zip(steps, errors, strict=True) if e > floor]
    assert len(points) >= 4, "too few points above roundoff"
    return np.polyfit(*np.log(points).T, 1)[0]


@functools.cache
def reference(key, duration):
    """Return the final state by a method of order eight on the group, accurate to roundoff."""
    run = engine.simulate(key, "RKMK(tableau=dop853)", dt=duration / 1000, steps=1000, samples=1)
    return run.R[-1], run.Pi[-1]


@pytest.mark.parametrize("key, duration, steps", first([
    ("free", 8.0, (4, 5, 6, 7, 8)),
    ("slow-top", 2.0, (16, 20, 24, 28, 32)),
    ("asymmetric-top", 5.0, (40, 48, 56, 64, 72)),
]))  # fmt: skip
@pytest.mark.parametrize("method", ["RK-QUAT", "RK-QUAT(renormalise=yes)", "RKMK(tableau=dop853)"])
def test_the_tableau_of_order_eight(method, key, duration, steps):
    R, Pi = reference(key, duration)
    runs = [engine.simulate(key, method, dt=duration / n, steps=n, samples=1) for n in steps]
    dt = [duration / n for n in steps]
    # On the asymmetric top the terms of h⁹ are the larger ones still where roundoff begins.
    assert 7.6 < slope(dt, [np.linalg.norm(run.R[-1] - R, 2) for run in runs]) < 8.9
    assert 7.6 < slope(dt, [np.linalg.norm(run.Pi[-1] - Pi) for run in runs]) < 8.9
    assert engine.algorithm(method).order == (8, 8)


@pytest.mark.exhaustive
def test_the_references_of_two_codes_agree():
    """On coordinates and on the group."""
    for key, duration in (("free", 8.0), ("slow-top", 2.0), ("asymmetric-top", 5.0)):
        R, Pi = reference(key, duration)
        run = engine.simulate(key, "RK-QUAT", dt=duration / 1000, steps=1000, samples=1)
        assert np.abs(run.R[-1] - R).max() <= 1e-13 and np.abs(run.Pi[-1] - Pi).max() <= 1e-12


@pytest.mark.parametrize("order", ORDER_TO)
def test_pdmv_s_order_on_the_free_body(order):
    """Against the state at t = 100 in fifty digits."""
    steps = {
        6: (300, 400, 500, 600, 800),
        8: (200, 240, 280, 320, 400),
        10: (140, 160, 180, 200, 220),
    }[order]
    m = engine.algorithm("PDMV", order=order)
    runs = [engine.simulate("free", m, dt=END / n, steps=n, samples=1) for n in steps]
    errors = [attitude_error(run.R[-1]) for run in runs]
    assert slope([END / n for n in steps], errors, floor=1e-11) == pytest.approx(order, abs=0.3)
    assert m.promises.free_order == (order, order)


@pytest.mark.parametrize("order, n", first([(6, 200), (8, 100), (10, 50)]))
def test_pdmv_is_of_second_order_with_a_torque(order, n):
    """The kicks make it so."""
    coarse, fine = (
        np.abs(engine.simulate("slow-top", f"PDMV(order={order})", dt=2.0 / k, steps=k, samples=1).R[-1]
               - reference("slow-top", 2.0)[0]).max()
        for k in (n, 2 * n)
    )  # fmt: skip
    assert math.log2(coarse / fine) == pytest.approx(2, abs=0.1)


def prepared(J, Π, h, order):
    parameters = np.zeros(PARAMETERS)
    parameters[INERTIA : INERTIA + 3] = J
    body = BodyInField(parameters, np.zeros(LEDGER, dtype=np.int64), FREE)
    return body, *preprocessed.prepare(body, h, Π, ORDER_TO[order])


@pytest.mark.parametrize("J", [(0.9, 1.1, 1.7), (1.0, 1.0, 1.6), (1.0, 1.0, 1.0)])
@pytest.mark.parametrize("order", ORDER_TO)
@pytest.mark.parametrize("axis", range(3))
def test_pdmv_turns_a_spin_and_its_nutation_as_the_body_does(order, axis, J):
    """sin θ = h X |Π| has θ = h |Ω|, and tan(ν/2) = r tan(θ/2) has ν = h |Ω| (1 − Jₐ/J_b)^½ (1 −
    Jₐ/J_c)^½.
    """
    h, p = 0.8, 0.7
    Π = Vec3(*(p if i == axis else 0.0 for i in range(3)))
    (_, X, _) = prepared(J, Π, h, order)
    x = 1 / np.array(J)
    X = np.array(list(X))
    others = [i for i in range(3) if i != axis]
    θ = math.asin(h * X[axis] * p)
    remainder = 3 * (h * max(x) * p) ** (order + 1) / math.factorial(order + 1)
    assert abs(θ - h * x[axis] * p) <= remainder
    squares = [(d[axis] - d[others[0]]) * (d[axis] - d[others[1]]) for d in (X, x)]
    assert squares[0] * squares[1] >= 0
    if squares[1] > 0:
        ν = 2 * math.atan(math.sqrt(squares[0]) / X[axis] * math.tan(θ / 2))
        assert abs(ν - h * p * math.sqrt(squares[1])) <= remainder
    elif squares[1] < 0:  # the unstable axis: the perturbation grows
        ν = 2 * math.atanh(math.sqrt(-squares[0]) / X[axis] * math.tan(θ / 2))
        assert abs(ν - h * p * math.sqrt(-squares[1])) <= remainder


def test_a_turn_of_the_cayley_coordinates_solves_the_equation_of_moser_and_veselov():
    Π, h, J = Vec3(0.3, -0.5, 0.4), 0.9, np.diag([0.9, 1.1, 1.7])
    body, X, c = prepared(np.diag(J), Π, h, 10)
    E = np.array(list(cayley_turn(body, h, X, Π, c))).reshape(3, 3)
    J = np.diag(1 / np.array(list(X)))
    Jd = np.trace(J) / 2 * np.eye(3) - J
    M = E @ Jd - Jd @ E.T
    np.testing.assert_allclose([M[2, 1], M[0, 2], M[1, 0]], h * np.array(list(Π)), atol=1e-15)
    assert c > 0 and h * h / 4 * dot(Π, Diag3(*X) @ Π) == pytest.approx(c, rel=0.2)


def test_a_preparation_that_is_kept_is_as_good_as_a_new_one():
    """Without a torque nothing is prepared again; even a tiny torque requires it in every step."""

    def gusts(least):
        def torque(t, R):
            return (0.0, 0.0, 0.3 if t % 5.0 < 1.0 else least)

        return engine.Problem(J=(0.9, 1.1, 1.7), Omega0=(0.4, 0.8, 0.1), torque=torque)

    kept, anew = (
        engine.simulate(gusts(least), "PDMV", dt=0.1, steps=200) for least in (0.0, 1e-14)
    )
    np.testing.assert_allclose(kept.R, anew.R, atol=1e-12)
    assert kept.cost.newton_iterations < 0.4 * anew.cost.newton_iterations


def test_dop853_is_that_of_hairer_norsett_and_wanner():
    tableau = TABLEAUX["dop853"]
    A = np.zeros((12, 12))
    for i, row in enumerate(tableau.a):
        A[i, :i] = row
    np.testing.assert_array_equal(A, DOP853.A)
    np.testing.assert_array_equal(tableau.b, DOP853.B)


def trees(nodes, largest=None):
    """Forests of rooted trees with so many nodes together; a tree is the tuple of its branches, the
    largest first.
    """
    if nodes == 0:
        yield ()
    for size in range(1, nodes + 1):
        for tree in trees(size - 1):
            if largest is None or (size, tree) <= largest:
                yield from ((tree, *others) for others in trees(nodes - size, (size, tree)))


def count(tree):
    return 1 + sum(map(count, tree))


def density(tree):
    return count(tree) * np.prod([density(branch) for branch in tree], dtype=int)


def differentiate(tree, a):
    """The derivative that a tree stands for, at each stage."""
    return np.prod([a @ differentiate(branch, a) for branch in tree] or [np.ones(len(a))], axis=0)


def find_largest_defect(a, b, order):
    """Of Butcher's conditions up to an order."""
    return max(
        abs(b @ differentiate(t, a) - 1 / density(t)) for n in range(order) for t in trees(n)
    )


def test_the_number_of_conditions():
    assert [len(list(trees(n))) for n in range(8)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize("name", TABLEAUX | CROUCH_GROSSMAN | LOW_STORAGE)
def test_a_tableau_meets_the_conditions_of_its_order_and_not_of_the_next(name):
    tableau = (TABLEAUX | CROUCH_GROSSMAN | LOW_STORAGE)[name]
    if name in LOW_STORAGE:
        a, b = write_out(tableau.A, tableau.B)
    else:
        a, b = (
            np.array([np.pad(row, (0, len(tableau.b) - len(row))) for row in tableau.a]),
            np.array(tableau.b),
        )
    np.testing.assert_allclose(a.sum(axis=1), tableau.c, rtol=0, atol=2e-13)
    assert find_largest_defect(a, b, tableau.order) < 2e-12
    assert find_largest_defect(a, b, tableau.order + 1) > 1e-5


def write_out(A, B):
    """a and b of a scheme in Williamson's form: the weights of the slopes in Y before each stage,
    and at the end.
    """
    Y = ΔY = np.zeros(len(A))
    rows = []
    for Ai, Bi, new in zip(A, B, np.eye(len(A)), strict=True):
        rows.append(Y)
        ΔY = Ai * ΔY + new
        Y = Y + Bi * ΔY
    return np.array(rows), Y


def find_ralston_s_bound(A, B):
    """Of the error of order four, for one equation whose derivatives are bounded, and the defects
    of order three.
    """
    a, b = write_out(A, B)
    c = a.sum(axis=1)
    c1, c2 = b @ c**3 / 6 - 1 / 24, b @ a @ c**2 / 2 - 1 / 24
    c3, c4 = (b * c) @ a @ c - 1 / 8, b @ a @ a @ c - 1 / 24
    bound = 8 * abs(c1) + abs(c2) + abs(2 * c2 + c3) + abs(c2 + c3) + abs(c3) + 2 * abs(c4)
    return bound, [b.sum() - 1, b @ c - 1 / 2, b @ c**2 - 1 / 3, b @ a @ c - 1 / 6]


def test_williamson_s_scheme_with_ralston_s_bound_has_the_smallest():
    best = LOW_STORAGE["ralston"]

    def bound_at(B1):
        """On the curve of the schemes of order three."""
        found = optimize.root(
            lambda x: find_ralston_s_bound((0, *x[:2]), (B1, *x[2:]))[1],
            (*best.A[1:], *best.B[1:]),
            tol=1e-14,
        )
        return find_ralston_s_bound((0, *found.x[:2]), (B1, *found.x[2:]))[0]

    bounds = [bound_at(best.B[0] + δ) for δ in (-1e-2, -1e-4, 0, 1e-4, 1e-2)]
    assert np.argmin(bounds) == 2
    assert all(
        find_ralston_s_bound(LOW_STORAGE[k].A, LOW_STORAGE[k].B)[0] > bounds[2]
        for k in ("luscher", "williamson")
    )


def test_the_quaternion_with_kutta_s_tableau_is_rk4_quat():
    one, other = (
        engine.simulate("slow-top", m, dt=0.01, steps=200)
        for m in ("RK-QUAT(tableau=rk4)", "RK4-QUAT")
    )
    np.testing.assert_allclose(one.R, other.R, atol=1e-12)
    assert one.cost.torque_evaluations == other.cost.torque_evaluations


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "key, dt", [("free", 0.5), ("free", 1.05), ("book-toss", 0.05), ("asymmetric-top", 0.1)]
)
def test_the_solvers_of_dmv_are_one_method(key, dt):
    exp, cayley, quaternion = (
        engine.simulate(key, f"DMV(solver={s})", dt=dt, steps=100)
        for s in ("exp", "cayley", "quaternion")
    )
    for run in (cayley, quaternion):
        assert np.abs(run.R - exp.R).max() <= 2e-11
        assert np.abs(run.Pi - exp.Pi).max() <= 2e-11 * max(1.0, np.abs(exp.Pi).max())
    assert cayley.cost.newton_iterations <= exp.cost.newton_iterations


@pytest.mark.parametrize("solver", ["exp", "cayley", "quaternion"])
def test_the_largest_step_of_dmv_is_that_of_the_equation(solver):
    """A spin has a solution up to h |Ω| = 1, where sin θ = 1, in whatever coordinates."""
    spin = engine.Problem(J=(1.0, 2.0, 2.5), Omega0=(0.0, 0.0, 0.5))
    assert engine.simulate(spin, f"DMV(solver={solver})", dt=1.999, steps=10).status == "done"
    run = engine.simulate(spin, f"DMV(solver={solver})", dt=2.001, steps=10)
    assert run.status == "no-solution" and run.failed_step == 1
