"""Plots as SVG: of given curves, and of a chart."""

from __future__ import annotations

import base64
import io
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, NamedTuple

import numpy as np
from bokeh.palettes import Viridis256
from numpy.typing import ArrayLike, NDArray
from PIL import Image as Pixels
from PIL import ImageColor

from engine.studies.core import Axes, Axis, Chart, Curve, Guide, Image, bounds, clip_to_axis
from engine.text.formatting import RAISED

from . import style
from .downsample import downsample, spread_evenly
from .scales import (
    Float,
    Scale,
    find_scales,
    find_ticks,
    format_tick,
    make_scale,
    place_guide,
)

NOWHERE = np.zeros(0)
MOST_DRAWN = 4000
"""Largest number of points of a curve."""
MOST_OF_STILL = 300
"""The same in a still picture."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """A curve of a drawing, or its points alone if it has a `mark`; logarithmic axes take
    logarithms.

    `mark` is one of `OUTLINES`, filled unless it is `hollow`; `dash` is that of the line. A cross
    marks the end of a curve that `ended` early. Values `under` the curve make it a band.
    """

    label: str
    colour: str
    t: NDArray[Any]
    y: NDArray[Any]
    width: float = 1.7
    mark: str = ""
    hollow: bool = False
    dash: str = style.DASHES[0]
    ended: bool = False
    opacity: float = 1.0
    under: NDArray[Any] | None = None


OUTLINES = {
    "circle": "M5 0a5 5 0 1 0 .01 0Z",
    "square": "M1 1h8v8h-8Z",
    "triangle": "M5 0l5 9H0Z",
    "diamond": "M5 0l5 5-5 5-5-5Z",
    "inverted_triangle": "M0 1h10l-5 9Z",
    "hex": "M5 0l4.3 2.5v5L5 10 .7 7.5v-5Z",
    "star": "M5 0l1.5 3.4 3.7.4-2.8 2.5.8 3.7L5 8.1 1.8 10l.8-3.7L-.2 3.8l3.7-.4Z",
}
"""The outlines of the marks, in a square of ten units."""

SIZE = (760, 300)
"""Width and height of a drawing."""
MARGINS = 70.0, 16.0, 36.0, 30.0
"""Left of, right of, above and below the frame of a drawing."""
_WRITTEN_PLAIN = {raised: plain for plain, raised in RAISED.items()} | {ord("⁻"): "−"}
_EXPONENT = re.compile(f"[{''.join(map(chr, _WRITTEN_PLAIN))}]+")
LINE = 19.0
"""Height of a line of the legend or of the setting."""
BAR = 84.0
"""Width of the bar of colours, with its numbers."""
LETTER = 7.2
"""Largest average width of a letter of the legend."""


class Ground(NamedTuple):
    """The image below the curves: the scale of its colours, its values on it, and the edges of
    regions (4, k).
    """

    scale: Scale
    values: NDArray[np.float64]
    edges: NDArray[np.float64]


class Drawing:
    """A plot on white as SVG, below its title, the label of its vertical axis, and the `setting` of
    its runs.
    """

    def __init__(
        self,
        title: str,
        strokes: Sequence[Stroke],
        across: Scale,
        up: Scale,
        *,
        size: tuple[int, int] = SIZE,
        setting: str = "",
        ground: Ground | None = None,
        guides: Sequence[Guide] = (),
    ) -> None:
        self.title = title
        self.strokes = strokes
        self.across = across
        self.up = up
        self.ground = ground
        self.guides = guides
        self.width, height = size
        self.named: dict[str, list[Stroke]] = {}
        for stroke in strokes:
            samples = self.named.setdefault(stroke.label, [])
            if bool(stroke.mark) not in [bool(sample.mark) for sample in samples]:
                samples.append(stroke)
        frame = self.width - MARGINS[0] - MARGINS[1]
        longest = LETTER * max(map(len, across.places), default=0)
        self.slanted = longest > frame / max(1, len(across.places))
        self.depth = 0.64 * longest if self.slanted else 0.0
        self.height = height + round(self.depth)
        self.setting = textwrap.wrap(setting, int(frame / LETTER))
        self.left = MARGINS[0]
        self.top = MARGINS[2] + LINE * len(self.setting)
        beside = LETTER * max((len(g.text) for g in guides if g.x[-1] == math.inf), default=0)
        self.right = self.width - MARGINS[1] - (BAR if ground is not None else beside)
        self.legend = _place_names(self.named, self.left, self.right)
        lines = self.legend[-1][1] + 2 if self.legend else 1
        self.bottom = self.height - MARGINS[3] - self.depth - LINE * lines - 5.0

    def x(self, value: Float) -> Float:
        """The place of a value across."""
        return self.left + self.across.part(value) * (self.right - self.left)

    def y(self, value: Float) -> Float:
        """The place of a value on the vertical axis."""
        return self.bottom - self.up.part(value) * (self.bottom - self.top)

    def draw(self) -> str:
        """The whole drawing."""
        frame = self.right - self.left, self.bottom - self.top
        parts = [*self._head(), '<g class="grid">', *self._grid()]
        # A drawing within the drawing clips what is outside of the frame.
        parts.append(
            f'</g><svg x="{self.left}" y="{self.top}" width="{frame[0]}" height="{frame[1]}">'
        )
        if self.ground is not None:
            parts += self._cells(self.ground, *frame)
        for stroke in self.strokes:
            parts += self._stroke(stroke, *frame)
        parts += ["</svg>", *self._guides(), *self._names()]
        if self.ground is not None:
            parts += self._bar(self.ground.scale)
        return "\n".join([*parts, "</svg>", ""])

    def _head(self) -> Iterator[str]:
        title = escape(self.title)
        formula = escape(self.up.label)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" font-family="sans-serif" font-size="12" fill="#333" '
            f'role="img" aria-label="{title} {formula}, against {escape(self.across.label)}">'
        )
        yield f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>'
        yield (
            f'<text class="title" x="{self.left}" y="22"><tspan font-weight="bold">{title}</tspan> {formula}</text>'
        )
        for i, line in enumerate(self.setting, 1):
            yield f'<text x="{self.left}" y="{22 + LINE * i}" fill="#555">{escape(line)}</text>'

    def _grid(self) -> Iterator[str]:
        for value, label in _label_ticks(self.up):
            yield f'<path d="M{self.left} {self.y(value):.1f}H{self.right}" stroke="#ddd"/>'
            yield f'<text x="{self.left - 8}" y="{self.y(value) + 4:.1f}" text-anchor="end">{label}</text>'
        for i, place in enumerate(self.across.places):
            x, y = f"{self.x(i):.1f}", f"{self.bottom + (14 if self.slanted else 18):.1f}"
            turn = (
                f'text-anchor="end" transform="rotate(-40 {x} {y})"'
                if self.slanted
                else 'text-anchor="middle"'
            )
            yield f'<text x="{x}" y="{y}" {turn}>{escape(place)}</text>'
        if not self.across.places:
            for value, label in _label_ticks(self.across, most=8):
                at = f'x="{self.x(value):.1f}" y="{self.bottom + 18}"'
                yield f'<text class="t" {at} text-anchor="middle">{label}</text>'

    def _stroke(self, stroke: Stroke, width: float, height: float) -> Iterator[str]:
        xs, ys = (self.x(stroke.t) - self.left).tolist(), (self.y(stroke.y) - self.top).tolist()
        if stroke.mark:
            radius = 3.0 if len(xs) <= style.MANY else 1.5
            yield from (_draw_mark(stroke, x, y, radius) for x, y in zip(xs, ys, strict=True))
            return
        look = f'stroke-dasharray="{stroke.dash}" opacity="{stroke.opacity:g}"'
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in zip(xs, ys, strict=True))
        if stroke.under is not None:
            back = zip(xs[::-1], (self.y(stroke.under) - self.top).tolist()[::-1], strict=True)
            points += "".join(f" {x:.2f},{y:.2f}" for x, y in back)
            yield f'<polygon fill="{stroke.colour}" fill-opacity="{style.BAND}" points="{points}"/>'
            return
        yield (
            f'<polyline fill="none" stroke="{stroke.colour}" stroke-width="{stroke.width}" stroke-linejoin="round" '
            f'{look} points="{points}"><title>{escape(stroke.label)}</title></polyline>'
        )
        if stroke.ended and xs:
            x, y = (
                min(max(at, 7.0), most - 7.0) for at, most in ((xs[-1], width), (ys[-1], height))
            )
            yield (
                f'<path class="ended" d="M{x - 5:.2f} {y - 5:.2f}l10 10m0 -10l-10 10" '
                f'stroke="{stroke.colour}" stroke-width="3"/>'
            )

    def _cells(self, ground: Ground, width: float, height: float) -> Iterator[str]:
        """The image, and the edges of its regions."""
        shade = np.nan_to_num(ground.scale.part(ground.values) * 255).clip(0, 255).astype(int)
        nowhere = ImageColor.getrgb(style.NOWHERE_COLOUR)
        pixels = np.where(np.isfinite(ground.values)[..., None], PALETTE[shade], nowhere)
        yield _pixels(pixels[::-1], 0.0, 0.0, width, height)
        xs, ys = self.x(ground.edges[::2]) - self.left, self.y(ground.edges[1::2]) - self.top
        lines = "".join(
            f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" for a, c, b, d in np.concatenate([xs, ys]).T
        )
        yield f'<path d="{lines}" stroke="{style.EDGE_COLOUR}" stroke-width="1.6"/>'

    def _bar(self, scale: Scale) -> Iterator[str]:
        """The bar of colours, with its numbers."""
        left = self.right + 14
        height = self.bottom - self.top
        yield _pixels(PALETTE[::-1, None], left, self.top, 12.0, height)
        for value, label in _label_ticks(scale):
            y = self.bottom - scale.part(value) * height
            yield f'<text x="{left + 18:.1f}" y="{y + 4:.1f}">{label}</text>'

    def _guides(self) -> Iterator[str]:
        """The guides, each with its words, which are beside the frame if the line ends there."""
        colours = {stroke.label: stroke.colour for stroke in self.strokes}
        for guide in self.guides:
            placed = place_guide(guide, self.across, self.up)
            if placed is None:
                continue
            colour = colours.get(guide.of, "#555")
            xs = self.left + placed.x * (self.right - self.left)
            ys = self.bottom - placed.y * (self.bottom - self.top)
            line = "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(xs, ys, strict=True))
            yield f'<path d="M{line}" fill="none" stroke="{colour}" stroke-dasharray="4 3"/>'
            x = xs[-1] + (-3 if placed.ends else 3)
            y = ys[-1] + (13 if placed.below else -5)
            anchor = "end" if placed.ends else "start"
            if guide.x[-1] == math.inf:
                x, y, anchor = xs[-1] + 6, ys[-1] + 4, "start"
            yield f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(guide.text)}</text>'

    def _names(self) -> Iterator[str]:
        """The name of the horizontal axis, and below it the legend."""
        below = self.bottom + self.depth + MARGINS[3]
        for at, line, label in self.legend:
            y = below + LINE * (line + 2)
            yield from (_draw_sample(stroke, at, y - 12) for stroke in self.named[label])
            yield f'<text x="{at + 24:.0f}" y="{y - 8:.1f}">{escape(label)}</text>'
        name = escape(self.across.label)
        middle = 0.5 * (self.left + self.right)
        yield f'<text x="{middle:.1f}" y="{below + LINE - 8:.1f}" text-anchor="middle">{name}</text>'


PALETTE = np.array([ImageColor.getrgb(colour) for colour in Viridis256])


def _pixels(colours: NDArray[Any], x: float, y: float, width: float, height: float) -> str:
    """An image element of pixels (n, m, 3), stretched without smoothing."""
    file = io.BytesIO()
    Pixels.fromarray(colours.astype(np.uint8), "RGB").save(file, "png")
    data = base64.b64encode(file.getvalue()).decode()
    return (
        f'<image x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'
    )


def _draw_mark(stroke: Stroke, x: float, y: float, radius: float) -> str:
    """A point of a stroke."""
    ink = (
        f'fill="none" stroke="{stroke.colour}" stroke-width="2"'
        if stroke.hollow
        else f'fill="{stroke.colour}"'
    )
    scale = radius / (4.0 if not stroke.hollow else 2.6)
    at = f"translate({x - 5 * scale:.2f} {y - 5 * scale:.2f}) scale({scale:.2f})"
    return f'<path d="{OUTLINES[stroke.mark]}" transform="{at}" {ink}/>'


def _draw_sample(stroke: Stroke, x: float, y: float) -> str:
    """The sample beside a name of the legend: a piece of the line, or a mark."""
    if stroke.mark:
        return _draw_mark(stroke, x + 9, y, 3.0)
    if stroke.under is not None:
        return f'<rect x="{x:.0f}" y="{y - 5:.1f}" width="18" height="10" fill="{stroke.colour}" fill-opacity="0.3"/>'
    line = f'stroke="{stroke.colour}" stroke-width="3" stroke-dasharray="{stroke.dash}"'
    return f'<path d="M{x:.0f} {y:.1f}h18" {line}/>'


def draw_chart(
    axes: Axes,
    curves: Sequence[Curve],
    looks: Mapping[str, style.Look],
    title: str,
    setting: str,
    image: Image | None = None,
    guides: Sequence[Guide] = (),
) -> Drawing:
    """A frame of a chart, with its curves or its image; values that are not finite are left out."""
    both = axes.x, axes.y
    if image is not None:
        across, up = (
            make_scale(axis, bounds(at, axis.log)[[0, -1]])
            for axis, at in zip(both, (image.x, image.y), strict=True)
        )
        edges = np.stack([_place(both[i % 2], image.edges[:, i]) for i in range(4)])
        ground = Ground(
            make_scale(image.colours, image.ends), _place(image.colours, image.values), edges
        )
        return Drawing(title, (), across, up, size=(760, 480), setting=setting, ground=ground)
    across, up = find_scales(axes, curves)
    strokes = [
        stroke for curve in curves for stroke in _find_strokes(curve, axes, looks[curve.name])
    ]
    if any(curve.paper for curve in curves):
        printed = Stroke(
            style.PAPER_LABEL,
            style.PAPER_COLOUR,
            NOWHERE,
            NOWHERE,
            mark=style.OF_PAPER,
            hollow=True,
        )
        strokes.insert(0, printed)
    up = up._replace(label="" if axes.y.label == title else axes.y.label)
    return Drawing(title, strokes, across, up, size=(760, 420), setting=setting, guides=guides)


def draw_still(chart: Chart, looks: Mapping[str, style.Look]) -> str:
    """A chart as SVG with few points, its frames two side by side."""

    def thin(curve: Curve) -> Curve:
        rows = downsample(np.asarray(curve.y, float), MOST_OF_STILL)
        under = None if curve.under is None else np.asarray(curve.under)[rows]
        return replace(curve, x=np.asarray(curve.x)[rows], y=np.asarray(curve.y)[rows], under=under)

    drawings = [
        draw_chart(
            axes,
            list(map(thin, chart.of(i))),
            looks,
            axes.name,
            "",
            chart.image(i),
            chart.guides_of(i),
        )
        for i, axes in enumerate(chart.axes)
    ]
    return stack_drawings(drawings, columns=2)


def _find_strokes(curve: Curve, axes: Axes, look: style.Look) -> Iterator[Stroke]:
    """The line of a curve, and its marks."""
    x, y = _place(axes.x, curve.x), _place(axes.y, curve.y)
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    rows = rows[spread_evenly(len(rows), MOST_DRAWN)]
    line, marks = style.choose_parts(curve, axes)
    label = style.PAPER_LABEL if curve.paper else curve.name
    stroke = Stroke(
        label, look.colour, x[rows], y[rows], width=1.2 if marks else 2.0, dash=look.dash
    )
    if curve.under is not None:
        yield replace(stroke, under=_place(axes.y, curve.under)[rows])
    elif line:
        yield stroke
    if marks:
        yield replace(stroke, mark=style.OF_PAPER if curve.paper else look.mark, hollow=curve.paper)


def _place(axis: Axis, values: ArrayLike) -> NDArray[np.float64]:
    """Values on an axis: their decimal logarithms on a logarithmic one."""
    shown = clip_to_axis(axis, values)
    return np.log10(shown) if axis.log else shown


def stack_drawings(drawings: Sequence[Drawing], columns: int = 1) -> str:
    """Drawings as SVG, in rows of so many."""
    if len(drawings) == 1:
        return drawings[0].draw()
    parts = []
    each = max(drawing.width for drawing in drawings)
    y = 0
    width = each * min(columns, len(drawings))
    for first in range(0, len(drawings), columns):
        row = drawings[first : first + columns]
        for i, drawing in enumerate(row):
            parts.append(f'<g transform="translate({i * each} {y})">\n{drawing.draw()}</g>')
        y += max(drawing.height for drawing in row)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}">'
    return "\n".join([head, *parts, "</svg>", ""])


def _place_names(names: Iterable[str], left: float, right: float) -> list[tuple[float, int, str]]:
    """The places of names in lines from left to right: across, number of the line from 0, and
    name.
    """
    placed: list[tuple[float, int, str]] = []
    at = left
    line = 0
    for name in names:
        wide = 44 + LETTER * len(name)
        if at > left and at + wide > right:
            at = left
            line = line + 1
        placed.append((at, line, name))
        at += wide
    return placed


def file_name(*words: str, ending: str) -> str:
    """The name of a file from words, in characters that every file system accepts."""
    text = "".join(map(_spell, unicodedata.normalize("NFKD", " ".join(words).replace("'", ""))))
    parts = "".join(c if c.isalnum() or c in ".+" else " " for c in text.lower()).split()
    return f"polhode-{'-'.join(parts)}.{ending}"


def _spell(letter: str) -> str:
    """A letter in ASCII: the name of a Greek one, nothing for others."""
    name = unicodedata.name(letter, "")
    return letter if letter.isascii() else name.split()[-1] if name.startswith("GREEK") else ""


def _label_ticks(scale: Scale, most: int = 5) -> Iterator[tuple[float, str]]:
    """The ticks of an axis, each with its number; exponents are set higher, not written with raised
    digits.
    """
    ticks = find_ticks(scale.ends, scale.log, most)
    for value in ticks:
        yield value, _EXPONENT.sub(_raise, format_tick(value, ticks, scale.log))


def _raise(exponent: re.Match[str]) -> str:
    """An exponent that is set higher."""
    return f'<tspan dy="-5" font-size="9">{exponent[0].translate(_WRITTEN_PLAIN)}</tspan>'
