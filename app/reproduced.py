"""A paper's figure, computed anew, as Bokeh plots: the page shows them, and `app.paper_figure` in a notebook.

What the paper prints is marked by hollow diamonds, in the colour of what was measured for it. Bokeh's own plots in
place of HoloViews', which take seconds where there are twenty curves, and the page would stand still meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    CustomJSTickFormatter,
    FixedTicker,
    HoverTool,
    Legend,
    LegendItem,
    LogTicker,
    Range1d,
    ResetTool,
    Ticker,
)
from bokeh.plotting import figure

from engine.charts import Axes, Axis, Curve
from engine.papers import Drawn

from .charts import svg_of
from .drawing import FLOOR, TICKS, VALUE, WRITE_NUMBER, Stroke, stacked
from .frame import INK, bare
from .model.gallery import source
from .model.results import COLOURS as OF_METHODS

COLOURS = (*OF_METHODS, "#E69F00", "#56B4E9")
"""Okabe and Ito's; where they do not suffice they come again with other marks and lines."""
MARKERS = ("circle", "square", "triangle", "inverted_triangle", "hex", "star")
DASHES = ("solid", "dashed", "dotdash")
PAPER_COLOUR = "#7A8591"
OF_PAPER: dict[str, Any] = {"marker": "diamond", "size": 13, "line_width": 2, "fill_alpha": 0}
PAPER = "paper"
"""The word in a curve's name that tells it from the one beside it that was measured."""
PAPER_LABEL = "as the paper prints"
MARKED = 300
"""Points up to which each of them is marked by its full size."""
OF_LEGEND: dict[str, Any] = {"label_text_font_size": "12px", "spacing": 4, "label_standoff": 5, "glyph_width": 22}
NO_POINTS = np.zeros(0), np.zeros(0)
AS_PAPER = Curve(PAPER_LABEL, *NO_POINTS)
HOLLOW = Stroke("", "", *NO_POINTS, mark="diamond", hollow=True)
HEIGHT, ROW = 350, 24
"""Pixels of a plot, and of each row of names below it."""
LOG_TICKS = (
    WRITE_NUMBER + "const e = Math.log10(tick);"
    "return Math.abs(e - Math.round(e)) < 1e-9 ? '10' + raised(Math.round(e)) : written(tick, 2, tick);"
)
FIRST_WIDTH = 420
"""Pixels, until the browser tells how many there are."""


@dataclass(frozen=True)
class Style:
    """How a curve is drawn."""

    colour: str
    marker: str
    dash: str


def plots(drawn: Drawn) -> list[figure]:
    """One plot for each of the figure's axes."""
    chosen = styles(drawn)
    return [_plot(drawn, i, axes, chosen) for i, axes in enumerate(drawn.figure.axes)]


def picture(drawn: Drawn) -> str:
    """The whole figure as a drawing on white: its plots below each other, with its title, and with what it is of."""
    chosen, figure = styles(drawn), drawn.figure
    stopped = "" if drawn.finished else " Stopped: not all of it was computed."
    said = f"{source(figure.reference).short}, {figure.where}. {figure.plotted}{stopped}"
    drawings = []
    for i, axes in enumerate(figure.axes):
        sample = (AS_PAPER, [replace(HOLLOW, label=PAPER_LABEL, colour=PAPER_COLOUR)])
        curves = [(curve, _strokes(curve, axes, chosen[curve.name])) for curve in drawn.of(i)]
        several = f" ({axes.name})" if len(figure.axes) > 1 else ""
        named = [sample] if any(curve.paper for curve, _ in curves) else []
        drawings.append(svg_of(axes, named + curves, f"{figure.title}{several}", said if i == 0 else ""))
    return stacked(drawings)


def _strokes(curve: Curve, axes: Axes, style: Style) -> list[Stroke]:
    """As `_draw` draws a curve."""
    if curve.paper:
        return [replace(HOLLOW, label=PAPER_LABEL, colour=style.colour)]
    line, marks = not axes.x.ticks, curve.marks or bool(axes.x.ticks)
    found = (
        [Stroke(curve.name, style.colour, *NO_POINTS, width=1.2 if marks else 2.0, dash=style.dash)] if line else []
    )
    return found + ([Stroke(curve.name, style.colour, *NO_POINTS, mark=style.marker)] if marks else [])


def _plot(drawn: Drawn, number: int, axes: Axes, chosen: dict[str, Style]) -> figure:
    curves = drawn.of(number)
    frame = bare(
        height=HEIGHT,
        sizing_mode="stretch_width",
        title=axes.name if len(drawn.figure.axes) > 1 else "",
        x_axis_type="log" if axes.x.log else "linear",
        y_axis_type="log" if axes.y.log else "linear",
        x_axis_label="" if axes.x.ticks else axes.x.label,
        y_axis_label=axes.y.label,
        tools=[box := BoxZoomTool(), ResetTool()],
        min_border_right=16,
        name=axes.name,
    )
    frame.toolbar.active_drag = box
    frame.title.update(text_font_size="13px", text_color=INK)
    for axis in frame.axis:
        axis.update(major_tick_line_color=None, axis_label_text_font_style="normal")
    for axis, shown in ((frame.xaxis[0], axes.x), (frame.yaxis[0], axes.y)):
        if shown.log:
            axis.ticker = _log_ticker(curves, "x" if shown is axes.x else "y")
            axis.formatter = CustomJSTickFormatter(code=LOG_TICKS)
        else:
            axis.formatter = CustomJSTickFormatter(code=TICKS)
    if axes.x.ticks:
        _count(frame, axes.x)
    items = {curve.name: _draw(frame, curve, axes, chosen[curve.name]) for curve in curves}
    named = [LegendItem(label=c.name, renderers=items[c.name]) for c in curves if not c.paper]
    if any(curve.paper for curve in curves):
        sample = frame.scatter([np.nan], [np.nan], line_color=PAPER_COLOUR, **OF_PAPER)
        named.append(LegendItem(label=PAPER_LABEL, renderers=[sample]))
    if named:
        _wrapped(frame, named)
    return frame


def _log_ticker(curves: Sequence[Curve], along: str) -> Ticker:
    """Powers of ten, or where there are hardly two of them 1, 2 and 5: Bokeh's has them lie over each other."""
    values = np.concatenate([getattr(curve, along) for curve in curves] or [np.ones(1)])
    values = values[np.isfinite(values) & (values > 0)]
    if not len(values) or values.max() > 100 * values.min():
        return LogTicker(desired_num_ticks=6, num_minor_ticks=0)
    powers = 10.0 ** np.arange(np.floor(np.log10(values.min())), np.ceil(np.log10(values.max())) + 1)
    return FixedTicker(ticks=np.outer(powers, (1, 2, 5)).ravel().tolist())


def _count(frame: figure, axis: Axis) -> None:
    """An axis that counts things has their names."""
    frame.x_range = Range1d(-0.6, len(axis.ticks) - 0.4)
    frame.xaxis[0].ticker = FixedTicker(ticks=list(range(len(axis.ticks))))
    frame.xaxis[0].major_label_overrides = dict(enumerate(axis.ticks))
    frame.xaxis[0].major_label_orientation = 0.9
    frame.height += 5 * max(map(len, axis.ticks))


def _draw(frame: figure, curve: Curve, axes: Axes, style: Style) -> list[Any]:
    """A line, marks, or both."""
    y = np.clip(curve.y, FLOOR, None) if axes.y.log else curve.y
    source = ColumnDataSource({"x": curve.x, "y": y})
    drawn = []
    line, marks = not curve.paper and not axes.x.ticks, curve.paper or curve.marks or bool(axes.x.ticks)
    if line:
        look = {"line_width": 1.2, "line_alpha": 0.45} if marks else {"line_width": 2.0}
        drawn.append(frame.line("x", "y", source=source, line_color=style.colour, line_dash=style.dash, **look))
    if curve.paper:
        drawn.append(frame.scatter("x", "y", source=source, line_color=style.colour, **OF_PAPER))
    elif marks:
        size = 7 if len(curve.x) <= MARKED else 3
        drawn.append(frame.scatter("x", "y", source=source, color=style.colour, marker=style.marker, size=size))
    x = "@x{custom}"
    if axes.x.ticks:
        source.data["place"] = [axes.x.ticks[int(i)] for i in curve.x]
        x = "@place"
    told = [
        ("", curve.name),
        (axes.x.label, x),
        (axes.y.label, "@y{custom}"),
    ]
    written = CustomJSHover(code=VALUE)
    frame.add_tools(HoverTool(renderers=drawn[-1:], tooltips=told, formatters={"@x": written, "@y": written}))
    return drawn


def _wrapped(frame: figure, named: list[LegendItem]) -> None:
    """A legend below the frame, with as many columns as there is room for; a click hides a curve."""
    legend = Legend(
        items=named, location="left", orientation="horizontal", click_policy="hide", padding=4, margin=0,
        background_fill_alpha=0, border_line_color=None, label_text_color=INK, **OF_LEGEND,
    )  # fmt: skip
    # The page's theme makes the names as large as its headings.
    keep = CustomJS(args=OF_LEGEND, code=f"cb_obj.setv({{{', '.join(OF_LEGEND)}}})")
    legend.js_on_change("label_text_font_size", keep)
    frame.add_layout(legend, "below")
    wide = 48 + 6.6 * max(len(str(item.label.value)) for item in named)
    columns = CustomJS(
        args={"legend": legend, "wide": wide},
        code="legend.ncols = Math.max(1, Math.floor((cb_obj.outer_width - 90) / wide))",
    )
    # Only the columns: a height that follows the width has the browser lay out the page for ever.
    frame.js_on_change("outer_width", columns)
    legend.ncols = max(1, int(FIRST_WIDTH / wide))
    frame.height += ROW * -(-len(named) // legend.ncols)


def styles(drawn: Drawn) -> dict[str, Style]:
    """How each curve is drawn, by its name; methods that the lab is opened with have its colours.

    A colour is that of a family: of what a number of the paper is about, or of one curve.
    """
    names = list(dict.fromkeys(curve.name for curve in drawn.curves))
    printed = dict.fromkeys(without_paper(curve.name) for curve in drawn.curves if curve.paper)
    family = {name: next((group for group in printed if belongs(name, group)), name) for name in names}
    opened = [f for method in drawn.figure.methods for f in family.values() if belongs(f, method)]
    place = {one: i for i, one in enumerate(dict.fromkeys([*opened, *family.values()]))}
    before: Counter[str] = Counter()
    chosen = {}
    for name in sorted(names, key=lambda name: without_paper(name) != name):
        own = family[name]
        chosen[name] = _style(place[own], before[own])
        before[own] += 1
    return chosen


def _style(place: int, member: int) -> Style:
    """Of a family's place among all, and of a curve's among the family's."""
    again = place // len(COLOURS) + member
    return Style(COLOURS[place % len(COLOURS)], MARKERS[(place + member) % len(MARKERS)], DASHES[again % len(DASHES)])


def belongs(name: str, group: str) -> bool:
    """Whether a curve is one of a group, by its name: "MR2, least" and "counted, MR2" are of "MR2"."""
    return name == group or name.startswith(f"{group}, ") or name.endswith(f", {group}")


def without_paper(name: str) -> str:
    """What a curve's name says besides that it is the paper's."""
    return ", ".join(part for part in name.split(", ") if part != PAPER)
