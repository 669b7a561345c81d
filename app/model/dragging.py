"""What a body starts with when a person drags that in a picture: as few digits as tell apart what can be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.checks import Array

DIGITS = 5
"""Of the largest component: a hundred-thousandth of a turn is less than a pixel."""


def spun(problem: Any, direction: Array) -> tuple[float, ...]:
    """Ω₀ for a momentum in this direction, in principal axes, and of the size that the problem's has."""
    moments, Q = problem.principal
    Pi0 = np.linalg.norm(problem.Pi0) / np.linalg.norm(direction) * direction
    return rounded(Q @ (Pi0 / moments))


def turned(quaternion: Sequence[float]) -> tuple[float, ...]:
    """R₀ for an attitude (w, x, y, z), as a rotation vector of at most half a turn."""
    w, *axis = (math.copysign(1.0, quaternion[0]) * x for x in quaternion)
    size = math.hypot(*axis)
    angle = 2.0 * math.atan2(size, w)
    return rounded(np.array(axis) * (angle / size if size else 0.0))


def rounded(vector: Array) -> tuple[float, ...]:
    """A vector with so many digits as its largest component needs."""
    largest = float(np.abs(vector).max())
    if largest < 1e-300:
        return (0.0, 0.0, 0.0)
    places = DIGITS - 1 - math.floor(math.log10(largest))
    return tuple(round(x, places) + 0.0 for x in vector.tolist())
