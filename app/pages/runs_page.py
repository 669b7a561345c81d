"""What the pages of runs have in common: the choice, its views, and the order of the parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import panel as pn

from ..demos.live import list_scenes
from ..state.choice import Choice
from ..state.effort import compute_at_once
from ..state.excerpt import WHOLE, Excerpt
from ..state.labs import LABS
from ..state.lessons import Lesson, Step
from ..state.links import link
from ..state.results import Results
from ..state.view import DEFAULT_VIEW, View
from ..views.controls.chooser import Chooser
from ..views.dialogs import print_page
from ..views.dialogs.html_block import HtmlBlock
from ..views.pictures.stage import Stage
from ..views.plots.legend import Legend
from ..views.plots.local_runs import LocalRuns
from ..views.plots.time_plots import VIEWED, TimePlots
from ..views.tables.ledger_table import LedgerTable
from ..views.tables.method_card import MethodCard
from .explorer import Explorer, LookedAtPage, Show

SCENE_HEIGHT = 520
"""Height of a picture in pixels."""
LONG = {"max-height": "none"}


class RunsPage(LookedAtPage):
    """What the opening view, the simple view, an excerpt and a whole page have in common; each builds its parts on
    first use.

    With a lesson, the page shows its first step; `keeps_choice` leaves the choice as it is. `view`
    is how the page shows the results.

    Attributes
    ----------
    scene_size : the size of pictures in 3D, if they do not fill their place.
    """

    scene_size: Mapping[str, Any] = {}

    def __init__(
        self,
        choice: Choice,
        notices: Sequence[str] = (),
        excerpt: Excerpt = WHOLE,
        lesson: Lesson | None = None,
        *,
        keeps_choice: bool = False,
        view: View = DEFAULT_VIEW,
    ) -> None:
        first = lesson.steps[0] if lesson is not None and not keeps_choice else Step("")
        self.lab = LABS[choice.space]
        self.excerpt = excerpt
        self._lesson = lesson
        self._keeps_choice = keeps_choice
        self._hidden = first.hidden
        self.explorer = Explorer(first.choice or choice, self, notices)
        self.explorer.api.print_page = self._print
        if view != self.view:
            self.look(view)
        self.explorer.begin()

    @cached_property
    def chooser(self) -> Chooser:
        """The widgets of the choice."""
        history = self.explorer.history
        chooser = Chooser(history.now, self.explorer.follow, history.end_gesture, self.excerpt)
        chooser.forget_recordings = self.explorer.forget
        chooser.notify = self.explorer.notice.show_sentences
        return chooser

    @cached_property
    def stage(self) -> Stage:
        """The pictures."""
        return Stage(self.lab, self.excerpt, self.chooser, self._update_link, self.scene_size)

    @cached_property
    def ledger(self) -> LedgerTable:
        """The table of what each method kept and lost."""
        return LedgerTable(self.lab.ledger, self.chooser.drag_handler("dt"))

    @cached_property
    def local(self) -> LocalRuns:
        """What lets the browser compute while a person drags."""
        return LocalRuns()

    @abstractmethod
    def page(self) -> pn.Template:
        """Return the page to be served."""

    def show_choice(self, choice: Choice) -> None:
        """Show a choice in the widgets."""
        self.chooser.show(choice)

    @property
    def open_lesson(self) -> Lesson | None:
        """The open lesson, if any."""
        return self._lesson

    def make_link(self, choice: Choice) -> str:
        """Return the link to a choice on this page, with the open lesson."""
        lesson = self.open_lesson
        return link(choice, self.excerpt, lesson.key if lesson else "", self.view)

    def _publish(self, results: Results) -> None:
        """Publish the results in words, for scripts, the address and screen readers."""
        conclusion = [] if "table" in self._hidden else [self.ledger.conclusion]
        self.explorer.publish(results, results.problem.name, results.choice.caption(), *conclusion)

    def _allow_drags(self, results: Results) -> None:
        """Have the browser compute what a person drags, if it can draw all that is on screen."""
        self.local.show(results, self.stage.can_follow)

    def _update_link(self, *_: Any) -> None:
        """Update the address after a change of the view."""
        if self.explorer.results is not None:
            now = self.explorer.history.now
            self.explorer.api.set_address(self.explorer.make_address(now))

    def _print(self, address: str) -> str:
        """Return the results as a page for paper; the page itself is at this address."""
        results = self.explorer.results
        if results is None:
            return ""
        table = None if "table" in self._hidden else self.lab.ledger.table(results)
        whole = print_page.clean_address(address) + link(results.choice, view=self.view)
        return print_page.write_page(results, self._list_drawings(), table, whole)

    def _list_drawings(self) -> list[str]:
        """Return the plots for paper."""
        return []


class ViewsPage(RunsPage):
    """A page with plots, pictures and tables in cards."""

    @cached_property
    def plots(self) -> TimePlots:
        """The plots over time."""
        plots = self._make_plots()
        plots.param.watch(self._update_link, list(VIEWED))
        return plots

    def _make_plots(self) -> TimePlots:
        return TimePlots(self.lab.groups)

    @cached_property
    def legend(self) -> Legend:
        """The legend of the plots."""
        has_buttons = self.excerpt.asks("dt")
        return Legend(self.plots, lambda name: self.chooser.form.enter(name, ""), has_buttons)

    @cached_property
    def card(self) -> MethodCard:
        """What each method is."""
        return MethodCard()

    @cached_property
    def local(self) -> LocalRuns:
        """What lets the browser compute while a person drags."""
        return LocalRuns(self._describe_problem)

    @cached_property
    @abstractmethod
    def _cards(self) -> Mapping[str, pn.viewable.Viewable]:
        """What a lesson can hide."""

    @property
    def parts(self) -> Sequence[Show]:
        """Functions that show results, in the order in which they receive new ones."""
        shows = [self.plots.show, self.legend.show] if self.plots.most else []
        return [
            *shows,
            self.stage.show,
            self.ledger.show,
            self.card.show,
            self._allow_drags,
            self._publish,
        ]

    def _describe_problem(self, choice: Choice) -> dict[str, Any]:
        """Return what the page shows of another problem; `ValueError`, if its runs take long."""
        results = compute_at_once(choice)
        scene = list_scenes(results, self.stage.appearance.link_shape)[0]
        return {"choice": choice.as_data(), "plots": self.plots.list_plans(results), "scene": scene}

    def _list_drawings(self) -> list[str]:
        if "plots" in self._hidden:
            return []
        plots = self.plots.plots
        return [self.plots.draw_svg(plot, print_page.PLOT, setting=False) for plot in plots]

    @property
    def view(self) -> View:
        """How the page shows the results, for links, presets and lessons."""
        return View(**(self.stage.read_view() | self.plots.read_view()))

    def look(self, view: View, *, anew: bool = True) -> None:
        """Show the results in this way; `anew` restarts the motion."""
        self.plots.look(view)
        self.stage.look(view, anew=anew)

    def _update_link(self, *_: Any) -> None:
        super()._update_link()
        if self.explorer.results is not None:
            self._allow_drags(self.explorer.results)

    def hide(self, names: Sequence[str]) -> None:
        """Hide these parts of the page, "picture", "plots" or "table", and no others."""
        self._hidden = tuple(names)
        self.ledger.verdict.visible = "table" not in names
        self.stage.hold("picture" in names)
        # The headline describes the motion and names the best method.
        seen = {"headline": not names, "card": not names, "wait": "plots" in names, "picture": True}
        for name, part in self._cards.items():
            part.visible = seen.get(name, name not in names)

    def _arrange(self, above: Sequence[HtmlBlock], columns: Sequence[pn.Column]) -> pn.Column:
        """Return columns beside each other, or in a narrow window below each other."""
        views = pn.Row(
            *filter(len, columns),
            sizing_mode="stretch_width",
            margin=0,
            styles=LONG | {"flex-wrap": "wrap"},
        )
        explorer = self.explorer
        parts = explorer.heading.panel, explorer.notice, *above, views, explorer.api, self.local
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0, styles=LONG)

    def _list_cards(self, *names: str) -> list[pn.viewable.Viewable]:
        return [self._cards[name] for name in names if name in self._cards]


def stack(grow: float, width: int, parts: Sequence[Any]) -> pn.Column:
    """Return cards below each other, at least this wide where there is room."""
    return pn.Column(
        *parts, styles={"flex": f"{grow} 1 {width}px", "min-width": f"min({width}px, 100%)"} | LONG
    )
