"""RK4-AVG: Buss's Runge–Kutta method, the classical one with a mean of rotations at the end.

The stages turn the attitude in space. Buss's text averages quaternions; his tables, for large
steps, follow from the mean of rotation vectors. Either way the method treats rotations as vectors,
and the order is two.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..algebra import Mat3, Quat, Vec3, exp, quaternion_of, rotation_of
from ..text import bibtex, keeps, typically
from .core import MOMENTUM, Body, method, offer


def average_vectors(h: float, ω1: Vec3, ω2: Vec3, ω3: Vec3, ω4: Vec3) -> Mat3:
    """The rotation of the mean rotation vector."""
    return exp(h / 6 * (ω1 + 2 * ω2 + 2 * ω3 + ω4))


def average_quaternions(h: float, ω1: Vec3, ω2: Vec3, ω3: Vec3, ω4: Vec3) -> Mat3:
    """The rotation of the mean quaternion, normalised."""
    q1, q2, q3, q4 = (nearest_quaternion(h * ω) for ω in (ω1, ω2, ω3, ω4))
    q = q1 + 2 * q2 + 2 * q3 + q4
    return rotation_of(q * (1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)))


def nearest_quaternion(v: Vec3) -> Quat:
    """The quaternion of exp(v) with a scalar part that is not negative."""
    q = quaternion_of(exp(v))
    return q if q.w >= 0.0 else q * -1.0


def velocity(body: Body, R: Mat3, π: Vec3) -> Vec3:
    """ω = R J⁻¹ Rᵀ π"""
    return R @ (body.Jinv @ (R.T @ π))


def average_stages(
    body: Body, t: float, h: float, R: Mat3, π: Vec3, mean: Any
) -> tuple[Mat3, Vec3]:
    """One step in space, with the given mean of rotations."""
    ω1, t1 = velocity(body, R, π), body.spatial_torque(t, R)
    Ra = exp(h / 2 * ω1) @ R
    ω2, t2 = velocity(body, Ra, π + h / 2 * t1), body.spatial_torque(t + h / 2, Ra)
    Rb = exp(h / 2 * ω2) @ R
    ω3, t3 = velocity(body, Rb, π + h / 2 * t2), body.spatial_torque(t + h / 2, Rb)
    Rc = exp(h * ω3) @ R
    ω4, t4 = velocity(body, Rc, π + h * t3), body.spatial_torque(t + h, Rc)
    return mean(h, ω1, ω2, ω3, ω4) @ R, π + h / 6 * (t1 + 2 * t2 + 2 * t3 + t4)


@method(
    key="RK4-AVG",
    name="Buss's Runge–Kutta",
    family="Baseline",
    reference=bibtex("Buss2000"),
    options=(
        offer(
            "mean",
            "what is averaged: rotation vectors, as in Buss's tables, or quaternions, as in his "
            "text",
            "What is averaged",
            {
                "vector": (average_vectors, "rotation vectors"),
                "quaternion": (average_quaternions, "quaternions"),
            },
        ),
    ),
    order=(2, 2),
    torque_evaluations=4,
    conserves=MOMENTUM,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        typically("energy", "RK4-AVG", 8, of="BUSS2"),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, π: Vec3, mean: Any) -> tuple[Mat3, Vec3]:
    r"""The classical Runge–Kutta method with the mean of four rotations: of order four for vectors,
    of order two here.

    .. math::
        \bar\omega = \tfrac16(\omega_1 + 2\omega_2 + 2\omega_3 + \omega_4), \; R_{n+1} = e^{h\bar\omega} R_n

    - It computes four velocities as the classical Runge–Kutta method does, and turns by their mean.
    - The mean is one of vectors: it omits the commutators of a moving axis, and order two remains.
    - Momentum [stays in space]. With BUSS2, which takes one velocity a step instead of four,
      the energy error in steps of 0.05 rad is [{} times] as large in the median of 40 random
      bodies.
    """
    return average_stages(body, t, h, R, π, mean)
