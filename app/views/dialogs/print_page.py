"""The page for paper: the setting, the plots, the table, and a link, also as a QR code."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from urllib.parse import urlsplit

from engine.text.formatting import format_step, show

from ...asset_files import render_template
from ...state import Results, Table, format_value, list_parameters, polhode_version
from ..tables.ledger_table import table_html

PLOT = (430, 214)
"""Width and height of a plot, in its own units."""
LONGEST = 300
"""Characters of an address before its query."""


def write_page(results: Results, plots: Sequence[str], table: Table | None, link: str) -> str:
    """Return the page as HTML, with a place for the picture in space, which the browser draws.

    Parameters
    ----------
    plots : drawings, as SVG.
    table : the ledger, unless a lesson hides it.
    link : the whole address; its QR code stands beside it, if one can hold it.
    """
    return render_template(
        "print",
        title=results.problem.name,
        settings=list_settings(results),
        plots=plots,
        table=table,
        ledger=table_html(table, on_paper=True) if table is not None else "",
        link=link,
        is_local=is_local(link),
        made=f"Polhode {polhode_version()} · {date.today():%d %B %Y}",
        qr_code=draw_qr_code(link),
    )


def list_settings(results: Results) -> list[tuple[str, str]]:
    """Return the choice and the problem's parameters, under the names of their fields."""
    choice = results.choice
    problem = results.problem
    methods = [f"{name} ({label})" for label, name in choice.names.items()]
    settings = [("Methods", ", ".join(methods))]
    settings += [("Δt", format_step(choice.dt)), ("Duration", show(choice.duration))]
    own = [p for p in list_parameters(problem).values() if p.matters(problem.values)]
    return settings + [(p.title, format_value(p, problem.value(p.name), show)) for p in own]


def draw_qr_code(link: str) -> str:
    """Return the QR code of a link as SVG, or an empty text if the link is too long."""
    import segno

    try:
        code = segno.make(link, error="l", micro=False)
    except segno.DataOverflowError:
        return ""
    return code.svg_inline(border=2, omitsize=True, title="The link as a QR code")


def is_local(link: str) -> bool:
    """Whether a link works on this computer only."""
    host = urlsplit(link).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def clean_address(text: str) -> str:
    """Return a page's address from its browser, up to the query, or an empty text if it is no web
    address.
    """
    parts = urlsplit(text) if len(text) <= LONGEST and text.isprintable() else None
    return (
        text if parts is not None and parts.scheme in ("http", "https") and not parts.query else ""
    )
