"""Buss's energy correction, section 4: after a step, turn the body a little so that its energy is
unchanged.

The correction moves the point ρ of the inertia ellipsoid under the momentum onto the right polhode,
along a hyperboloid that crosses the polhodes at right angles, and turns the body until the normal
there lies along the momentum. (The paper's box prints I = ν · Jν; it is n · Jn with n = ν/|ν|, so
that ρ · Jρ = 1.)
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import Any

from ...algebra import Mat3, Vec3, cross, dot, exp, norm
from ...algebra.precision import ByPrecision
from .body import Body

NEARLY_THERE = ByPrecision(1e-12, single=1e-5)
"""Relative error of the energy below which a body that cannot be corrected needs no correction."""


def find_turn(body: Body, Π: Vec3, energy: float) -> Mat3:
    """The turn in the body's frame after which the body has this energy."""
    J = body.J
    ν = body.Jinv @ Π
    ρ = ν / sqrt(dot(ν, Π))
    s = Vec3(ρ.x * ρ.x, ρ.y * ρ.y, ρ.z * ρ.z)
    α = Vec3(
        J.y * J.z * (J.z - J.y) * s.y * s.z,
        J.x * J.z * (J.x - J.z) * s.x * s.z,
        J.y * J.x * (J.y - J.x) * s.x * s.y,
    )
    # ρᵢ² changes along J × α, which leaves ρ · Jρ = 1 and the hyperboloid as they are.
    along = cross(Vec3(J.x, J.y, J.z), α)
    squares = J @ (J @ along)
    wanted = dot(Π, Π) / (2.0 * energy)
    missing = wanted - dot(J @ (J @ s), Vec3(1.0, 1.0, 1.0))
    s = s + along * (missing / (squares.x + squares.y + squares.z))
    if not (s.x >= 0.0 and s.y >= 0.0 and s.z >= 0.0):
        if abs(missing) > NEARLY_THERE.of(energy) * wanted:
            body.count_uncorrected()
        return exp(Vec3(0.0, 0.0, 0.0))
    τ = J @ Vec3(copy_sign(sqrt(s.x), ρ.x), copy_sign(sqrt(s.y), ρ.y), copy_sign(sqrt(s.z), ρ.z))
    axis = cross(τ, Π)
    sine = norm(axis)
    if sine == 0.0:
        return exp(axis)
    return exp(axis * (atan2(sine, dot(τ, Π)) / sine))


def copy_sign(size: float, like: float) -> float:
    """`size` with the sign of `like`."""
    return size if like >= 0.0 else -size


def correct_velocity(body: Body, S: tuple[Any, ...], energy: float) -> tuple[Any, ...]:
    """Correct the state of a method that carries R and Ω."""
    Π = body.J @ S[1]
    Q = find_turn(body, Π, energy)
    return (S[0] @ Q, body.Jinv @ (Q.T @ Π)) + S[2:]


def correct_body_momentum(body: Body, S: tuple[Any, ...], energy: float) -> tuple[Any, ...]:
    """Correct the state of a method that carries R and Π."""
    Q = find_turn(body, S[1], energy)
    return (S[0] @ Q, Q.T @ S[1]) + S[2:]


def correct_spatial_momentum(body: Body, S: tuple[Any, ...], energy: float) -> tuple[Any, ...]:
    """Correct the state of a method that carries R and π."""
    Q = find_turn(body, S[0].T @ S[1], energy)
    return (S[0] @ Q, S[1]) + S[2:]


CORRECTIONS = {"Ω": correct_velocity, "Π": correct_body_momentum, "π": correct_spatial_momentum}
"""The correction for each kind of velocity or momentum in a state."""
