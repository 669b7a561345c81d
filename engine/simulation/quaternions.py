"""Attitudes of a run as quaternions, for other tools."""

from __future__ import annotations

import numpy as np

from ..parameters.validation import Array


def to_quaternions(R: Array) -> Array:
    """(n, 4) unit quaternions (w, x, y, z) of (n, 3, 3) attitudes, each near the one before
    (Shepperd).
    """
    R11, R12, R13, R21, R22, R23, R31, R32, R33 = R.reshape(-1, 9).T.copy()
    trace = R11 + R22 + R33
    wx, wy, wz, xy, yz, zx = R32 - R23, R13 - R31, R21 - R12, R21 + R12, R32 + R23, R13 + R31
    ww, xx, yy, zz = 1 + trace, *(1 - trace + 2 * diagonal for diagonal in (R11, R22, R33))
    # 4 q qᵀ; the row of its largest component is free of cancellation.
    products = np.array([[ww, wx, wy, wz], [wx, xx, xy, zx], [wy, xy, yy, yz], [wz, zx, yz, zz]])
    largest = products[range(4), range(4)].argmax(axis=0)
    q: Array = np.take_along_axis(products, largest[None, None], axis=0)[0]
    q /= np.sqrt((q * q).sum(axis=0))
    flips = (q[:, 1:] * q[:, :-1]).sum(axis=0) < 0
    q[:, 1:] *= 1 - 2 * (np.cumsum(flips) % 2)
    return q.T
