"""The sentence above the views, with a button that leads to a striking example."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from ...state.narration import narrate
from ...state.results import Results
from ...state.subject import Subject
from .sheet import Sheet
from .terms import explain_terms


class Headline(Sheet):
    """What the body does in these results; `on_showcase` is called by the button."""

    def __init__(self, subject: Subject, on_showcase: Callable[[], Any]) -> None:
        super().__init__(lambda *_: on_showcase(), style="narration", margin=0)
        showcase = next((preset for preset in subject.presets if preset.key == subject.showcase), None)
        self._showcase = showcase.choice if showcase is not None else None
        self._button = f"<button id='flip' data-ask='flip'>{escape(subject.invitation)}</button>"

    def show_results(self, results: Results) -> None:
        """Describe these results."""
        leads = self._showcase is not None and self._showcase != results.choice
        self.html = f"<div class='seen'><p>{explain_terms(narrate(results))}</p>{self._button * leads}</div>"
