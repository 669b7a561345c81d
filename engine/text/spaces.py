"""The spaces of problems and methods, in words: one body on SO(3), two bodies on SE(3), and an
attitude whose rates are given.
"""

from __future__ import annotations

from typing import NamedTuple


class Space(NamedTuple):
    """Words of a space.

    Attributes
    ----------
    moves : what moves.
    argument : the first argument of a step.
    evaluates : what a step evaluates.
    order : an order of convergence.
    group : the prefix of its groups.
    here : a problem of this space, after "here".
    short : the same after "methods for".
    """

    moves: str
    argument: str
    evaluates: str
    order: str
    group: str
    here: str
    short: str


SPACES = {
    "so3": Space(
        "one body",
        "body",
        "torque",
        "{} for the attitude, {} for the momentum",
        "",
        "is one body",
        "one body",
    ),
    "se3": Space("two bodies", "bodies", "force", "{}", "Two bodies: ", "are two", "two"),
    "rates": Space(
        "an attitude with given rates",
        "gyro",
        "rate",
        "{}",
        "Given rates: ",
        "is an attitude with given rates",
        "given rates",
    ),
}
"""Spaces by name; `engine.simulation.systems` has the implementations."""
