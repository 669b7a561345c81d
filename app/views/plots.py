"""Time plots: four above each other, with one time axis; what they show is one of the groups of quantities."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.events import Tap
from bokeh.models import (
    AdaptiveTicker,
    BoxZoomTool,
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    CustomJSTickFormatter,
    HoverTool,
    Label,
    Line,
    Range1d,
    Scatter,
    WheelZoomTool,
)

from engine.checks import Array
from engine.exact import Motion
from engine.exact.reference import GOOD
from engine.glossary import meaning
from engine.wording import ordinal, short

from ..bundle import ASSETS, fetched
from ..charts.axes import FLOOR, limits, on_axis
from ..charts.bokeh import TICKS, VALUE, WRITE_NUMBER, bare, put
from ..charts.svg import SIZE, Stroke, file_name, svg
from ..component import Component
from ..model.downsample import downsampled, evenly
from ..model.quantities import PLOTS, Curve, Group, Quantity, table
from ..model.results import AWAITED, EXACT_COLOUR, Ran, Results
from ..model.view import ERRORS, SCALES, VECTORS
from .sheet import caption
from .sources import NO_POINTS, Sources
from .switches import Switches
from .terms import term

BESIDE = 0.012
"""By how much of the duration the time axis goes beyond it, so that what lies at its ends is seen whole."""
WIDTHS = (2.6, 2.1, 1.6, 1.1)
"""Of the methods' curves: where they lie on each other, all of them are seen."""
EXACT_WIDTH = 5.0
TABLE_ROWS = 200
LOW, HIGH = 118, 190
"""Pixels of a plot: of four above each other, and of one or two."""
LEFT, RIGHT = 64, 20
"""Pixels beside the frames, the same for all, so that the times stand above each other."""


LOG_TICKS = WRITE_NUMBER + "return Number.isInteger(tick) ? '10' + raised(tick) : written(10 ** tick, 2, 10 ** tick);"
_LOG_VALUE = WRITE_NUMBER + f"return value <= {np.log10(FLOOR) + 1e-3} ? '0' : written(10 ** value, 4, 10 ** value);"
Formats = dict[bool, tuple[CustomJSTickFormatter, CustomJSHover]]
"""How ticks and values are written on a logarithmic axis, and on a linear one."""
_TO_THIS_TIME = """
    const clock = globalThis[Symbol.for('polhode.clock')], frame = cb_obj.origin;
    if (!clock || cb_obj.x < frame.x_range.start || cb_obj.x > frame.x_range.end) return;
    clock.seek(cb_obj.x);
"""
"""A click in a plot takes the page's clock, and so the bodies and the other plots, to its time."""


PICTURES = {"svg": "image/svg+xml", "png": "image/png"}
"""How a plot is taken along as a picture: the drawing, or its pixels, which the browser makes of it."""


def picture(want: str, drawing: str, *words: str) -> dict[str, Any]:
    """A drawing as one of `PICTURES`, to be saved under these words."""
    return {"name": file_name(*words, ending=want), "text": drawing, "type": PICTURES[want]}


class Head(Component):
    """The line above a plot: its title, its formula, and what can be taken from it."""

    title = param.String(doc="What is plotted.")
    formula = param.String(doc="Its formula and unit.")
    across = param.String(default="time", doc="What it is plotted against.")
    means = param.String(doc="What that is; nothing if it is not in the glossary.")
    figure_id = param.String(doc="The Bokeh model of the plot.")

    _bundle = ASSETS / "plothead.js"
    _stylesheets: ClassVar = [fetched("plothead")]

    asked: Callable[[str], dict[str, Any]]
    """What answers when something is to be taken along."""

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("want") in ("table", "csv", *PICTURES):
            self._send_msg(self.asked(data["want"]))


def meaning_of(title: str) -> str:
    """What a plot of this title has; of a component, such as Ω₁, what the whole is."""
    return meaning(title) or meaning(title.rpartition(" ")[0]) or meaning(title.partition(",")[0])


class Plot:
    """One figure with its head: a curve for each method and for the exact motion, and a mark where one ended."""

    def __init__(self, times: Range1d, height: int, sources: Sources, formats: Formats) -> None:
        self._sources, self._formats = sources, formats
        hover = HoverTool(
            line_policy="nearest", tooltips=[("", "$name"), ("t", "@t{0.[0000]}"), ("value", "@y{custom}")]
        )
        ends = HoverTool(tooltips=[("", "@label ended at t = @t{0.[0000]}"), ("", "@why")])
        box = BoxZoomTool()
        self.values = Range1d(0, 1, reset_start=0, reset_end=1)
        wheel = WheelZoomTool(dimensions="width", modifiers="ctrl")
        self.figure = bare(
            height=height,
            sizing_mode="stretch_width",
            x_range=times,
            y_range=self.values,
            tools=[box, wheel, hover, ends],
            tags=["timeplot"],
            min_border_left=LEFT,
            min_border_right=RIGHT,
            min_border_top=4,
            min_border_bottom=22,
        )
        self.figure.toolbar.active_drag = box
        self.figure.toolbar.active_scroll = wheel
        self.figure.js_on_event(Tap, CustomJS(code=_TO_THIS_TIME))
        self.figure.xgrid.grid_line_color = None
        self.figure.xaxis[0].ticker.desired_num_ticks = 6
        self.figure.xaxis[0].formatter = formats[False][0]
        self.figure.yaxis[0].ticker = AdaptiveTicker(desired_num_ticks=4, num_minor_ticks=0, mantissas=[1, 2, 5])

        # The exact curve lies below the others.
        self._exact = self._curve(EXACT_COLOUR, line_width=EXACT_WIDTH, line_alpha=0.45)
        self._exact.name = "exact"
        self._lines = [self._curve(EXACT_COLOUR, line_width=width) for width in WIDTHS]
        marks = ColumnDataSource(dict(t=[], y=[], colour=[], label=[], why=[]))
        self._ends = self.figure.add_glyph(
            marks, Scatter(x="t", y="y", marker="x", size=11, line_width=3, line_color="colour")
        )
        self._waits = Label(
            x=16, y=8, x_units="screen", y_units="screen", text=AWAITED,
            text_color=EXACT_COLOUR, text_font_size="12px", visible=False,
        )  # fmt: skip
        self.figure.add_layout(self._waits)
        hover.renderers = [self._exact, *self._lines]
        ends.renderers = [self._ends]
        self._hover = hover
        self._log: bool | None = None
        self.head = Head(figure_id=self.figure.id, sizing_mode="stretch_width", height=24, margin=0)
        self.head.asked = self.taken
        self.panel = pn.Column(self.head, pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0), margin=0)
        self._drawn: tuple[Results, Quantity, bool, bool] | None = None

    def _curve(self, colour: str, **style: Any) -> Any:
        # Glyph by glyph: figure.line would make four for each, for selections that there are none of.
        glyph = Line(x="t", y="y", line_color=colour, line_join="round", **style)
        return self.figure.add_glyph(self._sources.source(), glyph)

    def show(self, results: Results, quantity: Quantity, log: bool, relative: bool) -> None:
        """Draw a quantity; a logarithmic axis only where it is an error."""
        log = log and quantity.error
        before = self._drawn
        anew = before is None or (before[1].title, before[2], before[3]) != (quantity.title, log, relative)
        self._drawn = (results, quantity, log, relative)
        formula = quantity.formula(log, relative)
        if (quantity.title, formula) != (self.head.title, self.head.formula):
            self.head.param.update(
                title=quantity.title, formula=formula, means=quantity.means or meaning_of(quantity.title)
            )
        if log != self._log:
            ticks, value = self._formats[log]
            self.figure.yaxis[0].formatter = ticks
            self.figure.yaxis[0].ticker.min_interval = 1.0 if log else 0.0
            self._hover.formatters = {"@y": value}
            self._log = log

        drawn: list[Array] = []
        ended: dict[Ran, float | None] = {}
        for renderer, line in itertools.zip_longest(self._lines, results.lines):
            last = self._fill(renderer, quantity.values(line, relative), log, drawn)
            if line is None:
                continue
            if renderer.name != line.label:
                renderer.name = line.label
            if renderer.glyph.line_color != line.colour:
                renderer.glyph.line_color = line.colour
            if isinstance(line, Ran) and line.run.status != "done":
                ended[line] = last
        self._fill(self._exact, quantity.exact, log, drawn)
        self._waits.visible = results.awaited and not drawn
        low, high = limits(drawn, log)
        put(self.values, low, high, anew=anew)
        self._mark(ended, low, high)

    def _mark(self, ended: dict[Ran, float | None], low: float, high: float) -> None:
        """Mark where runs ended early; a mark is always within the frame."""
        inside = 0.07 * (high - low)
        marks: dict[str, list[Any]] = {
            "t": [float(line.run.t[-1]) for line in ended],
            "y": [float(np.clip(low if y is None else y, low + inside, high - inside)) for y in ended.values()],
            "colour": [line.colour for line in ended],
            "label": [line.label for line in ended],
            "why": [reason(line) for line in ended],
        }
        self._ends.visible = bool(ended)
        if marks != dict(self._ends.data_source.data):
            self._ends.data_source.data = marks

    def _fill(self, renderer: Any, curve: Curve | None, log: bool, drawn: list[Array]) -> float | None:
        """Draw a curve, downsampled; returns where it ends."""
        there = curve is not None and len(curve[0]) > 0
        if renderer.visible != there:
            renderer.visible = there
        if curve is None or not there:
            self._sources.put(renderer.data_source, *NO_POINTS)
            return None
        t, y = curve[0], on_axis(curve[1], log)
        rows = downsampled(t, y)
        t, y = t[rows], y[rows]
        self._sources.put(renderer.data_source, t, y)
        drawn.append(y)
        return float(y[-1]) if len(rows) else None

    # --- what can be taken along ---

    def taken(self, want: str) -> dict[str, Any]:
        """The table of the plot, or the file that was asked for."""
        if self._drawn is None:
            return {}
        results, quantity, _, relative = self._drawn
        if want in PICTURES:
            return picture(want, self.svg(), results.problem.key, quantity.title)
        frame = table(results, quantity, relative)
        if want == "csv":
            name = file_name(results.problem.key, quantity.title, ending="csv")
            return {"name": name, "text": frame.to_csv(), "type": "text/csv"}
        rows = evenly(len(frame), TABLE_ROWS) if len(frame) else np.arange(0)
        some = f"{len(rows)} of {len(frame)} rows, evenly; the CSV has all." if len(rows) < len(frame) else ""
        formula = quantity.formula(False, relative)
        return {
            "caption": f"{quantity.title}, {formula}. {some}",
            "columns": ["t", *frame.columns],
            "rows": [
                [f"{t:.6g}", *("" if np.isnan(x) else f"{x:.5g}" for x in values)]
                for t, values in zip(frame.index[rows], frame.to_numpy()[rows], strict=True)
            ],
        }

    def svg(self, size: tuple[int, int] = SIZE, *, setting: bool = True) -> str:
        """The plot as a drawing, as it is zoomed, with its title, its axes, the methods' names, and the `setting`."""
        assert self._drawn is not None
        results, quantity, log, relative = self._drawn
        curves = [("exact", self._exact, EXACT_WIDTH, False)] if self._exact.visible else []
        curves += [
            (x.label, r, 1.7, x.run.status != "done")
            for x, r in zip(results.lines, self._lines, strict=False)
            if x.run is not None
        ]
        strokes = [
            Stroke(label, r.glyph.line_color, *self._sources.of(r.data_source), width, ended=ended)
            for label, r, width, ended in curves
        ]
        times, values = ((range_.start, range_.end) for range_ in (self.figure.x_range, self.values))
        formula = quantity.formula(log, relative)
        told = results.choice.told() if setting else ""
        return svg(quantity.title, formula, strokes, times, values, log=log, setting=told, size=size)


SWITCHES = {
    "group": ("Plots", "Which four plots are seen", "tabs"),
    "axis": ("Axis", "Axis of the errors", "switch"),
    "errors": ("Errors", "Errors relative to what is kept, or as they are", "switch"),
    "vector": ("Vector", "Angular velocity Ω or momentum Π, in the body", "switch"),
}
"""What can be chosen: its name, what it is about, how it looks."""


class TimePlots(param.Parameterized):
    """Plots above each other, with one time axis; which is chosen by a group, the first to begin with."""

    group = param.Selector(doc="Which four plots are seen.")
    axis = param.Selector(default=SCALES[0], objects=list(SCALES), doc="The axis of the errors.")
    errors = param.Selector(default=ERRORS[0], objects=list(ERRORS), doc="How errors are taken.")
    vector = param.Selector(default=VECTORS[0], objects=list(VECTORS), doc="Which vector's motion is seen.")

    def __init__(
        self, groups: Mapping[str, Group], height: int = LOW, *, group: str = "", most: int = PLOTS, **params: Any
    ) -> None:
        self._groups = groups
        super().__init__(**params)
        with param.parameterized.discard_events(self):
            self.param["group"].objects = list(groups)
            self.group = group or next(iter(groups))
        self._results: Results | None = None
        self._duration: float | None = None
        self._times = Range1d(0, 1, reset_start=0, reset_end=1)
        self._sources = Sources()
        formats = {
            True: (CustomJSTickFormatter(code=LOG_TICKS), CustomJSHover(code=_LOG_VALUE)),
            False: (CustomJSTickFormatter(code=TICKS), CustomJSHover(code=VALUE)),
        }
        self.plots = [Plot(self._times, height, self._sources, formats) for _ in range(most)]

        self.switches = Switches(
            sets=[
                (name, about, list(self.param[key].objects), looks) for key, (name, about, looks) in SWITCHES.items()
            ],
            sizing_mode="stretch_width",
            margin=(0, 0, 4, 0),
        )
        self.switches.param.watch(
            lambda event: self.param.update(dict(zip(SWITCHES, event.new, strict=True))), "chosen"
        )
        self._caption = caption(44)
        self.panel = pn.Column(
            self.switches,
            *(plot.panel for plot in self.plots),
            self._caption,
            self._sources,
            sizing_mode="stretch_width",
            margin=0,
        )
        self._fit_switches()

    def show(self, results: Results) -> None:
        """Draw the group that is seen."""
        self._results = results
        self._draw()

    @param.depends(*SWITCHES, watch=True)
    def _chosen(self) -> None:
        with pn.io.hold():
            self._fit_switches()
            self._draw()

    def _fit_switches(self) -> None:
        """The switches as things stand, and of them only those that do something in this group."""
        some = ("group",) if len(self._groups) > 1 else ()
        self.switches.param.update(
            chosen=[getattr(self, key) for key in SWITCHES],
            useful=[SWITCHES[key][0] for key in (*some, *self._groups[self.group].switches)],
        )

    def _draw(self) -> None:
        if self._results is None:
            return
        results = self._results
        duration = results.choice.duration or results.choice.dt
        put(self._times, -BESIDE * duration, (1 + BESIDE) * duration, anew=duration != self._duration)
        self._duration = duration
        quantities = self._groups[self.group].quantities(results, self.vector)
        for plot, quantity in itertools.zip_longest(self.plots, quantities):
            plot.panel.visible = quantity is not None
            if quantity is not None:
                plot.show(results, quantity, self.axis == SCALES[0], self.errors == ERRORS[0])
        self._sources.send()
        self._caption.html = (
            f"<p class='axis'>{term('Time t', meaning('t'))}, in the problem's unit of time</p>"
            + html.escape(words_on(results))
        )


def reason(line: Ran) -> str:
    """Why a run ended early: the last that it has to say."""
    return line.run.messages[-1] if line.run.messages else line.run.status


def words_on(results: Results) -> str:
    """What has to be said of the curves: what is not drawn of them, and what they are compared with."""
    said = []
    every = max((line.run.every for line in results.runs), default=1)
    if every > 1:
        said.append(f"Each {ordinal(every)} state is drawn; the extremes in the ledger cover every step.")
    said += [f"{line.label}: {line.why_not}" for line in results.lines if line.run is None]
    said += [f"{line.label} ended early (✕): {reason(line)}" for line in results.runs if line.run.status != "done"]
    if results.exact is not None:
        said.append(f"Exact: {results.exact.how}, {goodness(results.exact)}.")
        said += [results.no_exact] if results.no_exact else []
        said += [
            f"{line.label}: {line.error.message}"
            for line in results.runs
            if line.error is not None and line.error.message
        ]
    elif results.awaited:
        said.append(f"{results.no_exact} The errors against it will follow.")
    elif results.no_exact:
        said.append(f"No exact motion to compare with: {results.no_exact}")
    return " ".join(said)


def goodness(motion: Motion) -> str:
    """How far the attitude of an exact motion may be off, and where that is much, until when it is less."""
    off = motion.estimate.attitude
    if off <= GOOD:
        return f"good to {short(off, 1)} rad"
    until, end = short(motion.horizon, 4), short(motion.t[-1], 4)
    return f"good to {short(GOOD, 1)} rad up to t = {until}, and to {short(off, 1)} rad up to t = {end}"
