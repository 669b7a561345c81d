"""A study on its page: its presets, its problem, its conclusion, its rows, and a point of a map."""

from __future__ import annotations

import math
from html import escape
from typing import Any
from urllib.parse import urlencode

import pandas as pd

import engine
from engine.text.formatting import show

from ...charts.downsample import spread_evenly
from ...state.topics import study_forms
from ...state.topics.study_forms import StudyQuestion, column_title

MOST_ROWS = 400
"""Most rows of a table on the page; its file has all."""
ERRORS = "attitude", "error"
"""Columns in which an infinite number means that the phase was lost."""


def study_title(question: StudyQuestion) -> str:
    """Return the title of a study with its problem."""
    return f"{question.about.title}: {engine.problem(question.problem).name}"


def presets_html(study: engine.studies.Study) -> str:
    """Return links to settings of a study."""
    links = "".join(
        f"<li><a href='?{escape(urlencode(words))}'>{escape(title)}</a></li>"
        for title, words in study_forms.list_presets(study).items()
    )
    return f"<ul class='presets'>{links}</ul>" if links else ""


def changes_html(question: StudyQuestion) -> str:
    """Return the changed parameters of the problem, and a button that resets them."""
    changes = "; ".join(question.list_changes())
    button = "<button id='as-named' data-ask='as-named'>Reset the problem</button>"
    return f"<div class='about'>With {escape(changes)}.{button}</div>" if changes else ""


def conclusion_html(result: Any) -> str:
    """Return the conclusion of a study, what it leaves out, and downloads."""
    omitted = " ".join(f"{label}: {reason}." for label, reason in result.left_out.items())
    return (
        f"<div class='found'><p>{escape(result.conclusion)}</p>"
        + (f"<p class='quiet'>Left out: {escape(omitted)}</p>" if omitted else "")
        + "<div class='row'><button id='study-link' data-copy='link' data-absolute>Copy link</button>"
        "<button id='study-python' data-copy='snippet'>Copy Python</button>"
        "<button id='study-csv' data-ask='csv'>Download rows (CSV)</button></div></div>"
    )


def spot_html(words: str, query: str = "") -> str:
    """Return the run at a point of a map, with a link to it, and buttons for two such points."""
    link = f" <a href='{escape(query)}'>Open in the lab</a>" if query else ""
    return (
        f"<div class='found'><p role='status'>{escape(words) or 'Click the map to see one of its runs.'}{link}</p>"
        "<div class='row'><button id='largest' data-ask='largest'>Find the largest value</button>"
        "<button id='least' data-ask='least'>Find the smallest value</button></div></div>"
    )


def list_rows(result: Any) -> pd.DataFrame:
    """Return the rows of a result; if it was stopped before there were any, those of its chart."""
    frame: pd.DataFrame = result.to_frame()
    return frame if len(frame) else result.chart_frame()


def format_rows(frame: pd.DataFrame) -> tuple[list[list[str]], str]:
    """Return at most `MOST_ROWS` rows as text, and a sentence if some are left out."""
    shown = frame.iloc[spread_evenly(len(frame), MOST_ROWS)] if len(frame) else frame
    omitted = len(shown) < len(frame)
    sentence = f"{len(shown)} of {len(frame):,} rows, evenly spaced; the CSV has all." if omitted else ""
    names = [str(name) for name in shown.columns]
    return [list(map(_format_cell, row, names)) for row in shown.to_numpy(dtype=object)], sentence


def make_table(result: Any, title: str) -> dict[str, Any]:
    """Return the rows as data for the table of a plot."""
    frame = list_rows(result)
    rows, sentence = format_rows(frame)
    return {"caption": f"{title}. {sentence}", "columns": list(map(column_title, frame.columns)), "rows": rows}


def rows_html(result: Any) -> str:
    """Return the rows as a table."""
    frame = list_rows(result)
    rows, sentence = format_rows(frame)
    words = [frame[name].map(lambda x: isinstance(x, str)).any() for name in frame.columns]
    kinds = [" class='words'" if text else "" for text in words]
    heads, *body = (
        "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True))
        for row in [list(map(column_title, frame.columns)), *rows]
    )
    heads = heads.replace("<td", "<th scope='col'").replace("</td>", "</th>")
    note = f"<p class='quiet'>{sentence}</p>" if sentence else ""
    return (
        f"<div class='found'>{note}"
        "<div class='rows' id='rows' tabindex='0' role='region' aria-label='Rows'><table>"
        f"<thead><tr>{heads}</tr></thead><tbody><tr>{'</tr><tr>'.join(body)}</tr></tbody></table></div></div>"
    )


def _format_cell(value: Any, name: str) -> str:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return "phase lost" if value == math.inf and name in ERRORS else show(value, 4)
    return f"{value:,}" if isinstance(value, int) else str(value)
