"""Axes, whatever draws them: from where to where one goes, its round numbers, and the values as it takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.charts import Axis
from engine.checks import Array

Interval = tuple[float, float]

FLOOR = 1e-17
"""Where a logarithmic plot shows a zero."""
LARGEST = 1e30
"""Beyond it a curve has left every plot, and float32 is not far from its end."""
FLATTEST = 1e-15
"""The least that a linear axis spans: below it there is roundoff only."""


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


def ticks_of(ends: Interval, log: bool, most: int = 5) -> list[float]:
    """Round numbers on an axis: on a logarithmic one powers of ten, or 1, 2, 5 of them where there is hardly one."""
    found = ticks(*ends, most=most, whole=log)
    if not log or len(found) > 1:
        return found
    powers = range(int(np.floor(ends[0])), int(np.ceil(ends[1])) + 1)
    fine = [float(np.log10(m) + power) for power in powers for m in (1, 2, 5)]
    return [value for value in fine if ends[0] <= value <= ends[1]]


def span(axis: Axis, drawn: Sequence[Any]) -> tuple[float, float]:
    """From where to where an axis goes, with some room on both sides."""
    if axis.ticks:
        return -0.6, len(axis.ticks) - 0.4
    there = np.concatenate([np.zeros(0), *(np.asarray(values, float) for values in drawn)])
    there = there[np.isfinite(there)]
    if not len(there):
        return (0.1, 1.0) if axis.log else (0.0, 1.0)
    low, high = float(there.min()), float(there.max())
    if axis.log:
        room = max((high / low) ** 0.06, 1.2)
        return low / room, high * room
    room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - room, high + room


def shown(axis: Axis, values: Any) -> Any:
    """Values where the axis shows them: on a logarithmic one zeros lie at the floor."""
    return np.clip(values, FLOOR, None) if axis.log else np.asarray(values, float)
