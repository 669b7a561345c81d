"""The parts of the pictures in 2D: square pictures, a switch above them, and a caption below."""

from __future__ import annotations

import html
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, HoverTool, Range1d, WheelZoomTool

from engine.parameters.validation import Array
from engine.text.formatting import format_ordinal

from ...charts.bokeh import make_figure, set_ends
from ...charts.downsample import spread_evenly
from ...scene.polhode import Projection, split_by_depth
from ...state import BODY_AXES, EXACT_COLOUR, TRACES, Results
from ...state.choice import MOST_METHODS
from ..controls.switches import Switches
from ..dialogs.html_block import make_caption

MOST_DOTS = 700
"""Most points of one method; more would hide each other."""
LATEST_PART = " Long paths show their last part, which fades with age."
PIECES = 24
"""Pieces of a line, each fainter than the next."""
FRONT, BACK = 0.9, 0.2
"""Opacity in front of the middle and behind it."""
EXACT_FRONT = 0.75
"""Opacity of the exact curve in front of the middle."""
NEUTRAL = "#8A929A"
SIZES, WIDTHS = (7.5, 5.5, 4.0, 2.6), (4.2, 3.0, 1.9, 1.0)
"""Sizes of the methods' dots and widths of their lines, so that all are visible where they
coincide.
"""
LARGEST = "max(280px, 100vh - 380px)"
"""Largest size of a picture, so that its caption is in view too."""
AXES = list(BODY_AXES)
DEFAULTS = (BODY_AXES[2], TRACES[0])
"""The defaults of the pictures in 2D."""


class Picture:
    """A square figure with equal axes: background curves, the exact motion, and the points of each
    method.
    """

    def __init__(self, words: str, dots: bool = True, exact_width: float = 4.5) -> None:
        self.words = words
        hover = HoverTool(tooltips=[("", "$name"), ("t", "@t{0.[0000]}")])
        wheel = WheelZoomTool(modifiers="ctrl")
        self._x, self._y = (Range1d(-1, 1, reset_start=-1, reset_end=1) for _ in range(2))
        self.figure = make_figure(
            aspect_ratio=1,
            sizing_mode="scale_width",
            x_range=self._x,
            y_range=self._y,
            tools=["pan", wheel, hover],
            min_border=0,
        )
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.figure.toolbar.active_scroll = wheel
        self._background = self._add_lines(NEUTRAL, 1.0, 0.55)
        self._background_behind = self._add_lines(NEUTRAL, 1.0, 0.16)
        self._outline = self._add_lines(NEUTRAL, 1.5, 0.8)
        self._exact = self._add_lines(EXACT_COLOUR, exact_width, "alpha")
        self._exact_behind = self._add_lines(EXACT_COLOUR, exact_width, 0.2)
        self._methods = [self._add_points(dots, slot) for slot in range(MOST_METHODS)]
        hover.renderers = self._methods
        words = ColumnDataSource(dict(x=[], y=[], text=[]))
        self._words = self.figure.text(
            "x", "y", "text", source=words, text_color=NEUTRAL, text_align="center", text_baseline="middle",
            text_font_size="13px",
        )  # fmt: skip

    def _add_lines(self, colour: str, width: float, alpha: float | str) -> Any:
        source = ColumnDataSource(dict(xs=[], ys=[], alpha=[]))
        return self.figure.multi_line(
            "xs",
            "ys",
            source=source,
            line_color=colour,
            line_width=width,
            line_alpha=alpha,
            line_join="round",
        )

    def _add_points(self, dots: bool, slot: int) -> Any:
        if dots:
            return self.figure.scatter(
                "x",
                "y",
                source=ColumnDataSource(dict(x=[], y=[], t=[], alpha=[])),
                size=SIZES[slot],
                line_color=None,
                fill_alpha="alpha",
                fill_color=NEUTRAL,
            )
        return self.figure.multi_line(
            "xs",
            "ys",
            source=ColumnDataSource(dict(xs=[], ys=[], t=[], alpha=[])),
            line_width=WIDTHS[slot],
            line_alpha="alpha",
            line_join="round",
        )

    def draw_background(
        self, projection: Projection, curves: list[Array], outline: list[Array]
    ) -> None:
        """Draw the background: curves, faint behind the middle, and outlines."""
        front, back = split_by_depth(projection, curves)
        _set_curves(self._background, front)
        _set_curves(self._background_behind, back)
        _set_curves(self._outline, [projection(curve)[:2] for curve in outline])

    def draw_exact(
        self,
        projection: Projection,
        curve: Array | None,
        solid: bool = False,
        fades: bool = False,
    ) -> None:
        """Draw the exact curve; a solid one has no far side, and its older parts are fainter if it
        `fades`.
        """
        front: list[tuple[Array, Array]] = []
        back: list[tuple[Array, Array]] = []
        if fades and curve is not None:
            x, y, _ = projection(curve)
            pieces = _cut(len(x))
            ages = np.linspace(0.0, EXACT_FRONT, len(x))
            alpha = [float(ages[piece.stop - 1]) for piece in pieces]
            _set_lines(self._exact, [(x[piece], y[piece]) for piece in pieces], alpha)
            _set_curves(self._exact_behind, back)
            return
        if solid and curve is not None:
            front = [projection(curve)[:2]]
        elif curve is not None:
            front, back = split_by_depth(projection, [curve])
        _set_curves(self._exact, front, EXACT_FRONT)
        _set_curves(self._exact_behind, back)

    def draw_method(
        self,
        slot: int,
        label: str,
        colour: str,
        projection: Projection,
        t: Array,
        points: Array,
        solid: bool,
        fades: bool = False,
    ) -> None:
        """Draw the points of a method, older ones fainter if it `fades`."""
        renderer = self._methods[slot]
        x, y, near = projection(points)
        alpha = np.where(near >= -1e-9, FRONT, BACK) if not solid else np.full(len(x), FRONT)
        if fades:
            alpha = alpha * np.linspace(0.0, 1.0, len(alpha))
        columns: dict[str, Any]
        if "xs" in renderer.data_source.data:
            pieces = _cut(len(x))
            columns = {
                "xs": [x[piece].astype(np.float32) for piece in pieces],
                "ys": [y[piece].astype(np.float32) for piece in pieces],
                "t": t[[piece.stop - 1 for piece in pieces]],
                "alpha": alpha[[piece.stop - 1 for piece in pieces]],
            }
        else:
            columns = {
                key: column.astype(np.float32)
                for key, column in {"x": x, "y": y, "t": t, "alpha": alpha}.items()
            }
        renderer.data_source.data = columns
        if renderer.name != label:
            renderer.name = label
        ink = "fill_color" if hasattr(renderer.glyph, "fill_color") else "line_color"
        if getattr(renderer.glyph, ink) != colour:
            setattr(renderer.glyph, ink, colour)

    def clear(self, slots: range) -> None:
        """Remove the points of these slots."""
        for slot in slots:
            source = self._methods[slot].data_source
            if len(source.data["t"]):
                source.data = {key: [] for key in source.data}

    def set_frame(self, radius: float, words: list[tuple[float, float, str]]) -> None:
        """Show this radius around the middle, with words at positions in units of it."""
        reach = 1.26 * radius if radius > 0 else 1.0
        for range_ in (self._x, self._y):
            set_ends(range_, -reach, reach)
        x, y, text = zip(*words, strict=True)
        data = dict(x=[reach * v for v in x], y=[reach * v for v in y], text=list(text))
        if data != dict(self._words.data_source.data):
            self._words.data_source.data = data


def _cut(n: int) -> list[slice]:
    """Return the rows of the pieces of a line of n points, each of which begins where another
    ends.
    """
    ends = np.linspace(0, n - 1, PIECES + 1).astype(int)
    return [slice(a, b + 1) for a, b in pairwise(ends) if b > a]


def _set_curves(renderer: Any, curves: list[tuple[Array, Array]], alpha: float = 1.0) -> None:
    """Set the curves of a multi-line of one opacity, if they differ."""
    # NaN between the curves joins them to one line, which is sent as one array.
    x, y = ([curve[i] for curve in curves] for i in (0, 1))
    _set_lines(renderer, [(_join(x), _join(y))] if curves else [], [alpha] if curves else [])


def _set_lines(renderer: Any, lines: list[tuple[Array, Array]], alpha: list[float]) -> None:
    """Set the lines of a multi-line, each with its opacity, if they differ."""
    source = renderer.data_source
    new = [[line[i].astype(np.float32) for line in lines] for i in (0, 1)]
    old = source.data["xs"], source.data["ys"]
    same = (
        np.array_equal(a, b, equal_nan=True)
        for x, y in zip(old, new, strict=True)
        for a, b in zip(x, y, strict=False)
    )
    if [len(x) for x in old] != [len(x) for x in new] or not all(same):
        source.data = dict(xs=new[0], ys=new[1], alpha=alpha)


def _join(parts: list[Array]) -> Array:
    gap = np.array([np.nan])
    pieces = [piece for part in parts for piece in (part, gap)]
    return np.concatenate(pieces[:-1])


class FlatView:
    """A switch, pictures, and a caption."""

    def __init__(self, options: list[str], value: str, name: str, pictures: list[Picture]) -> None:
        self._results: Results | None = None
        self.switches = Switches(
            sets=[self._make_set(name, options)],
            chosen=[value],
            pictures=[(picture.figure.id, picture.words) for picture in pictures],
            margin=(8, 0, 0, 0),
        )
        self.switches.param.watch(lambda _: self._redraw(), "chosen")
        self._caption = make_caption(64)
        fits = {"max-width": LARGEST}
        panes = [
            pn.pane.Bokeh(p.figure, sizing_mode="scale_width", margin=4, styles=fits)
            for p in pictures
        ]
        row = pn.Row(
            *panes, sizing_mode="stretch_width", margin=0, styles={"justify-content": "center"}
        )
        self.panel = pn.Column(
            self.switches, row, self._caption, sizing_mode="stretch_width", margin=0
        )

    def show(self, results: Results) -> None:
        """Draw the motion."""
        self._results = results
        self._draw(results)

    def _redraw(self) -> None:
        if self._results is not None:
            with pn.io.hold():
                self._draw(self._results)

    def _draw(self, results: Results) -> None:
        raise NotImplementedError

    def _set_caption(self, text: str) -> None:
        self._caption.html = html.escape(text)

    @property
    def option(self) -> str:
        """The chosen option: a body axis to look along, or a vector."""
        return str(self.switches.chosen[0])

    @property
    def along(self) -> str:
        """The option for a `View`, empty for a default."""
        return "" if self.option in DEFAULTS else self.option

    def choose(self, along: str) -> None:
        """Choose an option, if there is such; the default if empty."""
        options = self.switches.sets[0][2]
        matches = [
            option for option in options if option == along or (not along and option in DEFAULTS)
        ]
        self.switches.chosen = matches or self.switches.chosen

    @property
    def _axis(self) -> int:
        return AXES.index(self.option) if self.option in AXES else 2

    @staticmethod
    def _make_set(name: str, options: list[str]) -> tuple[str, str, list[str], str]:
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
    """Draw each method's points from the row `since` of its run, and return a sentence if some are
    left out.
    """
    fewest = 1.0
    for slot, line in enumerate(results.lines):
        if line.run is None:
            picture.clear(range(slot, slot + 1))
            continue
        first = since(line.run)
        rows = first + spread_evenly(len(line.run) - first, most)
        fewest = min(
            fewest, len(rows) / (line.run.cost.steps + 1) * len(line.run) / (len(line.run) - first)
        )
        picture.draw_method(
            slot,
            line.name,
            line.colour,
            projection,
            line.run.t[rows],
            points(line.run)[rows],
            solid,
            fades=first > 0,
        )
    picture.clear(range(len(results.lines), MOST_METHODS))
    return (
        f" The picture shows about every {format_ordinal(round(1 / fewest))} state."
        if fewest < 0.67
        else ""
    )


def axis_words(axis: int, letter: str) -> list[tuple[float, float, str]]:
    """Return the names of the axes of a picture along a body axis, with their positions."""
    first = "₁₂₃"[(axis + 1) % 3]
    second = "₁₂₃"[(axis + 2) % 3]
    return [
        (0.9, 0.0, f"{letter}{first}"),
        (0.0, 0.9, f"{letter}{second}"),
        (0.0, -0.9, f"from the tip of axis {axis + 1}"),
    ]
