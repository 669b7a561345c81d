"""RK4-MATRIX and RK4-QUAT: the classical Runge–Kutta method on coordinates that it does not respect.

On the nine entries of R nothing keeps RᵀR = 1, and on the quaternion nothing keeps its length; both are here to
show what that does.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from ..algebra import Mat3, Quat, Vec3, hat, quaternion_of, rotation_of
from .euler import angular_acceleration
from .method import Choice, method

REFERENCE = """@article{Kutta1901,
  author  = {Kutta, Wilhelm},
  title   = {Beitrag zur n\\"aherungsweisen {I}ntegration totaler {D}ifferentialgleichungen},
  journal = {Zeitschrift f\\"ur Mathematik und Physik},
  volume  = {46}, pages = {435--453}, year = {1901}}"""


def given(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """Attitude and angular velocity as they are given."""
    return R, Ω


KEPT = {"pi_chi": "symmetric tops"}
"""A symmetric top's Ω₃ has no rate, so any method keeps it that sums up Ω as a vector."""


@method(
    key="RK4-MATRIX",
    name="Classical Runge–Kutta on the nine entries of R",
    family="Baseline",
    summary="Order four for the wrong space: R leaves the rotations, and next to nothing is kept.",
    equations=r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{RK4}",
    reference=REFERENCE,
    start=given,
    order=(4, 4),
    torque_evaluations=4,
    conserves=KEPT,
)
def on_matrix(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """One step of the classical method."""
    k1, l1 = matrix_rate(body, t, R, Ω)
    k2, l2 = matrix_rate(body, t + h / 2, R + h / 2 * k1, Ω + h / 2 * l1)
    k3, l3 = matrix_rate(body, t + h / 2, R + h / 2 * k2, Ω + h / 2 * l2)
    k4, l4 = matrix_rate(body, t + h, R + h * k3, Ω + h * l3)
    return R + h / 6 * (k1 + 2 * (k2 + k3) + k4), Ω + h / 6 * (l1 + 2 * (l2 + l3) + l4)


def matrix_rate(body: Any, t: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """dR/dt and dΩ/dt."""
    return R @ hat(Ω), angular_acceleration(body, body.torque(t, R), Ω)


def quaternion_start(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, renormalise: Any) -> tuple[Quat, Vec3]:
    """The quaternion of the given attitude."""
    return quaternion_of(R), Ω


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renormalised, the quaternion stays a rotation."""
    renormalised = chosen.get("renormalise", "no") == "yes"
    return {"conserves": KEPT | ({"orthogonality": "always", "gamma_norm": "always"} if renormalised else {})}


def unit(q: Quat) -> Quat:
    """The quaternion brought back to length one."""
    return q * (1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))


def unchanged(q: Quat) -> Quat:
    """The quaternion as the method leaves it."""
    return q


@method(
    key="RK4-QUAT",
    name="Classical Runge–Kutta on the quaternion",
    family="Baseline",
    summary="What most programs do. The quaternion's length, energy and momentum all drift.",
    equations=r"\dot q = \tfrac12 q \otimes \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{RK4}",
    reference=REFERENCE,
    options=(
        Choice(
            "renormalise",
            "whether the quaternion is brought back to unit length after each step",
            {"no": unchanged, "yes": unit},
            "no",
        ),
    ),
    start=quaternion_start,
    order=(4, 4),
    torque_evaluations=4,
    conserves=KEPT,
    given_options=promises,
)
def on_quaternion(body: Any, t: float, h: float, q: Quat, Ω: Vec3, renormalise: Any) -> tuple[Quat, Vec3]:
    """One step of the classical method."""
    k1, l1 = quaternion_rate(body, t, q, Ω)
    k2, l2 = quaternion_rate(body, t + h / 2, q + h / 2 * k1, Ω + h / 2 * l1)
    k3, l3 = quaternion_rate(body, t + h / 2, q + h / 2 * k2, Ω + h / 2 * l2)
    k4, l4 = quaternion_rate(body, t + h, q + h * k3, Ω + h * l3)
    return renormalise(q + h / 6 * (k1 + 2 * (k2 + k3) + k4)), Ω + h / 6 * (l1 + 2 * (l2 + l3) + l4)


def quaternion_rate(body: Any, t: float, q: Quat, Ω: Vec3) -> tuple[Quat, Vec3]:
    """dq/dt and dΩ/dt."""
    return 0.5 * (q @ Ω), angular_acceleration(body, body.torque(t, rotation_of(q)), Ω)
