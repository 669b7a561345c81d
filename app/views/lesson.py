"""A lesson beside the lab, step by step; how far somebody has come, and what was answered, stays in the browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar

import panel as pn
import param

from ..bundle import ASSETS, fetched, rules
from ..component import Component, on_page
from ..model import lessons
from ..model.lessons import Lesson, Step
from ..worker import is_served

READER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lessons")
"""What reads lessons beside the pages, for all visitors, one after the other."""


class LessonView(Component):
    """The lesson that is open, if one is.

    entered : called with a step, whether its question has been answered, and whether the lab is to be set up for it.
    left : called when the lesson has been closed.
    refused : called with what is wrong with a text that is to be a lesson.
    """

    told = param.String(default="", doc="The lesson as JSON; empty if none is open.")

    _bundle = ASSETS / "lesson.js"
    _stylesheets: ClassVar = [fetched("sheet"), rules("lesson")]

    def __init__(
        self,
        entered: Callable[[Step, bool, bool], None],
        left: Callable[[], None],
        refused: Callable[[str], None],
    ) -> None:
        super().__init__(margin=0, sizing_mode="stretch_width")
        self._entered, self._left, self._refused = entered, left, refused
        self.lesson: Lesson | None = None
        self._as_it_is = False
        self._opened = 0
        self._asked = 0

    def open(self, lesson: Lesson, as_it_is: bool = False) -> None:
        """Open a lesson where its reader was; `as_it_is` leaves the lab as it is for the step that is shown first."""
        self.lesson, self._as_it_is = lesson, as_it_is
        self._opened += 1  # so that the same is told anew, whose settings may be others
        steps = [step.as_data() for step in lesson.steps]
        told = {"key": lesson.key, "title": lesson.title, "steps": steps, "opened": self._opened}
        self.told = json.dumps(told, ensure_ascii=False)

    def ask_for_a_file(self) -> None:
        """Have the visitor choose a lesson of their own."""
        self._send_msg({"choose": True})

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        text, step = data.get("text"), data.get("step")
        if isinstance(text, str):
            self._asked += 1
            if is_served():
                pn.state.execute(partial(self._read, text, self._asked))
            else:
                self._open_read(partial(lessons.parsed, text))
        elif data.get("left") is True:
            self.lesson, self.told = None, ""
            self._left()
        elif self.lesson is not None and type(step) is int and 0 <= step < len(self.lesson.steps):
            set_up = data.get("entered") is True and not self._as_it_is
            self._as_it_is = False
            self._entered(self.lesson.steps[step], data.get("answered") is True, set_up)

    async def _read(self, text: str, asked: int) -> None:
        """Open what a visitor has sent once it is read; the newest counts."""
        reading = READER.submit(lessons.parsed, text)
        await asyncio.wait([asyncio.wrap_future(reading)])
        await on_page(lambda: self._open_read(reading.result) if asked == self._asked else None)

    def _open_read(self, read: Callable[[], Lesson]) -> None:
        try:
            self.open(read())
        except lessons.NoLesson as error:
            self._refused(str(error))
