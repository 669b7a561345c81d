"""Systems: how kernels read, observe and record one body, or two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..algebra import Mat3
from ..compiler.primitives import double, single
from .layout import Layout

Values = tuple[Any, ...]
"""Numbers, vectors and matrices."""


@dataclass(frozen=True)
class System:
    """One body in a field, or two that attract each other, as kernels see them.

    Attributes
    ----------
    make : (parameters, ledger, field) → the body, or both, as a step takes them.
    read : (memory, place) → what a state begins with on entry.
    attitudes : the attitudes in the `view` of a state.
    observe : (body, t, view) → the observed quantities.
    put_row : writes a row at a place, with the increments since the attitudes before.
    layout : of a state on entry, and of a row.
    """

    make: Callable[..., Any]
    read: Callable[[Any, int], Values]
    attitudes: Callable[[Values], tuple[Mat3, ...]]
    observe: Callable[[Any, float, Any], tuple[float, ...]]
    put_row: Callable[[Any, int, Any, Values, tuple[float, ...]], None]
    layout: Layout


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
