"""The magnet on SO(3) of the notes: a potential of the distances from the identity and from one
other attitude.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from ..algebra import Mat3, Vec3, exp, trace, vee
from ..parameters.parameter import Number, Parameter
from .field import Field, Numbers
from .problem import MOMENT, Action, problem

MAGNET = exp(Vec3(2.5 / sqrt(2), 0.0, 2.5 / sqrt(2)))
"""The attitude that attracts."""


def distance(M: Mat3) -> float:
    """d(A, B) = √(2 (3 − tr AᵀB)) of the attitudes whose quotient AᵀB is M."""
    return sqrt(2.0 * (3.0 - trace(M)))


def magnet_of(p: Numbers) -> Mat3:
    """The attracting attitude, from the field's numbers."""
    return Mat3(p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9])


def torque(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = −2 (1 − 1/d₁) ax(R) − α ax(GᵀR)/d₂³, where ax is twice vee."""
    S = magnet_of(p).T @ R
    d1, d2 = distance(R), distance(S)
    return (-4.0 * (1.0 - 1.0 / d1)) * vee(R) - (2.0 * p[0] / (d2 * d2 * d2)) * vee(S)


def potential(t: float, R: Mat3, p: Numbers) -> float:
    """V = (d₁ − 1)² − α/d₂."""
    d1, d2 = distance(R), distance(magnet_of(p).T @ R)
    return (d1 - 1.0) * (d1 - 1.0) - p[0] / d2


FIELD = Field("magnet", torque, potential, own_axes=True)


@problem(
    key="magnet",
    name="Magnet on SO(3)",
    group="Notes on SO(3) integrators",
    words="magnetic field singular",
    summary="A symmetric body that is held at a distance from one attitude and drawn to another. The torque has no "
    "value at these two attitudes.",
    J=(2.0, 2.0, 4.0),
    R0=(0.0, 0.7227, 0.0),
    Omega0=(0.0, 0.0, 0.625),
    dt=0.25,
    duration=10000.0,
    equations=r"""V = (d(R, 1) - 1)^2 - \frac{\alpha}{d(R, G)}, \quad
        d(A, B) = \sqrt{2 (3 - \mathrm{tr}\, A^T B)}, \quad G = \exp\left(\tfrac{2.5}{\sqrt 2} (1, 0, 1)\right)""",
    invariants=("energy", "gamma_norm"),
    specific=(
        Parameter(
            "alpha",
            Number(0.0, 1e6),
            "strength of the attraction",
            0.3,
            MOMENT,
            "Strength of the attraction α",
        ),
    ),
)
def magnet(values: Mapping[str, Any], dt: float) -> Action:
    """The field with its strength and its attracting attitude."""
    return Action(FIELD, (values["alpha"], *MAGNET))
