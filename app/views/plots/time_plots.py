"""Time plots: up to four above each other, with one time axis, which show a group of quantities."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import panel as pn
import param
from bokeh import models
from bokeh.events import Tap

from engine.exact import GOOD_REFERENCE, Motion
from engine.parameters.validation import Array
from engine.studies.core import Guide
from engine.text.formatting import format_ordinal
from engine.text.formatting import show as format_number
from engine.text.glossary import meaning

from ...browser.component import Component
from ...charts.bokeh import (
    FORMAT_EXPONENT_TICK,
    FORMAT_LINEAR_TICK,
    SEEK,
    ModelWriter,
    make_figure,
    set_ends,
)
from ...charts.downsample import downsample, is_band, spread_evenly
from ...charts.lab_chart import find_guides
from ...charts.scales import Scale, find_limits, to_axis
from ...charts.style import DASHES
from ...charts.svg import SIZE, Drawing, Stroke, file_name
from ...state.quantities import PLOTS, Curve, Group, Quantity, tabulate
from ...state.results import AWAITED, EXACT_COLOUR, EXACT_LABEL, Results, RunLine
from ...state.view import CURVES, ERRORS, SCALES, VECTORS, View
from ..controls.switches import Switches
from ..dialogs.html_block import make_caption
from ..dialogs.terms import make_term
from .plot_sources import Sources

MARGIN = 0.012
"""How far the time axis extends beyond the run, as a part of the duration, so that marks at its
ends are whole.
"""
WIDTHS = (2.6, 2.1, 1.6, 1.1)
"""Widths of the methods' curves, so that all of them are visible where they coincide."""
EXACT_WIDTH = 5.0
EXACT_OPACITY = 0.45
NO_CURVE = np.zeros(0), np.zeros(0)
BAND_OPACITY = 0.5
"""Of a curve that fills a band, so that it does not hide the others."""
TABLE_ROWS = 200
LOW, HIGH = 118, 190
"""Height of a plot in pixels, among four plots and among one or two."""
LEFT, RIGHT = 64, 112
"""Pixels beside all frames, so that the time axes align; the words on the curves are on the right.
"""

Formats = dict[bool, models.CustomJSTickFormatter]
"""Formats of ticks, for a logarithmic axis (True) and a linear one."""
PICTURES = {"svg": "image/svg+xml", "png": "image/png"}
"""The formats of pictures: the drawing, or its pixels, which the browser makes."""


def picture_file(want: str, drawing: str, *words: str) -> dict[str, Any]:
    """Return a drawing as a file in one of `PICTURES`, named after these words."""
    return {"name": file_name(*words, ending=want), "text": drawing, "type": PICTURES[want]}


class Head(Component):
    """The line above a plot: its title, its formula, and a menu of downloads."""

    title = param.String(doc="The quantity.")
    formula = param.String(doc="Its formula and unit.")
    across = param.String(default="time", doc="The quantity on the other axis.")
    log = param.Boolean(doc="Whether the values of a plot over time are decimal logarithms.")
    dashed = param.Boolean(
        default=None, allow_None=True, doc="Whether curves have dashes; None without a choice."
    )
    means = param.String(doc="The meaning of the title; empty if the glossary has none.")
    figure_id = param.String(doc="The Bokeh model of the plot.")

    script = "controls/plot-head.js"
    shared_styles = ("plot-head",)

    make_download: Callable[[str], dict[str, Any]]
    """Returns the table ("table") or the file of a download."""
    switch_dashes: Callable[[], Any]

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return what the message asks for, unless it switches something."""
        want = data.get("want")
        return want if isinstance(want, str) and want != "dashes" else None

    def _receive(self, data: Any) -> None:
        want = data.get("want") if isinstance(data, dict) else None
        if want in ("table", "csv", *PICTURES):
            self._send(self.make_download(want))
        elif want == "dashes" and self.dashed is not None:
            self.switch_dashes()


def find_meaning(title: str) -> str:
    """Return the meaning of a plot's title; for a component, such as Ω₁, that of the vector."""
    return meaning(title) or meaning(title.rpartition(" ")[0]) or meaning(title.partition(",")[0])


def plan_quantity(quantity: Quantity, log: bool, relative: bool) -> dict[str, Any]:
    """Return how the browser draws a quantity of its own runs; only an error has a logarithmic
    axis.
    """
    return {
        "title": quantity.title,
        "formula": quantity.formula(log, relative),
        "key": quantity.declared.key,
        "relative": relative and quantity.whole is not None,
        "log": log and quantity.error,
        "exact": quantity.exact is not None,
    }


class PlotLine:
    """A curve in a figure; `stroke` is what it draws, downsampled, and `source` the id of its
    source.
    """

    def __init__(self, figure: Any, sources: Sources, width: float, opacity: float = 1.0) -> None:
        self._sources = sources
        self._source = sources.add_source()
        self.source = str(self._source.id)
        # A single glyph: figure.line adds three more for selections, which these plots do not have.
        glyph = models.Line(
            x="t", y="y", line_color=EXACT_COLOUR, line_join="round", line_width=width
        )
        renderer = figure.add_glyph(self._source, glyph, name="", visible=False)
        self._renderer = ModelWriter(renderer)
        self._glyph = ModelWriter(glyph)
        self.stroke = Stroke("", EXACT_COLOUR, *NO_CURVE, opacity=opacity)

    def draw(self, curve: Curve | None, log: bool, label: str, colour: str, **look: Any) -> Array:
        """Draw a curve, by default translucent if it fills a band, and return its values on the
        axis.
        """
        if curve is None and not len(self.stroke.t):
            return self.stroke.y
        t, y = curve or NO_CURVE
        y = to_axis(y, log)
        rows = downsample(t, y)
        t, y = t[rows], y[rows]
        self._sources.set_points(self._source, t, y)
        self.stroke = Stroke(
            label, colour, t, y, **{"opacity": BAND_OPACITY if is_band(y) else 1.0} | look
        )
        self._renderer.write(name=label, visible=len(rows) > 0)
        self._glyph.write(
            line_color=colour, line_dash=self.stroke.dash, line_alpha=self.stroke.opacity
        )
        return y


class Plot:
    """A figure with its head: a curve for each method and for the exact motion, and a mark where a
    run ended early.
    """

    def __init__(
        self, times: models.Range1d, height: int, right: int, sources: Sources, formats: Formats
    ) -> None:
        self._sources = sources
        self._formats = formats
        ends = models.HoverTool(tooltips=[("", "@label ended at t = @t{0.[0000]}"), ("", "@why")])
        box = models.BoxZoomTool()
        self.values = models.Range1d(0, 1, reset_start=0, reset_end=1)
        wheel = models.WheelZoomTool(dimensions="width", modifiers="ctrl")
        self.figure = make_figure(
            height=height,
            sizing_mode="stretch_width",
            x_range=times,
            y_range=self.values,
            tools=[box, wheel, ends],
            tags=["timeplot"],
            min_border_left=LEFT,
            min_border_right=right,
            min_border_top=4,
            min_border_bottom=22,
        )
        self.figure.toolbar.active_drag = box
        self.figure.toolbar.active_scroll = wheel
        self.figure.js_on_event(Tap, models.CustomJS(code=SEEK))
        self.figure.xgrid.grid_line_color = None
        self.figure.xaxis[0].ticker.desired_num_ticks = 6
        self.figure.xaxis[0].formatter = formats[False]
        self.figure.yaxis[0].ticker = models.AdaptiveTicker(
            desired_num_ticks=4, num_minor_ticks=0, mantissas=[1, 2, 5]
        )

        self._exact = PlotLine(self.figure, sources, EXACT_WIDTH, EXACT_OPACITY)  # below the others
        self._lines = [PlotLine(self.figure, sources, width) for width in WIDTHS]
        marks = models.ColumnDataSource(dict(t=[], y=[], colour=[], label=[], why=[]))
        mark = models.Scatter(x="t", y="y", marker="x", size=11, line_width=3, line_color="colour")
        ends.renderers = [self.figure.add_glyph(marks, mark)]
        corner = {"x": 16, "y": 8, "x_units": "screen", "y_units": "screen"}
        waiting = models.Label(
            **corner, text=AWAITED, text_color=EXACT_COLOUR, text_font_size="12px"
        )
        self.figure.add_layout(waiting)
        self._ends = marks.id
        self._marks = ModelWriter(marks)
        self._waiting = ModelWriter(waiting)
        self.head = Head(figure_id=self.figure.id, sizing_mode="stretch_width", height=24, margin=0)
        self.head.make_download = self.make_download
        self.panel = pn.Column(
            self.head, pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0), margin=0
        )
        self._shown: tuple[Results, Quantity, bool, bool] | None = None
        self._plan: dict[str, Any] = {}
        self._guides: list[Guide] = []
        self._words: list[list[Any]] = []
        """The text, the places x and y and the colour of each guide."""

    def show(
        self, results: Results, quantity: Quantity, log: bool, relative: bool, dashed: bool
    ) -> None:
        """Draw a quantity."""
        before = self._plan
        self._plan = plan_quantity(quantity, log, relative)
        log = self._plan["log"]
        self._shown = (results, quantity, log, relative)
        head = {name: self._plan[name] for name in ("title", "formula", "log")}
        anew = not head.items() <= before.items()
        if anew:
            self.head.param.update(**head, means=quantity.means or find_meaning(quantity.title))
            self.figure.yaxis[0].formatter = self._formats[log]
            self.figure.yaxis[0].ticker.min_interval = 1.0 if log else 0.0
        if self.head.dashed != dashed:
            self.head.dashed = dashed

        curves = {line.label: quantity.values(line, relative) for line in results.lines}
        broad = {"width": EXACT_WIDTH, "opacity": EXACT_OPACITY}
        drawn = [self._exact.draw(quantity.exact, log, EXACT_LABEL, EXACT_COLOUR, **broad)]
        for drawing, dash, line in itertools.zip_longest(self._lines, DASHES, results.lines):
            curve, label, colour = (
                (curves[line.label], line.label, line.colour) if line else (None, "", EXACT_COLOUR)
            )
            drawn.append(
                drawing.draw(curve, log, label, colour, dash=dash if dashed else DASHES[0])
            )
        self._waiting.write(visible=results.exact_is_pending and not any(map(len, drawn)))
        low, high = find_limits(drawn, log)
        set_ends(self.values, low, high, anew=anew)
        self._mark_ends(results, low, high)
        self._guides = find_guides(results, quantity, curves, log, relative)
        colours = {line.label: line.colour for line in results.lines}
        self._words = []
        for guide in self._guides:
            x, y = guide.x[-1], guide.y[-1]
            places = (
                x if math.isfinite(x) else None,
                float(to_axis(np.array(y), log)) if math.isfinite(y) else None,
            )
            self._words.append([guide.text, *places, colours.get(guide.of)])

    def make_plan(self) -> dict[str, Any]:
        """Return the words on the curves, and how the browser draws its own runs, of another Δt or
        duration.
        """
        lines = [self._exact, *self._lines]
        return self._plan | {
            "lines": [line.source for line in lines],
            "looks": [
                (line.stroke.label, line.stroke.colour, line.stroke.opacity) for line in lines
            ],
            "ends": self._ends,
            "x_range": [self.figure.x_range.reset_start, self.figure.x_range.reset_end],
            "y_range": [self.values.reset_start, self.values.reset_end],
            "words": self._words,
        }

    def _mark_ends(self, results: Results, low: float, high: float) -> None:
        """Mark where runs ended early, always within the frame."""
        inside = 0.07 * (high - low)
        ended = [
            (line, [low, *drawing.stroke.y[-1:]])
            for line, drawing in zip(results.lines, self._lines, strict=False)
            if isinstance(line, RunLine) and line.run.status != "done"
        ]
        marks: dict[str, list[Any]] = {
            "t": [float(line.run.t[-1]) for line, _ in ended],
            "y": [float(np.clip(y[-1], low + inside, high - inside)) for _, y in ended],
            "colour": [line.colour for line, _ in ended],
            "label": [line.label for line, _ in ended],
            "why": [end_reason(line) for line, _ in ended],
        }
        self._marks.write(data=marks)

    # ------------------------------------------------------------------ downloads

    def make_download(self, want: str) -> dict[str, Any]:
        """Return the table of the plot, or a file."""
        if self._shown is None:
            return {}
        results, quantity, _, relative = self._shown
        if want in PICTURES:
            return picture_file(want, self.svg(), results.problem.key, quantity.title)
        frame = tabulate(results, quantity, relative)
        if want == "csv":
            name = file_name(results.problem.key, quantity.title, ending="csv")
            return {"name": name, "text": frame.to_csv(), "type": "text/csv"}
        rows = spread_evenly(len(frame), TABLE_ROWS) if len(frame) else np.arange(0)
        some = (
            f"{len(rows)} of {len(frame)} rows, evenly spaced; the CSV has all."
            if len(rows) < len(frame)
            else ""
        )
        formula = quantity.formula(False, relative)
        return {
            "caption": f"{quantity.title}, {formula}. {some}",
            "columns": ["t", *frame.columns],
            "rows": [
                [format_number(t), *("" if np.isnan(x) else format_number(x, 5) for x in values)]
                for t, values in zip(frame.index[rows], frame.to_numpy()[rows], strict=True)
            ],
        }

    def svg(self, size: tuple[int, int] = SIZE, *, setting: bool = True) -> str:
        """Return the plot as SVG, as it is zoomed, with its title, axes, the methods' names and the
        setting.
        """
        assert self._shown is not None
        results, quantity, log, relative = self._shown
        strokes = [self._exact.stroke] if len(self._exact.stroke.t) else []
        strokes += [
            replace(drawing.stroke, ended=line.run.status != "done")
            for line, drawing in zip(results.lines, self._lines, strict=False)
            if line.run is not None
        ]
        times, values = (
            (range_.start, range_.end) for range_ in (self.figure.x_range, self.values)
        )
        across = Scale("time t", times)
        up = Scale(quantity.formula(log, relative), values, log)
        described = results.choice.describe() if setting else ""
        return Drawing(
            quantity.title, strokes, across, up, setting=described, size=size, guides=self._guides
        ).draw()


TIME_AXIS = (
    f"<p class='axis'>{make_term('Time t', meaning('t'))}, in the problem's unit of time</p>"
)
SWITCHES = {
    "group": ("Plots", "The quantities of the plots", "tabs"),
    "axis": ("Axis", "Axis of the errors", "switch"),
    "errors": ("Errors", "Errors relative to the conserved value, or absolute", "switch"),
    "vector": ("Vector", "Angular velocity Ω or momentum Π, in the body", "switch"),
}
"""The switches: name, description and style."""
VIEWED = (*SWITCHES, "curves")
"""What belongs to the page's view."""


class TimePlots(param.Parameterized):
    """Plots above each other, with one time axis, of a group of quantities, by default the
    first.
    """

    group = param.Selector(doc="The group of quantities.")
    axis = param.Selector(default=SCALES[0], objects=list(SCALES), doc="The axis of the errors.")
    errors = param.Selector(
        default=ERRORS[0], objects=list(ERRORS), doc="Whether errors are relative."
    )
    vector = param.Selector(
        default=VECTORS[0], objects=list(VECTORS), doc="The vector of the group Motion."
    )
    curves = param.Selector(
        default=CURVES[0], objects=list(CURVES), doc="Whether the methods' curves have dashes."
    )

    def __init__(
        self,
        groups: Mapping[str, Group],
        height: int = LOW,
        *,
        right: int = RIGHT,
        group: str = "",
        most: int = PLOTS,
        **params: Any,
    ) -> None:
        self._groups = groups
        super().__init__(**params)
        with param.parameterized.discard_events(self):
            self.param["group"].objects = list(groups)
            self.group = group or next(iter(groups))
        self._results: Results | None = None
        self._duration: float | None = None
        self._times = models.Range1d(0, 1, reset_start=0, reset_end=1)
        self._sources = Sources()
        formats = {
            log: models.CustomJSTickFormatter(
                code=FORMAT_EXPONENT_TICK if log else FORMAT_LINEAR_TICK
            )
            for log in (True, False)
        }
        self.plots = [Plot(self._times, height, right, self._sources, formats) for _ in range(most)]
        for plot in self.plots:
            plot.head.switch_dashes = self._switch_dashes

        sets = [
            (name, about, list(self.param[key].objects), looks)
            for key, (name, about, looks) in SWITCHES.items()
        ]
        self.switches = Switches(sets=sets, sizing_mode="stretch_width", margin=(0, 0, 4, 0))
        self.switches.param.watch(
            lambda event: self.param.update(dict(zip(SWITCHES, event.new, strict=True))), "chosen"
        )
        self._caption = make_caption(44)
        parts = [self.switches, *(plot.panel for plot in self.plots), self._caption, self._sources]
        self.panel = pn.Column(*parts, sizing_mode="stretch_width", margin=0)
        self._fit_switches()

    def read_view(self) -> dict[str, str]:
        """Return the attributes of a `View` that belong to the plots."""
        group = "" if self.group == next(iter(self._groups)) else self.group
        return {"plots": group} | {
            name: getattr(self, name) for name in ("axis", "errors", "vector", "curves")
        }

    def look(self, view: View) -> None:
        """Draw the plots in this way."""
        group = view.plots if view.plots in self._groups else next(iter(self._groups))
        self.param.update(
            group=group, axis=view.axis, errors=view.errors, vector=view.vector, curves=view.curves
        )

    def show(self, results: Results) -> None:
        """Draw the group."""
        self._results = results
        self._draw()

    def _switch_dashes(self) -> None:
        self.curves = CURVES[1 - CURVES.index(self.curves)]

    @param.depends(*VIEWED, watch=True)
    def _redraw(self) -> None:
        with pn.io.hold():
            self._fit_switches()
            self._draw()

    def _fit_switches(self) -> None:
        """Update the switches, and hide those without effect in this group."""
        always = ("group",) if len(self._groups) > 1 else ()
        self.switches.param.update(
            chosen=[getattr(self, key) for key in SWITCHES],
            useful=[SWITCHES[key][0] for key in (*always, *self._groups[self.group].switches)],
        )

    def list_plans(self, results: Results) -> list[dict[str, Any]]:
        """Return for each plot how the browser draws its own runs of another problem, which has
        these results.
        """
        log = self.axis == SCALES[0]
        relative = self.errors == ERRORS[0]
        return [
            plan_quantity(x, log, relative)
            for x in self._groups[self.group].quantities(results, self.vector)
        ]

    def _draw(self) -> None:
        if (results := self._results) is None:
            return
        duration = results.choice.duration or results.choice.dt
        set_ends(
            self._times,
            -MARGIN * duration,
            (1 + MARGIN) * duration,
            anew=duration != self._duration,
        )
        self._duration = duration
        quantities = self._groups[self.group].quantities(results, self.vector)
        for plot, quantity in itertools.zip_longest(self.plots, quantities):
            if plot.panel.visible != (quantity is not None):
                plot.panel.visible = quantity is not None
            if quantity is not None:
                plot.show(
                    results,
                    quantity,
                    self.axis == SCALES[0],
                    self.errors == ERRORS[0],
                    self.curves != CURVES[0],
                )
        self._sources.send(
            {
                plot.figure.id: plot.make_plan()
                for plot, _ in zip(self.plots, quantities, strict=False)
            }
        )
        self._caption.html = TIME_AXIS + html.escape(describe_curves(results))


def end_reason(line: RunLine) -> str:
    """Return why a run ended early."""
    return str(line.run.messages[-1] if line.run.messages else line.run.status)


def describe_curves(results: Results) -> str:
    """Return what the plots leave out, and what they compare the runs with."""
    sentences = []
    every = max((line.run.every for line in results.runs), default=1)
    if every > 1:
        drawn = f"Every {format_ordinal(every)} state is drawn"
        sentences.append(f"{drawn}; the extremes in the ledger cover every step.")
    sentences += [f"{line.label}: {line.why_not}" for line in results.lines if line.run is None]
    sentences += [
        f"{line.label} ended early (✕): {end_reason(line)}"
        for line in results.runs
        if line.run.status != "done"
    ]
    if results.exact is not None:
        sentences.append(f"Exact: {results.exact.how}, {describe_accuracy(results.exact)}.")
        sentences += [results.no_exact] if results.no_exact else []
        sentences += [
            f"{line.label}: {line.error.message}"
            for line in results.runs
            if line.error is not None and line.error.message
        ]
    elif results.exact_is_pending:
        sentences.append(f"{results.no_exact} The errors against it follow.")
    elif results.no_exact:
        sentences.append(f"No exact motion to compare with: {results.no_exact}")
    return " ".join(sentences)


def describe_accuracy(motion: Motion) -> str:
    """Return the error bound of an exact motion's attitude, and if that is large, until when it is
    small.
    """
    bound = motion.estimate.attitude
    if bound <= GOOD_REFERENCE:
        return f"good to {format_number(bound, 1)} rad"
    until = format_number(motion.horizon, 4)
    end = format_number(motion.t[-1], 4)
    good = f"good to {format_number(GOOD_REFERENCE, 1)} rad up to t = {until}"
    return f"{good}, and to {format_number(bound, 1)} rad up to t = {end}"
