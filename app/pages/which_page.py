"""The page of a question: which method should I use?"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import panel as pn

from engine.algorithms import use_short_names

from ..asset_files import render_template
from ..browser.script_api import ScriptApi
from ..compat.sessions import is_served
from ..server.worker import Progress, Task, Worker
from ..state import link
from ..state.form_fields import FormField
from ..state.pages import which_method, which_update
from ..state.pages.which_reply import Menu, Question, Reply
from ..views.controls.form import Form
from ..views.dialogs.html_block import HtmlBlock
from ..views.dialogs.notice import Notice
from ..views.dialogs.progress_notice import NOTHING_CAME, OLD_IS_SEEN, Heading
from ..views.plots.study_chart import ChartView
from ..views.tables.study_result import make_table
from .frame import card, column, share_width, side_by_side, whole_page

TITLE = "Which method should I use?"
ACTS = Menu(
    "What acts on the body?",
    "Choose what turns the body.",
    which_method.MENUS["acts"] | {which_update.ACTS: "given rates, of a gyroscope"},
)
"""The first menu, which decides on the others."""
HEIGHT = 480
"""Height of the figure in pixels."""


@dataclass
class Search:
    """The search for the reply to a question, on another thread; `newest` is not yet shown."""

    question: Question
    newest: Reply | None = None

    def run(self, cancel: threading.Event, progress: Progress) -> Reply | None:
        """Return the reply, or the best one so far if the search was stopped."""
        reply = None
        for reply in self.question.find_replies(cancel, progress):
            self.newest = reply
        return reply

    def take_newest(self) -> Reply | None:
        """Return a reply that is the best so far, each once."""
        reply, self.newest = self.newest, None
        return reply


class WhichMethod:
    """The page of one visitor: a question and the reply."""

    def __init__(self, question: Question, notices: Sequence[str] = ()) -> None:
        self.question = question
        self.reply: Reply | None = None
        self.api = ScriptApi()
        self.form = Form(
            self._enter, fields=list_fields(question), values=question.values, margin=(4, 0, 8, 0)
        )
        self.worker = Worker()
        self._heading = Heading(self.worker.stop, "Trying methods", self.run)
        self._heading.set_title(TITLE)
        self._notice = Notice(notices)
        self._words = HtmlBlock(style="method-card engine-rules", margin=0)
        self._chart = ChartView(self._make_download, height=HEIGHT)
        if is_served():
            pn.state.onload(self.run)
        else:
            self.run()

    def _enter(self, name: str, text: str, _: bool) -> None:
        menus = {"acts": ACTS, **self.question.menus}
        if name not in menus or text not in menus[name].words:
            return
        self.question = read_question(self.question.values | {name: text})[0]
        if name == "acts":
            self.form.set_fields(list_fields(self.question), self.question.values)
        else:
            self.form.set_values(self.question.values)
        self.run()

    def run(self) -> None:
        """Find the answer beside the page; a search under way is dropped."""
        search = Search(self.question)
        self.api.expect_results(self._make_address(search.question))
        self.worker.start(
            Task(
                search.run,
                partial(self._receive, search.question),
                partial(self._show_progress, search),
                self._show_error,
                self._heading.hide,
            )
        )

    def _show_progress(self, search: Search, part: float, words: str = "") -> None:
        """Show the progress, and the best reply so far."""
        with pn.io.hold():
            self._heading.show_progress(part, use_short_names(words, search.question.space))
            if (reply := search.take_newest()) is not None:
                self._show(search.question, reply)

    def _receive(self, question: Question, reply: Reply | None) -> None:
        if reply is None:
            self._heading.show_stopped(NOTHING_CAME if self.reply is None else OLD_IS_SEEN)
            return
        self._show(question, reply)
        self.api.publish(
            question.query() | {"method": reply.method},
            self._make_address(question),
            sentences=[TITLE, reply.name, *reply.sentences],
        )

    def _show(self, question: Question, reply: Reply) -> None:
        self.reply = reply
        self.api.expected = False
        with pn.io.hold():
            self._words.html = render_template("which-method", reply=reply)
            self._chart.show(reply.chart, question.describe())

    def _show_error(self, error: Exception) -> None:
        self._notice.show_sentences([f"The search failed: {error}"])

    def _make_address(self, question: Question) -> str:
        return link(question) if is_served() else ""

    def _make_download(self, want: str) -> dict[str, Any]:
        """Return the table of the curves, or its file."""
        if self.reply is None:
            return {}
        curves = self.reply.chart.curves
        frame = pd.concat(
            pd.DataFrame({"method": curve.name, "t": curve.x, "error": curve.y}) for curve in curves
        )
        if want == "table":
            return make_table(frame, TITLE)
        return {"name": "which-method.csv", "text": frame.to_csv(index=False), "type": "text/csv"}

    def page(self) -> pn.Template:
        """Return the page to be served."""
        beside = pn.Column(
            card(self.form), card(self._words), margin=0, styles=share_width(1.0, 380)
        )
        parts = side_by_side(beside, card(self._chart.panel, styles=share_width(1.75, 420)))
        return whole_page("methods", column(self._notice, self._heading.panel, parts, self.api))


def list_fields(question: Question) -> list[FormField]:
    """The menus of a question as fields of a form."""
    return [
        FormField(
            name, menu.label, menu.about, "menu", tuple(menu.words), tuple(menu.words.values())
        )
        for name, menu in {"acts": ACTS, **question.menus}.items()
    ]


def read_question(query: Mapping[str, str]) -> tuple[Question, list[str]]:
    """Return the question of a link, and a notice for each refused part."""
    if query.get("acts") == which_update.ACTS:
        return which_update.read_query(query)
    return which_method.read_query(query)


def make_page(query: Mapping[str, str], notices: Sequence[str]) -> pn.Template:
    """Return the page of a link's query; `notices` say what else of the link was refused."""
    question, refused = read_question(query)
    return WhichMethod(question, [*notices, *refused]).page()
