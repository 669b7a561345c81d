"""What a person may type where a number, a vector or an attitude is wanted; each refusal is one sentence."""

from __future__ import annotations

import re
from numbers import Real
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .algebra import Mat3, Quat, Vec3, exp, log, orthonormalise, rotation_of
from .wording import short

Array = NDArray[np.float64]

ROUNDOFF = 1e-12  # relative: what separates an intended number from its floating-point noise
SMALLEST, LARGEST = 1e-100, 1e100  # within these the products of a simulation neither overflow nor vanish


FEW = 16
"""No vector, matrix or quaternion has more entries."""


def reals(value: Any, needs: str, most: int | None = None) -> Array:
    """A float array, of any shape, of at most so many real numbers: not text, truth values or complex."""
    size = value.size if isinstance(value, np.ndarray) else len(value) if isinstance(value, list | tuple) else 1
    if most is not None and size > most:
        raise ValueError(f"{needs}; got {size:,} entries")
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        return np.array(value, dtype=float)
    if isinstance(value, list | tuple) and set(map(type, value)) <= {float, int}:
        return _as_floats(np.array(value, dtype=object), needs)
    try:
        entries = np.array(value, dtype=object)
    except ValueError:
        raise ValueError(f"{needs}; got rows of unequal length") from None
    for entry in entries.flat:
        if isinstance(entry, bool) or not isinstance(entry, Real):
            raise ValueError(f"{needs}; got {shortened(entry)}")
    return _as_floats(entries, needs)


def _as_floats(entries: NDArray[Any], needs: str) -> Array:
    try:
        return entries.astype(float)
    except OverflowError:
        raise ValueError(f"{needs}; got an integer too large to compute with") from None


def entries_of(text: str) -> list[str]:
    """The entries of a list as people write it: `1, 2, 2.5`, `1; 2; 2.5`, `1 2 2.5`, `[1,2,2.5]` or `(1, 2, 2.5)`."""
    inner = re.sub(r"[()\[\]]", " ", text).strip(" \t\n\r,;")
    return re.split(r"\s*[,;]\s*|\s+", inner)


def positive(value: Any, what: str) -> float:
    """One positive number."""
    needs = f"the {what} must be a positive number"
    number = reals(value, needs, FEW)
    if number.ndim:
        raise ValueError(f"{needs}; got shape {number.shape}")
    if not SMALLEST <= number <= LARGEST:
        raise ValueError(f"{needs} between {short(SMALLEST)} and {short(LARGEST)}; got {short(float(number))}")
    return float(number)


def three_numbers(value: Any, what: str) -> Array:
    """Three finite numbers."""
    needs = f"{what} must be three finite numbers"
    vector = reals(value, needs, FEW)
    if vector.shape != (3,):
        raise ValueError(f"{needs}; got shape {vector.shape}")
    if not (np.abs(vector) <= LARGEST).all():
        raise ValueError(f"{needs}, none beyond {short(LARGEST)}; got {listed(vector)}")
    return vector


def rotation_matrix(value: Any, within: float = ROUNDOFF) -> Array:
    """A proper rotation matrix, whose columns are orthonormal `within` the given error."""
    needs = "the rotation must be a proper 3×3 rotation matrix"
    matrix = reals(value, needs, FEW)
    if matrix.shape != (3, 3):
        raise ValueError(f"{needs}; got shape {matrix.shape}")
    if not (np.abs(matrix) <= 2).all():
        raise ValueError(f"{needs}; got the entry {short(matrix.flat[np.abs(matrix).argmax()])}")
    error = np.abs(matrix.T @ matrix - np.eye(3)).max()
    if error > within:
        raise ValueError(f"{needs}; its columns miss being orthonormal by {short(error, 3)}")
    if np.linalg.det(matrix) < 0:
        raise ValueError(f"{needs}; this one is a reflection (determinant -1)")
    return matrix


def number(value: Any, what: str, low: float = -LARGEST, high: float = LARGEST) -> float:
    """One number between two bounds."""
    if type(value) is float and low <= value <= high:
        return value
    needs = f"{what} must be a number from {short(low)} to {short(high)}"
    given = reals(value, needs, FEW)
    if given.ndim or not low <= given <= high:
        got = f"shape {given.shape}" if given.ndim else short(float(given))
        raise ValueError(f"{needs}; got {got}")
    return float(given)


def whole_number(value: Any, what: str, low: int, high: int) -> int:
    """One whole number between two bounds, which may be written as a float."""
    if type(value) is int and low <= value <= high:
        return value
    needs = f"{what} must be a whole number from {short(low)} to {short(high)}"
    if isinstance(value, int | np.integer) and not isinstance(value, bool):  # of any size; a float holds fewer
        if not low <= value <= high:
            raise ValueError(f"{needs}; got {shortened(value)}")
        return int(value)
    given = reals(value, needs, FEW)
    if given.ndim or not low <= given <= high or given != np.floor(given):
        got = f"shape {given.shape}" if given.ndim else short(float(given))
        raise ValueError(f"{needs}; got {got}")
    return int(given)


TYPED = 1e-5
"""How far from a rotation an attitude may be that a person typed to six digits; it is then brought onto it."""


def attitude(value: Any) -> Array:
    """A rotation matrix from a matrix, a rotation vector (radians) or a quaternion (w, x, y, z)."""
    needs = "an attitude is a 3×3 rotation, a rotation vector of 3 or a quaternion (w, x, y, z) of 4 numbers"
    given = reals(value, needs, FEW)
    if given.shape == (3, 3):
        matrix = rotation_matrix(given, TYPED)
        exact = np.abs(matrix.T @ matrix - np.eye(3)).max() <= ROUNDOFF
        return matrix if exact else np.array(list(orthonormalise(Mat3(*matrix.flat)))).reshape(3, 3)
    if given.shape == (3,):
        if not (np.abs(given) <= 1e6).all():
            raise ValueError(f"a rotation vector must be finite, in radians; got {listed(given)}")
        return np.array(list(exp(Vec3(*given)))).reshape(3, 3)
    if given.shape == (4,):
        length = float(np.linalg.norm(given)) if (np.abs(given) <= 1e6).all() else 0.0
        if not length >= 1e-6:
            raise ValueError(f"a quaternion must have a length to be divided by; got {listed(given)}")
        return np.array(list(rotation_of(Quat(*(given / length))))).reshape(3, 3)
    raise ValueError(f"{needs}; got shape {given.shape}")


def rotation_vector(R: Array) -> Array:
    """(3,) the rotation vector of a rotation matrix, in radians."""
    return np.array(list(log(Mat3(*R.flat))))


def listed(numbers: NDArray[Any]) -> str:
    """Numbers as they stand in a sentence."""
    return f"({', '.join(f'{short(number, 12)}' for number in numbers)})"
