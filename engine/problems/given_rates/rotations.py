"""Rotations as arrays, for closed forms of attitudes."""

from __future__ import annotations

import numpy as np

from ...parameters.validation import Array


def turn_by(vectors: Array) -> Array:
    """(n, 3, 3) the rotations by rotation vectors (n, 3), to roundoff."""
    angle = np.linalg.norm(vectors, axis=-1)[:, None, None]
    safe = np.where(angle == 0.0, 1.0, angle)
    x, y, z = vectors.T
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(-1, 3, 3)
    half = np.sin(safe / 2) / safe
    return np.eye(3) + np.sin(safe) / safe * cross + 2.0 * half**2 * (cross @ cross)
