"""RK2-MATRIX, RK4-MATRIX and RK4-QUAT: explicit Runge–Kutta methods on coordinates that they do not respect.

On the nine entries of R nothing keeps RᵀR = 1, and on the quaternion nothing keeps its length; they are here to show
what that does. IMR-MATRIX is the implicit midpoint rule on the same nine entries, which keeps every quadratic
invariant, and so RᵀR = 1 as well: an implicit method may do what an explicit one cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from ..algebra import (
    Mat3,
    Quat,
    Vec3,
    Weights,
    cay,
    combination,
    dcay_matrix,
    dot,
    hat,
    quaternion_of,
    rodrigues,
    rotation_of,
)
from ..spec import OneOf, Parameter
from ..told import FREE, Defined, grows, keeps, loses, measured, times, told
from .euler import angular_acceleration, one_minus_spin, spin
from .method import MOMENTUM, ON_THE_GROUP, method
from .newton import newton
from .tableaux import HAIRER, Stage, choice_of_tableau, promised_by

REFERENCE = """@article{Kutta1901,
  author  = {Kutta, Wilhelm},
  title   = {Beitrag zur n\\"aherungsweisen {I}ntegration totaler {D}ifferentialgleichungen},
  journal = {Zeitschrift f\\"ur Mathematik und Physik},
  volume  = {46}, pages = {435--453}, year = {1901}}"""


KEPT = {"pi_chi": "symmetric tops"}
"""A symmetric top's Ω₃ has no rate, so any method keeps it that sums up Ω as a vector."""


@method(
    key="RK4-MATRIX",
    name="Classical Runge–Kutta on the nine entries of R",
    family="Baseline",
    summary=told(
        "Order four for the wrong space: [R leaves the rotations, and energy and momentum are not kept].",
        loses("orthogonality", "energy", "pi"),
    ),
    equations=r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{RK4}",
    reference=REFERENCE,
    order=(4, 4),
    torque_evaluations=4,
    torque_of_velocity=True,
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
    return R @ hat(Ω), angular_acceleration(body, body.torque(t, R, Ω), Ω)


@method(
    key="RK2-MATRIX",
    name="Explicit midpoint rule on the nine entries of R",
    aliases=("explicit midpoint",),
    family="Baseline",
    summary=told(
        "Second order for the wrong space: in steps of 0.05 rad R leaves the rotations [{} times] as far as with "
        "RK4-MATRIX, and a free body's energy [grows].",
        times("orthogonality", "RK4-MATRIX", FREE, 6400, 7400),
        grows(FREE),
    ),
    equations=r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{midpoint}",
    reference=REFERENCE,
    order=(2, 2),
    torque_evaluations=2,
    torque_of_velocity=True,
    conserves=KEPT,
)
def midpoint_on_matrix(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """One step of the explicit midpoint rule."""
    k1, l1 = matrix_rate(body, t, R, Ω)
    k2, l2 = matrix_rate(body, t + h / 2, R + h / 2 * k1, Ω + h / 2 * l1)
    return R + h * k2, Ω + h * l2


@method(
    key="IMR-MATRIX",
    name="Implicit midpoint rule on the nine entries of R",
    aliases=("SRK",),
    family="Baseline",
    summary=told(
        "Implicit midpoint on [twelve numbers]: [keeps RᵀR, energy and momentum of the free body, all quadratic].",
        Defined("nine entries of R and three of Ω"),
        keeps(orthogonality="always", energy="tops", pi="free"),
    ),
    equations=r"R_m = R_n + \tfrac h2 R_m \hat\Omega_m, \quad \Omega_m = \Omega_n + \tfrac h2 \dot\Omega_m",
    reference=REFERENCE,
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves=MOMENTUM | {"energy": "tops", "pi_e3": "tops", "pi_chi": "symmetric tops"},
)
def implicit_midpoint(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """One step. R_m = R (1 − h/2 Ω̂_m)⁻¹, so the end 2 R_m − R is R cay(h Ω_m), and three equations are left."""
    Ωm = newton(body, h, midpoint_balance, Ω, t, R, Ω)
    Ωm = newton(body, h, midpoint_balance, Ωm, t, R, Ω)  # where R_m is no rotation the tangent is not exact
    return R @ cay(h * Ωm), 2 * Ωm - Ω


def half_way(R: Mat3, v: Vec3) -> Mat3:
    """R (1 − v̂)⁻¹, which is no rotation."""
    return R @ rodrigues(v, 1.0 / (1.0 + dot(v, v)), 1.0 / (1.0 + dot(v, v)))


def midpoint_balance(body: Any, h: float, Ωm: Vec3, t: float, R: Mat3, Ω: Vec3) -> tuple[Vec3, Mat3]:
    """Ω_m − Ω − h/2 dΩ/dt in the middle, and its derivative by Ω_m; the torque's along the Cayley map."""
    v = h / 2 * Ωm
    Rm = half_way(R, v)
    T = body.torque(t + h / 2, Rm)
    D = body.torque_tangent(t + h / 2, Rm, dcay_matrix(v))
    residual = Ωm - Ω - h / 2 * (spin(body.ratios, Ωm) + body.Jinv @ T)
    return residual, one_minus_spin(body.ratios, h / 2, Ωm) - (h**2 / 4 * body.Jinv) @ D


def quaternion_start(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any) -> tuple[Quat, Vec3]:
    """The quaternion of the given attitude."""
    return quaternion_of(R), Ω


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Renormalised, the quaternion stays a rotation."""
    renormalised = chosen.get("renormalise", "no") == "yes"
    return {"conserves": KEPT | (ON_THE_GROUP if renormalised else {})}


def unit(q: Quat) -> Quat:
    """The quaternion brought back to length one."""
    return q * (1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))


def unchanged(q: Quat) -> Quat:
    """The quaternion as the method leaves it."""
    return q


RENORMALISE = Parameter(
    "renormalise",
    OneOf({"no": unchanged, "yes": unit}),
    "whether the quaternion is brought back to unit length after each step",
    "no",
    label="Brought back to unit length",
)


@method(
    key="RK4-QUAT",
    name="Classical Runge–Kutta on the quaternion",
    family="Baseline",
    summary=told(
        "The quaternion as four numbers: its length, energy and momentum [are not kept].",
        loses("orthogonality", "energy", "pi"),
    ),
    equations=r"\dot q = \tfrac12 q \otimes \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{RK4}",
    reference=REFERENCE,
    options=(RENORMALISE,),
    start=quaternion_start,
    order=(4, 4),
    torque_evaluations=4,
    torque_of_velocity=True,
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
    return 0.5 * (q @ Ω), angular_acceleration(body, body.torque(t, rotation_of(q), Ω), Ω)


def first_stage(rest: Stage) -> Stage:
    """The rates at the start of the step, and the rest of the stages."""

    def rates(body: Any, t: float, h: float, q: Quat, Ω: Vec3, K: Any, L: Any) -> tuple[Any, Any]:
        dq, dΩ = quaternion_rate(body, t, q, Ω)
        return rest(body, t, h, q, Ω, (dq,), (dΩ,))

    return rates


def later_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """Those of a later one, and the rest."""

    def rates(body: Any, t: float, h: float, q: Quat, Ω: Vec3, K: Any, L: Any) -> tuple[Any, Any]:
        dq, dΩ = quaternion_rate(body, t + c * h, q + h * combination(row, K), Ω + h * combination(row, L))
        return rest(body, t, h, q, Ω, K + (dq,), L + (dΩ,))

    return rates


def tableau_promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order and cost are the tableau's."""
    return {**promised_by(chosen.get("tableau", "dop853")), **promises(chosen)}


@method(
    key="RK-QUAT",
    name="Runge–Kutta on the quaternion, with any tableau",
    aliases=("RK8-QUAT",),
    family="Baseline",
    summary=told(
        "RK4-QUAT with a tableau of order eight, DOP853's: after 400 steps of 0.05 rad a free body's attitude is "
        "[within 10⁻¹³ rad], though [nothing is kept by its structure].",
        measured("attitude", FREE, 0, 1e-13),
        loses("orthogonality", "energy", "pi"),
    ),
    equations=r"\dot q = \tfrac12 q \otimes \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T",
    reference=HAIRER,
    options=(choice_of_tableau(first_stage, later_stage, "dop853"), RENORMALISE),
    start=quaternion_start,
    order=(8, 8),
    torque_evaluations=12,
    torque_of_velocity=True,
    conserves=KEPT,
    given_options=tableau_promises,
)
def by_tableau(body: Any, t: float, h: float, q: Quat, Ω: Vec3, tableau: Any, renormalise: Any) -> tuple[Quat, Vec3]:
    """One step of the tableau."""
    dq, dΩ = tableau(body, t, h, q, Ω)
    return renormalise(q + dq), Ω + dΩ
