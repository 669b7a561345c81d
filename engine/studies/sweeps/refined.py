"""Refinement of a grid: cells are split where their corners differ."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...parameters.parameter import Number
from ...parameters.validation import LARGEST
from .block import DONE, MISSING, STATUS
from .measures import Measure

COARSEST = 8
"""The first stride along each axis; a smaller one where the axis is short."""
FEWEST_CELLS = 4
"""The first cells along an axis, if it is that long."""
Known = Callable[[], tuple[NDArray[np.int8], dict[str, NDArray[Any]]]]


@dataclass(frozen=True)
class Boundary:
    """What separates regions: the status, the value of a measure, or whether it lies above a
    level.
    """

    name: str
    level: float | None = None

    def __str__(self) -> str:
        return self.name if self.level is None else f"{self.name} = {self.level:g}"

    def region(
        self, status: NDArray[np.int8], values: Mapping[str, NDArray[Any]]
    ) -> NDArray[np.float64]:
        """Return the regions of points as numbers: 0 and 1 for below and above a level.

        A run that failed has minus the code of its status, less one.
        """
        if self.name == "status":
            return status.astype(float)
        value = values[self.name]
        found = value if self.level is None else np.where(value > self.level, 1.0, 0.0)
        return np.where((status == DONE) & ~np.isnan(value), found, -1.0 - status)

    @property
    def meaning(self) -> str:
        """What the numbers of the regions mean."""
        if self.name == "status":
            return ", ".join(f"{code} {word}" for code, word in STATUS.items())
        failed = ", ".join(f"{-1 - code} {word}" for code, word in STATUS.items() if code > DONE)
        own = f"value of {self.name}" if self.level is None else f"0 up to {self.level:g}, 1 above"
        return f"{own}; {failed}"


def find_boundary(refine: Any, measures: tuple[Measure, ...]) -> Boundary:
    """Return the boundary of a name, or of a name with its level, as in `{"energy": 0.01}`."""
    names = ["status", *(one.name for one in measures)]
    if isinstance(refine, Mapping) and len(refine) == 1:
        ((name, level),) = refine.items()
        if name in names[1:]:
            return Boundary(name, Number(-LARGEST, LARGEST).check(level, f"the level of {name}"))
    elif isinstance(refine, str) and refine in names:
        return Boundary(refine)
    raise ValueError(
        f"refine is one of {', '.join(names)}, or a measure with its level as in {{{names[-1]!r}: 0.01}}; "
        f"got {refine!r}"
    )


def refine_cells(
    shape: tuple[int, ...], boundary: Boundary, known: Known, region: NDArray[np.float64]
) -> Iterator[NDArray[np.intp]]:
    """Yield flat indices of points to measure, round by round, until no cell needs to be split.

    `known` returns what is measured; the caller measures all points of a round before the next.
    `region` is filled with the regions of cells.
    """
    ticks = [_ticks(n) for n in shape]
    low = _product([t[:-1] if len(t) > 1 else t for t in ticks])
    high = _product([t[1:] if len(t) > 1 else t for t in ticks])
    flat = region.reshape(-1)
    while len(low):
        corners = np.stack(
            [
                np.ravel_multi_index(tuple(np.where(np.array(side), high, low).T), shape)
                for side in itertools.product((False, True), repeat=len(shape))
            ]
        )
        status, _ = known()
        wanted = np.unique(corners)
        missing = wanted[status.reshape(-1)[wanted] == MISSING]
        if len(missing):
            yield missing
        status, values = known()
        found = boundary.region(status, values).reshape(-1)[corners]
        flat[wanted] = boundary.region(status, values).reshape(-1)[wanted]
        differ = (found != found[0]).any(axis=0)
        for lo, hi, one in zip(low[~differ], high[~differ], found[0][~differ], strict=True):
            inside = tuple(slice(a, b + 1) for a, b in zip(lo, hi, strict=True))
            part = region[inside]
            part[np.isnan(part)] = one
        low, high = _split(low[differ], high[differ])


def _ticks(n: int) -> NDArray[np.intp]:
    """Return where the first cells of an axis of n points begin and end."""
    step = COARSEST
    while step > 1 and (n - 1) // step < FEWEST_CELLS:
        step //= 2
    return np.unique(np.append(np.arange(0, n, step), n - 1))


def _product(ticks: list[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return every combination, one a row."""
    return np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, len(ticks))


def _split(
    low: NDArray[np.intp], high: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Halve each cell along every axis on which it is longer than one; leave out cells of length
    one.
    """
    longer = (high - low > 1).any(axis=1)
    low, high = low[longer], high[longer]
    middle = (low + high) // 2
    lows = []
    highs = []
    for side in itertools.product((False, True), repeat=low.shape[1]):
        upper = np.array(side)
        lows.append(np.where(upper, middle, low))
        highs.append(np.where(upper, high, np.where(high - low > 1, middle, high)))
    if not lows:
        return low, high
    cells = np.unique(np.concatenate([np.concatenate(lows), np.concatenate(highs)], axis=1), axis=0)
    d = low.shape[1]
    return cells[:, :d], cells[:, d:]
