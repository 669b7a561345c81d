"""The table of all engines: recorded rows, and those of another body or frame rate on request."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import engine
from engine.algorithms import PROGRAMS

from ...asset_files import render_template
from ...server.worker import Progress, Task, Worker
from ...state import Choice
from ...state.pages.engine_question import EngineQuestion, describe_setting
from ...state.pages.engine_table import (
    COLUMNS,
    Rows,
    find_rows,
    find_setting,
    list_programs,
    read_recorded_rows,
    sort_rows,
)
from ..dialogs.html_block import HtmlBlock


class EngineTable:
    """The table; `on_engine` receives the key of a chosen row, and `on_order` is called when the order
    changes.

    Attributes
    ----------
    order : the column by which it is sorted, after a minus sign if downwards.
    """

    def __init__(
        self,
        question: EngineQuestion,
        order: str,
        on_engine: Callable[[str], Any],
        on_order: Callable[[], Any],
    ) -> None:
        self.order = order
        self._question = question
        self._on_engine = on_engine
        self._on_order = on_order
        self._whole = False
        self._rows: dict[Choice, Rows] = {find_setting(): read_recorded_rows()}
        self._setting = find_setting()  # of the rows on screen
        self._progress = ""  # of a computation under way
        self._worker = Worker()
        self.panel = HtmlBlock(self._on_ask, style="engine-table sorted-table", margin=0)
        self.follow(question)

    def follow(self, question: EngineQuestion) -> None:
        """Mark the engine of a question, and show the rows of its setting if they are known."""
        self._question = question
        wanted = find_setting(question.choice)
        if wanted in self._rows:
            self._setting = wanted
        self._show()

    def _on_ask(self, what: str, value: str) -> None:
        """Sort the table, show the rules behind flags or hide them, choose an engine, or compute."""
        if what == "engine" and value in PROGRAMS:
            self._on_engine(value)
        elif what == "order" and value.removeprefix("-") in COLUMNS:
            self.order = value
            self._on_order()
            self._show()
        elif what == "rules":
            self._whole = not self._whole
            self._show()
        elif what == "compute":
            self._compute()
        elif what == "stop":
            self._worker.stop()
        self.panel.acknowledge()

    def _compute(self) -> None:
        """Compute the rows in view for the setting of the question."""
        setting = find_setting(self._question.choice)
        known = self._rows.get(setting, {})
        missing = [one for one in list_programs(self._whole) if one.key not in known]

        def find(cancel: engine.Cancellation, progress: Progress) -> Rows | None:
            return find_rows(setting, missing, cancel, lambda done, all_: progress(done / all_))

        show = partial(self._receive, setting)
        self._worker.start(Task(find, show, self._show_progress, self._show_error, self._end))

    def _receive(self, setting: Choice, rows: Rows | None) -> None:
        """Show rows that were computed; None if that was stopped."""
        if rows is None:
            self._show("Stopped.")
            return
        self._rows = {
            find_setting(): read_recorded_rows(),
            setting: {**self._rows.get(setting, {}), **rows},
        }
        self._setting = setting
        self.follow(self._question)

    def _show_progress(self, part: float, words: str = "") -> None:
        self._progress = f"{words or 'Computing all engines'} … {round(100 * part)} %"
        self._show()

    def _end(self) -> None:
        self._progress = ""

    def _show_error(self, error: Exception) -> None:
        self._show(f"The computation failed: {error}")

    def _show(self, status: str = "") -> None:
        """Show the rows, with what is being computed, or with the offer to compute others."""
        rows = self._rows[self._setting]
        programs = list_programs(self._whole)
        known = [rows[program.key] for program in programs if program.key in rows]
        now = find_setting(self._question.choice)
        is_other = now != self._setting
        self.panel.html = render_template(
            "engine-table",
            columns=COLUMNS,
            rows=sort_rows(known, self.order),
            order=self.order,
            whole=self._whole,
            setting=describe_setting(self._setting),
            is_other=is_other,
            offer=describe_setting(now) if is_other or len(known) < len(programs) else "",
            chosen=self._question.program,
            status=status or self._progress,
            busy=bool(self._progress),
            all=len(PROGRAMS),
        )
