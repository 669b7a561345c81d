"""Axes of charts: their ends, their ticks, and values on a logarithmic axis.

The screen has the same rules in `assets/js/core/scales.js` and `ticks.js`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.parameters.validation import Array
from engine.studies.core import Axes, Axis, Curve, Guide, align_words, find_span
from engine.text.formatting import format_times_power, raise_exponent, round_half_up

Interval = tuple[float, float]
Float = TypeVar("Float", float, NDArray[np.float64])

ZERO = -99.0
"""The place of zero on a logarithmic axis, which is below all other values."""
NO_DECADE = 0.31, 0.69
"""The ends of a logarithmic axis of zeros only, which has no ticks."""
LARGEST = 1e30
"""Larger values are outside of every plot, and near the end of float32."""
FLATTEST = 1e-15
"""The smallest span of a linear axis; smaller ones show roundoff only."""
WHOLE = 1e-9
"""By which a number may miss an integer."""


def to_axis(y: Array, log: bool) -> Array:
    """Values on an axis: their decimal logarithms, with zeros far below, or themselves."""
    if not log:
        return np.clip(y, -LARGEST, LARGEST)
    return np.log10(np.clip(np.abs(y), 10.0**ZERO, LARGEST))


def find_limits(drawn: list[Array], log: bool) -> tuple[float, float]:
    """The ends of an axis: round numbers around the data, so that small changes of the data do not
    move it.
    """
    drawn = [y[y > ZERO / 2] if log else y for y in drawn]
    drawn = [y for y in drawn if len(y)]
    if log and not drawn:
        return NO_DECADE
    if log:
        # A deviation that passes through zero dips for a few points, which the axis need not show.
        low = min(np.partition(y, len(y) // 50)[len(y) // 50] for y in drawn)
        high = 2.0 * np.ceil(max(y.max() for y in drawn) / 2)
        return min(2.0 * np.floor(low / 2), high - 2.0) - 0.2, high + 0.2
    low = min((y.min() for y in drawn), default=0.0)
    high = max((y.max() for y in drawn), default=1.0)
    span = max(high - low, 1e-3 * max(abs(low), abs(high)), FLATTEST)
    step = 10.0 ** np.floor(np.log10(span)) / 5
    return step * np.floor((low - 0.04 * span) / step), step * np.ceil((high + 0.04 * span) / step)


def round_numbers(start: float, end: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Round numbers from start to end."""
    rough = (end - start) / most
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough * (1.0 - WHOLE))
    step = max(1.0, round(step)) if whole else step
    first = math.ceil(start / step - WHOLE)
    last = math.floor(end / step + WHOLE)
    return [float(step * k) for k in range(first, last + 1)]


def find_ticks(ends: Interval, log: bool, most: int = 5) -> list[float]:
    """Ticks of an axis; on a logarithmic one powers of ten, with their 2 and 5 if there are fewer
    than two.
    """
    found = round_numbers(*ends, most=most, whole=log)
    if not log or len(found) > 1:
        return found
    powers = range(int(np.floor(ends[0])), int(np.ceil(ends[1])) + 1)
    fine = [float(np.log10(m) + power) for power in powers for m in (1, 2, 5)]
    return [value for value in fine if ends[0] <= value <= ends[1]]


def format_tick(value: float, ticks: Sequence[float], log: bool) -> str:
    """Format the number at a tick; all ticks of an axis have one notation.

    Ticks of a linear axis that are very large or small have one power of ten in common. A logarithmic
    axis has powers of ten only, or plain numbers, or multiples of powers of ten.
    """
    if not log:
        largest = max(map(abs, ticks))
        apart = abs(ticks[1] - ticks[0]) if len(ticks) > 1 else largest / 100
        power = math.floor(math.log10(largest)) if largest else 0
        return _format_multiple(value, 0 if _is_plain(power) else power, apart)
    if all(abs(tick - round(tick)) < WHOLE for tick in ticks):
        return f"10{raise_exponent(round(value))}"
    powers = [math.floor(tick + WHOLE) for tick in (value, *ticks)]
    power = 0 if all(map(_is_plain, powers)) else powers[0]
    return _format_multiple(10.0**value, power, 10.0 ** powers[0])


def _is_plain(power: int) -> bool:
    """Whether numbers of this power of ten are written without it."""
    return -3 <= power < 5


def _format_multiple(value: float, power: int, apart: float) -> str:
    """Format a number, as a multiple of a power of ten unless that is 0, with two digits more than
    neighbours `apart` need.
    """
    if value == 0.0:
        return "0"
    if value < 0.0:
        return f"−{_format_multiple(-value, power, apart)}"
    unit = 10.0**power
    decimals = max(0, 2 - math.floor(math.log10(apart / unit)))
    mantissa = f"{float(round_half_up(value / unit, f'.{decimals}f')):.15g}"
    return format_times_power(mantissa, power) if power else mantissa


class Scale(NamedTuple):
    """An axis of a frame.

    label : its name.
    ends : where it begins and ends; decimal logarithms if it is logarithmic.
    places : the names of 0, 1, 2, … if it counts things.
    """

    label: str
    ends: Interval
    log: bool = False
    places: Sequence[str] = ()

    def part(self, values: Float) -> Float:
        """Where values of `to_axis` are, as parts of the axis."""
        low, high = self.ends
        return (values - low) / (high - low)

    def value(self, part: Float) -> Float:
        """The value at a part of the axis."""
        at = self.ends[0] + part * (self.ends[1] - self.ends[0])
        return 10.0**at if self.log else at


def make_scale(axis: Axis, ends: ArrayLike) -> Scale:
    """The axis from the first to the second of two values."""
    low, high = to_axis(np.array(ends), axis.log).tolist()
    return Scale(axis.label, (low, high), axis.log, axis.ticks)


def find_scales(axes: Axes, curves: Sequence[Curve]) -> tuple[Scale, Scale]:
    """The axes of a frame around its curves."""
    up = [values for curve in curves for values in (curve.y, curve.under) if values is not None]
    return (
        make_scale(axes.x, find_span(axes.x, [curve.x for curve in curves])),
        make_scale(axes.y, find_span(axes.y, up)),
    )


class Placed(NamedTuple):
    """A guide in a frame: its points as parts of the axes, and whether its words end at, and lie
    below, the last.
    """

    x: Array
    y: Array
    ends: bool
    below: bool


def place_guide(guide: Guide, across: Scale, up: Scale) -> Placed | None:
    """A guide in a frame with these axes; None if its words are outside."""
    x, y = (
        np.where(np.isinf(at), np.array(at) > 0, scale.part(to_axis(np.array(at), scale.log)))
        for at, scale in ((guide.x, across), (guide.y, up))
    )
    if not (0 <= x[-1] <= 1 and 0 <= y[-1] <= 1):
        return None
    return Placed(x, y, *align_words(guide.text, float(x[-1]), float(y[-1])))
