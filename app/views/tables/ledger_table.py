"""The ledger: a table of what each method conserved and lost, with a conclusion."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from html import escape
from typing import Any

from ...asset_files import render_template
from ...state import Ledger, Results, Table
from ..dialogs.html_block import HtmlBlock
from ..dialogs.terms import add_stop, make_term


def table_html(table: Table, has_meanings: bool = True) -> str:
    """Return the table; the heads explain themselves, except on paper."""
    heads = [(escape(c.head).replace("\n", " <br>"), c.means) for c in table.columns]
    terms = [make_term(text, meaning) if has_meanings else text for text, meaning in heads]
    return add_stop(render_template("ledger-table", table=table, heads=terms))


def panel_html(table: Table) -> str:
    """Return the table with its notes and buttons."""
    return render_template("ledger", table=table_html(table), notes=table.notes)


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
    """The table, and its conclusion, which is the headline of the views."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.panel = HtmlBlock(style="ledger")
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
        self.panel.html = panel_html(table)
        self.panel.texts = texts
