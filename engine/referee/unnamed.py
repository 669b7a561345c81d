"""Names for columns that have none, by their numbers: a quaternion has the length 1, and a matrix turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from ..text.csv_tables import is_number
from .columns import find_groups

NEAR = 0.01
"""By how much a length may differ from 1, or a matrix from a rotation."""
QUATERNION = ["q0", "q1", "q2", "q3"]
MATRIX = [f"R{i}{j}" for i in range(3) for j in range(3)]
VELOCITY = ["wx", "wy", "wz"]


def name_columns(rows: Array, names: Sequence[str]) -> list[str] | None:
    """Return names for columns (n, k) that show an attitude; None if none or several of them could be
    one.

    Without a head, `names` are numbers: then the first column is the time if it grows, and the three
    behind the attitude, or the last of six, are the angular velocity.
    """
    rows = rows[np.isfinite(rows).all(axis=1)]
    found = list(names)
    is_bare = 2 * sum(map(is_number, names)) > len(names)
    if is_bare:
        found = [f"column {place + 1}" for place in range(len(names))]
    for attitude, fits in ((MATRIX, _are_rotations), (QUATERNION, _are_unit)):
        places = _find_place(rows, len(attitude), fits)
        if len(places) != 1:
            continue
        end = places[0] + len(attitude)
        found[places[0] : end] = attitude
        if is_bare and places[0] > 0 and (np.diff(rows[:, 0]) > 0).all():
            found[0] = "t"
        if is_bare and len(found) - end in (3, 6):
            found[-3:] = VELOCITY
        return found if any(group.is_attitude for group in find_groups(found)) else None
    return None


def _find_place(rows: Array, width: int, fits: Callable[[Array], NDArray[np.bool_]]) -> list[int]:
    """Return the first columns of neighbouring ones that fit in all rows."""
    if len(rows) < 2:
        return []
    last = rows.shape[1] - width
    return [at for at in range(last + 1) if fits(rows[:, at : at + width]).all()]


def _are_unit(rows: Array) -> NDArray[np.bool_]:
    return np.asarray(np.abs(np.linalg.norm(rows, axis=1) - 1) < NEAR)


def _are_rotations(rows: Array) -> NDArray[np.bool_]:
    R = rows.reshape(-1, 3, 3)
    off = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
    return np.asarray((off < NEAR) & (np.linalg.det(R) > 0))
