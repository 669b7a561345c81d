"""Downsampling of long series for the screen, which keeps their extremes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from tsdownsample import MinMaxLTTBDownsampler

MOST_POINTS = 700
"""Largest number of points of a curve; a plot of the page is about as many pixels wide."""
MANY_TURNS = 200
"""Turns of a downsampled curve beyond which its lines merge on the screen."""

_downsampler = MinMaxLTTBDownsampler()


def downsample(
    t: NDArray[np.float64], y: NDArray[np.float64], most: int = MOST_POINTS
) -> NDArray[np.intp]:
    """About `most` rows of a curve y(t), in order, with the first, the last, the least and the
    largest value.

    Every 2^k-th row is among them, so that curves of one plot have common times. MinMaxLTTB chooses
    the others, the largest triangles among the extremes of each section: Van Der Donckt et al.,
    arXiv:2305.00332. Values that are not finite are left out.
    """
    finite = np.isfinite(y)
    rows = np.arange(len(y)) if finite.all() else np.flatnonzero(finite)
    if len(rows) <= most:
        return rows
    stride = 2 ** math.ceil(math.log2(2 * len(finite) / most))
    keep = rows % stride == 0
    y = np.ascontiguousarray(y[rows])
    others = most - np.count_nonzero(keep)
    chosen = _downsampler.downsample(np.ascontiguousarray(t[rows]), y, n_out=others).astype(np.intp)
    # The largest triangles may miss an extreme.
    keep[chosen] = True
    keep[[0, -1, int(y.argmin()), int(y.argmax())]] = True
    return rows[keep]


def is_band(y: NDArray[np.float64]) -> bool:
    """Whether a downsampled curve turns so often that it fills a band, which would cover other
    curves.
    """
    return int(np.count_nonzero(np.diff(np.sign(np.diff(y))))) > MANY_TURNS


def spread_evenly(n: int, most: int) -> NDArray[np.intp]:
    """At most `most` of n rows, evenly spaced, with the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
