"""The table of all engines: what becomes of one body by each rule, the cause, and the cure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import engine
from engine.algorithms import PROGRAMS, Program

from ..choice import Choice, Refusal
from ..results import compute
from .engine_question import choose_program
from .engine_verdict import (
    Outcome,
    describe_cause,
    describe_motion,
    is_sound,
    judge,
    table_row,
    times_the_cost,
)

COLUMNS = {
    "engine": "Engine",
    "energy": "Energy, % of the first",
    "motion": "Motion",
    "cause": "Cause",
    "cure": "Cure: its energy, %",
    "cost": "Cost of the cure",
}
"""The columns of the table."""
MOST_KEPT = 1000
"""Rows that are kept for the next visitor."""


@dataclass(frozen=True)
class EngineRow:
    """A row: the program, a text for each column, and the values to sort by; without a value, a row
    comes last.
    """

    program: Program
    texts: dict[str, str]
    values: dict[str, Any]


_rows: dict[tuple[str, Choice], EngineRow] = {}


def comes_so(program: Program) -> bool:
    """Whether an engine has this rule as it comes, or as the first of its rules if none is said to
    be that.
    """
    own = [one for one in PROGRAMS.values() if one.title == program.title]
    as_it_comes = [one for one in own if "as it comes" in one.flags]
    return program in (as_it_comes or own[:1])


def find_rows(
    setting: Choice,
    cancel: engine.Cancellation | None = None,
    progress: Callable[[int, int], Any] = lambda *_: None,
) -> list[EngineRow]:
    """Run the rules of all engines, and those that may cure them, on the body and at the frame rate
    of a setting; fewer rows if that is cancelled.
    """
    found = []
    for number, program in enumerate(PROGRAMS.values()):
        progress(number, len(PROGRAMS))
        row = _find_row(program, setting, cancel)
        if cancel is not None and cancel.is_set():
            break
        found.append(row)
    return found


def wait_for(program: Program) -> EngineRow:
    """The row of an engine that has not run."""
    return EngineRow(program, dict.fromkeys(COLUMNS, "") | {"engine": program.title}, {})


def _find_row(
    program: Program, setting: Choice, cancel: engine.Cancellation | None = None
) -> EngineRow:
    try:
        question = choose_program(program.key, setting)
        choice = question.with_candidates()
    except Refusal:
        return _write_row(program, None)
    key = program.key, choice
    if key in _rows:
        return _rows[key]
    row = _write_row(program, judge(question, compute(choice, cancel)))
    if cancel is None or not cancel.is_set():
        if len(_rows) >= MOST_KEPT:
            _rows.clear()
        _rows[key] = row
    return row


def _write_row(program: Program, outcome: Outcome | None) -> EngineRow:
    name = {"engine": program.title}
    if outcome is None:
        return EngineRow(program, dict.fromkeys(COLUMNS, "–") | name, name)
    rank, motion = describe_motion(outcome)
    sound = is_sound(outcome.rule, outcome.rule_end)
    cause = "" if sound else describe_cause(outcome.rule.run)
    texts = name | {
        "energy": table_row(outcome.rule, outcome.rule_end)["energy"],
        "motion": motion,
        "cause": cause or "–",
        "cure": "–",
        "cost": "–",
    }
    energy = outcome.rule_end.energy if outcome.rule.run.status == "done" else math.inf
    values = name | {"energy": energy, "motion": rank, "cause": cause or None}
    if outcome.cure is not None and outcome.cure_end is not None:
        short = outcome.cure.run.method.short
        texts["cure"] = f"{short}: {table_row(outcome.cure, outcome.cure_end)['energy']}"
        values["cure"] = short
        if times := times_the_cost(outcome):
            texts["cost"] = f"{times} ×"
            values["cost"] = float(times)
    return EngineRow(program, texts, values)


def sort_rows(rows: Sequence[EngineRow], order: str) -> list[EngineRow]:
    """Sort rows by a column, downwards if its name follows a minus sign."""
    column = order.removeprefix("-")
    known = [row for row in rows if row.values.get(column) is not None]
    known.sort(key=lambda row: row.values[column], reverse=order.startswith("-"))
    return [*known, *(row for row in rows if row.values.get(column) is None)]


def read_order(text: str) -> tuple[str, list[str]]:
    """Return the order that a link names, and a notice if there is none like it."""
    if not text or text.removeprefix("-") in COLUMNS:
        return text, []
    return "", [f"sort: the table has no column {text[:30]!r}."]
