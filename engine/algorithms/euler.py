"""Euler's equation, in the two forms that methods start from."""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, Zero3, cross


def angular_acceleration(body: Any, T: Vec3 | Zero3, Ω: Vec3) -> Vec3:
    """A with J A = JΩ × Ω + T, the angular acceleration in the body's frame."""
    return body.Jinv @ (cross(body.J @ Ω, Ω) + T)


def with_acceleration(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """The first state of a method that carries R, Ω and A: the acceleration follows from the balance."""
    return R, Ω, angular_acceleration(body, body.torque(t, R), Ω)


def with_momentum(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """The first state of a method that carries R and Π."""
    return R, body.J @ Ω


def with_momentum_and_torque(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3, Vec3 | Zero3]:
    """The first state of a method that carries R, Π and the torque, which is evaluated once a step."""
    return R, body.J @ Ω, body.torque(t, R)
