"""Axes of charts: their ends, their ticks, and values on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from engine.parameters.validation import Array
from engine.studies.core import Axis, Guide

Interval = tuple[float, float]

ZERO = -99.0
"""The place of zero on a logarithmic axis, which is below all other values."""
NO_DECADE = 0.2, 0.8
"""The ends of a logarithmic axis of zeros only, which has no ticks."""
LARGEST = 1e30
"""Larger values are outside of every plot, and near the end of float32."""
LETTER = 0.016
"""The width of a letter, as a part of a small frame."""
FLATTEST = 1e-15
"""The smallest span of a linear axis; smaller ones show roundoff only."""


def to_axis(y: Array, log: bool) -> Array:
    """Values on an axis: their decimal logarithms, with zeros far below, or themselves."""
    if log:
        with np.errstate(over="ignore"):
            y = np.log10(np.clip(np.abs(y), 10.0**ZERO, LARGEST))
    return np.clip(y, -LARGEST, LARGEST)


def find_limits(drawn: list[Array], log: bool) -> tuple[float, float]:
    """The ends of an axis: round numbers around the data, so that small changes of the data do not move it."""
    drawn = [y[y > ZERO / 2] if log else y for y in drawn]
    drawn = [y for y in drawn if len(y)]
    if log and not drawn:
        return NO_DECADE
    if log:
        # A deviation that passes through zero dips for a point or two, which the axis need not show.
        low, high = min(map(_low, drawn)), 2.0 * np.ceil(max(y.max() for y in drawn) / 2)
        return min(2.0 * np.floor(low / 2), high - 2.0) - 0.2, high + 0.2
    low = min((y.min() for y in drawn), default=0.0)
    high = max((y.max() for y in drawn), default=1.0)
    span = max(high - low, 1e-3 * max(abs(low), abs(high)), FLATTEST)
    step = 10.0 ** np.floor(np.log10(span)) / 5
    return step * np.floor((low - 0.04 * span) / step), step * np.ceil((high + 0.04 * span) / step)


def _low(y: Array) -> float:
    """The value below which a fiftieth of the values lie."""
    k = len(y) // 50
    return float(np.partition(y, k)[k])


def round_numbers(start: float, end: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Round numbers from start to end."""
    rough = (end - start) / most
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough)
    step = max(1.0, round(step)) if whole else step
    return [float(step * k) for k in range(int(np.ceil(start / step)), int(np.floor(end / step)) + 1)]


def find_ticks(ends: Interval, log: bool, most: int = 5) -> list[float]:
    """Ticks of an axis; on a logarithmic one powers of ten, with their 2 and 5 if there are fewer than two."""
    found = round_numbers(*ends, most=most, whole=log)
    if not log or len(found) > 1:
        return found
    powers = range(int(np.floor(ends[0])), int(np.ceil(ends[1])) + 1)
    fine = [float(np.log10(m) + power) for power in powers for m in (1, 2, 5)]
    return [value for value in fine if ends[0] <= value <= ends[1]]


def find_span(axis: Axis, drawn: Sequence[Any]) -> tuple[float, float]:
    """The ends of an axis, with a margin on both sides."""
    if axis.ticks:
        return -0.6, len(axis.ticks) - 0.4
    values = np.concatenate([np.zeros(0), *(np.asarray(curve, float) for curve in drawn)])
    values = values[np.isfinite(values)]
    if not len(values):
        return (0.1, 1.0) if axis.log else (0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if axis.log:
        room = max((high / low) ** 0.06, 1.2)
        return low / room, high * room
    room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - room, high + room


class Words(NamedTuple):
    """A guide within a frame: the places of its line, and how its words are aligned beside and above the last."""

    x: list[float]
    y: list[float]
    align: str
    base: str


def place_words(
    guide: Guide, across: Interval, up: Interval, logs: tuple[bool, bool] = (False, False)
) -> Words | None:
    """A guide within axes of these ends, some of them logarithmic; None if its words are outside."""
    beside = guide.x == (math.inf,)
    x, y = (
        [float(np.clip(at, *ends)) if math.isinf(at) or beside else at for at in places]
        for places, ends in ((guide.x, across), (guide.y, up))
    )
    values = np.array([[x[-1], *across], [y[-1], *up]])
    (right, above), low, high = np.where(np.array(logs)[:, None], to_axis(values, True), values).T
    parts = (np.array([right, above]) - low) / (high - low)
    if not (np.abs(parts - 0.5) <= 0.5).all():
        return None
    beyond = parts[0] + LETTER * len(guide.text) > 1.0
    return Words(x, y, "right" if beyond else "left", "top" if parts[1] > 0.9 else "bottom")


def place_on_axes(guide: Guide, across: bool, up: bool) -> Guide:
    """A guide with its places on axes, either of which may be logarithmic."""
    both = ((guide.x, across), (guide.y, up))
    x, y = (tuple(at if math.isinf(at) else float(to_axis(np.array(at), log)) for at in of) for of, log in both)
    return guide._replace(x=x, y=y)


def clip_to_axis(axis: Axis, values: ArrayLike) -> Array:
    """Values on an axis; a logarithmic one shows no zeros."""
    found = np.asarray(values, float)
    return np.where(found > 0, found, np.nan) if axis.log else found
