"""Shapes: a cure as the function of an engine that changes the velocity, to be pasted there."""

from .godot import Godot, GodotCSharp
from .jolt import Jolt
from .shape import Shape
from .unity import Unity
from .velocity import write_velocity

SHAPES: dict[str, type[Shape]] = {one.key: one for one in (Jolt, Unity, Godot, GodotCSharp)}
"""The shapes, by the names that `engine.program` takes."""
