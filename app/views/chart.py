"""A chart on a page: its frames side by side, their points replaced as they come."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

import panel as pn
from bokeh.events import Tap

from engine.charts import Axes, Chart
from engine.wording import capital

from ..charts.bokeh import ChartFrame
from ..charts.look import looks
from ..charts.svg import OUTLINES, svg_of
from .plots import PICTURES, Head, picture
from .sheet import Sheet

HEIGHT = 320
WIDEST = 720
"""Pixels: one frame of several is no wider, so that slopes are seen for what they are."""


class ChartView:
    """Shows charts one after the other; figures are made anew only where frames or names are others.

    `asked(want)` gives the file of the rows (`want` is "csv") and their table ("table"); `picked(plot, x, y)` is told
    where an image was clicked.
    """

    def __init__(
        self,
        asked: Callable[[str], dict[str, Any]],
        picked: Callable[[int, float, float], Any] = lambda plot, x, y: None,
    ) -> None:
        self._asked, self._picked = asked, picked
        self._chart, self._setting = Chart((), ()), ""
        self._plots: list[_Plot] = []
        self._legend = Sheet(style="legend", margin=0)
        self._frames = pn.FlexBox(sizing_mode="stretch_width", margin=0, gap="4px 8px", styles={"max-height": "none"})
        self.panel = pn.Column(self._legend, self._frames, sizing_mode="stretch_width", margin=0)

    def show(self, chart: Chart, setting: str = "") -> None:
        """Draw a chart; the setting is told by its pictures."""
        before, self._chart, self._setting = self._chart, chart, setting
        if (chart.axes, chart.shape) != (before.axes, before.shape):
            self._legend.html = legend(chart)
            self._plots = [_Plot(chart, i, self._taken, self._picked) for i in range(len(chart.axes))]
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
    for name, look in looks(chart.curves).items():
        path = f"<path d='{OUTLINES[look.mark]}' fill='{look.colour}'/>"
        shape = f"<svg viewBox='0 0 10 10' aria-hidden='true'>{path}</svg>"
        entries.append(f"<span>{shape}{escape(name)}</span>")
    return f"<div class='legend'>{''.join(entries)}</div>"


def drawing(chart: Chart, plot: int, setting: str = "") -> str:
    """One frame as SVG, with the names of its curves and the setting that they were measured with."""
    curves = [curve for curve in chart.of(plot) if len(curve.x)]
    axes = chart.axes[plot]
    return svg_of(axes, curves, looks(chart.curves), heading(axes), setting, chart.image(plot))


def heading(axes: Axes) -> str:
    """What a frame is called above it."""
    return capital(axes.title or axes.y.label.partition(",")[0])


class _Plot:
    """One frame of a chart, with what can be taken from it."""

    def __init__(
        self,
        chart: Chart,
        plot: int,
        asked: Callable[[str, int], dict[str, Any]],
        picked: Callable[[int, float, float], Any],
    ) -> None:
        axes = chart.axes[plot]
        self._plot = plot
        self.frame = ChartFrame(axes, chart.of(plot), looks(chart.curves), HEIGHT, chart.image(plot))
        on_axes = chart.image(plot) is not None
        if on_axes:
            self.frame.figure.on_event(Tap, lambda event: _told_of(event, lambda x, y: picked(plot, x, y)))
        self.head = Head(
            title=heading(axes),
            formula="" if on_axes else axes.y.label if axes.title else axes.y.label.partition(",")[2].strip(),
            across=axes.x.label,
            figure_id=self.frame.figure.id,
            sizing_mode="stretch_width",
            height=24,
            margin=0,
        )
        self.head.asked = lambda want: asked(want, plot)
        pane = pn.pane.Bokeh(self.frame.figure, sizing_mode="stretch_width", margin=0)
        styles = {
            "flex": "1 1 320px",
            "min-width": "min(320px, 100%)",
            "max-width": f"{WIDEST}px" if len(chart.axes) > 1 else "none",
        }
        self.panel = pn.Column(self.head, pane, margin=0, styles=styles)

    def show(self, chart: Chart) -> None:
        """Replace the points that are others."""
        self.frame.show(chart.of(self._plot), chart.image(self._plot))


def _told_of(event: Any, picked: Callable[[float, float], Any]) -> None:
    """Tell of a click, whose place comes from a browser."""
    if all(isinstance(at, int | float) and math.isfinite(at) for at in (event.x, event.y)):
        picked(event.x, event.y)
