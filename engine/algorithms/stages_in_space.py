"""The stages of the classical Runge–Kutta method in space, with a mean of their rotations.

RK4-AVG takes steps of this kind, and ABAM begins with them.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..algebra import Mat3, Quat, Vec3, exp, quaternion_of, rotation_of
from .core import Body


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
