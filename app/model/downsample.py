"""Long series made short for a screen: fewer points, the same picture, and never without the extremes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tsdownsample import MinMaxLTTBDownsampler

MOST_POINTS = 700
"""Of one curve; a plot of the page has about as many columns to draw them in."""

_downsampler = MinMaxLTTBDownsampler()


def downsampled(t: NDArray[np.float64], y: NDArray[np.float64], most: int = MOST_POINTS) -> NDArray[np.intp]:
    """The rows to draw of a curve y(t), in order: about `most`, with the first, the last, the least and the largest.

    Chosen by MinMaxLTTB, largest triangles among the extremes of each stretch: Van Der Donckt et al.,
    arXiv:2305.00332. What is not finite is left out.
    """
    finite = np.isfinite(y)
    rows = np.arange(len(y)) if finite.all() else np.flatnonzero(finite)
    if len(rows) <= most:
        return rows
    y = np.ascontiguousarray(y[rows])
    chosen = _downsampler.downsample(np.ascontiguousarray(t[rows]), y, n_out=most).astype(np.intp)
    # The largest triangles may pass an extreme by.
    keep = np.zeros(len(y), dtype=bool)
    keep[chosen] = True
    keep[[0, -1, int(y.argmin()), int(y.argmax())]] = True
    return rows[keep]


def evenly(n: int, most: int = MOST_POINTS) -> NDArray[np.intp]:
    """At most so many of n rows, evenly, with the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
