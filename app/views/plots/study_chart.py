"""A study's chart: frames side by side, whose points are replaced as they arrive."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

import panel as pn
from bokeh.events import Tap

from engine.algorithms import split_names
from engine.studies.core import Axes, Chart
from engine.text.formatting import capitalise

from ...charts.bokeh import ChartFrame
from ...charts.style import BAND, choose_looks
from ...charts.svg import OUTLINES, draw_chart
from ..dialogs.html_block import HtmlBlock
from .plot_head import PICTURES, Head, picture_file

HEIGHT = 320
LINE = "M0 4h10v2H0Z"
"""The sample of a line in the legend."""
WIDEST = 720
"""Largest width of one frame of several, in pixels, so that slopes look alike."""


class ChartView:
    """Shows one chart after the other, and makes new figures only when frames or names change.

    `make_download(want)` returns the file of the rows ("csv") or their table ("table");
    `on_point(plot, x, y)` receives where an image was clicked. `height` is that of a frame in pixels.
    """

    def __init__(
        self,
        make_download: Callable[[str], dict[str, Any]],
        on_point: Callable[[int, float, float], Any] = lambda plot, x, y: None,
        height: int = HEIGHT,
    ) -> None:
        self._make_row_download = make_download
        self._height = height
        self._on_point = on_point
        self._chart = Chart((), ())
        self._setting = ""
        self._plots: list[_Plot] = []
        self._legend = HtmlBlock(style="legend", margin=0)
        self._frames = pn.FlexBox(
            sizing_mode="stretch_width", margin=0, gap="4px 8px", styles={"max-height": "none"}
        )
        self.panel = pn.Column(self._legend, self._frames, sizing_mode="stretch_width", margin=0)

    def show(self, chart: Chart, setting: str = "") -> None:
        """Draw a chart; its pictures contain the setting."""
        before = self._chart
        self._chart = chart
        self._setting = setting
        self._legend.html = legend_html(chart)
        if (chart.axes, chart.shape) != (before.axes, before.shape):
            self._plots = [
                _Plot(chart, i, self._make_download, self._on_point, self._height)
                for i in range(len(chart.axes))
            ]
            self._frames.objects = [plot.panel for plot in self._plots]
        for plot in self._plots:
            plot.show(chart)

    def _make_download(self, want: str, plot: int) -> dict[str, Any]:
        if want in PICTURES:
            name = self._chart.axes[plot].name.split(",")[0]
            return picture_file(want, draw_svg(self._chart, plot, self._setting), name)
        return self._make_row_download(want)


def legend_html(chart: Chart) -> str:
    """Return the names of the curves, each with its colour and mark; what variants of one method
    share stands before them.
    """
    entries = []
    curves = {curve.name: curve for curve in chart.curves}
    variants = split_names(curves)
    before = ""
    for i, (name, look) in enumerate(choose_looks(chart.curves).items()):
        curve = curves[name]
        shared, own = variants.split(name)
        if shared and shared != before:
            entries.append(f"<b>{escape(shared)}</b>")
        before = shared
        shape = (
            OUTLINES[look.mark]
            if curve.marks
            else LINE
            if curve.under is None
            else OUTLINES["square"]
        )
        shade = 1.0 if curve.under is None else 1.0 - (1.0 - BAND) ** (i + 1)
        path = f"<path d='{shape}' fill='{look.colour}' fill-opacity='{shade:.2g}'/>"
        shape = f"<svg viewBox='0 0 10 10' aria-hidden='true'>{path}</svg>"
        note = f": <small>{escape(chart.notes[name])}</small>" if name in chart.notes else ""
        entries.append(f"<span>{shape}{escape(own)}{note}</span>")
    return f"<div class='legend'>{''.join(entries)}</div>"


def draw_svg(chart: Chart, plot: int, setting: str = "") -> str:
    """Return one frame as SVG, with the names of its curves and the setting."""
    chart = chart.with_notes()
    curves = [curve for curve in chart.of(plot) if len(curve.x)]
    axes = chart.axes[plot]
    title = frame_title(axes)
    image = chart.image(plot)
    guides = chart.guides_of(plot)
    return draw_chart(
        axes, curves, choose_looks(chart.curves), title, setting, image, guides
    ).draw()


def frame_title(axes: Axes) -> str:
    """Return the title of a frame."""
    return capitalise(axes.title or axes.y.label.partition(",")[0])


class _Plot:
    """One frame of a chart, with its downloads."""

    def __init__(
        self,
        chart: Chart,
        plot: int,
        make_download: Callable[[str, int], dict[str, Any]],
        on_point: Callable[[int, float, float], Any],
        height: int,
    ) -> None:
        axes = chart.axes[plot]
        self._plot = plot
        looks = choose_looks(chart.curves)
        guides = chart.guides_of(plot)
        self.frame = ChartFrame(axes, chart.of(plot), looks, height, chart.image(plot), guides)
        is_image = chart.image(plot) is not None
        if is_image:
            self.frame.figure.on_event(
                Tap, lambda event: _report_click(event, lambda x, y: on_point(plot, x, y))
            )
        self.head = Head(
            title=frame_title(axes),
            formula=""
            if is_image
            else axes.y.label
            if axes.title
            else axes.y.label.partition(",")[2].strip(),
            across=axes.x.label,
            figure_id=self.frame.figure.id,
            sizing_mode="stretch_width",
            height=24,
            margin=0,
        )
        self.head.make_download = lambda want: make_download(want, plot)
        pane = pn.pane.Bokeh(self.frame.figure, sizing_mode="stretch_width", margin=0)
        styles = {
            "flex": "1 1 320px",
            "min-width": "min(320px, 100%)",
            "max-width": f"{WIDEST}px" if len(chart.axes) > 1 else "none",
        }
        self.panel = pn.Column(self.head, pane, margin=0, styles=styles)

    def show(self, chart: Chart) -> None:
        """Replace the points that changed."""
        self.frame.show(chart.of(self._plot), chart.image(self._plot), chart.guides_of(self._plot))


def _report_click(event: Any, on_point: Callable[[float, float], Any]) -> None:
    """Report a click, if the browser sent a valid position."""
    if all(isinstance(at, int | float) and math.isfinite(at) for at in (event.x, event.y)):
        on_point(event.x, event.y)
