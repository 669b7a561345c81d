"""Charts in Bokeh: the common figure of the pages, and a frame of a chart whose points can be
replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh import models
from bokeh.events import DoubleTap
from bokeh.palettes import Viridis256
from bokeh.plotting import figure

from engine.studies.core import Axes, Axis, Curve, Guide, Image, bounds, clip_to_axis

from ..asset_files import SCRIPTS, call_script
from . import style
from .scales import Scale, find_scales, make_scale, place_guide

INK = "#757575"
"""The colour of lines and guides, on light and dark backgrounds; `page.css` has that of other
words.
"""

_TICKS = SCRIPTS / "core/ticks.js"
FORMAT_LINEAR_TICK = call_script(_TICKS, "formatLinearTick(tick, ticks)")
FORMAT_LOG_TICK = call_script(_TICKS, "formatLogTick(tick, ticks)")
FORMAT_VALUE = call_script(SCRIPTS / "core/numbers.js", "formatNumber(value)")
"""The value under the pointer."""
FIND_PLACE = "return places[value] ?? '';"
"""The name at a number of an axis that counts things."""

SLANTED = 0.8
"""Rotation of many names below an axis, in radians."""
OF_LEGEND: dict[str, Any] = {
    "label_text_font_size": "12px",
    "spacing": 4,
    "label_standoff": 5,
    "glyph_width": 22,
}
FIRST_WIDTH = 420
"""Width in pixels until the browser reports it."""
GUIDE = ("xs", "ys", "align", "base", "x", "y", "text", "colour")
"""The columns of the guides."""
ROW = 24
"""Height of a row of the legend in pixels."""


def make_figure(**params: Any) -> figure:
    """A figure without background, toolbar and outline; a double click resets its zoom."""
    plot = figure(
        toolbar_location=None,
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_color=None,
        output_backend="canvas",
        **params,
    )
    plot.js_on_event(DoubleTap, models.CustomJS(code="cb_obj.origin.reset.emit()"))
    for axis in plot.axis:
        axis.update(axis_line_color=None, minor_tick_line_color=None, major_tick_line_color=INK)
        axis.update(major_label_text_color=INK, axis_label_text_color=INK)
    for grid in plot.grid:
        grid.update(grid_line_color=INK, grid_line_alpha=0.2)
    return plot


def make_tick_formatter(log: bool) -> models.CustomJSTickFormatter:
    """The formatter of the ticks of a linear or logarithmic axis."""
    return models.CustomJSTickFormatter(code=FORMAT_LOG_TICK if log else FORMAT_LINEAR_TICK)


def set_ends(range_: models.Range1d, start: float, end: float) -> None:
    """Set the ends of a range; a visitor's zoom stays."""
    ends = range_.reset_start, range_.reset_end
    if ends == (start, end):
        return
    zoomed = (range_.start, range_.end) != ends
    range_.update(reset_start=start, reset_end=end)
    if not zoomed:
        range_.update(start=start, end=end)


class ChartFrame:
    """A frame of a chart: its figure, whose points `show` replaces while names and axes stay."""

    def __init__(
        self,
        axes: Axes,
        curves: Sequence[Curve],
        looks: Mapping[str, style.Look],
        height: int,
        image: Image | None = None,
        guides: Sequence[Guide] = (),
        **params: Any,
    ) -> None:
        self._axes = axes
        self._looks = looks
        box = models.BoxZoomTool()
        wheel = models.WheelZoomTool(modifiers="ctrl")
        self.figure = make_figure(
            height=height,
            sizing_mode="stretch_width",
            x_axis_type="log" if axes.x.log else "linear",
            y_axis_type="log" if axes.y.log else "linear",
            x_range=models.Range1d(1, 2, reset_start=1, reset_end=2),
            y_range=models.Range1d(1, 2, reset_start=1, reset_end=2),
            x_axis_label=None if axes.x.ticks else axes.x.label,
            tools=[box, wheel],
            min_border_left=58,
            min_border_right=16,
            **params,
        )
        self.figure.toolbar.active_drag = box
        for axis, log in ((self.figure.xaxis[0], axes.x.log), (self.figure.yaxis[0], axes.y.log)):
            axis.update(major_tick_line_color=None, axis_label_text_font_style="normal")
            axis.formatter = make_tick_formatter(log)
        if axes.x.ticks:
            self._count(axes.x)
        self.sources = [models.ColumnDataSource({"x": [], "y": []}) for _ in curves]
        self._drawn = [
            self._draw(curve, source, looks[curve.name])
            for curve, source in zip(curves, self.sources, strict=True)
        ]
        self._image = None if image is None else _ImageOf(self.figure, axes, image)
        if curves:
            self._point_out()
        self._guides = add_guides(self.figure)
        self.show(curves, image, guides)

    def _count(self, axis: Axis) -> None:
        """Name the places of an axis that counts things."""
        longest = max(map(len, axis.ticks))
        slanted = len(axis.ticks) > 5
        self.figure.xaxis[0].update(
            ticker=models.FixedTicker(ticks=list(range(len(axis.ticks)))),
            major_label_overrides=dict(enumerate(axis.ticks)),
            major_label_orientation=SLANTED if slanted else "horizontal",
        )
        self.figure.height += 5 * longest if slanted else 0

    def _draw(self, curve: Curve, source: models.ColumnDataSource, look: style.Look) -> list[Any]:
        """Add the line of a curve, its marks, or both."""
        line, marks = style.choose_parts(curve, self._axes)
        glyphs: list[Any] = []
        if curve.under is not None:
            glyphs.append(
                models.VArea(
                    x="x", y1="under", y2="y", fill_color=look.colour, fill_alpha=style.BAND
                )
            )
        elif line:
            width, alpha = (1.6, 0.7) if marks else (2.0, 1.0)
            glyphs.append(
                models.Line(
                    line_color=look.colour, line_width=width, line_dash=look.dash, line_alpha=alpha
                )
            )
        if curve.paper:
            glyphs.append(paper_mark(look.colour))
        elif marks:
            size = 3 if len(curve.x) > style.MANY else 7 if line else 8
            glyphs.append(
                models.Scatter(size=size, marker=look.mark, fill_color=look.colour, line_color=None)
            )
        # Glyph by glyph: figure.line would make four for each, for selections that there are none
        # of.
        return [self.figure.add_glyph(source, glyph, name=curve.name) for glyph in glyphs]

    def _point_out(self) -> None:
        """Add tooltips for the points."""
        places = list(self._axes.x.ticks)
        x = models.CustomJSHover(
            args={"places": places}, code=FIND_PLACE if places else FORMAT_VALUE
        )
        tips = [
            ("", "$name"),
            (self._axes.x.label, "@x{custom}"),
            (self._axes.y.label, "@y{custom}"),
        ]
        formats = {"@x": x, "@y": models.CustomJSHover(code=FORMAT_VALUE)}
        self.figure.add_tools(
            models.HoverTool(
                renderers=[r[-1] for r in self._drawn if r], tooltips=tips, formatters=formats
            )
        )

    def show(
        self, curves: Sequence[Curve], image: Image | None = None, guides: Sequence[Guide] = ()
    ) -> None:
        """Replace the points of the curves, which have the same names, or the image, and the
        guides.
        """
        if self._image is not None and image is not None:
            self._image.show(image)
            return
        for source, curve in zip(self.sources, curves, strict=True):
            data = {"x": np.asarray(curve.x, float), "y": clip_to_axis(self._axes.y, curve.y)}
            if curve.under is not None:
                data["under"] = clip_to_axis(self._axes.y, curve.under)
            if any(
                not np.array_equal(data[column], source.data.get(column, [])) for column in data
            ):
                source.data = data
        scales = find_scales(self._axes, curves)
        _set_axes(self.figure, *scales)
        self._guides.data = tabulate_guides(guides, self._looks, *scales)

    def name_curves(self, curves: Sequence[Curve]) -> None:
        """Add a legend below the frame, with as many columns as fit; a click hides a curve."""
        named: dict[str, list[Any]] = {}
        for curve, renderers in zip(curves, self._drawn, strict=True):
            if not curve.paper:
                named.setdefault(curve.name, []).extend(renderers)
        if any(curve.paper for curve in curves):
            nowhere = models.ColumnDataSource({"x": [np.nan], "y": [np.nan]})
            named[style.PAPER_LABEL] = [
                self.figure.add_glyph(nowhere, paper_mark(style.PAPER_COLOUR))
            ]
        if not named:
            return
        legend = models.Legend(
            items=[models.LegendItem(label=name, renderers=renderers) for name, renderers in named.items()],
            location="left", orientation="horizontal", click_policy="hide", padding=4, margin=0,
            background_fill_alpha=0, border_line_color=None, label_text_color=INK, **OF_LEGEND,
        )  # fmt: skip
        # The page's theme would make the names as large as its headings.
        keep = models.CustomJS(args=OF_LEGEND, code=f"cb_obj.setv({{{', '.join(OF_LEGEND)}}})")
        legend.js_on_change("label_text_font_size", keep)
        self.figure.add_layout(legend, "below")
        wide = 48 + 6.6 * max(map(len, named))
        columns = models.CustomJS(
            args={"legend": legend, "wide": wide},
            code="legend.ncols = Math.max(1, Math.floor((cb_obj.outer_width - 90) / wide))",
        )
        # Only the columns: a height that follows the width makes the browser lay out the page
        # forever.
        self.figure.js_on_change("outer_width", columns)
        legend.ncols = max(1, int(FIRST_WIDTH / wide))
        self.figure.height += ROW * -(-len(named) // legend.ncols)


class _ImageOf:
    """An image in a figure, with its colour bar and the edges of its regions."""

    def __init__(self, figure: figure, axes: Axes, image: Image) -> None:
        self._figure = figure
        self._axes = axes
        mapper = models.LogColorMapper if image.colours.log else models.LinearColorMapper
        self._mapper = mapper(palette=Viridis256, nan_color=style.NOWHERE_COLOUR)
        self._cells = models.ColumnDataSource(
            {name: [] for name in ("image", "x", "y", "dw", "dh")}
        )
        cells = figure.add_glyph(self._cells, models.Image(color_mapper=self._mapper))
        self._edges = models.ColumnDataSource({name: [] for name in ("x0", "y0", "x1", "y1")})
        figure.add_glyph(self._edges, models.Segment(line_color=style.EDGE_COLOUR, line_width=1.6))
        bar = models.ColorBar(
            color_mapper=self._mapper, width=12, padding=4, background_fill_alpha=0, bar_line_color=None,
            major_label_text_color=INK, major_tick_line_color=None, label_standoff=6,
            formatter=make_tick_formatter(image.colours.log),
        )  # fmt: skip
        figure.add_layout(bar, "right")
        figure.yaxis[0].axis_label = axes.y.label
        value = models.CustomJSHover(code=FORMAT_VALUE)
        tips = [
            (axes.x.label, "$x{custom}"),
            (axes.y.label, "$y{custom}"),
            (image.colours.label, "@image{custom}"),
        ]
        formats = {"$x": value, "$y": value, "@image": value}
        figure.add_tools(models.HoverTool(renderers=[cells], tooltips=tips, formatters=formats))

    def show(self, image: Image) -> None:
        """Replace the image."""
        (left, right), (down, top) = (
            bounds(places, axis.log)[[0, -1]].tolist()
            for places, axis in ((image.x, self._axes.x), (image.y, self._axes.y))
        )
        _set_axes(
            self._figure,
            make_scale(self._axes.x, (left, right)),
            make_scale(self._axes.y, (down, top)),
        )
        self._mapper.update(low=image.ends[0], high=image.ends[1])
        self._cells.data = {
            "image": [image.values], "x": [left], "y": [down], "dw": [right - left], "dh": [top - down]
        }  # fmt: skip
        self._edges.data = dict(zip(("x0", "y0", "x1", "y1"), image.edges.T, strict=True))


def paper_mark(colour: str) -> models.Scatter:
    """The mark of a value that a paper prints."""
    return models.Scatter(
        marker=style.OF_PAPER, size=13, line_width=2, fill_alpha=0, line_color=colour
    )


def add_guides(figure: figure) -> models.ColumnDataSource:
    """Add lines and words for the columns of guides."""
    source = models.ColumnDataSource({name: [] for name in GUIDE})
    style = {
        "text_color": "colour",
        "text_align": "align",
        "text_baseline": "base",
        "text_font_size": "12px",
    }
    for glyph in (
        models.MultiLine(line_color="colour", line_dash=[4, 3]),
        models.Text(padding=3, **style),
    ):
        figure.add_glyph(source, glyph)
    return source


def tabulate_guides(
    guides: Sequence[Guide], looks: Mapping[str, style.Look], across: Scale, up: Scale
) -> dict[str, list[Any]]:
    """The columns of guides."""
    rows: list[tuple[Any, ...]] = []
    for guide in guides:
        if placed := place_guide(guide, across, up):
            x, y = across.value(placed.x), up.value(placed.y)
            aligned = "right" if placed.ends else "left", "top" if placed.below else "bottom"
            colour = looks[guide.of].colour if guide.of in looks else INK
            rows.append((x, y, *aligned, x[-1], y[-1], guide.text, colour))
    return {name: [row[i] for row in rows] for i, name in enumerate(GUIDE)}


def _set_axes(figure: figure, across: Scale, up: Scale) -> None:
    """Set the ends of both axes; and ticks of a logarithmic one, where Bokeh's own labels would
    overlap.

    The ticks are powers of ten, with their 2 and 5 on a short axis.
    """
    for range_, axis, scale in (
        (figure.x_range, figure.xaxis[0], across),
        (figure.y_range, figure.yaxis[0], up),
    ):
        set_ends(range_, scale.value(0.0), scale.value(1.0))
        low, high = scale.ends
        if scale.log and high > low + 2:
            if not isinstance(axis.ticker, models.LogTicker) or axis.ticker.num_minor_ticks:
                axis.ticker = models.LogTicker(desired_num_ticks=6, num_minor_ticks=0)
        elif scale.log:
            powers = 10.0 ** np.arange(np.floor(low), np.ceil(high) + 1)
            fine = np.outer(powers, (1, 2, 5)).ravel().tolist()
            if getattr(axis.ticker, "ticks", None) != fine:
                axis.ticker = models.FixedTicker(ticks=fine)
