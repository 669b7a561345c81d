"""LGVI in inertial coordinates: both bodies in space."""

from __future__ import annotations

from typing import Any

from ...algebra import Gravity, Mat3, Vec3, cross
from ..core.body import Bodies
from .implicit import momentum_after, nonstandard

Hamiltonian = tuple[Mat3, Mat3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Gravity]


def find_gravity(bodies: Bodies, R1: Mat3, R2: Mat3, x1: Vec3, x2: Vec3) -> Gravity:
    """The gravity; the force on body 2 is R2 U_X, that on body 1 its opposite."""
    return bodies.gravity(R2.T @ (x1 - x2), R2.T @ R1)


def moments(R1: Mat3, R2: Mat3, x1: Vec3, x2: Vec3, g: Gravity) -> tuple[Vec3, Vec3]:
    """M1 and M2, each in its body's frame."""
    return -(R1.T @ (R2 @ g.M)), cross(R2.T @ (x1 - x2), g.U_X) + g.M


def start_hamiltonian(
    bodies: Bodies, t: float, h: float, R1: Mat3, R2: Mat3, Ω1: Vec3, Ω2: Vec3, x1: Vec3, x2: Vec3, v1: Vec3,
    v2: Vec3, solver: Any,
) -> Hamiltonian:  # fmt: skip
    """The first state: attitudes, places, γ = m v, Π = J Ω and the gravity there."""
    Π1, Π2 = bodies.J1 @ Ω1, bodies.J2 @ Ω2
    return (
        R1,
        R2,
        x1,
        x2,
        bodies.m1 * v1,
        bodies.m2 * v2,
        Π1,
        Π2,
        find_gravity(bodies, R1, R2, x1, x2),
    )


def hamiltonian(
    bodies: Bodies, t: float, h: float, R1: Mat3, R2: Mat3, x1: Vec3, x2: Vec3, γ1: Vec3, γ2: Vec3, Π1: Vec3,
    Π2: Vec3, g: Gravity, solver: Any,
) -> Hamiltonian:  # fmt: skip
    """Equations (60) to (64): half a kick, the turns and the drift, half a kick at their end."""
    m1, m2 = bodies.m1, bodies.m2
    M1, M2 = moments(R1, R2, x1, x2, g)
    kick = h / 2 * (R2 @ g.U_X)
    γ1, γ2, Π1, Π2 = γ1 - kick, γ2 + kick, Π1 + h / 2 * M1, Π2 + h / 2 * M2

    F1 = solver(bodies, h, bodies.J1inv, Π1)
    F2 = solver(bodies, h, bodies.J2inv, Π2)
    x1, x2 = x1 + h / m1 * γ1, x2 + h / m2 * γ2
    R1, R2 = R1 @ F1, R2 @ F2

    g = find_gravity(bodies, R1, R2, x1, x2)
    M1, M2 = moments(R1, R2, x1, x2, g)
    kick = h / 2 * (R2 @ g.U_X)
    return R1, R2, x1, x2, γ1 - kick, γ2 + kick, F1.T @ Π1 + h / 2 * M1, F2.T @ Π2 + h / 2 * M2, g


def view_hamiltonian(bodies: Bodies, S: tuple[Any, ...]) -> tuple[Any, ...]:
    """Velocities in place of momenta."""
    R1, R2, x1, x2, γ1, γ2, Π1, Π2, g = S
    v1, v2 = γ1 * (1.0 / bodies.m1), γ2 * (1.0 / bodies.m2)
    return R1, R2, bodies.J1inv @ Π1, bodies.J2inv @ Π2, x1, x2, v1, v2, g


Lagrangian = tuple[Mat3, Mat3, Mat3, Mat3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Gravity]


def start_lagrangian(
    bodies: Bodies, t: float, h: float, R1: Mat3, R2: Mat3, Ω1: Vec3, Ω2: Vec3, x1: Vec3, x2: Vec3, v1: Vec3,
    v2: Vec3, solver: Any,
) -> Lagrangian:  # fmt: skip
    """The first state, with the step that leads to it by the discrete Legendre transform."""
    Π1, Π2 = bodies.J1 @ Ω1, bodies.J2 @ Ω2
    g = find_gravity(bodies, R1, R2, x1, x2)
    M1, M2 = moments(R1, R2, x1, x2, g)
    # From its end a step F looks like the step Fᵀ with the momentum reversed.
    F1 = solver(bodies, h, bodies.J1inv, -(Π1 - h / 2 * M1)).T
    F2 = solver(bodies, h, bodies.J2inv, -(Π2 - h / 2 * M2)).T
    pull = R2 @ g.U_X
    x1_before = x1 - h * (v1 + h / (2.0 * bodies.m1) * pull)
    x2_before = x2 - h * (v2 - h / (2.0 * bodies.m2) * pull)
    return R1, R2, F1, F2, x1, x1_before, x2, x2_before, v1, v2, Π1, Π2, g


def lagrangian(
    bodies: Bodies, t: float, h: float, R1: Mat3, R2: Mat3, F1: Mat3, F2: Mat3, x1: Vec3, x1_before: Vec3,
    x2: Vec3, x2_before: Vec3, v1: Vec3, v2: Vec3, Π1: Vec3, Π2: Vec3, g: Gravity, solver: Any,
) -> Lagrangian:  # fmt: skip
    """Equations (56) to (58), where (56) lacks m; v and Π are for observation, by the Legendre
    transform.
    """
    m1, m2 = bodies.m1, bodies.m2
    M1, M2 = moments(R1, R2, x1, x2, g)
    pull = R2 @ g.U_X
    hΠ1 = momentum_after(nonstandard(bodies.J1), F1) + h**2 * M1
    hΠ2 = momentum_after(nonstandard(bodies.J2), F2) + h**2 * M2
    F1 = solver(bodies, h, bodies.J1inv, hΠ1 * (1.0 / h))
    F2 = solver(bodies, h, bodies.J2inv, hΠ2 * (1.0 / h))

    x1, x1_before = 2.0 * x1 - x1_before - h**2 / m1 * pull, x1
    x2, x2_before = 2.0 * x2 - x2_before + h**2 / m2 * pull, x2
    R1, R2 = R1 @ F1, R2 @ F2

    g = find_gravity(bodies, R1, R2, x1, x2)
    M1, M2 = moments(R1, R2, x1, x2, g)
    pull = R2 @ g.U_X
    v1 = (x1 - x1_before) * (1.0 / h) - h / (2.0 * m1) * pull
    v2 = (x2 - x2_before) * (1.0 / h) + h / (2.0 * m2) * pull
    Π1 = momentum_after(nonstandard(bodies.J1), F1) * (1.0 / h) + h / 2 * M1
    Π2 = momentum_after(nonstandard(bodies.J2), F2) * (1.0 / h) + h / 2 * M2
    return R1, R2, F1, F2, x1, x1_before, x2, x2_before, v1, v2, Π1, Π2, g


def view_lagrangian(bodies: Bodies, S: tuple[Any, ...]) -> tuple[Any, ...]:
    """Velocities in place of momenta."""
    R1, R2, _, _, x1, _, x2, _, v1, v2, Π1, Π2, g = S
    return R1, R2, bodies.J1inv @ Π1, bodies.J2inv @ Π2, x1, x2, v1, v2, g
