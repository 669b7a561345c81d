"""Placement of words, lines and triangles of slopes in a frame, where they cover the fewest data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .charts import Array, Axis, Chart, Curve, Guide, find_span

CELLS = 50
"""Cells along each side of a frame, which data take or leave free."""
LETTER = 0.025
"""The width of a letter, as a part of a small frame."""
WORD = 0.06
"""The height of words, as a part of a frame."""
TOP = 0.9
"""Words at a point above this part of a frame are below the point; others are above it."""
GAP = 0.01
"""The distance of words from their line, as a part of a frame."""
BAND = 0.02
"""How much a cell of a band, on which words can be read, counts beside one of a line."""
WIDEST, HIGHEST = 0.35, 0.5
"""The largest width and height of triangles of slopes, as parts of a frame."""
SIZES = 1.0, 0.7, 0.5, 0.35
"""The sizes of triangles that are tried, as parts of the largest."""


def align_words(text: str, x: float, y: float) -> tuple[bool, bool]:
    """Return whether words at a point of a frame end there, and whether they are below it."""
    return x + LETTER * len(text) > 1 + 1e-9, y > TOP


def measure_cover(taken: Array, shape: Array) -> Array:
    """Return how much a shape covers with its lower left corner in each cell where it fits.

    Both have a row for each row of cells, the lowest first; numbers are what a cell weighs.
    """
    windows = np.lib.stride_tricks.sliding_window_view(taken, shape.shape)
    return np.einsum("ijkl,kl->ij", windows, shape)


class Place(NamedTuple):
    """The lower left corner of a shape, as parts of the frame, and what it covers."""

    x: float
    y: float
    covered: float


class Room:
    """The cells of a frame that its curves, guides and words take."""

    def __init__(self, chart: Chart, plot: int) -> None:
        axes = chart.axes[plot]
        curves = chart.of(plot)
        self._axes = axes.x, axes.y
        up = [values for c in curves for values in (c.y, c.under) if values is not None]
        self._ends = [
            _to_axis(axis, find_span(axis, values)).tolist()
            for axis, values in zip(self._axes, ([c.x for c in curves], up), strict=True)
        ]
        self.taken = np.zeros((CELLS, CELLS))
        for curve in curves:
            self._draw(curve)
        self.taken = _widen(self.taken)  # a mark is larger than its cell
        self.taken[slice(*_cells(TOP + WORD, 1.0))] = 1.0  # words would be below their point
        for guide in chart.guides_of(plot):
            self.add(guide)

    @property
    def steepness(self) -> float:
        """The height of a line of slope one on logarithmic axes, by its width."""
        across, up = (high - low for low, high in self._ends)
        return across / up

    def parts(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """Return where points are, as parts of the frame; an infinite coordinate is an edge."""
        found = []
        for axis, values, (low, high) in zip(self._axes, (x, y), self._ends, strict=True):
            at = np.asarray(values, float)
            found.append(np.where(np.isinf(at), at > 0, (_to_axis(axis, at) - low) / (high - low)))
        return found[0], found[1]

    def values(self, x: float, y: float) -> tuple[float, float]:
        """Return the coordinates of a point, given as parts of the frame."""
        found = []
        for axis, part, (low, high) in zip(self._axes, (x, y), self._ends, strict=True):
            at = low + part * (high - low)
            found.append(float(10.0**at if axis.log else at))
        return found[0], found[1]

    def add(self, guide: Guide) -> None:
        """Take the cells of a guide's line and of its words."""
        x, y = self.parts(guide.x, guide.y)
        before = self.taken
        self.taken = np.zeros_like(before)
        self._trace(x, y)
        self.taken = np.maximum(before, _widen(self.taken))
        ends, below = align_words(guide.text, x[-1], y[-1])
        wide = LETTER * len(guide.text)
        across = slice(*_cells(x[-1] - ends * wide, x[-1] + (not ends) * wide))
        self.taken[slice(*_cells(y[-1] - below * WORD, y[-1] + (not below) * WORD)), across] = 1.0

    def find(
        self,
        shape: Array,
        near: tuple[float, float],
        *,
        x: float | None = None,
        y: float | None = None,
    ) -> Place:
        """Return the place where a shape covers the least, and among such the nearest to a point.

        `x` and `y` are the left and the lower end of the shape, if they are given.
        """
        covered = measure_cover(self.taken, shape)
        rows, columns = (np.arange(count) / CELLS for count in covered.shape)
        if y is not None:
            row = min(max(int(y * CELLS), 0), len(rows) - 1)
            covered = covered[row : row + 1]
            rows = np.array([y])
        if x is not None:
            column = min(max(int(x * CELLS), 0), len(columns) - 1)
            covered = covered[:, column : column + 1]
            columns = np.array([x])
        away = np.hypot(columns - near[0], rows[:, None] - near[1])
        i, j = np.unravel_index(np.argmin(covered + away), covered.shape)
        return Place(float(columns[j]), float(rows[i]), float(covered[i, j]))

    def write(
        self,
        text: str,
        near: tuple[float, float],
        plot: int = 0,
        of: str = "",
        *,
        x: float | None = None,
        y: float | None = None,
    ) -> Guide:
        """Return words where they cover the least, and take their cells.

        `x` is that of the point at which they begin or end, `y` their lower end, if these are given.
        """
        wide = LETTER * len(text)
        shape = np.ones((math.ceil(WORD * CELLS), min(math.ceil(wide * CELLS), CELLS)))
        left = x if x is None or not align_words(text, x, 0.0)[0] else x - wide
        place = self.find(shape, near, x=left, y=y)
        at = 1.0 if wide > 1 else place.x  # words wider than a frame end at its right edge
        point = self.values(at if x is None else x, place.y)
        guide = Guide(text, point[:1], point[1:], plot, of)
        self.add(guide)
        return guide

    def _draw(self, curve: Curve) -> None:
        """Take the cells of a curve, or those of a band less."""
        x, y = self.parts(curve.x, curve.y)
        if curve.under is None:
            self._trace(x, y) if curve.line else self._mark(x, y)
            return
        _, under = self.parts(curve.x, curve.under)
        centres = (np.arange(CELLS) + 0.5) / CELLS
        low, high = (np.interp(centres, x, at, np.nan, np.nan) for at in (under, y))
        within = (low <= centres[:, None]) & (centres[:, None] <= high)
        self.taken[within] = np.maximum(self.taken[within], BAND)

    def _trace(self, x: Array, y: Array) -> None:
        """Take the cells along a line."""
        for (x0, y0), (x1, y1) in itertools.pairwise(zip(x.tolist(), y.tolist(), strict=True)):
            away = max(abs(x1 - x0), abs(y1 - y0))
            if math.isfinite(away):
                at = np.linspace(0.0, 1.0, 2 * math.ceil(CELLS * min(away, 100.0)) + 1)
                self._mark(x0 + at * (x1 - x0), y0 + at * (y1 - y0))

    def _mark(self, x: Array, y: Array) -> None:
        """Take the cells of points."""
        inside = (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
        row, column = (np.minimum((at[inside] * CELLS).astype(int), CELLS - 1) for at in (y, x))
        self.taken[row, column] = 1.0


def _widen(taken: Array) -> Array:
    """Return cells of which each also takes its neighbours."""
    around = itertools.product((-1, 0, 1), repeat=2)
    wide = np.pad(taken, 1)
    widened: Array = np.max([np.roll(wide, by, (0, 1)) for by in around], axis=0)
    return widened[1:-1, 1:-1]


def _to_axis(axis: Axis, values: ArrayLike) -> Array:
    """Return values on an axis: their decimal logarithms on a logarithmic one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(values) if axis.log else np.asarray(values, float)


def _cells(low: float, high: float) -> tuple[int, int]:
    """Return the first cell of an interval, and the cell after its last."""
    first, after = math.floor(low * CELLS + 1e-9), math.ceil(high * CELLS - 1e-9)
    return min(max(first, 0), CELLS), min(max(after, 0), CELLS)


def draw_floor(chart: Chart, plot: int, floor: float) -> tuple[Guide, Guide]:
    """Draw roundoff as a line across a frame, with its name above it, where it covers the fewest
    data.
    """
    room = Room(chart, plot)
    _, y = room.parts(0.0, floor)
    above = float(y) + GAP
    line = Guide("", (-math.inf, math.inf), (floor, floor), plot)
    return line, room.write("roundoff", (0.0, above), plot, y=above)


SLOPES = (1, 2, 4)
"""The usual slopes of the triangles in a chart."""


def draw_slopes(chart: Chart, slopes: Sequence[int] = SLOPES) -> list[Guide]:
    """Draw a triangle of each slope in each frame whose axes are logarithmic, with its name, where
    they cover neither data nor words, if there is room; if possible, in the lower right corner.
    """
    guides: list[Guide] = []
    for plot, axes in enumerate(chart.axes):
        x = np.concatenate([np.zeros(0), *(curve.x for curve in chart.of(plot))])
        if axes.x.log and axes.y.log and len(x) and x.max() > 2 * x.min():
            guides += _place_triangles(Room(chart, plot), plot, slopes)
    return guides


def _place_triangles(room: Room, plot: int, slopes: Sequence[int]) -> list[Guide]:
    """Draw triangles of slopes in a frame, which have a common corner, as large as there is room;
    none if each name cannot stand near its tip.
    """
    widest = min(WIDEST, HIGHEST / (max(slopes) * room.steepness))
    for size in SIZES:
        wide = size * widest
        tips = [slope * wide * room.steepness for slope in slopes]
        names = _stack(tips)
        place = room.find(_outline(wide, tips[-1], names), (1.0, 0.0))
        if place.covered == 0 and names[-1] - tips[-1] < WORD / 2:
            break
    else:
        return []
    left, low = room.values(place.x, place.y)
    right = room.values(place.x + wide, place.y)[0]
    guides = []
    for slope, name in zip(slopes, names, strict=True):
        tip = low * (right / left) ** slope
        guides.append(Guide("", (right, left, right, right), (tip, low, low, tip), plot))
        at = room.values(place.x + wide, place.y + name)
        guides.append(Guide(f"slope {slope}", at[:1], at[1:], plot))
    return guides


NAME = len("slope 1")
"""Letters of the name of a slope."""


def _stack(heights: Sequence[float]) -> list[float]:
    """Return the lower ends of words at these heights, none on the one below."""
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + WORD) if found else height)
    return found


def _outline(wide: float, high: float, names: Sequence[float]) -> Array:
    """Return the cells of the highest triangle, and of the names beside it."""
    top = max(high, names[-1] + WORD)
    shape = np.zeros((math.ceil(top * CELLS), math.ceil((wide + LETTER * NAME) * CELLS)))
    columns = np.arange(shape.shape[1]) / CELLS
    below = np.arange(shape.shape[0])[:, None] / CELLS <= high / wide * (columns + 1 / CELLS)
    shape[below & (columns < wide)] = 1.0
    for name in names:
        shape[slice(*_cells(name, name + WORD)), columns >= wide] = 1.0
    return shape
