"""CARRIED and OSCULATING: momentum is handed on in space, and the turn is approximate.

CARRIED is Bepu's step for bodies with ConserveMomentum: the body turns by its velocity, and the new
velocity is that of the same momentum in the new attitude. Without a torque it is BUSS1. OSCULATING
is the turn that Ben Spiers proposes for engines, as in his code `update_proposed`: that of the
symmetric top with the body's velocity and angular acceleration, h (Ω − aΠ) about its own axis and h
aΠ about the momentum. His `update_proposed_velocity` is for engines that store the velocity: it
turns the body momentum in the same way, and then the body by the new velocity. The torque
comes first, as in Avian.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, cross, dot, exp, turn
from ..text import FREE, bibtex, declares, keeps, loses, measures
from .core import MOMENTUM, ON_THE_GROUP, Body, engine_rule, offer


@engine_rule(
    key="CARRIED",
    name="Momentum carried, turn by the present velocity",
    short="Carried momentum",
    variants={"bepu-momentum": {}},
    reference=bibtex("Bepu2026"),
    conserves=MOMENTUM,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        measures("part of the most energy", FREE, 0.99, 1.01),
        keeps(pi="free", pi_e3="always"),
        measures("part of the most energy", FREE, 0.99, 1.01),
    ),
)
def momentum_carried(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""A kick, then a turn that leaves spatial momentum as it is, so [it is conserved]. A free body's
    energy [grows to the most] that its momentum allows.

    .. math::
        \Pi^+ = \Pi_n + h\,T_n, \quad E = \exp(h J^{-1} \Pi^+), \quad R_{n+1} = R_n E, \quad \Pi_{n+1} = E^T \Pi^+

    - The body turns by the velocity at the start of the step, while the true velocity changes
      during it.
    - Momentum turns back by the rotation of the body, and [stays in space].
    - A free body's energy [grows to the most] that its momentum allows, a spin about the axis of
      least inertia.
    """
    Π = Π + h * body.torque(t, R, body.Jinv @ Π)
    E = turn(h * (body.Jinv @ Π))
    return R @ E, E.T @ Π


def turn_by_momentum(
    body: Body, h: float, R: Mat3, Π: Vec3, a: float, Ω: Vec3
) -> tuple[Mat3, Vec3]:
    """The turn of the symmetric top, which does not change the spatial momentum; a turn about Π
    leaves Π alone.
    """
    E = turn(h * (Ω - a * Π))
    return R @ exp((h * a) * Π) @ E, E.T @ Π


def turn_by_velocity(
    body: Body, h: float, R: Mat3, Π: Vec3, a: float, Ω: Vec3
) -> tuple[Mat3, Vec3]:
    """The momentum, turned in the body in the same way, and the turn of the body by its
    velocity.
    """
    Π = turn(h * (Ω - a * Π)).T @ Π
    return R @ exp(h * (body.Jinv @ Π)), Π


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """In the form for a velocity the spatial momentum is not handed on, but its length is."""
    if chosen.get("form", "momentum") == "momentum":
        return {"conserves": MOMENTUM | {"pi_chi": "symmetric tops"}}
    return {
        "conserves": ON_THE_GROUP
        | {"pi_norm": "free", "casimir": "free", "pi_chi": "symmetric tops"}
    }


@engine_rule(
    key="OSCULATING",
    name="Turn of the osculating symmetric top",
    short="Osculating top",
    variants={"spiers": {}, "spiers-velocity": {"form": "velocity"}},
    reference=bibtex("Spiers2026"),
    options=(
        offer(
            "form",
            "the state of the engine: the spatial momentum, or the velocity",
            "State of the engine",
            {
                "momentum": (turn_by_momentum, "for a spatial momentum"),
                "velocity": (turn_by_velocity, "for a velocity"),
            },
        ),
    ),
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
    given_options=promise,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        loses("energy"),
        keeps(pi="free", pi_e3="always"),
        declares(order=(1, 1)),
        loses("energy"),
    ),
)
def osculating(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, form: Callable[..., tuple[Mat3, Vec3]]
) -> tuple[Mat3, Vec3]:
    r"""A kick, then the turn of the symmetric top that osculates: explicit, [momentum is
    conserved], and energy [is not].

    .. math::
        \Pi^+ = \Pi_n + h\,T_n, \quad \Omega = J^{-1}\Pi^+, \quad k = \Omega \times \Pi^+, \quad
        a = \frac{k \cdot J^{-1} k}{k \cdot k} \\
        E = \exp(h\,(\Omega - a\,\Pi^+)), \quad R_{n+1} = R_n \exp(h\,a\,\Pi^+)\,E, \quad
        \Pi_{n+1} = E^T \Pi^+

    - A free symmetric top turns about its axis and about its momentum, each at a constant rate.
    - Each step is that of the symmetric top with the body's velocity and acceleration. Momentum
      turns back with the body, and [is conserved].
    - The top that fits changes from step to step, so the order is [one], and energy [is not
      conserved].
    """
    Π = Π + h * body.torque(t, R, body.Jinv @ Π)
    Ω = body.Jinv @ Π
    k = cross(Ω, Π)
    return form(body, h, R, Π, find_inverse_moment(body.Jinv, k, Ω), Ω)


def find_inverse_moment(Jinv: Diag3, k: Vec3, Ω: Vec3) -> float:
    """The inverse moment of inertia about k; in a steady spin, where k vanishes, the mean of those
    across Ω.
    """
    square, speed = dot(k, k), dot(Ω, Ω)
    if square > 0.0:
        return dot(k, Jinv @ k) / square
    if speed > 0.0:
        return 0.5 * (Jinv.x + Jinv.y + Jinv.z - dot(Ω, Jinv @ Ω) / speed)
    return 0.0
