"""Charts as data: frames, and the curves in them. What draws them is elsewhere; nothing here knows of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """What an axis shows; `ticks` names 0, 1, 2, … where it counts things."""

    label: str
    log: bool = False
    ticks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Axes:
    """The frame of one plot; without a title it is called by what it shows."""

    x: Axis
    y: Axis
    title: str = ""

    @property
    def name(self) -> str:
        """What tells it from the chart's other frames."""
        return self.title or self.y.label


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y), arrays of one length.

    `plot` counts the chart's frames; `marks` tells that each point is marked, `line` that a line goes through them,
    `paper` that a paper prints these numbers. Curves of one `group` are about the same, and share a colour.
    """

    name: str
    x: Array
    y: Array
    plot: int = 0
    marks: bool = False
    line: bool = True
    paper: bool = False
    group: str = ""


@dataclass(frozen=True, eq=False)
class Image:
    """Values over a grid: (n, m) for n places up and m across, which lie evenly on the frame's axes.

    `colours` is the axis of the values, whose colours go from one of the `ends` to the other; where they are NaN
    there is none. `edges` are the line segments between regions, (k, 4), each from x, y to x, y.
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
    """Frames, and the curves and images in them; curves of one name belong together."""

    axes: tuple[Axes, ...]
    curves: tuple[Curve, ...]
    images: tuple[Image, ...] = ()

    @property
    def names(self) -> list[str]:
        """Of the curves, each once."""
        return list(dict.fromkeys(curve.name for curve in self.curves))

    def of(self, plot: int) -> tuple[Curve, ...]:
        """The curves of one frame."""
        return tuple(curve for curve in self.curves if curve.plot == plot)

    @property
    def shape(self) -> list[tuple[int, str]]:
        """Of each curve and image its frame and its name."""
        return [(c.plot, c.name) for c in self.curves] + [(i.plot, i.name) for i in self.images]

    def image(self, plot: int) -> Image | None:
        """The image of one frame, if it has one."""
        return next((image for image in self.images if image.plot == plot), None)


def bounds(places: Array, log: bool) -> Array:
    """Where the cells around places begin and end, one more than there are places."""
    at = np.log(places) if log else places
    first, last = (at[1] - at[0], at[-1] - at[-2]) if len(at) > 1 else (1.0, 1.0)
    found = np.concatenate([[at[0] - first / 2], (at[1:] + at[:-1]) / 2, [at[-1] + last / 2]])
    return np.exp(found) if log else found


def by_method(
    frame: pd.DataFrame, axes: Sequence[Axes], columns: Sequence[tuple[str, str]], line: bool = True
) -> Chart:
    """A chart with a curve for each method and frame, from two columns; rows without a number are left out."""
    curves = []
    for plot, (x, y) in enumerate(columns):
        if not {"method", x, y} <= set(frame.columns):
            continue
        for method, rows in frame.groupby("method", sort=False):
            there = rows[[x, y]].astype(float).to_numpy()
            kept = np.isfinite(there).all(axis=1)
            for axis, values in zip((axes[plot].x, axes[plot].y), there.T, strict=True):
                kept &= (values > 0) | (not axis.log)
            there = there[kept]
            curves.append(Curve(str(method), there[:, 0], there[:, 1], plot, marks=True, line=line))
    return Chart(tuple(axes), tuple(curves))
