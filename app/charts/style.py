"""The look of a chart's curves: colours, marks, dashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.studies.core import Axes, Curve

from ..state.results import COLOURS as OF_METHODS
from ..state.results import EXACT_COLOUR, EXACT_LABEL

PAPER_COLOUR = "#7A8591"
COLOURS = (*OF_METHODS, "#E69F00", "#56B4E9", PAPER_COLOUR, "#8C6D1F")
"""Okabe and Ito's colours and two more, for light and dark backgrounds; dashes distinguish further
curves.
"""
MARKS = ("circle", "square", "triangle", "inverted_triangle", "hex", "star")
"""Marks, so that curves can be distinguished without colours."""
DASHES = ("", "7 4", "2 4 7 4", "2 3")
"""Dashes of lines: the lengths of strokes and gaps in pixels, for Bokeh and SVG alike; the first is
a whole line.
"""
OF_PAPER = "diamond"
"""The hollow mark of a value that a paper prints."""
PAPER_LABEL = "as the paper prints"
EDGE_COLOUR = "#FF3B30"
"""The colour of edges in an image, which differs from all colours of the image."""
NOWHERE_COLOUR = "#9AA3AB"
"""The colour of cells without a value."""
BAND = 0.18
"""The opacity of a band, through which curves stay visible."""
MANY = 300
"""Number of points beyond which the marks are smaller."""
WIDTHS = (2.6, 2.1, 1.6, 1.1)
"""Widths of the methods' curves, so that all of them are visible where they coincide."""
EXACT_WIDTH = 5.0
EXACT_OPACITY = 0.45
BAND_OPACITY = 0.5
"""Of a curve that fills a band, so that it does not hide the others."""


@dataclass(frozen=True)
class Look:
    """The look of a curve."""

    colour: str
    mark: str = MARKS[0]
    dash: str = DASHES[0]


class LineAndMarks(NamedTuple):
    """Whether a curve has a line, and whether it has marks."""

    line: bool
    marks: bool


def choose_parts(curve: Curve, axes: Axes) -> LineAndMarks:
    """The parts of a curve; values that a paper prints, and values on an axis that counts things,
    are marks only.
    """
    counted = bool(axes.x.ticks)
    return LineAndMarks(
        curve.line and not (counted or curve.paper), curve.marks or counted or curve.paper
    )


def choose_looks(curves: Sequence[Curve], first: Sequence[str] = ()) -> dict[str, Look]:
    """The look of each curve by its name; curves of a group share a colour, and the groups of
    `first` get the first.

    Measured curves come before printed ones, so that they get the plainer lines.
    """
    groups = {
        curve.name: curve.group or curve.name
        for curve in sorted(curves, key=lambda curve: curve.paper)
    }
    there = dict.fromkeys(curve.group or curve.name for curve in curves)
    bands = {curve.name for curve in curves if curve.under is not None}
    place = {
        group: i
        for i, group in enumerate(dict.fromkeys([*(g for g in first if g in there), *there]))
    }
    before: Counter[str] = Counter()
    chosen = {}
    for name, group in groups.items():
        i = place[group]
        again = before[group]
        dash = DASHES[(i // len(COLOURS) + again) % len(DASHES)]
        chosen[name] = Look(COLOURS[i % len(COLOURS)], MARKS[(i + again) % len(MARKS)], dash)
        before[group] += name not in bands
    return chosen


@dataclass(frozen=True)
class CurveLook:
    """The look of a curve against time; without `opacity` it is translucent if it fills a band."""

    width: float
    dash: str = DASHES[0]
    label: str = ""
    colour: str = ""
    opacity: float | None = None

    def describe(self, dashed: bool) -> dict[str, Any]:
        """Return the look for the browser, with or without dashes."""
        dash = [int(length) for length in self.dash.split()] if dashed else []
        look = {"width": self.width, "dash": dash, "opacity": self.opacity}
        return look | ({"label": self.label, "colour": self.colour} if self.label else {})


LOOKS = (
    CurveLook(EXACT_WIDTH, label=EXACT_LABEL, colour=EXACT_COLOUR, opacity=EXACT_OPACITY),
    *(CurveLook(width, dash) for width, dash in zip(WIDTHS, DASHES, strict=True)),
)
"""The looks of the exact motion, which is below the others, and of the methods."""
