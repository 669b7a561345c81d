"""The two spaces of problems and methods, in words: one body on SO(3), two bodies on SE(3)."""

from __future__ import annotations

from typing import NamedTuple


class Space(NamedTuple):
    """Words: what moves, the first argument of a step, what it evaluates, its order, the prefix of
    its groups.
    """

    moves: str
    argument: str
    evaluates: str
    order: str
    group: str


SPACES = {
    "so3": Space("one body", "body", "torque", "{} for the attitude, {} for the momentum", ""),
    "se3": Space("two bodies", "bodies", "force", "{}", "Two bodies: "),
}
"""Spaces by name; `engine.simulation.systems` has the implementations."""
