"""The choice of a file with a motion that another engine computed, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import panel as pn

import engine
from engine.referee.matches import STOPPED

from ...asset_files import render_template
from ...server.worker import FILES, Progress, Task, Work, Worker
from ...state.pages.file_motion import FileMotion, Origin
from ...state.pages.motion_file import (
    FIELDS,
    FORMATS,
    LARGEST,
    SEARCH,
    Judged,
    judge_file,
    read_stated,
)
from ...state.reader import Refused
from ..dialogs.html_block import HtmlBlock
from .form import CHANGE, Form
from .recording_file import RecordingFile

SEARCHING = f"Searching for its rule, for at most {SEARCH:.0f} s of computing …"
MOST_VERDICTS = 20
"""Verdicts that are kept, for undo."""
HINT = (
    f"Or drop a CSV or Parquet file here, of at most {LARGEST // 2**20} MB: times, attitudes and, if you have them, "
    "angular velocities of a free body. The server forgets it when you leave."
)


class MotionChooser:
    """The file of a motion, what a person states of it, and the verdict.

    on_motion : shows a motion that was judged; None leaves it out again. Its second argument is
        `keeps_setting`.

    Attributes
    ----------
    keeps_setting : whether a person, or the link to the page, has chosen what the page shows beside the
        motion.
    """

    def __init__(self, on_motion: Callable[[Judged | None, bool], Any]) -> None:
        self._on_motion = on_motion
        self.keeps_setting = False
        self._shown: FileMotion | None = None
        self._worker = Worker(FILES)
        self._name = ""
        self._entered: dict[str, str] = {}
        self._judged: Judged | None = None
        self._is_old = False
        self._verdicts: dict[Origin, tuple[Judged, str]] = {}  # with what was said of the search
        self.file = RecordingFile(
            self._take,
            self._worker.stop,
            label="Judge your engine's motion …",
            hint=HINT,
            formats=list(FORMATS),
            what="A motion",
            word="motion",
            margin=(12, 12, 8, 12),
        )
        self.form = Form(self._enter, title="Moments and columns", folded=True, visible=False)
        self.form.set_fields(FIELDS, dict.fromkeys((field.name for field in FIELDS), ""))
        self.verdict = HtmlBlock(
            self._ask, style="method-card engine-rules", margin=0, visible=False
        )
        self.panel = pn.Column(
            self.file, self.form, self.verdict, margin=0, sizing_mode="stretch_width"
        )

    def _take(self, name: str, data: bytes, again: bool, words: Mapping[str, str]) -> None:
        """Judge a file beside the page; a newer one replaces it."""
        ours = words.get("motion") == name
        if words and again and not ours:
            return self.file.say("")  # the tab keeps another motion
        self.keeps_setting = ours
        if ours or not again:
            self._set_stated(name, read_stated(words) if ours else {})
        self._is_old = True
        self._write_verdict()
        self.form.visible = True
        self.form.clear_errors()
        progress = partial(self._show_progress, name)
        progress(0.0)
        judge = partial(_judge, name, data, dict(self._entered))
        show = partial(self._show, search=partial(judge, True))
        self._worker.start(Task(partial(judge, False), show, progress, self._show_error))

    def _show_progress(self, name: str, _: float, words: str = "") -> None:
        """Show that a file is being read, or waits."""
        self.file.say(f"{words or f'Reading {name}'} …", busy=True)

    def _show(self, found: Judged | ValueError | None, search: Work) -> None:
        """Show the verdict and search for the rule, or say why there is none; None if it was stopped."""
        if isinstance(found, Judged):
            self._show_verdict(found, SEARCHING)
            show = partial(self._show_search, found)
            self._worker.start(Task(search, self._show_rule, show, self._show_error))
            return
        self._judged = None
        self.verdict.visible = False
        if self._shown is not None:
            self._on_motion(None, False)
        if found is None:
            self.file.say("Stopped.")
        else:
            self.file.say(str(found), wrong=True)
            self.form.folded = False
            for field in found.fields if isinstance(found, Refused) else ():
                self.form.show_error(field, CHANGE)

    def _show_search(self, judged: Judged, part: float, words: str = "") -> None:
        """Show how much of its time the search has used, or that it waits."""
        self._describe(judged, f"{words} …" if words else SEARCHING, part)

    def _show_rule(self, found: Judged | ValueError | None) -> None:
        """Show the verdict with the rule, or why the search found none; None if it was stopped."""
        if isinstance(found, Judged):
            self._show_verdict(found)
        elif self._judged is not None:
            ends = STOPPED if found is None else f"The search for its rule failed: {found}"
            self._show_verdict(self._judged.end_search(ends), ends)

    def _show_verdict(self, judged: Judged, what: str = "") -> None:
        """Show a verdict, and its motion unless a person has left that out."""
        is_wanted = self._is_old or self._judged is None or self._shows_judged
        self._judged = judged
        self._is_old = False
        self._verdicts[judged.motion.origin] = judged, what
        for origin in list(self._verdicts)[:-MOST_VERDICTS]:
            del self._verdicts[origin]
        self._describe(judged, what)
        if is_wanted and judged.motion is not self._shown:
            self._on_motion(judged, self.keeps_setting)
        self._write_verdict()

    @property
    def _shows_judged(self) -> bool:
        """Whether the page shows the motion of the verdict."""
        return (
            self._judged is not None
            and self._shown is not None
            and self._judged.motion.origin == self._shown.origin
        )

    def _describe(self, judged: Judged, what: str = "", part: float | None = None) -> None:
        """Say what was found in the file of a verdict, and what happens, of which a part is done."""
        self.verdict.visible = True
        said = f"{judged.motion.name}: {judged.setting}"
        facts = judged.numbers["remarks"]
        said = f"{said}. {what}" if what else said
        self.file.say(said, busy=judged.awaits_rule, facts=facts, part=part)

    def _show_error(self, error: Exception) -> None:
        self.file.say(f"The file could not be judged: {error}", wrong=True)

    def _enter(self, name: str, text: str, _: bool) -> None:
        """Judge the file again, as it is stated."""
        self.form.set_values({name: text})
        self._entered = {field: value for field, value in self.form.values.items() if value.strip()}
        self.file.ask_again(self._name)

    def _set_stated(self, name: str, stated: Mapping[str, str]) -> None:
        """Take what is stated of a file, and show it in the form."""
        self._name = name
        self._entered = dict(stated)
        self.form.set_values(dict.fromkeys(self.form.values, "") | self._entered)

    def mark(self, motion: FileMotion | None) -> None:
        """Take which motion the page shows; with an earlier one, its file, verdict and form return."""
        if motion is self._shown:
            return
        self._shown = motion
        if motion is not None and not self._shows_judged:
            found = self._verdicts.get(motion.origin)
            if found is not None:
                self._restore(*found)
        self._write_verdict()

    def _restore(self, judged: Judged, what: str) -> None:
        """Show an earlier verdict in place of the present one, or of a file that is being read."""
        self._worker.drop()
        self._is_old = False
        self._set_stated(judged.motion.name, dict(judged.motion.origin.stated))
        self.form.clear_errors()
        if judged.awaits_rule:
            judged, what = judged.end_search(STOPPED), STOPPED
        self._judged = judged
        self._describe(judged, what)

    def _write_verdict(self) -> None:
        if self._judged is not None:
            self.verdict.html = render_template(
                "motion-verdict", judged=self._judged, shown=self._shows_judged, old=self._is_old
            )

    def _ask(self, what: str, _: str) -> None:
        """Show the motion, or leave it out."""
        if what in ("show", "leave"):
            self._on_motion(self._judged if what == "show" else None, False)
        self.verdict.acknowledge()


def _judge(
    name: str,
    data: bytes,
    given: Mapping[str, str],
    searches: bool,
    cancel: engine.Cancellation,
    progress: Progress,
) -> Judged | ValueError:
    try:
        return judge_file(name, data, given, cancel, progress, searches)
    except ValueError as refusal:
        return refusal
