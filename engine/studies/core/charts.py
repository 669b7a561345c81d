"""Charts as data: frames, and the curves and images in them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
ZERO = "exactly 0"
"""What a logarithmic axis cannot show, in words."""
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
    A curve with values `under` it is a band from these to y. One that is `timed` depends on the
    machine, and differs each time.
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
    timed: bool = False


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
    """Frames with their curves, images and guides; curves of one name belong together.

    `notes` has words beside the names of curves in a legend.
    """

    axes: tuple[Axes, ...]
    curves: tuple[Curve, ...]
    images: tuple[Image, ...] = ()
    guides: tuple[Guide, ...] = ()
    notes: Mapping[str, str] = MappingProxyType({})

    @property
    def names(self) -> list[str]:
        """The names of the curves, each once."""
        return list(dict.fromkeys(curve.name for curve in self.curves))

    def with_notes(self) -> Chart:
        """Return the chart with the notes in the names of its curves."""
        names = {name: f"{name}: {note}" for name, note in self.notes.items()}
        curves = (replace(curve, name=names.get(curve.name, curve.name)) for curve in self.curves)
        guides = (guide._replace(of=names.get(guide.of, guide.of)) for guide in self.guides)
        return self._replace(curves=tuple(curves), guides=tuple(guides))

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

    def with_guides(self, *guides: Guide) -> Chart:
        """Return the chart with more guides."""
        return self._replace(guides=(*self.guides, *guides))

    def image(self, plot: int) -> Image | None:
        """Return the image of one frame, or None."""
        return next((image for image in self.images if image.plot == plot), None)


def bounds(places: Array, log: bool) -> Array:
    """Return where the cells around places begin and end, one more than there are places."""
    at = np.log(places) if log else places
    first, last = (at[1] - at[0], at[-1] - at[-2]) if len(at) > 1 else (1.0, 1.0)
    between = np.concatenate([[at[0] - first / 2], (at[1:] + at[:-1]) / 2, [at[-1] + last / 2]])
    return np.exp(between) if log else between


def find_span(axis: Axis, drawn: Sequence[Any]) -> tuple[float, float]:
    """Return the ends of an axis, with a margin on both sides."""
    if axis.ticks:
        return -0.6, len(axis.ticks) - 0.4
    values = np.concatenate([np.zeros(0), *(clip_to_axis(axis, curve) for curve in drawn)])
    values = values[np.isfinite(values)]
    if not len(values):
        return (0.1, 1.0) if axis.log else (0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if axis.log:
        room = max((high / low) ** 0.06, 1.2)
        return low / room, high * room
    room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - room, high + room


def clip_to_axis(axis: Axis, values: ArrayLike) -> Array:
    """Return values on an axis; a logarithmic one shows no zeros."""
    found = np.asarray(values, float)
    return np.where(found > 0, found, np.nan) if axis.log else found


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
