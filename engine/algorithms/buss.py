"""BUSS1 to BUSS6: Buss's Taylor methods, one rotation a step, and his version of Simo and Wong's.

S. R. Buss, section 3, in body coordinates, where J stays diagonal. The printed boxes have lost some dots: the fourth
order's last two terms carry w‴ and w″, and w‴ begins with 2 w × w″. BUSS3 keeps the paper's extra h³/36 w″ × w
(option tail), which belongs to no order but cuts the energy drift to a fifth; the paper says a third.

The paper takes the momentum L and its derivatives as given. Here L̇ is the torque, L̈ and L⃛ are its rates along the
motion where the problem knows them, and L itself is advanced by the trapezoidal rule of the torque, with Hermite's
correction by its rates for orders three and four. Orders five and six, section 5, need rates that no torque here
gives, so they are for free bodies. SW-BUSS extrapolates the body's velocity; Buss's tables were run without the
division by h (variant as-run, first order).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, cross, exp
from ..spec import OneOf, Parameter
from ..told import FREE, measured, times, told
from .euler import spin, with_momentum_and_torque
from .method import MOMENTUM, method

REFERENCE = """@article{Buss2000,
  author  = {Buss, Samuel R.},
  title   = {Accurate and efficient simulation of rigid-body rotations},
  journal = {Journal of Computational Physics},
  volume  = {164}, pages = {377--406}, year = {2000}, doi = {10.1006/jcph.2000.6602}}"""

taylor = partial(
    method,
    family="Taylor",
    reference=REFERENCE,
    start=with_momentum_and_torque,
    torque_evaluations=1,
    conserves=MOMENTUM,
)
"""Declares one of them; what they have in common is told once."""


def first_rate(body: Any, w: Vec3, Π: Vec3, T: Any) -> Vec3:
    """ẇ = I⁻¹ (L̇ − w × L)"""
    return body.Jinv @ (T - cross(w, Π))


def second_rate(body: Any, w: Vec3, w1: Vec3, Π: Vec3, T: Any, dT: Any) -> Vec3:
    """ẅ = w × ẇ + I⁻¹ (L̈ − ẇ × L − 2 w × L̇ + w × (w × L))"""
    return cross(w, w1) + body.Jinv @ (dT - cross(w1, Π) - 2 * cross(w, T) + cross(w, cross(w, Π)))


def third_rate(body: Any, w: Vec3, w1: Vec3, w2: Vec3, Π: Vec3, T: Any, dT: Any, ddT: Any) -> Vec3:
    """w⃛ = 2 w × ẅ − w × (w × ẇ) + I⁻¹ [L⃛ − 3 w × L̈ − 3 ẇ × L̇ − ẅ × L
    + ẇ × (w × L) + 2 w × (ẇ × L) + 3 w × (w × L̇) − w × (w × (w × L))]"""
    of_torque = ddT - 3 * cross(w, dT) - 3 * cross(w1, T) + 3 * cross(w, cross(w, T))
    of_momentum = cross(w1, cross(w, Π)) + 2 * cross(w, cross(w1, Π)) - cross(w, cross(w, cross(w, Π)))
    return 2 * cross(w, w2) - cross(w, cross(w, w1)) + body.Jinv @ (of_momentum - cross(w2, Π) + of_torque)


def turned_by(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any, mean: Vec3) -> tuple[Mat3, Vec3, Any, Mat3]:
    """The step's one rotation, by h times the mean angular velocity; momentum by the trapezoidal rule."""
    E = exp(h * mean)
    R = R @ E
    T1 = body.torque(t + h, R)
    return R, E.T @ (Π + h / 2 * T) + h / 2 * T1, T1, E


def with_rates(body: Any, t: float, h: float, dT: Any, R: Mat3, Π: Vec3, T: Any, E: Mat3) -> tuple[Mat3, Vec3, Any]:
    """Hermite's correction of the trapezoidal rule, h²/12 (L̈₀ − L̈₁)."""
    dT1 = body.torque_rate(t + h, R, body.Jinv @ Π)
    return R, Π + h * h / 12 * (E.T @ dT - dT1), T


@taylor(
    key="BUSS1",
    name="Buss's first-order method",
    summary=told(
        "One rotation by the present angular velocity. A free body's energy [grows to the most] that its "
        "momentum allows.",
        measured("part of the most energy", FREE, 0.99, 1.01),
    ),
    equations=r"\bar\omega = \omega, \quad R_{n+1} = \exp(h\,\bar\omega)\, R_n",
    order=(1, 1),
)
def buss1(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """First order."""
    R, Π, T, _ = turned_by(body, t, h, R, Π, T, body.Jinv @ Π)
    return R, Π, T


@taylor(
    key="BUSS2",
    name="Buss's second-order method",
    summary="One rotation by the angular velocity half a step ahead.",
    equations=r"\bar\omega = \omega + \tfrac h2 \dot\omega",
    order=(2, 2),
)
def buss2(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Second order."""
    w = body.Jinv @ Π
    R, Π, T, _ = turned_by(body, t, h, R, Π, T, w + h / 2 * first_rate(body, w, Π, T))
    return R, Π, T


@taylor(
    key="BUSS2-AUG",
    name="Buss's augmented second-order method",
    summary=told(
        "Second order with the commutator that a turning axis calls for; [keeps energy better than BUSS2] on long "
        "bodies and on slow and fast tops, [worse] on compact free bodies.",
        times("energy", "BUSS2", ("prism", "dumbbell", "slow-top", "fast-top"), 0, 0.9),
        times("energy", "BUSS2", ("free", "random 1", "random 2", "random 3"), 1.1, 2),
    ),
    equations=r"\bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{12}\, \dot\omega \times \omega",
    order=(2, 2),
)
def buss2_aug(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Second order, augmented."""
    w = body.Jinv @ Π
    w1 = first_rate(body, w, Π, T)
    R, Π, T, _ = turned_by(body, t, h, R, Π, T, w + h / 2 * w1 + h * h / 12 * cross(w1, w))
    return R, Π, T


@taylor(
    key="BUSS3-FALSE",
    name="Buss's false third-order method",
    summary="The mean angular velocity to third order, but not the rotation: a rotation is not a vector.",
    equations=r"\bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{6} \ddot\omega",
    order=(2, 2),
    needs_rates=1,
)
def buss3_false(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Second order in truth."""
    w = body.Jinv @ Π
    w1 = first_rate(body, w, Π, T)
    dT = body.torque_rate(t, R, w)
    w2 = second_rate(body, w, w1, Π, T, dT)
    R, Π, T, E = turned_by(body, t, h, R, Π, T, w + h / 2 * w1 + h * h / 6 * w2)
    return with_rates(body, t, h, dT, R, Π, T, E)


def tail(h: float, w: Vec3, w1: Vec3, w2: Vec3) -> Vec3:
    """The commutator with the mean rate over the step, ẇ + h/3 ẅ."""
    return h * h / 12 * cross(w1 + h / 3 * w2, w)


def no_tail(h: float, w: Vec3, w1: Vec3, w2: Vec3) -> Vec3:
    """The commutator that third order needs, and no more."""
    return h * h / 12 * cross(w1, w)


@taylor(
    key="BUSS3",
    name="Buss's third-order method",
    summary=told(
        "One rotation a step, third order; with the energy correction it needs, within 10⁻³ rad on free bodies, "
        "[{} times] as many steps as BUSS4.",
        measured("steps within 1e-3 rad", FREE, 0.73, 2.5, of="BUSS3+E", over="BUSS4"),
    ),
    equations=r"""\bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{6} \ddot\omega
        + \tfrac{h^2}{12} \left(\dot\omega + \tfrac h3 \ddot\omega\right) \times \omega""",
    options=(
        Parameter(
            "tail",
            OneOf({"True": tail, "False": no_tail}, {"True": "kept", "False": "left out"}),
            "whether the h³/36 term of the paper is kept",
            "True",
            label="Term in h³/36",
        ),
    ),
    start=with_momentum_and_torque,
    order=(3, 3),
    needs_rates=1,
)
def buss3(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any, tail: Any) -> tuple[Mat3, Vec3, Any]:
    """Third order."""
    w = body.Jinv @ Π
    w1 = first_rate(body, w, Π, T)
    dT = body.torque_rate(t, R, w)
    w2 = second_rate(body, w, w1, Π, T, dT)
    R, Π, T, E = turned_by(body, t, h, R, Π, T, w + h / 2 * w1 + h * h / 6 * w2 + tail(h, w, w1, w2))
    return with_rates(body, t, h, dT, R, Π, T, E)


@taylor(
    key="BUSS4",
    name="Buss's fourth-order method",
    summary="One rotation a step, fourth order.",
    equations=r"""\bar\omega = \omega + \tfrac h2 \dot\omega + \tfrac{h^2}{6} \ddot\omega
        + \tfrac{h^2}{12} \dot\omega \times \omega + \tfrac{h^3}{24} \dddot\omega
        + \tfrac{h^3}{24} \ddot\omega \times \omega""",
    order=(4, 4),
    needs_rates=2,
)
def buss4(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Fourth order."""
    w = body.Jinv @ Π
    w1 = first_rate(body, w, Π, T)
    dT = body.torque_rate(t, R, w)
    w2 = second_rate(body, w, w1, Π, T, dT)
    w3 = third_rate(body, w, w1, w2, Π, T, dT, body.torque_rate2(t, R, w, w1))
    mean = w + h / 2 * w1 + h * h / 6 * w2 + h * h / 12 * cross(w1, w) + h * h * h / 24 * (w3 + cross(w2, w))
    R, Π, T, E = turned_by(body, t, h, R, Π, T, mean)
    return with_rates(body, t, h, dT, R, Π, T, E)


def body_rates(body: Any, w: Vec3) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3]:
    """The first five derivatives of a free body's Ω, by Leibniz's rule from dΩ/dt = J⁻¹ (JΩ × Ω)."""
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
        0.5 * e.x * (a.y * b.z + a.z * b.y), 0.5 * e.y * (a.z * b.x + a.x * b.z), 0.5 * e.z * (a.x * b.y + a.y * b.x)
    )


def space_rates(w: Vec3, rates: tuple[Vec3, Vec3, Vec3, Vec3, Vec3]) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3]:
    """The first five derivatives of ω = RΩ in space, seen from the body: each is the last one's rate plus Ω × "
    "it."""
    w1, w2, w3, w4, w5 = rates
    x2 = w2 + cross(w, w1)
    x3 = w3 + 2 * cross(w, w2) + cross(w, cross(w, w1))
    x4 = w4 + 2 * cross(w1, w2) + 2 * cross(w, w3) + cross(w1, cross(w, w1)) + cross(w, cross(w, w2)) + cross(w, x3)
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


def high_order(body: Any, h: float, Π: Vec3) -> tuple[Vec3, Vec3, Vec3]:
    """The mean velocity of order four, and Y₄ and Y₅ of section 5; [a, b] = a × b, [a, b, c] = a × (b × c)."""
    w = body.Jinv @ Π
    w1, w2, w3, w4, w5 = space_rates(w, body_rates(body, w))
    mean = w + h / 2 * w1 + h * h / 6 * w2 + h * h / 12 * cross(w1, w) + h * h * h / 24 * (w3 + cross(w2, w))
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
    summary="One rotation a step, fifth order, for free bodies.",
    equations=r"\bar\omega + \tfrac{h^4}{120} Y_4",
    order=(5, 5),
    needs_rates=3,
)
def buss5(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Fifth order."""
    mean, Y4, _ = high_order(body, h, Π)
    R, Π, T, _ = turned_by(body, t, h, R, Π, T, mean + h * h * h * h / 120 * Y4)
    return R, Π, T


@taylor(
    key="BUSS6",
    name="Buss's sixth-order method",
    summary=told(
        "One rotation a step, sixth order, for free bodies: within 10⁻⁶ rad BUSS4 needs [{} times] as many steps.",
        measured("steps within 1e-6 rad", FREE, 2.9, 6.3, of="BUSS4", over="BUSS6"),
    ),
    equations=r"\bar\omega + \tfrac{h^4}{120} Y_4 + \tfrac{h^5}{720} Y_5",
    order=(6, 6),
    needs_rates=3,
)
def buss6(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Sixth order."""
    mean, Y4, Y5 = high_order(body, h, Π)
    R, Π, T, _ = turned_by(body, t, h, R, Π, T, mean + h * h * h * h * (1 / 120 * Y4 + h / 720 * Y5))
    return R, Π, T


def divided(h: float) -> float:
    """The printed formula: h/2 times a difference over h."""
    return 0.5


def not_divided(h: float) -> float:
    """As the tables were run: h/2 times the difference."""
    return h / 2


def sw_promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the division the method is of first order."""
    return {"order": (2, 2) if chosen.get("variant", "printed") == "printed" else (1, 1)}


def sw_start(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, variant: Any) -> tuple[Mat3, Vec3, Vec3, Any]:
    """No velocity before the first: the first step takes the present one."""
    return R, body.J @ Ω, Ω, body.torque(t, R)


@taylor(
    key="SW-BUSS",
    name="Simo–Wong explicit, after Buss",
    summary="One rotation by the body's velocity extrapolated half a step ahead from the last two.",
    equations=r"\bar\nu = \nu_n + \tfrac12 (\nu_n - \nu_{n-1}), \quad R_{n+1} = R_n \exp(h\,\bar\nu)",
    options=(
        Parameter(
            "variant",
            OneOf(
                {"printed": divided, "as-run": not_divided},
                {"printed": "as printed", "as-run": "as Buss's tables were run"},
            ),
            "the formula as printed, or as Buss's tables were run, without the division by h",
            "printed",
            label="Formula",
        ),
    ),
    start=sw_start,
    order=(2, 2),
    self_starting=False,
    given_options=sw_promises,
)
def sw_buss(
    body: Any, t: float, h: float, R: Mat3, Π: Vec3, before: Vec3, T: Any, variant: Any
) -> tuple[Mat3, Vec3, Vec3, Any]:
    """One step."""
    ν = body.Jinv @ Π
    R, Π, T, _ = turned_by(body, t, h, R, Π, T, ν + variant(h) * (ν - before))
    return R, Π, ν, T
