"""Systems: how kernels read, observe and record one body, two, or an attitude with given rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..algebra import Mat3
from ..compiler.primitives import double, single
from .layout import SEEN_ENERGY, SEEN_MOMENTUM, SEEN_SKEW, Layout

Values = tuple[Any, ...]
"""Numbers, vectors and matrices."""


def begin_anywhere(moved: Any, t: float, h: float) -> tuple[Any, float, float]:
    """What a step takes, its time and its size: as they are."""
    return moved, t, h


@dataclass(frozen=True)
class System:
    """One body in a field, two that attract each other, or an attitude with given rates, as kernels
    see them.

    Attributes
    ----------
    make : (parameters, ledger, field) → the body, both, or the gyroscope, as a step takes them.
    read : (memory, place) → what a state begins with on entry.
    attitudes : the attitudes in the `view` of a state.
    observe : (body, t, view) → the observed quantities.
    put_row : writes a row at a place, with the increments since the attitudes before.
    layout : of a state on entry, and of a row.
    checked : of the observed quantities, those in which a state that is not finite shows.
    begin : (moved, t, h) → what a step from the time t takes, its time and its size.
    """

    make: Callable[..., Any]
    read: Callable[[Any, int], Values]
    attitudes: Callable[[Values], tuple[Mat3, ...]]
    observe: Callable[[Any, float, Any], tuple[float, ...]]
    put_row: Callable[[Any, int, Any, Values, tuple[float, ...]], None]
    layout: Layout
    checked: tuple[int, ...] = (SEEN_ENERGY, SEEN_MOMENTUM, SEEN_SKEW)
    begin: Callable[[Any, float, float], tuple[Any, float, float]] = begin_anywhere


@dataclass(frozen=True)
class Precision:
    """The numbers of steps: `rounded` makes them of numbers of 64 bits, and `unrounded` is its
    inverse.

    Observed quantities have 64 bits, so that they describe the motion and not the rounding of the
    measurement.
    """

    rounded: Callable[[Any], Any]
    unrounded: Callable[[Any], Any]


def keep(value: Any) -> Any:
    """Return the value, which has 64 bits already."""
    return value


DOUBLE = Precision(keep, keep)
SINGLE = Precision(single, double)
