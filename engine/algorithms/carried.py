"""CARRIED and OSCULATING: momentum is handed on in space, and only the turn is approximate.

CARRIED is Bepu's step for bodies with ConserveMomentum: the body is turned by its velocity, and the new velocity is
that of the same momentum in the new attitude. Without torque it is BUSS1. OSCULATING is the turn that Ben Spiers has
proposed for engines, as in his code `update_proposed`: that of the symmetric top with the body's velocity and angular
acceleration, h (Ω − aΠ) about its own axis and h aΠ about the momentum. His `update_proposed_velocity` is for engines
that keep the velocity: it turns the momentum in the body alike, and then the body by the velocity that it has there.
The torque comes first, as in Avian.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, cross, dot, exp, turn
from ..spec import OneOf, Parameter
from ..told import FREE, keeps, loses, measured, told
from .method import MOMENTUM, ON_THE_GROUP
from .sources import BEPU, SPIERS, engine_rule


@engine_rule(
    key="CARRIED",
    name="Momentum carried, turn by the present velocity",
    aliases=("bepu-momentum",),
    summary=told(
        "A kick, then a turn that leaves momentum in space: [it is kept]. A free body's energy [grows to the most] "
        "that its momentum allows.",
        keeps(pi="free", pi_e3="always"),
        measured("part of the most energy", FREE, 0.99, 1.01),
    ),
    equations=r"\Pi^+ = \Pi_n + h\,T_n, \quad E = \exp(h J^{-1} \Pi^+), \quad "
    r"R_{n+1} = R_n E, \quad \Pi_{n+1} = E^T \Pi^+",
    reference=BEPU,
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=MOMENTUM,
)
def carried(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """One step."""
    Π = Π + h * body.torque(t, R, body.Jinv @ Π)
    E = turn(h * (body.Jinv @ Π))
    return R @ E, E.T @ Π


def by_momentum(body: Any, h: float, R: Mat3, Π: Vec3, a: float, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """The turn of the symmetric top, which leaves momentum in space; that about Π leaves Π as it is."""
    E = turn(h * (Ω - a * Π))
    return R @ exp((h * a) * Π) @ E, E.T @ Π


def by_velocity(body: Any, h: float, R: Mat3, Π: Vec3, a: float, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """The momentum that is so turned in the body, and the turn by its velocity."""
    Π = turn(h * (Ω - a * Π)).T @ Π
    return R @ exp(h * (body.Jinv @ Π)), Π


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """By the velocity, momentum in space is not handed on; its length is."""
    if chosen.get("form", "momentum") == "momentum":
        return {"conserves": MOMENTUM | {"pi_chi": "symmetric tops"}}
    return {"conserves": ON_THE_GROUP | {"pi_norm": "free", "casimir": "free", "pi_chi": "symmetric tops"}}


@engine_rule(
    key="OSCULATING",
    name="Turn of the osculating symmetric top",
    aliases=("spiers",),
    variants={"spiers-velocity": {"form": "velocity"}},
    summary=told(
        "A kick, then the turn of the symmetric top that osculates: explicit, [momentum is kept], and energy "
        "[is not].",
        keeps(pi="free", pi_e3="always"),
        loses("energy"),
    ),
    equations=r"""
        \Pi^+ = \Pi_n + h\,T_n, \quad \Omega = J^{-1}\Pi^+, \quad k = \Omega \times \Pi^+, \quad
        a = \frac{k \cdot J^{-1} k}{k \cdot k} \\
        E = \exp(h\,(\Omega - a\,\Pi^+)), \quad R_{n+1} = R_n \exp(h\,a\,\Pi^+)\,E, \quad
        \Pi_{n+1} = E^T \Pi^+""",
    reference=SPIERS,
    options=(
        Parameter(
            "form",
            OneOf(
                {"momentum": by_momentum, "velocity": by_velocity},
                {"momentum": "for a momentum in space", "velocity": "for a velocity"},
            ),
            "what the engine keeps from step to step: the momentum in space, or the velocity",
            "momentum",
            label="What is kept from step to step",
        ),
    ),
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
    given_options=promises,
)
def osculating(body: Any, t: float, h: float, R: Mat3, Π: Vec3, form: Any) -> tuple[Mat3, Vec3]:
    """One step."""
    Π = Π + h * body.torque(t, R, body.Jinv @ Π)
    Ω = body.Jinv @ Π
    k = cross(Ω, Π)
    a = dot(k, body.Jinv @ k) / dot(k, k) if dot(k, k) > 0.0 else 0.0
    return form(body, h, R, Π, a, Ω)
