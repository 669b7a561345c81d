"""The choice of a recording's file, and of the columns and units that are read of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import panel as pn
import param

import engine
from engine.problems import Columns
from engine.problems.given_rates.columns import ANGLE_UNITS, RATE_UNITS, TIME_UNITS

from ...browser.component import Component
from ...server.worker import FILES, Progress, Task, Worker
from ...state.form_fields import FormField, format_numbers, parse_numbers
from ...state.reader import FileParts
from ...state.recordings import (
    FORMATS,
    LARGEST,
    Reading,
    Recording,
    Unread,
    clean_name,
    read_recording,
)
from .form import CHANGE, Form

LONGEST_LINK = 4000
"""Characters of a link that are read."""
HINT = f"Or drop a CSV file here, of at most {LARGEST // 2**20} MB. The server forgets it when you leave."


class RecordingFile(Component):
    """A button and a place to drop a file.

    on_file : takes its name, its bytes, whether it is the same file once more, and the words of the
        link that opened the page, if that names a file.
    on_stop : is called when the person stops the sending or the reading.
    """

    label = param.String(doc="The text of the button.")
    hint = param.String(doc="What may be chosen, and what becomes of it.")
    formats = param.List(default=list(FORMATS), doc="The endings of names.")
    what = param.String(default="A recording", doc="The kind of file, in its sentences.")
    largest = param.Integer(default=LARGEST, doc="The most bytes of a file.")
    word = param.String(
        default="recording", doc="The word of a link that names the file; empty if none does."
    )
    said = param.String(doc="What happens, or what is wrong with the file.")
    wrong = param.Boolean(doc="Whether the latter.")
    busy = param.Boolean(doc="Whether the file is being read.")
    part = param.Number(allow_None=True, doc="The part that is done; None if it is not known.")
    facts = param.List(doc="What was recognised in it, in sentences.")

    script = "controls/recording-file.js"
    shared_styles = ("field", "progress")
    own_styles = ("recording-file",)

    def __init__(
        self,
        on_file: Callable[[str, bytes, bool, Mapping[str, str]], Any],
        on_stop: Callable[[], Any],
        **params: Any,
    ) -> None:
        super().__init__(**({"sizing_mode": "stretch_width", "margin": (4, 12)} | params))
        self._on_file = on_file
        self._on_stop = on_stop
        self._parts = FileParts(self.largest, self.what)

    def ask_again(self, name: str = "") -> None:
        """Have the browser send the file of this name, or the last one, once more."""
        self._send({"again": True, "name": name})

    def say(
        self,
        said: str,
        *,
        wrong: bool = False,
        busy: bool = False,
        facts: Sequence[str] = (),
        part: float | None = None,
    ) -> None:
        """Say what happens to the file, which part of that is done, and what was recognised in it."""
        self.param.update(said=said, wrong=wrong, busy=busy, facts=list(facts), part=part)

    def _receive(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        if data.get("stop") is True:
            self._on_stop()
            return
        try:
            whole = self._parts.add(data)
        except ValueError as error:
            self.say(str(error), wrong=True)
            return
        if whole is None:
            self._send({"next": data["part"] + 1})
            return
        words = data.get("words")
        search = words if isinstance(words, str) and len(words) <= LONGEST_LINK else ""
        self._on_file(*whole, data.get("again") is True, dict(parse_qsl(search.lstrip("?"))))


TIME, AXES = "time", ("x", "y", "z")
UNIT, TIME_UNIT, PART = "unit", "time_unit", "part"
FREE = "—"
"""The choice of no column."""


def list_fields(columns: Columns) -> list[FormField]:
    """The fields of what is read of a file."""
    names = (FREE, *columns.names)
    of_columns = [
        FormField(TIME, "Times", "The column of the times.", "menu", options=names),
        *(
            FormField(axis, f"Rate {axis}", f"The rate about {axis}.", "menu", options=names)
            for axis in AXES
        ),
    ]
    units = FormField(
        UNIT,
        "Unit of the rates",
        "The unit of the rates; rad and deg are those of angles, integrated over each interval.",
        "menu",
        options=(*RATE_UNITS, *ANGLE_UNITS),
        half=True,
    )
    of_time = FormField(
        TIME_UNIT, "Unit of the time", "The unit of the times.", "menu", options=tuple(TIME_UNITS),
        half=True,
    )  # fmt: skip
    part = FormField(
        PART, "Part, in s", "From time to time in s, from the first row on; empty for all rows.",
        placeholder="such as 10, 20",
    )  # fmt: skip
    return [*of_columns, units, of_time, part]


class RecordingChooser:
    """The file of a recording, and how it is read.

    on_recording : takes a recording, and the words of the link that names it.
    """

    def __init__(self, on_recording: Callable[[Recording, Mapping[str, str]], Any]) -> None:
        self._on_recording = on_recording
        self._worker = Worker(FILES)
        self._columns = Columns()
        self._entered: dict[str, str] = {}
        self._given = Reading()
        self.file = RecordingFile(self._take, self._stop, label="Choose a recording …", hint=HINT)
        self.form = Form(self._enter, title="Columns and units", folded=True, visible=False)
        self.panel = pn.Column(self.file, self.form, sizing_mode="stretch_width", margin=0)

    def _take(self, name: str, data: bytes, again: bool, words: Mapping[str, str]) -> None:
        """Read a file beside the page; a newer one replaces it."""
        ours = words.get("recording") == clean_name(name)
        if words and again and not self._columns.names and not ours:
            return self.file.say("")  # the tab keeps another recording
        if not again or words:
            self._entered = {}
            self._given = Reading()
        try:
            self._given = Reading.of(words) if ours and not self._entered else self._given
        except ValueError:
            self._given = Reading()
        self.file.say(f"Reading {clean_name(name)} …", busy=True)
        work = partial(read_or_explain, name, data, self._given)
        use = partial(self._use, words if ours else {})
        self._worker.start(Task(work, use, self._show_progress, self._show_error))

    def _show_progress(self, _: float, words: str = "") -> None:
        if words:
            self.file.say(f"{words} …", busy=True)

    def _use(self, words: Mapping[str, str], found: Recording | Unread | None) -> None:
        """Show a recording that was read, or why it cannot be; None if reading was stopped."""
        if found is None:
            self.file.say("Stopped.")
        elif isinstance(found, Unread):
            self._show_columns(found.columns, unfold=True)
            self.file.say(str(found), wrong=True)
            for field in found.fields:
                for name in (TIME, *AXES) if field == "columns" else (field,):
                    self.form.show_error(name, CHANGE)
        else:
            self._show_columns(found.columns)
            self.file.say(found.name, facts=found.describe())
            self._on_recording(found, words)

    def _show_error(self, error: Exception) -> None:
        self.file.say(f"The file could not be read: {error}", wrong=True)

    def _stop(self) -> None:
        self._worker.stop()

    # ------------------------------------------------------------------ columns and units

    def _show_columns(self, columns: Columns, unfold: bool = False) -> None:
        """Show the columns of a file, and which of them are read."""
        self._columns = columns
        self.form.visible = bool(columns.names)
        if not columns.names:
            return
        names = dict(zip((TIME, *AXES), columns.chosen or (FREE,) * 4, strict=True))
        units = {UNIT: columns.unit or "rad/s", TIME_UNIT: columns.time_unit or "s"}
        part = {PART: format_numbers(self._given.part)}
        self.form.set_fields(list_fields(columns), names | units | part | self._entered)
        if unfold:
            self.form.folded = False

    def _enter(self, name: str, text: str, _: bool) -> None:
        """Read the file in another way, once all columns are chosen."""
        self._entered[name] = text
        self.form.set_values({name: text})
        self.form.clear_errors()
        values = self.form.values
        columns = tuple(values[field] for field in (TIME, *AXES))
        if FREE in columns:
            return
        try:
            part = parse_numbers(values[PART])
            if part and not (len(part) == 2 and part[0] < part[1]):
                raise ValueError("type two increasing times in s, such as 10, 20")
        except ValueError as error:
            self.form.show_error(PART, f"{str(error)[0].upper()}{str(error)[1:]}.")
            return
        found = columns if columns != self._columns.chosen else self._given.columns
        units = {
            field: values[field] if field in self._entered else getattr(self._given, field)
            for field in (UNIT, TIME_UNIT)
        }
        self._given = Reading(found, units[UNIT], units[TIME_UNIT], part)
        self.file.ask_again()


def read_or_explain(
    name: str, data: bytes, reading: Reading, cancel: engine.Cancellation, _: Progress
) -> Recording | Unread:
    """Return the recording of a file, or the reason why there is none."""
    try:
        return read_recording(name, data, reading, cancel)
    except Unread as refusal:
        return refusal
