"""Time plots: up to four above each other, with one time axis, which show a group of quantities."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import panel as pn
import param

from engine.algorithms import use_short_names
from engine.exact import GOOD_REFERENCE, Motion, PairMotion, has_exact
from engine.studies.core import Guide
from engine.text.formatting import format_ordinal
from engine.text.formatting import show as format_number
from engine.text.glossary import meaning

from ...charts.downsample import downsample, is_band, spread_evenly
from ...charts.lab_chart import find_guides
from ...charts.scales import Interval, Scale, find_limits, to_axis
from ...charts.style import BAND_OPACITY, DASHES, LOOKS
from ...charts.svg import SIZE, Drawing, Stroke, file_name
from ...state.form_fields import name_time
from ...state.quantities import AT_FIRST, PLOTS, Group, Quantity, tabulate
from ...state.results import AWAITED, EXACT_COLOUR, EXACT_LABEL, Results, RunLine
from ...state.view import CURVES, ERRORS, SCALES, VECTORS, View
from ..controls.switches import Switches
from ..dialogs.html_block import make_caption
from ..dialogs.terms import make_term
from .plot_canvas import PlotCanvas
from .plot_head import DOWNLOADS, PICTURES, picture_file

MARGIN = 0.012
"""How far the time axis extends beyond the run, as a part of the duration, so that marks at its
ends are whole.
"""
TABLE_ROWS = 200
LOW, HIGH = "142px", "190px"
"""Height of a plot among many, whose frame is 110 pixels high, and among one or two."""
TALL = f"clamp({LOW}, 50vh - 240px, 440px)"
"""Height of a plot beside a picture, of which two are about as high as the picture."""
ALIKE = 1 / 200
"""The largest distance between curves that lie on one another, as a part of the axis."""
LEFT, RIGHT = 64, 68
"""Pixels beside all frames, so that the time axes align; the word of the line at roundoff is on the
right.
"""


def find_meaning(title: str) -> str:
    """Return the meaning of a plot's title; for a component, such as Ω₁, that of the vector."""
    return meaning(title) or meaning(title.rpartition(" ")[0]) or meaning(title.partition(",")[0])


def plan_quantity(quantity: Quantity, log: bool, relative: bool) -> dict[str, Any]:
    """Return how the browser draws a quantity of its own runs; only an error has a logarithmic
    axis.
    """
    title = quantity.title
    formula = quantity.formula(log, relative)
    log = log and quantity.error
    return {
        "title": title,
        "formula": formula,
        "means": quantity.means or find_meaning(title),
        "axis": f"{title}, {formula}, {SCALES[0] if log else SCALES[1]}",
        "key": quantity.declared.key,
        "relative": relative and quantity.whole is not None,
        "log": log,
        "exact": quantity.exact is not None,
    }


@dataclass(frozen=True)
class Plot:
    """What a plot shows: a curve for each method and for the exact motion, a mark where a run ended
    early, and words.

    Attributes
    ----------
    plan : how the browser draws this quantity, also of its own runs.
    slots : the number of each curve's look: 0 for the exact motion, then those of the methods.
    strokes : the curves, downsampled, on the axis.
    values : the ends of the axis.
    guides : lines with words.
    """

    results: Results
    quantity: Quantity
    relative: bool
    plan: dict[str, Any]
    slots: tuple[int, ...]
    strokes: tuple[Stroke, ...]
    values: Interval
    guides: tuple[Guide, ...]

    @property
    def title(self) -> str:
        """The quantity."""
        return self.quantity.title

    @property
    def log(self) -> bool:
        """Whether the values are decimal logarithms."""
        return bool(self.plan["log"])

    def find_alike(self) -> list[list[str]]:
        """Return the names of methods whose curves lie on one another, in groups."""
        groups: list[list[Stroke]] = []
        for slot, stroke in zip(self.slots, self.strokes, strict=True):
            group = next((group for group in groups if self._lies_on(group[0], stroke)), None)
            if group is not None:
                group.append(stroke)
            elif slot:
                groups.append([stroke])
        return [[stroke.label for stroke in group] for group in groups if len(group) > 1]

    def _lies_on(self, one: Stroke, other: Stroke) -> bool:
        """Whether two curves of the same duration lie on one another where both have points."""
        low, high = self.values
        if one.t[-1] != other.t[-1]:
            return False
        _, *rows = np.intersect1d(one.t, other.t, return_indices=True)
        first, second = (
            np.clip(curve.y[at], low, high) for curve, at in zip((one, other), rows, strict=True)
        )
        is_visible = bool(np.any(first > low))
        return is_visible and bool(np.all(np.abs(first - second) <= ALIKE * (high - low)))

    def describe(self) -> dict[str, Any]:
        """Return what the browser draws, except for the points."""
        curves = [
            {"slot": slot, "label": stroke.label, "colour": stroke.colour, "n": len(stroke.t)}
            for slot, stroke in zip(self.slots, self.strokes, strict=True)
        ]
        waits = self.results.exact_is_pending and not curves
        return self.plan | {
            "curves": curves,
            "values": self.values,
            "marks": self._mark_ends(),
            "words": self._place_words(),
            "waiting": AWAITED if waits else "",
        }

    def _mark_ends(self) -> list[dict[str, Any]]:
        """Mark where runs ended early, always within the frame."""
        low, high = self.values
        inside = 0.07 * (high - low)
        last = {
            stroke.label: float(stroke.y[-1])
            for slot, stroke in zip(self.slots, self.strokes, strict=True)
            if slot
        }
        return [
            {
                "t": float(line.run.t[-1]),
                "y": min(max(last.get(line.name, low), low + inside), high - inside),
                "colour": line.colour,
                "label": line.name,
                "why": end_reason(line),
            }
            for line in self.results.runs
            if line.run.status != "done"
        ]

    def _place_words(self) -> list[list[Any]]:
        """Return the text and the place x or y of each guide; None is the direction of its line."""
        words = []
        for guide in self.guides:
            x, y = guide.x[-1], guide.y[-1]
            place = float(to_axis(np.array(y), self.log)) if math.isfinite(y) else None
            words.append([guide.text, x if math.isfinite(x) else None, place])
        return words

    # ------------------------------------------------------------------ downloads

    def make_download(self, want: str, times: Interval, values: Interval) -> dict[str, Any]:
        """Return the table of the plot, or a file; pictures show these parts of the axes."""
        key = self.results.problem.key
        if want in PICTURES:
            return picture_file(want, self.svg(times, values), key, self.title)
        frame = tabulate(self.results, self.quantity, self.relative)
        if want == "csv":
            name = file_name(key, self.title, ending="csv")
            return {"name": name, "text": frame.to_csv(), "type": "text/csv"}
        rows = spread_evenly(len(frame), TABLE_ROWS) if len(frame) else np.arange(0)
        some = (
            f"{len(rows)} of {len(frame)} rows, evenly spaced; the CSV has all."
            if len(rows) < len(frame)
            else ""
        )
        formula = self.quantity.formula(False, self.relative)
        return {
            "caption": f"{self.title}, {formula}. {some}",
            "columns": ["t", *frame.columns],
            "rows": [
                [format_number(t), *("" if np.isnan(x) else format_number(x, 5) for x in values)]
                for t, values in zip(frame.index[rows], frame.to_numpy()[rows], strict=True)
            ],
        }

    def svg(
        self,
        times: Interval,
        values: Interval,
        size: tuple[int, int] = SIZE,
        *,
        setting: bool = True,
    ) -> str:
        """Return the plot as SVG, with its title, axes, the methods' names and the setting."""
        results = self.results
        ended = {line.name for line in results.runs if line.run.status != "done"}
        strokes = [
            replace(stroke, ended=slot > 0 and stroke.label in ended)
            for slot, stroke in zip(self.slots, self.strokes, strict=True)
        ]
        across = Scale("time t", times)
        up = Scale(self.plan["formula"], values, self.log)
        described = results.choice.describe() if setting else ""
        return Drawing(
            self.title, strokes, across, up, setting=described, size=size, guides=self.guides
        ).draw()


def draw_quantity(
    results: Results, quantity: Quantity, log: bool, relative: bool, dashed: bool
) -> Plot:
    """Draw a quantity of these results."""
    plan = plan_quantity(quantity, log, relative)
    log = plan["log"]
    found = {line.name: quantity.values(line, relative) for line in results.lines}
    lines = [(0, EXACT_LABEL, EXACT_COLOUR, quantity.exact)]
    lines += [
        (slot, line.name, line.colour, found[line.name])
        for slot, line in enumerate(results.lines, 1)
    ]
    slots = []
    strokes = []
    for slot, label, colour, curve in lines:
        if curve is None:
            continue
        t, y = curve
        y = to_axis(y, log)
        rows = downsample(y)
        t, y = t[rows], y[rows]
        if len(rows):
            look = LOOKS[slot]
            opacity = look.opacity or (BAND_OPACITY if is_band(y) else 1.0)
            dash = look.dash if dashed else DASHES[0]
            slots.append(slot)
            strokes.append(Stroke(label, colour, t, y, look.width, dash=dash, opacity=opacity))
    values = find_limits([stroke.y for stroke in strokes], log)
    guides = find_guides(results, quantity, found, log, relative)
    return Plot(
        results, quantity, relative, plan, tuple(slots), tuple(strokes), values, tuple(guides)
    )


def label_time(unit: str) -> str:
    """Return the label of the time axis."""
    return f"<p class='axis'>{make_term('Time t', meaning('t'))}, in {unit}</p>"


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
    first; `unit` is that of the time, by default the problem's.
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
        height: str = TALL,
        *,
        right: int = RIGHT,
        unit: str = "",
        group: str = "",
        most: int = PLOTS,
        folds: bool = True,
        **params: Any,
    ) -> None:
        self._groups = groups
        self._unit = unit
        super().__init__(**params)
        with param.parameterized.discard_events(self):
            self.param["group"].objects = list(groups)
            self.group = group or next(iter(groups))
        self._results: Results | None = None
        self._duration = 0.0
        self.plots: list[Plot] = []
        self._opens: list[bool] = []  # those that are open at first
        self.most = most
        self._folds = folds
        self.canvas = PlotCanvas(
            tall=height,
            right=right,
            most=min(most, AT_FIRST) if folds else most,
            sizing_mode="stretch_width",
            margin=0,
        )
        self.canvas.make_download = self._make_download
        self.canvas.switch_dashes = self._switch_dashes

        sets = [
            (name, about, list(self.param[key].objects), looks)
            for key, (name, about, looks) in SWITCHES.items()
        ]
        self.switches = Switches(sets=sets, sizing_mode="stretch_width", margin=(0, 0, 4, 0))
        self.switches.param.watch(
            lambda event: self.param.update(dict(zip(SWITCHES, event.new, strict=True))), "chosen"
        )
        self._caption = make_caption(44)
        parts = [self.switches, self.canvas, self._caption]
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
            plan_quantity(x, log, relative) | {"opens": opens}
            for x, opens in self._list_quantities(results)
        ]

    def _list_quantities(self, results: Results) -> list[tuple[Quantity, bool]]:
        """Return the quantities, and whether their plots are open at first."""
        group = self._groups[self.group]
        found = group.quantities(results, self.vector)[: self.most]
        opens = group.list_open(found) if self._folds else found
        return [(one, one in opens) for one in found]

    def list_open(self) -> list[Plot]:
        """Return the plots on screen."""
        turned = self.canvas.turned
        shown = zip(self.plots, self._opens, strict=True)
        return [plot for plot, opens in shown if opens != (plot.title in turned)]

    def _draw(self) -> None:
        if (results := self._results) is None:
            return
        dashed = self.curves != CURVES[0]
        self._duration = results.choice.duration or results.choice.dt
        found = self._list_quantities(results)
        self.plots = [
            draw_quantity(results, x, self.axis == SCALES[0], self.errors == ERRORS[0], dashed)
            for x, _ in found
        ]
        self._opens = [opens for _, opens in found]
        plans = {
            "duration": self._duration,
            "margin": MARGIN,
            "dashed": dashed,
            "looks": [look.describe(dashed) for look in LOOKS],
            "plots": [
                plot.describe() | {"opens": opens}
                for plot, opens in zip(self.plots, self._opens, strict=True)
            ],
        }
        self.canvas.send(plans, [stroke for plot in self.plots for stroke in plot.strokes])
        unit = self._unit or name_time(results.problem)
        self._caption.html = label_time(unit) + html.escape(describe_curves(results))

    # ------------------------------------------------------------------ pictures

    def draw_svg(self, plot: Plot, size: tuple[int, int] = SIZE, *, setting: bool = True) -> str:
        """Return a plot as SVG, as it is zoomed."""
        return plot.svg(*self._find_parts(plot), size, setting=setting)

    def _find_parts(self, plot: Plot) -> tuple[Interval, Interval]:
        """Return the parts of the axes in view."""
        whole = -MARGIN * self._duration, (1 + MARGIN) * self._duration
        return (
            self.canvas.find_part(self._duration, whole),
            self.canvas.find_part(plot.plan["axis"], plot.values),
        )

    def _make_download(self, want: str, title: str) -> dict[str, Any]:
        """Return a download of the plot with this title; nothing if there is none."""
        plot = next((plot for plot in self.plots if plot.title == title), None)
        if plot is None or want not in DOWNLOADS:
            return {}
        return plot.make_download(want, *self._find_parts(plot))


def end_reason(line: RunLine) -> str:
    """Return why a run ended early."""
    return str(line.run.messages[-1] if line.run.messages else line.run.status)


def describe_curves(results: Results) -> str:
    """Return what the plots leave out, and what they compare the runs with."""
    sentences = []
    every = max((line.run.every for line in results.runs), default=1)
    if every > 1:
        drawn = f"The plots show every {format_ordinal(every)} state"
        sentences.append(f"{drawn}. The ledger covers every step.")
    sentences += [line.why_not for line in results.lines if line.run is None]
    sentences += [
        f"✕ {line.name} ended early. {end_reason(line)}"
        for line in results.runs
        if line.run.status != "done"
    ]
    if results.exact is not None:
        sentences.append(
            f"Exact motion: {results.exact.how}. It is {describe_accuracy(results.exact)}."
        )
        sentences += [results.no_exact] if results.no_exact else []
        sentences += [
            f"{line.name}: {line.error.message}"
            for line in results.runs
            if line.error is not None and line.error.message
        ]
    elif results.exact_is_pending:
        sentences.append(f"{results.no_exact} The errors against it follow.")
    elif results.no_exact and not has_exact(results.problem):
        sentences.append(results.no_exact)
    elif results.no_exact:
        sentences.append(f"No exact motion to compare with: {results.no_exact}")
    return use_short_names(" ".join(sentences), results.choice.space)


def describe_accuracy(motion: Motion | PairMotion) -> str:
    """Return the error bound of an exact motion's attitude, and if that is large, until when it is
    small.
    """
    bound = motion.estimate.attitude
    if bound <= GOOD_REFERENCE:
        return f"good to {format_number(bound, 1)} rad"
    until = format_number(motion.horizon, 4)
    end = format_number(motion.t[-1], 4)
    good = f"good to {format_number(GOOD_REFERENCE, 1)} rad up to t = {until}"
    return f"{good}, then to {format_number(bound, 1)} rad up to t = {end}"
