"""The page of a question: which method should I use?"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import panel as pn

from ..asset_files import render_template
from ..browser.script_api import ScriptApi
from ..compat.sessions import is_served
from ..server.worker import Progress, Task, Worker
from ..state import link
from ..state.form_fields import FormField
from ..state.pages import which_method
from ..state.pages.which_method import Answer, MethodQuestion, find_answer
from ..views.controls.form import Form
from ..views.dialogs.html_block import HtmlBlock
from ..views.dialogs.notice import Notice
from ..views.dialogs.progress_notice import NOTHING_CAME, OLD_IS_SEEN, Heading
from ..views.plots.study_chart import ChartView
from ..views.tables.study_result import make_table
from .frame import card, column, share_width, side_by_side, whole_page

TITLE = "Which method should I use?"
FIELDS = [
    FormField(name, label, about, "menu", tuple(menu), tuple(menu.values()))
    for (name, menu), label, about in zip(
        which_method.MENUS.items(),
        ("What acts on the body?", "What must be kept?", "How exact, or how cheap?"),
        (
            "Choose what turns the body.",
            "Choose what the method must not change.",
            "Choose the largest error of the attitude, or the least cost.",
        ),
        strict=True,
    )
]


HEIGHT = 480
"""Height of the figure in pixels."""


class WhichMethod:
    """The page of one visitor: a question and its answer."""

    def __init__(self, question: MethodQuestion, notices: Sequence[str] = ()) -> None:
        self.question = question
        self.answer: Answer | None = None
        self.api = ScriptApi()
        self.form = Form(self._enter, fields=FIELDS, values=_texts(question), margin=(4, 0, 8, 0))
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
        if text in which_method.MENUS.get(name, ()):
            self.question = replace(self.question, **{name: text})
            self.form.set_values(_texts(self.question))
            self.run()

    def run(self) -> None:
        """Find the answer beside the page; a search under way is dropped."""
        question = self.question
        self.api.expect_results(self._make_address(question))

        def find(_: threading.Event, progress: Progress) -> Answer:
            progress(0.0)
            return find_answer(question)

        self.worker.start(
            Task(
                find,
                self._receive,
                self._heading.show_progress,
                self._show_error,
                self._heading.hide,
            )
        )

    def _receive(self, answer: Answer | None) -> None:
        if answer is None:
            self._heading.show_stopped(NOTHING_CAME if self.answer is None else OLD_IS_SEEN)
        else:
            self._show(answer)

    def _show(self, answer: Answer) -> None:
        self.answer = answer
        question = answer.question
        sentences = which_method.write_answer(answer)
        best, _ = answer.names
        with pn.io.hold():
            self._words.html = render_template(
                "which-method",
                title=best,
                key=answer.best.method.label,
                dt=answer.best.run.dt,
                sentences=sentences,
                trial=which_method.describe_trial(answer),
                lab=which_method.link_lab(answer),
                methods=which_method.link_methods(question),
                more=which_method.list_more_links(answer),
            )
            self._chart.show(which_method.draw_answer(answer), question.describe())
            self.api.publish(
                question.query() | {"method": answer.best.method.label},
                self._make_address(question),
                sentences=[TITLE, best, *sentences],
            )

    def _show_error(self, error: Exception) -> None:
        self._notice.show_sentences([f"The search failed: {error}"])

    def _make_address(self, question: MethodQuestion) -> str:
        return link(question) if is_served() else ""

    def _make_download(self, want: str) -> dict[str, Any]:
        """Return the table of the curves, or its file."""
        if self.answer is None:
            return {}
        curves = which_method.draw_answer(self.answer).curves
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


def _texts(question: MethodQuestion) -> dict[str, str]:
    return {"acts": question.acts, "keep": question.keep, "exact": question.exact}


def make_page(query: Mapping[str, str], notices: Sequence[str]) -> pn.Template:
    """Return the page of a link's query; `notices` say what else of the link was refused."""
    question, refused = which_method.read_query(query)
    return WhichMethod(question, [*notices, *refused]).page()
