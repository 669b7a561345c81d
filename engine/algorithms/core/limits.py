"""Damping and caps, by which engines change a velocity besides moving the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...algebra import Mat3, Vec3, norm
from ...parameters.parameter import Number, Parameter
from .promises import ON_THE_GROUP

DAMPING = Parameter(
    "damping",
    Number(0.0, 1000.0),
    "the part of the velocity that damping removes in a second; 0 for none",
    0.0,
    "1/time",
    "Angular damping",
)
MAX_SPEED = Parameter(
    "max_speed",
    Number(0.0, 1e9),
    "the largest angular velocity, to which larger ones are cut; 0 for no limit",
    0.0,
    "rad/time",
    "Largest angular velocity",
)
MAX_COMPONENT = Parameter(
    "max_component",
    Number(0.0, 1e9),
    "the largest component of the angular velocity in space, to which larger ones are cut; 0 for "
    "no limit",
    0.0,
    "rad/time",
    "Largest component in space",
)
MAX_TURN = Parameter(
    "max_turn",
    Number(0.0, 1e9),
    "the largest turn in a frame Δt, to which the velocity is cut; 0 for no limit",
    0.0,
    "rad",
    "Largest turn in a frame",
    of_frame=True,
)


def damp(Ω: Vec3, c: float, h: float) -> Vec3:
    """The part 1 − ch of a velocity, but not less than zero."""
    return Ω * (1.0 - c * h if c * h < 1.0 else 0.0) if c > 0.0 else Ω


def cap(Ω: Vec3, most: float) -> Vec3:
    """A velocity cut to the length `most`, unless that is 0."""
    return (Ω * (most / norm(Ω)) if norm(Ω) > most else Ω) if most > 0.0 else Ω


def clip(x: float, most: float) -> float:
    """A number cut to the range from −most to most."""
    return max(min(x, most), -most)


def cap_components(R: Mat3, Ω: Vec3, most: float) -> Vec3:
    """A velocity of which each component in space is cut to `most`, unless that is 0."""
    return (R.T @ clip_components(R @ Ω, most) if norm(Ω) > most else Ω) if most > 0.0 else Ω


def clip_components(ω: Vec3, most: float) -> Vec3:
    """A vector with each component cut to the range from −most to most."""
    return Vec3(clip(ω.x, most), clip(ω.y, most), clip(ω.z, most))


def limit_turn(Ω: Vec3, most: float, h: float) -> Vec3:
    """A velocity cut to a turn by the angle `most` in the time h, unless that is 0."""
    return (Ω * (most / (h * norm(Ω))) if h * norm(Ω) > most else Ω) if most > 0.0 else Ω


def reduce_promises(chosen: Mapping[str, Any], promised: Mapping[str, Any]) -> Mapping[str, Any]:
    """The declaration with these options: damping is no part of the motion, and a cap removes
    momentum too.
    """
    is_damped = chosen.get("damping", 0.0) > 0.0
    caps = ("max_speed", "max_component", "max_turn")
    if not (is_damped or any(chosen.get(name, 0.0) > 0.0 for name in caps)):
        return promised
    return {**promised, "conserves": ON_THE_GROUP} | ({"order": (0, 0)} if is_damped else {})
