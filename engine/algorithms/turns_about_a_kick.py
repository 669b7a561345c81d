"""MOREAU-JEAN and VERLET-LAGGED: explicit steps of simulators with the gyroscopic term of an old
velocity.

MOREAU-JEAN is an option of Newton's Kamino, whose default is Euler's step, for a body without
contacts: half a turn, the velocity in the attitude half way, and the other half of the turn by the
new velocity. From version 1.7 on the gyroscopic term leaves |Π| as it is, as in `restored.py`.

VERLET-LAGGED is Chrono's ChTimestepperLeapfrog. It turns by the velocity and then by the last
acceleration, because `X + V * dt + Aold * …` goes from left to right (ChTimestepperExplicit.cpp,
line 369, at commit 7689fbc0). It computes another acceleration in the new attitude with the old
velocity, and takes the mean of both. A comment there calls it symplectic and of second order "at
least when F depends on positions only", which the gyroscopic term does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, times_exp
from ..text import FREE, bibtex, declares, loses, measures
from .core import BODY_RATES, Body, angular_acceleration, engine_rule, offer, spin
from .restored import KEPT, restore_length


def take_explicit_step(body: Body, h: float, Ω: Vec3) -> Vec3:
    """Ω + h J⁻¹ (JΩ × Ω)."""
    return Ω + h * spin(body.ratios, Ω)


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The length of momentum is conserved where it is restored."""
    return {"conserves": KEPT if chosen.get("gyroscopic") == "restored" else BODY_RATES}


@engine_rule(
    key="MOREAU-JEAN",
    name="Moreau and Jean's step, explicit in the velocity",
    short="Moreau–Jean",
    variants={"kamino-moreau-explicit": {}, "kamino-moreau": {"gyroscopic": "restored"}},
    reference=bibtex("Newton2026"),
    options=(
        offer(
            "gyroscopic",
            "whether the gyroscopic term makes the momentum longer, or leaves its length, as in "
            "Kamino from version 1.7 on",
            "Gyroscopic term",
            {
                "explicit": (take_explicit_step, "explicit"),
                "restored": (restore_length, "with the length of momentum restored"),
            },
            brief="gyroscopic term {label}",
        ),
    ),
    given_options=promise,
    evidence=(
        declares(order=(1, 1)),
        measures("energy at the end", FREE, 1.1, steps=20_000),
        declares(order=(1, 1)),
        measures("energy at the end", FREE, 1.1, steps=20_000),
    ),
)
def moreau_jean(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, gyroscopic: Any
) -> tuple[Mat3, Vec3]:
    r"""Half a turn, a kick, and half a turn by the new velocity. It is [of first order], because
    the gyroscopic term uses the old velocity. A free body's energy [grows].

    .. math::
        R_{n+1/2} = R_n \exp(\tfrac h2 \Omega_n), \quad
        \Omega_{n+1} = \Omega_n + h J^{-1}(J\Omega_n \times \Omega_n + T_{n+1/2}), \quad
        R_{n+1} = R_{n+1/2} \exp(\tfrac h2 \Omega_{n+1})

    - Two half turns about a kick would be of second order if the kick did not depend on the
      velocity.
    - The gyroscopic term does, and is that of the velocity before the kick: the step is [of first
      order].
    - As with explicit Euler, each step makes the momentum longer, and a free body's energy [grows].
    """
    R = times_exp(R, h / 2 * Ω)
    Ω = gyroscopic(body, h, Ω) + h * (body.Jinv @ body.torque(t + h / 2, R, Ω))
    return times_exp(R, h / 2 * Ω), Ω


def start(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Mat3, Vec3, Vec3]:
    """The first state; the torque of the acceleration may depend on the velocity."""
    return R, Ω, angular_acceleration(body, body.torque(t, R, Ω), Ω)


@engine_rule(
    key="VERLET-LAGGED",
    name="Verlet with the acceleration of the old velocity",
    short="Lagged Verlet",
    variants={"chrono-leapfrog": {}},
    reference=bibtex("Chrono2026"),
    start=start,
    self_starting=False,
    has_history="the acceleration of the velocity before",
    evidence=(
        declares(order=(1, 1)),
        measures("energy at the end", FREE, 1.1, steps=20_000),
        loses("energy", "pi", "pi_norm", "casimir"),
        declares(order=(1, 1)),
        measures("energy at the end", FREE, 1.1, steps=20_000),
    ),
)
def verlet(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    r"""Velocity Verlet as if the acceleration depended on the attitude alone: [of first order] for
    a body. A free body's energy [grows], and [neither energy nor momentum is conserved].

    .. math::
        R_{n+1} = R_n \exp(h\,\Omega_n) \exp\left(\tfrac{h^2}{2} A_n\right), \quad
        A_{n+1} = J^{-1}(J\Omega_n \times \Omega_n + T_{n+1}), \quad
        \Omega_{n+1} = \Omega_n + \tfrac h2 (A_n + A_{n+1})

    - Verlet's step is of second order where accelerations depend on the attitude alone.
    - A body's acceleration depends on its velocity too. Here that is the velocity of the step
      before, and so the step is [of first order].
    - A free body's energy [grows].
    """
    R = times_exp(times_exp(R, h * Ω), h * h / 2 * A)
    A1 = angular_acceleration(body, body.torque(t + h, R, Ω), Ω)
    return R, Ω + h / 2 * (A + A1), A1
