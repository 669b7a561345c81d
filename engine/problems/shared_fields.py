"""Fields that several problems share: gravity on a top, and constant moments."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..algebra import Mat3, Vec3, cross, dot, hat, outer
from ..parameters.validation import Array
from .field import Field, Numbers, nothing
from .problem import Action


def vertical(R: Mat3) -> Vec3:
    """Γ = Rᵀe3, the vertical seen from the body."""
    return Vec3(R.zx, R.zy, R.zz)


def vector(p: Numbers) -> Vec3:
    """The body vector that a field's numbers begin with."""
    return Vec3(p[0], p[1], p[2])


# A top in gravity: V = w·Γ with the body-fixed vector w = Mgl χ, hence T = Γ × w.


def top_torque(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = Γ × w, which is −Mgl (Rχ) × e3 in space."""
    return cross(vertical(R), vector(p))


def top_potential(t: float, R: Mat3, p: Numbers) -> float:
    """V = w·Γ."""
    return dot(vertical(R), vector(p))


def top_tangent(t: float, R: Mat3, M: Mat3, p: Numbers) -> Mat3:
    """D M; a turn δ changes Γ by Γ × δ."""
    return turn_lever(vertical(R), vector(p), M)


def turn_lever(Γ: Vec3, w: Vec3, M: Mat3) -> Mat3:
    """The change of Γ × w by the turns M: (Γ × δ) × w = (w·Γ) δ − Γ (w·δ)."""
    return dot(w, Γ) * M - outer(Γ, M.T @ w)


def top_rate(t: float, R: Mat3, Omega: Vec3, p: Numbers) -> Vec3:
    """In space the torque is e3 × u with u = Rw, and du/dt = ω × u."""
    return cross(vertical(R), cross(Omega, vector(p)))


def top_rate2(t: float, R: Mat3, Omega: Vec3, A: Vec3, p: Numbers) -> Vec3:
    """e3 × d²u/dt²."""
    return cross(vertical(R), second_rate(Omega, A, vector(p)))


def second_rate(Omega: Vec3, A: Vec3, w: Vec3) -> Vec3:
    """The second derivative of u = Rw seen from the body: ω̇ × u + ω × (ω × u)."""
    return cross(A, w) + cross(Omega, cross(Omega, w))


GRAVITY = Field(
    "gravity", top_torque, top_potential, top_tangent, top_rate, top_rate2, body_vectors=(0,)
)


# The same with w along the third principal axis, as in most tops: half the arithmetic.


def axial_torque(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = Γ × w e3."""
    return Vec3(p[2] * R.zy, -p[2] * R.zx, 0.0)


def axial_potential(t: float, R: Mat3, p: Numbers) -> float:
    """V = w Γ₃."""
    return p[2] * R.zz


def axial_tangent(t: float, R: Mat3, M: Mat3, p: Numbers) -> Mat3:
    """D = w (Γ₃ − Γ e3ᵀ), whose third row vanishes."""
    x, y, z = p[2] * R.zx, p[2] * R.zy, p[2] * R.zz
    return Mat3(
        z * M.xx - x * M.zx, z * M.xy - x * M.zy, z * M.xz - x * M.zz,
        z * M.yx - y * M.zx, z * M.yy - y * M.zy, z * M.yz - y * M.zz,
        0.0, 0.0, 0.0,
    )  # fmt: skip


AXIAL_GRAVITY = Field(
    "axial gravity",
    axial_torque,
    axial_potential,
    axial_tangent,
    top_rate,
    top_rate2,
    body_vectors=(0,),
    turned=GRAVITY,
)


def gravity(Mgl: float, chi: tuple[float, float, float]) -> Action:
    """Gravity on a body whose centre of mass lies along χ; χ need not be of unit length."""
    return gravity_in(AXIAL_GRAVITY if chi[0] == chi[1] == 0.0 else GRAVITY, Mgl, chi)


def gravity_in(field: Field, Mgl: float, chi: tuple[float, float, float]) -> Action:
    """Gravity in a given field, which does not depend on χ."""
    x, y, z = chi
    length = sqrt(x * x + y * y + z * z) or 1.0
    return Action(field, (Mgl * x, Mgl * y, Mgl * z), (x / length, y / length, z / length))


# The invariants of a motion: only for these is a method's departure an error.

FREE_INVARIANTS = ("energy", "pi", "pi_norm", "casimir")
ALIKE = 1e-14
"""Relative departure below which an inertia is symmetric about an axis."""


def find_invariants_in_gravity(
    J: Array, Mgl: float, chi: tuple[float, float, float]
) -> tuple[str, ...]:
    """What a motion in gravity conserves: π·χ if the body is symmetric about χ, and all of π
    without weight.
    """
    length = np.linalg.norm(chi)
    if Mgl == 0.0 or length == 0.0:
        return FREE_INVARIANTS
    χ = np.array(chi) / length
    along = χ @ J @ χ
    across = (np.trace(J) - along) / 2
    off = J - across * np.eye(3) - (along - across) * np.outer(χ, χ)
    symmetric = np.abs(off).max() <= ALIKE * np.abs(J).max()
    return ("energy", "pi_e3", *(("pi_chi",) if symmetric else ()), "gamma_norm")


# A constant moment in the body, or in space.


def body_moment(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = m."""
    return vector(p)


def body_moment_rate(t: float, R: Mat3, Omega: Vec3, p: Numbers) -> Vec3:
    """In space the torque turns with the body."""
    return cross(Omega, vector(p))


def body_moment_rate2(t: float, R: Mat3, Omega: Vec3, A: Vec3, p: Numbers) -> Vec3:
    """The second rate of the turning torque."""
    return second_rate(Omega, A, vector(p))


BODY_MOMENT = Field(
    "body-moment",
    body_moment,
    None,
    nothing,
    body_moment_rate,
    body_moment_rate2,
    body_vectors=(0,),
)


def space_moment(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = Rᵀ m."""
    return R.T @ vector(p)


def space_moment_tangent(t: float, R: Mat3, M: Mat3, p: Numbers) -> Mat3:
    """D M; a turn δ changes T by T × δ."""
    return hat(R.T @ vector(p)) @ M


SPACE_MOMENT = Field("space-moment", space_moment, None, space_moment_tangent, nothing, nothing)
