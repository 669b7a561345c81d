"""The rounding of written numbers: half a unit of the last place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array

NUMBER = re.compile(r"[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$")
SHARE = 0.9
"""The share of the numbers with at most so many digits as are taken: others end in zeros."""
FIXED = 0.8
"""The share of the numbers with the same decimals from which on all are rounded to these."""
SINGLE_DIGITS = 9
"""The digits that numbers of 32 bits are written with."""


def measure_rounding(values: NDArray[np.floating], texts: Sequence[str] = ()) -> float:
    """Return the rounding of numbers, which is at least that of their type; `texts` are some of them
    as a file has them.
    """
    finite = np.asarray(values)[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=0.0))
    single = np.asarray(values).dtype == np.float32 or _are_single(finite, texts)
    own = float(np.spacing(np.float32(largest)) if single else np.spacing(largest)) / 2
    return max(own, _measure_written(texts, largest))


def _are_single(values: Array, texts: Sequence[str]) -> bool:
    """Return whether numbers are those of 32 bits, or their shortest decimals."""
    some = values[:2000]
    with np.errstate(over="ignore"):
        rounded = some.astype(np.float32)
    if np.array_equal(rounded.astype(float), some):
        return bool(np.any(some != np.rint(some)))
    digits = _list_digits(texts)
    if not digits or np.quantile([count for count, _ in digits], SHARE) > SINGLE_DIGITS:
        return False
    return all(
        value in (float(str(one)), float(f"{one:.{SINGLE_DIGITS}g}"))
        for one, value in zip(rounded, some, strict=True)
    )


def _measure_written(texts: Iterable[str], largest: float) -> float:
    """Return half a unit of the last decimal, by the digits before or behind the point; 0 without
    texts.
    """
    digits = _list_digits(texts)
    if not digits or largest == 0.0:
        return 0.0
    most = max(decimals for _, decimals in digits)
    if np.mean([decimals == most for _, decimals in digits]) > FIXED:
        return float(0.5 * 10.0**-most)
    significant, decimals = (
        float(np.quantile([pair[i] for pair in digits], SHARE, method="higher")) for i in (0, 1)
    )
    by_digits = 10.0 ** (np.floor(np.log10(largest)) + 1 - significant)
    return 0.5 * max(float(by_digits), 10.0**-decimals)


def _list_digits(texts: Iterable[str]) -> list[tuple[int, int]]:
    """Return for each text the number of its significant digits, and of its decimals."""
    found = []
    for text in texts:
        match = NUMBER.match(text.strip().strip('"').replace(",", "."))
        if match:
            decimals = match[2] or ""
            if significant := len((match[1] + decimals).lstrip("0")):
                found.append((significant, len(decimals) - int(match[3] or 0)))
    return found
