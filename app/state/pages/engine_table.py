"""The table of all engines: what becomes of one body by each rule, the cause, and the cure.

`python -m app.state.pages.engine_table` computes all rows of the page's first setting, and writes them
to `engine_table.json`, which the page reads.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import engine
from engine.algorithms import PROGRAMS, Program

from ..choice import Choice, Refusal
from ..results import compute
from .engine_question import FIRST, PROGRAM, choose_program
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
RECORDED = Path(__file__).with_suffix(".json")
"""The rows of the first setting."""


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


def list_programs(whole: bool) -> list[Program]:
    """The programs of the table: as they come, or `whole` with those behind flags."""
    return [program for program in PROGRAMS.values() if whole or comes_so(program)]


def find_setting(choice: Choice = FIRST) -> Choice:
    """The body, the frame rate, the duration and the precision of a choice, as that of one program."""
    return choose_program(PROGRAM, choice).choice


Rows = Mapping[str, EngineRow]
"""Rows by the keys of their programs."""


@functools.cache
def read_recorded_rows() -> Rows:
    """The recorded rows of the first setting."""
    stored = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {key: EngineRow(PROGRAMS[key], *both) for key, both in stored.items()}


def find_rows(
    setting: Choice,
    programs: Iterable[Program],
    cancel: engine.Cancellation | None = None,
    progress: Callable[[int, int], Any] = lambda *_: None,
) -> Rows | None:
    """Run the rules of these programs, and those that may cure them, on the body and at the frame rate
    of a setting; None if that is cancelled.
    """
    wanted = list(programs)
    found = {}
    for number, program in enumerate(wanted):
        progress(number, len(wanted))
        row = _find_row(program, setting, cancel)
        if cancel is not None and cancel.is_set():
            return None
        found[program.key] = row
    return found


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


def main() -> None:
    """Compute the rows of the first setting, and write them."""
    rows = find_rows(find_setting(), PROGRAMS.values())
    assert rows is not None
    lines = (
        f"{json.dumps(key)}: {json.dumps([row.texts, row.values], ensure_ascii=False)}"
        for key, row in rows.items()
    )
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
