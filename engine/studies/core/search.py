"""Searches for the largest or the smallest value that meets a demand: a step, a tolerance, a number
of steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

Value = TypeVar("Value", int, float)

RUNGS_AN_OCTAVE = 32
"""How many numbers are tried between one and twice itself, to see whether a demand stays met."""


def bisect(
    meets: Callable[[Value], bool],
    good: Value,
    bad: Value,
    middle: Callable[[Value, Value], Value | None],
) -> tuple[Value, Value]:
    """Narrow down the limit between a value that meets a demand and one that does not; return both.

    `middle` returns the next value to try between the two, or None once they are near enough.
    """
    while (between := middle(good, bad)) is not None:
        good, bad = (between, bad) if meets(between) else (good, between)
    return good, bad


def within_ratio(ratio: float) -> Callable[[float, float], float | None]:
    """Return the `middle` of a bisection by geometric means until larger over smaller is at most
    the ratio.
    """
    return lambda a, b: math.sqrt(a * b) if max(a, b) > ratio * min(a, b) else None


def find_largest(
    meets: Callable[[float], bool],
    ladder: Sequence[float],
    middle: Callable[[float, float], float | None],
) -> tuple[float, float]:
    """Return the largest value below the first failure on a ladder, ascending, and the value that
    fails next to it.

    The former is NaN if the first rung fails, the latter if no rung does.
    """
    first = next((i for i, value in enumerate(ladder) if not meets(value)), None)
    if first is None:
        return ladder[-1], math.nan
    return (
        bisect(meets, ladder[first - 1], ladder[first], middle) if first else (math.nan, ladder[0])
    )


def find_smallest(meets: Callable[[int], bool], first: int, most: int) -> int | None:
    """Return the least number from `first` on that meets a demand, and so do all larger ones tried
    up to twice it.

    The search doubles and halves; then it tries the numbers up to the double on a ladder, all of
    them if they are few, and where one fails goes on above it. None if there is no such number up
    to `most`.
    """
    octaves = math.log2(most / first)
    rungs = sorted(
        {
            round(first * 2 ** (k / RUNGS_AN_OCTAVE))
            for k in range(int(RUNGS_AN_OCTAVE * octaves) + 1)
        }
    )
    failing = first - 1
    passing = first
    while True:
        while not meets(passing):
            if passing >= most:
                return None
            failing = passing
            passing = min(2 * passing, most)
        passing, failing = bisect(
            meets, passing, failing, lambda a, b: (a + b) // 2 if a - b > 1 else None
        )
        late = next(
            (n for n in reversed(rungs) if passing < n <= 2 * passing and not meets(n)), None
        )
        if late is None:
            return passing
        failing = late
        passing = next((n for n in rungs if n > late), most)
