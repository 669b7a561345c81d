"""What is seen while something is computed: what it is, how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from .sheet import Sheet

STYLE = """
.under-way { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; padding: 8px 12px; font-variant-numeric: tabular-nums; }
.under-way p { flex: 1 0 100%; margin: 0; }
"""  # noqa: E501
PROGRESS = "progress { flex: 1; width: 100%; min-width: 60px; height: 8px; accent-color: var(--accent); }"


class Working:
    """A bar and a Stop button, there as long as they are of use; `what` are words for what is done meanwhile."""

    def __init__(self, stop: Callable[[], Any], what: str = "") -> None:
        self._what = what
        self.panel = Sheet(lambda *_: stop(), style=STYLE + PROGRESS, margin=0)

    def tell(self, done: float) -> None:
        """Of all that there is to do, this part is done."""
        percent = round(100 * done)
        words = f"<p>{escape(self._what)} {percent} %</p>" if self._what else ""
        self.panel.html = (
            f"<div class='under-way'>{words}<progress max='100' value='{percent}' aria-label='Progress'></progress>"
            "<button id='stop' data-ask='stop'>Stop</button></div>"
        )

    def hide(self) -> None:
        """It has ended."""
        self.panel.html = ""
