"""The quantities of a problem's motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..algorithms.core.method import Method
from ..kernels import compiles
from .conserved import CONSERVED, STEPS, energy, list_integrals, list_modified
from .errors import ATTITUDE
from .evaluation import compile_formula
from .free_bodies import VERDICT
from .motion import MOTION
from .quantity import Quantity, all_quantities, list_series
from .two_bodies import AGAINST_EXACT, ORBIT, ROTATION

GROUPS = (CONSERVED, MOTION, ATTITUDE, STEPS, ORBIT, ROTATION, AGAINST_EXACT, VERDICT)
"""The groups of the quantities of this package."""


def list_own_groups(space: str) -> list[str]:
    """The groups that other quantities name."""
    named = dict.fromkeys(group for one in all_quantities(space) for group in one.groups)
    return [group for group in named if group not in GROUPS]


def list_quantities(
    problem: Any, methods: Sequence[Method] = (), *, fitting: bool = True
) -> list[Quantity]:
    """The quantities for a problem, in the order of plots, with its integrals, and with those that
    only these methods conserve.

    Without `fitting`, also those of other initial states, which the motion may then conserve.
    """
    found = all_quantities(problem.space)
    if problem.space == energy.space:
        at = found.index(energy) + 1
        own = [*list_integrals(problem.integrals), *list_modified(problem, methods)]
        found = [*found[:at], *own, *found[at:]]
    series = list_series(problem)
    return [one for one in found if one.fits(problem.invariants, series)] if fitting else found


def compile_quantities(problem: Any, group: str) -> None:
    """Compile the quantities of a group before they are needed."""
    if compiles():
        for one in list_quantities(problem):
            if group in one.groups:
                compile_formula(one.formula)
