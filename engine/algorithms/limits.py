"""What engines do to a velocity besides moving a body: they damp it, and cap it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Vec3, norm
from ..spec import Number, Parameter

DAMPING = Parameter(
    "damping",
    Number(0.0, 1000.0),
    "the part of the velocity that damping takes in a second; 0 for none",
    0.0,
    unit="1/time",
    label="Angular damping",
)
MAX_SPEED = Parameter(
    "max_speed",
    Number(0.0, 1e9),
    "the largest angular velocity, to which a larger one is cut; 0 for no limit",
    0.0,
    unit="rad/time",
    label="Largest angular velocity",
)
MAX_TURN = Parameter(
    "max_turn",
    Number(0.0, 1e9),
    "the largest turn in a frame Δt, to which the velocity is cut; 0 for no limit",
    0.0,
    unit="rad",
    label="Largest turn in a frame",
    of_frame=True,
)


def damped(Ω: Vec3, c: float, h: float) -> Vec3:
    """The part 1 − ch of a velocity, which is never less than nothing."""
    return Ω * (1.0 - c * h if c * h < 1.0 else 0.0) if c > 0.0 else Ω


def capped(Ω: Vec3, most: float) -> Vec3:
    """A velocity, or what has its direction and the length `most` if that is less and not 0."""
    return (Ω * (most / norm(Ω)) if norm(Ω) > most else Ω) if most > 0.0 else Ω


def within(Ω: Vec3, most: float, h: float) -> Vec3:
    """A velocity, or the one of its direction that turns by the angle `most` in the time h."""
    return (Ω * (most / (h * norm(Ω))) if h * norm(Ω) > most else Ω) if most > 0.0 else Ω


def limited(chosen: Mapping[str, Any], promised: Mapping[str, Any], rest: Mapping[str, str]) -> Mapping[str, Any]:
    """What a method promises with these options: damping is no part of the motion, and a cap takes momentum too.

    `rest` is what it keeps whatever becomes of the velocity.
    """
    is_damped = chosen.get("damping", 0.0) > 0.0
    if not (is_damped or chosen.get("max_speed", 0.0) > 0.0 or chosen.get("max_turn", 0.0) > 0.0):
        return promised
    return {**promised, "conserves": rest} | ({"order": (0, 0)} if is_damped else {})
