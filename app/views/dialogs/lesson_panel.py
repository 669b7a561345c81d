"""A lesson beside the lab, step by step. The browser stores the reader's place and answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import panel as pn
import param

from ...browser.component import Component
from ...compat.sessions import is_served, run_on_page
from ...server.threads import make_pause
from ...state import SUBJECTS, lessons
from ...state.lessons import Lesson, Step

LONGEST_NAME = 80
"""Characters of a file's name."""
ShowErrors = Callable[[str, list[str]], None]
"""Receives the name of a file and its errors."""
READER = ThreadPoolExecutor(1, "lessons")
"""Parses the lessons of all visitors, one after the other, and pauses while the page answers.

Its priority is not lower: a thread of low priority that holds the interpreter's lock delays all
visitors of its process.
"""


class LessonPanel(Component):
    """The open lesson, if any.

    Attributes
    ----------
    space : what the page is about, one body or two; it opens lessons of this space.
    on_step : receives a step, whether its question has been answered, and whether to set up the lab
        for it.
    on_close : is called when the lesson has been closed.
    """

    told = param.String(
        default="", doc="The lesson, or the errors of a text, as JSON; empty without one."
    )

    script = "controls/lesson.js"
    shared_styles = ("sheet",)
    own_styles = ("lesson",)

    def __init__(
        self, space: str, on_step: Callable[[Step, bool, bool], None], on_close: Callable[[], None]
    ) -> None:
        super().__init__(margin=0, sizing_mode="stretch_width")
        self._space, self._on_step, self._on_close = space, on_step, on_close
        self.lesson: Lesson | None = None
        self._keeps_choice = False
        self._opened = 0
        self._texts = 0

    def open(self, lesson: Lesson, keeps_choice: bool = False) -> None:
        """Open a lesson where its reader left it; `keeps_choice` leaves the lab unchanged for the
        first step.
        """
        self.lesson, self._keeps_choice = lesson, keeps_choice
        self._opened += 1  # so that the browser opens the same lesson again
        self.told = json.dumps(lesson.as_data() | {"opened": self._opened}, ensure_ascii=False)

    def ask(self, what: str) -> None:
        """Let the visitor choose the "file" of a lesson, or write one, from the last "draft" on."""
        self._send({"ask": what})

    def _receive(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        text, step, file = (
            data.get("text"),
            data.get("step"),
            str(data.get("file") or "The lesson")[:LONGEST_NAME],
        )
        if isinstance(text, str):
            self._texts += 1
            show_errors = (
                self._show_errors_of_draft if data.get("draft") is True else self._show_errors
            )
            if is_served():
                pn.state.execute(partial(self._parse, text, file, show_errors, self._texts))
            else:
                self._open_parsed(partial(lessons.parse_lesson, text), file, show_errors)
        elif data.get("left") is True:
            self._close("")
        elif self.lesson is not None and type(step) is int and 0 <= step < len(self.lesson.steps):
            sets_up = data.get("entered") is True and not self._keeps_choice
            self._keeps_choice = False
            self._on_step(self.lesson.steps[step], data.get("answered") is True, sets_up)

    async def _parse(self, text: str, file: str, show_errors: ShowErrors, number: int) -> None:
        """Parse a visitor's lesson on another thread and open it, unless a newer one has
        arrived.
        """
        parsing = READER.submit(lessons.parse_lesson, text, pause=make_pause())
        await asyncio.gather(asyncio.wrap_future(parsing), return_exceptions=True)
        await run_on_page(
            lambda: (
                self._open_parsed(parsing.result, file, show_errors)
                if number == self._texts
                else None
            )
        )

    def _open_parsed(self, parse: Callable[[], Lesson], file: str, show_errors: ShowErrors) -> None:
        """Open a visitor's lesson, or show its errors."""
        try:
            lesson = parse()
        except lessons.NoLesson as error:
            return show_errors(file, error.describe(file))
        if lesson.space != self._space:
            there = f"This lesson belongs on another page, {SUBJECTS[lesson.space].place}; open it there."
            return show_errors(file, [there])
        self.open(lesson)

    def _show_errors(self, file: str, errors: list[str]) -> None:
        """Show errors in place of the lesson."""
        self._close(json.dumps({"file": file, "errors": errors}, ensure_ascii=False))

    def _show_errors_of_draft(self, _: str, errors: list[str]) -> None:
        """Show errors below the text; the lesson stays as it was before them."""
        self._send({"errors": errors})

    def _close(self, told: str) -> None:
        """Close the lesson, and show what else there is to show."""
        self.lesson, self.told = None, told
        self._on_close()
