"""The C reference: known final states, orders, and the same run tracked and untracked."""

from __future__ import annotations

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from covering import first
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import engine
from engine.simulation.two_bodies import fill_memory

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import reference

Array = NDArray[np.float64]

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the C reference needs gcc")

KNOWN = json.loads((Path(__file__).parents[1] / "data" / "reference_c.json").read_text())
METHODS = tuple(reference.FUNCTIONS)
PROBLEMS = tuple(reference.INVARIANTS)


@pytest.fixture(scope="module")
def compiled() -> reference.Reference:
    return reference.load()


def start(problem: str) -> dict[str, Any]:
    """Arguments of ``run`` but for method, h and n."""
    s = KNOWN["starts"][problem]
    return {
        "problem": s["problem"],
        "R": s["R0"],
        "Omega": s["Omega0"],
        "J": s["J"],
        "Mgl": s["Mgl"],
    }


def invariants(problem: str, R: Array, Omega: Array, J: Array, Mgl: float) -> list[float]:
    Pi = J * Omega
    pi = R @ Pi
    free = [Omega @ Pi / 2, *pi, pi @ pi, Pi @ Pi, np.linalg.norm(R.T @ R - np.eye(3)) ** 2]
    if problem == "free":
        return free
    return [free[0] + Mgl * R[2, 2], *free[1:], Pi[2], R[2] @ R[2]]


@pytest.mark.parametrize(
    "known", KNOWN["runs"], ids=lambda k: f"{k['method']}-{k['start']}-{k['axes']}"
)
def test_known_final_state(compiled: reference.Reference, known: dict[str, Any]) -> None:
    s = KNOWN["starts"][known["start"]]
    # The turns are about axes 1-2-3; for another order the body axes are renamed, by a rotation Q.
    Q = np.eye(3)[:, [int(axis) - 1 for axis in known["axes"]]]
    Q *= np.linalg.det(Q)
    J = np.array([s["J"][int(axis) - 1] for axis in known["axes"]])
    R0 = np.reshape(s["R0"], (3, 3))
    run = compiled.run(
        known["method"], s["problem"], R0 @ Q, Q.T @ s["Omega0"], J, s["Mgl"], s["h"], s["n"]
    )
    assert run.status == "done"
    np.testing.assert_allclose(
        run.R @ Q.T, np.reshape(known["R"], (3, 3)), rtol=0, atol=known["tol"]
    )
    if known["Omega"] is not None:
        np.testing.assert_allclose(Q @ run.Omega, known["Omega"], rtol=0, atol=known["tol"])


def mr4(
    problem: str, R: Array, Omega: Array, J: Array, Mgl: float, h: float, n: int
) -> tuple[Array, Array]:
    """MR4, repeated with SciPy's rotations."""
    Pi = J * Omega
    weight = Mgl if problem == "top" else 0.0

    def kick(tau: float) -> Array:
        return Pi + tau * R.T @ (-weight * np.cross(R[:, 2], [0, 0, 1]))

    x0 = 1 / (2 - 2 ** (1 / 3))
    for _ in range(n):
        for step in (x0 * h, (1 - 2 * x0) * h, x0 * h):
            Pi = kick(step / 2)
            for axis, tau in (
                (0, step / 2),
                (1, step / 2),
                (2, step),
                (1, step / 2),
                (0, step / 2),
            ):
                turn = Rotation.from_rotvec(tau * Pi[axis] / J[axis] * np.eye(3)[axis]).as_matrix()
                R, Pi = R @ turn, turn.T @ Pi
            Pi = kick(step / 2)
    return R, Pi / J


@pytest.mark.parametrize("problem", PROBLEMS)
def test_mr4_against_another_implementation(compiled: reference.Reference, problem: str) -> None:
    s = start(problem)
    R0, Omega0, J = np.reshape(s["R"], (3, 3)), np.array(s["Omega"]), np.array(s["J"])
    R, Omega = mr4(problem, R0, Omega0, J, s["Mgl"], 0.1, 50)
    run = compiled.run("MR4", **s, h=0.1, n=50)
    np.testing.assert_allclose(run.R, R, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.Omega, Omega, rtol=0, atol=1e-12)


def exact(s: dict[str, Any], duration: float) -> tuple[Array, Array]:
    """Attitude and velocity by DOP853 on the nine entries of R."""
    J = np.array(s["J"])
    weight = s["Mgl"] if s["problem"] == "top" else 0.0

    def rate(_: float, y: Array) -> Array:
        R = y[:9].reshape(3, 3)
        Omega = y[9:]
        T = -weight * R.T @ np.cross(R[:, 2], [0, 0, 1])
        return np.concatenate([np.cross(R, Omega).ravel(), (np.cross(J * Omega, Omega) + T) / J])

    y0 = np.concatenate([np.ravel(s["R"]), s["Omega"]])
    y = solve_ivp(rate, (0, duration), y0, method="DOP853", rtol=3e-14, atol=1e-14).y[:, -1]
    return y[:9].reshape(3, 3), y[9:]


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize(
    ("method", "order"),
    first(
        [
            ("MR2", 2),
            ("MR4", 4),
            ("NMB", 2),
            ("AKW", 2),
            ("SW", 2),
            ("DMV", 2),
            ("RKMK", 4),
            ("RK4-QUAT", 4),
            ("RESTORED", 1),
            ("NEWTON-1", 1),
            ("LINEAR-EULER", 1),
            ("HIROTA-KIMURA", 2),
            ("SPHERICAL-MIDPOINT", 2),
            ("TOUMA-WISDOM", 2),
        ],
        3,
    ),
)
def test_order(compiled: reference.Reference, method: str, order: int, problem: str) -> None:
    s = start(problem)
    R, Omega = exact(s, 2.0)
    errors = []
    for n in (100, 200, 400):
        run = compiled.run(method, **s, h=2.0 / n, n=n)
        errors.append([np.abs(run.R - R).max(), np.abs(run.Omega - Omega).max()])
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - order) < 0.2), (errors, slopes)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_the_engine_ends_at_the_same_state(
    compiled: reference.Reference, method: str, problem: str
) -> None:
    s = start(problem)
    run = compiled.run(method, **s, h=0.02, n=100)
    body = engine.problem("slow-top") if problem == "top" else engine.problem("free")
    body = body.replace(J=s["J"], R0=np.reshape(s["R"], (3, 3)), Omega0=s["Omega"])
    ours = engine.simulate(body, method, dt=0.02, steps=100)
    np.testing.assert_allclose(ours.R[-1], np.reshape(run.R, (3, 3)), rtol=0, atol=1e-11)
    np.testing.assert_allclose(ours.Omega[-1], run.Omega, rtol=0, atol=4e-11)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_tracked_run_is_the_same_run(
    compiled: reference.Reference, method: str, problem: str
) -> None:
    s, h, n = start(problem), 0.03, 60
    tracked = compiled.run_tracked(method, **s, h=h, n=n, every=1)
    prefixes = [compiled.run(method, **s, h=h, n=k) for k in range(n + 1)]
    J = np.array(s["J"])
    last = prefixes[-1]
    values = np.array([invariants(problem, p.R, p.Omega, J, s["Mgl"]) for p in prefixes])
    same = partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-12)

    assert tracked.status == last.status == "done"
    same(tracked.R, last.R)
    same(tracked.Omega, last.Omega)
    assert tracked.rows.shape == (n, 12 + len(reference.INVARIANTS[problem]))
    same(tracked.rows[:, :9], [p.R.ravel() for p in prefixes[1:]])
    same(tracked.rows[:, 9:12], [p.Omega for p in prefixes[1:]])
    same(tracked.rows[:, 12:], values[1:])
    same(tracked.extrema, [values.min(axis=0), values.max(axis=0)])

    # Over the states that the tracked run itself kept, the extrema hold to the last bit.
    initial = compiled.run_tracked(method, **s, h=h, n=0).extrema[0]
    own = np.vstack([initial, tracked.rows[:, 12:]])
    np.testing.assert_array_equal(tracked.extrema, [own.min(axis=0), own.max(axis=0)])


@pytest.mark.parametrize("problem", PROBLEMS)
def test_rows_are_thinned_and_extrema_are_not(compiled: reference.Reference, problem: str) -> None:
    s = start(problem)
    full = compiled.run_tracked("NMB", **s, h=0.03, n=50, every=1)
    thin = compiled.run_tracked("NMB", **s, h=0.03, n=50, every=7)
    none = compiled.run_tracked("NMB", **s, h=0.03, n=50)
    np.testing.assert_array_equal(thin.rows, full.rows[6::7])
    assert len(none.rows) == 0
    np.testing.assert_array_equal(thin.extrema, full.extrema)
    np.testing.assert_array_equal(none.extrema, full.extrema)


@pytest.mark.parametrize("tracked", [False, True])
def test_no_solution_leaves_the_last_state(compiled: reference.Reference, tracked: bool) -> None:
    s = start("free")
    h = 1.1  # where DMV has no solution from the first step on
    run = (compiled.run_tracked if tracked else compiled.run)("DMV", **s, h=h, n=50)
    assert run.status == "no-solution"
    np.testing.assert_allclose(run.R @ run.R.T, np.eye(3), rtol=0, atol=1e-12)
    pi = np.reshape(s["R"], (3, 3)) @ (np.array(s["J"]) * s["Omega"])
    np.testing.assert_allclose(run.R @ (np.array(s["J"]) * run.Omega), pi, rtol=0, atol=1e-12)


def test_infinite_energy_stops_a_tracked_run(compiled: reference.Reference) -> None:
    run = compiled.run_tracked("RK4-QUAT", **start("free"), h=20.0, n=1000, every=1)
    assert run.status == "diverged"
    reached = np.isfinite(run.rows).all(axis=1)
    assert 0 < reached.sum() < 1000
    assert np.isfinite(run.extrema[:, 0]).all()


def test_unknown_names(compiled: reference.Reference) -> None:
    with pytest.raises(ValueError, match="no method 'MR3'"):
        compiled.address("MR3", "free")
    with pytest.raises(ValueError, match="no problem 'book'"):
        compiled.address("MR2", "book")


def test_no_compiler() -> None:
    with pytest.raises(RuntimeError, match="needs a C compiler"):
        reference.load(cc="no-such-compiler")


def test_bad_flag() -> None:
    with pytest.raises(RuntimeError, match="no-such-flag"):
        reference.load(flags=["-no-such-flag"])


@pytest.mark.exhaustive
def test_concurrent_builds_share_one_library(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        loaded = list(pool.map(lambda _: reference.load(flags=("-O0",), cache=tmp_path), range(3)))
    assert {x.path for x in loaded} == set(tmp_path.iterdir())
    assert len({x.path for x in loaded}) == 1


@pytest.mark.parametrize("solver", first(reference.SOLVERS))
def test_two_dumbbells_in_c(solver: str) -> None:
    """The same states as the engine's, and no solution where it finds none."""
    pair = engine.problem("DB4")
    run = engine.simulate(pair, "LGVI", solver=solver, steps=500)
    c = reference.load_two_bodies()
    head, given = fill_memory(pair)
    params = [*head[:8], *pair.numbers]
    status, end = c.run(solver, given, params, 0.002, 500)
    last = [run.R1[-1].ravel(), run.R2[-1].ravel()]
    last += [getattr(run, name)[-1] for name in ("Omega1", "Omega2", "x1", "x2", "v1", "v2")]
    assert status == "done"
    np.testing.assert_allclose(end, np.concatenate(last), rtol=0, atol=1e-11)
    assert c.run(solver, given, params, 0.2, 5)[0] == "no-solution"
