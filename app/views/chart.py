"""A chart on a page: its frames side by side, their points replaced as they come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    CustomJSTickFormatter,
    FixedTicker,
    HoverTool,
    Line,
    Range1d,
    Scatter,
    WheelZoomTool,
)

from engine.charts import Axes, Chart, Curve

from ..charts import look, span, svg_of
from ..drawing import OUTLINES, TICKS, Stroke
from ..frame import bare
from .plots import PICTURES, Head, picture, put
from .sheet import Sheet

HEIGHT = 320
WIDEST = 720
"""Pixels: one frame of several is no wider, so that slopes are seen for what they are."""
TABLE_ROWS = 500
NOTHING = np.zeros(0), np.zeros(0)

LEGEND = """
.legend { padding: 6px 12px 2px; min-height: 24px; font-size: 13px; display: flex; flex-wrap: wrap; gap: 4px 14px; }
.legend svg { width: 11px; height: 11px; margin-right: 6px; vertical-align: -1px; }
"""


class ChartView:
    """Shows charts one after the other; figures are made anew only where frames or names are others.

    `asked(want)` gives the file of the rows (`want` is "csv") and their table ("table").
    """

    def __init__(self, asked: Callable[[str], dict[str, Any]]) -> None:
        self._asked = asked
        self._chart, self._setting = Chart((), ()), ""
        self._plots: list[_Frame] = []
        self._legend = Sheet(style=LEGEND, margin=0)
        self._frames = pn.FlexBox(sizing_mode="stretch_width", margin=0, gap="4px 8px", styles={"max-height": "none"})
        self.panel = pn.Column(self._legend, self._frames, sizing_mode="stretch_width", margin=0)

    def show(self, chart: Chart, setting: str = "") -> None:
        """Draw a chart; the setting is told by its pictures."""
        before, self._chart, self._setting = self._chart, chart, setting
        if (chart.axes, chart.shape) != (before.axes, before.shape):
            self._legend.html = legend(chart)
            self._plots = [_Frame(chart, i, self._taken) for i in range(len(chart.axes))]
            self._frames.objects = [plot.panel for plot in self._plots]
        for plot in self._plots:
            plot.show(chart)

    def _taken(self, want: str, plot: int) -> dict[str, Any]:
        if want in PICTURES:
            return picture(want, drawing(self._chart, plot, self._setting), self._chart.axes[plot].name.split(",")[0])
        return self._asked(want)


def legend(chart: Chart) -> str:
    """What the curves are called, each with its colour and mark."""
    entries = []
    for name in chart.names:
        colour, mark = look(chart, name)
        shape = f"<svg viewBox='0 0 10 10' aria-hidden='true'><path d='{OUTLINES[mark]}' fill='{colour}'/></svg>"
        entries.append(f"<span>{shape}{escape(name)}</span>")
    return f"<div class='legend'>{''.join(entries)}</div>"


def drawing(chart: Chart, plot: int, setting: str = "") -> str:
    """One frame as SVG, with the names of its curves and the setting that they were measured with."""
    axes = chart.axes[plot]
    drawn = []
    for curve in chart.curves:
        if curve.plot == plot and len(curve.x):
            colour, mark = look(chart, curve.name)
            point = Stroke(curve.name, colour, *NOTHING, mark=mark)
            drawn.append((curve, [point] if curve.marks else [replace(point, mark=""), point]))
    return svg_of(axes, drawn, heading(axes), setting)


def heading(axes: Axes) -> str:
    """What a frame is called above it."""
    title = axes.title or axes.y.label.partition(",")[0]
    return f"{title[:1].upper()}{title[1:]}"


class _Frame:
    """One frame of a chart, with what can be taken from it."""

    def __init__(self, chart: Chart, plot: int, asked: Callable[[str, int], dict[str, Any]]) -> None:
        axes: Axes = chart.axes[plot]
        self._plot, self._axes = plot, axes
        n = len(axes.x.ticks)
        box, wheel = BoxZoomTool(), WheelZoomTool(modifiers="ctrl")
        hover = HoverTool(tooltips=[("", "@name"), (axes.x.label, "@x"), (axes.y.label, "@y")])
        self.figure = bare(
            height=HEIGHT,
            sizing_mode="stretch_width",
            x_axis_type="log" if axes.x.log else "linear",
            y_axis_type="log" if axes.y.log else "linear",
            x_range=Range1d(1, 2, reset_start=1, reset_end=2),
            y_range=Range1d(1, 2, reset_start=1, reset_end=2),
            x_axis_label=None if n else axes.x.label,
            tools=[box, wheel, hover],
            min_border_left=58,
            min_border_right=16,
        )
        self.figure.toolbar.active_drag = box
        for axis, log in ((self.figure.xaxis[0], axes.x.log), (self.figure.yaxis[0], axes.y.log)):
            if log:
                axis.ticker.mantissas = [1, 2, 5]
            else:
                axis.formatter = CustomJSTickFormatter(code=TICKS)
        for axis in self.figure.axis:
            axis.axis_label_text_font_style = "normal"
        if n:
            self.figure.xaxis[0].update(
                ticker=FixedTicker(ticks=list(range(n))),
                major_label_overrides=dict(enumerate(axes.x.ticks)),
                major_label_orientation=0.7 if n > 5 else "horizontal",
            )
        self._sources = {}
        for k, curve in self._own(chart):
            colour, mark = look(chart, curve.name)
            source = self._sources[k] = ColumnDataSource(dict(x=[], y=[], name=[]))
            if not curve.marks:
                self.figure.add_glyph(source, Line(x="x", y="y", line_color=colour, line_width=1.8))
            size = 9 if curve.marks else 7
            points = Scatter(x="x", y="y", marker=mark, size=size, fill_color=colour, line_color=None)
            self.figure.add_glyph(source, points, name=curve.name)
        self.head = Head(
            title=heading(axes),
            formula=axes.y.label if axes.title else axes.y.label.partition(",")[2].strip(),
            across=axes.x.label,
            figure_id=self.figure.id,
            sizing_mode="stretch_width",
            height=24,
            margin=0,
        )
        self.head.asked = lambda want: asked(want, plot)
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        styles = {
            "flex": "1 1 320px",
            "min-width": "min(320px, 100%)",
            "max-width": f"{WIDEST}px" if len(chart.axes) > 1 else "none",
        }
        self.panel = pn.Column(self.head, pane, margin=0, styles=styles)

    def _own(self, chart: Chart) -> list[tuple[int, Curve]]:
        """The curves of this frame, counted."""
        return list(enumerate(curve for curve in chart.curves if curve.plot == self._plot))

    def show(self, chart: Chart) -> None:
        """Replace the points that are others."""
        for k, curve in self._own(chart):
            source, data = self._sources[k], {"x": np.asarray(curve.x, float), "y": np.asarray(curve.y, float)}
            if any(not np.array_equal(data[column], source.data[column]) for column in data):
                source.data = data | {"name": [curve.name] * len(curve.x)}
        own = [curve for _, curve in self._own(chart)]
        for axis, range_, name in (
            (self._axes.x, self.figure.x_range, "x"),
            (self._axes.y, self.figure.y_range, "y"),
        ):
            put(range_, *span(axis, [getattr(curve, name) for curve in own]), anew=False)
