"""The legend of all plots of a page, with buttons that change Δt."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import repeat
from typing import Any

from ...charts import style
from ...state.form_fields import SLIDERS
from ...state.results import Results
from ...state.view import CURVES
from ..dialogs.sheet import Sheet


class Legend(Sheet):
    """The methods with their colours; `on_step(name)` receives a button's name, for screens without a wheel."""

    def __init__(self, on_step: Callable[[str], Any], has_buttons: bool) -> None:
        super().__init__(lambda _, name: self._step(name), style="legend", margin=0)
        self._on_step = on_step
        buttons = (
            f"<button data-ask='dt' value='{name}' title='{words}' aria-label='{words}'>{text}</button>"
            for name, text, words in SLIDERS[0].buttons
        )
        self._buttons = f"<span class='steps'>Δt {''.join(buttons)}</span>" * has_buttons

    def show_results(self, results: Results, curves: str) -> None:
        """Show the methods of these results, with the dashes of their curves."""
        dashes = style.DASHES if curves != CURVES[0] else repeat(style.DASHES[0])
        entries = [
            f"<span><svg viewBox='0 0 30 10' class='line' aria-hidden='true'><path d='M1 5h28' stroke-width='3' "
            f"stroke='{line.colour}' stroke-dasharray='{dash}'/></svg>{escape(line.label)}</span>"
            for line, dash in zip(results.lines, dashes, strict=False)
        ]
        self.html = f"<div class='legend'>{''.join(entries)}{self._buttons}</div>"

    def _step(self, name: str) -> None:
        try:
            self._on_step(name)
        finally:
            self.acknowledge()
