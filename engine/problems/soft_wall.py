"""A body drawn by a Coulomb potential to a soft wall.

As printed in Krysl and Endres, section 3.6, the torque has the wrong sign: the Coulomb term repels,
the steep term attracts, and the body never meets the wall. sign="physical" is what their text
describes, sign="as-printed" what their figure was made with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, cross, dot, hat, outer
from ..parameters.parameter import OneOf, Parameter
from ..text.bibliography import bibtex
from .field import Field, Numbers
from .problem import Action, problem
from .shared_fields import vector, vertical

SIGNS = {"physical": 1.0, "as-printed": -1.0}
DISTANCE = 1.1
STEEPNESS = 0.001


def height(R: Mat3, p: Numbers) -> float:
    """z = e3 · Rχ."""
    return dot(vertical(R), vector(p))


def inverse_powers(z: float) -> tuple[float, float, float]:
    """The first, second and fourth power of 1/(1.1 + z)."""
    w = 1.0 / (DISTANCE + z)
    w2 = w * w
    return w, w2, w2 * w2


def pull(z: float) -> float:
    """V′ for V = −1/(1.1 + z) + 0.001/(1.1 + z)¹⁰."""
    w, w2, w4 = inverse_powers(z)
    return w2 - 10.0 * STEEPNESS * (w4 * w4 * w2 * w)


def pull_rate(z: float) -> float:
    """V″"""
    w, w2, w4 = inverse_powers(z)
    return -2.0 * w2 * w + 110.0 * STEEPNESS * (w4 * w4 * w4)


def torque(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = ±V′(z) Γ × χ."""
    return p[3] * pull(height(R, p)) * cross(vertical(R), vector(p))


def potential(t: float, R: Mat3, p: Numbers) -> float:
    """±V(z)."""
    w, w2, w4 = inverse_powers(height(R, p))
    return p[3] * (STEEPNESS * (w4 * w4 * w2) - w)


def tangent(t: float, R: Mat3, M: Mat3, p: Numbers) -> Mat3:
    """D M; a turn δ changes Γ by Γ × δ and z by (χ × Γ)·δ."""
    Γ, χ, z = vertical(R), vector(p), height(R, p)
    lever = cross(Γ, χ)
    return ((-p[3] * pull_rate(z)) * outer(lever, lever) - (p[3] * pull(z)) * (hat(χ) @ hat(Γ))) @ M


SOFT_WALL = Field("soft-wall", torque, potential, tangent, body_vectors=(0,))


@problem(
    key="soft-wall",
    name="Coulomb pull and a soft wall",
    group="Krysl & Endres",
    summary="A body that moves towards a wall and is thrown back: the forces change suddenly near contact.",
    J=(2.0, 3.0, 4.5),
    Pi0=(2.0, 2.0, 2.0),
    dt=0.05,
    duration=20.0,
    equations=r"""T = V'(z)\; \Gamma \times e_3, \quad z = e_3 \cdot R e_3, \quad
        V = -\frac{1}{1.1 + z} + \frac{0.001}{(1.1 + z)^{10}}""",
    invariants=("energy", "pi_e3", "gamma_norm"),
    specific=(
        Parameter(
            "sign",
            OneOf(SIGNS, {"as-printed": "as printed"}),
            "physical: the pull attracts and the wall repels; as-printed: the other way round",
            "physical",
            label="Signs of pull and wall",
        ),
    ),
    reference=bibtex("KryslEndres2005"),
)
def soft_wall(values: Mapping[str, Any], dt: float) -> Action:
    """The field with its sign."""
    return Action(SOFT_WALL, (0.0, 0.0, 1.0, SIGNS[values["sign"]]))
