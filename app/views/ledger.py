"""The ledger: what each method kept and lost, in one table, with a sentence that says it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ..model.ledger import Ledger, LedgerCell, LedgerColumn, LedgerRow, Table
from ..model.results import Results
from .sheet import Sheet
from .terms import term


def table_html(table: Table, explained: bool = True) -> str:
    """The table; what stands in its head is `explained` where one can point at it."""
    heads = [(escape(c.head).replace("\n", "<br>"), c.means) for c in table.columns]
    head = "".join(f"<th scope='col'>{term(text, means) if explained else text}</th>" for text, means in heads)
    return (
        "<table><caption class='unseen'>What each method kept and lost; a star marks the best of a column</caption>"
        f"<thead><tr><th scope='col'>Method<br>and status</th>{head}</tr></thead>"
        f"<tbody>{''.join(row_html(row, table.columns) for row in table.rows)}</tbody></table>"
    )


def as_html(table: Table) -> str:
    """The table, what follows from it, and the buttons."""
    small = f"<small class='quiet'>{escape(' '.join(table.notes))}</small>" if table.notes else ""
    return (
        "<div class='ledger sideways' id='ledger' role='region' aria-label='Ledger' tabindex='0'>"
        f"{table_html(table)}</div>"
        f"<div class='foot'><p>{small}</p>"
        "<button id='ledger-copy' data-copy='tsv' title='Copy the table, with tabs between the numbers'>Copy</button>"
        "<button id='ledger-csv' data-save='csv' data-file='ledger.csv' title='With all digits'>CSV</button>"
        "</div>"
    )


def row_html(row: LedgerRow, heads: Sequence[LedgerColumn]) -> str:
    """A method's row, and below it the sentence on how it ended."""
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
    """A number; the best has a star, and a word for who does not see it."""
    about = f" title='{escape(cell.about, True)}'" if cell.about else ""
    text = f"<b>{cell.text}</b>" if cell.exact else escape(cell.text)
    if cell.best:
        return f"<td class='best'{about}><span>{text}</span><i class='unseen'> (best)</i></td>"
    return f"<td{about}>{text}</td>"


def as_lines(table: Table, digits: bool) -> Iterable[list[str]]:
    """The table as lines of cells: numbers with all digits, or as they are shown."""
    yield ["method", "status", *(c.head.replace("\n", " ") for c in table.columns), "message"]
    for row in table.rows:
        shown = [row.cell(c.key) for c in table.columns]
        yield [
            row.label,
            row.status,
            *((f"{c.value!r}" if c.value is not None else "") if digits else c.text for c in shown),
            row.why,
        ]


def as_tsv(table: Table) -> str:
    """As it is copied into a mail or a spreadsheet."""
    lines = ["\t".join(line) for line in as_lines(table, digits=False)]
    return "\n".join([*lines, table.conclusion, ""])


def as_csv(table: Table) -> str:
    """As it is saved, with every digit."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(as_lines(table, digits=True))
    return text.getvalue()


class LedgerView:
    """What each method kept and lost: the table, and what follows from it, which stands above all."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.panel = Sheet(style="ledger")
        self.verdict = Sheet(style="verdict", margin=0)
        self.conclusion = ""

    def show(self, results: Results) -> None:
        """Put other results into the table."""
        table = self._ledger.table(results)
        texts: dict[str, Any] = {"tsv": as_tsv(table), "csv": as_csv(table)}
        self.conclusion = table.conclusion
        self.verdict.html = f"<h2>{escape(table.conclusion)}</h2>"
        self.panel.param.update(html=as_html(table), texts=texts)
