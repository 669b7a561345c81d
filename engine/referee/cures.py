"""Cures: rules that could replace that of a physics engine, at a similar cost if it is known."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from ..algorithms import PROGRAMS, STEP_OPTIONS, Method, all_methods, find_method
from ..exact.errors import error
from ..problems.problem import Problem
from ..programs import PASTED, Unwritable, count_lines, find_shapes
from ..simulation import simulate
from ..simulation.one_body import Run
from ..studies.core import stored_properties
from ..studies.engines import AfterATime, measure_at
from ..studies.replacements import can_replace, holds_energy, list_replacements, step_time
from ..text.formatting import format_measured

MOST_COST = 1.6
"""A step of a rule that is proposed takes at most this many times as long as a step of the other."""
MOST_TRIED = 3
"""Rules that are run on a body to find the one that cures."""
MOST_LINES = 20
"""Lines of a rule that is proposed for pasting."""
ROWS = 1000
"""Of a run that is compared with the exact motion."""


class Cure(NamedTuple):
    """A rule in place of the engine's: its method, the final error of its attitude in radians, infinite if
    its phase is lost, and why it is proposed, in a sentence.
    """

    method: Method
    attitude: float
    why: str


def choose_name(rules: Sequence[str], possible: Sequence[str], nearest: Sequence[str]) -> str:
    """The name of the rule, or of one that may be it, or of the nearest, that of an engine if there is one;
    empty without any.
    """
    names = rules or possible[:1] or nearest[:1]
    of_engines = [name for name in names if name.partition("(")[0] in PROGRAMS]
    return next(iter([*of_engines, *names]), "")


def find_cure(body: Problem, dt: float, steps: int, rule: Method | None) -> Cure | None:
    """The rule that cures a motion of a rule, if that is known; None if all that are tried end early."""
    candidates = list_replacements()[:MOST_TRIED]
    if rule is not None:
        candidates = list_candidates(rule, rule.called)
    runs = [simulate(body, method, dt=dt, steps=steps, samples=ROWS) for method in candidates]
    ends = [(run, measure_at(run, error(run), len(run) - 1)) for run in runs if len(run) > 1]
    if not ends:
        return None
    run, end = min(ends, key=lambda pair: rank_cure(*pair))
    if run.status != "done":
        return None
    return Cure(run.method, end.attitude_rank, _explain(run.method, rule))


def rank_cure(run: Run, end: AfterATime) -> tuple[bool, bool, float]:
    """Sorts runs: finished ones first, then rules whose energy does not drift, then by attitude
    error.
    """
    return run.status != "done", not holds_energy(run.method), end.attitude_rank


def _explain(cure: Method, rule: Method | None) -> str:
    """Why a rule is proposed in place of another."""
    if rule is None:
        return f"Of the {MOST_TRIED} cheapest rules that keep the energy, it ends nearest to the exact motion."
    if find_shapes(rule.called):
        return "It changes only the velocity, so you can paste it into the engine's own function."
    ratio = find_cost_ratio(cure, rule)
    if ratio is None or ratio > MOST_COST:
        return "It is the cheapest short rule whose energy does not drift."
    return f"A step takes {describe_cost_ratio(ratio)} as one of {rule.short}."


def find_cost_ratio(cure: Method, rule: Method) -> float | None:
    """The recorded cost of a step of a cure over that of a rule, if there are both."""
    own, cost = step_time(rule), step_time(cure)
    return None if own is None or cost is None else cost / own


def describe_cost_ratio(ratio: float) -> str:
    """How long a step takes, before the words with which it is compared."""
    times = format_measured(ratio)
    return "as long" if times == "1.0" else f"{times} times as long"


@functools.lru_cache(maxsize=1)
def list_curing_rules() -> tuple[Method, ...]:
    """Rules that an engine could use instead of its own: first those whose energy does not drift,
    then by error.

    They ask for the torque alone, keep no history, are at least of second order with a torque, and
    conserve the momentum of a free body in space.
    """
    errors = {m: _find_error_constant(m) for m in filter(can_replace, all_methods())}
    known = {m: error for m, error in errors.items() if error is not None}
    return tuple(sorted(known, key=lambda m: (not holds_energy(m), known[m])))


def _find_error_constant(m: Method) -> float | None:
    """The recorded error constant of the attitude of a free body, if there is one."""
    for name, on, _, measured, _ in stored_properties().get(m.key, ()):
        if (name, on) == ("error constant of the attitude", "free"):
            return float(measured.split()[0])
    return None


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
