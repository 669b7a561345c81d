"""The ledger: a table of what each method conserved and lost, with a conclusion."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from engine.problems import DT
from engine.text.formatting import format_step

from ...asset_files import render_template
from ...state import Ledger, Results, Table
from ..dialogs.html_block import HtmlBlock
from ..dialogs.terms import add_stop, make_term


def table_html(table: Table, *, on_paper: bool = False, offers_dt: bool = False) -> str:
    """Return the table; the heads explain themselves, except on paper. Buttons may offer a Δt that
    fits more methods.
    """
    heads = [(escape(c.head).replace("\n", " <br>"), c.means) for c in table.columns]
    terms = [text if on_paper else make_term(text, meaning) for text, meaning in heads]
    offers = {
        row.label: (DT.format(row.fitting_dt), format_step(row.fitting_dt))
        for row in table.rows
        if row.fitting_dt is not None and offers_dt
    }
    return add_stop(render_template("ledger-table", table=table, heads=terms, offers=offers))


def panel_html(table: Table, offers_dt: bool = False) -> str:
    """Return the table with its notes and buttons."""
    html = table_html(table, offers_dt=offers_dt)
    return render_template("ledger", table=html, notes=table.notes)


def list_cells(table: Table, digits: bool) -> Iterable[list[str]]:
    """Yield the cells of each line: numbers with all digits, or as shown."""
    yield [
        "method",
        "name",
        "status",
        *(c.head.replace("\n", " ") for c in table.columns),
        "message",
    ]
    for row in table.rows:
        cells = [row.cell(c.key) for c in table.columns]
        yield [
            row.label,
            row.name,
            row.status,
            *((f"{c.value!r}" if c.value is not None else "") if digits else c.text for c in cells),
            row.why,
        ]


def format_tsv(table: Table) -> str:
    """Return the table for a mail or a spreadsheet."""
    lines = ["\t".join(line) for line in list_cells(table, digits=False)]
    return "\n".join([*lines, table.conclusion, ""])


def format_csv(table: Table) -> str:
    """Return the table with all digits."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(list_cells(table, digits=True))
    return text.getvalue()


class LedgerTable:
    """The table, and its conclusion, which is the headline of the views.

    `on_dt` receives the text of a Δt that a button offers; without it, there are no such buttons.
    """

    def __init__(self, ledger: Ledger, on_dt: Callable[[str, bool], Any] | None = None) -> None:
        self._ledger = ledger
        self._offers_dt = on_dt is not None
        self.panel = HtmlBlock(
            (lambda _, text: on_dt(text, False)) if on_dt is not None else None, style="ledger"
        )
        self.verdict = HtmlBlock(style="verdict", margin=0)
        self.conclusion = ""
        self.table: Table

    def show(self, results: Results) -> None:
        """Show results."""
        table = self.table = self._ledger.table(results)
        texts: dict[str, Any] = {"tsv": format_tsv(table), "csv": format_csv(table)}
        self.conclusion = table.conclusion
        whole = f" title='{escape(table.conclusion)}'" if table.conclusion != table.headline else ""
        self.verdict.html = f"<h2{whole}><span>{escape(table.headline)}</span></h2>"
        self.panel.html = panel_html(table, self._offers_dt)
        self.panel.texts = texts
