"""The lab's plots as a chart with every stored value, for notebooks and for paper; the words in the
plots.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from engine.parameters.validation import Array
from engine.studies.core import Axes, Axis, Chart, Curve, Guide, describe_trend

from ..state import EXACT_COLOUR, EXACT_LABEL, LABS, Quantity, Results, roundoff
from ..state.quantities import Curve as TimeCurve
from .style import DASHES, Look


def build_chart(results: Results, group: str, vector: str, log: bool, relative: bool) -> Chart:
    """A chart with a frame for each quantity of a group; `vector` is Ω or Π.

    Raises
    ------
    ValueError
        If there is no such group or vector.
    """
    groups = LABS[results.choice.space].groups
    if group not in groups:
        raise ValueError(f"there is no group {group!r}; there are {', '.join(groups)}")
    if vector not in ("Ω", "Π"):
        raise ValueError(f"the motion is that of Ω or of Π, not of {vector!r}")
    axes = []
    curves = []
    guides = []
    for plot, quantity in enumerate(groups[group].quantities(results, vector)):
        logarithmic = log and quantity.error
        axes.append(
            Axes(Axis("t"), Axis(quantity.formula(log, relative), logarithmic), quantity.title)
        )
        found = {line.name: quantity.values(line, relative) for line in results.runs} | {
            EXACT_LABEL: quantity.exact
        }
        curves += [
            Curve(label, drawn[0], np.abs(drawn[1]) if logarithmic else drawn[1], plot)
            for label, drawn in found.items()
            if drawn is not None
        ]
        guides += [
            guide._replace(plot=plot)
            for guide in find_guides(results, quantity, found, log, relative)
        ]
    return Chart(tuple(axes), tuple(curves), (), tuple(guides))


class Trend(NamedTuple):
    """A curve of a deviation, with the roundoff that may accumulate in it."""

    label: str
    t: Array
    y: Array
    floor: float


def name_trends(trends: Sequence[Trend], log: bool) -> list[Guide]:
    """The drift or amplitude of each curve, and roundoff, which at most one label names.

    If one curve is at roundoff, that is its label. If several are, it is the label of the line at
    roundoff or, on a linear axis, which has no such line, of the first curve.
    """
    guides = [
        Guide(describe_trend(t, y, floor), (math.inf,), (float(y[-1]),), 0, label)
        for label, t, y, floor in trends
    ]
    there = [guide for guide in guides if guide.text == "roundoff"]
    if len(there) > 1:
        without_label = there if log else there[1:]
        guides = [guide for guide in guides if guide not in without_label]
    if log and trends:
        text = "" if len(there) == 1 else "roundoff"
        guides.append(Guide(text, (-math.inf, math.inf), (trends[-1].floor,) * 2))
    return guides


def find_guides(
    results: Results,
    quantity: Quantity,
    curves: Mapping[str, TimeCurve | None],
    log: bool,
    relative: bool,
) -> list[Guide]:
    """The words on the curves of a deviation, and the horizon of the exact motion."""
    exact = results.exact
    whole = 1.0 if relative else quantity.whole or 1.0
    trends = []
    for line in results.runs if quantity.error else ():
        curve = curves[line.name]
        if curve is not None and len(curve[0]) and np.isfinite(curve[1][-1]):
            trends.append(Trend(line.name, *curve, roundoff(line.run) * whole))
    guides = name_trends(trends, log)
    if exact is not None and quantity.against_exact and exact.horizon < exact.t[-1]:
        guides.append(
            Guide("horizon of the exact motion", (exact.horizon,) * 2, (-math.inf, math.inf))
        )
    return guides


def method_looks(results: Results) -> dict[str, Look]:
    """The looks of the methods, in their colours of the page, and of the exact motion."""
    return {line.name: Look(line.colour) for line in results.lines} | {
        EXACT_LABEL: Look(EXACT_COLOUR, dash=DASHES[1])
    }
