"""Problems for measurements of methods: a torque that depends on time, and one with every component
in space.

Gravity has no vertical torque, and none that depends on time. A method that evaluates its torque at
a wrong time, or loses the vertical part, would pass on every top. Here the torque is, in space,

    τ = a cos νt + b sin νt + e₁ × R w₁ + e₃ × R w₃.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin
from typing import Any

from ...algebra import Mat3, Vec3, cross, hat
from ...problems.field import Field, Numbers
from ...problems.problem import Action, Problem
from ...problems.shared_fields import turn_lever, vertical

NOUGHT = (0.0, 0.0, 0.0)


def sideways(R: Mat3) -> Vec3:
    """Rᵀe₁."""
    return Vec3(R.xx, R.xy, R.xz)


def first(p: Numbers) -> Vec3:
    """w₁."""
    return Vec3(p[7], p[8], p[9])


def third(p: Numbers) -> Vec3:
    """w₃."""
    return Vec3(p[10], p[11], p[12])


def push(p: Numbers, c: float, s: float) -> Vec3:
    """a c + b s, in space."""
    return Vec3(p[0] * c + p[3] * s, p[1] * c + p[4] * s, p[2] * c + p[5] * s)


def torque(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = Rᵀτ."""
    of_time = R.T @ push(p, cos(p[6] * t), sin(p[6] * t))
    return of_time + cross(sideways(R), first(p)) + cross(vertical(R), third(p))


def tangent(t: float, R: Mat3, M: Mat3, p: Numbers) -> Mat3:
    """A turn δ changes Rᵀx by Rᵀx × δ."""
    of_time = hat(R.T @ push(p, cos(p[6] * t), sin(p[6] * t))) @ M
    return of_time + turn_lever(sideways(R), first(p), M) + turn_lever(vertical(R), third(p), M)


FIELD = Field("driven", torque, None, tangent)


def driven(values: Mapping[str, Any], dt: float) -> Action:
    """A torque of time alone, in all directions."""
    return Action(FIELD, (0.9, -0.6, 0.8, 0.5, 1.1, -0.7, 3.0, *NOUGHT, *NOUGHT))


def three_axis(values: Mapping[str, Any], dt: float) -> Action:
    """A torque of the attitude alone, in all directions."""
    return Action(FIELD, (*NOUGHT, *NOUGHT, 0.0, 0.7, 1.2, -0.5, -0.8, 0.4, 1.5))


PROBLEMS = {
    key: Problem(
        key=key,
        name=name,
        J=(1.0, 1.5, 2.1),
        R0=(0.3, -0.5, 0.4),
        Omega0=(0.8, -0.5, 1.1),
        dt=0.05,
        duration=2.0,
        act=act,
    )
    for key, name, act in (
        ("driven", "a torque that depends on time", driven),
        ("three-axis", "a torque with every component in space", three_axis),
    )
}
