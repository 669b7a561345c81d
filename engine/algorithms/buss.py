"""BUSS1 to BUSS6: Buss's Taylor methods, one rotation a step, and his version of Simo and Wong's.

S. R. Buss, section 3, in body coordinates, where J stays diagonal. The printed boxes lack some
dots: the last two terms of fourth order contain w‴ and w″, and w‴ begins with 2 w × w″. BUSS3
includes the paper's extra h³/36 w″ × w (option tail), which belongs to no order but reduces the
energy drift to a fifth; the paper says a third.

The paper takes the momentum L and its derivatives as given. Here L̇ is the torque, L̈ and L⃛ are
its rates along the motion, from the problem or by dual numbers, and L advances by the trapezoidal
rule of the torque, with Hermite's correction by its rates for orders three and four. Orders five
and six, section 5, need rates that no torque here provides, so they are for free bodies. SW-BUSS
extrapolates the body's velocity; Buss's tables were run without the division by h (variant as-run,
first order).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, cross, exp
from ..text import FREE, RANDOM, bibtex, declares, falls, grows, keeps, measures, times, typically
from .core import MOMENTUM, Body, Torque, method, offer, spin, start_with_torque

LONG = ("prism", "dumbbell")
"""Free bodies that spin about an axis of least inertia."""

taylor = partial(
    method,
    family="Taylor",
    reference=bibtex("Buss2000"),
    start=start_with_torque,
    torque_evaluations=1,
    conserves=MOMENTUM,
)
"""Declares one of these methods."""


def first_rate(body: Body, w: Vec3, Π: Vec3, T: Torque) -> Vec3:
    """ẇ = I⁻¹ (L̇ − w × L)"""
    return body.Jinv @ (T - cross(w, Π))


def second_rate(body: Body, w: Vec3, w1: Vec3, Π: Vec3, T: Torque, dT: Torque) -> Vec3:
    """ẅ = w × ẇ + I⁻¹ (L̈ − ẇ × L − 2 w × L̇ + w × (w × L))"""
    return cross(w, w1) + body.Jinv @ (dT - cross(w1, Π) - 2 * cross(w, T) + cross(w, cross(w, Π)))


def find_rates(body: Body, t: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Vec3, Vec3, Vec3, Any]:
    """w, ẇ, ẅ and L̈."""
    w = body.Jinv @ Π
    w1 = first_rate(body, w, Π, T)
    dT = body.torque_rate(t, R, w)
    w2 = second_rate(body, w, w1, Π, T, dT)
    return w, w1, w2, dT


def third_rate(
    body: Body, w: Vec3, w1: Vec3, w2: Vec3, Π: Vec3, T: Torque, dT: Torque, ddT: Torque
) -> Vec3:
    """w⃛ = 2 w × ẅ − w × (w × ẇ) + I⁻¹ [L⃛ − 3 w × L̈ − 3 ẇ × L̇ − ẅ × L
    + ẇ × (w × L) + 2 w × (ẇ × L) + 3 w × (w × L̇) − w × (w × (w × L))]"""
    of_torque = ddT - 3 * cross(w, dT) - 3 * cross(w1, T) + 3 * cross(w, cross(w, T))
    of_momentum = (
        cross(w1, cross(w, Π)) + 2 * cross(w, cross(w1, Π)) - cross(w, cross(w, cross(w, Π)))
    )
    return (
        2 * cross(w, w2)
        - cross(w, cross(w, w1))
        + body.Jinv @ (of_momentum - cross(w2, Π) + of_torque)
    )


def turn_by(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, E: Mat3
) -> tuple[Mat3, Vec3, Any]:
    """The end of the step by its one rotation, E; momentum by the trapezoidal rule."""
    R = R @ E
    T1 = body.torque(t + h, R)
    return R, E.T @ (Π + h / 2 * T) + h / 2 * T1, T1


def add_rates(
    body: Body, t: float, h: float, dT: Torque, E: Mat3, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Any]:
    """Hermite's correction of the trapezoidal rule, h²/12 (L̈₀ − L̈₁)."""
    dT1 = body.torque_rate(t + h, R, body.Jinv @ Π)
    return R, Π + h * h / 12 * (E.T @ dT - dT1), T


@taylor(
    key="BUSS1",
    name="Buss's first-order method",
    short="Buss 1",
    order=(1, 1),
    evidence=(
        measures("part of the most energy", FREE, 0.99, 1.01),
        keeps(pi="free"),
        measures("energy", FREE, 0.01, 10),
    ),
)
def buss1(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""One rotation by the present angular velocity. A free body's energy [grows to the most] that
    its momentum allows.

    .. math::
        \bar\omega = \omega, \quad R_{n+1} = \exp(h\,\bar\omega)\, R_n

    - The body turns by the velocity at the start of the step, while the true velocity changes
      during it.
    - The spatial momentum does not enter, and so is [exact] on a free body.
    - The lag has one sign, so a free body's energy [grows]. It ends with a spin about the axis of
      least inertia, which has the largest energy for a given momentum.
    """
    return turn_by(body, t, h, R, Π, T, exp(h * (body.Jinv @ Π)))


@taylor(
    key="BUSS2",
    name="Buss's second-order method",
    short="Buss 2",
    order=(2, 2),
    evidence=(
        keeps(pi="free", pi_e3="always"),
        grows((*FREE, "slow-top", "fast-top")),
        times("energy", "BUSS1", (*FREE, "slow-top", "fast-top"), 0, 0.2),
    ),
)
def buss2(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""One rotation by the angular velocity half a step ahead.

    .. math::
        \bar\omega = \omega + \tfrac h2 \dot\omega

    - It predicts the velocity half a step ahead from its first derivative, and so is of second
      order.
    - It omits the commutator that a turning axis adds to a rotation.
    - Momentum [stays in space]. The remaining error has one sign. On free bodies and on fast and
      slow tops energy [grows], [more slowly than with BUSS1].
    """
    w = body.Jinv @ Π
    return turn_by(body, t, h, R, Π, T, exp(h * (w + h / 2 * first_rate(body, w, Π, T))))


@taylor(
    key="BUSS2-AUG",
    name="Buss's augmented second-order method",
    short="Augmented Buss 2",
    order=(2, 2),
    evidence=(
        times("energy", "BUSS2", (*LONG, "slow-top", "fast-top"), 0, 0.9),
        times("energy", "BUSS2", RANDOM, 1.1, 2, typical=True),
        times("energy", "BUSS2", (*LONG, "slow-top", "fast-top"), 0.08, 0.84),
        typically("energy", "BUSS2", 1.6),
    ),
)
def buss2_aug(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Any]:
    r"""Of second order, with the commutator that a turning axis adds. It [conserves energy better
    than BUSS2] on prism, dumbbell and slow and fast tops, and [worse] on most free bodies.

    .. math::
        \bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{12}\, \dot\omega \times \omega

    - A turn by the mean velocity is not the rotation, because rotations about a moving axis do not
      commute. The term Δt²/12 ω̇ × ω accounts for that.
    - In steps of 0.05 rad on prism, dumbbell, slow and fast tops, its energy error is [{} times
      BUSS2's]. In the median of random bodies it is [{} times] that of BUSS2.
    - The mean velocity is still that of BUSS2, so the order is two, and the step looks forward from
      one end.
    """
    w = body.Jinv @ Π
    w1 = first_rate(body, w, Π, T)
    return turn_by(body, t, h, R, Π, T, exp(h * (w + h / 2 * w1 + h * h / 12 * cross(w1, w))))


@taylor(
    key="BUSS3-FALSE",
    name="Buss's false third-order method",
    short="False Buss 3",
    order=(2, 2),
    needs_rates=1,
    evidence=(grows((*LONG, "slow-top", "fast-top")), falls(RANDOM, typical=True)),
)
def buss3_false(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Any]:
    r"""The mean angular velocity to third order, but not the rotation: a rotation is not a vector.

    .. math::
        \bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{6} \ddot\omega

    - It takes the mean velocity to third order, as if rotations were vectors.
    - But rotations do not add as vectors do. Without the commutator Δt²/12 ω̇ × ω the method is of
      order two.
    - The sign of the energy error depends on the body. It [grows] on the prism, the dumbbell
      and slow and fast tops. It [falls] on most free bodies.
    """
    w, w1, w2, dT = find_rates(body, t, R, Π, T)
    E = exp(h * (w + h / 2 * w1 + h * h / 6 * w2))
    return add_rates(body, t, h, dT, E, *turn_by(body, t, h, R, Π, T, E))


def keep_tail(h: float, w: Vec3, w1: Vec3, w2: Vec3) -> Vec3:
    """The commutator with the mean rate over the step, ẇ + h/3 ẅ."""
    return h * h / 12 * cross(w1 + h / 3 * w2, w)


def omit_tail(h: float, w: Vec3, w1: Vec3, w2: Vec3) -> Vec3:
    """The commutator that third order needs."""
    return h * h / 12 * cross(w1, w)


@taylor(
    key="BUSS3",
    name="Buss's third-order method",
    short="Buss 3",
    options=(
        offer(
            "tail",
            "whether the h³/36 term of the paper is included",
            "Term in h³/36",
            {"True": (keep_tail, "kept"), "False": (omit_tail, "left out")},
            brief="h³ term {label}",
        ),
    ),
    order=(3, 3),
    needs_rates=1,
    evidence=(
        typically("steps within 1e-3 rad", "BUSS4", 1.9, of="BUSS3+E"),
        (falls(RANDOM, typical=True), falls(("slow-top",))),
        grows(("prism", "fast-top")),
        typically("attitude", "BUSS3+E", 90),
    ),
)
def buss3(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, tail: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""One rotation a step, of third order. With energy correction, it needs [{} times] the steps
    of BUSS4 for 10⁻³ rad (median of random bodies).

    .. math::
        \bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{6} \ddot\omega
        + \tfrac{h^2}{12} \left(\dot\omega + \tfrac h3 \ddot\omega\right) \times \omega

    - It has the mean velocity to third order and the commutator that a moving axis adds.
    - The remaining error is of an even power of Δt and has one sign. Energy [falls] on most free
      bodies and the slow top. It [grows] on the prism and the fast top.
    - Much of its error is that change of energy. In steps of 0.05 rad, it is [{} times] as far off
      as with energy correction (median of random bodies).
    """
    w, w1, w2, dT = find_rates(body, t, R, Π, T)
    E = exp(h * (w + h / 2 * w1 + h * h / 6 * w2 + tail(h, w, w1, w2)))
    return add_rates(body, t, h, dT, E, *turn_by(body, t, h, R, Π, T, E))


@taylor(
    key="BUSS4",
    name="Buss's fourth-order method",
    short="Buss 4",
    order=(4, 4),
    needs_rates=2,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        (declares(reversible=False), measures("|drift|", FREE, 1e-10, 1)),
        measures("|drift|", FREE, 0, 1e-5),
    ),
)
def buss4(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""One rotation a step, of fourth order.

    .. math::
        \bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{6} \ddot\omega
        + \tfrac{h^2}{12} \dot\omega \times \omega + \tfrac{h^3}{24} \dddot\omega
        + \tfrac{h^3}{24} \ddot\omega \times \omega

    - One rotation a step, whose vector is the first terms of Magnus's series; Euler's equations
      give the derivatives of ω.
    - Momentum [stays in space] by construction.
    - The step starts from one end and is not reversible. So a free body's energy [drifts], by [less
      than 10⁻⁵ in 200,000 steps] of 0.05 rad.
    """
    w, w1, w2, dT = find_rates(body, t, R, Π, T)
    w3 = third_rate(body, w, w1, w2, Π, T, dT, body.torque_rate2(t, R, w, w1))
    mean = (
        w
        + h / 2 * w1
        + h * h / 6 * w2
        + h * h / 12 * cross(w1, w)
        + h * h * h / 24 * (w3 + cross(w2, w))
    )
    E = exp(h * mean)
    return add_rates(body, t, h, dT, E, *turn_by(body, t, h, R, Π, T, E))


def body_rates(body: Body, w: Vec3) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3]:
    """The first five derivatives of a free body's Ω, by Leibniz's rule from dΩ/dt = J⁻¹ (JΩ ×
    Ω).
    """
    e = body.ratios
    w1 = spin(e, w)
    w2 = 2 * polar(e, w, w1)
    w3 = 2 * (polar(e, w, w2) + polar(e, w1, w1))
    w4 = 2 * (polar(e, w, w3) + 3 * polar(e, w1, w2))
    w5 = 2 * (polar(e, w, w4) + 4 * polar(e, w1, w3) + 3 * polar(e, w2, w2))
    return w1, w2, w3, w4, w5


def polar(e: Diag3, a: Vec3, b: Vec3) -> Vec3:
    """The symmetric bilinear form whose square is `spin`."""
    return Vec3(
        0.5 * e.x * (a.y * b.z + a.z * b.y),
        0.5 * e.y * (a.z * b.x + a.x * b.z),
        0.5 * e.z * (a.x * b.y + a.y * b.x),
    )


def space_rates(
    w: Vec3, rates: tuple[Vec3, Vec3, Vec3, Vec3, Vec3]
) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3]:
    """The first five derivatives of ω = RΩ in space, seen from the body: the rate of the last one
    plus Ω × it.
    """
    w1, w2, w3, w4, w5 = rates
    x2 = w2 + cross(w, w1)
    x3 = w3 + 2 * cross(w, w2) + cross(w, cross(w, w1))
    x4 = (
        w4
        + 2 * cross(w1, w2)
        + 2 * cross(w, w3)
        + cross(w1, cross(w, w1))
        + cross(w, cross(w, w2))
        + cross(w, x3)
    )
    d4 = (
        w5
        + 4 * cross(w1, w3)
        + 2 * cross(w, w4)
        + cross(w2, cross(w, w1))
        + 2 * cross(w1, cross(w, w2))
        + cross(w, cross(w1, w2))
        + cross(w, cross(w, w3))
        + cross(w1, x3)
        + cross(w, x4 - cross(w, x3))
    )
    return w1, x2, x3, x4, d4 + cross(w, x4)


def find_high_order(body: Body, h: float, Π: Vec3) -> tuple[Vec3, Vec3, Vec3]:
    """The mean velocity of order four, and Y₄ and Y₅ of section 5; [a, b] = a × b, [a, b, c] = a ×
    (b × c).
    """
    w = body.Jinv @ Π
    w1, w2, w3, w4, w5 = space_rates(w, body_rates(body, w))
    mean = (
        w
        + h / 2 * w1
        + h * h / 6 * w2
        + h * h / 12 * cross(w1, w)
        + h * h * h / 24 * (w3 + cross(w2, w))
    )
    Y4 = (
        w4
        + 1.5 * cross(w3, w)
        + cross(w2, w1)
        + 0.5 * cross(w1, cross(w1, w))
        - (1 / 6) * cross(w, cross(w2, w))
        - (1 / 6) * cross(w, cross(w, cross(w1, w)))
    )
    Y5 = (
        w5
        + 2.5 * cross(w3, w1)
        + 2 * cross(w4, w)
        + 2 * cross(w2, cross(w1, w))
        + 0.5 * cross(w1, cross(w2, w))
        - 0.5 * cross(w, cross(w3, w))
        - 0.5 * cross(w, cross(w, cross(w2, w)))
        - cross(w, cross(w1, cross(w1, w)))
    )
    return mean, Y4, Y5


@taylor(
    key="BUSS5",
    name="Buss's fifth-order method",
    short="Buss 5",
    order=(5, 5),
    needs_rates=3,
    evidence=(keeps(pi="free"), measures("|drift|", FREE, 1e-10, 1e-6)),
)
def buss5(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""One rotation a step, of fifth order, for free bodies.

    .. math::
        \bar\omega + \tfrac{h^4}{120} Y_4

    - It adds the terms of fifth order to one rotation a step: nested commutators of the derivatives
      of ω.
    - Those derivatives follow from Euler's equations if no torque acts; a torque would have to
      supply its own rates of change.
    - Momentum is [exact], and energy [drifts, by less than 10⁻⁶ in 200,000 steps] of 0.05 rad.
    """
    mean, Y4, _ = find_high_order(body, h, Π)
    return turn_by(body, t, h, R, Π, T, exp(h * (mean + h * h * h * h / 120 * Y4)))


@taylor(
    key="BUSS6",
    name="Buss's sixth-order method",
    short="Buss 6",
    order=(6, 6),
    needs_rates=3,
    evidence=(
        typically("steps within 1e-6 rad", "BUSS6", 4, of="BUSS4"),
        declares(implicit=False),
        keeps(pi="free"),
        typically("steps within 1e-6 rad", "BUSS6", 4, of="BUSS4"),
        typically("steps within 1e-3 rad", "BUSS6", 2, of="BUSS4"),
    ),
)
def buss6(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""One rotation a step, of sixth order, for free bodies. BUSS4 needs [{} times] as many steps
    for 10⁻⁶ rad in the median of random bodies.

    .. math::
        \bar\omega + \tfrac{h^4}{120} Y_4 + \tfrac{h^5}{720} Y_5

    - The vector of its one rotation is correct to sixth order, nested commutators included.
    - It evaluates ω and its derivatives at the start of the step: there are no stages, and there is
      [nothing to solve].
    - Momentum is [exact]. Its gain over BUSS4 shrinks with larger steps. For 10⁻⁶ rad BUSS4 takes
      [{} times] the steps, and for 10⁻³ rad [{} times] (medians of random bodies).
    """
    mean, Y4, Y5 = find_high_order(body, h, Π)
    return turn_by(
        body, t, h, R, Π, T, exp(h * (mean + h * h * h * h * (1 / 120 * Y4 + h / 720 * Y5)))
    )


def divide(h: float) -> float:
    """The printed formula: h/2 times a difference over h."""
    return 0.5


def leave_undivided(h: float) -> float:
    """As run for the tables: h/2 times the difference."""
    return h / 2


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the division the method is of first order."""
    return {"order": (2, 2) if chosen.get("variant", "printed") == "printed" else (1, 1)}


def start(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, variant: Any
) -> tuple[Mat3, Vec3, Vec3, Any]:
    """The first state; the first step extrapolates from the present velocity."""
    return R, body.J @ Ω, Ω, body.torque(t, R)


@taylor(
    key="SW-BUSS",
    name="Simo–Wong explicit, after Buss",
    short="Simo–Wong after Buss",
    options=(
        offer(
            "variant",
            "the formula as printed, or as Buss's tables were run, without the division by h",
            "Formula",
            {
                "printed": (divide, "as printed"),
                "as-run": (leave_undivided, "as Buss's tables were run"),
            },
        ),
    ),
    start=start,
    order=(2, 2),
    self_starting=False,
    given_options=promise,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        (declares(reversible=False), measures("drift", (*FREE, "slow-top", "fast-top"), 1e-10)),
        declares(of="SW-BUSS(variant=as-run)", order=(1, 1)),
    ),
)
def sw_buss(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, before: Vec3, T: Torque, variant: Any
) -> tuple[Mat3, Vec3, Vec3, Any]:
    r"""One rotation by the body's velocity, extrapolated half a step ahead from the last two.

    .. math::
        \bar\nu = \nu_n + \tfrac12 (\nu_n - \nu_{n-1}), \quad R_{n+1} = R_n \exp(h\,\bar\nu)

    - It extrapolates the velocity half a step ahead from the last two, in the body's frame.
    - Momentum [stays in space]. The extrapolation uses the past, so the step is not reversible.
      Energy [grows] on free bodies and on slow and fast tops.
    - As Buss ran it for his tables, its acceleration was not divided by the step, which [leaves
      first order].
    """
    ν = body.Jinv @ Π
    R, Π, T = turn_by(body, t, h, R, Π, T, exp(h * (ν + variant(h) * (ν - before))))
    return R, Π, ν, T
