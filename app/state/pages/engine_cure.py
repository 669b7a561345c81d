"""Rules that could replace the rule of a physics engine at a similar cost."""

from __future__ import annotations

import functools
import itertools
import math

import engine
from engine.algorithms import STEP_OPTIONS, Method, find_method
from engine.programs import PASTED, Unwritable, count_lines, find_shapes
from engine.studies.replacements import can_replace, holds_energy, list_replacements, step_time

from .method_table import Findings, constant_cell

MOST_COST = 1.6
"""A step of a rule that is proposed takes at most this many times as long as a step of the other."""
MOST_TRIED = 3
"""Rules that are run on a body to find the one that cures."""
MOST_LINES = 20
"""Lines of a rule that is proposed for pasting."""


@functools.lru_cache(maxsize=1)
def list_curing_rules() -> tuple[Method, ...]:
    """Rules that an engine could use instead of its own: first those whose energy does not drift,
    then by error.

    They ask for the torque alone, keep no history, are at least of second order with a torque, and
    conserve the momentum of a free body in space.
    """
    errors = {
        m: constant_cell(m, Findings(m.key), "attitude", "free").sort
        for m in filter(can_replace, engine.algorithms())
    }
    known = {m: error for m, error in errors.items() if isinstance(error, float)}
    return tuple(sorted(known, key=lambda m: (not holds_energy(m), known[m])))


@functools.cache
def is_short(m: Method) -> bool:
    """Return whether a rule takes few lines; writing it to count them takes up to seconds."""
    try:
        return count_lines(m) <= MOST_LINES
    except Unwritable:
        return False


def list_candidates(rule: Method, program: str = "") -> list[Method]:
    """The rule that can be pasted into a program, if it has a function for that; else the first
    short curing rules of a similar cost; if there are none, the cheapest one whose energy does not
    drift.
    """
    how = {
        name: value
        for name, value in rule.chosen.items()
        if name in [one.name for one in STEP_OPTIONS]
    }
    if find_shapes(program):
        return [find_method(PASTED).with_options(**how)]
    others = {m: step_time(m) or math.inf for m in list_curing_rules() if m.key != rule.key}
    own = step_time(rule)
    alike = (m for m, ns in others.items() if own is not None and ns <= MOST_COST * own)
    found = list(itertools.islice(filter(is_short, alike), MOST_TRIED))
    return [m.with_options(**how) for m in found or [find_cheapest(other_than=rule.key)]]


def find_cheapest(other_than: str = "") -> Method:
    """The cheapest short rule whose energy does not drift."""
    return next(m for m in list_replacements() if m.key != other_than and is_short(m))
