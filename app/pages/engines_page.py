"""The page Engines: what an engine's rule does to a free body, the rule that cures it, and both to
paste.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import panel as pn

from engine.algorithms import PRECISION, PROGRAMS
from engine.programs import LANGUAGES
from engine.text.formatting import show

from ..asset_files import render_template
from ..server.worker import Task, Worker
from ..state import AUTO, AWAITED, Choice, Refusal, Results, link
from ..state.pages import engine_verdict
from ..state.pages.choice_lists import Entry, Groups
from ..state.pages.engine_question import (
    BODIES,
    EXAMPLES,
    EngineQuestion,
    choose_program,
    format_rate,
    read_query,
)
from ..state.pages.engine_table import COLUMNS, EngineRow, find_rows, read_order, wait_for
from ..state.pages.engine_verdict import Outcome, judge, write_verdict
from ..views.controls.appearance import Appearance
from ..views.controls.form import Form
from ..views.controls.motion_file import MotionChooser
from ..views.controls.picker import Picker
from ..views.dialogs.downloads_menu import DownloadsMenu
from ..views.dialogs.html_block import HtmlBlock
from ..views.pictures.body_scene import Body3D
from ..views.plots.local_runs import LocalRuns
from ..views.plots.time_plots import TimePlots
from ..views.tables import verdict_table
from .explorer import RunController, Show
from .frame import card, column, share_width, side_by_side, whole_page

HEIGHT = 520
"""Height of the picture in pixels."""


class Engines:
    """The page of one visitor: a question and its answer.

    Attributes
    ----------
    question : the engine with its flags, the frame rate, and the body.
    outcome : the answer; None before the first run.
    order : the column by which the table of all engines is sorted, after a minus sign if downwards.
    """

    def __init__(
        self, question: EngineQuestion, notices: Sequence[str] = (), order: str = ""
    ) -> None:
        self.question = question
        self.order = order
        self.outcome: Outcome | None = None
        self.runs = RunController(question.with_candidates(), self, notices)
        self.programs = Picker(
            self._choose_program,
            label="Engine",
            groups=list_programs(),
            search=True,
            placeholder="Find: Jolt, Unity, MuJoCo, LAMMPS",
            about="Type the name of an engine, or of a product built on it.",
        )
        self._program = HtmlBlock(style="hint", margin=(4, 12, 8, 12))
        self.form = Form(self._enter)
        self._table = HtmlBlock(self._on_table, style="engine-table sorted-table", margin=0)
        self._whole = False
        self._rows: list[EngineRow] = []
        self._about: object = None
        self._attention = ""
        self._comparison = Worker()
        self._introduction = HtmlBlock(
            self._open_example, style="method-card engine-rules", margin=0
        )
        self._verdict = HtmlBlock(style="verdict ledger", margin=0)
        self._appearance = Appearance()
        self._body = Body3D(appearance=self._appearance)
        self._local = LocalRuns()
        self.plots = TimePlots(engine_verdict.GROUPS, right=24)  # without words beside the frames
        self._cure = HtmlBlock(style="method-card engine-rules", margin=0)
        self.listings = HtmlBlock(self._choose_language, style="method-card engine-rules", margin=0)
        self._language = "python"
        self._threads = HtmlBlock(
            html=verdict_table.threads_html(), style="method-card engine-rules", margin=0
        )
        self.motion = MotionChooser(self._take_over)
        self.downloads = DownloadsMenu(self.make_link)
        self._opened = 0
        self._restart()
        self._show_question()
        pn.state.onload(self._compare)
        self.runs.heading.set_title(question.title, _describe_setting(question))
        self.runs.begin()

    # ------------------------------------------------------------------ the question

    def _choose_program(self, key: str, attention: str = "data-near") -> None:
        """Ask about an engine, and call attention to the verdict on it."""
        question = choose_program(key, self.question.choice)
        self._attention = attention if question != self.question else ""
        self._ask(question)

    def _enter(self, name: str, text: str, _: bool) -> None:
        try:
            self._ask(self.question.with_entry(name, text))
        except Refusal as refusal:
            self.form.show_error(refusal.field, str(refusal))

    def _open_example(self, _: str, key: str) -> None:
        for example in EXAMPLES:
            if example.key == key:
                self._restart()
                self._ask(example.question)

    def _take_over(self, question: EngineQuestion) -> None:
        """Ask about the rule of a visitor's motion, on the same body."""
        self._attention = "data-near"
        self._restart()
        self._ask(question)

    def _restart(self) -> None:
        """Play the motion from its start."""
        self._opened += 1
        self._body.panel.open(self._opened, "", (), True)

    def _ask(self, question: EngineQuestion) -> None:
        changed = question != self.question
        self.question = question
        with pn.io.hold():
            self._show_question()
            if changed:
                self.runs.follow(question.with_candidates())
                self._compare()

    def _show_question(self) -> None:
        """Show the question in the widgets."""
        question = self.question
        self.form.set_fields(question.fields(), question.values())
        self._introduction.html = verdict_table.introduction_html(question)
        self._program.html = render_template("engine-rule", question=question)
        shape = next((body.shape for body in BODIES if body.key == question.body), AUTO)
        self._appearance.shape = shape
        self._body.panel.body = shape

    # ------------------------------------------------------------------ the table of all engines

    def _on_table(self, what: str, value: str) -> None:
        """Sort the table, show the rules behind flags or hide them, or choose an engine."""
        if what == "engine" and value in PROGRAMS:
            self._choose_program(value, "autofocus")
        elif what == "order" and value.removeprefix("-") in COLUMNS:
            self.order = value
            self.runs.api.set_address(self.runs.make_address(self.question.choice))
        elif what == "rules":
            self._whole = not self._whole
        self._show_table()
        self._table.acknowledge()

    def _compare(self) -> None:
        """Run all engines on the body of the question, unless the table has them already."""
        setting = replace(self.question.choice, methods=())
        precision = self.question.rule.chosen.get(PRECISION.name)
        about = setting, precision
        if about == self._about:
            self._show_table()
            return
        self._about = about
        self._rows = []
        choice = self.question.choice
        self._comparison.start(
            Task(
                lambda cancel, progress: find_rows(
                    choice, cancel, lambda done, all_: progress(done / all_)
                ),
                self._receive_rows,
                lambda part, words="": self._show_table(
                    f"{words or 'Computing all engines'} … {round(100 * part)} %"
                ),
                lambda error: self._show_table(f"The computation failed: {error}"),
            )
        )

    def _receive_rows(self, rows: list[EngineRow] | None) -> None:
        self._rows = rows or []
        if len(self._rows) < len(PROGRAMS):
            self._about = None  # it was stopped
        self._show_table()

    def _show_table(self, status: str = "") -> None:
        self._table.html = verdict_table.engines_html(
            self._rows or [wait_for(program) for program in PROGRAMS.values()],
            self.order if self._rows else "",
            self._whole,
            _describe_setting(self.question),
            self.question.program,
            status,
        )

    # ------------------------------------------------------------------ the answer

    @property
    def parts(self) -> Sequence[Show]:
        """What shows results: all views take those of the answer."""
        return [self._show]

    def _show(self, results: Results) -> None:
        """Judge results, and show them in all views."""
        question = self.question
        outcome = self.outcome = judge(question, results)
        setting = _describe_setting(question)
        shown = outcome.results if outcome is not None else results
        for view in (self.plots, self._body, self.downloads, self._local):
            view.show(shown)
        if outcome is not None:
            sentence = write_verdict(outcome)
            self._verdict.html = verdict_table.verdict_html(outcome, self._attention)
            self._attention = ""
            self._cure.html = verdict_table.cure_html(outcome, link(shown.choice))
            self._show_programs(outcome)
        else:
            sentence = AWAITED if results.exact_is_pending else "The run has no steps."
            self._verdict.html = f"<h2>{sentence}</h2>"
            self._cure.html = self.listings.html = ""
        self.runs.publish(shown, question.title, setting, sentence)

    def _show_programs(self, outcome: Outcome) -> None:
        """List both rules in the chosen language."""
        html, texts = verdict_table.programs_html(outcome, self._language)
        self.listings.param.update(html=html, texts=texts)

    def _choose_language(self, what: str, language: str) -> None:
        """List both rules in another language."""
        if what == "language" and language in LANGUAGES and self.outcome is not None:
            self._language = language
            self._show_programs(self.outcome)

    def make_link(self, _: Choice) -> str:
        """Return the link to the question and to the table in its order."""
        return link(self)

    def query(self) -> dict[str, str]:
        """The words of that link."""
        return self.question.query() | ({"sort": self.order} if self.order else {})

    # ------------------------------------------------------------------ the page

    def page(self) -> pn.Template:
        """Return the page to be served."""
        side = pn.Column(
            self.programs,
            self._program,
            self.form,
            sizing_mode="stretch_width",
            margin=(8, 0, 0, 0),
        )
        tools = pn.Row(self.downloads.panel, self.downloads.dialogs, margin=0)
        plots = card(self.plots.panel, styles=share_width(1.25, 520))
        views = side_by_side(
            plots, card(self._body.panel, height=HEIGHT, styles=share_width(1.0, 400))
        )
        cards = card(self._verdict), views, card(self._cure), card(self.listings)
        main = column(
            self.runs.notice,
            card(self.motion.panel),
            card(self._table),
            self.runs.heading.panel,
            self._introduction,
            *cards,
            card(self._threads),
            self.runs.api,
            self._local,
        )
        return whole_page("engines", main, side, tools)


def _describe_setting(question: EngineQuestion) -> str:
    body = next((body.title for body in BODIES if body.key == question.body), "your own body")
    return f"{format_rate(question.choice.dt)} · {show(question.choice.duration)} s · {body}"


def list_programs() -> Groups:
    """Return the engines and codes to choose from, each with its flags."""
    groups: dict[str, list[Entry]] = {}
    for program in PROGRAMS.values():
        entry = program.key, program.title, program.flags, "", program.words
        groups.setdefault(program.group, []).append(entry)
    return list(groups.items())


def make_page(query: Mapping[str, str], notices: Sequence[str]) -> pn.Template:
    """Return the page of a link's query; `notices` say what else of the link was refused."""
    words = dict(query)
    order, misread = read_order(words.pop("sort", ""))
    question, refused = read_query(words)
    return Engines(question, [*notices, *misread, *refused], order).page()
