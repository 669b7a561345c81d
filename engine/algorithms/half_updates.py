"""HALVES and VERLET-SINE: the velocity over half a step, the turn, and the velocity over the other
half.

Each half of HALVES solves Euler's equations with the torque held. With the implicit midpoint rule
it is LIGGGHTS's scheme 2 (a predictor-corrector of second order in its source, and Walton and
Braun's by its documentation); with implicit Euler it is the step of PFC's clumps, as in MercuryDPM
("PFC4 style"). These programs iterate a fixed point 4 and 3 times; here the equations are solved to
roundoff. PFC is closed, and its manual was not available in full. The other particles of
MercuryDPM, including superquadrics, have no gyroscopic term. A turn does not change the velocity by
which it is made, seen from the body.

VERLET-SINE is ESPResSo's, after Sonnenschein (1985) and Omelyan (1998): the first half is explicit,
the second is solved, there by six rounds. The second-order step of the quaternion with a Lagrange
multiplier for its length gives the quaternion whose vector is h/2 Ω: a turn by 2 asin(h|Ω|/2),
where VERLET-QUAT has an arc tangent. There is none for h|Ω| > 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan, sqrt
from typing import Any

from ..algebra import Mat3, Vec3, dot, rodrigues
from ..text import FREE, bibtex, declares, keeps, loses, measures
from .core import (
    Body,
    Torque,
    newton,
    offer,
    particle_rule,
    start_velocity_and_torque,
    start_with_acceleration,
)
from .core.promises import BODY_RATES
from .nmb import ENERGY_OF_NMB, finish_step, rate_balance
from .semi_implicit import MAP


def halve_by_midpoint(body: Body, h: float, Ω: Vec3, A: Any) -> Vec3:
    """The velocity after h/2 by the implicit midpoint rule; the torque gives the acceleration A."""
    return 2 * newton(body, h / 2, rate_balance, Ω, Ω, A) - Ω


def halve_by_euler(body: Body, h: float, Ω: Vec3, A: Any) -> Vec3:
    """The same by implicit Euler."""
    return newton(body, h, rate_balance, Ω, Ω, A)


def halve_without_gyroscopic(body: Body, h: float, Ω: Vec3, A: Torque) -> Vec3:
    """The same without the gyroscopic term."""
    return Ω + h / 2 * A


SPIN_KEPT = dict.fromkeys(("energy", "pi_norm", "casimir"), "free")


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The properties of the rule for each half; without the gyroscopic term it is no method for a
    rigid body.
    """
    return {
        "midpoint": {"order": (2, 2), "reversible": True, "conserves": BODY_RATES | SPIN_KEPT},
        "euler": {"order": (1, 1), "reversible": False, "conserves": BODY_RATES},
        "left-out": {
            "order": (0, 0),
            "reversible": True,
            "conserves": BODY_RATES | SPIN_KEPT,
            "implicit": False,
        },
    }[chosen.get("half", "midpoint")]


@particle_rule(
    key="HALVES",
    name="Half updates about a turn",
    short="Half updates",
    aliases=("walton-braun",),
    variants={
        "liggghts-2": {},
        "pfc": {"half": "euler"},
        "mercurydpm": {"half": "left-out"},
        "mercurydpm-clump": {"half": "euler", "map": "exp"},
    },
    reference=bibtex("WaltonBraun1993", "LIGGGHTS2024", "MercuryDPM2013"),
    options=(
        offer(
            "half",
            "how half a step changes the velocity: as in LIGGGHTS's scheme 2, PFC, or MercuryDPM "
            "without clumps",
            "Half a step of the velocity",
            {
                "midpoint": (halve_by_midpoint, "implicit midpoint rule"),
                "euler": (halve_by_euler, "implicit Euler"),
                "left-out": (halve_without_gyroscopic, "no gyroscopic term"),
            },
        ),
        MAP.with_default("cay"),
    ),
    start=start_velocity_and_torque,
    implicit=True,
    reversible=True,
    conserves=BODY_RATES | SPIN_KEPT,
    given_options=promise,
    evidence=(
        keeps(energy="free", pi_norm="free", casimir="free"),
        declares(of="HALVES(half=euler)", order=(1, 1)),
        measures("energy at the end", FREE, 0, 0.9999, of="HALVES(half=euler)", steps=20_000),
        keeps(energy="free", pi_norm="free", casimir="free"),
        loses("pi"),
        measures("energy at the end", FREE, 0, 0.9999, of="HALVES(half=euler)", steps=20_000),
    ),
)
def halves(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, T: Torque, half: Any, map: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""Each half of the step solves for its velocity. By the midpoint rule, a free body's energy
    and length of momentum [are conserved]. By implicit Euler, as in PFC, it is of [first order],
    and energy [falls].

    .. math::
        J(\Omega_{n+1/2} - \Omega_n) = \tfrac h2 \left(J\omega \times \omega + T_n\right), \quad
        \omega = \tfrac12 (\Omega_n + \Omega_{n+1/2}), \quad
        R_{n+1} = R_n\, \mathrm{cay}\left(h\,\Omega_{n+1/2}\right) \\
        J(\Omega_{n+1} - \Omega_{n+1/2}) = \tfrac h2 \left(J\omega' \times \omega' + T_{n+1}\right), \quad
        \omega' = \tfrac12 (\Omega_{n+1/2} + \Omega_{n+1})

    - The turn is about the velocity, which it does not change in the body's frame. A free body's
      velocity follows Euler's equations alone, in two halves.
    - Energy and the length of momentum are quadratic, and so the midpoint rule [conserves] them.
      Momentum's direction [is not conserved].
    - As in PFC, two half steps of implicit Euler damp, so energy [falls].
    """
    Ω = half(body, h, Ω, body.Jinv @ T)
    R = map(R, h * Ω)
    T = body.torque(t + h, R)
    return R, half(body, h, Ω, body.Jinv @ T), T


def turn_by_sine(body: Body, R: Mat3, v: Vec3) -> Mat3:
    """R times the turn about v by 2 asin(|v|/2), whose quaternion has the vector v/2; none for |v|
    > 2.
    """
    square = 1.0 - 0.25 * dot(v, v)
    if not square >= 0.0:
        body.no_solution()
        return R * nan
    return R @ rodrigues(v, sqrt(square), 0.5)


@particle_rule(
    key="VERLET-SINE",
    name="Verlet on the quaternion, its length kept",
    short="Unit-quaternion Verlet",
    variants={"espresso": {}},
    reference=bibtex("ESPResSo2024", "Sonnenschein1985", "Omelyan1998Modified"),
    start=start_with_acceleration,
    reversible=True,
    has_history="its angular acceleration",
    evidence=ENERGY_OF_NMB,
)
def sine(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    r"""NMB with another turn, whose quaternion has the vector ½hΩ. A free body's [energy is the
    same as NMB's]. [Neither energy nor momentum is conserved].

    .. math::
        v = \tfrac h2 \left(\Omega_n + \tfrac h2 A_n\right), \quad q_{n+1} = q_n \otimes \left(\sqrt{1 - |v|^2},\,
        v\right), \quad \Omega_{n+1} = \Omega_n + \tfrac h2 (A_n + A_{n+1})

    - The quaternion advances by its first and second rate, and a Lagrange multiplier restores its
      unit length. Its turn has the sine where VERLET-QUAT has the tangent.
    - On a free body its velocities are those of NMB, and so is its [energy].
    - The velocity follows from rates in the body's frame, so momentum [is not conserved].
    """
    # A is the angular acceleration at the start of the step.
    Ωh = Ω + h / 2 * A
    return finish_step(body, t, h, turn_by_sine(body, R, h * Ωh), Ωh, A)
