"""The spaces that methods and problems are of, in words: what moves there, and what is told of it."""

from __future__ import annotations

from typing import NamedTuple


class Space(NamedTuple):
    """What moves; what a step takes first; what it evaluates; its order; and what stands before a group in a list."""

    moves: str
    argument: str
    evaluates: str
    order: str
    group: str


SPACES = {
    "so3": Space("one body", "body", "torque", "{} for the attitude, {} for the momentum", ""),
    "se3": Space("two bodies", "bodies", "force", "{}", "Two bodies: "),
}
"""One body with a fixed point, or two that attract each other; the systems of these names are in `systems.py`."""
