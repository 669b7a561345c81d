"""The sentence above the views, with a small ledger, and ways to a striking example and to a
lesson.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

from ...asset_files import render_template
from ...state import Lab, Results, Table
from ...state.lessons import list_outlines
from ...state.narration import FLIPS
from ..dialogs.html_block import HtmlBlock
from ..dialogs.terms import explain_terms

SMALLEST = -12
"""The power of ten of the error whose bar is empty; the bar of 1 is full."""


OF_ATTITUDE = {"attitude": "attitude", "difference": "difference"}
"""The columns of the attitude's error, or of its difference, with their heads."""


class Headline(HtmlBlock):
    """What the body does in these results; `on_showcase` is called by the button."""

    def __init__(self, lab: Lab, on_showcase: Callable[[], Any]) -> None:
        super().__init__(lambda *_: on_showcase(), style="narration", margin=0)
        showcase = next((preset for preset in lab.presets if preset.key == lab.showcase), None)
        self._showcase = choice = showcase.choice if showcase is not None else None
        self._is_free = choice is not None and Results(choice, choice.build_problem(), ()).is_free
        self._lab = lab

    def show_results(self, results: Results, table: Table, leads: bool = True) -> None:
        """Describe these results, of which the ledger is given; `leads` if the example and the
        lesson are of use.
        """
        motion = self._lab.narrate(results)
        leads = leads and self._showcase not in (None, results.choice) and FLIPS not in motion
        leads = leads and results.is_free == self._is_free
        names = {**dict(self._lab.ledger.invariants(results)), **OF_ATTITUDE}
        self.html = render_template(
            "headline",
            words=explain_terms(motion, results.choice.names.values()),
            invitation=self._lab.invitation if leads else "",
            lesson=link_lesson(self._lab.lesson, self._lab.space),
            advice=self._lab.advise(results.choice) if self._lab.advise else None,
            table=table,
            columns=[
                (column, names[column.key]) for column in table.columns if column.key in names
            ],
            size_bar=size_bar,
        )


def link_lesson(key: str, space: str = "so3") -> str:
    """Return a link to a lesson on one body or on two."""
    return f"<a class='lesson' href='?lesson={key}'>Lesson: {escape(list_outlines(space)[key].title)}</a>"


def size_bar(error: float) -> str:
    """Return the part of the bar, from 0 to 1, that shows an error on a logarithmic scale."""
    return f"{min(1.0, max(0.0, 1 - math.log10(abs(error)) / SMALLEST)):.2f}"
