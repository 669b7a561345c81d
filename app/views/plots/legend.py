"""The legend of all plots of a page, with buttons that change Δt."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

from ...asset_files import render_template
from ...charts import style
from ...state.form_fields import SLIDERS
from ...state.results import Results
from ...state.view import CURVES
from ..dialogs.html_block import HtmlBlock


class Legend(HtmlBlock):
    """The methods with their colours; `on_step(name)` receives a button's name, for screens without
    a wheel.
    """

    def __init__(self, on_step: Callable[[str], Any], has_buttons: bool) -> None:
        super().__init__(lambda _, name: self._step(name), style="legend", margin=0)
        self._on_step = on_step
        self._buttons = SLIDERS[0].buttons if has_buttons else ()

    def show_results(self, results: Results, curves: str) -> None:
        """Show the methods of these results, with the dashes of their curves."""
        dashes = style.DASHES if curves != CURVES[0] else repeat(style.DASHES[0])
        lines = zip(results.lines, dashes, strict=False)
        self.html = render_template("legend", lines=lines, buttons=self._buttons)

    def _step(self, name: str) -> None:
        try:
            self._on_step(name)
        finally:
            self.acknowledge()
