"""TAYLOR: its error against the tolerance, rows, ends, custom torques, and the torques it refuses."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from covering import covering, first
from scipy.spatial.transform import Rotation

import engine
from engine.algebra import Diag3, Mat3, Vec3, cross
from engine.algorithms import taylor
from engine.algorithms.core import euler_ratios
from engine.compiler import native
from engine.compiler.primitives import make_room
from engine.kernels import build
from engine.parameters.formula import Formula
from engine.simulation.one_body import list_kernels

TOLERANCES = (1e-5, 1e-7, 1e-9, 1e-11)
PROBLEMS = (
    "free", "slow-top", "custom(torque=body)", "custom(torque=space)", "fast-top", "lagrange-top", "kovalevskaya-top",
    "goryachev-chaplygin-top", "asymmetric-top", "gyrostat", "magnet", "soft-wall", "prism",
)  # fmt: skip


def run(problem, tolerance, method="TAYLOR", **how):
    return engine.simulate(problem, method, rtol=tolerance, atol=tolerance, **how)


def end_error(found, wanted):
    return Rotation.from_matrix(found.R[-1].T @ wanted.R[-1]).magnitude()


@pytest.mark.parametrize("key", first(list(PROBLEMS), 4))
def test_the_error_is_near_the_tolerance(key):
    """No step is rejected, and a further digit costs few further steps, since the order rises."""
    exact = run(key, 1e-13, "RKMK853", duration=5.0, samples=1)
    for tolerance in TOLERANCES:
        found = run(key, tolerance, duration=5.0, samples=1)
        assert found.status == "done" and found.cost.rejected_steps == 0
        assert end_error(found, exact) < 15 * tolerance
    assert found.cost.steps < 3 * run(key, 1e-5, duration=5.0, samples=1).cost.steps


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(20))
def test_the_error_of_random_tops_is_near_the_tolerance(seed):
    random = np.random.default_rng(seed)
    x, y, z = np.sort(random.uniform(0.5, 3.0, 3)).tolist()
    top = engine.problem("asymmetric-top").replace(
        J=(x, y, min(z, 0.98 * (x + y))),
        R0=random.normal(size=3),
        Omega0=3.0 * random.normal(size=3),
        Mg=random.uniform(0.0, 10.0),
        chi=random.normal(size=3),
    )
    exact = run(top, 1e-13, "RKMK853", duration=5.0, samples=1)
    for tolerance in TOLERANCES:
        assert end_error(run(top, tolerance, duration=5.0, samples=1), exact) < 15 * tolerance


@pytest.mark.exhaustive
@pytest.mark.parametrize("tolerance, energy, momentum", [(1e-9, 2e-9, 1e-6), (1e-12, 1e-12, 1e-9)])
def test_a_million_steps_of_a_free_body(tolerance, energy, momentum):
    """Energy and momentum drift, R stays a rotation."""
    made = run("free", tolerance, duration=100.0, samples=1).cost.steps
    found = run("free", tolerance, duration=1e8 / made, samples=100)
    assert found.status == "done" and found.cost.steps > 900_000
    assert np.abs(found.energy / found.energy[0] - 1.0).max() < energy
    assert np.linalg.norm(found.pi - found.pi[0], axis=1).max() < momentum * np.linalg.norm(
        found.pi[0]
    )
    assert found.orthogonality.max() < 1e-14


@pytest.mark.parametrize("key", first(["slow-top", "free", "magnet"]))
def test_rows_do_not_change_the_steps(key):
    """Rows within a step are values of its polynomial, as accurate as the ends of steps."""
    one, many = (run(key, 1e-8, duration=4.0, samples=n) for n in (1, 1024))
    np.testing.assert_array_equal(many.R[-1], one.R[-1])
    np.testing.assert_array_equal(many.Omega[-1], one.Omega[-1])
    assert many.cost.steps == one.cost.steps < 100
    assert many.cost.torque_evaluations == one.cost.torque_evaluations
    exact = run(key, 1e-13, "RKMK853", duration=4.0, samples=1024)
    errors = np.abs(many.R - exact.R).max(axis=(1, 2))
    assert errors.max() < 10 * max(errors[-1], 1e-8)
    assert many.orthogonality.max() < 1e-14


def in_time(t, R):
    return (math.sin(t) ** 2, 0.3 * math.exp(-t) * R[0, 1], math.atan2(R[1, 2], 2.0 + t))


def with_drag(t, R, Omega):
    v = R @ np.asarray(Omega)
    return -0.1 * np.sqrt(1.0 + v @ v) * v + np.cross(R[:, 2], np.array((0.0, 0.0, 1.0)))


CUSTOM = {
    "compiled": engine.torque(in_time),
    "plain": in_time,
    "of velocity": engine.torque(with_drag),
    "formula": Formula("sin(t)^2 * e1 - 0.1*R@Omega"),
    "powers": Formula("(2 + R[0,1])^R[1,1]*e1 + 2^t*e2"),
}


@pytest.mark.parametrize(("kind", "plain"), covering(product(CUSTOM, [False, True])))
def test_a_custom_torque_is_expanded(kind, plain, monkeypatch):
    """Compiled and in plain Python, also on a body whose axes are not its principal ones."""
    if plain:
        monkeypatch.setenv("POLHODE_PLAIN", "1")
    for J in ((1.0, 2.0, 2.5), ((2.0, 0.1, 0.3), (0.1, 2.5, -0.2), (0.3, -0.2, 3.0))):
        problem = engine.Problem(J=J, R0=(0.3, 0.1, 0.2), Omega0=(0.3, 1, 0.2), torque=CUSTOM[kind])
        found = run(problem, 1e-11, duration=1.0, samples=4)
        exact = run(problem, 1e-12, "DOP853", duration=1.0, samples=4)
        assert found.status == "done", found.message
        np.testing.assert_allclose(found.R, exact.R, atol=1e-9)
        np.testing.assert_allclose(found.Omega, exact.Omega, atol=1e-9)


def test_a_plain_torque_follows_its_variables():
    size = 2.0

    def push(t, R):
        return size + 0.0 * t, 0.0 * t, 0.0 * t

    body = engine.Problem(J=(1, 2, 3), Omega0=(0, 0, 0), torque=push)
    speeds = []
    for size in (2.0, 5.0):  # noqa: B007, which the torque names
        speeds.append(engine.simulate(body, "TAYLOR", dt=0.1, steps=1).Omega[-1, 0])
    assert np.allclose(speeds, [0.2, 0.5], rtol=1e-9)


def test_a_linear_torque_is_expanded_in_lanes():
    """With the same coefficients that it has number by number."""
    torque = "2*R[2,1]*e1 - 0.3*Omega + R[0,2]*e3 + e2"
    runs = [
        run(
            engine.Problem(J=(1.0, 2.0, 2.5), Omega0=(0.3, 1, 0.2), torque=Formula(text)),
            1e-12,
            duration=2.0,
            samples=1,
        )
        for text in (torque, f"{torque} + 0*R[0,0]^2*e1")
    ]
    np.testing.assert_allclose(runs[0].R, runs[1].R, atol=1e-14)
    np.testing.assert_allclose(runs[0].Omega, runs[1].Omega, atol=1e-14)


@pytest.mark.exhaustive
@pytest.mark.skipif(
    "x86_64" not in native.llvm().get_default_triple(), reason="of processors by Intel and AMD"
)
@pytest.mark.parametrize("key", ["kovalevskaya-top", "magnet"])
def test_the_width_of_vectors_does_not_change_the_result(key, monkeypatch):
    """Vectors of 128, 256 and 512 bits, where the processor has them, and programs for registers of
    four and eight numbers; without fused operations, which the narrow ones lack.
    """
    problem = engine.problem(key)
    method = engine.algorithm("TAYLOR")
    (parts,) = list_kernels(problem, method, problem.dt)
    texts = [build.text_of(parts, fused=False, register=register) for register in (8, 4)]
    name, features = native.processor()
    found = []
    for without, text in product(("", ",-avx512f,-evex512", ",-avx"), texts):
        machine = native.target_machine(name, features + without)
        address = native.link(native.made_for(machine, text))
        monkeypatch.setitem(build._kernels, parts, build.PROTOTYPE(address))
        found.append(run(problem.replace(), 1e-9, duration=2.0, samples=4))
    for other in found[1:]:
        np.testing.assert_array_equal(other.R, found[0].R)
        np.testing.assert_array_equal(other.Omega, found[0].Omega)


@pytest.mark.parametrize(("J", "steady"), [((1.0, 1.0, 0.5), True), ((1.0, 1.2, 0.5), False)])
def test_side_by_side_products_with_a_steady_spin_are_left_out(J, steady, monkeypatch):
    """A symmetric top's Ω₃ is constant; the products that are left out are exactly 0."""
    moments = Diag3(*J)

    class Top:
        J = moments
        Jinv = J.inv
        ratios = euler_ratios(J)

        def torque_series(self, t, R, Omega):
            return cross(Vec3(R.zx, R.zy, R.zz), Vec3(0.0, 0.0, 1.0))

    R = Mat3(*Rotation.from_euler("xz", [0.3, 0.4]).as_matrix().ravel().tolist())
    find_products = taylor.find_products

    def step(turning):
        asked = []

        def find(room, n, vectors, was_turning):
            asked.append(was_turning)
            return find_products(room, n, vectors, turning or was_turning)

        monkeypatch.setattr(taylor, "find_products", find)
        room = make_room(taylor.ROOM)
        R1, Omega1, size = taylor.step_together(
            Top(), 0.0, R, Vec3(0.3, 0.1, 5.0), 10.0, 1e-9, 1e-9, room
        )
        return asked, [*R1, *Omega1, size]

    (asked, found), (_, wanted) = step(False), step(True)
    assert found == wanted
    assert len(asked) == 18 and set(asked) == {not steady}


LAGRANGE_END = (
    (-0.48492638103654495, 0.8732370010067035, -0.047995260678718094),
    (-0.8558441375658923, -0.4625450701301348, 0.23147974056578385),
    (0.1799367032289231, 0.15332709535867153, 0.9716550749417096),
)
"""R of Lagrange's top at t = 100, by `benchmarks.motions.recompute`."""


def test_the_finest_tolerance_follows_a_long_motion():
    found = run("lagrange-top", 1e-13, duration=100.0, samples=1)
    assert np.linalg.norm(found.R[-1] - LAGRANGE_END) < 3e-12


REFUSED = {
    "abs": Formula("abs(R[0,1])*e1"),
    "min": Formula("min(R[0,1], 0.2)*e1"),
    "max": Formula("max(R[0,1], 0.2)*e1"),
    "a comparison": engine.torque(lambda t, R: (1.0 if t < 0.5 else 0.0, 0.0, 0.0)),
    "floor": engine.torque(lambda t, R: (float(math.floor(3.0 * t)), 0.0, 0.0)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_torque_without_series_is_refused(what):
    problem = engine.Problem(J=(1, 2, 2.5), Omega0=(0.3, 1, 0.2), torque=REFUSED[what])
    with pytest.raises(ValueError, match=rf"{what} has no Taylor series.*\. RKMK853 takes it"):
        engine.simulate(problem, "TAYLOR", duration=1.0)
    assert engine.simulate(problem, "RKMK853", duration=1.0).status == "done"


def test_a_jump_is_refused():
    with pytest.raises(ValueError, match=r"a comparison has no Taylor series\. RKMK853 takes it"):
        run("book-toss", 1e-8, duration=3.0)


def test_a_body_at_rest_stays_there():
    still = run(engine.Problem(J=(1, 2, 2.5), Omega0=(0, 0, 0)), 1e-6, duration=1000.0, samples=4)
    assert still.status == "done" and still.cost.steps < 10
    np.testing.assert_array_equal(still.R, np.broadcast_to(np.eye(3), (5, 3, 3)))


def test_what_is_not_finite_ends_the_run():
    problem = engine.Problem(J=(1, 2, 2.5), Omega0=(0.3, 1, 0.2), torque=Formula("1/(1 - t) * e1"))
    ended = run(problem, 1e-8, duration=3.0, samples=30)
    assert ended.status in ("diverged", "no-solution")
    assert ended.t[-1] < 1.0 and np.isfinite(ended.R).all()


@pytest.mark.parametrize(
    "key, tolerance",
    covering([(key, t) for key in ("free", "slow-top") for t in (1e-4, 1e-12)], by=lambda *c: c),
)
def test_compiled_and_plain_steps_agree(key, tolerance, monkeypatch):
    compiled = run(key, tolerance, duration=2.0, samples=8)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = run(key, tolerance, duration=2.0, samples=8)
    assert plain.cost.steps == compiled.cost.steps
    np.testing.assert_allclose(plain.R, compiled.R, atol=1e-13)
