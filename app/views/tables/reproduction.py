"""The open figure of a paper: its downloads and table, and the paper's claims with their
verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from engine.papers import Drawn, LabSetting, Measured
from engine.text.formatting import format_measured, format_seconds

from ...asset_files import render_template
from ...state import LABS, link
from ...state.pages.paper_gallery import Item, find_choice
from ..plots.plot_head import PICTURES

MANY = 8
"""Largest number of figures of a claim that are all visible at first."""


def format_figure(value: float | str) -> str:
    """Return a figure with six digits, or a whole number with all."""
    if isinstance(value, str):
        return value
    whole = math.isfinite(value) and value == round(value) and abs(value) < 1e9
    return f"{value:,.0f}".replace("-", "−") if whole else format_measured(value, 6)


def describe_computation(drawn: Drawn) -> str:
    """Return what was computed, or how much of it before it was stopped."""
    parts = [(len(drawn.curves), "curve"), (len(drawn.cells), "cell")]
    what = " and ".join(f"{n} {word}{'s' if n != 1 else ''}" for n, word in parts if n)
    if not drawn.finished:
        return f"Stopped after {format_seconds(drawn.seconds)} with {what or 'no curves'}, of {drawn.figure.count}."
    return f"Computed in {format_seconds(drawn.seconds)}: {what}."


def downloads_html(drawn: Drawn) -> str:
    """Return the downloads of a figure, and its table."""
    cells = {(cell.row, cell.column): cell for cell in drawn.cells}
    return render_template(
        "paper-figure",
        drawn=drawn,
        pictures=PICTURES if drawn.curves else (),
        cells=cells,
        format_figure=format_figure,
    )


def claims_html(item: Item, now: Mapping[str, Measured], failed: Mapping[str, str]) -> str:
    """Return what is plotted, and each claim with its recorded verdict and with a new one, if it
    was measured again.
    """
    figure = item.figure
    presets = [preset for lab in LABS.values() for preset in lab.presets]
    return render_template(
        "paper-claims",
        figure=figure,
        place=find_place(figure.setting) if figure else None,
        settings=[
            (p, link(p.choice, view=p.view)) for p in presets if figure and p.figure == figure.key
        ],
        claims=[(m, now.get(m.claim.key), failed.get(m.claim.key)) for m in item.recorded],
        list_figures=list_figures,
        many=MANY,
    )


def find_place(setting: LabSetting) -> tuple[str, str]:
    """Return the link to the lab with a setting, and the name of the page that it opens."""
    choice = find_choice(setting)
    return "?" + urlencode(choice.query(), safe=",()*"), LABS[choice.space].place


def list_figures(recorded: Measured, now: Measured | None) -> list[dict[str, Any]]:
    """Return the figures of a claim as they were recorded and, if it was measured again, as they
    are now.
    """
    claim = recorded.claim
    late = {name: (format_figure(value), holds) for name, value, holds in now.rows()} if now else {}
    figures = []
    for name, value, held in recorded.rows():
        value_now, holds = late.get(name, ("–", held))
        figures.append(
            {
                "name": name,
                "why": claim.why.get(name),
                "wanted": claim.paper.get(name, ""),
                "recorded": format_figure(value),
                "held": held,
                "now": value_now,
                "holds": holds,
            }
        )
    return figures
