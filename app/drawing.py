"""Axes and plots as drawings: from where to where an axis goes, its round numbers, and a plot as SVG."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Interval = tuple[float, float]

FLOOR = 1e-17
"""Where a logarithmic plot shows a zero."""
LARGEST = 1e30
"""Beyond it a curve has left every plot, and float32 is not far from its end."""
FLATTEST = 1e-15
"""The least that a linear axis spans: below it there is roundoff only."""

WRITE_NUMBER = """
    const raised = (n) => String(n).replace(/./g, (c) => c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]);
    const written = (x, digits, largest) => {
        const e = largest > 0 ? Math.floor(Math.log10(largest)) : 0;
        if (x === 0 || (e >= -3 && e < 5)) return String(parseFloat(x.toPrecision(digits))).replace('-', '−');
        return String(parseFloat((x / 10 ** e).toPrecision(digits))).replace('-', '−') + '·10' + raised(e);
    };
"""
"""JavaScript that writes numbers beside an axis: 10⁻³, 2·10⁴, 0.5."""
TICKS = WRITE_NUMBER + "return written(tick, 5, Math.max(...ticks.map(Math.abs)));"
"""The same for the ticks of a linear axis, all by one power of ten."""
VALUE = WRITE_NUMBER + "return written(value, 6, Math.abs(value));"
"""The same for the value that is pointed at."""


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
        low = min((_low(y[1:] if len(y) > 1 else y) for y in drawn), default=-16.0)
        high = max((y.max() for y in drawn), default=0.0)
        low, high = max(2.0 * np.floor(low / 2), np.log10(FLOOR)), 2.0 * np.ceil(high / 2)
        low = min(low, max(high - 4.0, np.log10(FLOOR)))
        return low - 0.2, max(high, low + 4.0) + 0.2
    low = min((y.min() for y in drawn), default=0.0)
    high = max((y.max() for y in drawn), default=1.0)
    span = max(high - low, 1e-3 * max(abs(low), abs(high)), FLATTEST)
    step = 10.0 ** np.floor(np.log10(span)) / 5
    return step * np.floor((low - 0.04 * span) / step), step * np.ceil((high + 0.04 * span) / step)


def _low(y: Array) -> float:
    """What a fiftieth of the values lies below."""
    k = len(y) // 50
    return float(np.partition(y, k)[k])


def ticks(start: float, end: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Round numbers from start to end."""
    rough = (end - start) / most
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough)
    step = max(1.0, round(step)) if whole else step
    return [float(step * k) for k in range(int(np.ceil(start / step)), int(np.floor(end / step)) + 1)]


@dataclass(frozen=True, eq=False)
class Stroke:
    """A curve of a drawing, or with `marks` its points alone; its values are as the axes have them.

    `ended` marks where the curve ends with a cross, as of a run that ended early.
    """

    label: str
    colour: str
    t: NDArray[Any]
    y: NDArray[Any]
    width: float = 1.7
    marks: bool = False
    ended: bool = False


MARGINS = 70.0, 16.0, 36.0, 30.0
"""Left, right, above and below the frame of a drawing."""
LINE = 19.0
"""How much higher a drawing is for a line of its legend, or for its setting."""
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
    size: tuple[int, int] = (760, 300),
    setting: str = "",
    embedded: bool = False,
) -> str:
    """A plot as a drawing on white, under its title and the `setting` that it was computed with.

    `embedded` in a page, which names the curves and styles it, it has no ground, but a place for a cursor.
    `log` is of the values, `log_across` of what they are plotted against, in words `across`.
    """
    width, height = size
    colours = {} if embedded else {stroke.label: stroke.colour for stroke in strokes}
    said = textwrap.wrap(setting, int((width - MARGINS[0] - MARGINS[1]) / LETTER))
    left, right, top = MARGINS[0], width - MARGINS[1], MARGINS[2] + LINE * len(said)
    legend = _legend(colours, left, right - LETTER * len(across))
    bottom = height - MARGINS[3] - (0.0 if embedded else LINE * (legend[-1][1] + 1) + 5.0)

    def x(t: Any) -> Any:
        return left + (t - times[0]) / (times[1] - times[0]) * (right - left)

    def y(v: Any) -> Any:
        return bottom - (v - values[0]) / (values[1] - values[0]) * (bottom - top)

    named = f"{escape(title)} {escape(formula)}, against {escape(across)}"
    place = f'data-end="{times[1]:.9g}" data-left="{left}" data-right="{right}" '
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="12" fill="#333" role="img" aria-label="{named}" '
        f"{place if embedded else ''}>",
        "" if embedded else f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="{left}" y="22"><tspan font-weight="bold">{escape(title)}</tspan> '
        f"{escape(formula)}</text>",
        *(
            f'<text x="{left}" y="{22 + LINE * (i + 1)}" fill="#555">{escape(line)}</text>'
            for i, line in enumerate(said)
        ),
        '<g class="grid">',
    ]
    for value in ticks(*values, whole=log):
        label = _tick(value, log)
        parts.append(f'<path d="M{left} {y(value):.1f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{label}</text>')
    for value in ticks(*times, most=8, whole=log_across):
        label = _tick(value, log_across)
        parts.append(f'<text class="t" x="{x(value):.1f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    # A drawing within the drawing cuts off what is outside of the frame.
    parts.append(f'</g><svg x="{left}" y="{top}" width="{right - left}" height="{bottom - top}">')
    for stroke in strokes:
        xs, ys = (x(stroke.t) - left).tolist(), (y(stroke.y) - top).tolist()
        if stroke.marks:
            parts += [
                f'<circle cx="{a:.2f}" cy="{b:.2f}" r="3" fill="{stroke.colour}"/>'
                for a, b in zip(xs, ys, strict=True)
            ]
            continue
        points = " ".join(f"{a:.2f},{b:.2f}" for a, b in zip(xs, ys, strict=True))
        parts.append(
            f'<polyline fill="none" stroke="{stroke.colour}" stroke-width="{stroke.width}" stroke-linejoin="round" '
            f'points="{points}"><title>{escape(stroke.label)}</title></polyline>'
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
    if embedded:
        parts.append(f'<path class="cursor" d="M0 {top}V{bottom}"/>')
        return "\n".join([*parts, "</svg>", ""])
    for at, line, label in legend:
        if label:
            below = bottom + MARGINS[3] + LINE * (line + 1)
            parts.append(f'<path d="M{at:.0f} {below - 12}h18" stroke="{colours[label]}" stroke-width="3"/>')
            parts.append(f'<text x="{at + 24:.0f}" y="{below - 8}">{escape(label)}</text>')
    parts.append(f'<text x="{right}" y="{bottom + MARGINS[3] + LINE - 8}" text-anchor="end">{escape(across)}</text>')
    return "\n".join([*parts, "</svg>", ""])


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
    return f'10<tspan dy="-5" font-size="9">{_signed(f"{value:.0f}")}</tspan>' if log else _signed(f"{value:.5g}")


def _signed(text: str) -> str:
    """With a minus sign in place of a hyphen."""
    return text.replace("-", "−")
