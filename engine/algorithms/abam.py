"""ABAM: Adams–Bashforth predictor and Adams–Moulton corrector, as Buss compares with.

The velocities are kept in space, and means of rotations are taken as means of rotation vectors. Three steps start it:
of Buss's Runge–Kutta method, or, in variant="as-run", of the first-order method in five parts each. As run for the
printed tables it has also a slip: the predicted body velocity is carried to space by the old attitude, not by the
predicted one.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, exp
from ..spec import OneOf, Parameter
from .buss import REFERENCE
from .method import MOMENTUM, method
from .rk4_avg import averaged, vector_mean, velocity

STARTING_STEPS = 3
PARTS = 5
"""First-order parts of a starting step, as run."""


def by_predicted_attitude(R: Mat3, predicted: Mat3, Ω: Vec3) -> Vec3:
    """The predicted velocity in space."""
    return predicted @ Ω


def by_old_attitude(R: Mat3, predicted: Mat3, Ω: Vec3) -> Vec3:
    """The predicted velocity in space, by the slip that the printed tables have."""
    return R @ Ω


def runge_kutta(body: Any, t: float, h: float, R: Mat3, π: Vec3) -> tuple[Mat3, Vec3]:
    """A starting step of Buss's Runge–Kutta method."""
    return averaged(body, t, h, R, π, vector_mean)


def first_order_in_parts(body: Any, t: float, h: float, R: Mat3, π: Vec3) -> tuple[Mat3, Vec3]:
    """A starting step as run: the first-order method in parts."""
    part = h / PARTS
    for i in range(PARTS):
        ω = velocity(body, R, π)
        π = π + part * body.spatial_torque(t + i * part, R)
        R = turned_in_space(R, part * ω)
    return R, π


def turned_in_space(R: Mat3, v: Vec3) -> Mat3:
    """exp(v) R"""
    return exp(v) @ R


def start(
    body: Any, t: float, h: float, R: Mat3, Ω: Vec3, variant: Any
) -> tuple[Mat3, Vec3, Vec3, Vec3, Vec3, Any, Any, Any, float]:
    """No history yet: the last number counts the steps that were made."""
    ω, τ = R @ Ω, body.spatial_torque(t, R)
    return R, R @ (body.J @ Ω), ω, ω, ω, τ, τ, τ, 0.0


@method(
    key="ABAM",
    name="Adams–Bashforth–Moulton, fourth order on vectors",
    family="Multistep",
    summary="Fourth order on vectors, second order on rotations, and it needs a history.",
    equations=r"""
        \bar\omega^p = \tfrac{1}{24}(55\omega_n - 59\omega_{n-1} + 37\omega_{n-2} - 9\omega_{n-3}), \quad
        \bar\omega = \tfrac{1}{24}(9\omega^p + 19\omega_n - 5\omega_{n-1} + \omega_{n-2}) \\
        R_{n+1} = \exp(h\,\bar\omega)\, R_n""",
    reference=REFERENCE,
    options=(
        Parameter(
            "variant",
            OneOf(
                {"as-run": (first_order_in_parts, by_old_attitude), "clean": (runge_kutta, by_predicted_attitude)},
                {"as-run": "as Buss's tables were run", "clean": "well started"},
            ),
            "as Buss's tables were run, or without the slip and well started",
            "clean",
            label="Formula",
        ),
    ),
    start=start,
    order=(2, 2),
    torque_evaluations=2,
    self_starting=False,
    conserves=MOMENTUM,
)
def step(
    body: Any,
    t: float,
    h: float,
    R: Mat3,
    π: Vec3,
    ω1: Vec3,
    ω2: Vec3,
    ω3: Vec3,
    t1: Any,
    t2: Any,
    t3: Any,
    done: float,
    variant: Any,
) -> tuple[Mat3, Vec3, Vec3, Vec3, Vec3, Any, Any, Any, float]:
    """One step; ω1, ω2, ω3 and t1, t2, t3 are the velocities and torques of the steps before, newest first."""
    starting, carried = variant
    ω, τ = velocity(body, R, π), body.spatial_torque(t, R)
    if done < STARTING_STEPS:
        R1, π1 = starting(body, t, h, R, π)
        return R1, π1, ω, ω1, ω2, τ, t1, t2, done + 1.0
    mean = (55 * ω - 59 * ω1 + 37 * ω2 - 9 * ω3) / 24.0
    Rp = turned_in_space(R, h * mean)
    πp = π + h / 24 * (55 * τ - 59 * t1 + 37 * t2 - 9 * t3)
    ωp = carried(R, Rp, body.Jinv @ (Rp.T @ πp))
    tp = body.spatial_torque(t + h, Rp)
    mean = (9 * ωp + 19 * ω - 5 * ω1 + ω2) / 24.0
    π1 = π + h / 24 * (9 * tp + 19 * τ - 5 * t1 + t2)
    return turned_in_space(R, h * mean), π1, ω, ω1, ω2, τ, t1, t2, done
