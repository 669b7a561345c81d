"""The pages Lab and Two bodies: a visitor chooses, and all parts follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import panel as pn

from engine.text.formatting import format_ordinal, format_seconds

from ..asset_files import read_html
from ..charts import lab_chart
from ..charts.svg import draw_still
from ..compat.notebook_cells import Shown
from ..state import lessons
from ..state.choice import FIRST, Choice
from ..state.excerpt import SIMPLE, START, WHOLE, Excerpt
from ..state.lessons import Lesson, Step
from ..state.results import Results
from ..views.dialogs.bar import OWN_LESSONS, Bar
from ..views.dialogs.downloads_menu import DownloadsMenu
from ..views.dialogs.html_block import HtmlBlock, make_caption
from ..views.dialogs.lesson_panel import LessonPanel
from ..views.dialogs.preset_dialog import PresetDialog
from ..views.tables.headline import Headline
from .excerpt_page import ExcerptPage
from .explorer import Show
from .frame import card, whole_page
from .opening_page import OpeningPage
from .runs_page import SCENE_HEIGHT, ViewsPage, stack
from .simple_page import SimplePage

GROWS: Mapping[str, Any] = {
    "height": 470,
    "styles": {"min-height": "max(470px, min(100vh - 260px, 55vw - 50px))"},
}
"""The height of a picture in 3D, which grows with the window."""


class LabPage(ViewsPage):
    """The whole page, Lab or Two bodies."""

    scene_size = GROWS

    @cached_property
    def headline(self) -> Headline:
        """The sentence above the views."""
        return Headline(self.lab, lambda: self.explorer.open_preset(self.lab.showcase))

    @cached_property
    def downloads(self) -> DownloadsMenu:
        """The menu Export."""
        return DownloadsMenu(self.make_link, lambda: self.view)

    @cached_property
    def presets(self) -> PresetDialog:
        """The settings to start from."""
        return PresetDialog(self.lab, self.explorer.open_preset)

    @cached_property
    def bar(self) -> Bar:
        """The buttons above the page."""
        actions: dict[str, Callable[..., Any]] = {
            "undo": self.explorer.undo,
            "redo": self.explorer.redo,
            "reset": self.explorer.reset,
            "lesson": self._begin_lesson,
        }
        bar = Bar(actions, self.lab.space, self.lab.picture_help)
        self.explorer.api.param.watch(lambda _: bar.toggle("help"), "help")
        return bar

    @cached_property
    def lesson(self) -> LessonPanel:
        """The lesson beside the views."""
        panel = LessonPanel(self.lab.space, self._show_step, self._close_lesson)
        if self._lesson is not None:
            panel.open(self._lesson, self._keeps_choice)
        return panel

    @cached_property
    def _status(self) -> HtmlBlock:
        return make_caption(24)

    @cached_property
    def _cards(self) -> Mapping[str, pn.viewable.Viewable]:
        return {
            "headline": self.headline,
            "plots": card(self.ledger.verdict, self.legend, self.plots.panel),
            "table": card(self.ledger.panel),
            "picture": card(self.stage.switches, self.stage.panel),
            "card": card(self.card.panel),
            "wait": card(HtmlBlock(style="wait", html=read_html("wait"), margin=0)),
        }

    @property
    def parts(self) -> Sequence[Show]:
        """Functions that show results, in the order in which they receive new ones."""
        return [*super().parts, self._show_status, self._show_headline, self.downloads.show]

    def _show_status(self, results: Results) -> None:
        self._status.html = _describe_runs(results)

    def _show_headline(self, results: Results) -> None:
        self.headline.show_results(results, self.ledger.table, self.open_lesson is None)

    def _update_link(self, *_: Any) -> None:
        super()._update_link()
        if self.explorer.results is not None:
            self.downloads.update_link(self.explorer.history.now)

    # ------------------------------------------------------------------ lessons

    def hide(self, names: Sequence[str]) -> None:
        """Hide these parts of the page, and do not offer the runs while there are any."""
        super().hide(names)
        self.downloads.offer_results(not names)

    @property
    def open_lesson(self) -> Lesson | None:
        """The open lesson, if any."""
        return self.lesson.lesson

    def _begin_lesson(self, key: str) -> None:
        if key in OWN_LESSONS:
            self.lesson.ask(key)
        else:
            self.lesson.open(lessons.find_lesson(key), begins=True)

    def _show_step(self, step: Step, answered: bool, sets_up: bool) -> None:
        """Show a step of a lesson, and hide what would answer its question."""
        self.hide(() if answered else step.hidden)
        choice = step.choice if sets_up and step.choice != self.explorer.history.now else None
        view = replace(self.view, **step.look)
        if choice is not None:
            self.explorer.choose(choice, view)
        elif sets_up:
            self.look(view, anew=False)
        if choice is None:
            self._describe_again()

    def _close_lesson(self) -> None:
        self.hide(())
        self._describe_again()

    def _describe_again(self) -> None:
        """Describe the results again after a step of a lesson, which hides other parts."""
        if self.explorer.results is not None:
            for show in self._publish, self._show_headline, self.downloads.show:
                show(self.explorer.results)

    # ------------------------------------------------------------------ the page

    def page(self) -> pn.Template:
        """Return the page to be served."""
        return whole_page(self.lab.page, self.main(), self._widgets(), self._tools(), self.lesson)

    def main(self) -> pn.Column:
        """Return the views."""
        self.hide(self._hidden)
        left = stack(1, 440, self._list_cards("picture", "card"))
        right = stack(1.25, 520, self._list_cards("wait", "plots", "table"))
        return self._arrange([self.headline], [left, right])

    def _widgets(self) -> pn.Column:
        less = [HtmlBlock(style="less", html=read_html("less"))] if self.lab.has_simple_view else []
        parts = *less, self.chooser.panel, self._status
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0)

    def _tools(self) -> pn.Row:
        return pn.Row(
            self.downloads.panel, self.presets, self.bar, self.downloads.dialogs, margin=0
        )

    def in_notebook(self) -> Shown:
        """Return the widgets beside the views."""
        beside = pn.Row(
            pn.Column(self._widgets(), width=320), self.main(), sizing_mode="stretch_width"
        )
        return Shown(self._tools(), beside, draw_still=self._draw_still)

    def alone(self, name: str) -> Shown:
        """Return one of the views."""
        views: dict[str, Any] = {"plots": self.plots, "ledger": self.ledger, "card": self.card}
        view = views.get(name) or self.stage.find_picture(name)
        if view is None:
            raise ValueError(
                f"there is no view {name!r}; there are {', '.join([*views, *self.lab.pictures])}"
            )
        above = [self.ledger.verdict] if view is self.ledger else []
        return Shown(
            *above,
            view.panel,
            self.explorer.api,
            draw_still=self._draw_still,
            min_height=SCENE_HEIGHT,
        )

    def _draw_still(self) -> str:
        """Return the first group of plots as a picture."""
        results = self.explorer.results
        if results is None:
            return ""
        chart = lab_chart.build_chart(results, next(iter(self.lab.groups)), "Ω", True, True)
        return draw_still(chart, lab_chart.method_looks(results))


def open_lab(
    choice: Choice = FIRST["so3"],
    notices: Sequence[str] = (),
    excerpt: Excerpt = WHOLE,
    lesson: Lesson | None = None,
    **how: Any,
) -> OpeningPage | ExcerptPage | LabPage:
    """Return the page of a choice: the whole page, an excerpt, the opening view or the simple one."""
    own: dict[str, type[OpeningPage]] = {START: OpeningPage, SIMPLE: SimplePage}
    kind = own.get(excerpt.page) or (ExcerptPage if excerpt.alone else LabPage)
    return kind(choice, notices, excerpt, lesson, **how)


def _describe_runs(results: Results) -> str:
    """Return the number of steps and methods, and the time that they took."""
    choice = results.choice
    n = len(results.runs)
    seconds = sum(line.run.cost.seconds for line in results.runs)
    stored = f" · every {format_ordinal(choice.every)} state is stored" if choice.every > 1 else ""
    return f"{choice.steps:,} steps × {n} method{'s' if n != 1 else ''} in {format_seconds(seconds)}{stored}"
