"""The table of all engines: what becomes of one body by each rule, the cause, and the cure.

`python -m app.state.pages.engine_table` computes all rows of the page's first setting, and writes them
to `engine_table.json`, which the page reads.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import engine
from engine.algorithms import PROGRAMS, Program
from engine.text.formatting import format_measured

from ..choice import Choice, Refusal
from ..results import compute
from .engine_question import FIRST, PROGRAM, choose_program
from .engine_verdict import (
    Outcome,
    describe_cause,
    describe_motion,
    find_cost_ratio,
    find_part,
    format_part,
    is_sound,
    judge,
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
    """A row; what is None has a dash, and comes last where it sorts.

    Attributes
    ----------
    program : the engine with its flags.
    energy, cure_energy : the parts of the first energy that its rule and its cure leave; infinite
        if they blow up.
    motion, rank : what the body does, in words, and the worst first.
    cause : what changes the energy and the momentum most.
    cure : the short name of the rule that cures.
    cost : that of the cure over that of the rule.
    """

    program: Program
    energy: float | None = None
    motion: str | None = None
    rank: Sequence[float] | None = None
    cause: str | None = None
    cure: str | None = None
    cure_energy: float | None = None
    cost: float | None = None

    @property
    def texts(self) -> dict[str, str]:
        """A text for each column."""
        cure = self.cure
        if self.cure_energy is not None:
            cure = f"{cure}: {format_part(self.cure_energy)}"
        energy = None if self.energy is None else format_part(self.energy)
        cost = None if self.cost is None else f"{format_measured(self.cost)} ×"
        cells = self.program.title, energy, self.motion, self.cause, cure, cost
        return {column: cell or "–" for column, cell in zip(COLUMNS, cells, strict=True)}

    @property
    def values(self) -> dict[str, Any]:
        """What sorts each column."""
        cells = self.program.title, self.energy, self.rank, self.cause, self.cure, self.cost
        return dict(zip(COLUMNS, cells, strict=True))


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
    return {key: EngineRow(PROGRAMS[key], **values) for key, values in stored.items()}


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
    if outcome is None:
        return EngineRow(program)
    rule, end = outcome.rule, outcome.rule_end
    rank, motion = describe_motion(outcome)
    row = EngineRow(
        program,
        energy=find_part(rule, end, end.energy),
        motion=motion,
        rank=rank,
        cause=None if is_sound(rule, end) else describe_cause(rule.run),
        cost=find_cost_ratio(outcome),
    )
    cure, cure_end = outcome.cure, outcome.cure_end
    if cure is None or cure_end is None:
        return row
    energy = find_part(cure, cure_end, cure_end.energy)
    return replace(row, cure=cure.run.method.short, cure_energy=energy)


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


def _list_values(row: EngineRow) -> dict[str, Any]:
    """What is known of a row, without its program."""
    known = {one.name: getattr(row, one.name) for one in fields(row) if one.name != "program"}
    return {name: value for name, value in known.items() if value is not None}


def main() -> None:
    """Compute the rows of the first setting, and write them."""
    rows = find_rows(find_setting(), PROGRAMS.values())
    assert rows is not None
    lines = (
        f"{json.dumps(key)}: {json.dumps(_list_values(row), ensure_ascii=False)}"
        for key, row in rows.items()
    )
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
