"""RICHARDSON and FINCHAM: momentum is handed on in space, and linear steps of a quaternion give the
turn.

RICHARDSON is the step of LAMMPS's `fix nve/asphere`, `nve/body` and `rigid`, and of LIGGGHTS's
scheme 0. FINCHAM is the leapfrog of program F.6 B of Allen and Tildesley's book, which "uses an
auxiliary equation to obtain accurate quaternions and rotation matrices at the half-step time", and
of ls1 mardyn: the velocity that turns the body is that of its momentum in the attitude half way.
Yade, which had no other scheme before 2023, and after it Woo and LIGGGHTS's scheme 3 take the
attitude at the start of the step, in the files that are named, and so does Yade's documentation.
Yade and Woo do not normalise the quaternion half way. (Fincham's paper was not available.)

The quaternions are those of the turn since the start of the step, which begins with 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Quat, Vec3, rotation_of
from ..text import FREE, bibtex, declares, grows, keeps, measures
from .core import (
    MOMENTUM,
    Body,
    Torque,
    offer,
    particle_rule,
    start_with_torque,
    turn_and_kick,
)
from .runge_kutta_entries import leave_as_is, normalise


def add_one(v: Vec3) -> Quat:
    """1 + v."""
    return Quat(1.0, v.x, v.y, v.z)


@particle_rule(
    key="RICHARDSON",
    name="Richardson's extrapolation of the quaternion",
    short="Richardson",
    aliases=("lammps-asphere",),
    variants={"lammps": {}, "liggghts-0": {}},
    reference=bibtex("LAMMPS2003", "LIGGGHTS2024"),
    start=start_with_torque,
    conserves=MOMENTUM,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        grows(FREE),
        keeps(pi="free", pi_e3="always"),
        grows(FREE),
    ),
)
def richardson(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Any]:
    r"""One linear step of the quaternion and two of half the size, extrapolated. [Momentum is
    conserved]; a free body's energy [grows].

    .. math::
        \Pi^+ = \Pi_n + \tfrac h2 T_n, \quad q_1 = \mathrm{unit}\left(1 + \tfrac h2 J^{-1} \Pi^+\right), \quad
        q_{1/2} = \mathrm{unit}\left(1 + \tfrac h4 J^{-1} \Pi^+\right) \\
        q_2 = \mathrm{unit}\left(q_{1/2} + \tfrac h4\, q_{1/2} \otimes J^{-1} R(q_{1/2})^T \Pi^+\right), \quad
        E = R\left(\mathrm{unit}(2 q_2 - q_1)\right) \\
        R_{n+1} = R_n E, \quad \Pi_{n+1} = E^T \Pi^+ + \tfrac h2 T_{n+1}

    - The quaternion takes a linear step and is made a unit, which is a turn by the Cayley map. A
      step and two half steps are extrapolated.
    - Momentum turns back by the rotation of the body, and [stays in space].
    - The extrapolation goes from the start of the step to its end, and a free body's energy
      [grows].
    """
    Π = Π + h / 2 * T
    Ω = body.Jinv @ Π
    whole, half = normalise(add_one(h / 2 * Ω)), normalise(add_one(h / 4 * Ω))
    Ω = body.Jinv @ (rotation_of(half).T @ Π)
    halves = normalise(half + h / 4 * (half @ Ω))
    E = rotation_of(normalise(2 * halves - whole))
    return turn_and_kick(body, t, h, R, Π, E)


def see_half_way(q: Quat, Π: Vec3) -> Vec3:
    """The momentum seen from the attitude half way."""
    return rotation_of(q).T @ Π


def see_at_start(q: Quat, Π: Vec3) -> Vec3:
    """The momentum seen from the attitude at the start."""
    return Π


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """First order with the attitude at the start."""
    return {"order": (1, 1) if chosen.get("attitude") == "start" else (2, 2)}


@particle_rule(
    key="FINCHAM",
    name="Fincham's leapfrog",
    short="Fincham",
    variants={
        "ls1-mardyn": {},
        "yade-fincham": {"attitude": "start", "middle": "as-is"},
        "woo": {"attitude": "start", "middle": "as-is"},
        "liggghts-3": {"attitude": "start"},
    },
    reference=bibtex(
        "Fincham1992", "AllenTildesley1987", "ls1mardyn2026", "YADE2008", "Woo2015", "LIGGGHTS2024"
    ),
    options=(
        offer(
            "attitude",
            "the attitude at which momentum becomes the angular velocity of the turn",
            "Attitude of the velocity",
            {
                "half": (see_half_way, "half way, as Allen and Tildesley"),
                "start": (see_at_start, "at the start, as Yade and LIGGGHTS 3"),
            },
        ),
        offer(
            "middle",
            "whether the quaternion half way is brought to length 1, which Yade does not do",
            "Quaternion half way",
            {
                "unit": (normalise, "made a unit"),
                "as-is": (leave_as_is, "not normalised"),
            },
        ),
    ),
    start=start_with_torque,
    conserves=MOMENTUM,
    given_options=promise,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        declares(of="FINCHAM(attitude=start)", order=(1, 1)),
        measures("part of the most energy", FREE, 0.99, 1.01, of="FINCHAM(attitude=start)"),
        keeps(pi="free", pi_e3="always"),
        grows(FREE),
        measures("part of the most energy", FREE, 0.99, 1.01, of="FINCHAM(attitude=start)"),
    ),
)
def fincham(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, attitude: Any, middle: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""Half a step to the attitude half way, then a whole step by the velocity there. [Momentum is
    conserved]. With the attitude at the start, as in Yade's code, the order is [one]. A free body's
    energy then [grows to the most] that its momentum allows.

    .. math::
        q_{1/2} = \mathrm{unit}\left(1 + \tfrac h4 J^{-1} \Pi_n\right), \quad \Pi^+ = \Pi_n + \tfrac h2 T_n \\
        E = R\left(\mathrm{unit}\left(1 + \tfrac h2\, q_{1/2} \otimes J^{-1} R(q_{1/2})^T \Pi^+\right)\right), \quad
        R_{n+1} = R_n E, \quad \Pi_{n+1} = E^T \Pi^+ + \tfrac h2 T_{n+1}

    - The body turns by the velocity that its momentum has in the attitude half way, as in the
      explicit midpoint rule. Momentum [stays in space].
    - A free body's energy [grows].
    - With the attitude at the start, as in Yade's code, a free body turns by the velocity at the
      start. As with CARRIED, its energy [grows to the most] that momentum allows.
    """
    # The momentum at the step's ends differs from that of the velocity by half of the torque's
    # impulse.
    half = middle(add_one(h / 4 * (body.Jinv @ Π)))
    Π = Π + h / 2 * T
    Ω = body.Jinv @ attitude(half, Π)
    E = rotation_of(normalise(Quat(1.0, 0.0, 0.0, 0.0) + h / 2 * (half @ Ω)))
    return turn_and_kick(body, t, h, R, Π, E)
