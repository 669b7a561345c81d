"""Shapes: a cure as the function of an engine that changes the velocity, to be pasted there."""

from .godot import Godot, GodotCSharp
from .jolt import Jolt
from .shape import Shape
from .unity import Unity
from .velocity import write_velocity

PASTED = "MIDPOINT-HELD(turn=new)"
"""The cure that fits all shapes: it keeps the energy of a free body and the length of its momentum."""

SHAPES: dict[str, type[Shape]] = {one.key: one for one in (Jolt, Unity, Godot, GodotCSharp)}
"""The shapes, by the names that `engine.program` takes."""


def find_shapes(program: str) -> list[str]:
    """The shapes of a program's own function, by its name in links."""
    return [one.key for one in SHAPES.values() if program in one.programs]
