"""IMID and TRAP, IMIDM and TRAPM: Krysl's pairs of the midpoint and the trapezoidal rule on the
group.

With F a forward and B a backward Euler step of h/2, IMID is F after B and TRAP is B after F, so the
two are conjugate. The same holds for IMIDM and TRAPM with steps that conserve spatial momentum.
IMIDM is the Runge–Kutta–Munthe-Kaas method of the implicit midpoint rule, and without a torque
Krysl's LIEMID.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..algebra import Mat3, Vec3, cross, dexp_matrix, exp, gyroscopic_tangent, hat
from ..parameters.parameter import Number, Parameter
from ..text import FREE, REGULAR, bibtex, declares, keeps, loses, swings, typically
from .core import BODY_RATES, MOMENTUM, ON_THE_GROUP, Body, method, newton

krysl = partial(
    method,
    family="Midpoint",
    reference=bibtex("Krysl2005"),
    order=(2, 2),
    implicit=True,
    reversible=True,
)
"""Declares one of the four methods, which are implicit, of second order and time-symmetric."""


@krysl(
    key="IMID",
    name="Implicit midpoint rule, exponential map",
    short="Exponential midpoint",
    aliases=("dyneq_imid", "SW-M", "ALGO_1"),
    conserves=ON_THE_GROUP
    | {"energy": "free", "casimir": "free", "pi_norm": "free", "pi_chi": "symmetric tops"},
    evidence=(
        (keeps(energy="free", casimir="free"), loses("pi")),
        keeps(energy="free", casimir="free"),
        (keeps(pi_norm="free"), loses("pi")),
    ),
)
def imid(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    r"""[Conserves energy and |Π| of the free body, but not the direction of its momentum].

    .. math::
        \Pi_{n+1} = \Pi_n + h\,(J\omega \times \omega + T_{1/2}), \quad
        \omega = \tfrac12(\Omega_n + \Omega_{n+1}), \quad R_{n+1} = R_n \exp(h\omega)

    - The change of body momentum is at right angles to the mean momentum and the mean velocity. So
      a free body's |Π| and energy [are conserved].
    - Momentum thereby turns as the Cayley map does, while the exponential map turns the attitude.
    - The two angles differ, and so R Π changes: [its length is conserved, its direction is not].
    """
    # The unknown is the velocity between the step's ends.
    ω = newton(body, h, midpoint_balance, Ω, t, R, body.J @ Ω)
    return R @ exp(h * ω), 2 * ω - Ω


def midpoint_balance(
    body: Body, h: float, ω: Vec3, t: float, R: Mat3, Π: Vec3
) -> tuple[Vec3, Mat3]:
    """Jω − Π − h/2 (Jω × ω + T), and its derivative by ω."""
    J = body.J
    v = h / 2 * ω
    Rm = R @ exp(v)
    D = body.torque_tangent(t + h / 2, Rm, dexp_matrix(-v))
    residual = J @ ω - Π - h / 2 * (cross(J @ ω, ω) + body.torque(t + h / 2, Rm))
    return residual, J + (h / 2 * gyroscopic_tangent(J, ω) - h**2 / 4 * D)


@krysl(
    key="TRAP",
    name="Trapezoidal rule, two half turns",
    short="Half-turn trapezoidal",
    aliases=("dyneq_trap", "incrso3_trap"),
    conserves=BODY_RATES,
    evidence=(
        loses("energy", "pi", "pi_e3", "casimir"),
        swings(REGULAR),
        keeps(of="IMID", energy="free", casimir="free"),
        loses("energy", "casimir"),
        swings(REGULAR),
    ),
)
def trap(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    r"""The midpoint rule's conjugate: it [conserves neither energy nor momentum], and on regular
    motions its energy [swings without drift].

    .. math::
        R_{n+1} = R_n \exp(\tfrac h2 \Omega_n) \exp(\tfrac h2 \Omega_{n+1}), \quad
        J(\Omega_{n+1} - \Omega_n) = \tfrac h2 (\dot\Pi_n + \dot\Pi_{n+1})

    - It takes the two halves of IMID, an explicit and an implicit half step of Euler's method, in
      the other order.
    - After half a step of Euler's method its motion is that of IMID. IMID [conserves energy and |Π|
      of a free body].
    - In its own states both are [not conserved], and on regular motions its energy [swings without
      drift].
    """
    # The unknown is the new velocity.
    J = body.J
    Rh = R @ exp(h / 2 * Ω)
    Πh = J @ Ω + h / 2 * (cross(J @ Ω, Ω) + body.torque(t, R))
    Ω1 = newton(body, h, end_balance, Ω, t, Rh, Πh)
    return Rh @ exp(h / 2 * Ω1), Ω1


def end_balance(body: Body, h: float, Ω1: Vec3, t: float, Rh: Mat3, Πh: Vec3) -> tuple[Vec3, Mat3]:
    """JΩ₁ − h/2 (JΩ₁ × Ω₁ + T₁) − Πₕ, and its derivative by Ω₁; Πₕ is from the start of the
    step.
    """
    J = body.J
    v = h / 2 * Ω1
    R1 = Rh @ exp(v)
    D = body.torque_tangent(t + h, R1, dexp_matrix(-v))
    residual = J @ Ω1 - h / 2 * (cross(J @ Ω1, Ω1) + body.torque(t + h, R1)) - Πh
    return residual, J + (h / 2 * gyroscopic_tangent(J, Ω1) - h**2 / 4 * D)


@krysl(
    key="IMIDM",
    name="Midpoint Lie rule for the momentum",
    short="Midpoint Lie rule",
    aliases=("dyneq_imidm", "LIEMID", "LIEMID[I]"),
    conserves=MOMENTUM,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        swings(REGULAR),
        keeps(pi="free", pi_e3="always"),
        loses("energy"),
        (declares(reversible=True), *swings(REGULAR)),
    ),
)
def imidm(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""The implicit midpoint rule on the group: it [conserves spatial momentum], and on regular
    motions its energy [swings].

    .. math::
        J\omega = E\,\Pi_n + \tfrac h2 T_{1/2}, \quad \Pi_{n+1} = E\,(E\,\Pi_n + h\,T_{1/2}), \quad
        E = \exp(-\tfrac h2 \omega), \quad R_{n+1} = R_n \exp(h\omega)

    - It turns the momentum back by the rotation by which it turns the body, so momentum [stays in
      space].
    - The velocity is that of the middle of the step, where the momentum has turned by half of the
      rotation. Energy does not enter, and is [not conserved].
    - The step is the same from both ends, so on regular motions its energy [swings and does not
      drift].
    """
    # The torque is taken in the frame half way.
    ω = newton(body, h, midpoint_momentum, body.Jinv @ Π, t, R, Π)
    half = exp(h / 2 * ω)
    Tm = body.torque(t + h / 2, R @ half)
    return R @ exp(h * ω), half.T @ (half.T @ Π + h * Tm)


def midpoint_momentum(
    body: Body, h: float, ω: Vec3, t: float, R: Mat3, Π: Vec3
) -> tuple[Vec3, Mat3]:
    """Jω − E Π − h/2 T, E = exp(−h/2 ω), and its derivative by ω."""
    v = h / 2 * ω
    half = exp(v)
    turned, dexp = half.T @ Π, dexp_matrix(-v)
    D = body.torque_tangent(t + h / 2, R @ half, dexp)
    residual = body.J @ ω - turned - h / 2 * body.torque(t + h / 2, R @ half)
    return residual, body.J + (-(h / 2 * hat(turned)) @ dexp - h**2 / 4 * D)


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Second order and time-symmetric for ζ = ½ only."""
    middle = chosen.get("zeta", 0.5) == 0.5
    return {"order": (2, 2) if middle else (1, 1), "reversible": middle}


@krysl(
    key="TRAPM",
    name="Trapezoidal Lie rule for the momentum",
    short="Trapezoidal Lie rule",
    aliases=("dyneq_trapm", "dyneq_trapm_zeta"),
    options=(
        Parameter(
            "zeta",
            Number(0.0, 1.0),
            "the part of the step that goes forward from its start",
            0.5,
            label="Part ζ of the step made forward",
            brief="ζ = {value}",
        ),
    ),
    conserves=MOMENTUM,
    given_options=promise,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        swings(REGULAR),
        declares(of="TRAPM(zeta=0.4)", order=(1, 1)),
        (
            typically("energy", "TRAPM", 3000, of="TRAPM(zeta=0.4)"),
            *swings(FREE, of="TRAPM(zeta=0.4)"),
        ),
    ),
)
def trapm(body: Body, t: float, h: float, R: Mat3, Π: Vec3, zeta: float) -> tuple[Mat3, Vec3]:
    r"""The conjugate of IMIDM. With ζ other than ½, it is a first-order method between forward and
    backward Euler.

    .. math::
        \Pi_\zeta = \exp(-\zeta h \Omega_n)(\Pi_n + \zeta h T_n), \quad
        \Pi_{n+1} = \exp(-(1-\zeta) h \Omega_{n+1})\,\Pi_\zeta + (1-\zeta) h T_{n+1} \\
        R_{n+1} = R_n \exp(\zeta h \Omega_n) \exp((1-\zeta) h \Omega_{n+1})

    - It is IMIDM with its halves exchanged: each is the other, half a step further on.
    - It turns the momentum with the body, so momentum [stays in space]; energy [swings], as with
      IMIDM.
    - With ζ other than ½ the ends of the step have different weights. The order [falls to one].
      With ζ = 0.4 and steps of 0.05 rad energy [swings {} times as widely] in the median of random
      bodies.
    """
    # The unknown is the new velocity.
    Ω = body.Jinv @ Π
    E = exp(zeta * h * Ω)
    Rh, Πh = R @ E, E.T @ (Π + zeta * h * body.torque(t, R))
    rest = 1.0 - zeta
    Ω1 = newton(body, h, end_momentum, Ω, t, Rh, Πh, rest)
    return Rh @ exp(rest * h * Ω1), body.J @ Ω1


def end_momentum(
    body: Body, h: float, Ω1: Vec3, t: float, Rh: Mat3, Πh: Vec3, rest: float
) -> tuple[Vec3, Mat3]:
    """JΩ₁ − exp(−kΩ₁) Πₕ − k T₁ with k = (1 − ζ) h, and its derivative by Ω₁."""
    k = rest * h
    v = k * Ω1
    E = exp(v)
    turned, dexp = E.T @ Πh, dexp_matrix(-v)
    D = body.torque_tangent(t + h, Rh @ E, dexp)
    residual = body.J @ Ω1 - turned - k * body.torque(t + h, Rh @ E)
    return residual, body.J + (-(k * hat(turned)) @ dexp - k**2 * D)
