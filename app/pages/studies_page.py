"""The page Studies: measurements of methods over many runs, drawn while they are made."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import Any

import panel as pn

import engine
from engine.algorithms import use_short_names
from engine.studies.core import Chart
from engine.text.formatting import finish_sentence, format_seconds

from ..asset_files import render_template
from ..browser.script_api import ScriptApi
from ..charts.style import COLOURS
from ..compat.sessions import is_served
from ..server.worker import Progress, Task, Worker
from ..state import FormField, Refusal, link
from ..state.fitting import describe_replacements, replace_misfits
from ..state.pages import choice_lists, study_forms
from ..state.pages.study_forms import StudyQuestion
from ..views.controls.form import Form
from ..views.controls.method_picker import chips_html, make_picker
from ..views.controls.picker import Picker
from ..views.dialogs.html_block import HtmlBlock
from ..views.dialogs.notice import Notice
from ..views.dialogs.progress_notice import NOTHING_CAME, OLD_IS_SEEN, Heading
from ..views.plots.study_chart import ChartView
from ..views.tables import study_result
from .frame import card, column, whole_page

REDRAW_EVERY = 0.4
"""Seconds between two drawings while rows arrive."""
OLD = "grayscale(1)"
"""The filter of results of an earlier question: their words keep their contrast."""
EARLIER = "These results answer the earlier question."
FIRST_STUDIES = 4
"""How many studies the menu offers first: order, cost, long runs, and advice."""


def list_titles() -> dict[str, str]:
    """Return the studies' keys by title."""
    return {study.title: key for key, study in study_forms.list_studies().items()}


def make_page(query: Mapping[str, str], notices: Sequence[str]) -> pn.Template:
    """Return the page of a link's query; `notices` say what else of the link was refused."""
    question, refused = study_forms.read_query(query)
    return Studies(question, [*notices, *refused]).page()


@dataclass
class RunningStudy:
    """A study while it runs on another thread.

    Attributes
    ----------
    count : how many of its parts are done, and their number.
    rows : the rows so far.
    """

    question: StudyQuestion
    count: tuple[int, int] = (0, 0)
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    read: tuple[float, int] = (-math.inf, 0)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def progress(self) -> str:
        """The progress in words."""
        done, total = self.count
        return f"{done:,} of {total:,}, {self.seconds:.0f} s" if total else ""

    def run(self, cancel: threading.Event, progress: Progress) -> object:
        """Run the study and note its progress."""

        def report(
            done: int, total: int, row: Mapping[str, Any] | None = None, words: str = ""
        ) -> None:
            if row is not None:
                self.rows.append(row)
            self.count = done, total
            progress(done / max(total, 1), words)

        return self.question.run(report, cancel)

    def new_rows(self, pause: float) -> list[Mapping[str, Any]]:
        """Return all rows, if there are new ones and this many seconds have passed since the last
        call, else none.
        """
        then, count = self.read
        if len(self.rows) == count or self.seconds - then < pause:
            return []
        self.read = self.seconds, len(self.rows)
        return list(self.rows)


class Studies:
    """The page of one visitor: a question, its progress, and its result."""

    def __init__(self, question: StudyQuestion | None = None, notices: Sequence[str] = ()) -> None:
        self.question = question or study_forms.first_question()
        self.result: Any = None
        self._drawn: StudyQuestion | None = None
        self._measured: StudyQuestion = self.question
        self._earlier: dict[tuple[str, str], StudyQuestion] = {}
        self.worker = Worker()
        self._heading = Heading(self.worker.stop, "Measuring", self.run)
        self._set_title(self.question)
        self.api = ScriptApi()
        self._notice = Notice(notices)
        self._build_widgets()
        self._chart = ChartView(self._make_download, self._show_point)
        self._spot = HtmlBlock(self._find_extreme, style="study-results")
        self._conclusion = HtmlBlock(self._save, style="study-results")
        self._rows = HtmlBlock(style="study-results")
        self._results = card(self._conclusion, self._chart.panel, self._spot)
        self._table = card(self._rows, visible=False)
        self._show_question()
        if not self.question.quick:
            self._show_message("Press Run.")
            self._publish()
        elif is_served():
            pn.state.onload(self.run)
        else:
            self.run()

    def _build_widgets(self) -> None:
        titles = tuple(list_titles())
        self.study = Form(
            self._choose_study,
            fields=[
                FormField(
                    "study", "Study", "The question to answer.", "menu", titles, first=FIRST_STUDIES
                )
            ],
            values={"study": titles[0]},
        )
        self.problem = Picker(self._choose_problem, label="Problem", about="What moves.")
        self.methods = make_picker(self._add_method, self.question.space)
        self._sentence = HtmlBlock(style="hint", margin=(-4, 12, 4, 12))
        self._changes = HtmlBlock(
            lambda *_: self._reset_problem(), style="hint", margin=(-4, 12, 4, 12)
        )
        self._chips = HtmlBlock(self._remove_method, "method-list", margin=(0, 12, 8, 12))
        self.form = Form(self._enter)
        self._error = HtmlBlock(style="study-form", margin=(0, 12))
        self._run = HtmlBlock(self._on_button, style="hint study-form", margin=(4, 12))

    def _on_button(self, what: str, _: str) -> None:
        if what == "run":
            self.run()

    # ------------------------------------------------------------------ the question

    def _show_question(self) -> None:
        """Show the question in the widgets."""
        question = self.question
        study = self.question.about
        colours = itertools.cycle(COLOURS) if study.coloured else itertools.repeat("currentColor")
        self.study.set_values({"study": study.title})
        self.problem.groups = [
            group for space in study.spaces for group in choice_lists.list_problems(space)
        ]
        self.problem.value = engine.problem(question.problem).key
        self.methods.groups = choice_lists.list_methods(question.space)
        self._sentence.html = (
            f"<div class='about'>{escape(study.sentence)}{study_result.presets_html(study)}</div>"
        )
        self._changes.html = render_template("study-changes", changes=question.list_changes())
        self._chips.html = chips_html(question.methods, colours, question.space)
        self.form.set_fields(*question.form())
        for name, words in question.find_misfits().items():
            self._refuse(name, words)
        self._show_error("")

    def _choose_study(self, _: str, title: str, _dragging: bool) -> None:
        """Choose a study with the same problem and methods, and with its earlier entries; old
        results disappear.
        """
        key = list_titles().get(title)
        if key is None or key == self.question.study:
            return
        before = self.question
        space = before.space
        self._earlier[before.study, space] = before
        if space in study_forms.list_studies()[key].spaces:
            new = self._earlier.get((key, space)) or study_forms.first_question(key, space)
            several = [
                one
                for one in (before, *reversed(self._earlier.values()))
                if one.about.most > 1 and one.space == space
            ]
            methods = several[0].methods if new.about.most > 1 and several else new.methods
            self.question = replace(
                new, problem=before.problem, changes=before.changes, methods=methods
            )
        else:
            self.question = study_forms.first_question(key)
        self.worker.drop()
        with pn.io.hold():
            self.result = None
            self._chart.show(Chart((), ()))
            self._begin_chart(self.question)
            self._show_change()

    def _choose_problem(self, key: str) -> None:
        """Choose a problem, with the nearest methods that fit in place of those that do not."""
        before = self.question
        problem = engine.problem(key)
        asked = study_forms.with_problem(before, key)
        methods = replace_misfits(asked.methods, problem)
        self._set_question(replace(asked, methods=methods))
        words = ""
        if asked.space == before.space:
            words = describe_replacements(before.methods, methods, problem)
        if words:
            self._notice.show_sentences([words], undo=lambda: self._set_question(before))

    def _set_question(self, question: StudyQuestion) -> None:
        """Ask another question; notices about the one before disappear."""
        self._notice.show_sentences([])
        self.question = question
        self._show_change()

    def _reset_problem(self) -> None:
        """Remove the changes that came with a link from the lab."""
        self._choose_problem(self.question.problem)

    def _add_method(self, key: str) -> None:
        """Add a method, or replace the only one."""
        before = self.question.methods if self.question.about.most > 1 else ()
        self._choose_methods([*before, key])

    def _remove_method(self, _: str, label: str) -> None:
        self._choose_methods([method for method in self.question.methods if method != label])

    def _choose_methods(self, labels: list[str]) -> None:
        try:
            self.question = study_forms.with_methods(self.question, labels)
        except ValueError as error:
            self._show_error(str(error))
        else:
            self._show_change()

    def _enter(self, name: str, text: str, _: bool) -> None:
        try:
            self.question = self.question.with_entry(name, text)
            self.question.check_effort()
        except Refusal as refusal:
            self._refuse(name, str(refusal))
        else:
            self._show_change()

    def _show_change(self) -> None:
        with pn.io.hold():
            self._show_question()
            if self.result is None and not self.worker.busy:
                self._set_title(self.question)
            self._publish()
            self._show_message("" if self._is_measured else "Press Run.")
            self._mark_old()

    def _mark_old(self) -> None:
        """Take the colours from results of an earlier question, and say so beside their title."""
        is_old = self.result is not None and not self._is_measured
        self._set_old(is_old)
        if not self.worker.busy:
            self._heading.announce_state(EARLIER if is_old else "")

    def _set_old(self, is_old: bool) -> None:
        """Take the colours from results of an earlier question."""
        for part in (self._results, self._table):
            part.styles = part.styles | {"filter": OLD if is_old else "none"}

    @property
    def _is_measured(self) -> bool:
        """Whether the result answers the question."""
        return self.result is not None and self.question == self._measured

    def _refuse(self, name: str, words: str) -> None:
        """Show why an entry is refused, at its field."""
        self.form.show_error(name, use_short_names(words, self.question.space))

    def _show_error(self, words: str) -> None:
        named = use_short_names(words, self.question.space)
        self._error.html = f"<p role='alert'>{escape(named)}</p>"

    def _show_message(self, words: str) -> None:
        """Show the button Run and a message below it."""
        self._run.html = (
            "<div class='row'><button id='run' data-ask='run'>Run</button></div>"
            f"<p class='about' role='status'>{escape(words)}</p>"
        )

    # ------------------------------------------------------------------ the measurement

    def run(self) -> None:
        """Measure the answer; a measurement under way stops. Errors in the form come first."""
        for words in self.form.wrong.values():
            self._show_message(f"Not started: {words}")
            return
        study = RunningStudy(self.question)
        self._drawn = None
        self._show_error("")
        self._show_message("")
        self._run.acknowledge()
        self.api.expect_results(self._make_address(study.question))
        on_progress = partial(self._show_progress, study)
        on_result = partial(self._receive, study)
        on_error = self._show_failure
        self.worker.start(Task(study.run, on_result, on_progress, on_error, self._heading.hide))

    def _show_progress(self, study: RunningStudy, part: float, words: str = "") -> None:
        """Show the progress, and now and then the rows so far."""
        question = study.question
        rows = study.new_rows(REDRAW_EVERY) if question.about.row_keys else []
        with pn.io.hold():
            named = use_short_names(words, question.space)
            self._heading.show_progress(part, named, study.progress)
            if rows:
                self._begin_chart(question)
                frame = study_forms.latest_rows(question.about, rows)
                chart = question.about.result.draw_rows(frame, question.build_problem())
                self._chart.show(chart, question.describe())

    def _begin_chart(self, question: StudyQuestion) -> None:
        """Remove the result of an earlier question before the first drawing of this one."""
        if self._drawn is not question:
            self._drawn = question
            self._set_title(question)
            self._conclusion.html = self._rows.html = self._spot.html = ""
            self._table.visible = False
            self._set_old(False)
        self.api.expected = False

    def _set_title(self, question: StudyQuestion) -> None:
        self._heading.set_title(study_result.study_title(question), question.names)

    def _receive(self, study: RunningStudy, result: Any) -> None:
        if result is None:
            self._heading.show_stopped(NOTHING_CAME if self.result is None else OLD_IS_SEEN)
        else:
            self._show(study.question, result, study.seconds)

    def _show_failure(self, error: Exception) -> None:
        words = str(error) if isinstance(error, ValueError) else f"the measurement failed: {error}"
        self._show_error(finish_sentence(words))
        self._show_message("")
        self.api.expected = False
        self._publish()

    # ------------------------------------------------------------------ the result

    def _show(self, question: StudyQuestion, result: Any, seconds: float = 0.0) -> None:
        self.result = result
        self._measured = question
        with pn.io.hold():
            self._begin_chart(question)
            self._chart.show(result.chart, question.describe())
            self._conclusion.html = render_template("study-conclusion", result=result)
            self._rows.html = study_result.rows_html(result)
            self._table.visible = True
            if isinstance(result, engine.studies.Map):
                self._spot.html = study_result.spot_html("")
            self._conclusion.texts = {"snippet": question.snippet(), "link": link(question)}
            stopped = (
                "" if result.finished else "Stopped: the page shows what was measured until then. "
            )
            changed = (
                "The question has changed since then: press Run."
                if question != self.question
                else ""
            )
            self._set_old(not self._is_measured)
            self._show_message(f"{stopped}{changed}" or f"Measured in {format_seconds(seconds)}.")
            self._publish(f"{study_result.study_title(question)}. {stopped}{result.conclusion}")

    def _show_point(self, plot: int, x: float, y: float) -> None:
        """Show the run at a point of a map."""
        if isinstance(self.result, engine.studies.Map):
            self._show_spot(self.result.methods[plot], x, y)

    def _find_extreme(self, what: str, _: str) -> None:
        """Show the run with the largest or the smallest value of a map."""
        self._spot.acknowledge()
        if isinstance(self.result, engine.studies.Map) and what in ("largest", "least"):
            place = self.result.find_extreme(what == "largest")
            if place is None:
                self._spot.html = study_result.spot_html("No point of the map has a value.")
            else:
                self._show_spot(*place)

    def _show_spot(self, method: str, x: float, y: float) -> None:
        spot = study_forms.find_spot(self.result, method, x, y)
        if spot is not None:
            self._spot.html = study_result.spot_html(
                spot.words, link(spot.choice) if spot.choice is not None else ""
            )

    def _make_address(self, question: StudyQuestion) -> str:
        return link(question) if is_served() else ""

    def _publish(self, sentence: str = "") -> None:
        """Publish the question for scripts and the address; screen readers read the sentence."""
        question = self.question
        choice = {
            "study": question.study,
            "fields": dict(question.texts),
            "measured": self._is_measured,
        }
        sentences = [sentence] if sentence else []
        self.api.publish(
            choice | question.as_data(), self._make_address(question), sentences=sentences
        )

    def _save(self, what: str, _: str) -> None:
        if what == "csv" and self.result is not None:
            file = self._make_download(what)
            self._conclusion.save(file["name"], file["text"], file["type"])

    def _make_download(self, want: str) -> dict[str, Any]:
        """Return the table or the file of the rows."""
        if self.result is None:
            return {}
        if want == "csv":
            text = study_result.list_rows(self.result).to_csv(index=False)
            return {"name": f"{self._measured.study}.csv", "text": text, "type": "text/csv"}
        return study_result.make_table(
            study_result.list_rows(self.result), self._measured.about.title
        )

    # ------------------------------------------------------------------ the page

    def page(self) -> pn.Template:
        """Return the page to be served."""
        about = self.study, self._sentence, self.problem, self._changes, self.methods, self._chips
        parts = *about, self.form, self._error, self._run
        side = pn.Column(*parts, sizing_mode="stretch_width", margin=(8, 0, 0, 0))
        return whole_page(
            "studies",
            column(self._heading.panel, self._notice, self._results, self._table, self.api),
            side,
        )
