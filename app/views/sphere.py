"""Flat views of the motion: the momentum sphere, the polhode and the herpolhode; with torque, traces in space."""

from __future__ import annotations

import functools
import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import ColumnDataSource, CustomJS, HoverTool, Range1d, WheelZoomTool
from bokeh.plotting import figure
from numpy.typing import NDArray
from panel.custom import JSComponent

import engine

from ..results import EXACT_COLOUR, Results
from ..session import MOST_METHODS
from ..thin import evenly, ordinal
from .plots import caption

Array = NDArray[np.float64]

AROUND = 181
"""Points of a closed curve."""
MOST_DOTS = 700
"""Computed points of one method that are drawn; more would hide each other."""
MOST_TRACE = 2000
"""Points of a trace in space."""
FINE = 0.15
"""Radians that a free body turns at most between two points of its herpolhode."""
FRONT, BACK = 0.9, 0.2
"""How opaque is what lies before and behind."""
LEVELS = (0.04, 0.16, 0.36, 0.64, 0.9)
"""Energies of the level curves: the curve's widest point, squared, as part of the sphere's radius, squared."""
NEUTRAL = "#8A929A"
SIZES, WIDTHS = (7.5, 5.5, 4.0, 2.6), (4.2, 3.0, 1.9, 1.0)
"""Of the methods' dots and lines: where they lie on each other, all of them are seen."""


# --- geometry ----------------------------------------------------------------------------------------------------


def level(moments: Array, energy: float) -> list[Array]:
    """The curves on the unit sphere, each (m, 3), where n·J⁻¹n = 2·energy: two loops about one of the outer axes.

    With a = 1/moments, an axis k and the other two i and j: (a_k − a_i) n_i² + (a_k − a_j) n_j² = a_k − 2·energy, an
    ellipse as seen along k. None where a body has no such energy, or where every point has it.
    """
    a = 1.0 / moments
    for k in (int(a.argmax()), int(a.argmin())):
        i, j = (k + 1) % 3, (k + 2) % 3
        with np.errstate(divide="ignore", invalid="ignore"):
            widths = (a[k] - 2 * energy) / (a[k] - a[[i, j]])
        if np.isfinite(widths).all() and (widths >= 0).all() and (widths <= 1 + 1e-12).all():
            φ = np.linspace(0, 2 * np.pi, AROUND)
            n = np.empty((AROUND, 3))
            n[:, i], n[:, j] = np.sqrt(widths[0]) * np.cos(φ), np.sqrt(widths[1]) * np.sin(φ)
            n[:, k] = np.sqrt(np.maximum(1 - n[:, i] ** 2 - n[:, j] ** 2, 0))
            other = n.copy()
            other[:, k] *= -1
            return [n, other]
    return []


def levels(moments: Array) -> list[Array]:
    """Level curves of the energy over the whole unit sphere, the separatrix among them."""
    a = 1.0 / moments
    order = np.argsort(a)
    middle = a[order[1]]
    curves = []
    for k in (order[0], order[2]):
        nearest = middle if abs(a[k] - middle) > 1e-9 * abs(middle) else a[order[2 if k == order[0] else 0]]
        if abs(a[k] - nearest) <= 1e-9 * abs(nearest):
            continue
        for part in (*LEVELS, 1.0):
            curves += level(moments, (a[k] + part * (nearest - a[k])) / 2)
        if nearest != middle:
            break
    return curves


def polhode(moments: Array, Pi: Array) -> Array:
    """The loop (m, 3) of Π on which a free body with this momentum stays; its momentum alone if that is all of it."""
    size = float(np.linalg.norm(Pi))
    if size == 0.0:
        return Pi[None]
    n = Pi / size
    loops = level(moments, float(n @ (n / moments)) / 2)
    if not loops:
        return Pi[None]
    return size * min(loops, key=lambda loop: float(np.square(loop - n).sum(axis=1).min()))


@functools.lru_cache(maxsize=32)
def herpolhode(body: engine.Problem, duration: float) -> tuple[float, Array]:
    """The exact ω in space (m, 3) of a free body, finely enough to be smooth, and up to when."""
    fastest = float(np.linalg.norm(body.Pi0)) / float(body.principal[0].min())
    end = min(duration, MOST_TRACE * FINE / fastest)
    motion = engine.exact(body, np.linspace(0.0, end, MOST_TRACE))
    return end, _spatial(motion.R, motion.Omega)


@dataclass(frozen=True)
class Look:
    """A direction to look along, with what then points to the right and up: each a unit vector (3,)."""

    right: Array
    up: Array
    near: Array

    def __call__(self, points: Array) -> tuple[Array, Array, Array]:
        """Right, up and nearness of points (n, 3)."""
        return points @ self.right, points @ self.up, points @ self.near


def along(axis: int) -> Look:
    """From the tip of a body axis: the next axis to the right, the one after it up."""
    E = np.eye(3)
    return Look(E[(axis + 1) % 3], E[(axis + 2) % 3], E[axis])


def down_on(direction: Array) -> Look:
    """From the tip of a vector in space; up is as near to e2 as it can be."""
    near = direction / np.linalg.norm(direction)
    seed = np.array([0.0, 1.0, 0.0]) if abs(near[1]) < 0.9 else np.array([0.0, 0.0, -1.0])
    up = seed - (seed @ near) * near
    up /= np.linalg.norm(up)
    return Look(np.cross(up, near), up, near)


# --- one picture -------------------------------------------------------------------------------------------------


class Picture:
    """A square figure with equal axes: curves behind, the exact motion, and the computed points of each method."""

    def __init__(self, words: str, dots: bool = True, exact_width: float = 4.5) -> None:
        self.words = words
        hover = HoverTool(tooltips=[("", "$name"), ("t", "@t{0.[0000]}")])
        wheel = WheelZoomTool(modifiers="ctrl")
        self._x, self._y = (Range1d(-1, 1, reset_start=-1, reset_end=1) for _ in range(2))
        self.figure = figure(
            width=420,
            aspect_ratio=1,
            sizing_mode="scale_width",
            x_range=self._x,
            y_range=self._y,
            tools=["pan", wheel, hover],
            toolbar_location=None,
            min_border=0,
            background_fill_alpha=0,
            border_fill_alpha=0,
            outline_line_color=None,
            output_backend="canvas",
        )
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.figure.toolbar.active_scroll = wheel
        self.figure.js_on_event("doubletap", CustomJS(code="cb_obj.origin.reset.emit()"))
        self._ground = self._lines(NEUTRAL, 1.0, 0.55)
        self._ground_behind = self._lines(NEUTRAL, 1.0, 0.16)
        self._outline = self._lines(NEUTRAL, 1.5, 0.8)
        self._exact = self._lines(EXACT_COLOUR, exact_width, 0.75)
        self._exact_behind = self._lines(EXACT_COLOUR, exact_width, 0.2)
        self._methods = [self._points(dots, slot) for slot in range(MOST_METHODS)]
        hover.renderers = self._methods
        words = ColumnDataSource(dict(x=[], y=[], text=[]))
        self._words = self.figure.text(
            "x", "y", "text", source=words, text_color=NEUTRAL, text_align="center", text_baseline="middle",
            text_font_size="13px",
        )  # fmt: skip

    def _lines(self, colour: str, width: float, alpha: float) -> Any:
        source = ColumnDataSource(dict(xs=[], ys=[]))
        return self.figure.multi_line(
            "xs", "ys", source=source, line_color=colour, line_width=width, line_alpha=alpha, line_join="round"
        )

    def _points(self, dots: bool, slot: int) -> Any:
        source = ColumnDataSource(dict(x=[], y=[], t=[], alpha=[]))
        if dots:
            return self.figure.scatter(
                "x", "y", source=source, size=SIZES[slot], line_color=None, fill_alpha="alpha", fill_color=NEUTRAL
            )
        return self.figure.line("x", "y", source=source, line_width=WIDTHS[slot], line_alpha=0.9, line_join="round")

    def ground(self, look: Look, curves: list[Array], outline: list[Array]) -> None:
        """The curves behind: those in front of the middle and those behind it, and outlines as they are."""
        front, back = split(look, curves)
        _put(self._ground, front)
        _put(self._ground_behind, back)
        _put(self._outline, [look(curve)[:2] for curve in outline])

    def exact(self, look: Look, curve: Array | None, solid: bool = False) -> None:
        """The exact curve; `solid` if nothing hides its far side."""
        front: list[tuple[Array, Array]] = []
        back: list[tuple[Array, Array]] = []
        if solid and curve is not None:
            front = [look(curve)[:2]]
        elif curve is not None:
            front, back = split(look, [curve])
        _put(self._exact, front)
        _put(self._exact_behind, back)

    def method(self, slot: int, label: str, colour: str, look: Look, t: Array, points: Array, solid: bool) -> None:
        """The points of a method."""
        renderer = self._methods[slot]
        x, y, near = look(points)
        alpha = np.where(near >= -1e-9, FRONT, BACK) if not solid else np.full(len(x), FRONT)
        columns = {"x": x, "y": y, "t": t, "alpha": alpha}
        renderer.data_source.data = {key: column.astype(np.float32) for key, column in columns.items()}
        if renderer.name != label:
            renderer.name = label
        ink = "fill_color" if hasattr(renderer.glyph, "fill_color") else "line_color"
        if getattr(renderer.glyph, ink) != colour:
            setattr(renderer.glyph, ink, colour)

    def clear(self, slots: range) -> None:
        """No points in these slots."""
        for slot in slots:
            source = self._methods[slot].data_source
            if len(source.data["x"]):
                source.data = {key: [] for key in source.data}

    def frame(self, radius: float, words: list[tuple[float, float, str]]) -> None:
        """What is seen: the middle, and so far about it; with words, placed in parts of that."""
        reach = 1.18 * radius if radius > 0 else 1.0
        for range_ in (self._x, self._y):
            zoomed = (range_.start, range_.end) != (range_.reset_start, range_.reset_end)
            range_.update(reset_start=-reach, reset_end=reach)
            if not zoomed:
                range_.update(start=-reach, end=reach)
        x, y, text = zip(*words, strict=True)
        data = dict(x=[reach * v for v in x], y=[reach * v for v in y], text=list(text))
        if data != dict(self._words.data_source.data):
            self._words.data_source.data = data


def _put(renderer: Any, curves: list[tuple[Array, Array]]) -> None:
    """New curves for a multi-line, if there are any or were any."""
    source = renderer.data_source
    if curves or len(source.data["xs"]):
        # NaN between the curves makes one line of them, which travels as one array.
        x, y = (_joined([curve[i] for curve in curves]) for i in (0, 1))
        source.data = dict(xs=[x] if curves else [], ys=[y] if curves else [])


def _joined(parts: list[Array]) -> Array:
    gap = np.array([np.nan])
    pieces = [piece for part in parts for piece in (part, gap)]
    return np.concatenate(pieces[:-1]).astype(np.float32) if pieces else np.zeros(0, np.float32)


def split(look: Look, curves: list[Array]) -> tuple[list[tuple[Array, Array]], list[tuple[Array, Array]]]:
    """Curves as they are seen, those parts in front of the middle and those behind it: gaps where the other is."""
    front: list[tuple[Array, Array]] = []
    back: list[tuple[Array, Array]] = []
    for curve in curves:
        x, y, near = look(curve)
        before = near >= -1e-12
        for parts, here in ((front, before), (back, ~before)):
            if here.any():
                # One point more at either end, so that the two parts meet.
                wide = here | np.append(here[1:], False) | np.append(False, here[:-1])
                parts.append((np.where(wide, x, np.nan), np.where(wide, y, np.nan)))
    return front, back


def circle(look: Look, radius: float) -> Array:
    """A circle (m, 3) about the line of sight."""
    φ = np.linspace(0, 2 * np.pi, AROUND)
    return radius * (np.cos(φ)[:, None] * look.right + np.sin(φ)[:, None] * look.up)


# --- the views ---------------------------------------------------------------------------------------------------


class Chooser(JSComponent):
    """A row of radio buttons with a name."""

    options = param.List(doc="What can be chosen.")
    value = param.String(doc="What is chosen.")
    name_seen = param.String(doc="What is chosen between.")
    pictures = param.List(doc="The figures' models, each with its words for those who do not see it.")

    _esm = """
export function render({model, el}) {
  const root = document.createElement('div'), own = 'c' + Math.random().toString(36).slice(2);
  root.className = 'row'; root.setAttribute('role', 'radiogroup');
  const fill = () => {
    root.setAttribute('aria-label', model.name_seen);
    const said = document.createElement('span'); said.textContent = model.name_seen;
    root.replaceChildren(said, ...model.options.map((text) => {
      const label = document.createElement('label'), input = document.createElement('input');
      input.type = 'radio'; input.name = own; input.value = text; input.checked = text === model.value;
      input.onchange = () => { model.value = text; };
      label.append(input, text); return label;
    }));
  };
  const mark = () => {
    for (const input of root.querySelectorAll('input')) input.checked = input.value === model.value;
  };
  model.on('options', fill); model.on('name_seen', fill); model.on('value', mark);
  const describe = () => {
    for (const [id, words] of model.pictures) {
      const view = window.Bokeh.index.find_one_by_id(id);
      if (view) { view.el.setAttribute('role', 'img'); view.el.setAttribute('aria-label', words); }
    }
  };
  model.on('after_render', describe); setTimeout(describe, 500);
  fill(); el.append(root);
}
"""
    _stylesheets: ClassVar[list[str]] = [
        """
.row { display: flex; align-items: center; font: 12px/1.4 var(--bokeh-base-font, sans-serif);
  color: var(--panel-on-surface-color, inherit); }
span { opacity: .75; margin-right: 8px; }
label { position: relative; cursor: pointer; padding: 2px 9px; border: 1px solid;
  border-color: color-mix(in srgb, currentColor 25%, transparent); margin-left: -1px; }
label:first-of-type { border-radius: 6px 0 0 6px; } label:last-of-type { border-radius: 0 6px 6px 0; }
label:has(:checked) { background: color-mix(in srgb, currentColor 12%, transparent); }
label:has(:focus-visible) { outline: 2px solid var(--panel-primary-color, currentColor); }
input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
"""
    ]


AXES = ["axis 1", "axis 2", "axis 3"]


class _Flat:
    """What the flat views share: a choice, pictures, and words under them."""

    def __init__(self, options: list[str], value: str, name: str, pictures: list[Picture]) -> None:
        self.visible = True
        self._results: Results | None = None
        self.chooser = Chooser(
            options=options,
            value=value,
            name_seen=name,
            pictures=[(picture.figure.id, picture.words) for picture in pictures],
            margin=(8, 12, 0, 12),
        )
        self.chooser.param.watch(lambda _: self._again(), "value")
        self._caption = caption(58)
        panes = [pn.pane.Bokeh(p.figure, sizing_mode="scale_width", max_width=560, margin=4) for p in pictures]
        row = pn.Row(*panes, sizing_mode="stretch_width", margin=0)
        words = pn.pane.Bokeh(self._caption, sizing_mode="stretch_width", margin=(2, 12, 8, 12))
        self.panel = pn.Column(self.chooser, row, words, sizing_mode="stretch_width", margin=0)

    def show(self, results: Results) -> None:
        """Draw the motion."""
        self._results = results
        self._draw(results)

    def _again(self) -> None:
        if self._results is not None:
            with pn.io.hold():
                self._draw(self._results)

    def _draw(self, results: Results) -> None:
        raise NotImplementedError

    def _say(self, text: str) -> None:
        self._caption.text = html.escape(text)

    @property
    def _axis(self) -> int:
        return AXES.index(self.chooser.value) if self.chooser.value in AXES else 2


def _methods(
    picture: Picture, results: Results, look: Look, points: Callable[[Any], Array], most: int, solid: bool
) -> str:
    """Draw each method's points; says how many of them if not all."""
    fewest = 1.0
    for slot, line in enumerate(results.lines):
        if line.run is None:
            picture.clear(range(slot, slot + 1))
            continue
        rows = evenly(len(line.run), most)
        fewest = min(fewest, len(rows) / (line.run.cost.steps + 1))
        picture.method(slot, line.label, line.colour, look, line.run.t[rows], points(line.run)[rows], solid)
    picture.clear(range(len(results.lines), MOST_METHODS))
    return f" About each {ordinal(round(1 / fewest))} state is drawn." if fewest < 0.67 else ""


def _axis_words(axis: int, letter: str) -> list[tuple[float, float, str]]:
    first, second = "₁₂₃"[(axis + 1) % 3], "₁₂₃"[(axis + 2) % 3]
    return [
        (0.94, 0.0, f"{letter}{first}"),
        (0.0, 0.95, f"{letter}{second}"),
        (0.0, -0.95, f"from the tip of axis {axis + 1}"),
    ]


class MomentumSphere(_Flat):
    """Π in the body, on the sphere |Π| = |Π₀|: level curves of the energy, the polhode, and each method's points."""

    def __init__(self) -> None:
        self._picture = Picture("The momentum sphere in the body, with each method's points")
        super().__init__(AXES, AXES[2], "Seen along", [self._picture])

    def _draw(self, results: Results) -> None:
        body = results.problem
        moments, Q = body.principal
        look = along(self._axis)
        Pi0 = Q.T @ body.Pi0
        size = float(np.linalg.norm(Pi0)) or 1.0
        if not results.free and results.exact is not None:
            size = float(np.linalg.norm(results.exact.Pi, axis=1).max()) or 1.0
        self._picture.ground(look, [size * n for n in levels(moments)], [circle(look, size)])
        curve: Array | None = None
        if results.free:
            curve = polhode(moments, Pi0)
        elif results.exact is not None:
            curve = results.exact.Pi[evenly(len(results.exact.t), MOST_TRACE)] @ Q
        self._picture.exact(look, curve)
        some = _methods(self._picture, results, look, lambda run: run.Pi @ Q, MOST_DOTS, False)
        self._picture.frame(size, _axis_words(self._axis, "Π"))
        if results.free:
            words = "Thin: where the energy is the same. Thick: the polhode, where a free body stays."
        else:
            words = (
                "Sphere: the largest |Π| of the exact motion. Thin: where the kinetic energy is one at that |Π|. "
                "Thick: the exact Π."
            )
        self._say(f"{words} Dots: what each method makes of it; pale ones lie behind.{some}")


class FlatPoinsot(_Flat):
    """Poinsot's construction in two flat views; with torque, the traces in space seen from above."""

    def __init__(self) -> None:
        self._left = Picture("The polhode on the inertia ellipsoid, in the body")
        self._right = Picture("The herpolhode in the invariable plane", exact_width=2.2)
        self._left_trace = Picture("The trace of the body's axis, seen from above", dots=False)
        self._right_trace = Picture("The trace of π or ω in space, seen from above", dots=False)
        pictures = [self._left, self._right, self._left_trace, self._right_trace]
        super().__init__(AXES, AXES[2], "Polhode seen along", pictures)
        self._free: bool | None = None
        self._chosen = {True: AXES[2], False: "π"}

    def _draw(self, results: Results) -> None:
        if results.free != self._free:
            if self._free is not None:
                self._chosen[self._free] = self.chooser.value
            self._free = results.free
            free = results.free
            for picture, seen in (
                (self._left, free),
                (self._right, free),
                (self._left_trace, not free),
                (self._right_trace, not free),
            ):
                picture.figure.visible = seen
            if self.chooser.value != self._chosen[free]:
                self.chooser.param.update(
                    options=AXES if free else ["π", "ω"],
                    name_seen="Polhode seen along" if free else "Trace in space of",
                    value=self._chosen[free],
                )
        (self._rolling if results.free else self._traces)(results)

    def _rolling(self, results: Results) -> None:
        """Polhode on the ellipsoid, herpolhode in the invariable plane."""
        body = results.problem
        moments, Q = body.principal
        look = along(self._axis)
        Omega0, Pi0 = Q.T @ body.Omega0, Q.T @ body.Pi0
        twice, size = float(Omega0 @ Pi0), float(np.linalg.norm(Pi0))
        if size == 0.0:
            for picture in (self._left, self._right):
                picture.clear(range(MOST_METHODS))
            self._say("The body is at rest.")
            return
        semi = np.sqrt(twice / moments)
        curves = [semi * n for n in levels(1.0 / moments)]
        i, j = (self._axis + 1) % 3, (self._axis + 2) % 3
        φ = np.linspace(0, 2 * np.pi, AROUND)
        outline = np.zeros((AROUND, 3))
        outline[:, i], outline[:, j] = semi[i] * np.cos(φ), semi[j] * np.sin(φ)
        self._left.ground(look, curves, [outline])
        loop = polhode(moments, Pi0) / moments
        self._left.exact(look, loop)
        some = _methods(self._left, results, look, lambda run: run.Omega @ Q, MOST_DOTS, False)
        self._left.frame(float(max(semi[i], semi[j])), _axis_words(self._axis, "Ω"))

        # In the plane ω runs between two circles: |ω|² less the square of its share along π.
        above = down_on(body.R0 @ body.Pi0)
        radii = np.sqrt(np.maximum(np.square(loop).sum(axis=1) - (twice / size) ** 2, 0.0))
        rings = [circle(above, r) for r in (radii.min(), radii.max()) if r > 1e-9 * np.sqrt(twice / moments.min())]
        self._right.ground(above, [], rings)
        end, curve = herpolhode(body, results.choice.duration) if results.exact is not None else (0.0, None)
        self._right.exact(above, curve, solid=True)
        _methods(self._right, results, above, lambda run: _spatial(run.R, run.Omega), MOST_DOTS, True)
        reach = float(radii.max()) or 0.1 * float(np.linalg.norm(Omega0))
        self._right.frame(reach, [(0.0, 0.0, "π"), (0.0, -0.95, "invariable plane, from the tip of π")])
        until = f", the herpolhode up to t = {end:.4g}" if 0.0 < end < results.choice.duration else ""
        self._say(
            "Left: the polhode on the inertia ellipsoid, in the body. Right: the herpolhode in the invariable plane, "
            f"between its two circles. Thick: exact{until}. Dots: each method.{some}"
        )

    def _traces(self, results: Results) -> None:
        """The body's axis on the unit sphere, and π or ω, both seen from above."""
        above = Look(*np.eye(3))
        axis = np.array(results.problem.action(results.choice.dt).axis)
        vector = self.chooser.value

        def tip(motion: Any) -> Array:
            return motion.R @ axis

        def trace(motion: Any) -> Array:
            return motion.pi if vector == "π" else _spatial(motion.R, motion.Omega)

        exact = results.exact
        rows = None if exact is None else evenly(len(exact.t), MOST_TRACE)
        self._left_trace.ground(above, [], [circle(above, s) for s in (0.5, 1.0)])
        self._left_trace.exact(above, None if exact is None else tip(exact)[rows], solid=True)
        some = _methods(self._left_trace, results, above, tip, MOST_TRACE, True)
        self._left_trace.frame(1.0, [(0.94, 0.0, "e₁"), (0.0, 0.95, "e₂"), (0.0, -0.95, "body axis, from above")])
        first = exact if exact is not None else next((line.run for line in results.runs), None)
        reach = 1.0 if first is None else float(np.linalg.norm(trace(first)[:, :2], axis=1).max()) or 1.0
        self._right_trace.ground(above, [], [circle(above, reach)])
        self._right_trace.exact(above, None if exact is None else trace(exact)[rows], solid=True)
        _methods(self._right_trace, results, above, trace, MOST_TRACE, True)
        self._right_trace.frame(
            reach, [(0.94, 0.0, "e₁"), (0.0, 0.95, "e₂"), (0.0, -0.95, f"{vector} in space, from above")]
        )
        self._say(
            "Left: the tip of the body's axis, its nutation, within circles 30° and 90° from the vertical. "
            f"Right: {vector}; the circle has radius {reach:.3g}. Thick: exact. Lines: each method.{some}"
        )


def _spatial(R: Array, v: Array) -> Array:
    """Vectors (n, 3) of the body, in space."""
    return np.einsum("nij,nj->ni", R, v)
