"""Downsampling of long series for the screen, which keeps their extremes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 700
"""Largest number of points of a curve; a plot of the page is about as many pixels wide."""
MANY_TURNS = 200
"""Turns of a downsampled curve beyond which its lines merge on the screen."""


def downsample(y: NDArray[np.float64], most: int = MOST_POINTS) -> NDArray[np.intp]:
    """At most about `most` rows of a curve, in order: the first, the last, the least and the largest
    value of each section, and every 2^k-th row, so that curves of one plot have common times.

    Values that are not finite are left out. `chooseRows` in assets/js/core/scales.js chooses the same rows.
    """
    n = len(y)
    finite = np.isfinite(y)
    rows = np.flatnonzero(finite)
    if len(rows) <= most:
        return rows
    stride = 2 ** math.ceil(math.log2(2 * n / most))
    width = math.ceil(2 * n / (most - math.ceil(n / stride)))
    begins = np.arange(0, n, width)
    sections = np.full(len(begins) * width, np.nan)
    sections[:n][finite] = y[finite]
    sections = sections.reshape(-1, width)
    unknown = np.isnan(sections)
    keep = np.arange(n) % stride == 0
    keep[begins + np.where(unknown, np.inf, sections).argmin(axis=1)] = True
    keep[begins + np.where(unknown, -np.inf, sections).argmax(axis=1)] = True
    keep[rows[[0, -1]]] = True
    return np.flatnonzero(keep & finite)


def is_band(y: NDArray[np.float64]) -> bool:
    """Whether a downsampled curve turns so often that it fills a band, which would cover other
    curves.
    """
    return int(np.count_nonzero(np.diff(np.sign(np.diff(y))))) > MANY_TURNS


def spread_evenly(n: int, most: int) -> NDArray[np.intp]:
    """At most `most` of n rows, evenly spaced, with the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
