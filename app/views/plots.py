"""Time plots: what each method keeps, how the body moves, and how far it is from the exact motion."""

from __future__ import annotations

import html
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import panel as pn
import param
from bokeh.models import (
    AdaptiveTicker,
    BoxZoomTool,
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    CustomJSTickFormatter,
    Div,
    HoverTool,
    Range1d,
    WheelZoomTool,
)
from bokeh.plotting import figure
from numpy.typing import NDArray
from panel.custom import JSComponent

from ..results import EXACT_COLOUR, Line, Ran, Results, scale
from ..thin import evenly, ordinal, thinned

Array = NDArray[np.float64]
Curve = tuple[Array, Array]
"""Times and values."""

FLOOR = 1e-17
"""Where a logarithmic plot shows a zero."""
LARGEST = 1e30
"""Beyond it a curve has left every plot, and float32 is not far from its end."""
BESIDE = 0.012
"""By how much of the duration the time axis goes beyond it, so that what lies at its ends is seen whole."""
FLATTEST = 1e-15
"""The least that a linear axis spans: below it there is roundoff only."""
WIDTHS = (2.6, 2.1, 1.6, 1.1)
"""Of the methods' curves: where they lie on each other, all of them are seen."""
TABLE_ROWS = 200
PLOTS = 4
"""Of each group; they are the same figures, filled anew."""
LEFT, RIGHT = 64, 20
"""Pixels beside the frames, the same for all, so that the times stand above each other."""


# --- what can be plotted -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Quantity:
    """Something that is plotted against time, one curve for each method.

    Attributes
    ----------
    title, symbol : what it is called, and its formula, as it is and relative to what it starts from.
    curve : the times and values of a method's run; None where there is none.
    exact : the same of the exact motion, where that is a curve of its own.
    whole : what a relative deviation is relative to; None if it is not taken relative to anything.
    error : whether it is a deviation, best seen on a logarithmic axis; else it is drawn as it is.
    """

    title: str
    symbol: str
    curve: Callable[[Ran], Curve | None]
    relative: str = ""
    exact: Curve | None = None
    whole: float | None = None
    error: bool = True
    signed: bool = False

    def formula(self, log: bool, relative: bool) -> str:
        """Its formula, as the axis shows it."""
        text = self.relative if relative and self.relative else self.symbol
        return f"|{text}|" if log and self.error and self.signed else text

    def values(self, line: Line | None, relative: bool) -> Curve | None:
        """The curve of a method, relative or as it is."""
        curve = self.curve(line) if isinstance(line, Ran) else None
        if curve is None or not relative or self.whole is None:
            return curve
        return curve[0], curve[1] / self.whole


INVARIANTS = {
    "energy": ("Energy error", "ΔE", "ΔE / E₀"),
    "pi_e3": ("Momentum about the vertical", "Δ(π·e₃)", "Δ(π·e₃) / π₀·e₃"),
    "pi_chi": ("Momentum about the body's axis", "Δ(π·χ)", "Δ(π·χ) / π₀·χ₀"),
    "casimir": ("Casimir", "Δ|Π|²", "Δ|Π|² / |Π₀|²"),
    "gamma_norm": ("Length of Γ = Rᵀe₃", "Δ|Γ|", "Δ|Γ| / |Γ₀|"),
}


def _deviation(name: str, results: Results) -> Quantity:
    """By how much an invariant has left its first value."""

    def series(line: Ran) -> Array:
        return line.run.energy if name == "energy" else line.run.observed[name]

    title, symbol, relative = INVARIANTS[name]
    first = next((abs(float(series(line)[0])) for line in results.runs), 0.0)
    # A number that starts at nothing has nothing to be relative to.
    of_it = first == scale(first)
    return Quantity(
        title,
        symbol,
        lambda line: (line.run.t, series(line) - series(line)[0]),
        relative=relative if of_it else "",
        whole=first if of_it else None,
        signed=True,
    )


def _momentum(results: Results) -> Quantity:
    whole = float(np.linalg.norm(results.problem.R0 @ results.problem.Pi0))
    return Quantity(
        "Momentum error",
        "‖π − π₀‖",
        lambda line: (line.run.t, _length(line.run.pi - line.run.pi[0])),
        relative="‖π − π₀‖ / ‖π₀‖" if whole == scale(whole) else "",
        whole=whole if whole == scale(whole) else None,
    )


def _against_exact(title: str, symbol: str, name: str, unit: str = "") -> Quantity:
    """One of the errors against the exact motion."""
    return Quantity(
        title,
        f"{symbol}{', ' * bool(unit)}{unit}",
        lambda line: (line.error.t, getattr(line.error, name)) if line.error is not None else None,
    )


ATTITUDE = _against_exact("Attitude error", "angle to the exact solution", "attitude", "rad")
BODY_MOMENTUM = _against_exact("Body momentum error", "‖Π − Πₑₓ‖", "Pi")
SPACE_MOMENTUM = _against_exact("Momentum error", "‖π − πₑₓ‖", "pi")
SPECTRAL = _against_exact("Attitude error, spectral norm", "‖R − Rₑₓ‖₂", "spectral")
ORTHOGONALITY = Quantity("Orthogonality", "‖RᵀR − 1‖", lambda line: (line.run.t, line.run.orthogonality))
INCREMENT = Quantity(
    "Rotation per step",
    "angle of one step, °",
    lambda line: (line.run.t[1:], np.degrees(line.run.increment[1:])),
    error=False,
)


def kept(results: Results) -> list[Quantity]:
    """What the problem keeps, three of it at most, and the attitude error."""
    has = results.problem.invariants
    found = [_deviation("energy", results)] if "energy" in has else []
    found += [_momentum(results)] if "pi" in has else []
    found += [_deviation(name, results) for name in ("pi_e3", "pi_chi", "casimir") if name in has]
    found += [SPACE_MOMENTUM] if "pi" not in has and results.exact is not None else []
    found += [_deviation("gamma_norm", results)] if "gamma_norm" in has else []
    return [*(found + [ORTHOGONALITY, SPECTRAL, BODY_MOMENTUM])[: PLOTS - 1], ATTITUDE]


def motion(results: Results, vector: str) -> list[Quantity]:
    """Ω or Π in the body, by component, and its length."""
    exact = results.exact
    name, attribute = {"Ω": ("Angular velocity", "Omega"), "Π": ("Body momentum", "Pi")}[vector]

    def seen(title: str, symbol: str, take: Callable[[Array], Array]) -> Quantity:
        return Quantity(
            title,
            symbol,
            lambda line: (line.run.t, take(getattr(line.run, attribute))),
            exact=None if exact is None else (exact.t, take(getattr(exact, attribute))),
            error=False,
        )

    axes = [
        seen(f"{name} {vector}{'₁₂₃'[i]}", f"about body axis {i + 1}", itemgetter((slice(None), i))) for i in range(3)
    ]
    return [*axes, seen(f"{name} |{vector}|", "its length", _length)]


def attitude(results: Results) -> list[Quantity]:
    """The attitude error, and the error of the momentum in space by component."""
    steady = "pi" in results.problem.invariants
    whole = float(np.linalg.norm(results.problem.R0 @ results.problem.Pi0))
    relative = steady and whole == scale(whole)

    def component(i: int) -> Quantity:
        symbol = f"π{'₁₂₃'[i]}"

        def curve(line: Ran) -> Curve | None:
            run = line.run
            if steady:
                return run.t, run.pi[:, i] - run.pi[0, i]
            if results.exact is None:
                return None
            n = min(len(run.t), len(results.exact.t))
            same = np.abs(run.t[:n] - results.exact.t[:n]) < 1e-9 * run.dt
            return run.t[:n][same], (run.pi[:n, i] - results.exact.pi[:n, i])[same]

        return Quantity(
            f"Spatial momentum error, axis {i + 1}",
            f"Δ{symbol}" if steady else f"{symbol} − {symbol}ₑₓ",
            curve,
            relative=f"Δ{symbol} / ‖π₀‖" if relative else "",
            whole=whole if relative else None,
            signed=True,
        )

    return [ATTITUDE, component(0), component(1), component(2)]


GROUPS: dict[str, Callable[[Results, str], list[Quantity]]] = {
    "What is kept": lambda results, vector: kept(results),
    "Motion": motion,
    "Attitude": lambda results, vector: attitude(results),
    "Steps": lambda results, vector: [ORTHOGONALITY, INCREMENT, SPECTRAL, BODY_MOMENTUM],
}


def _length(v: Array) -> Array:
    return np.sqrt(np.square(v).sum(axis=1))


def table(results: Results, quantity: Quantity, relative: bool) -> pd.DataFrame:
    """All kept values of a quantity, a column for each method and for the exact motion, by time."""
    curves = {line.label: quantity.values(line, relative) for line in results.runs}
    if quantity.exact is not None:
        curves["exact"] = quantity.exact
    columns = [pd.Series(c[1], index=c[0], name=label) for label, c in curves.items() if c is not None]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    return frame.rename_axis("t").sort_index()


# --- axes --------------------------------------------------------------------------------------------------------


def on_axis(y: Array, log: bool) -> Array:
    """Values as the axis takes them: their decimal logarithms, zeros at the floor, or themselves."""
    if log:
        with np.errstate(over="ignore"):
            return np.log10(np.clip(np.abs(y), FLOOR, LARGEST))
    return np.clip(y, -LARGEST, LARGEST)


def limits(drawn: list[Array], log: bool) -> tuple[float, float]:
    """Where an axis begins and ends: outward to round numbers, so that small changes of the data do not move it."""
    drawn = [y for y in drawn if len(y)]
    if log:
        # A deviation that passes through zero dives for a point or two, which is not what the axis is for.
        low = min((np.percentile(y[1:] if len(y) > 1 else y, 2) for y in drawn), default=-16.0)
        high = max((y.max() for y in drawn), default=0.0)
        low, high = max(2.0 * np.floor(low / 2), np.log10(FLOOR)), 2.0 * np.ceil(high / 2)
        low = min(low, max(high - 4.0, np.log10(FLOOR)))
        return low - 0.2, max(high, low + 4.0) + 0.2
    low = min((y.min() for y in drawn), default=0.0)
    high = max((y.max() for y in drawn), default=1.0)
    span = max(high - low, 1e-3 * max(abs(low), abs(high)), FLATTEST)
    step = 10.0 ** np.floor(np.log10(span)) / 5
    return step * np.floor((low - 0.04 * span) / step), step * np.ceil((high + 0.04 * span) / step)


def put(range_: Range1d, start: float, end: float, *, anew: bool) -> None:
    """Give a range its ends; where a person has zoomed, that stays, unless the axis is another one."""
    zoomed = (range_.start, range_.end) != (range_.reset_start, range_.reset_end)
    range_.update(reset_start=start, reset_end=end)
    if anew or not zoomed:
        range_.update(start=start, end=end)


_WRITE_NUMBER = """
    const raised = (n) => String(n).replace(/./g, (c) => c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]);
    const written = (x, digits, largest) => {
        const e = largest > 0 ? Math.floor(Math.log10(largest)) : 0;
        if (x === 0 || (e >= -3 && e < 5)) return String(parseFloat(x.toPrecision(digits))).replace('-', '−');
        return String(parseFloat((x / 10 ** e).toPrecision(digits))).replace('-', '−') + '·10' + raised(e);
    };
"""
_LOG_TICKS = (
    _WRITE_NUMBER + "return Number.isInteger(tick) ? '10' + raised(tick) : written(10 ** tick, 2, 10 ** tick);"
)
_TICKS = _WRITE_NUMBER + "return written(tick, 5, Math.max(...ticks.map(Math.abs)));"
_LOG_VALUE = _WRITE_NUMBER + f"return value <= {np.log10(FLOOR) + 1e-3} ? '0' : written(10 ** value, 4, 10 ** value);"
_VALUE = _WRITE_NUMBER + "return written(value, 6, Math.abs(value));"


# --- one plot ----------------------------------------------------------------------------------------------------


class Head(JSComponent):
    """The line above a plot: its title, its formula, and what can be taken from it."""

    title = param.String(doc="What is plotted.")
    formula = param.String(doc="Its formula and unit.")
    figure_id = param.String(doc="The Bokeh model of the plot.")
    legend = param.List(doc="Labels and colours, for the picture that is saved.")

    _esm = """
const ink = (el) => getComputedStyle(el).color;

function plot(model) { return window.Bokeh.index.find_one_by_id(model.figure_id); }

function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The plot's pixels on the page's ground, with its title above and the methods below.
function picture(model, root) {
  const source = plot(model).export('png', true).canvas;
  const k = window.devicePixelRatio || 1, band = 30 * k;
  const canvas = document.createElement('canvas');
  canvas.width = source.width; canvas.height = source.height + 2 * band;
  const pen = canvas.getContext('2d');
  const ground = getComputedStyle(root).getPropertyValue('--panel-surface-color').trim();
  pen.fillStyle = ground || '#fff'; pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(source, 0, band);
  pen.fillStyle = ink(root); pen.textBaseline = 'middle';
  pen.font = `600 ${13 * k}px sans-serif`; pen.fillText(model.title, 12 * k, band / 2);
  const width = pen.measureText(model.title).width;
  pen.font = `${13 * k}px sans-serif`; pen.fillText(model.formula, 22 * k + width, band / 2);
  let x = 64 * k; const y = canvas.height - band / 2;
  for (const [label, colour] of model.legend) {
    pen.fillStyle = colour; pen.fillRect(x, y - 1.5 * k, 18 * k, 3 * k); x += 24 * k;
    pen.fillStyle = ink(root); pen.fillText(label, x, y); x += pen.measureText(label).width + 18 * k;
  }
  canvas.toBlob((blob) => save(`${model.title}.png`, blob), 'image/png');
}

function show_table(root, data) {
  const dialog = root.querySelector('dialog');
  const [head, body, caption] = ['thead', 'tbody', 'caption'].map((name) => dialog.querySelector(name));
  const cell = (name, text) => { const x = document.createElement(name); x.textContent = text; return x; };
  const row = (name, texts) => { const x = document.createElement('tr'); x.append(...texts.map((t) => cell(name, t)));
                                 return x; };
  caption.textContent = data.caption;
  head.replaceChildren(row('th', data.columns));
  for (const th of head.querySelectorAll('th')) th.scope = 'col';
  body.replaceChildren(...data.rows.map((texts) => row('td', texts)));
  dialog.showModal();
}

export function render({model, el}) {
  const root = document.createElement('div');
  root.className = 'head';
  root.innerHTML = `<h3></h3><span class="formula"></span><span class="take" role="group"></span>
    <dialog><form method="dialog"><button>Close</button></form>
    <div tabindex="0"><table><caption></caption><thead></thead><tbody></tbody></table></div></dialog>`;
  const [title, formula, take] = ['h3', '.formula', '.take'].map((name) => root.querySelector(name));
  const wants = {
    table: () => model.send_msg({want: 'table'}),
    CSV: () => model.send_msg({want: 'csv'}),
    PNG: () => picture(model, root),
    SVG: () => model.send_msg({want: 'svg'}),
  };
  for (const [name, action] of Object.entries(wants)) {
    const button = document.createElement('button');
    button.textContent = name; button.onclick = action; take.append(button);
  }
  const name = () => {
    title.textContent = model.title; formula.textContent = model.formula;
    for (const b of take.children) b.setAttribute('aria-label', `${model.title}: ${b.textContent}`);
    take.setAttribute('aria-label', `Take along: ${model.title}`);
    root.querySelector('dialog').setAttribute('aria-label', `${model.title}, table`);
    const view = plot(model);
    if (view) { view.el.setAttribute('role', 'img');
                view.el.setAttribute('aria-label', `${model.title} ${model.formula}, against time`); }
  };
  model.on('title', name); model.on('formula', name);
  model.on('msg:custom', (data) => {
    if (data.columns) show_table(root, data);
    else save(data.name, new Blob([data.text], {type: data.type}));
  });
  name(); model.on('after_render', name); setTimeout(name, 500);
  el.append(root);
}
"""
    _stylesheets: ClassVar[list[str]] = [
        """
:host { --muted: color-mix(in srgb, currentColor 68%, transparent); display: block; }
.head { display: flex; width: 100%; box-sizing: border-box;
  align-items: baseline; gap: 8px; padding: 0 12px; height: 24px; overflow: hidden;
  font: 13px/24px var(--bokeh-base-font, sans-serif); color: var(--panel-on-surface-color, inherit); }
h3 { font: inherit; font-weight: 600; margin: 0; white-space: nowrap; }
.formula { color: var(--muted); flex: 1; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.take { display: flex; white-space: nowrap; }
.take button { all: unset; cursor: pointer; font-size: 12px; padding: 0 5px; border-radius: 4px;
  color: var(--muted); }
.take button + button { margin-left: 2px; }
.take button:hover { text-decoration: underline; color: inherit; }
button:focus-visible { outline: 2px solid var(--panel-primary-color, currentColor); outline-offset: -2px; }
dialog { color: inherit; background: var(--panel-surface-color, Canvas); border: 1px solid var(--muted);
  border-radius: 8px; padding: 12px 16px; max-height: 80vh; }
dialog::backdrop { background: rgb(0 0 0 / 40%); }
dialog form { text-align: right; }
dialog form button { font: inherit; color: inherit; background: none; border: 1px solid var(--muted);
  border-radius: 4px; padding: 0 10px; cursor: pointer; }
dialog > div { overflow: auto; max-height: calc(80vh - 60px); }
table { border-collapse: collapse; line-height: 1.5; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 8px; max-width: 60ch; }
th { position: sticky; top: 0; background: var(--panel-surface-color, Canvas); }
th, td { text-align: right; padding: 1px 12px; white-space: nowrap; }
"""
    ]

    asked: Callable[[str], dict[str, Any]]
    """What answers when something is to be taken along."""

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("want") in ("table", "csv", "svg"):
            self._send_msg(self.asked(data["want"]))


class Plot:
    """One figure with its head: a curve for each method and for the exact motion, and a mark where one ended."""

    def __init__(self, times: Range1d, height: int) -> None:
        hover = HoverTool(
            line_policy="nearest", tooltips=[("", "$name"), ("t", "@t{0.[0000]}"), ("value", "@y{custom}")]
        )
        ends = HoverTool(tooltips=[("", "@label ended at t = @t{0.[0000]}"), ("", "@why")])
        box = BoxZoomTool()
        self.values = Range1d(0, 1, reset_start=0, reset_end=1)
        wheel = WheelZoomTool(dimensions="width", modifiers="ctrl")
        self.figure = figure(
            height=height,
            sizing_mode="stretch_width",
            x_range=times,
            y_range=self.values,
            tools=[box, wheel, hover, ends],
            toolbar_location=None,
            tags=["timeplot"],
            min_border_left=LEFT,
            min_border_right=RIGHT,
            min_border_top=4,
            min_border_bottom=22,
            background_fill_alpha=0,
            border_fill_alpha=0,
            outline_line_color=None,
            output_backend="canvas",
        )
        self.figure.toolbar.active_drag = box
        self.figure.toolbar.active_scroll = wheel
        self.figure.js_on_event("doubletap", CustomJS(code="cb_obj.origin.reset.emit()"))
        self.figure.xgrid.grid_line_color = None
        self.figure.grid.grid_line_alpha = 0.35
        for axis in self.figure.axis:
            axis.update(axis_line_color=None, minor_tick_line_color=None, major_label_text_color="#757575")
        self.figure.xaxis[0].ticker.desired_num_ticks = 6
        self.figure.yaxis[0].ticker = AdaptiveTicker(desired_num_ticks=4, num_minor_ticks=0, mantissas=[1, 2, 5])

        # The exact curve lies below the others.
        self._exact = self._curve(EXACT_COLOUR, line_width=5, line_alpha=0.45)
        self._exact.name = "exact"
        self._lines = [self._curve(EXACT_COLOUR, line_width=width) for width in WIDTHS]
        self._ends = self.figure.scatter(
            "t",
            "y",
            source=ColumnDataSource(dict(t=[], y=[], colour=[], label=[], why=[])),
            marker="x",
            size=11,
            line_width=3,
            line_color="colour",
        )
        hover.renderers = [self._exact, *self._lines]
        ends.renderers = [self._ends]
        self._hover = hover
        self._log: bool | None = None
        self._formats = {
            True: (CustomJSTickFormatter(code=_LOG_TICKS), CustomJSHover(code=_LOG_VALUE)),
            False: (CustomJSTickFormatter(code=_TICKS), CustomJSHover(code=_VALUE)),
        }
        self.head = Head(figure_id=self.figure.id, sizing_mode="stretch_width", height=24, margin=0)
        self.head.asked = self.taken
        self.panel = pn.Column(self.head, pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0), margin=0)
        self._drawn: tuple[Results, Quantity, bool, bool] | None = None

    def _curve(self, colour: str, **style: Any) -> Any:
        source = ColumnDataSource(dict(t=_NOTHING, y=_NOTHING))
        return self.figure.line("t", "y", source=source, line_color=colour, line_join="round", **style)

    def show(self, results: Results, quantity: Quantity, log: bool, relative: bool) -> None:
        """Draw a quantity; a logarithmic axis only where it is an error."""
        log = log and quantity.error
        before = self._drawn
        anew = before is None or (before[1].title, before[2], before[3]) != (quantity.title, log, relative)
        self._drawn = (results, quantity, log, relative)
        formula = quantity.formula(log, relative)
        legend = [(line.label, line.colour) for line in results.runs]
        self.head.param.update(title=quantity.title, formula=formula, legend=legend)
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
        if marks != dict(self._ends.data_source.data):
            self._ends.data_source.data = marks

    @staticmethod
    def _fill(renderer: Any, curve: Curve | None, log: bool, drawn: list[Array]) -> float | None:
        """Draw a curve, thinned; returns where it ends."""
        source = renderer.data_source
        if curve is None or len(curve[0]) == 0:
            if len(source.data["t"]):
                source.data = dict(t=_NOTHING, y=_NOTHING)
            return None
        t, y = curve[0], on_axis(curve[1], log)
        rows = thinned(t, y)
        t, y = t[rows], y[rows]
        source.data = dict(t=t.astype(np.float32), y=y.astype(np.float32))
        drawn.append(y)
        return float(y[-1]) if len(rows) else None

    # --- what can be taken along ---

    def taken(self, want: str) -> dict[str, Any]:
        """The table of the plot, or the file that was asked for."""
        if self._drawn is None:
            return {}
        results, quantity, _, relative = self._drawn
        name = f"{results.problem.key}, {quantity.title}".replace("'", "").replace(" ", "-").replace(",", "").lower()
        if want == "svg":
            return {"name": f"{name}.svg", "text": self.svg(), "type": "image/svg+xml"}
        frame = table(results, quantity, relative)
        if want == "csv":
            return {"name": f"{name}.csv", "text": frame.to_csv(), "type": "text/csv"}
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

    def svg(self, width: int = 760, height: int = 260) -> str:
        """The plot as a drawing, as it is zoomed, with its title, its axes and the methods' names."""
        assert self._drawn is not None
        results, quantity, log, relative = self._drawn
        times = self.figure.x_range
        left, right, top, bottom = 70.0, width - 16.0, 36.0, height - 54.0

        def x(t: Any) -> Any:
            return left + (t - times.start) / (times.end - times.start) * (right - left)

        def y(v: Any) -> Any:
            return bottom - (v - self.values.start) / (self.values.end - self.values.start) * (bottom - top)

        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="12" fill="#333">',
            f'<clipPath id="frame"><rect x="{left}" y="{top}" width="{right - left}" '
            f'height="{bottom - top}"/></clipPath>',
            f'<text x="{left}" y="22"><tspan font-weight="bold">{html.escape(quantity.title)}</tspan> '
            f"{html.escape(quantity.formula(log, relative))}</text>",
        ]
        for value in ticks(self.values.start, self.values.end, whole=log):
            label = f'10<tspan dy="-5" font-size="9">{value:.0f}</tspan>' if log else f"{value:.5g}"
            parts.append(f'<path d="M{left} {y(value):.1f}H{right}" stroke="#ddd"/>')
            parts.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{label}</text>')
        for value in ticks(times.start, times.end, most=8):
            parts.append(f'<text x="{x(value):.1f}" y="{bottom + 18}" text-anchor="middle">{value:.5g}</text>')
        parts.append(f'<text x="{right}" y="{bottom + 34}" text-anchor="end">time t</text>')
        curves = [("exact", self._exact, 4.0)] if len(self._exact.data_source.data["t"]) else []
        curves += [(line.label, r, 1.7) for line, r in zip(results.lines, self._lines, strict=False) if line.run]
        at = left
        for label, renderer, thick in curves:
            data, colour = renderer.data_source.data, renderer.glyph.line_color
            points = " ".join(f"{a:.2f},{b:.2f}" for a, b in zip(x(data["t"]), y(data["y"]), strict=True))
            parts.append(
                f'<polyline clip-path="url(#frame)" fill="none" stroke="{colour}" stroke-width="{thick}" '
                f'stroke-linejoin="round" points="{points}"/>'
            )
            parts.append(f'<path d="M{at:.0f} {height - 14}h18" stroke="{colour}" stroke-width="3"/>')
            parts.append(f'<text x="{at + 24:.0f}" y="{height - 10}">{html.escape(label)}</text>')
            at += 44 + 7.5 * len(label)
        return "\n".join([*parts, "</svg>", ""])


_NOTHING = np.zeros(0, np.float32)


def ticks(start: float, end: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Round numbers from start to end."""
    rough = (end - start) / most
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough)
    step = max(1.0, round(step)) if whole else step
    return [float(step * k) for k in range(int(np.ceil(start / step)), int(np.floor(end / step)) + 1)]


SWITCHES = {
    "group": list(GROUPS),
    "axis": ["Log", "Linear"],
    "errors": ["Relative", "Absolute"],
    "vector": ["Ω", "Π"],
}
"""What can be chosen, and between what."""


# --- all of them -------------------------------------------------------------------------------------------------


class Switches(JSComponent):
    """The tabs of the groups and the switches of the axes, small; each is a set of radio buttons."""

    group = param.String(doc="Which four plots are seen.")
    axis = param.String(doc="Log or Linear.")
    errors = param.String(doc="Relative or Absolute.")
    vector = param.String(doc="Ω or Π.")
    useful = param.List(doc="The switches that do something in this group.")

    _esm = (
        f"const options = {json.dumps(SWITCHES)};"
        + """
const said = {group: 'Plots', axis: 'Axis', errors: 'Errors', vector: 'Vector'};
const why = {axis: 'Axis of the errors', errors: 'Errors relative to what is kept, or as they are',
             vector: 'Angular velocity Ω or momentum Π, in the body', group: 'Which four plots are seen'};

export function render({model, el}) {
  const root = document.createElement('div');
  root.className = 'switches';
  const own = Math.random().toString(36).slice(2), sets = {};
  for (const [name, texts] of Object.entries(options)) {
    const set = sets[name] = document.createElement('div');
    set.className = name === 'group' ? 'tabs' : 'switch';
    set.setAttribute('role', 'radiogroup'); set.setAttribute('aria-label', said[name]); set.title = why[name];
    for (const text of texts) {
      const label = document.createElement('label'), input = document.createElement('input');
      input.type = 'radio'; input.name = name + own; input.value = text;
      input.onchange = () => { model[name] = text; };
      label.append(input, text); set.append(label);
    }
    root.append(set);
  }
  const reset = document.createElement('button');
  reset.textContent = 'Reset zoom'; reset.title = 'All of the axes, as a double click in a plot';
  reset.onclick = () => model.send_msg({want: 'reset'});
  root.append(reset);
  const fit = () => {
    for (const [name, set] of Object.entries(sets)) {
      for (const input of set.querySelectorAll('input')) input.checked = input.value === model[name];
      if (name !== 'group') set.hidden = !model.useful.includes(name);
    }
  };
  for (const name of [...Object.keys(options), 'useful']) model.on(name, fit);
  fit(); el.append(root);
}
"""
    )
    _stylesheets: ClassVar[list[str]] = [
        """
:host { display: block; }
.switches { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; padding: 0 12px 6px;
  font: 13px/1.4 var(--bokeh-base-font, sans-serif); color: var(--panel-on-surface-color, inherit); }
.tabs { display: flex; flex: 1; }
label { cursor: pointer; white-space: nowrap; position: relative; }
input { position: absolute; opacity: 0; inset: 0; margin: 0; cursor: pointer; }
.tabs label { padding: 10px 12px 8px; border-bottom: 2px solid transparent; }
.tabs label:first-child { margin-left: -12px; }
.tabs label:has(:checked) { font-weight: 600; border-color: currentColor;
  color: var(--panel-primary-color, inherit); }
.switch { display: flex; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px;
  overflow: hidden; font-size: 12px; }
.switch[hidden] { display: none; }
.switch label { padding: 2px 8px; }
.switch label:has(:checked) { background: color-mix(in srgb, currentColor 12%, transparent); }
label:has(:focus-visible), button:focus-visible { outline: 2px solid var(--panel-primary-color, currentColor);
  outline-offset: -2px; }
button { all: unset; cursor: pointer; font-size: 12px; padding: 2px 4px; opacity: .75; }
button:hover { text-decoration: underline; opacity: 1; }
"""
    ]

    asked: Callable[[], None]
    """Called when all of the axes are asked for."""

    def _handle_msg(self, data: Any) -> None:
        if data == {"want": "reset"}:
            self.asked()


class TimePlots(param.Parameterized):
    """Four plots above each other, with one time axis; which four is chosen by a group."""

    group = param.Selector(default="What is kept", objects=SWITCHES["group"], doc="Which four plots are seen.")
    axis = param.Selector(default="Log", objects=SWITCHES["axis"], doc="The axis of the errors.")
    errors = param.Selector(default="Relative", objects=SWITCHES["errors"], doc="Relative to what is kept, or not.")
    vector = param.Selector(default="Ω", objects=SWITCHES["vector"], doc="Which vector's motion is seen.")

    visible = True

    def __init__(self, height: int = 118, **params: Any) -> None:
        super().__init__(**params)
        self._results: Results | None = None
        self._duration: float | None = None
        self._times = Range1d(0, 1, reset_start=0, reset_end=1)
        self.plots = [Plot(self._times, height) for _ in range(PLOTS)]

        self.switches = Switches(sizing_mode="stretch_width", margin=0)
        self.switches.asked = self.reset_zoom
        for name in SWITCHES:
            self.switches.param.watch(lambda event: self.param.update({event.name: event.new}), name)
        self._caption = caption(44)
        self.panel = pn.Column(
            self.switches,
            *(plot.panel for plot in self.plots),
            pn.pane.Bokeh(self._caption, sizing_mode="stretch_width", margin=(2, 12, 8, 12)),
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
        useful = {"Motion": ["vector"], "Steps": ["axis"]}.get(self.group, ["axis", "errors"])
        self.switches.param.update(
            group=self.group, axis=self.axis, errors=self.errors, vector=self.vector, useful=useful
        )

    def _draw(self) -> None:
        if self._results is None:
            return
        results = self._results
        duration = results.choice.duration or results.choice.dt
        put(self._times, -BESIDE * duration, (1 + BESIDE) * duration, anew=duration != self._duration)
        self._duration = duration
        for plot, quantity in zip(self.plots, GROUPS[self.group](results, self.vector), strict=True):
            plot.show(results, quantity, self.axis == "Log", self.errors == "Relative")
        self._caption.text = html.escape(words_on(results))

    def reset_zoom(self) -> None:
        """All axes as they were before anyone zoomed."""
        for range_ in (self._times, *(plot.values for plot in self.plots)):
            range_.update(start=range_.reset_start, end=range_.reset_end)


def caption(height: int) -> Div:
    """Words under a picture. Bokeh's own: Panel's panes renew their style sheets with each new text."""
    styles = {"font": "12px/1.5 var(--bokeh-base-font, sans-serif)", "opacity": "0.8", "min-height": f"{height}px"}
    return Div(styles=styles, sizing_mode="stretch_width", disable_math=True)


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
        off = results.exact.estimate.attitude
        said.append(f"Exact: {results.exact.how}, good to {off:.0e} rad.")
    elif results.no_exact:
        said.append(f"No exact motion to compare with: {results.no_exact}")
    return " ".join(said)
