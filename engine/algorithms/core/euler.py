"""Euler's equation J dΩ/dt = JΩ × Ω + T in principal axes, divided by J, and the first states of
methods.
"""

from __future__ import annotations

from typing import Any

from ...algebra import Diag3, Mat3, Turn, Vec3
from .body import Body, Torque


def euler_ratios(J: Diag3) -> Diag3:
    """(J₂ − J₃)/J₁, (J₃ − J₁)/J₂, (J₁ − J₂)/J₃."""
    return Diag3((J.y - J.z) / J.x, (J.z - J.x) / J.y, (J.x - J.y) / J.z)


def spin(ratios: Diag3, Ω: Vec3) -> Vec3:
    """J⁻¹ (JΩ × Ω), whose components are (J₂ − J₃)/J₁ Ω₂Ω₃ and so on."""
    return Vec3(ratios.x * (Ω.y * Ω.z), ratios.y * (Ω.z * Ω.x), ratios.z * (Ω.x * Ω.y))


def one_minus_spin(ratios: Diag3, k: float, Ω: Vec3) -> Mat3:
    """1 − k times the derivative of `spin` by Ω: the tangent of most implicit steps, whose diagonal
    is ones.
    """
    x, y, z = k * ratios.x, k * ratios.y, k * ratios.z
    return Mat3(1.0, -x * Ω.z, -x * Ω.y, -y * Ω.z, 1.0, -y * Ω.x, -z * Ω.y, -z * Ω.x, 1.0)


def angular_acceleration(body: Body, T: Torque, Ω: Vec3) -> Vec3:
    """A = J⁻¹ (JΩ × Ω + T), the angular acceleration in the body's frame."""
    return spin(body.ratios, Ω) + body.Jinv @ T


def turn_and_kick(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, E: Mat3 | Turn
) -> tuple[Mat3, Vec3, Any]:
    """The end of a step that turns by E, with half of the impulse of the torque there."""
    R = R @ E
    T = body.torque(t + h, R)
    return R, E.T @ Π + h / 2 * T, T


def start_with_acceleration(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Mat3, Vec3, Vec3]:
    """The first state R, Ω and A; the acceleration follows from the balance."""
    return R, Ω, angular_acceleration(body, body.torque(t, R), Ω)


def start_velocity_and_torque(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Mat3, Vec3, Torque]:
    """The first state R, Ω and the torque, which a step evaluates once."""
    return R, Ω, body.torque(t, R)


def start_with_torque(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Mat3, Vec3, Torque]:
    """The first state R, Π and the torque, which a step evaluates once."""
    return R, body.J @ Ω, body.torque(t, R)
