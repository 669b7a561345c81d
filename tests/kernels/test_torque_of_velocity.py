"""Torques that depend on the angular velocity: friction, control, a magnetic torque; and methods
that accept them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from covering import first
from scipy.integrate import solve_ivp

import engine
from engine import studies

TAKE = [m.key for m in engine.algorithms() if m.promises.torque_of_velocity]
J = np.array([[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 4.0]])
DRAG = 0.3


def drag_with_numpy(t, R, Omega):
    return R @ (-DRAG * Omega) + np.array([0.0, 0.0, 0.1 * math.sin(t)])


def drag_in_numbers(t, R, Omega):
    x, y, z = -DRAG * Omega[0], -DRAG * Omega[1], -DRAG * Omega[-1]
    return (
        R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
        R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
        R[2, 0] * x + R[2, 1] * y + R[2, 2] * z + 0.1 * math.sin(t),
    )


TORQUES = {
    "plain": drag_with_numpy,
    "compiled": engine.torque(drag_in_numbers),
    "compiled, with NumPy": engine.torque(drag_with_numpy),
}


def dragged(torque=TORQUES["compiled"], **more):
    return engine.Problem(
        J=J, R0=(0.4, -0.2, 0.3), Omega0=(1.0, 2.0, 3.0), torque=torque, duration=2.0, **more
    )


@pytest.fixture(scope="module", name="motion")
def _motion():
    """Return R and Ω at the end, by SciPy from Euler's equations in the body's axes."""

    def rate(t, y):
        R = y[:9].reshape(3, 3)
        Omega = y[9:]
        x, y_, z = Omega
        hat = np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]])
        T = R.T @ drag_with_numpy(t, R, Omega)
        return np.concatenate(
            [(R @ hat).ravel(), np.linalg.solve(J, np.cross(J @ Omega, Omega) + T)]
        )

    start = np.concatenate([dragged().R0.ravel(), dragged().Omega0])
    end = solve_ivp(rate, (0, 2), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return end[:9].reshape(3, 3), end[9:]


@pytest.mark.parametrize("method", first(TAKE, 2))
def test_who_takes_such_a_torque_follows_the_motion_at_the_order_that_is_declared(method, motion):
    declared = engine.algorithm(method)
    if declared.order is None:
        run = engine.simulate(
            dragged(), engine.algorithm(method, **({"rtol": 1e-9} if declared.adaptive else {}))
        )
        np.testing.assert_allclose(run.R[-1], motion[0], rtol=0, atol=1e-6)
        np.testing.assert_allclose(run.Omega[-1], motion[1], rtol=0, atol=1e-6)
        return
    coarse = 0.25 if max(declared.order) > 4 else 0.02
    off = []
    for dt in (coarse, coarse / 2):
        run = engine.simulate(dragged(), method, dt=dt)
        off.append((np.abs(run.R[-1] - motion[0]).max(), np.abs(run.Omega[-1] - motion[1]).max()))
    for order, coarsely, finely in zip(declared.order, *off, strict=True):
        assert math.log2(coarsely / finely) > order - 0.35, off


def test_the_classes_that_take_it():
    assert {
        "RKMK",
        "CF4",
        "CG2",
        "CG4",
        "RK4-QUAT",
        "RK-QUAT",
        "RK4-MATRIX",
        "DOP853",
        "RADAU",
    } <= set(TAKE)


@pytest.mark.parametrize("method", [m.key for m in engine.algorithms() if m.key not in TAKE])
def test_all_others_refuse_it_in_a_sentence(method):
    with pytest.raises(
        ValueError, match=rf"{method} takes torques of time and attitude only\. .*RKMK takes it"
    ):
        engine.simulate(dragged(), method)


@pytest.mark.parametrize("kind", first(TORQUES, 2))
def test_plain_and_compiled_are_the_same(kind):
    run = engine.simulate(dragged(TORQUES[kind]), "RKMK", dt=0.02)
    same = engine.simulate(dragged(), "RKMK", dt=0.02)
    np.testing.assert_allclose(run.R, same.R, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.energy, same.energy, rtol=1e-12)


def test_the_same_without_a_compiler(monkeypatch):
    compiled = engine.simulate(dragged(), "CF4", dt=0.05)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    np.testing.assert_allclose(
        engine.simulate(dragged(), "CF4", dt=0.05).R, compiled.R, rtol=0, atol=1e-13
    )


@pytest.mark.exhaustive
def test_the_exact_motion_and_errors_are_known_too(motion):
    exact = engine.exact(dragged(), 2.0)
    np.testing.assert_allclose(exact.R, motion[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(exact.Omega, motion[1], rtol=0, atol=1e-9)


def test_friction_takes_energy_and_a_magnetic_torque_none():
    run = engine.simulate(dragged(), "RKMK", dt=0.02)
    assert run.energy[-1] < 0.8 * run.energy[0]

    @engine.torque
    def magnetic(t, R, Omega):
        """Ω × R[2], the field's direction in the body: square to Ω, so it does no work."""
        bx, by, bz = R[2, 0], R[2, 1], R[2, 2]
        x = Omega[1] * bz - Omega[2] * by
        y = Omega[2] * bx - Omega[0] * bz
        z = Omega[0] * by - Omega[1] * bx
        return (
            R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
            R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
            R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
        )

    run = engine.simulate(dragged(magnetic), "RKMK(tableau=dop853)", dt=0.02)
    assert np.ptp(run.energy) < 1e-12 * run.energy[0]
    assert np.ptp(np.linalg.norm(run.pi, axis=1)) > 0.03


def test_no_energy_is_promised_where_the_potential_is_not_all():
    @engine.potential
    def potential(R):
        return R[2, 2]

    @engine.torque
    def weight_and_drag(t, R, Omega):
        x, y, z = (R[i, 0] * Omega[0] + R[i, 1] * Omega[1] + R[i, 2] * Omega[2] for i in range(3))
        return -R[1, 2] - 0.1 * x, R[0, 2] - 0.1 * y, -0.1 * z

    body = dragged(weight_and_drag, potential=potential)
    assert body.invariants == () and not body.remarks
    run = engine.simulate(body, "RKMK", dt=0.02)
    kinetic = 0.5 * np.einsum("ni,ij,nj->n", run.Omega, J, run.Omega)
    np.testing.assert_allclose(run.energy, kinetic + run.R[:, 2, 2], rtol=1e-12)


def test_a_third_argument_that_has_a_value_is_not_the_velocity():
    def pull(t, R, strength=2.0):
        return strength * R[1, 2], -strength * R[0, 2], 0.0

    assert engine.simulate(dragged(pull), "MR2", dt=0.02).status == "done"


def test_a_wrong_one_is_told():
    with pytest.raises(ValueError, match=r"must take \(t, R\) or \(t, R, Omega\)"):
        engine.simulate(dragged(lambda t, R, Omega, more: (0, 0, 0)), "RKMK")

    def late(t, R, Omega):
        return (0.0, 0.0, -Omega[2]) if t < 0.5 else (0.0, 0.0, "much")

    run = engine.simulate(dragged(late), "RKMK", dt=0.02)
    assert run.status == "diverged" and "TypeError" in run.message


def test_many_at_once_and_prepared_are_as_one_at_a_time():
    problem = dragged()
    run = engine.simulate(problem, "RKMK", dt=0.02)
    again = engine.prepared(problem, "RKMK", dt=0.02, duration=2.0)()
    np.testing.assert_array_equal(again.R, run.R)

    def last_energy(run):
        return float(run.energy[-1])

    swept = studies.sweep(
        problem, ["RKMK"], over={"Omega0.z": [1.0, 3.0]}, measure=last_energy, dt=0.02
    )
    np.testing.assert_array_equal(
        swept["last_energy"].sel({"Omega0.z": 3.0}).values, [run.energy[-1]]
    )
