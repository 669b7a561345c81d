"""What the flat views are made of: square pictures, a switch above them, and words below."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, HoverTool, Range1d, WheelZoomTool

from engine.checks import Array
from engine.wording import ordinal

from ..charts.bokeh import bare, put
from ..model.curves import Projection, split
from ..model.downsample import evenly
from ..model.results import EXACT_COLOUR, Results
from ..model.session import MOST_METHODS
from ..model.view import BODY_AXES, TRACES
from .sheet import caption
from .switches import Switches

MOST_DOTS = 700
"""Computed points of one method that are drawn; more would hide each other."""
FRONT, BACK = 0.9, 0.2
"""How opaque is what lies before and behind."""
NEUTRAL = "#8A929A"
SIZES, WIDTHS = (7.5, 5.5, 4.0, 2.6), (4.2, 3.0, 1.9, 1.0)
"""Of the methods' dots and lines: where they lie on each other, all of them are seen."""
LARGEST = 370
"""Pixels of a picture, at most, so that the words below it are seen with it."""
AXES = list(BODY_AXES)
BEGIN_WITH = (BODY_AXES[2], TRACES[0])
"""What flat pictures show to begin with."""


class Picture:
    """A square figure with equal axes: curves behind, the exact motion, and the computed points of each method."""

    def __init__(self, words: str, dots: bool = True, exact_width: float = 4.5) -> None:
        self.words = words
        hover = HoverTool(tooltips=[("", "$name"), ("t", "@t{0.[0000]}")])
        wheel = WheelZoomTool(modifiers="ctrl")
        self._x, self._y = (Range1d(-1, 1, reset_start=-1, reset_end=1) for _ in range(2))
        self.figure = bare(
            width=LARGEST,
            aspect_ratio=1,
            sizing_mode="scale_width",
            max_width=LARGEST,
            x_range=self._x,
            y_range=self._y,
            tools=["pan", wheel, hover],
            min_border=0,
        )
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.figure.toolbar.active_scroll = wheel
        self._ground = self._lines(NEUTRAL, 1.0, 0.55)
        self._ground_behind = self._lines(NEUTRAL, 1.0, 0.16)
        self._outline = self._lines(NEUTRAL, 1.5, 0.8)
        self._exact = self._lines(EXACT_COLOUR, exact_width, 0.75)
        self._exact_behind = self._lines(EXACT_COLOUR, exact_width, 0.2)
        self._methods = [self._points(dots, slot) for slot in range(MOST_METHODS)]
        hover.renderers = self._methods
        words = ColumnDataSource(dict(x=[], y=[], text=[]))
        self._words = self.figure.text(
            "x", "y", "text", source=words, text_color=NEUTRAL, text_align="center", text_baseline="middle",
            text_font_size="13px",
        )  # fmt: skip

    def _lines(self, colour: str, width: float, alpha: float) -> Any:
        source = ColumnDataSource(dict(xs=[], ys=[]))
        return self.figure.multi_line(
            "xs", "ys", source=source, line_color=colour, line_width=width, line_alpha=alpha, line_join="round"
        )

    def _points(self, dots: bool, slot: int) -> Any:
        source = ColumnDataSource(dict(x=[], y=[], t=[], alpha=[]))
        if dots:
            return self.figure.scatter(
                "x", "y", source=source, size=SIZES[slot], line_color=None, fill_alpha="alpha", fill_color=NEUTRAL
            )
        return self.figure.line("x", "y", source=source, line_width=WIDTHS[slot], line_alpha=0.9, line_join="round")

    def ground(self, projection: Projection, curves: list[Array], outline: list[Array]) -> None:
        """The curves behind: those in front of the middle and those behind it, and outlines as they are."""
        front, back = split(projection, curves)
        _put(self._ground, front)
        _put(self._ground_behind, back)
        _put(self._outline, [projection(curve)[:2] for curve in outline])

    def exact(self, projection: Projection, curve: Array | None, solid: bool = False) -> None:
        """The exact curve; `solid` if nothing hides its far side."""
        front: list[tuple[Array, Array]] = []
        back: list[tuple[Array, Array]] = []
        if solid and curve is not None:
            front = [projection(curve)[:2]]
        elif curve is not None:
            front, back = split(projection, [curve])
        _put(self._exact, front)
        _put(self._exact_behind, back)

    def method(
        self, slot: int, label: str, colour: str, projection: Projection, t: Array, points: Array, solid: bool
    ) -> None:
        """The points of a method."""
        renderer = self._methods[slot]
        x, y, near = projection(points)
        alpha = np.where(near >= -1e-9, FRONT, BACK) if not solid else np.full(len(x), FRONT)
        columns = {"x": x, "y": y, "t": t, "alpha": alpha}
        renderer.data_source.data = {key: column.astype(np.float32) for key, column in columns.items()}
        if renderer.name != label:
            renderer.name = label
        ink = "fill_color" if hasattr(renderer.glyph, "fill_color") else "line_color"
        if getattr(renderer.glyph, ink) != colour:
            setattr(renderer.glyph, ink, colour)

    def clear(self, slots: range) -> None:
        """No points in these slots."""
        for slot in slots:
            source = self._methods[slot].data_source
            if len(source.data["x"]):
                source.data = {key: [] for key in source.data}

    def frame(self, radius: float, words: list[tuple[float, float, str]]) -> None:
        """What is seen: the middle, and so far about it; with words, placed in parts of that."""
        reach = 1.26 * radius if radius > 0 else 1.0
        for range_ in (self._x, self._y):
            put(range_, -reach, reach, anew=False)
        x, y, text = zip(*words, strict=True)
        data = dict(x=[reach * v for v in x], y=[reach * v for v in y], text=list(text))
        if data != dict(self._words.data_source.data):
            self._words.data_source.data = data


def _put(renderer: Any, curves: list[tuple[Array, Array]]) -> None:
    """New curves for a multi-line, if there are any or were any."""
    source = renderer.data_source
    # NaN between the curves makes one line of them, which travels as one array.
    new = [[_joined([curve[i] for curve in curves])] if curves else [] for i in (0, 1)]
    before = source.data["xs"], source.data["ys"]
    same = (
        np.array_equal(a, b, equal_nan=True)
        for x, y in zip(before, new, strict=True)
        for a, b in zip(x, y, strict=False)
    )
    if [len(x) for x in before] != [len(x) for x in new] or not all(same):
        source.data = dict(zip(("xs", "ys"), new, strict=True))


def _joined(parts: list[Array]) -> Array:
    gap = np.array([np.nan])
    pieces = [piece for part in parts for piece in (part, gap)]
    return np.concatenate(pieces[:-1]).astype(np.float32) if pieces else np.zeros(0, np.float32)


class FlatView:
    """What the flat views share: a choice, pictures, and words under them."""

    def __init__(self, options: list[str], value: str, name: str, pictures: list[Picture]) -> None:
        self._results: Results | None = None
        self.switches = Switches(
            sets=[self._set(name, options)],
            chosen=[value],
            pictures=[(picture.figure.id, picture.words) for picture in pictures],
            margin=(8, 0, 0, 0),
        )
        self.switches.param.watch(lambda _: self._again(), "chosen")
        self._caption = caption(64)
        panes = [pn.pane.Bokeh(p.figure, sizing_mode="scale_width", margin=4) for p in pictures]
        row = pn.Row(*panes, sizing_mode="stretch_width", margin=0, styles={"justify-content": "center"})
        self.panel = pn.Column(self.switches, row, self._caption, sizing_mode="stretch_width", margin=0)

    def show(self, results: Results) -> None:
        """Draw the motion."""
        self._results = results
        self._draw(results)

    def _again(self) -> None:
        if self._results is not None:
            with pn.io.hold():
                self._draw(self._results)

    def _draw(self, results: Results) -> None:
        raise NotImplementedError

    def _say(self, text: str) -> None:
        self._caption.html = html.escape(text)

    @property
    def chosen(self) -> str:
        """What is seen of the motion: a body axis to look along, or a vector."""
        return str(self.switches.chosen[0])

    @property
    def along(self) -> str:
        """The same, as a `View` has it."""
        return "" if self.chosen in BEGIN_WITH else self.chosen

    def look(self, along: str) -> None:
        """Show this of the motion, if it can be had; nothing is what it begins with."""
        options = self.switches.sets[0][2]
        found = [option for option in options if option == along or (not along and option in BEGIN_WITH)]
        self.switches.chosen = found or self.switches.chosen

    @property
    def _axis(self) -> int:
        return AXES.index(self.chosen) if self.chosen in AXES else 2

    @staticmethod
    def _set(name: str, options: list[str]) -> tuple[str, str, list[str], str]:
        return name, "What the pictures show", options, "named"


def draw_methods(
    picture: Picture,
    results: Results,
    projection: Projection,
    points: Callable[[Any], Array],
    most: int,
    solid: bool,
    since: Callable[[Any], int] = lambda run: 0,
) -> str:
    """Draw each method's points, `since` a row of its run; says how many of them if not all."""
    fewest = 1.0
    for slot, line in enumerate(results.lines):
        if line.run is None:
            picture.clear(range(slot, slot + 1))
            continue
        first = since(line.run)
        rows = first + evenly(len(line.run) - first, most)
        fewest = min(fewest, len(rows) / (line.run.cost.steps + 1) * len(line.run) / (len(line.run) - first))
        picture.method(slot, line.label, line.colour, projection, line.run.t[rows], points(line.run)[rows], solid)
    picture.clear(range(len(results.lines), MOST_METHODS))
    return f" About each {ordinal(round(1 / fewest))} state is drawn." if fewest < 0.67 else ""


def axis_words(axis: int, letter: str) -> list[tuple[float, float, str]]:
    """What the axes of a picture along a body axis are called."""
    first, second = "₁₂₃"[(axis + 1) % 3], "₁₂₃"[(axis + 2) % 3]
    return [
        (0.9, 0.0, f"{letter}{first}"),
        (0.0, 0.9, f"{letter}{second}"),
        (0.0, -0.9, f"from the tip of axis {axis + 1}"),
    ]
