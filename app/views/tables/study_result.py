"""A study on its page: its presets, its problem, its conclusion, its rows, and a point of a map."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import urlencode

import pandas as pd

import engine
from engine.studies.core import call_by_names
from engine.text.formatting import show

from ...asset_files import render_template
from ...charts.downsample import spread_evenly
from ...state.pages import study_forms
from ...state.pages.study_forms import StudyQuestion, column_title

MOST_ROWS = 400
"""Most rows of a table on the page; its file has all."""
ERRORS = "attitude", "error"
"""Columns in which an infinite number means that the phase was lost."""


def study_title(question: StudyQuestion) -> str:
    """Return the title of a study with its problem."""
    return f"{question.about.title}: {engine.problem(question.problem).name}"


def presets_html(study: engine.studies.Study) -> str:
    """Return links to settings of a study."""
    presets = {title: urlencode(words) for title, words in study_forms.list_presets(study).items()}
    return render_template("study-presets", presets=presets)


def spot_html(words: str, query: str = "") -> str:
    """Return the run at a point of a map, with a link to it, and buttons for two such points."""
    return render_template("map-spot", words=words, query=query)


def list_rows(result: Any) -> pd.DataFrame:
    """Return the rows of a result, with the names of methods; if it was stopped before there were
    any, those of its chart.
    """
    frame: pd.DataFrame = result.to_frame()
    return call_by_names(frame if len(frame) else result.chart_frame(), result.problem.space)


def format_rows(frame: pd.DataFrame) -> tuple[list[list[str]], str]:
    """Return at most `MOST_ROWS` rows as text, and a sentence if some are left out."""
    shown = frame.iloc[spread_evenly(len(frame), MOST_ROWS)] if len(frame) else frame
    omitted = len(shown) < len(frame)
    sentence = (
        f"{len(shown)} of {len(frame):,} rows, evenly spaced; the CSV has all." if omitted else ""
    )
    names = [str(name) for name in shown.columns]
    return [list(map(_format_cell, row, names)) for row in shown.to_numpy(dtype=object)], sentence


def make_table(frame: Any, title: str) -> dict[str, Any]:
    """Return the rows of a frame as data for the table of a plot."""
    rows, sentence = format_rows(frame)
    return {
        "caption": f"{title}. {sentence}",
        "columns": list(map(column_title, frame.columns)),
        "rows": rows,
    }


def rows_html(result: Any) -> str:
    """Return the rows as a table."""
    frame = list_rows(result)
    rows, sentence = format_rows(frame)
    is_text = [frame[name].map(lambda x: isinstance(x, str)).any() for name in frame.columns]
    columns = list(zip(map(column_title, frame.columns), is_text, strict=True))
    return render_template("study-rows", sentence=sentence, columns=columns, rows=rows)


def _format_cell(value: Any, name: str) -> str:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return "phase lost" if value == math.inf and name in ERRORS else show(value, 4)
    return f"{value:,}" if isinstance(value, int) else str(value)
