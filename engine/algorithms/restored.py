"""RESTORED: an explicit step of Euler's equations that then restores |Π|.

The change of momentum, h JΩ × Ω, is at right angles to Π and so makes it longer; scaling it back
leaves a turn of Π on its sphere. This is the step of Jolt for bodies with mApplyGyroscopicForce,
and of PhysX for bodies with eENABLE_GYROSCOPIC_FORCES; by default both omit the term. Rapier,
Avian and, from version 1.7 on, Newton's Kamino use it for every body. Jolt and Kamino apply the
gyroscopic term before the torque, the others after it; Rapier turns by the Cayley map, the others by
the exponential. Jolt damps and caps the velocity at the end, PhysX before the gyroscopic term;
Rapier caps the turn of a frame. The names of the engines have their defaults, each with the line
that sets it in `programs.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, cross, norm
from ..text import FREE, bibtex, keeps, loses, measures
from .core import ON_THE_GROUP, Body, engine_rule, offer
from .core.limits import DAMPING, MAX_SPEED, MAX_TURN, cap, damp, limit_turn, reduce_promises
from .semi_implicit import MAP


def restore_length(body: Body, h: float, Ω: Vec3) -> Vec3:
    """J⁻¹ of Π + h JΩ × Ω with the length of Π; a body at rest stays there."""
    Π = body.J @ Ω
    changed = Π + h * cross(Π, Ω)
    length = norm(changed)
    return body.Jinv @ (changed * (norm(Π) / length)) if length > 0.0 else Ω


def take_before_torque(body: Body, h: float, Ω: Vec3, A: Any, c: float, most: float) -> Vec3:
    """Apply the gyroscopic term, then the torque (of the acceleration A), damping and the cap."""
    return cap(damp(restore_length(body, h, Ω) + h * A, c, h), most)


def take_after_torque(body: Body, h: float, Ω: Vec3, A: Any, c: float, most: float) -> Vec3:
    """Apply the torque, damping and the cap, then the gyroscopic term."""
    return restore_length(body, h, cap(damp(Ω + h * A, c, h), most))


KEPT = ON_THE_GROUP | dict.fromkeys(("pi_norm", "casimir"), "free")


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The length of momentum is conserved without damping and caps."""
    return reduce_promises(chosen, {"order": (1, 1), "conserves": KEPT})


@engine_rule(
    key="RESTORED",
    name="Explicit Euler, momentum's length restored",
    short="Length-restoring Euler",
    variants={
        "jolt": {},
        "kamino": {},
        "physx": {"gyroscopic": "after"},
        "avian": {"gyroscopic": "after"},
        "rapier": {"gyroscopic": "after", "map": "cay"},
    },
    reference=bibtex("Jolt2026", "PhysX2026", "Rapier2026", "Avian2025", "Newton2026"),
    options=(
        offer(
            "gyroscopic",
            "whether the gyroscopic term comes before the torque, as in Jolt, or after it",
            "Gyroscopic term",
            {
                "before": (take_before_torque, "before the torque"),
                "after": (take_after_torque, "after the torque"),
            },
            brief="gyroscopic term {label}",
        ),
        MAP,
        DAMPING,
        MAX_SPEED,
        MAX_TURN,
    ),
    conserves=KEPT,
    given_options=promise,
    evidence=(
        (keeps(casimir="free", pi_norm="free"), loses("pi", "energy")),
        measures("of the middle energy", FREE, 0.99, 1.01, steps=200_000),
        keeps(casimir="free", pi_norm="free"),
        loses("pi", "energy"),
        measures("of the middle energy", FREE, 0.99, 1.01, steps=200_000),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, gyroscopic: Any, map: Any, damping: float, max_speed: float,
    max_turn: float,
) -> tuple[Mat3, Vec3]:  # fmt: skip
    r"""An explicit step, after which the momentum gets its length back. A free body's [length of
    momentum is kept, but not its direction]. Its energy goes up or down [to that of a spin about
    its middle axis], which is unstable.

    .. math::
        \Pi' = \Pi_n + h\,\Pi_n \times \Omega_n, \quad
        \Omega_{n+1} = J^{-1} \Pi' \frac{|\Pi_n|}{|\Pi'|} + h J^{-1} T_n, \quad
        R_{n+1} = R_n \exp(h\,\Omega_{n+1})

    - An explicit step makes the momentum longer. Scaling it back leaves a turn on its sphere, so
      its length [is conserved].
    - The turn is along the tangent of the curve. Its direction in space [is not conserved], nor is
      energy.
    - Energy goes up or down to that of an unstable spin about the middle axis, and [ends there].
    """
    Ω = gyroscopic(body, h, Ω, body.Jinv @ body.torque(t, R, Ω), damping, max_speed)
    Ω = limit_turn(Ω, max_turn, h)
    return map(R, h * Ω), Ω
