"""Charts as data: frames, and the curves and images in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
ZERO = "exactly 0"
"""What a logarithmic axis cannot show, in words."""
BESIDE_SLOPES = 0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.85
"""Where the name of a line may begin, as parts of a frame, beside the triangles of `draw_slopes`.
"""
Frame: TypeAlias = "pd.DataFrame"


@dataclass(frozen=True)
class Axis:
    """The label and the scale of an axis; `ticks` are the names of 0, 1, 2, … on an axis that
    counts things.
    """

    label: str
    log: bool = False
    ticks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Axes:
    """The frame of one plot."""

    x: Axis
    y: Axis
    title: str = ""

    @property
    def name(self) -> str:
        """The title, or else the label of the vertical axis."""
        return self.title or self.y.label


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y), arrays of one length.

    `plot` is the number of its frame. With `marks` each point has a mark, with `line` a line
    connects them; `paper` marks numbers that a paper prints. Curves of one `group` share a colour.
    A curve with values `under` it is a band from these to y.
    """

    name: str
    x: Array
    y: Array
    plot: int = 0
    marks: bool = False
    line: bool = True
    paper: bool = False
    group: str = ""
    under: Array | None = None


class Guide(NamedTuple):
    """Words at the last of some points in a frame, and a thin line through the points.

    An infinite coordinate is an edge of the frame; beside its right edge there may be room for
    words. Words and line have the colour of the curves `of` this name, if any.
    """

    text: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    plot: int = 0
    of: str = ""


@dataclass(frozen=True, eq=False)
class Image:
    """Values over a grid: (n, m) for n places up and m across, evenly spaced on the frame's axes.

    `colours` is the axis of the values, whose colours go from one of the `ends` to the other; NaN
    has no colour. `edges` (k, 4) are line segments between regions, each from x, y to x, y.
    """

    name: str
    x: Array
    y: Array
    values: Array
    colours: Axis
    ends: tuple[float, float]
    edges: Array
    plot: int = 0


class Chart(NamedTuple):
    """Frames with their curves, images and guides; curves of one name belong together."""

    axes: tuple[Axes, ...]
    curves: tuple[Curve, ...]
    images: tuple[Image, ...] = ()
    guides: tuple[Guide, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the curves, each once."""
        return list(dict.fromkeys(curve.name for curve in self.curves))

    def of(self, plot: int) -> tuple[Curve, ...]:
        """Return the curves of one frame."""
        return tuple(curve for curve in self.curves if curve.plot == plot)

    @property
    def shape(self) -> list[tuple[int, str]]:
        """The frame and the name of each curve and image."""
        return [(c.plot, c.name) for c in self.curves] + [(i.plot, i.name) for i in self.images]

    def guides_of(self, plot: int) -> tuple[Guide, ...]:
        """Return the guides of one frame."""
        return tuple(guide for guide in self.guides if guide.plot == plot)

    def image(self, plot: int) -> Image | None:
        """Return the image of one frame, or None."""
        return next((image for image in self.images if image.plot == plot), None)


def bounds(places: Array, log: bool) -> Array:
    """Return where the cells around places begin and end, one more than there are places."""
    at = np.log(places) if log else places
    first, last = (at[1] - at[0], at[-1] - at[-2]) if len(at) > 1 else (1.0, 1.0)
    between = np.concatenate([[at[0] - first / 2], (at[1:] + at[:-1]) / 2, [at[-1] + last / 2]])
    return np.exp(between) if log else between


Plot = tuple[Axes, str, str]
"""A frame, and the columns of its curves."""


def draw_by_method(frame: Frame, plots: Sequence[Plot], line: bool = True) -> Chart:
    """Draw a curve for each method and frame from two columns, without rows that have no number."""
    curves = []
    guides = []
    for plot, (axes, x, y) in enumerate(plots):
        zeros = []
        for method, rows in (
            frame.groupby("method", sort=False) if {"method", x, y} <= set(frame.columns) else ()
        ):
            points = rows[[x, y]].astype(float).to_numpy()
            shown = np.isfinite(points).all(axis=1)
            for axis, values in zip((axes.x, axes.y), points.T, strict=True):
                shown &= (values > 0) | (not axis.log)
            curves.append(
                Curve(str(method), points[shown, 0], points[shown, 1], plot, marks=True, line=line)
            )
            if axes.y.log and len(points) and not points[:, 1].any():
                zeros.append(str(method))
        if zeros:
            guides.append(Guide(f"{', '.join(zeros)}: {ZERO}", (-math.inf,), (-math.inf,), plot))
    return Chart(tuple(axes for axes, *_ in plots), tuple(curves), (), tuple(guides))


def draw_floor(chart: Chart, plot: int, floor: float) -> tuple[Guide, Guide]:
    """Draw roundoff as a line across a logarithmic frame, with its name above it, where the fewest
    points are.
    """
    with np.errstate(divide="ignore"):  # errors may be zero
        x, y = (
            np.log10(np.concatenate([getattr(c, n) for c in chart.of(plot)] or [np.ones(1)]))
            for n in "xy"
        )
    low = math.log10(floor)
    left = x.min()
    wide = np.ptp(x) or 1.0
    span = max(1.0, np.ptp([low, *y[np.isfinite(y)]]))
    near = (x[(y > low + 0.01 * span) & (y < low + 0.14 * span)] - left) / wide
    start = min(BESIDE_SLOPES, key=lambda at: np.sum((near > at - 0.02) & (near < at + 0.17)))
    # Words at the right end of a frame end there.
    name = 10.0 ** (left + (start if start < 0.8 else 1.0) * wide), floor * 10.0 ** (0.02 * span)
    return Guide("", (-math.inf, math.inf), (floor, floor), plot), Guide(
        "roundoff", name[:1], name[1:], plot
    )


SLOPES = (1, 2, 4)
"""The slopes of the triangles in a chart."""


def draw_slopes(chart: Chart) -> list[Guide]:
    """Draw a triangle of each slope in the lower right corner of each frame whose axes are
    logarithmic.
    """
    guides = []
    for plot, axes in enumerate(chart.axes):
        x, y = (
            np.concatenate([getattr(c, name) for c in chart.of(plot)] or [np.zeros(0)])
            for name in "xy"
        )
        if axes.x.log and axes.y.log and len(x) and x.max() > 2 * x.min():
            low = float(y.min())
            wide = x.max() / x.min()
            right = float(x.max() * wide**-0.25)
            ratio = min(wide**0.35, (y.max() / low) ** (0.8 / max(SLOPES)))
            for slope in SLOPES:
                tip = low * ratio**slope
                places = (right, right / ratio, right, right), (tip, low, low, tip)
                guides.append(Guide(f"slope {slope}", *places, plot))
    return guides
