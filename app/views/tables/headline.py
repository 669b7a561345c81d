"""The sentence above the views, with a small ledger, and ways to a striking example and to a lesson."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

from ...state import LedgerCell, Results, Subject, Table
from ...state.lessons import titles
from ...state.narration import narrate
from ..dialogs.sheet import Sheet
from ..dialogs.terms import explain_terms

BRIEF = {
    "energy": "energy",
    "momentum": "momentum",
    "linear": "linear momentum",
    "angular": "angular momentum",
    "attitude": "attitude",
}
"""The columns of the small ledger, by their keys in the ledger."""
SMALLEST = -12
"""The power of ten of the error whose bar is empty; the bar of 1 is full."""


class Headline(Sheet):
    """What the body does in these results; `on_showcase` is called by the button."""

    def __init__(self, subject: Subject, on_showcase: Callable[[], Any]) -> None:
        super().__init__(lambda *_: on_showcase(), style="narration", margin=0)
        showcase = next((preset for preset in subject.presets if preset.key == subject.showcase), None)
        self._showcase = showcase.choice if showcase is not None else None
        self._ways = f"<button id='flip' data-ask='flip'>{escape(subject.invitation)}</button>"
        self._ways += link_lesson(subject.lesson, subject.space)

    def show_results(self, results: Results, table: Table, leads: bool = True) -> None:
        """Describe these results, of which the ledger is given; `leads` if the example and the lesson are of use."""
        leads = leads and self._showcase not in (None, results.choice)
        leads = leads and results.is_free == (results.choice.space == "so3")  # the example of one body is free
        words = f"<div><p>{explain_terms(narrate(results))}</p>{self._ways * leads}</div>"
        self.html = f"<div class='seen'>{words}{brief_html(table)}</div>"


def link_lesson(key: str, space: str = "so3") -> str:
    """Return a link to a lesson on one body or on two."""
    return f"<a class='lesson' href='?lesson={key}'>Lesson: {escape(titles(space)[key])}</a>"


def brief_html(table: Table) -> str:
    """Return the small ledger: a row for each method, with ticks and bars."""
    columns = [column for column in table.columns if column.key in BRIEF]
    heads = "".join(f"<th scope='col' title='{escape(c.means, True)}'>{BRIEF[c.key]}</th>" for c in columns)
    rows = ""
    for row in table.rows:
        cells = "".join(cell_html(row.cell(column.key)) for column in columns)
        if not row.cells:
            cells = f"<td colspan='{len(columns)}'>{escape(row.status)}</td>"
        name = f"<i class='dot' style='background:{row.colour}'></i>{escape(row.label)}"
        rows += f"<tr><th scope='row' title='{escape(row.label, True)}'>{name}</th>{cells}</tr>"
    caption = (
        "<caption class='unseen'>What each method keeps to roundoff (✓), and how far it is off otherwise</caption>"
    )
    return f"<table>{caption}<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def cell_html(cell: LedgerCell) -> str:
    """Return a tick for what is kept to roundoff, and otherwise the error with a bar on a logarithmic scale."""
    about = f" title='{escape(cell.about, True)}'" if cell.about else ""
    if cell.exact or not cell.value:
        return f"<td{about}>{'✓' if cell.exact else escape(cell.text)}</td>"
    size = min(1.0, max(0.0, 1 - math.log10(abs(cell.value)) / SMALLEST))
    return f"<td{about}><i style='--size:{size:.2f}'></i>{escape(cell.text)}</td>"
