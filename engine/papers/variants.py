"""Other readings of methods of the papers, besides those of the catalogue."""

from __future__ import annotations

from ..algebra import Diag3, Mat3, Vec3, cross, exp, full, hat
from ..algorithms.core import ON_THE_GROUP, Body, Torque, angular_acceleration, find_method, newton


def start_in_space(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """The balance's acceleration, in space."""
    return R, Ω, R @ angular_acceleration(body, body.torque(t, R), Ω)


def step_in_space(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, α: Vec3
) -> tuple[Mat3, Vec3, Vec3]:
    """NMS, Krysl and Endres's section 2.5: ω, α, the inertia i = R J Rᵀ and the torque in space."""
    ωh = R @ Ω + h / 2 * α
    R = exp(h * ωh) @ R
    τ = body.spatial_torque(t + h, R)
    ω = newton(body, h, balance_in_space, ωh + h / 2 * α, ωh, R, τ)
    i, i_inverse = turn_inertia(body, R)
    return R, R.T @ ω, i_inverse @ (cross(i @ ω, ω) + τ)


def turn_inertia(body: Body, R: Mat3) -> tuple[Mat3, Mat3]:
    """i = R J Rᵀ and its inverse."""
    return R @ full(body.J) @ R.T, R @ full(body.Jinv) @ R.T


def balance_in_space(
    body: Body, h: float, ω: Vec3, ωh: Vec3, R: Mat3, τ: Torque
) -> tuple[Vec3, Mat3]:
    """ω − ωh − h/2 i⁻¹ (iω × ω + τ), and its derivative by ω."""
    i, i_inverse = turn_inertia(body, R)
    rate = i_inverse @ (cross(i @ ω, ω) + τ)
    change = i_inverse @ (hat(i @ ω) - hat(ω) @ i)
    return ω - ωh - h / 2 * rate, full(Diag3(1.0, 1.0, 1.0)) - change * (h / 2)


NMS = find_method("NMB").redeclare(
    key="NMS",
    name="Explicit Newmark, in space",
    step=step_in_space,
    start=start_in_space,
    aliases=(),
)


def crouch_grossman_in_the_body(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3
) -> tuple[Mat3, Vec3]:
    """Crouch and Grossman's method with the classical tableau, Π summed as a vector by Euler's
    equation.
    """
    Ω1, f1 = rates(body, t, R, Π)
    Ω2, f2 = rates(body, t + h / 2, R @ exp(h / 2 * Ω1), Π + h / 2 * f1)
    Ω3, f3 = rates(body, t + h / 2, R @ exp(h / 2 * Ω2), Π + h / 2 * f2)
    Ω4, f4 = rates(body, t + h, R @ exp(h * Ω3), Π + h * f3)
    R = R @ exp(h / 6 * Ω1) @ exp(h / 3 * Ω2) @ exp(h / 3 * Ω3) @ exp(h / 6 * Ω4)
    return R, Π + h / 6 * (f1 + 2 * f2 + 2 * f3 + f4)


def rates(body: Body, t: float, R: Mat3, Π: Vec3) -> tuple[Vec3, Vec3]:
    """Ω and dΠ/dt = Π × Ω + T."""
    Ω = body.Jinv @ Π
    return Ω, cross(Π, Ω) + body.torque(t, R, Ω)


CG_RK4_BODY = find_method("CG-RK4").redeclare(
    key="CG-RK4-BODY",
    name="Crouch–Grossman, classical tableau, momentum summed in the body",
    step=crouch_grossman_in_the_body,
    conserves=ON_THE_GROUP,
)
