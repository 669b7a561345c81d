"""RESTORED: an explicit step of Euler's equations, after which |Π| is made again what it was.

The change of momentum, h JΩ × Ω, stands at right angles to Π and so makes it longer; scaled back, Π has been turned
on its sphere. This is the step of Jolt for bodies with mApplyGyroscopicForce, and of PhysX for those with
eENABLE_GYROSCOPIC_FORCES; by default both leave the term out. Rapier and Avian take it for every body. Jolt has the
gyroscopic term before the torque, the others have it after; Rapier turns by the Cayley map, the others by the
exponential. Jolt damps and caps the velocity at the end, PhysX before the gyroscopic term; Rapier caps the turn of a
frame. The engines' names have their defaults, each with the line that sets it in `sources.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, cross, norm
from ..spec import OneOf, Parameter
from ..told import FREE, keeps, loses, measured, told
from .limits import DAMPING, MAX_SPEED, MAX_TURN, capped, damped, limited, within
from .method import ON_THE_GROUP
from .semi_implicit import MAP
from .sources import (
    AVIAN,
    AVIAN_DEFAULTS,
    JOLT,
    JOLT_DEFAULTS,
    PHYSX,
    PHYSX_DEFAULTS,
    RAPIER,
    RAPIER_DEFAULTS,
    chosen_by,
    engine_rule,
)


def restored(body: Any, h: float, Ω: Vec3) -> Vec3:
    """J⁻¹ of Π + h JΩ × Ω with the length of Π; a body at rest stays there."""
    Π = body.J @ Ω
    changed = Π + h * cross(Π, Ω)
    length = norm(changed)
    return body.Jinv @ (changed * (norm(Π) / length)) if length > 0.0 else Ω


def before_the_torque(body: Any, h: float, Ω: Vec3, A: Any, c: float, most: float) -> Vec3:
    """The gyroscopic term, then the torque, which gives the acceleration A, damping and the cap."""
    return capped(damped(restored(body, h, Ω) + h * A, c, h), most)


def after_the_torque(body: Any, h: float, Ω: Vec3, A: Any, c: float, most: float) -> Vec3:
    """The torque first, damping and the cap."""
    return restored(body, h, capped(damped(Ω + h * A, c, h), most))


KEPT = ON_THE_GROUP | dict.fromkeys(("pi_norm", "casimir"), "free")


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The length of momentum is kept where nothing is taken from the velocity."""
    return limited(chosen, {"order": (1, 1), "conserves": KEPT}, ON_THE_GROUP)


@engine_rule(
    key="RESTORED",
    name="Explicit Euler, momentum's length restored",
    variants={
        "jolt": chosen_by(JOLT_DEFAULTS),
        "physx": {"gyroscopic": "after"} | chosen_by(PHYSX_DEFAULTS),
        "avian": {"gyroscopic": "after"} | chosen_by(AVIAN_DEFAULTS),
        "rapier": {"gyroscopic": "after", "map": "cay"} | chosen_by(RAPIER_DEFAULTS),
    },
    summary=told(
        "An explicit step, then Π is given its old length, which a free body [keeps, but not π]. Its energy goes "
        "[from above and from below to that of a spin about its middle axis], which is unstable.",
        (keeps(casimir="free", pi_norm="free"), loses("pi", "energy")),
        measured("of the middle energy", FREE, 0.99, 1.01, steps=200_000),
    ),
    equations=r"""
        \Pi' = \Pi_n + h\,\Pi_n \times \Omega_n, \quad
        \Omega_{n+1} = J^{-1} \Pi' \frac{|\Pi_n|}{|\Pi'|} + h J^{-1} T_n, \quad
        R_{n+1} = R_n \exp(h\,\Omega_{n+1})""",
    reference="\n".join((JOLT, PHYSX, RAPIER, AVIAN)),
    options=(
        Parameter(
            "gyroscopic",
            OneOf(
                {"before": before_the_torque, "after": after_the_torque},
                {"before": "before the torque", "after": "after the torque"},
            ),
            "whether the gyroscopic term comes before the torque, as in Jolt, or after it",
            "before",
            label="Gyroscopic term",
        ),
        MAP,
        DAMPING,
        MAX_SPEED,
        MAX_TURN,
    ),
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=KEPT,
    given_options=promises,
)
def step(
    body: Any,
    t: float,
    h: float,
    R: Mat3,
    Ω: Vec3,
    gyroscopic: Any,
    map: Any,
    damping: float,
    max_speed: float,
    max_turn: float,
) -> tuple[Mat3, Vec3]:
    """One step."""
    Ω = gyroscopic(body, h, Ω, body.Jinv @ body.torque(t, R, Ω), damping, max_speed)
    Ω = within(Ω, max_turn, h)
    return map(R, h * Ω), Ω
