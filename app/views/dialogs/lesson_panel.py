"""A lesson beside the lab, step by step. The browser stores the reader's place and answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import param

import engine
from engine.kernels import Cancelled

from ...browser.component import Component
from ...server.worker import TEXTS, Progress, Task, Worker
from ...state import LABS, lessons
from ...state.lessons import Lesson, Step

LONGEST_NAME = 80
"""Characters of a file's name."""
ShowErrors = Callable[[str, list[str]], None]
"""Receives the name of a file and its errors."""


def parse(text: str, cancel: engine.Cancellation, _: Progress) -> Lesson | lessons.NoLesson:
    """Return a visitor's lesson, or its errors."""

    def go_on() -> None:
        if cancel.is_set():
            raise Cancelled

    try:
        return lessons.parse_lesson(text, pause=go_on)
    except lessons.NoLesson as errors:
        return errors


class LessonPanel(Component):
    """The open lesson, if any.

    Attributes
    ----------
    space : what the page is about, one body or two; it opens lessons of this space.
    on_step : receives a step, whether its question has been answered, and whether to set up the lab
        for it.
    on_close : is called when the lesson has been closed.
    """

    content = param.String(
        default="", doc="The lesson, or the errors of a text, as JSON; empty without one."
    )

    script = "controls/lesson.js"
    shared_styles = ("html-block",)
    own_styles = ("lesson", "prose")

    def __init__(
        self, space: str, on_step: Callable[[Step, bool, bool], None], on_close: Callable[[], None]
    ) -> None:
        super().__init__(margin=0, sizing_mode="stretch_width")
        self._space = space
        self._on_step = on_step
        self._on_close = on_close
        self.lesson: Lesson | None = None
        self._keeps_choice = False
        self._opened = 0
        self._worker = Worker(TEXTS)

    def open(self, lesson: Lesson, keeps_choice: bool = False, begins: bool = False) -> None:
        """Open a lesson where its reader left it, or at its first step if it `begins`;
        `keeps_choice` leaves the lab unchanged for that step.
        """
        self.lesson = lesson
        self._keeps_choice = keeps_choice
        self._opened += 1  # so that the browser opens the same lesson again
        data = lesson.as_data() | {"opened": self._opened, "begins": begins}
        self.content = json.dumps(data, ensure_ascii=False)

    def ask(self, what: str) -> None:
        """Let the visitor choose the "file" of a lesson, or write one, from the last "draft" on."""
        self._send({"ask": what})

    def _receive(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        text = data.get("text")
        step = data.get("step")
        file = str(data.get("file") or "The lesson")[:LONGEST_NAME]
        if isinstance(text, str):
            show_errors = (
                self._show_errors_of_draft if data.get("draft") is True else self._show_errors
            )
            self._worker.start(
                Task(partial(parse, text), partial(self._open_parsed, file, show_errors))
            )
        elif data.get("left") is True:
            self._close("")
        elif self.lesson is not None and type(step) is int and 0 <= step < len(self.lesson.steps):
            sets_up = data.get("entered") is True and not self._keeps_choice
            self._keeps_choice = False
            self._on_step(self.lesson.steps[step], data.get("answered") is True, sets_up)

    def _open_parsed(
        self, file: str, show_errors: ShowErrors, lesson: Lesson | lessons.NoLesson | None
    ) -> None:
        """Open a visitor's lesson, or show its errors; None if reading was stopped."""
        if lesson is None:
            return None
        if isinstance(lesson, lessons.NoLesson):
            return show_errors(file, lesson.describe(file))
        if lesson.space != self._space:
            there = (
                f"This lesson belongs on another page, {LABS[lesson.space].place}; open it there."
            )
            return show_errors(file, [there])
        self.open(lesson)

    def _show_errors(self, file: str, errors: list[str]) -> None:
        """Show errors in place of the lesson."""
        self._close(json.dumps({"file": file, "errors": errors}, ensure_ascii=False))

    def _show_errors_of_draft(self, _: str, errors: list[str]) -> None:
        """Show errors below the text; the lesson stays as it was before them."""
        self._send({"errors": errors})

    def _close(self, content: str) -> None:
        """Close the lesson, and show what else there is to show."""
        self.lesson = None
        self.content = content
        self._on_close()
