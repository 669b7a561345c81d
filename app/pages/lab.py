"""The pages of runs, Lab and Two bodies: a visitor chooses, and all views follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from random import Random
from typing import Any

import panel as pn

from engine.text.formatting import finish_sentence, format_ordinal, format_seconds

from ..asset_files import read_html
from ..browser.script_api import ScriptApi
from ..charts import lab_chart
from ..charts.svg import draw_still
from ..compat.notebook_cells import Shown
from ..compat.sessions import has_address
from ..demos.live import list_scenes
from ..state import excerpt as excerpts
from ..state import lessons
from ..state.choice import FIRST, Choice, choose_problem, validate
from ..state.excerpt import START, WHOLE, Excerpt
from ..state.labs import LABS
from ..state.lessons import Lesson, Step
from ..state.links import link
from ..state.quantities import PLOTS, Group
from ..state.results import Results
from ..state.view import DEFAULT_VIEW, View
from ..views.controls.chooser import Chooser
from ..views.dialogs import print_page
from ..views.dialogs.bar import OWN_LESSONS, Bar
from ..views.dialogs.downloads_menu import DownloadsMenu
from ..views.dialogs.html_block import HtmlBlock, make_caption
from ..views.dialogs.lesson_panel import LessonPanel
from ..views.dialogs.notice import Notice
from ..views.dialogs.opening import Opening
from ..views.dialogs.preset_dialog import PROBLEM, PresetDialog
from ..views.pictures.stage import Stage
from ..views.plots.legend import Legend
from ..views.plots.local_runs import LocalRuns
from ..views.plots.time_plots import HIGH, LOW, VIEWED, TimePlots
from ..views.tables.headline import Headline
from ..views.tables.ledger_table import LedgerTable
from ..views.tables.method_card import MethodCard
from .frame import card, whole_page
from .run_controller import RunController, compute_at_once

SURPRISES = Random()
"""The source of random settings; tests seed it."""
SCENE_HEIGHT = 520
"""Height of the pictures in pixels."""
LONG = {"max-height": "none"}
CENTRED = LONG | {"max-width": "1120px", "margin": "0 auto"}


class Explorer:
    """The page of one visitor: the widgets, the views, and what connects them.

    An excerpt shows parts of the page, for a page of another site. With a lesson, the page shows
    its first step; `keeps_choice` leaves the choice as it is. `view` is how the page shows the
    results.
    """

    def __init__(
        self,
        choice: Choice = FIRST["so3"],
        notices: Sequence[str] = (),
        excerpt: Excerpt = WHOLE,
        lesson: Lesson | None = None,
        *,
        keeps_choice: bool = False,
        view: View = DEFAULT_VIEW,
    ) -> None:
        first = lesson.steps[0] if lesson is not None and not keeps_choice else Step("")
        choice = first.choice or choice
        self.lab = lab = LABS[choice.space]
        self._excerpt = excerpt
        self._hidden = first.hidden
        self._cards: dict[str, pn.Column] = {}

        self.api = ScriptApi(self._print)
        self.notice = Notice(notices)
        self.runs = RunController(choice, self.api, self.notice, self.show, self._make_address)
        self.history = self.runs.history
        self.worker = self.runs.worker
        self.chooser = Chooser(choice, self.runs.follow, self.history.end_gesture, excerpt)
        self.headline = Headline(lab, lambda: self.open_preset(lab.showcase))
        self.legend = Legend(lambda name: self.chooser.form.enter(name, ""), excerpt.asks("dt"))
        self.plots = self._make_plots()
        self.stage = Stage(lab, excerpt, self.chooser, self._update_link)
        self.ledger = LedgerTable(lab.ledger)
        self.card = MethodCard()
        self.downloads = DownloadsMenu(self._make_link, lambda: self.view)
        self.presets = PresetDialog(lab, self.open_preset)
        self.opening = [Opening(self.chooser, self.stage)] if excerpt.opens else []
        self.bar = self._make_bar()
        self.lesson = LessonPanel(lab.space, self._show_step, self._close_lesson)
        self._status = make_caption(24)
        self.local = LocalRuns(self._describe_problem)
        if lesson is not None:
            self.lesson.open(lesson, keeps_choice)
        if view != self.view:
            self.look(view)
        self.plots.param.watch(self._update_link, list(VIEWED))
        self.plots.param.watch(self._show_legend, "curves")
        self.api.param.watch(lambda _: self.undo(), "undo")
        self.api.param.watch(lambda _: self.redo(), "redo")
        self.api.param.watch(lambda _: self.bar.toggle("help"), "help")
        self.runs.begin()

    def _make_bar(self) -> Bar:
        actions: dict[str, Callable[..., Any]] = {
            "undo": self.undo,
            "redo": self.redo,
            "reset": self.reset,
            "lesson": self._begin_lesson,
        }
        return Bar(actions, lessons.titles(self.lab.space), self.lab.picture_help)

    def _make_plots(self) -> TimePlots:
        """Return all groups of plots, or the plots of an excerpt, if any."""
        if not self._excerpt.show:
            return TimePlots(self.lab.groups)
        others = [part.word for part in excerpts.PARTS[self.lab.space] if not part.plot]
        words = [word for word in self._excerpt.show if word not in others]
        group = Group(
            lambda results, _: [x for x in self.lab.invariants(results) if x.part in words]
        )
        return TimePlots(
            {"What is kept": group}, HIGH if len(words) < PLOTS - 1 else LOW, most=len(words)
        )

    # ------------------------------------------------------------------ choices

    @property
    def results(self) -> Results | None:
        """The results on screen."""
        return self.runs.results

    def choose(self, choice: Choice, view: View | None = None) -> None:
        """Choose a whole setting, as of a preset or a lesson, with its view if any, and remove
        notices.
        """
        self.history.note(validate(choice), left=self.view if view else None)
        self._go_to(view)

    def undo(self) -> None:
        """Undo the last change."""
        self._go_to(self.history.undo(self.view))

    def redo(self) -> None:
        """Redo the last change."""
        self._go_to(self.history.redo(self.view))

    def reset(self) -> None:
        """Restore the problem of the source."""
        self.choose(choose_problem(self.history.now.build_problem().key, self.history.now))

    def open_preset(self, key: str) -> None:
        """Open a preset, a problem, or a random setting."""
        preset = next((preset for preset in self.lab.presets if preset.key == key), None)
        if preset:
            self.choose(preset.choice, preset.view)
            sentences = [f"{finish_sentence(preset.title)} {preset.sentence}"]
            self.notice.show_sentences(sentences, self.history.now)
        elif key.startswith(PROBLEM):
            self.choose(choose_problem(key.removeprefix(PROBLEM), self.history.now), DEFAULT_VIEW)
        else:
            self.choose(self.lab.surprise(SURPRISES), DEFAULT_VIEW)

    def _go_to(self, view: View | None) -> None:
        """Show the current choice, in this view if any."""
        with pn.io.hold():
            self.notice.show_sentences([])
            if view:
                self.look(view)
            self.chooser.show(self.history.now)
            self.runs.compute(self.history.now)

    # ------------------------------------------------------------------ lessons

    def _begin_lesson(self, key: str) -> None:
        if key in OWN_LESSONS:
            self.lesson.ask(key)
        else:
            self.lesson.open(lessons.find_lesson(key))

    def _show_step(self, step: Step, answered: bool, sets_up: bool) -> None:
        """Show a step of a lesson, and hide what would answer its question."""
        self.hide(() if answered else step.hidden)
        choice = step.choice if sets_up and step.choice != self.history.now else None
        view = replace(self.view, **step.look)
        if choice is not None:
            self.choose(choice, view)
        elif sets_up:
            self.look(view, anew=False)
        if choice is None and self.results is not None:
            self._publish(self.results)

    def _close_lesson(self) -> None:
        self.hide(())
        if self.results is not None:
            self._publish(self.results)

    def hide(self, names: Sequence[str]) -> None:
        """Hide these parts of the page, "picture", "plots" or "table", and no others."""
        self._hidden = tuple(names)
        self.ledger.verdict.visible = "table" not in names
        self.headline.visible = not names  # it describes the motion and names the best method
        self.stage.hold("picture" in names)
        seen = {"card": not names, "wait": "plots" in names, "picture": True}
        for name, part in self._cards.items():
            part.visible = seen.get(name, name not in names)

    # ------------------------------------------------------------------ results

    def show(self, results: Results) -> None:
        """Show results in all visible views; others follow when they become visible."""
        with pn.io.hold():
            if self.plots.plots:
                self.plots.show(results)
            views: tuple[Any, ...] = self.stage, self.ledger, self.card, *self.opening
            for view in views:
                view.show(results)
            self._status.html = _describe_runs(results)
            self._allow_drags()
            self._show_legend()
            self.runs.heading.set_title(results.problem.name, results.choice.caption())
            self._publish(results)

    def _allow_drags(self) -> None:
        """Have the browser compute what a person drags, if it can draw all that is on screen."""
        if self.results is not None:
            self.local.show(self.results, self.stage.can_follow)

    def _describe_problem(self, choice: Choice) -> dict[str, Any]:
        """Return what the page shows of another problem; `ValueError`, if its runs take long."""
        results = compute_at_once(choice)
        scene = list_scenes(results, self.stage.appearance.link_shape)[0]
        return {"choice": choice.as_data(), "plots": self.plots.list_plans(results), "scene": scene}

    def _show_legend(self, *_: Any) -> None:
        if self.results is not None:
            self.legend.show_results(self.results, self.plots.curves)

    def _publish(self, results: Results) -> None:
        """Publish the results in words, for scripts, the address and screen readers."""
        self.headline.show_results(results, self.ledger.table, self.lesson.lesson is None)
        sentences = [results.problem.name, results.choice.caption()]
        sentences += [] if "table" in self._hidden else [self.ledger.conclusion]
        self.api.publish_results(results, self._make_address(results.choice), sentences)
        self.downloads.show(results)

    def _make_link(self, choice: Choice) -> str:
        """Return the link to a choice, with the open lesson."""
        lesson = self.lesson.lesson
        return link(choice, self._excerpt, lesson.key if lesson else "", self.view)

    def _make_address(self, choice: Choice) -> str:
        """Return the page's address for a choice; empty in a notebook."""
        return self._make_link(choice) if has_address() else ""

    def _print(self, address: str) -> str:
        """Return the results as a page for paper; the page itself is at this address."""
        results = self.results
        if results is None:
            return ""
        plots = (
            []
            if "plots" in self._hidden
            else [plot for plot in self.plots.plots if plot.panel.visible]
        )
        drawings = [plot.svg(print_page.PLOT, setting=False) for plot in plots]
        table = None if "table" in self._hidden else self.lab.ledger.table(results)
        whole = print_page.clean_address(address) + link(results.choice, view=self.view)
        return print_page.write_page(results, drawings, table, whole)

    # ------------------------------------------------------------------ how the page shows them

    @property
    def view(self) -> View:
        """How the page shows the results, for links, presets and lessons."""
        return View(**(self.stage.read_view() | self.plots.read_view()))

    def look(self, view: View, *, anew: bool = True) -> None:
        """Show the results in this way; `anew` restarts the motion."""
        self.plots.look(view)
        self.stage.look(view, anew=anew)

    def _update_link(self, *_: Any) -> None:
        if self.results is not None:
            self.api.set_address(self._make_address(self.history.now))
            self.downloads.update_link(self.history.now)
            self._allow_drags()

    # ------------------------------------------------------------------ the page

    def page(self) -> pn.Template:
        """Return the page to be served; an excerpt links to the whole."""
        if self._excerpt.alone:
            return whole_page(self.lab.page, self.main(), alone=True)
        if self.opening:
            parts = self.notice, *self.opening[0].list_parts(), self.api
            return whole_page(START, pn.Column(*parts, sizing_mode="stretch_both", styles=CENTRED))
        return whole_page(self.lab.page, self.main(), self._widgets(), self._tools(), self.lesson)

    def in_notebook(self) -> Shown:
        """Return the widgets beside the views."""
        beside = pn.Row(
            pn.Column(self._widgets(), width=320), self.main(), sizing_mode="stretch_width"
        )
        return Shown(self._tools(), beside, draw_still=self._draw_still)

    def _draw_still(self) -> str:
        """Return the first group of plots as a picture."""
        if self.results is None:
            return ""
        chart = lab_chart.build_chart(self.results, next(iter(self.lab.groups)), "Ω", True, True)
        return draw_still(chart, lab_chart.method_looks(self.results))

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
            *above, view.panel, self.api, draw_still=self._draw_still, min_height=SCENE_HEIGHT
        )

    def main(self) -> pn.Column:
        """Return the views; an excerpt includes its widgets."""
        excerpt = self._excerpt
        self._cards = self._make_cards()
        self.hide(self._hidden)
        left = [self._cards[name] for name in ("picture", "card") if name in self._cards]
        right = [self._cards[name] for name in ("wait", "plots", "table") if name in self._cards]
        if excerpt.alone:
            widgets = [card(self.chooser.panel)] if excerpt.controls != () else []
            columns = [_column(1, 220, widgets), _column(1.6, 320, left), _column(2, 320, right)]
        else:
            columns = [_column(1, 440, left), _column(1.25, 520, right)]
        # In a narrow window the columns stand below each other.
        views = pn.Row(
            *filter(len, columns),
            sizing_mode="stretch_width",
            margin=0,
            styles=LONG | {"flex-wrap": "wrap"},
        )
        words: list[HtmlBlock] = [] if excerpt.alone else [self.headline]
        if excerpt.caption:
            words.append(
                HtmlBlock(style="link-caption", margin=0, html=f"<p>{escape(excerpt.caption)}</p>")
            )
        parts = self.notice, self.runs.heading.panel, *words, views, self.api, self.local
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0, styles=LONG)

    def _make_cards(self) -> dict[str, pn.Column]:
        """Return the parts that a lesson can hide; the conclusion is the headline of the first of
        plots and table.
        """
        parts = {"plots": [self.legend, self.plots.panel]} if self.plots.plots else {}
        excerpt = self._excerpt
        if excerpt.has("ledger"):
            parts["table"] = [self.ledger.panel]
            next(iter(parts.values())).insert(0, self.ledger.verdict)
        cards = {name: card(*contents) for name, contents in parts.items()}
        if self.stage:
            # An excerpt is no higher than its window, which may be a small frame in another page.
            fits = (
                {"height": f"clamp(260px, 100vh - 150px, {SCENE_HEIGHT}px)"}
                if excerpt.alone
                else {}
            )
            cards["picture"] = card(
                self.stage.switches, self.stage.panel, height=SCENE_HEIGHT, styles=fits
            )
        if excerpt.has("card"):
            cards["card"] = card(self.card.panel)
        if not excerpt.alone:
            cards["wait"] = card(HtmlBlock(style="wait", html=read_html("wait"), margin=0))
        return cards

    def _widgets(self) -> pn.Column:
        return pn.Column(self.chooser.panel, self._status, sizing_mode="stretch_width", margin=0)

    def _tools(self) -> pn.Row:
        return pn.Row(
            self.downloads.panel, self.presets, self.bar, self.downloads.dialogs, margin=0
        )


def _describe_runs(results: Results) -> str:
    """Return the number of steps and methods, and the time that they took."""
    choice = results.choice
    n = len(results.runs)
    seconds = sum(line.run.cost.seconds for line in results.runs)
    stored = f" · every {format_ordinal(choice.every)} state is stored" if choice.every > 1 else ""
    return f"{choice.steps:,} steps × {n} method{'s' if n != 1 else ''} in {format_seconds(seconds)}{stored}"


def _column(grow: float, width: int, parts: Sequence[Any]) -> pn.Column:
    """Return cards below each other, at least this wide where there is room."""
    return pn.Column(
        *parts, styles={"flex": f"{grow} 1 {width}px", "min-width": f"min({width}px, 100%)"} | LONG
    )
