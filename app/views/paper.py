"""One page of paper: the setting, the plots, the table, and a link that leads to it again, also for a telephone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from html import escape
from urllib.parse import urlsplit

from engine.problems.problem import DT, DURATION

from ..model.entries import said
from ..model.ledger import Table
from ..model.results import Results
from ..model.session import asked_of
from ..takeaway import polhode_version
from .ledger import table_html

PLOT = (430, 214)
"""Width and height of a plot, in its own units."""
LONGEST = 300
"""Characters of an address before its query."""


def paper(results: Results, plots: Sequence[str], table: Table | None, link: str) -> str:
    """The page as HTML, with a place for the picture in space, which a browser draws.

    plots : drawings, as SVG.
    table : what each method kept and lost, if that is to be told.
    link : the whole address; a code of squares stands beside it, if there is room for it in one.
    """
    problem = results.problem
    verdict = f"<p class='verdict'>{escape(table.conclusion)}</p>" if table is not None else ""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in setting(results))
    ledger = f"<div class='ledger'>{table_html(table, explained=False)}</div>" if table is not None else ""
    notes = f"<p class='notes'>{escape(' '.join(table.notes))}</p>" if table is not None and table.notes else ""
    drawn = "".join(f"<div>{drawing}</div>" for drawing in plots)
    made = f"Polhode {escape(polhode_version())} · {date.today():%d %B %Y}"
    return (
        f"<header><h1>{escape(problem.name)}</h1>{verdict}</header>"
        f"<div class='both'><div class='scene'></div><dl>{rows}</dl></div>"
        f"<div class='plots'>{drawn}</div>{ledger}{notes}"
        f"<footer><p>{escape(link)}<br><b>{made}</b></p>{squares(link)}</footer>"
    )


def setting(results: Results) -> list[tuple[str, str]]:
    """What was chosen, and the problem's own numbers, as its fields have them."""
    choice, problem = results.choice, results.problem
    told = [("Methods", ", ".join(choice.methods))]
    told += [("Δt", DT.written(choice.dt)), ("Duration", DURATION.written(choice.duration))]
    own = [p for p in asked_of(problem).values() if p.matters(problem.values)]
    return told + [(p.title, said(p, problem.value(p.name))) for p in own]


def squares(link: str) -> str:
    """The code of squares of a link, as SVG; none if that is more than it can hold."""
    import segno

    try:
        code = segno.make(link, error="l", micro=False)
    except segno.DataOverflowError:
        return ""
    drawn: str = code.svg_inline(border=2, omitsize=True, title="The link as a code of squares")
    return drawn


def address(text: str) -> str:
    """Where a page is, as its browser tells it, up to the query; nothing if it is no such place."""
    parts = urlsplit(text) if len(text) <= LONGEST and text.isprintable() else None
    return text if parts is not None and parts.scheme in ("http", "https") and not parts.query else ""
