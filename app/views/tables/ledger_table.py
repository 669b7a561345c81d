"""The ledger: a table of what each method conserved and lost, with a conclusion."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ...asset_files import read_html
from ...state import Ledger, LedgerCell, LedgerColumn, LedgerRow, Results, Table
from ..dialogs.sheet import Sheet
from ..dialogs.terms import add_stop, make_term


def table_html(table: Table, has_meanings: bool = True) -> str:
    """Return the table; the heads explain themselves, except on paper."""
    heads = [(escape(c.head).replace("\n", "<br>"), c.means) for c in table.columns]
    terms = (make_term(text, meaning) if has_meanings else text for text, meaning in heads)
    head = add_stop("".join(f"<th scope='col'>{text}</th>" for text in terms))
    return (
        "<table><caption class='unseen'>What each method conserved and lost; a star marks the best of a column"
        "</caption>"
        f"<thead><tr><th scope='col'>Method<br>and status</th>{head}</tr></thead>"
        f"<tbody>{''.join(row_html(row, table.columns) for row in table.rows)}</tbody></table>"
    )


def panel_html(table: Table) -> str:
    """Return the table with its notes and buttons."""
    small = f"<small class='quiet'>{escape(' '.join(table.notes))}</small>" if table.notes else ""
    return read_html("ledger", TABLE=table_html(table), NOTES=small)


def row_html(row: LedgerRow, heads: Sequence[LedgerColumn]) -> str:
    """Return a method's row, and below it how its run ended."""
    name = (
        f"<th scope='row' title='{escape(row.label, True)}'><i class='dot' style='background:{row.colour}'></i>"
        f"{escape(row.label)}"
        f"<small>{escape(row.status)}</small></th>"
    )
    if row.cells or not row.why:
        body = "".join(cell_html(row.cell(c.key)) for c in heads)
        why = f"<td colspan='{len(heads) + 1}' class='quiet'>{escape(row.why)}</td>"
        return f"<tr>{name}{body}</tr>" + (f"<tr class='why'>{why}</tr>" if row.why else "")
    return f"<tr>{name}<td class='instead' colspan='{len(heads)}'>{escape(row.why)}</td></tr>"


def cell_html(cell: LedgerCell) -> str:
    """Return a number; the best has a star, and a word for screen readers."""
    about = f" title='{escape(cell.about, True)}'" if cell.about else ""
    text = f"<b>{cell.text}</b>" if cell.exact else escape(cell.text)
    if cell.best:
        return f"<td class='best'{about}><span>{text}</span><i class='unseen'> (best)</i></td>"
    return f"<td{about}>{text}</td>"


def list_cells(table: Table, digits: bool) -> Iterable[list[str]]:
    """Yield the cells of each line: numbers with all digits, or as shown."""
    yield ["method", "status", *(c.head.replace("\n", " ") for c in table.columns), "message"]
    for row in table.rows:
        cells = [row.cell(c.key) for c in table.columns]
        yield [
            row.label,
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
        self.panel = Sheet(style="ledger")
        self.verdict = Sheet(style="verdict", margin=0)
        self.conclusion = ""
        self.table: Table

    def show(self, results: Results) -> None:
        """Show results."""
        table = self.table = self._ledger.table(results)
        texts: dict[str, Any] = {"tsv": format_tsv(table), "csv": format_csv(table)}
        self.conclusion = table.conclusion
        self.verdict.html = f"<h2 title='{escape(table.conclusion)}'><span>{escape(table.headline)}</span></h2>"
        self.panel.html, self.panel.texts = panel_html(table), texts
