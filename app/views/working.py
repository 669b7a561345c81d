"""What is seen while something is computed: what it is, how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui

from .sheet import Sheet

STYLE = ":host { padding: 0 12px; box-sizing: border-box; font-variant-numeric: tabular-nums; }"


class Working:
    """A bar and a Stop button, there as long as they are of use; `what` are words for what is done meanwhile."""

    def __init__(self, stop: Callable[[], Any], what: str = "") -> None:
        self._what = what
        self._stop = pmui.Button(label="Stop", size="small", variant="outlined", on_click=lambda _: stop())
        self.bar = pmui.LinearProgress(value=0, variant="determinate", sizing_mode="stretch_width")
        self._words = Sheet(style=STYLE, margin=0, visible=bool(what))
        self.panel = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)

    def tell(self, done: float) -> None:
        """Of all that there is to do, this part is done."""
        percent = round(100 * done)
        self.bar.value = percent
        if self._what:
            self._words.html = f"{escape(self._what)} {percent} %"
        if not self.panel.objects:  # in the page from the first time on that they are seen
            line = pn.Row(self.bar, self._stop, sizing_mode="stretch_width", margin=0)
            self.panel.objects = [self._words, line]
        self.panel.visible = True

    def hide(self) -> None:
        """It has ended."""
        self.panel.visible = False
