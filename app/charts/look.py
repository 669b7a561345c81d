"""How the curves of a chart look, whatever draws them: colours, marks, and what is a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.charts import Axes, Curve

from ..model.results import COLOURS as OF_METHODS

PAPER_COLOUR = "#7A8591"
COLOURS = (*OF_METHODS, "#E69F00", "#56B4E9", PAPER_COLOUR, "#8C6D1F")
"""Okabe and Ito's, with two more for light and dark grounds; where they do not suffice dashes tell them apart."""
MARKS = ("circle", "square", "triangle", "inverted_triangle", "hex", "star")
"""With the colours, so that curves can be told apart without them."""
DASHES = ("solid", "dashed", "dotdash")
OF_PAPER = "diamond"
"""The mark, hollow, of what a paper prints."""
PAPER_LABEL = "as the paper prints"
EDGE_COLOUR = "#FF3B30"
"""Of the line between regions of an image: it stands out from all of its colours."""
NOWHERE_COLOUR = "#9AA3AB"
"""Where an image has no value."""
MANY = 300
"""Points from which on each of them is marked by a smaller mark."""


@dataclass(frozen=True)
class Look:
    """How a curve is drawn."""

    colour: str
    mark: str = MARKS[0]
    dash: str = DASHES[0]


class LineAndMarks(NamedTuple):
    """Whether a curve has a line, and whether it has marks."""

    line: bool
    marks: bool


def parts(curve: Curve, axes: Axes) -> LineAndMarks:
    """What a paper prints is marks, and so is what is counted."""
    counted = bool(axes.x.ticks)
    return LineAndMarks(curve.line and not (counted or curve.paper), curve.marks or counted or curve.paper)


def looks(curves: Sequence[Curve], first: Sequence[str] = ()) -> dict[str, Look]:
    """The look of each curve by its name; curves of a group share a colour, and the groups of `first` have the first.

    What is measured comes before what a paper prints, so that its line is the plainer one.
    """
    groups = {curve.name: curve.group or curve.name for curve in sorted(curves, key=lambda curve: curve.paper)}
    there = dict.fromkeys(curve.group or curve.name for curve in curves)
    place = {group: i for i, group in enumerate(dict.fromkeys([*(g for g in first if g in there), *there]))}
    before: Counter[str] = Counter()
    chosen = {}
    for name, group in groups.items():
        i, again = place[group], before[group]
        dash = DASHES[(i // len(COLOURS) + again) % len(DASHES)]
        chosen[name] = Look(COLOURS[i % len(COLOURS)], MARKS[(i + again) % len(MARKS)], dash)
        before[group] += 1
    return chosen
