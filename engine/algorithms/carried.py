"""CARRIED and OSCULATING: momentum is handed on in space, and only the turn is approximate.

CARRIED is Bepu's step for bodies with ConserveMomentum: the body is turned by its velocity, and the new velocity is
that of the same momentum in the new attitude. Without torque it is BUSS1. OSCULATING is the turn that Ben Spiers has
proposed for engines, as in his code `update_proposed`: that of the symmetric top with the body's velocity and angular
acceleration, h (Ω − aΠ) about its own axis and h aΠ about the momentum. The torque comes first, as in Avian.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, cross, dot, exp, turn
from ..told import FREE, keeps, loses, measured, told
from .method import MOMENTUM
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


@engine_rule(
    key="OSCULATING",
    name="Turn of the osculating symmetric top",
    aliases=("spiers",),
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
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
)
def osculating(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """One step; the turn about Π leaves Π as it is."""
    Π = Π + h * body.torque(t, R, body.Jinv @ Π)
    Ω = body.Jinv @ Π
    k = cross(Ω, Π)
    a = dot(k, body.Jinv @ k) / dot(k, k) if dot(k, k) > 0.0 else 0.0
    E = turn(h * (Ω - a * Π))
    return R @ exp((h * a) * Π) @ E, E.T @ Π
