"""KDK, VLV and the LIEMID methods: half of the torque's impulse, a step of the free body, the other
half.

KDK is the notes' unnamed Cayley scheme and Kobilarov, Crane and Desbrun's Lie–Newmark method; VLV
adds the term that makes it variational. With the exponential, VLV has the balance of DART's
variational integrator, which DART uses for chains of revolute joints. Krysl's LIEMID-E1, -E2 and
-EA combine LIEMID with impulses: the whole impulse before it, the whole after it, or the two in
turn.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..algebra import (
    Mat3,
    Vec3,
    cay,
    cross,
    dexp_matrix,
    dexpinv,
    dexpinv_coefficient,
    dexpinv_slope,
    dot,
    gyroscopic_tangent,
    hat,
    outer,
    turn,
)
from ..text import FREE, REGULAR, TOPS, bibtex, declares, keeps, measures, swings, times
from .core import MOMENTUM, Body, Torque, method, newton, offer
from .dmv import variational

KEPT = MOMENTUM | {"pi_chi": "symmetric tops"}
impulsive = partial(
    method,
    family="Variational",
    reference=bibtex("Krysl2005"),
    order=(1, 1),
    free_order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible="free",
    conserves=KEPT,
)
"""Declares a method with the whole impulse at one end of the step."""


@variational(
    key="KDK",
    name="Kick, Cayley drift, kick",
    short="Kick–drift–kick",
    aliases=("AKW-KDK", "Kobilarov"),
    reference=bibtex("KobilarovCraneDesbrun2009"),
    evidence=(
        keeps(energy="free", pi="free"),
        keeps(energy="free", pi="free"),
        swings(TOPS),
        measures("ahead", FREE, -1 / 12, -1 / 12.1),
    ),
)
def kdk(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""AKW's free step between half kicks: explicit in the torque, and it [conserves the free
    body's energy and momentum].

    .. math::
        \Pi^+ = \Pi_n + \tfrac h2 T_n, \quad J\omega - \tfrac h2 J\omega \times \omega = \Pi^+ \\
        R_{n+1} = R_n\, \mathrm{cay}(h\omega), \quad
        \Pi_{n+1} = J\omega + \tfrac h2 J\omega \times \omega + \tfrac h2 T_{n+1}

    - Half the impulse, a free step of AKW, half the impulse: the free step [conserves energy and
      momentum].
    - It evaluates the torque at the ends, where the attitude is known, so it is explicit in the
      torque. The kicks do not know the potential, and the energy of a top [swings].
    - It lacks the term of second order that makes VLV symplectic. Without that term, the free step
      [lags behind as AKW's does].
    """
    # Ω is the angular velocity between the step's ends.
    Π = Π + h / 2 * T
    ω = newton(body, h, drift_balance, body.Jinv @ Π, Π)
    R = R @ cay(h * ω)
    T = body.torque(t + h, R)
    return R, body.J @ ω + h / 2 * cross(body.J @ ω, ω) + h / 2 * T, T


def drift_balance(body: Body, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − h/2 Jω × ω − Π, and its derivative by ω."""
    J = body.J
    return J @ ω - h / 2 * cross(J @ ω, ω) - Π, J + h / 2 * gyroscopic_tangent(J, ω)


def move_by_cayley(body: Body, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The variational free step with the Cayley map."""
    ω = newton(body, h, cayley_balance, body.Jinv @ Π, Π)
    Jω = body.J @ ω
    return R @ cay(h * ω), Jω + h / 2 * cross(Jω, ω) + (h**2 / 4 * dot(ω, Jω)) * ω


def move_by_exponential(body: Body, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The variational free step with the exponential."""
    E = turn(h * newton(body, h, exponential_balance, body.Jinv @ Π, Π))
    return R @ E, E.T @ Π


@variational(
    key="VLV",
    name="Variational Lie–Verlet",
    short="Lie–Verlet",
    aliases=("incrso3_vlv",),
    variants={"dart-variational": {"map": "exp"}},
    reference=bibtex("BouRabeeMarsden2009", "DART2016"),
    options=(
        offer(
            "map",
            "the map by which the velocity turns the body: Cayley's, or the exponential, as in "
            "DART",
            "How the velocity turns the body",
            {
                "cay": (move_by_cayley, "Cayley"),
                "exp": (move_by_exponential, "exponential"),
            },
        ),
    ),
    symplectic=True,
    conserves=KEPT,
    evidence=(
        times("largest turn", "DMV", FREE, 3.9),
        (*swings(REGULAR), *swings(("asymmetric-top",), dt=0.05, steps=1_000_000)),
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        (*swings(REGULAR), *swings(("asymmetric-top",), dt=0.05, steps=1_000_000)),
        measures("largest turn", FREE, 4),
        measures("largest turn", FREE, 0.999, 1.001, of="DMV"),
    ),
)
def vlv(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, map: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""Symplectic by construction, with the Cayley map; in a steady spin it takes [steps at least
    four times as long as DMV's]. Its energy [swings without drift], on the asymmetric top as well.

    .. math::
        J\omega - \tfrac h2 J\omega \times \omega + \tfrac{h^2}{4} (\omega \cdot J\omega)\,\omega = \Pi^+, \quad
        R_{n+1} = R_n\, \mathrm{cay}(h\omega) \\
        \Pi^- = J\omega + \tfrac h2 J\omega \times \omega + \tfrac{h^2}{4} (\omega \cdot J\omega)\,\omega

    - It follows from a discrete principle of least action written with the Cayley map, and so it is
      [symplectic and conserves momentum].
    - A symplectic method follows very nearly the motion of a slightly different energy. So the true
      energy [swings without drift], on the asymmetric top as well.
    - The Cayley map reaches angles up to half a turn. In a steady spin its equation has a solution
      [for steps up to Δt |ω| = 4 at least]. That of DMV has one [up to 1].
    """
    R, Π = map(body, h, R, Π + h / 2 * T)
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T


def exponential_balance(body: Body, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """dexp⁻¹(−hω) Jω − Π = Jω − h/2 Jω × ω + h²c ω × (ω × Jω) − Π, and its derivative by ω."""
    J, v = body.J, h * ω
    Jv, n2 = J @ v, dot(v, v)
    c = dexpinv_coefficient(n2)
    along = c * dot(v, Jv)
    of_square = (outer(v, Jv) - outer(Jv, v)) * (2.0 * c) + outer(
        cross(v, cross(v, Jv)), v
    ) * dexpinv_slope(n2, c)
    tangent = J * (1.0 - c * n2) + (h / 2 * gyroscopic_tangent(J, ω) + of_square)
    tangent = tangent + Mat3(along, 0.0, 0.0, 0.0, along, 0.0, 0.0, 0.0, along)
    return dexpinv(-v, J @ ω) - Π, tangent


def cayley_balance(body: Body, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − h/2 Jω × ω + h²/4 (ω·Jω) ω − Π, and its derivative by ω."""
    J = body.J
    Jω = J @ ω
    twice = h**2 / 4 * dot(ω, Jω)
    of_square = outer(ω, Jω) * (h**2 / 2)
    tangent = J + (h / 2 * gyroscopic_tangent(J, ω) + of_square)
    tangent = tangent + Mat3(twice, 0.0, 0.0, 0.0, twice, 0.0, 0.0, 0.0, twice)
    return Jω - h / 2 * cross(Jω, ω) + twice * ω - Π, tangent


def lie_midpoint(body: Body, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """LIEMID's free step: JΨ = h exp(−Ψ/2) Π, then R exp(Ψ) and exp(−Ψ) Π."""
    ω = newton(body, h, lie_midpoint_balance, body.Jinv @ Π, Π)
    E = turn(h * ω)
    return R @ E, E.T @ Π


def lie_midpoint_balance(body: Body, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − exp(−h/2 ω) Π, and its derivative by ω."""
    v = h / 2 * ω
    turned = turn(v).T @ Π
    return body.J @ ω - turned, body.J + -(h / 2 * hat(turned)) @ dexp_matrix(-v)


@impulsive(
    key="LIEMID-E1",
    name="Midpoint Lie rule after the impulse",
    short="Midpoint after impulse",
    aliases=("LIEMIDE", "LIEMID[E1]"),
    evidence=(keeps(pi="free", pi_e3="always"),),
)
def e1(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""It applies the whole impulse at the start of the step. It is the first half of LIEMID-EA,
    and has first order.

    .. math::
        \Pi^+ = \Pi_n + h T_n, \quad (R_{n+1}, \Pi_{n+1}) = \mathrm{LIEMID}_h(R_n, \Pi^+)

    - The whole impulse comes at the start of the step, and a midpoint step of the free body
      follows.
    - It evaluates the torque at one end, which costs an order: it is of first order with a torque,
      of second without.
    - It adds the impulse to the spatial momentum and the free step turns that with the body, so
      momentum is [conserved].
    """
    return lie_midpoint(body, h, R, Π + h * body.torque(t, R))


@impulsive(
    key="LIEMID-E2",
    name="Midpoint Lie rule before the impulse",
    short="Midpoint before impulse",
    aliases=("LIEMID[E2]",),
)
def e2(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""The whole impulse at the end of the step: the adjoint of LIEMID-E1.

    .. math::
        (R_{n+1}, \Pi^-) = \mathrm{LIEMID}_h(R_n, \Pi_n), \quad \Pi_{n+1} = \Pi^- + h T_{n+1}

    - A midpoint step of the free body comes first, and the whole impulse at its end.
    - It is LIEMID-E1 run backwards in time, and its errors of odd order have the other sign.
    - A half step of each, one after the other, is therefore of second order: that is LIEMID-EA.
    """
    R, Π = lie_midpoint(body, h, R, Π)
    return R, Π + h * body.torque(t + h, R)


@variational(
    key="LIEMID-EA",
    name="Midpoint Lie rule, impulses in turn",
    short="Alternating impulses",
    aliases=("LIEMIDEA", "LIEMID[EA]", "liemid_Newmark"),
    reference=bibtex("Krysl2005"),
    conserves=KEPT,
    evidence=(keeps(pi="free", pi_e3="always"), swings(REGULAR)),
)
def ea(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""LIEMID-E1 and LIEMID-E2, each over half a step: of second order, time-symmetric, and it
    [conserves momentum].

    .. math::
        \mathrm{E2}(\tfrac h2) \circ \mathrm{E1}(\tfrac h2)

    - It takes half a step of LIEMID-E1 and half a step of LIEMID-E2. Each is the other's reverse,
      so the whole step is reversible.
    - Errors of odd order cancel, which gives second order, and on regular motions its energy
      [swings without drift].
    - It solves two equations a step, each for half of the angle.
    """
    # Kick, two free half steps, kick.
    R, Π = lie_midpoint(body, h / 2, R, Π + h / 2 * T)
    R, Π = lie_midpoint(body, h / 2, R, Π)
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T
