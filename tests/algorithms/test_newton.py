"""Steps at which Newton's method fails from its start value: path following finds the solution.

`tests/data/large_steps.json` has runs of free bodies that Newton's method alone ends at
`failed_step`. SciPy's `root`, by "hybr" and "lm" from 62 starts, finds a root of that step's
equation where `root` is true, and else none.
"""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from covering import first
from scipy import optimize

import engine
from engine.algebra import Mat3, Vec3
from engine.algorithms import FixedStep
from engine.algorithms.core.newton import follow_path, newton, newton_for_stages
from engine.algorithms.dmv import exp_balance
from engine.algorithms.kick_free_kick import drift_balance, lie_midpoint_balance
from engine.algorithms.momentum_trapezoid import algebra_balance
from engine.kernels.layout import LEDGER, NOT_FOUND, PARAMETERS, UNSOLVED
from engine.kernels.one_body import BodyInField
from engine.problems.field import FREE

CASES = json.loads((Path(__file__).parents[1] / "data" / "large_steps.json").read_text())


def body_of(J):
    return BodyInField([*J, *[0.0] * (PARAMETERS - 3)], np.zeros(LEDGER, dtype=np.int64), FREE)


def array(v):
    return np.array(list(v))


def case_id(case):
    return f"{case['method']}-{case['dt']:g}"


@pytest.mark.parametrize("case", first(CASES, 4), ids=case_id)
def test_a_run_goes_on_where_the_step_has_a_solution(case):
    body = engine.Problem(J=case["J"], Omega0=case["Omega0"])
    run = engine.simulate(body, case["method"], dt=case["dt"], steps=case["failed_step"])
    if not case["root"]:
        assert (run.status, run.failed_step) == ("no-solution", case["failed_step"])
        assert "has no solution in step" in run.message and "turns the body too far" in run.message
        return
    assert run.status == "done" and not run.message
    declared = engine.algorithm(case["method"]).conserves
    for quantity in ("energy", "pi_norm"):  # of the last step in particular
        if declared.get(quantity) in ("always", "free", "tops"):
            values = run.energy if quantity == "energy" else run.observed[quantity]
            assert abs(values[-1] / values[0] - 1) <= 1e-11, quantity


def test_the_case_of_each_method():
    """Every method that solves an equation has a case, if Newton's method alone can fail."""
    met = {case["method"] for case in CASES}
    solving = {m.key for m in engine.algorithms() if isinstance(m, FixedStep) and m.implicit} | {
        "NMB",
        "ELN",
    }
    never_failed = {"VLV"}
    same_equation_as_dmv = {"MLEOK", "DMV4", "PDMV4", "PDMV"}
    same_equation_as_nmb = {"MIDPOINT-HELD", "HALVES", "OMELYAN", "BLIEDF"}
    in_parts = {"GAUSS"}
    assert met == solving - never_failed - same_equation_as_dmv - same_equation_as_nmb - in_parts


def turning_torque(t, R):
    """A torque in space that depends on the time and on all of the attitude."""
    return 3 * np.cross(R[:, 0] + 0.3 * t * R[:, 1], (0.4, R[0, 0], 1.0))


def braking_torque(t, R, Omega):
    """The same with friction that grows with the square of the velocity."""
    return turning_torque(t, R) - 0.2 * R @ (Omega * np.abs(Omega))


OBLIQUE = {"J": [[2, 0.2, 0], [0.2, 3, 0.1], [0, 0.1, 4]], "Omega0": (0.5, 1, 2)}
MOTIONS = {
    "free": engine.Problem(J=(1, 2, 2.5), Omega0=(0.5, 1, 2)),
    "top": engine.problem("lagrange-top", Omega0=(0.3, 0.4, 1)),
    "torque": engine.Problem(**OBLIQUE, torque=turning_torque),
    "friction": engine.Problem(**OBLIQUE, torque=braking_torque),
}
SOLVERS = [
    method.key
    for method in engine.algorithms()
    if isinstance(method, FixedStep) and method.space == "so3" and method.implicit
]
SOLVERS += ["NMB", "VERLET-QUAT", "GAUSS(stages=1)", "GAUSS(stages=3)", "VLV(map=exp)"]
SOLVERS += ["AKW(torque=half)", "SQ-M(turns=three)", "DMV(solver=quaternion)"]
SOLVES = {solver.__name__: solver for solver in (newton, newton_for_stages)}


def replace_solvers(monkeypatch, see):
    """Call `see` with each equation that plain Python solves, its start value and the solution.

    The equation is a function of the components, which returns the residuals and their derivative.
    """
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    for module in [m for name, m in sys.modules.items() if name.startswith("engine.algorithms.")]:
        for name, solver in SOLVES.items():
            if vars(module).get(name) is solver:
                monkeypatch.setattr(module, name, functools.partial(look_on, see, solver))


def look_on(see, solver, body, h, balance, x, *rest):
    one = isinstance(x, Vec3)

    def solve(v):
        parts = tuple(Vec3(*part) for part in np.reshape(v, (-1, 3)).tolist())
        F, A = balance(body, h, parts[0] if one else parts, *rest)
        rows = ((A,),) if one else A
        blocks = [[np.reshape(list(block), (3, 3)) for block in row] for row in rows]
        return np.ravel([array(f) for f in ((F,) if one else F)]), np.block(blocks)

    found = solver(body, h, balance, x, *rest)
    see(solve, *(np.ravel([array(v) for v in ((y,) if one else y)]) for y in (x, found)))
    return found


@pytest.mark.parametrize("method", SOLVERS)
def test_the_derivative_is_that_of_the_equation(method, monkeypatch):
    """For each torque, in small steps and in large ones, at the start value and at the solution."""
    worst = []

    def compare(equation, *places):
        for x in places:
            size = 1e-5 * np.abs(x).max()
            rows = [equation(x + size * e)[0] - equation(x - size * e)[0] for e in np.eye(len(x))]
            expected = np.transpose(rows) / (2 * size)
            worst.append(np.abs(equation(x)[1] - expected).max() / np.abs(expected).max())

    replace_solvers(monkeypatch, compare)
    for name, body in MOTIONS.items():
        if name != "friction" or engine.algorithm(method).promises.torque_of_velocity:
            for dt in (0.05, 0.9):
                engine.simulate(body, method, dt=dt, steps=1)
    assert worst or method in ("PDMV", "PDMV4")  # which solve one scalar equation
    assert max(worst, default=0.0) <= 2e-6


LARGE = [("lagrange-top", 0.4), ("lagrange-top", 1.0), ("slow-top", 0.5), ("slow-top", 1.0),
         ("asymmetric-top", 1.0), ("fast-top", 0.2), ("free", 3.0)]  # fmt: skip


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize(("key", "dt"), first(LARGE, 2))
def test_gauss_goes_on_in_large_steps(key, dt, stages):
    run = engine.simulate(key, f"GAUSS(stages={stages})", dt=dt, steps=40)
    assert run.status == "done", run.message
    assert np.abs(run.pi[:, 2] - run.pi[0, 2]).max() <= 1e-11 * np.abs(run.Pi).max()


@pytest.mark.parametrize("stages", first([2, 1, 3]))
def test_gauss_finds_a_solution_where_scipy_does(stages, monkeypatch):
    """From the same start value, which is the velocity at the start of the step."""
    found = []

    def compare(equation, start, solution):
        root = optimize.root(lambda x: equation(x)[0], start, tol=1e-13)
        if np.abs(root.fun).max() <= 1e-9:
            assert np.isfinite(solution).all()
        assert np.abs(equation(solution)[0]).max() <= 1e-12 * np.abs(solution).max()
        found.append(np.abs(root.x - solution).max() <= 1e-9 * np.abs(solution).max())

    replace_solvers(monkeypatch, compare)
    for key, dt in LARGE[:1] if stages == 2 else LARGE[::2]:
        engine.simulate(key, f"GAUSS(stages={stages})", dt=dt, steps=6)
    assert np.mean(found) > 0.8  # of several solutions, a larger step may have another one


def track_root(balance, body, h, x, given, parts=400):
    """The root at s = 1 by SciPy, from s = 0 in small parts; the path must not turn back."""
    for s in np.linspace(0, 1, parts + 1):
        found = optimize.root(
            lambda v, s=s: array(balance(body, s * h, Vec3(*v.tolist()), *given)[0]), x, tol=1e-14
        )
        assert np.abs(found.x - x).max() <= 0.05 * (np.abs(x).max() + 1 / h), "a leap"
        x = found.x
    return x


@pytest.mark.parametrize("balance", first([drift_balance, lie_midpoint_balance]))
def test_what_is_found_is_connected_with_small_steps(balance):
    body = body_of((0.9144, 1.098, 1.66))
    Π = Vec3(0.4165, 0.9072, 0.0577)
    start = body.Jinv @ Π
    for h in (0.5, 2.0, 8.0):
        found = array(follow_path(body, h, balance, start, Π))
        expected = track_root(balance, body, h, array(start), (Π,))
        assert np.abs(found - expected).max() <= 1e-9
        assert np.abs(array(balance(body, h, Vec3(*found), Π)[0])).max() <= 1e-14
        if h < 1:
            assert np.abs(found - array(newton(body, h, balance, start, Π))).max() <= 1e-15


def test_a_path_that_turns_back_is_followed():
    """x³ − x − 0.7 (2 s − 1) has three roots near s = ½, and one at s = 0 and at s = 1."""

    def folded(body, h, x):
        a = 0.7 * (2.0 * h - 1.0)
        return Vec3(x.x**3 - x.x - a, x.y - h, x.z), Mat3(
            3 * x.x**2 - 1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
        )

    body = body_of((1, 1, 1))
    at_zero = min(np.roots([1, 0, -1, 0.7]), key=lambda z: abs(z.imag)).real
    at_one = min(np.roots([1, 0, -1, -0.7]), key=lambda z: abs(z.imag)).real
    found = array(follow_path(body, 1.0, folded, Vec3(at_zero, 0.0, 0.0)))
    np.testing.assert_allclose(found, [at_one, 1.0, 0.0], atol=1e-12)
    assert body.ledger[UNSOLVED] == 0


def test_a_path_that_does_not_come_to_the_end():
    """x² + s − ½ = 0 has no root at s = 1: the path turns back and goes to s = 0."""

    def gone(body, h, x):
        return Vec3(x.x**2 + h - 0.5, x.y, x.z), Mat3(
            2 * x.x, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
        )

    body = body_of((1, 1, 1))
    assert np.isnan(array(newton(body, 1.0, gone, Vec3(1.0, 0.0, 0.0)))).all()
    assert body.ledger[UNSOLVED] == NOT_FOUND


def test_a_path_that_goes_behind_its_start_ends():
    """On this slender body a correction makes s negative, from where no stride leads on."""
    J, Ω = (0.001, 711.1777795404976, 711.1767795404976), (61.05115586872745, 61.05115586872745, 0)
    body = engine.Problem(J=J, R0=Ω, Omega0=Ω)
    assert engine.simulate(body, "TRAPM", dt=3.8625278003756423, steps=1).status == "no-solution"


def test_a_run_that_ends_says_that_none_was_found_where_that_is_all():
    def step(body, t, h, R, Ω):
        return R, newton(body, h, rootless, Ω, t)

    imid = engine.algorithm("IMID")
    method = imid.redeclare(key="ROOTLESS", aliases=(), step=step, start=None)
    run = engine.simulate("free", method, dt=0.1, steps=20)
    assert run.status == "no-solution" and 5 <= run.failed_step <= 7
    assert f"no solution of step {run.failed_step} was found" in run.message
    assert "has no solution" not in run.message and "too far" not in run.message


def rootless(body, h, x, t):
    """x² + t − ½ in the first component."""
    return Vec3(x.x**2 + t - 0.5, x.y, x.z), Mat3(2 * x.x, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def test_lewis_and_simo_s_method_runs_as_far_as_dmv():
    """The map is the same; its Newton's method once left the domain of the arc sine from 1.0326
    on.
    """
    for dt in (1.04, 1.055):
        one, other = (engine.simulate("free", m, dt=dt, steps=100) for m in ("LS", "DMV"))
        assert one.status == other.status == "done"
        np.testing.assert_allclose(one.R, other.R, atol=1e-8)
    assert engine.simulate("free", "LS", dt=1.065, steps=100).status == "no-solution"


def test_the_tangent_of_the_trapezoidal_rule_in_the_algebra():
    """Far beyond a quarter turn too: with an approximate one Newton's method did not converge."""
    body = body_of((1, 1.5, 2.2))
    Π = Vec3(0.4, -0.8, 0.3)
    Ω = Vec3(0.1, 0.2, 0.3)
    R = Mat3(1, 0, 0, 0, 1, 0, 0, 0, 1)
    direction = np.array([0.36, 0.48, -0.8])
    for angle in (0.05, 0.9, 1.1, 3.0, 5.0, 8.0):
        w = angle * direction
        tangent = np.reshape(list(algebra_balance(body, 1.0, Vec3(*w), 0.0, R, Π, Ω)[1]), (3, 3))
        rows = [
            (array(algebra_balance(body, 1.0, Vec3(*(w + e)), 0.0, R, Π, Ω)[0])
             - array(algebra_balance(body, 1.0, Vec3(*(w - e)), 0.0, R, Π, Ω)[0])) / 2e-6
            for e in 1e-6 * np.eye(3)
        ]  # fmt: skip
        assert np.abs(tangent - np.transpose(rows)).max() <= 3e-5 * np.abs(tangent).max()


def test_there_is_no_way_beyond_a_quarter_turn():
    """θ grows with h all the way to a quarter turn, so that a Moser–Veselov step has no other
    solution below it.
    """
    rng = np.random.default_rng(3)
    for _ in range(300):
        gaps = rng.dirichlet([0.4, 0.4, 0.4]) + 1e-6
        J, n = gaps.sum() - gaps, rng.normal(size=3)
        v = n / np.linalg.norm(n) * (np.pi / 2 - 1e-6) * rng.beta(2, 0.5)
        body = body_of(J.tolist())
        w = Vec3(*v.tolist())
        Π, tangent = exp_balance(body, 1.0, w, body.J, Vec3(0.0, 0.0, 0.0))
        tangent = np.reshape(list(tangent), (3, 3))
        assert np.linalg.det(tangent) > 0
        assert np.linalg.solve(tangent, array(Π)) @ v / (v @ v) >= 0.99
    assert np.isnan(
        array(exp_balance(body, 1.0, Vec3(0.0, 1.6, 0.0), body.J, Vec3(0.0, 0.0, 0.0))[0])
    ).any()
    run = engine.simulate("free", "DMV", dt=1.1, steps=10)
    assert run.status == "no-solution" and "has no solution in step 1" in run.message
