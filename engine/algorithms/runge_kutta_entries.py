"""RK4-MATRIX, RK2-MATRIX, RK4-QUAT, RK-QUAT and RK-MRP: explicit Runge–Kutta methods for the entries
of R, the quaternion or modified Rodrigues parameters.

RK-QUAT with Euler's tableau and normalisation is JSBSim's step as it comes: the body turns by the
old velocity. RK-MRP with the classical tableau is Basilisk's.

Nothing in them preserves RᵀR = 1 or the length of the quaternion; they are here to show the
consequences. IMR-MATRIX is the implicit midpoint rule for the nine entries of R, which conserves
every quadratic invariant, and so RᵀR = 1: an implicit method can do what an explicit one cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import sqrt
from typing import Any

from ..algebra import (
    Mat3,
    Quat,
    Vec3,
    Weights,
    cay,
    combination,
    cross,
    dot,
    hat,
    quaternion_of,
    rodrigues,
    rotation_of,
)
from ..text import (
    FREE,
    TOPS,
    bibtex,
    declares,
    falls,
    grows,
    keeps,
    loses,
    measures,
    times,
    typically,
)
from .core import (
    MOMENTUM,
    ON_THE_GROUP,
    Body,
    angular_acceleration,
    method,
    newton,
    offer,
    one_minus_spin,
    spin,
)
from .core.tableaux import End, Stage, promise_tableau, tableau_option

UNITS = (hat(Vec3(1.0, 0.0, 0.0)), hat(Vec3(0.0, 1.0, 0.0)), hat(Vec3(0.0, 0.0, 1.0)))
KEPT = {"pi_chi": "symmetric tops"}
"""A symmetric top's Ω₃ has no rate, so that every method conserves it that sums Ω as a vector."""


runge_kutta = partial(
    method,
    family="Baseline",
    reference=bibtex("Kutta1901"),
    torque_of_velocity=True,
    conserves=KEPT,
)
"""Declares an explicit Runge–Kutta method."""


@runge_kutta(
    key="RK4-MATRIX",
    name="Classical Runge–Kutta on the nine entries of R",
    short="Matrix Runge–Kutta 4",
    order=(4, 4),
    torque_evaluations=4,
    evidence=(
        loses("orthogonality", "energy", "pi"),
        (loses("orthogonality", "pi"), measures("orthogonality", FREE, 1e-8, 1)),
    ),
)
def on_matrix(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    r"""Of order four in the wrong space: [R does not stay a rotation, and energy and momentum are
    not conserved].

    .. math::
        \dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{RK4}

    - Each stage adds a tangent to R, entry by entry, and a tangent leads away from the rotations.
    - No step leads back: RᵀR − 1 [grows, and with it R Π].
    - Its order is four even so. With small steps the loss is small at first, but goes on.
    """
    k1, l1 = matrix_rate(body, t, R, Ω)
    k2, l2 = matrix_rate(body, t + h / 2, R + h / 2 * k1, Ω + h / 2 * l1)
    k3, l3 = matrix_rate(body, t + h / 2, R + h / 2 * k2, Ω + h / 2 * l2)
    k4, l4 = matrix_rate(body, t + h, R + h * k3, Ω + h * l3)
    return R + h / 6 * (k1 + 2 * (k2 + k3) + k4), Ω + h / 6 * (l1 + 2 * (l2 + l3) + l4)


def matrix_rate(body: Body, t: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """dR/dt and dΩ/dt."""
    return R @ hat(Ω), angular_acceleration(body, body.torque(t, R, Ω), Ω)


@runge_kutta(
    key="RK2-MATRIX",
    name="Explicit midpoint rule on the nine entries of R",
    short="Explicit midpoint",
    aliases=("explicit midpoint",),
    order=(2, 2),
    torque_evaluations=2,
    evidence=(
        grows(FREE),
        typically("orthogonality", "RK4-MATRIX", 7000),
        measures("orthogonality", FREE, 0.001, 10),
        grows(FREE),
    ),
)
def midpoint_on_matrix(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    r"""Of second order in the wrong space: a free body's energy [grows]. In steps of 0.05 rad R's
    error of orthogonality is [{} times] RK4-MATRIX's in the median of random bodies.

    .. math::
        \dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{midpoint}

    - In each step it adds one tangent, taken half way, to the nine entries of R.
    - That lengthens the columns of R a little, with one sign, until R is [visibly no rotation].
    - It treats the velocity in the same way, and on free bodies energy [grows] with it.
    """
    k1, l1 = matrix_rate(body, t, R, Ω)
    k2, l2 = matrix_rate(body, t + h / 2, R + h / 2 * k1, Ω + h / 2 * l1)
    return R + h * k2, Ω + h * l2


@method(
    key="IMR-MATRIX",
    name="Implicit midpoint rule on the nine entries of R",
    short="Matrix implicit midpoint",
    aliases=("SRK",),
    family="Baseline",
    reference=bibtex("Kutta1901"),
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves=MOMENTUM | {"energy": "tops", "pi_e3": "tops", "pi_chi": "symmetric tops"},
    evidence=(
        keeps(orthogonality="always", energy="tops", pi="free"),
        keeps(orthogonality="always", energy="tops", casimir="free"),
        keeps(energy="tops", pi="free"),
        times("ahead", "AKW", FREE, 0.999, 1.001),
    ),
)
def implicit_midpoint(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    r"""The implicit midpoint rule for the entries of R and Ω. It [conserves RᵀR, and the energy and
    momentum of the free body], which are quadratic.

    .. math::
        R_m = R_n + \tfrac h2 R_m \hat\Omega_m, \quad \Omega_m = \Omega_n + \tfrac h2 \dot\Omega_m

    - The implicit midpoint rule [conserves every quadratic invariant], and RᵀR = 1 consists of
      such.
    - For the nine entries it amounts to a turn by the Cayley map, although the middle of the step
      is no rotation.
    - Energy and momentum are quadratic too, and so are [conserved], with the [lag of the Cayley map
      as in AKW].
    """
    # R_m = R (1 − h/2 Ω̂_m)⁻¹, so the end 2 R_m − R is R cay(h Ω_m), and three equations remain.
    Ωm = newton(body, h, midpoint_balance, Ω, t, R, Ω)
    return R @ cay(h * Ωm), 2 * Ωm - Ω


def find_middle(R: Mat3, v: Vec3) -> Mat3:
    """R (1 − v̂)⁻¹, which is no rotation."""
    return R @ rodrigues(v, 1.0 / (1.0 + dot(v, v)), 1.0 / (1.0 + dot(v, v)))


def midpoint_balance(
    body: Body, h: float, Ωm: Vec3, t: float, R: Mat3, Ω: Vec3
) -> tuple[Vec3, Mat3]:
    """Ω_m − Ω − h/2 dΩ/dt in the middle, and its derivative by Ω_m; R_m changes by R_m dv̂ (1 −
    v̂)⁻¹.
    """
    v = h / 2 * Ωm
    Rm = find_middle(R, v)
    T = body.torque(t + h / 2, Rm)
    D = body.torque_change(t + h / 2, Rm, T, tuple([find_middle(Rm @ e, v) for e in UNITS]))
    residual = Ωm - Ω - h / 2 * (spin(body.ratios, Ωm) + body.Jinv @ T)
    return residual, one_minus_spin(body.ratios, h / 2, Ωm) - (h**2 / 4 * body.Jinv) @ D


def start_with_quaternion(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Quat, Vec3]:
    """The first state, with the quaternion of the attitude."""
    return quaternion_of(R), Ω


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The normalised quaternion stays a rotation."""
    renormalised = chosen.get("renormalise", "no") == "yes"
    return {"conserves": KEPT | (ON_THE_GROUP if renormalised else {})}


def normalise(q: Quat) -> Quat:
    """The quaternion with length one."""
    return q * (1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))


def leave_as_is(q: Quat) -> Quat:
    """The quaternion, unchanged."""
    return q


RENORMALISE = offer(
    "renormalise",
    "whether the quaternion is normalised after each step",
    "Quaternion normalised",
    {
        "no": (leave_as_is, "no"),
        "yes": (normalise, "yes"),
    },
    brief="normalisation",
)


@runge_kutta(
    key="RK4-QUAT",
    name="Classical Runge–Kutta on the quaternion",
    short="Runge–Kutta 4",
    options=(RENORMALISE,),
    start=start_with_quaternion,
    order=(4, 4),
    torque_evaluations=4,
    given_options=promise,
    evidence=(
        loses("orthogonality", "energy", "pi"),
        keeps(of="RK4-QUAT(renormalise=yes)", orthogonality="always"),
        falls(("plate", "dumbbell", "prism", *TOPS)),
    ),
)
def on_quaternion(
    body: Body, t: float, h: float, q: Quat, Ω: Vec3, renormalise: Any
) -> tuple[Quat, Vec3]:
    r"""The quaternion as four numbers: its length, energy and momentum [are not conserved].

    .. math::
        \dot q = \tfrac12 q \otimes \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad \text{RK4}

    - It treats the entries of the quaternion as four independent numbers, and so the quaternion's
      length changes in each step.
    - Restoring the length, as most programs do, [repairs RᵀR = 1]. It does not repair the energy.
    - Energy follows from the velocity, which is summed in the body's frame. It [drifts] downwards
      on the plate, the dumbbell, the prism and on tops.
    """
    k1, l1 = quaternion_rate(body, t, q, Ω)
    k2, l2 = quaternion_rate(body, t + h / 2, q + h / 2 * k1, Ω + h / 2 * l1)
    k3, l3 = quaternion_rate(body, t + h / 2, q + h / 2 * k2, Ω + h / 2 * l2)
    k4, l4 = quaternion_rate(body, t + h, q + h * k3, Ω + h * l3)
    return renormalise(q + h / 6 * (k1 + 2 * (k2 + k3) + k4)), Ω + h / 6 * (l1 + 2 * (l2 + l3) + l4)


def quaternion_rate(body: Body, t: float, q: Quat, Ω: Vec3) -> tuple[Quat, Vec3]:
    """dq/dt and dΩ/dt."""
    return 0.5 * (q @ Ω), angular_acceleration(body, body.torque(t, rotation_of(q), Ω), Ω)


def rodrigues_rate(body: Body, t: float, σ: Vec3, Ω: Vec3) -> tuple[Vec3, Vec3]:
    """dσ/dt and dΩ/dt."""
    dσ = (1.0 - dot(σ, σ)) / 4.0 * Ω + 0.5 * (cross(σ, Ω) + dot(σ, Ω) * σ)
    return dσ, angular_acceleration(body, body.torque(t, turn_of(σ), Ω), Ω)


def turn_of(σ: Vec3) -> Mat3:
    """The rotation of modified Rodrigues parameters."""
    return rotation_of(normalise(Quat(1.0 - dot(σ, σ), 2.0 * σ.x, 2.0 * σ.y, 2.0 * σ.z)))


def rodrigues_of(R: Mat3) -> Vec3:
    """The modified Rodrigues parameters of a rotation, of length one at most."""
    q = quaternion_of(R)
    part = 1.0 / (q.w + 1.0) if q.w >= 0.0 else 1.0 / (q.w - 1.0)
    return part * Vec3(q.x, q.y, q.z)


def make_stages(rates: Any) -> tuple[Any, Any]:
    """The first stage and the later ones of a tableau, with these rates of the attitude's numbers
    and of Ω.
    """

    def make_first_stage(rest: Stage) -> Stage:
        def first(body: Body, t: float, h: float, q: Any, Ω: Vec3, K: Any, L: Any) -> End:
            dq, dΩ = rates(body, t, q, Ω)
            return rest(body, t, h, q, Ω, (dq,), (dΩ,))

        return first

    def make_later_stage(row: Weights, c: float, rest: Stage) -> Stage:
        def later(body: Body, t: float, h: float, q: Any, Ω: Vec3, K: Any, L: Any) -> End:
            dq, dΩ = rates(
                body, t + c * h, q + h * combination(row, K), Ω + h * combination(row, L)
            )
            return rest(body, t, h, q, Ω, K + (dq,), L + (dΩ,))

        return later

    return make_first_stage, make_later_stage


def promise_with_tableau(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order and cost of the tableau."""
    return {**promise_tableau(chosen), **promise(chosen)}


@runge_kutta(
    key="RK-QUAT",
    name="Runge–Kutta on the quaternion, with any tableau",
    short="Quaternion Runge–Kutta",
    aliases=("RK8-QUAT",),
    variants={"jsbsim": {"tableau": "euler", "renormalise": "yes"}},
    reference=bibtex("HairerNorsettWanner1993", "JSBSim2026"),
    options=(tableau_option(*make_stages(quaternion_rate), "dop853"), RENORMALISE),
    start=start_with_quaternion,
    order=(8, 8),
    torque_evaluations=12,
    given_options=promise_with_tableau,
    evidence=(
        measures("attitude", FREE, 0, 1e-13),
        loses("orthogonality", "energy", "pi"),
        loses("orthogonality", "energy", "pi"),
        measures("|drift|", (*FREE, "slow-top", "fast-top"), 0, 1e-10),
    ),
)
def by_tableau(
    body: Body, t: float, h: float, q: Quat, Ω: Vec3, tableau: Any, renormalise: Any
) -> tuple[Quat, Vec3]:
    r"""RK4-QUAT with a tableau of order eight, DOP853's. After 400 steps of 0.05 rad a free body's
    attitude is [within 10⁻¹³ rad], though its structure [conserves nothing].

    .. math::
        \dot q = \tfrac12 q \otimes \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T

    - It is RK4-QUAT with a tableau of high order, so the error of a step is very small.
    - Small is not zero: length, energy and momentum are not in its equations, and [are not
      conserved].
    - [In 200,000 steps of 0.05 rad, only roundoff is lost] of the energy of free bodies and of fast
      and slow tops.
    """
    dq, dΩ = tableau(body, t, h, q, Ω)
    return renormalise(q + dq), Ω + dΩ


@runge_kutta(
    key="RK-MRP",
    name="Runge–Kutta on modified Rodrigues parameters",
    short="Rodrigues Runge–Kutta",
    variants={"basilisk": {}},
    reference=bibtex("Kutta1901", "Basilisk2026"),
    options=(tableau_option(*make_stages(rodrigues_rate), "rk4"),),
    order=(4, 4),
    torque_evaluations=4,
    conserves=KEPT | ON_THE_GROUP,
    given_options=promise_tableau,
    evidence=(
        declares(order=(4, 4)),
        keeps(orthogonality="always"),
        loses("energy", "pi"),
    ),
)
def on_rodrigues_parameters(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, tableau: Any
) -> tuple[Mat3, Vec3]:
    r"""[Fourth order] on three numbers for the attitude. [RᵀR = 1] by their formula. [Neither energy
    nor momentum is conserved].

    .. math::
        \dot\sigma = \tfrac14 (1 - |\sigma|^2)\,\Omega + \tfrac12 \left[\sigma \times \Omega
        + (\sigma \cdot \Omega)\,\sigma\right], \quad J\dot\Omega = J\Omega \times \Omega + T

    - The three numbers are the axis of a turn, as long as the tangent of a quarter of its angle.
      Each such vector is a rotation, so the method need not normalise.
    - Their length is infinite at a full turn. A step that ends beyond a half turn takes the
      parameters of the turn the other way round.
    - The velocity follows from Euler's equations in the body's frame, as in RK4-QUAT. Neither
      energy nor momentum enters them.
    """
    σ = rodrigues_of(R)
    dσ, dΩ = tableau(body, t, h, σ, Ω)
    return turn_of(σ + dσ), Ω + dΩ
