"""Plots as drawings in SVG: of curves at hand, and of a chart."""

from __future__ import annotations

import base64
import io
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from bokeh.palettes import Viridis256
from numpy.typing import NDArray
from PIL import Image as Pixels

from engine.charts import Axes, Axis, Curve, Image, bounds
from engine.wording import short

from ..model.downsample import evenly
from .axes import Interval, shown, span, ticks_of
from .look import EDGE_COLOUR, MANY, NOWHERE_COLOUR, OF_PAPER, PAPER_COLOUR, PAPER_LABEL, Look, parts

NOWHERE = np.zeros(0)
MOST_DRAWN = 4000
"""Points of a curve in a picture."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """A curve of a drawing, or with a `mark` its points alone; its values are as the axes have them.

    `mark` is one of `OUTLINES`, filled if it is not `hollow`; `dash` is that of a line. `ended` marks where the curve
    ends with a cross, as of a run that ended early.
    """

    label: str
    colour: str
    t: NDArray[Any]
    y: NDArray[Any]
    width: float = 1.7
    mark: str = ""
    hollow: bool = False
    dash: str = "solid"
    ended: bool = False


OUTLINES = {
    "circle": "M5 0a5 5 0 1 0 .01 0Z",
    "square": "M1 1h8v8h-8Z",
    "triangle": "M5 0l5 9H0Z",
    "diamond": "M5 0l5 5-5 5-5-5Z",
    "inverted_triangle": "M0 1h10l-5 9Z",
    "hex": "M5 0l4.3 2.5v5L5 10 .7 7.5v-5Z",
    "star": "M5 0l1.5 3.4 3.7.4-2.8 2.5.8 3.7L5 8.1 1.8 10l.8-3.7L-.2 3.8l3.7-.4Z",
}
"""Of the marks, in a square of ten units."""
DASHES = {"solid": "", "dashed": "7 4", "dotdash": "2 4 7 4"}


SIZE = (760, 300)
"""Width and height of a drawing, without its setting."""
MARGINS = 70.0, 16.0, 36.0, 30.0
"""Left, right, above and below the frame of a drawing."""
LINE = 19.0
"""How much higher a drawing is for a line of its legend, or for its setting."""
BAR = 84.0
"""Room for a bar of colours."""
LETTER = 7.2
"""How wide a letter is at most, on average, in a name of a drawing's legend."""


def svg(
    title: str,
    formula: str,
    strokes: Sequence[Stroke],
    times: Interval,
    values: Interval,
    *,
    log: bool,
    across: str = "time t",
    log_across: bool = False,
    places: Sequence[str] = (),
    size: tuple[int, int] = SIZE,
    setting: str = "",
    ground: Ground | None = None,
) -> str:
    """A plot as a drawing on white, under its title and the `setting` that it was computed with.

    `log` is of the values, `log_across` of what they are plotted against, in words `across`; `places` are the names
    of 0, 1, 2, …, where things are counted across.
    """
    width, height = size
    named: dict[str, list[Stroke]] = {}
    for stroke in strokes:
        samples = named.setdefault(stroke.label, [])
        if bool(stroke.mark) not in [bool(sample.mark) for sample in samples]:
            samples.append(stroke)
    room = (width - MARGINS[0] - MARGINS[1]) / max(1, len(places))
    slanted = LETTER * max(map(len, places), default=0) > room
    deep = (0.64 * LETTER * max(map(len, places)) if slanted else 0.0) if places else 0.0
    height += round(deep)
    said = textwrap.wrap(setting, int((width - MARGINS[0] - MARGINS[1]) / LETTER))
    left, right, top = MARGINS[0], width - MARGINS[1], MARGINS[2] + LINE * len(said)
    right -= BAR if ground is not None else 0.0
    legend = _legend(named, left, right - LETTER * len(across))
    bottom = height - MARGINS[3] - deep - LINE * (legend[-1][1] + 1) - 5.0

    def x(t: Any) -> Any:
        return left + (t - times[0]) / (times[1] - times[0]) * (right - left)

    def y(v: Any) -> Any:
        return bottom - (v - values[0]) / (values[1] - values[0]) * (bottom - top)

    called = f"{escape(title)} {escape(formula)}, against {escape(across)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="12" fill="#333" role="img" aria-label="{called}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="{left}" y="22"><tspan font-weight="bold">{escape(title)}</tspan> '
        f"{escape(formula)}</text>",
        *(
            f'<text x="{left}" y="{22 + LINE * (i + 1)}" fill="#555">{escape(line)}</text>'
            for i, line in enumerate(said)
        ),
        '<g class="grid">',
    ]
    for value in ticks_of(values, log):
        label = _tick(value, log)
        parts.append(f'<path d="M{left} {y(value):.1f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{label}</text>')
    for i, place in enumerate(places):
        spot = f"{x(i):.1f}", f"{bottom + (14 if slanted else 18):.1f}"
        turned = (
            f'text-anchor="end" transform="rotate(-40 {spot[0]} {spot[1]})"' if slanted else 'text-anchor="middle"'
        )
        parts.append(f'<text x="{spot[0]}" y="{spot[1]}" {turned}>{escape(place)}</text>')
    for value in [] if places else ticks_of(times, log_across, most=8):
        label = _tick(value, log_across)
        parts.append(f'<text class="t" x="{x(value):.1f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    # A drawing within the drawing cuts off what is outside of the frame.
    parts.append(f'</g><svg x="{left}" y="{top}" width="{right - left}" height="{bottom - top}">')
    if ground is not None:
        parts += ground.cells(right - left, bottom - top, lambda t: x(t) - left, lambda v: y(v) - top)
    for stroke in strokes:
        xs, ys = (x(stroke.t) - left).tolist(), (y(stroke.y) - top).tolist()
        if stroke.mark:
            radius = 3.0 if len(xs) <= MANY else 1.5
            parts += [_mark(stroke, a, b, radius) for a, b in zip(xs, ys, strict=True)]
            continue
        points = " ".join(f"{a:.2f},{b:.2f}" for a, b in zip(xs, ys, strict=True))
        parts.append(
            f'<polyline fill="none" stroke="{stroke.colour}" stroke-width="{stroke.width}" stroke-linejoin="round" '
            f'{_dashed(stroke)}points="{points}"><title>{escape(stroke.label)}</title></polyline>'
        )
        if stroke.ended and xs:
            across_at, down = (
                min(max(at, 7.0), most - 7.0) for at, most in ((xs[-1], right - left), (ys[-1], bottom - top))
            )
            parts.append(
                f'<path class="ended" d="M{across_at - 5:.2f} {down - 5:.2f}l10 10m0 -10l-10 10" '
                f'stroke="{stroke.colour}" stroke-width="3"/>'
            )
    parts.append("</svg>")
    for at, line, label in legend:
        if label:
            below = bottom + deep + MARGINS[3] + LINE * (line + 1)
            parts += [_sample(stroke, at, below - 12) for stroke in named[label]]
            parts.append(f'<text x="{at + 24:.0f}" y="{below - 8:.1f}">{escape(label)}</text>')
    parts.append(
        f'<text x="{right}" y="{bottom + deep + MARGINS[3] + LINE - 8:.1f}" text-anchor="end">{escape(across)}</text>'
    )
    if ground is not None:
        parts += ground.bar(right + 14, top, bottom)
    return "\n".join([*parts, "</svg>", ""])


@dataclass(frozen=True, eq=False)
class Ground:
    """What lies below the curves: an image that fills the frame; `edges` are as the axes have them."""

    image: Image
    edges: NDArray[Any]

    def cells(self, width: float, height: float, x: Any, y: Any) -> list[str]:
        """The image, and the edges of its regions."""
        low, high = self._ends
        values = self._on(self.image.values)
        known = np.isfinite(values)
        shade = np.clip((np.where(known, values, low) - low) / (high - low) * 255, 0, 255).astype(int)
        pixels = np.where(known[..., None], PALETTE[shade], np.array(_rgb(NOWHERE_COLOUR)))[::-1]
        lines = "".join(f"M{x(a):.1f} {y(b):.1f}L{x(c):.1f} {y(d):.1f}" for a, b, c, d in self.edges.tolist())
        edges = f'<path d="{lines}" stroke="{EDGE_COLOUR}" stroke-width="1.6"/>' if lines else ""
        return [_pixels(pixels, 0.0, 0.0, width, height), edges]

    def bar(self, left: float, top: float, bottom: float) -> list[str]:
        """The bar of colours, with its numbers."""
        low, high = self._ends
        parts = [_pixels(PALETTE[::-1, None], left, top, 12.0, bottom - top)]
        for value in ticks_of((low, high), self.image.colours.log):
            at = bottom - (value - low) / (high - low) * (bottom - top)
            parts.append(f'<text x="{left + 18:.1f}" y="{at + 4:.1f}">{_tick(value, self.image.colours.log)}</text>')
        return parts

    @property
    def _ends(self) -> Interval:
        low, high = (float(self._on(np.array(end))) for end in self.image.ends)
        return low, high

    def _on(self, values: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return np.log10(shown(self.image.colours, values)) if self.image.colours.log else values


def _rgb(colour: str) -> tuple[int, int, int]:
    """A colour's three parts."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


PALETTE = np.array([_rgb(colour) for colour in Viridis256])


def _pixels(colours: NDArray[Any], x: float, y: float, width: float, height: float) -> str:
    """Pixels, (n, m, 3), stretched to a size, as they are."""
    file = io.BytesIO()
    Pixels.fromarray(colours.astype(np.uint8), "RGB").save(file, "png")
    data = base64.b64encode(file.getvalue()).decode()
    return (
        f'<image x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'
    )


def _mark(stroke: Stroke, x: float, y: float, radius: float) -> str:
    """One point of it."""
    ink = f'fill="none" stroke="{stroke.colour}" stroke-width="2"' if stroke.hollow else f'fill="{stroke.colour}"'
    if stroke.mark == "circle" and not stroke.hollow:
        return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" {ink}/>'
    scale = radius / (4.0 if not stroke.hollow else 2.6)
    at = f"translate({x - 5 * scale:.2f} {y - 5 * scale:.2f}) scale({scale:.2f})"
    return f'<path d="{OUTLINES[stroke.mark]}" transform="{at}" {ink}/>'


def _dashed(stroke: Stroke) -> str:
    return f'stroke-dasharray="{DASHES[stroke.dash]}" ' if DASHES[stroke.dash] else ""


def _sample(stroke: Stroke, x: float, y: float) -> str:
    """What stands beside a curve's name: a piece of its line, or a mark."""
    if stroke.mark:
        return _mark(stroke, x + 9, y, 3.0)
    return f'<path d="M{x:.0f} {y:.1f}h18" stroke="{stroke.colour}" stroke-width="3" {_dashed(stroke)}/>'


def svg_of(
    axes: Axes,
    curves: Sequence[Curve],
    looks: Mapping[str, Look],
    title: str,
    setting: str,
    image: Image | None = None,
) -> str:
    """A frame of a chart as a drawing, with its curves or its image; what is not finite is left out."""

    def on(axis: Axis, values: Any) -> Any:
        return np.log10(shown(axis, values)) if axis.log else shown(axis, values)

    if image is not None:
        ends = [tuple(bounds(at, axis.log)[[0, -1]]) for at, axis in ((image.x, axes.x), (image.y, axes.y))]
        across, up = (tuple(on(axis, np.array(end))) for axis, end in zip((axes.x, axes.y), ends, strict=True))
        edges = np.stack([on((axes.x, axes.y)[i % 2], image.edges[:, i]) for i in range(4)], axis=1)
        return svg(
            title, axes.y.label, (), across, up, log=axes.y.log, across=axes.x.label, log_across=axes.x.log,
            size=(760, 480), setting=setting, ground=Ground(image, edges),
        )  # fmt: skip
    ends = [
        span(axis, [shown(axis, values) for values in drawn])
        for axis, drawn in ((axes.x, [c.x for c in curves]), (axes.y, [c.y for c in curves]))
    ]
    strokes = []
    if any(curve.paper for curve in curves):
        strokes.append(Stroke(PAPER_LABEL, PAPER_COLOUR, NOWHERE, NOWHERE, mark=OF_PAPER, hollow=True))
    for curve in curves:
        x, y = on(axes.x, curve.x), on(axes.y, curve.y)
        there = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        there = there[evenly(len(there), MOST_DRAWN)]
        look, (line, marks) = looks[curve.name], parts(curve, axes)
        label = PAPER_LABEL if curve.paper else curve.name
        stroke = Stroke(label, look.colour, x[there], y[there], width=1.2 if marks else 2.0, dash=look.dash)
        if line:
            strokes.append(stroke)
        if marks:
            mark = OF_PAPER if curve.paper else look.mark
            strokes.append(replace(stroke, mark=mark, hollow=curve.paper))
    across, values = (tuple(on(axis, end)) for axis, end in zip((axes.x, axes.y), ends, strict=True))
    return svg(
        title, axes.y.label if axes.y.label != title else "", strokes, across, values, log=axes.y.log,
        across=axes.x.label, log_across=axes.x.log, places=axes.x.ticks, size=(760, 420), setting=setting,
    )  # fmt: skip


def stacked(drawings: Sequence[str]) -> str:
    """Drawings below each other, as one."""
    if len(drawings) == 1:
        return drawings[0]
    sizes = [tuple(int(x) for x in re.findall(r'(?:width|height)="(\d+)"', text)[:2]) for text in drawings]
    width, height = max(w for w, _ in sizes), sum(h for _, h in sizes)
    parts, y = [], 0
    for text, (_, high) in zip(drawings, sizes, strict=True):
        parts.append(f'<g transform="translate(0 {y})">\n{text}</g>')
        y += high
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def _legend(names: Iterable[str], left: float, right: float) -> list[tuple[float, int, str]]:
    """Where each name stands in lines from left to right: its place across, its line, counted from 0, and itself."""
    placed: list[tuple[float, int, str]] = [(left, 0, "")]
    at, line = left, 0
    for name in names:
        wide = 44 + LETTER * len(name)
        if at > left and at + wide > right:
            at, line = left, line + 1
        placed.append((at, line, name))
        at += wide
    return placed


def file_name(*words: str, ending: str) -> str:
    """The name of a file that tells what it holds, in letters that every file system takes."""
    text = unicodedata.normalize("NFKD", " ".join(words).replace("'", ""))
    ascii_ = "".join(
        letter
        if letter.isascii()
        else unicodedata.name(letter).split()[-1].lower()
        if unicodedata.name(letter, "").startswith("GREEK")
        else ""
        for letter in text
    )
    parts = "".join(c if c.isalnum() or c in ".+" else " " for c in ascii_.lower()).split()
    return f"polhode-{'-'.join(parts)}.{ending}"


def _tick(value: float, log: bool) -> str:
    """What stands at an axis."""
    if log and value != round(value):
        return short(10.0**value, 2)
    return f'10<tspan dy="-5" font-size="9">{_signed(f"{value:.0f}")}</tspan>' if log else _signed(f"{value:.5g}")


def _signed(text: str) -> str:
    """With a minus sign in place of a hyphen."""
    return text.replace("-", "−")
