"""Derivatives of a step: against central differences, the symplectic form, custom torques, and
chaos.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from covering import covering, first

import engine
from engine import studies
from engine.algebra import Vec3, exp
from engine.studies.core import measurements

DT = 0.03
WEIGHTS = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
WIDTH = 2e-3


@engine.torque
def spring(t, R):
    """A torque in space about e3 × the body's third axis, which depends on time."""
    k = 2.0 + R[2, 2] ** 2
    return -k * R[1, 2], k * R[0, 2], 0.0 * t


def end_of(problem, method, dt=DT):
    """The rotation nearest to R, and Π, after a step."""
    run = engine.simulate(problem, method, dt=dt, steps=1)
    assert run.status == "done", run.message
    left, _, right = np.linalg.svd(run.R[-1])
    return left @ right, run.Pi[-1]


def difference(end, change):
    """Return the central difference of order eight of turn and Π; `change(x)` returns the changed
    arguments.
    """
    total = np.zeros(12)
    for k, weight in enumerate(WEIGHTS, start=1):
        for sign in (1, -1):
            R, Pi = end_of(*change(sign * k * WIDTH))
            total += sign * weight / WIDTH * np.concatenate([R.ravel(), Pi])
    turn = end.T @ total[:9].reshape(3, 3)
    return (
        np.concatenate(
            [
                [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]],
                2 * total[9:],
            ]
        )
        / 2
    )


def turn_start(body, turn):
    """The problem with its start turned by a vector in the body's frame."""
    return body.replace(R0=body.R0 @ np.array(list(exp(Vec3(*turn)))).reshape(3, 3))


PROBLEMS = {
    "free": engine.problem("free"),
    "asymmetric-top": engine.problem("asymmetric-top"),
    "custom": engine.Problem(J=(1, 2, 2.5), Omega0=(0.5, 1, 2), torque=spring),
    "not principal": engine.Problem(
        J=[[2, 0.2, 0], [0.2, 3, 0.1], [0, 0.1, 4]], Omega0=(0.5, 1, 2), torque=spring
    ),
}


@pytest.mark.parametrize(
    ("problem", "method"),
    [
        *covering(
            product(PROBLEMS, ["MR2", "NMB", "DMV", "RK4-QUAT", "IMR-MATRIX", "RKMK", "RK4-MATRIX"])
        ),
        *first(product(PROBLEMS, ["GAUSS"]), 0),
    ],
)
def test_derivatives_are_those_of_converged_differences(problem, method):
    body = PROBLEMS[problem]
    found = engine.differentiate_step(body, method, dt=DT)
    run = engine.simulate(body, method, dt=DT, steps=1)
    assert np.allclose(found.R, run.R[-1], rtol=0, atol=1e-14)
    assert np.allclose(found.Pi, run.Pi[-1], rtol=1e-14, atol=1e-14)
    R, _ = end_of(body, method)
    for i in range(3):
        faster = difference(
            R, lambda x, i=i: (body.replace(Omega0=body.Omega0 + x * np.eye(3)[i]), method)
        )
        assert np.allclose(
            found.by_Omega0[:, i], faster, rtol=0, atol=1e-10 * np.abs(found.by_Omega0).max()
        )
        aside = difference(R, lambda x, i=i: (turn_start(body, x * np.eye(3)[i]), method))
        assert np.allclose(found.by_R[:, i], aside, rtol=0, atol=1e-10 * np.abs(found.by_R).max())
    longer = difference(R, lambda x: (body, method, DT + x))
    assert np.allclose(found.by_dt, longer, rtol=0, atol=1e-8 * np.abs(found.by_dt).max())


def test_derivatives_by_inertia():
    body = PROBLEMS["asymmetric-top"]
    found = engine.differentiate_step(body, "NMB", dt=DT)
    (R, _) = end_of(body, "NMB")
    moments = body.J.diagonal()
    for i in range(3):

        def changed(x, i=i):
            J = moments + x * np.eye(3)[i]
            return body.replace(J=tuple(J), Omega0=body.Pi0 / J), "NMB"

        assert np.allclose(found.by_J[:, i], difference(R, changed), rtol=0, atol=1e-9)


@pytest.mark.exhaustive
def test_order_of_the_derivative():
    """The derivative of n steps converges to that of the flow as the method does."""
    body = PROBLEMS["asymmetric-top"]
    T = 0.5
    truth = engine.differentiate_step(body, "RKMK", dt=T / 2000, steps=2000).by_Pi
    errors = [
        np.abs(engine.differentiate_step(body, "MR2", dt=T / n, steps=n).by_Pi - truth).max()
        for n in (20, 40, 80)
    ]
    assert np.allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.1)


@pytest.mark.parametrize(
    ("method", "most", "least"), [("MR2", 1e-14, 0), ("DMV", 1e-14, 0), ("NMB", 1, 1e-8)]
)
def test_symplectic_defect(method, most, least):
    stepper = measurements.Stepper(engine.algorithm(method), PROBLEMS["asymmetric-top"])
    defect, _ = measurements.form_defects(stepper, 0.05)
    scale = max(1.0, np.linalg.norm(stepper.initial[1]))
    assert least < defect + (least == 0) * 1e-300 and defect <= 30 * most * scale


@pytest.mark.parametrize("method", ["RK4-QUAT", "RK4-MATRIX"])
def test_the_turn_is_that_of_the_nearest_rotation_in_large_steps(method):
    """Here RᵀR differs from 1, and the skew part of RᵀdR is not the turn."""
    body = engine.Problem(J=(1, 2, 2.5), Omega0=(0.5, 1, 1.2))
    found = engine.differentiate_step(body, method, dt=1.0)
    R, _ = end_of(body, method, 1.0)
    assert np.linalg.norm(found.R.T @ found.R - np.eye(3)) > 1e-3
    aside = [
        difference(R, lambda x, i=i: (turn_start(body, x * np.eye(3)[i]), method, 1.0))
        for i in range(3)
    ]
    assert np.allclose(found.by_R, np.transpose(aside), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", first(["RK4-QUAT", "KEK", "GAUSS"]))
def test_the_indicator_is_that_of_other_methods(method):
    """On slow-top it converges as the methods do; a derivative that is no number has none."""
    found = studies.sweep(
        "slow-top", [method, "RKMK"], over={"dt": [0.01]}, measure="fli", duration=5
    ).fli.values.ravel()
    assert found[0] == pytest.approx(found[1], rel=1e-3)


def test_the_indicator_looks_at_every_step():
    """A deviation is largest for a moment, and the result does not depend on how many steps a run
    has.
    """
    found = studies.sweep(
        "slow-top", ["RKMK"], over={"dt": [0.01, 0.02, 0.04]}, measure="fli", duration=4
    ).fli.values.ravel()
    assert np.ptp(found) < 1e-3


@pytest.mark.parametrize("problem", ["slow-top", "free", "book-toss"])
def test_the_indicator_of_a_body_released_from_rest_is_finite(problem):
    body = engine.problem(problem, Omega0=(0, 0, 0))
    found = studies.sweep(body, ["MR2"], over={"dt": [0.01]}, measure="fli", duration=4).fli
    assert 0.1 < float(found.squeeze()) < 30


def test_indicator_tells_chaos_from_regular_motion():
    """Lagrange's top is integrable: its deviations grow linearly. Those of an asymmetric top grow
    exponentially.
    """
    found = {}
    for problem in ("lagrange-top", "asymmetric-top"):
        swept = studies.sweep(problem, ["MR2"], over={"dt": [0.01]}, measure="fli", duration=400)
        found[problem] = float(swept.fli.squeeze())
    assert found["lagrange-top"] < 12 < 40 < found["asymmetric-top"]


def test_refuses_plain_python(monkeypatch):
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    with pytest.raises(ValueError, match="dual numbers need compiled kernels"):
        engine.differentiate_step("free", "MR2", dt=0.1)
    assert "needs compiled kernels" in measurements.symplecticity(engine.algorithm("MR2")).note


def test_a_sweep_marks_what_cannot_be_differentiated():
    swept = studies.sweep("free", ["MR2", "DOP853"], over={"dt": [0.1]}, measure="fli", duration=2)
    assert np.isfinite(swept.fli.values[0]).all() and np.isnan(swept.fli.values[1]).all()


def test_refuses_what_it_cannot_differentiate():
    with pytest.raises(ValueError, match=r"decorate it with engine\.torque"):
        engine.differentiate_step(
            engine.Problem(torque=lambda t, R: (0.0, 0.0, R[0, 0])), "MR2", dt=0.1
        )
    with pytest.raises(ValueError, match="adaptive"):
        engine.differentiate_step("free", "MR2", dt=0.1, precision="single")
