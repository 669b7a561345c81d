"""Initial states of a body that is dragged in a picture, with no more digits than the picture
resolves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.parameters.validation import Array

DIGITS = 5
"""Digits of the largest component: a hundred-thousandth of a turn is less than a pixel."""


def spin_along(problem: Any, direction: Array) -> tuple[float, ...]:
    """Ω₀ for a momentum in this direction, in principal axes, with the length of the problem's
    momentum.
    """
    moments, Q = problem.principal
    Pi0 = np.linalg.norm(problem.Pi0) / np.linalg.norm(direction) * direction
    return round_vector(Q @ (Pi0 / moments))


def turn_to(quaternion: Sequence[float]) -> tuple[float, ...]:
    """R₀ for an attitude (w, x, y, z), as a rotation vector of at most half a turn."""
    w, *axis = (math.copysign(1.0, quaternion[0]) * x for x in quaternion)
    size = math.hypot(*axis)
    angle = 2.0 * math.atan2(size, w)
    return round_vector(np.array(axis) * (angle / size if size else 0.0))


def round_vector(vector: Array) -> tuple[float, ...]:
    """A vector rounded to `DIGITS` digits of its largest component."""
    largest = float(np.abs(vector).max())
    if largest < 1e-300:
        return (0.0, 0.0, 0.0)
    places = DIGITS - 1 - math.floor(math.log10(largest))
    return tuple(round(x, places) + 0.0 for x in vector.tolist())
