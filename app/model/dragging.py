"""What a body starts with when a person drags that in a picture: as few digits as tell apart what can be seen."""

from __future__ import annotations

import math
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


def rounded(vector: Array) -> tuple[float, ...]:
    """A vector with so many digits as its largest component needs."""
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        return (0.0, 0.0, 0.0)
    places = DIGITS - 1 - math.floor(math.log10(largest))
    return tuple(round(x, places) + 0.0 for x in vector.tolist())
