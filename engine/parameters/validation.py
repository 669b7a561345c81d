"""Validation of numbers, vectors, attitudes and inertias; each `ValueError` is one sentence."""

from __future__ import annotations

import re
from numbers import Real
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import Mat3, Quat, Vec3, exp, log, orthonormalise, rotation_of
from ..text.formatting import format_entries, show

Array = NDArray[np.float64]

ROUNDOFF = 1e-12  # relative: what separates an intended number from its floating-point noise
SMALLEST, LARGEST = (
    1e-100,
    1e100,
)  # within these the products of a simulation neither overflow nor vanish


FEW = 16
"""The most entries of a vector, matrix or quaternion."""


def check_reals(value: Any, needs: str, most: int | None = None) -> Array:
    """Return a float array of any shape with at most `most` real numbers: no text, Booleans or
    complex numbers.
    """
    size = (
        value.size
        if isinstance(value, np.ndarray)
        else len(value)
        if isinstance(value, list | tuple)
        else 1
    )
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
    """Split a list as people type it: `1, 2, 2.5`, `1; 2; 2.5`, `1 2 2.5`, `[1,2,2.5]` or `(1, 2,
    2.5)`.
    """
    inner = re.sub(r"[()\[\]]", " ", text).strip(" \t\n\r,;")
    return re.split(r"\s*[,;]\s*|\s+", inner)


def check_positive(value: Any, what: str) -> float:
    """Return one positive number."""
    needs = f"the {what} must be a positive number"
    number = check_reals(value, needs, FEW)
    if number.ndim:
        raise ValueError(f"{needs}; got shape {number.shape}")
    if not SMALLEST <= number <= LARGEST:
        raise ValueError(
            f"{needs} between {show(SMALLEST)} and {show(LARGEST)}; got {show(float(number))}"
        )
    return float(number)


def check_vector(value: Any, what: str) -> Array:
    """Return three finite numbers."""
    needs = f"{what} must be three finite numbers"
    vector = check_reals(value, needs, FEW)
    if vector.shape != (3,):
        raise ValueError(f"{needs}; got shape {vector.shape}")
    if not (np.abs(vector) <= LARGEST).all():
        raise ValueError(f"{needs}, none beyond {show(LARGEST)}; got {format_entries(vector)}")
    return vector


def check_rotation(value: Any, within: float = ROUNDOFF) -> Array:
    """Return a proper rotation matrix, whose columns are orthonormal to `within`."""
    needs = "the rotation must be a proper 3×3 rotation matrix"
    matrix = check_reals(value, needs, FEW)
    if matrix.shape != (3, 3):
        raise ValueError(f"{needs}; got shape {matrix.shape}")
    if not (np.abs(matrix) <= 2).all():
        raise ValueError(f"{needs}; got the entry {show(matrix.flat[np.abs(matrix).argmax()])}")
    error = np.abs(matrix.T @ matrix - np.eye(3)).max()
    if error > within:
        raise ValueError(f"{needs}; its columns miss being orthonormal by {show(error, 3)}")
    if np.linalg.det(matrix) < 0:
        raise ValueError(f"{needs}; this one is a reflection (determinant -1)")
    return matrix


TYPED = 1e-5
"""The tolerance for attitudes typed with six digits, which are then orthonormalised."""


def check_attitude(value: Any) -> Array:
    """Return the rotation matrix of a matrix, a rotation vector (radians) or a quaternion (w, x, y,
    z).
    """
    needs = "an attitude is a 3×3 rotation, a rotation vector of 3 or a quaternion (w, x, y, z) of 4 numbers"
    given = check_reals(value, needs, FEW)
    if given.shape == (3, 3):
        matrix = check_rotation(given, TYPED)
        exact = np.abs(matrix.T @ matrix - np.eye(3)).max() <= ROUNDOFF
        return matrix if exact else np.array(list(orthonormalise(Mat3(*matrix.flat)))).reshape(3, 3)
    if given.shape == (3,):
        if not (np.abs(given) <= 1e6).all():
            raise ValueError(
                f"a rotation vector must be finite, in radians; got {format_entries(given)}"
            )
        return np.array(list(exp(Vec3(*given)))).reshape(3, 3)
    if given.shape == (4,):
        length = float(np.linalg.norm(given)) if (np.abs(given) <= 1e6).all() else 0.0
        if not length >= 1e-6:
            raise ValueError(
                f"a quaternion must have a length to be divided by; got {format_entries(given)}"
            )
        return np.array(list(rotation_of(Quat(*(given / length))))).reshape(3, 3)
    raise ValueError(f"{needs}; got shape {given.shape}")


def rotation_vector(R: Array) -> Array:
    """Return the (3,) rotation vector of a rotation matrix, in radians."""
    return np.array(list(log(Mat3(*R.flat))))


def check_inertia(J: ArrayLike, of_a_body: bool = True) -> Array:
    """Return the inertia matrix, or raise `ValueError` with one sentence.

    A rigid body's principal moments are positive, and none exceeds the sum of the other two (Landau
    & Lifshitz, *Mechanics*, §32); equality, a flat body, is accepted. An infinitely thin rod, whose
    smallest moment is zero, is refused: its rotation about its own axis is undefined.

    Parameters
    ----------
    J : array_like, (3,) or (3, 3)
        Three principal moments, or a symmetric matrix; mass × length².
    of_a_body : bool
        False allows a moment that exceeds the sum of the other two; Euler's equations remain valid.

    Returns
    -------
    ndarray, (3, 3)
        A new, exactly symmetric matrix; principal moments are kept to the last bit.
    """
    needs = "an inertia needs three principal values or a symmetric 3×3 matrix"
    given = check_reals(J, needs, FEW)
    if given.shape == (3,):
        given = np.diag(given)
    if given.shape != (3, 3):
        got = f"shape {given.shape}" if given.ndim else f"the single number {show(float(given))}"
        raise ValueError(f"{needs}; got {got}")
    if not np.isfinite(given).all():
        raise ValueError(
            f"an inertia needs finite numbers; got {format_entries(given[~np.isfinite(given)])}"
        )
    largest = np.abs(given).max()
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise ValueError(
            f"an inertia needs its largest number between {show(SMALLEST)} and {show(LARGEST)}; got "
            f"{show(largest)} (choose other units)"
        )
    i, j = np.unravel_index(np.abs(given - given.T).argmax(), (3, 3))
    if abs(given[i, j] - given[j, i]) > ROUNDOFF * largest:
        raise ValueError(
            f"an inertia matrix must be symmetric; row {i + 1}, column {j + 1} is {show(given[i, j], 12)} "
            f"but row {j + 1}, column {i + 1} is {show(given[j, i], 12)}"
        )
    inertia = (given + given.T) / 2
    moments = np.diag(inertia) if is_diagonal(inertia) else np.linalg.eigvalsh(inertia)
    low, middle, high = np.sort(moments)
    if low <= ROUNDOFF * high:
        raise ValueError(
            f"an inertia needs three positive principal moments, none below {show(ROUNDOFF)} of the largest; "
            f"got {format_entries(moments)}"
        )
    if of_a_body and low + middle < (1 - ROUNDOFF) * high:
        raise ValueError(
            f"no rigid body has the principal moments {format_entries(moments)}: the two smaller ones add up to "
            f"{show(low + middle, 12)}, less than the largest, {show(high, 12)}"
        )
    return inertia


def is_diagonal(matrix: Array) -> bool:
    """Return whether every entry off the diagonal is zero."""
    return not (matrix - np.diag(np.diag(matrix))).any()
