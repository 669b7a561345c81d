"""What is given, shown and observed of two bodies, as `kernel.py` has it of one."""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, angle, cross, dot
from .kernel import matrix_at, put, skew_of_axes, vector_at
from .layout import TWO_BODIES

AT_R1, AT_R2, AT_OMEGA1, AT_OMEGA2, AT_X1, AT_X2, AT_V1, AT_V2 = TWO_BODIES.at.values()


def given_pair(memory: Any, at: int) -> tuple[Any, ...]:
    """R1, R2, Ω1, Ω2, x1, x2, v1 and v2: attitudes and places in space, angular velocities in the bodies."""
    return (
        matrix_at(memory, at + AT_R1),
        matrix_at(memory, at + AT_R2),
        vector_at(memory, at + AT_OMEGA1),
        vector_at(memory, at + AT_OMEGA2),
        vector_at(memory, at + AT_X1),
        vector_at(memory, at + AT_X2),
        vector_at(memory, at + AT_V1),
        vector_at(memory, at + AT_V2),
    )


def both_attitudes(shown: tuple[Any, ...]) -> tuple[Mat3, Mat3]:
    """R1 and R2 among what a method shows: what is given, and the gravity there."""
    return shown[0], shown[1]


def observe_pair(bodies: Any, t: float, shown: tuple[Any, ...]) -> tuple[float, ...]:
    """Energy, linear and angular momentum, ‖RᵀR − 1‖² of both, and the square of the least distance.

    What is not finite shows in the energy, and so where the kernel looks for it.
    """
    R1, R2, Omega1, Omega2, x1, x2, v1, v2, g = shown
    Pi1, Pi2 = bodies.J1 @ Omega1, bodies.J2 @ Omega2
    p1, p2 = bodies.m1 * v1, bodies.m2 * v2
    p = p1 + p2
    L = cross(x1, p1) + cross(x2, p2) + R1 @ Pi1 + R2 @ Pi2
    energy = 0.5 * (dot(p1, v1) + dot(p2, v2) + dot(Pi1, Omega1) + dot(Pi2, Omega2)) + g.U
    return energy, p.x, p.y, p.z, L.x, L.y, L.z, skew_of_axes(R1), skew_of_axes(R2), g.near


def put_pair_row(rows: Any, at: int, before: Any, shown: tuple[Any, ...], seen: tuple[float, ...]) -> None:
    """Write one row; `before` holds both attitudes before the step, from which the increments are taken."""
    R1, R2, Omega1, Omega2, x1, x2, v1, v2, _ = shown
    increment1, increment2 = angle(matrix_at(before, AT_R1).T @ R1), angle(matrix_at(before, AT_R2).T @ R2)
    put(rows, at, (R1, R2, Omega1, Omega2, x1, x2, v1, v2, increment1, increment2, *seen))
