"""The legend of all plots of a page, with buttons that change Δt."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

from engine.text.formatting import join_words

from ...asset_files import render_template
from ...charts import style
from ...state.form_fields import SLIDERS
from ...state.results import Results
from ...state.view import CURVES
from ..dialogs.html_block import HtmlBlock
from .time_plots import VIEWED, TimePlots


class Legend(HtmlBlock):
    """The methods with their colours, and with the dashes of their curves in the plots;
    `on_step(name)` receives a button's name, for screens without a wheel.
    """

    def __init__(self, plots: TimePlots, on_step: Callable[[str], Any], has_buttons: bool) -> None:
        super().__init__(lambda _, name: self._step(name), style="legend", margin=0)
        self._plots = plots
        self._results: Results | None = None
        plots.param.watch(lambda *_: self._update(), list(VIEWED))
        plots.canvas.param.watch(lambda _: self._update(), "turned")
        self._on_step = on_step
        self._buttons = SLIDERS[0].buttons if has_buttons else ()

    def show(self, results: Results) -> None:
        """Show the methods of these results."""
        self._results = results
        self._update()

    def _update(self) -> None:
        if self._results is None:
            return
        is_solid = self._plots.curves == CURVES[0]
        dashes = repeat(style.DASHES[0]) if is_solid else style.DASHES
        lines = zip(self._results.lines, dashes, strict=False)
        variants = self._results.choice.variants
        self.html = render_template(
            "legend",
            lines=lines,
            variants=variants,
            buttons=self._buttons,
            alike=self._list_alike(),
        )

    def _list_alike(self) -> list[str]:
        """Return which methods have curves that lie on one another in open plots."""
        assert self._results is not None
        own = self._results.choice.variants.own
        names = {line.name: own[line.label] for line in self._results.lines}
        titles: dict[str, list[str]] = {}
        for plot in self._plots.list_open():
            for group in plot.find_alike():
                who = [names[name] for name in group]
                words = join_words(who) if len(who) < len(names) else "All methods"
                titles.setdefault(words, []).append(plot.title)
        return [
            f"{who} have the same curve in {join_words(where)}." for who, where in titles.items()
        ]

    def _step(self, name: str) -> None:
        try:
            self._on_step(name)
        finally:
            self.acknowledge()
