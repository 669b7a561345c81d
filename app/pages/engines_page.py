"""The page Engines: what an engine's rule does to a free body, the rule that cures it, and both to
paste.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import panel as pn

from engine.algorithms import PROGRAMS

from ..asset_files import render_template
from ..state import AUTO, AWAITED, Choice, Refusal, Results, link
from ..state.history import History
from ..state.pages import engine_verdict
from ..state.pages.choice_lists import Entry, Groups
from ..state.pages.engine_question import (
    BODIES,
    EXAMPLES,
    EngineQuestion,
    choose_program,
    describe_setting,
    read_query,
)
from ..state.pages.engine_table import read_order
from ..state.pages.engine_verdict import Outcome, judge, write_verdict
from ..state.pages.motion_file import Judged
from ..views.controls.appearance import Appearance
from ..views.controls.form import Form
from ..views.controls.motion_file import MotionChooser
from ..views.controls.picker import Picker
from ..views.controls.switches import Switches
from ..views.dialogs.downloads_menu import DownloadsMenu
from ..views.dialogs.html_block import HtmlBlock
from ..views.pictures.body_scene import Body3D
from ..views.pictures.poinsot import Poinsot3D
from ..views.plots.local_runs import LocalRuns
from ..views.plots.time_plots import TimePlots
from ..views.tables import verdict_table
from ..views.tables.engine_table import EngineTable
from ..views.tables.program_listing import TITLES
from .explorer import RunController, Show
from .frame import card, column, share_width, side_by_side, whole_page

HEIGHT = 520
"""Height of the picture in pixels."""
MOST_QUESTIONS = 30
"""Questions that can be undone; each may hold a motion of half a megabyte."""


class Engines:
    """The page of one visitor: a question and its answer.

    Attributes
    ----------
    question : the engine with its flags, the frame rate, and the body.
    history : the questions, for undo and redo.
    outcome : the answer; None before the first run.
    table : the table of all engines.
    """

    def __init__(
        self, question: EngineQuestion, notices: Sequence[str] = (), order: str = ""
    ) -> None:
        self.question = question
        self.history = History(question, most=MOST_QUESTIONS)
        self.outcome: Outcome | None = None
        self._shown: Results | None = None
        self.runs = RunController(question.with_candidates(), self, notices)
        self.runs.api.param.watch(lambda _: self.undo(), "undo")
        self.runs.api.param.watch(lambda _: self.redo(), "redo")
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
        self.table = EngineTable(question, order, self._choose_row, self._update_address)
        self._attention = ""
        self._introduction = HtmlBlock(
            self._open_example, style="method-card engine-rules", margin=0
        )
        self._verdict = HtmlBlock(self._go_to_cure, style="verdict ledger engine-rules", margin=0)
        self._appearance = Appearance()
        self._body = Body3D(appearance=self._appearance)
        self._pictures = {"Body in space": self._body, "Poinsot": Poinsot3D(self._appearance)}
        titles = list(self._pictures)
        self.tabs = Switches(
            sets=[("Picture", "The picture in space", titles, "tabs")], chosen=titles[:1], margin=0
        )
        self.tabs.param.watch(lambda _: self._show_picture(), "chosen")
        self._picture_place = pn.Column(sizing_mode="stretch_both", margin=0)
        self._local = LocalRuns()
        self.plots = TimePlots(
            engine_verdict.GROUPS,
            right=24,  # without words beside the frames
            unit="s",  # as in all sentences of the page
        )
        self._cure = HtmlBlock(style="method-card engine-rules", margin=0)
        self.listings = HtmlBlock(self._choose_language, style="method-card engine-rules", margin=0)
        self._language = ""
        self._threads = HtmlBlock(
            html=verdict_table.threads_html(), style="method-card engine-rules", margin=0
        )
        self.motion = MotionChooser(self._show_motion)
        self._history_buttons = HtmlBlock(
            self._go_back_or_forth, style="toolbar", html=render_template("history-buttons")
        )
        self._history_buttons.sizing_mode = None
        self.downloads = DownloadsMenu(self.make_link)
        self._opened = 0
        self._restart()
        self._show_picture()
        self._show_question()
        self.runs.heading.set_title(question.title, describe_setting(question.choice))
        self.runs.begin()

    # ------------------------------------------------------------------ the question

    def _choose_program(self, key: str, attention: str = "data-near") -> None:
        """Ask about an engine, and call attention to the verdict on it."""
        question = choose_program(key, self.question.choice, self.question.motion)
        self.motion.keeps_setting = True
        self._attention = attention if question != self.question else ""
        self._ask(question)

    def _choose_row(self, key: str) -> None:
        """Ask about the engine of a row, and move the focus to the verdict on it."""
        self._choose_program(key, "autofocus")

    def _enter(self, name: str, text: str, _: bool) -> None:
        self.motion.keeps_setting = True
        try:
            self._ask(self.question.with_entry(name, text))
        except Refusal as refusal:
            self.form.show_error(refusal.field, str(refusal))

    def _open_example(self, _: str, key: str) -> None:
        for example in EXAMPLES:
            if example.key == key:
                self._restart()
                self._ask(example.question)

    def _show_motion(self, judged: Judged | None, keeps_setting: bool) -> None:
        """Show the motion of a file on the same body, beside its rule or in the present setting, or leave
        it out.
        """
        before = self.question.motion
        if judged is None:
            self._ask(replace(self.question, motion=None))
            return
        try:
            question = judged.ask(self.question, keeps_setting)
        except ValueError as error:
            self.runs.notice.show_sentences([f"The page cannot show {judged.motion.name}: {error}"])
            return
        self._restart()
        self.runs.notice.show_sentences([])
        self._ask(question, completes=before is not None and before.origin == judged.motion.origin)

    def _restart(self) -> None:
        """Play the motion from its start."""
        self._opened += 1
        self._picture.panel.open(self._opened, "", (), True)

    @property
    def _picture(self) -> Poinsot3D:
        """The chosen picture."""
        return self._pictures[self.tabs.chosen[0]]

    def _show_picture(self) -> None:
        """Put the chosen picture into the page, at the time of the one before."""
        picture = self._picture
        with pn.io.hold():
            if self._shown is not None:
                picture.show(self._shown)
            picture.panel.open(self._opened, "", (), True)
            self._picture_place.objects = [picture.panel]

    def _ask(self, question: EngineQuestion, completes: bool = False) -> None:
        """Ask a question, which is undone together with the one before if it `completes` that."""
        if completes:
            self.history.amend(question)
        else:
            self.history.note(question)
        self._follow(question)

    def _follow(self, question: EngineQuestion) -> None:
        """Show a question, and its answer if it is another one."""
        changed = question != self.question
        self.question = question
        with pn.io.hold():
            self._show_question()
            if changed:
                self.runs.follow(question.with_candidates())

    def undo(self) -> None:
        """Undo the last change."""
        self.history.undo()
        self._go_to()

    def redo(self) -> None:
        """Redo the last change."""
        self.history.redo()
        self._go_to()

    def _go_to(self) -> None:
        """Show the current question; a person has chosen it."""
        self.motion.keeps_setting = True
        self.runs.notice.show_sentences([])
        self._follow(self.history.now)

    def _go_back_or_forth(self, what: str, _: str) -> None:
        if what == "undo":
            self.undo()
        elif what == "redo":
            self.redo()
        self._history_buttons.acknowledge()

    def _show_question(self) -> None:
        """Show the question in the widgets."""
        question = self.question
        self.form.set_fields(question.fields(), question.values())
        self.table.follow(question)
        self.motion.mark(question.motion)
        self._introduction.html = verdict_table.introduction_html(question)
        self._program.html = render_template("engine-rule", question=question)
        shape = next((body.shape for body in BODIES if body.key == question.body), AUTO)
        self._appearance.shape = shape
        self._body.panel.body = shape

    # ------------------------------------------------------------------ the answer

    @property
    def parts(self) -> Sequence[Show]:
        """What shows results: all views take those of the answer."""
        return [self._show]

    def _show(self, results: Results) -> None:
        """Judge results, and show them in all views."""
        question = self.question
        outcome = self.outcome = judge(question, results)
        setting = describe_setting(question.choice)
        shown = self._shown = outcome.results if outcome is not None else results
        for view in (self.plots, self._picture, self._local):
            view.show(shown)
        self.downloads.show(results if outcome is None else outcome.computed)
        if outcome is not None:
            sentence = write_verdict(outcome)
            self._verdict.html = verdict_table.verdict_html(outcome, self._attention)
            self._attention = ""
            self._show_cure(outcome)
            self._show_programs(outcome)
        else:
            sentence = AWAITED if results.exact_is_pending else "The run has no steps."
            self._verdict.html = f"<h2>{sentence}</h2>"
            self._cure.html = self.listings.html = ""
        self.runs.publish(shown, _describe_title(question), setting, sentence)

    def _show_cure(self, outcome: Outcome, attention: str = "") -> None:
        lab = link(outcome.computed.choice)
        self._cure.html = verdict_table.cure_html(outcome, lab, attention)

    def _go_to_cure(self, what: str, _: str) -> None:
        """Move the focus to the cure, above the rules to paste."""
        if what == "cure" and self.outcome is not None:
            self._show_cure(self.outcome)  # so that the next one is new HTML also the second time
            self._show_cure(self.outcome, "autofocus")
        self._verdict.acknowledge()

    def _show_programs(self, outcome: Outcome) -> None:
        """List both rules in the chosen language."""
        html, texts = verdict_table.programs_html(outcome, self._language)
        self.listings.param.update(html=html, texts=texts)

    def _choose_language(self, what: str, language: str) -> None:
        """List both rules in another language."""
        if what == "language" and language in TITLES and self.outcome is not None:
            self._language = language
            self._show_programs(self.outcome)

    def make_link(self, _: Choice) -> str:
        """Return the link to the question and to the table in its order."""
        return link(self)

    def query(self) -> dict[str, str]:
        """The words of that link."""
        return self.question.query() | ({"sort": self.table.order} if self.table.order else {})

    def _update_address(self) -> None:
        self.runs.api.set_address(self.runs.make_address(self.question.choice))

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
        tools = pn.Row(
            self.downloads.panel, self._history_buttons, self.downloads.dialogs, margin=0
        )
        plots = card(self.plots.panel, styles=share_width(1.25, 520))
        picture = card(self.tabs, self._picture_place, height=HEIGHT, styles=share_width(1.0, 400))
        views = side_by_side(plots, picture)
        cards = card(self._verdict), views, card(self._cure), card(self.listings)
        main = column(
            self.runs.notice,
            card(self.table.panel),
            card(self.motion.panel),
            self.runs.heading.panel,
            self._introduction,
            *cards,
            card(self._threads),
            self.runs.api,
            self._local,
        )
        return whole_page("engines", main, side, tools)


def _describe_title(question: EngineQuestion) -> str:
    """The engine and its flags, after the name of a file whose motion is shown beside it."""
    if question.motion is None:
        return question.title
    return f"{question.motion.name} beside {question.title}"


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
