"""The rows of a motion: those that count, even times, and remarks on what is irregular."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from ..text.formatting import format_count, format_step, show
from .trajectory import find_nearest_rotations

Rows = NDArray[np.intp]

REPEATED = 0.3
"""The share of rows with the attitude of the row before from which on they count as repeated."""
STILL = 10
"""More rows without change at the end are those of a body at rest."""
GAP = 1.5
"""A longer step, over the median, is a gap."""
ROUNDED_TIME = 0.04
"""By which written times may differ from even ones, over the step."""
ROUNDED_STEP = 1e-5
"""A smaller rounding of the times, over the step, needs no remark."""
STANDS_OUT = 6.0
"""How many times farther a row lies from both neighbours than a step of the rows around it."""
SEEN = 0.01
"""The least distance of such a row, over the largest value."""
FEWEST_USUAL = 7
"""Rows among which others stand out."""
MOST_OUTLIERS = 0.02
"""The share of rows that stand out from which on they belong to the motion."""
OFF = 1e-3
"""A length of a quaternion, or an entry of a matrix, that is off by more needs a remark."""


def find_complete(
    t: Array, values: Array, rates: Array | None, kind: str, remarks: list[str]
) -> Rows:
    """Return the rows that have numbers and increasing times; those behind a decrease are another
    motion.
    """
    lengths = np.linalg.norm(values, axis=1)
    finite = np.isfinite(t) & np.isfinite(lengths)
    if rates is not None:
        finite &= np.isfinite(rates).all(axis=1)
    if kind.startswith("quaternion"):
        finite &= lengths > 0
    there = np.flatnonzero(finite)
    if not len(there):
        raise ValueError("no row has numbers for its time and its attitude")
    behind = len(finite) - 1 - there[-1]
    if behind:
        have = "row behind it has" if behind == 1 else "rows behind it have"
        remarks.append(
            f"the numbers end after row {there[-1] + 1:,}: the {behind:,} {have} none, as after an overflow"
        )
    if missing := int(np.count_nonzero(~finite[: there[-1]])):
        remarks.append(f"left out: {format_count(missing, 'row')} without numbers")
    times = t[there]
    back = np.flatnonzero(np.diff(times) < 0)
    if len(back):
        remarks.append(
            f"the times go back after row {there[back[0]] + 1:,}; only the motion before that is judged"
        )
        there = there[: back[0] + 1]
    again = np.concatenate([[False], np.diff(t[there]) == 0])
    if again.any():
        count = format_count(int(again.sum()), "row")
        remarks.append(f"left out: {count} with the time of the row before")
    return np.asarray(there[~again])


def find_moving(t: Array, values: Array, remarks: list[str]) -> Rows:
    """Return the rows without those that repeat an attitude, as of an engine that steps less often than
    rows are written.
    """
    every = np.arange(len(t))
    same = np.concatenate([[False], (np.diff(values, axis=0) == 0).all(axis=1)])
    changes = np.flatnonzero(~same)
    moving = int(changes[-1]) + 1 if len(changes) else 0
    if len(t) - moving <= STILL:
        moving = len(t)
    elif moving > 1:
        last = show(float(t[moving - 1] - t[0]), 4)
        remarks.append(
            f"the attitude stays as it is from t = {last} on, in {len(t) - moving:,} rows"
        )
    repeated = same & (every < moving)
    if moving < 2 or repeated.sum() < REPEATED * moving:
        return every
    remarks.append(
        f"left out: {int(repeated.sum()):,} of {len(t):,} rows that repeat the attitude of the row before; "
        "the engine seems to step less often than rows are written"
    )
    return np.asarray(every[~repeated])


def find_usual(t: Array, R: Array, Omega: Array | None, remarks: list[str]) -> Rows:
    """Return the rows without those whose attitude or velocity stands out from both neighbours."""
    out = _find_outliers(R.reshape(-1, 9))
    if Omega is not None:
        out |= _find_outliers(Omega)
    at = np.flatnonzero(out)
    if not 0 < len(at) <= max(1, MOST_OUTLIERS * len(t)):
        return np.arange(len(t))
    first = show(float(t[at[0]] - t[0]), 4)
    where = f"at t = {first} s" if len(at) == 1 else f"the first at t = {first} s"
    remarks.append(f"left out: {format_count(len(at), 'row')} far from both neighbours, {where}")
    return np.asarray(np.flatnonzero(~out))


def _find_outliers(values: Array) -> NDArray[np.bool_]:
    """Return which rows (n, d) stand out from both neighbours."""
    out = np.zeros(len(values), bool)
    if len(values) < FEWEST_USUAL:
        return out
    steps = np.linalg.norm(np.diff(values, axis=0), axis=1)
    across = np.linalg.norm(values[2:] - values[:-2], axis=1) / 2
    padded = np.pad(steps, 2)
    around = [padded[at : at + len(across)] for at in (0, 1, 4, 5)]
    usual = np.max([across, *around], axis=0)
    apart = np.minimum(steps[:-1], steps[1:])
    least = SEEN * float(np.linalg.norm(values, axis=1).max())
    out[1:-1] = apart > np.maximum(STANDS_OUT * usual, least)
    return out


def even_out(t: Array, rounding: float, remarks: list[str]) -> Array:
    """Return times from 0 on; even ones if they are even but for their rounding."""
    steps = np.diff(t)
    usual = float(np.median(steps))
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        longest = float(steps.max())
        are = "is" if len(gaps) == 1 else "are"
        remarks.append(
            f"{format_count(len(gaps), 'step')} {are} longer than the usual {show(usual, 4)} s, "
            f"up to {show(longest, 4)} s, "
            f"first at t = {show(t[gaps[0]] - t[0], 4)} s: rows are missing"
        )
        return t - t[0]
    count = len(steps)
    mean = (t[-1] - t[0]) / count
    off = float(np.abs(t - t[0] - mean * np.arange(len(t))).max())
    if off > max(ROUNDED_TIME * mean, 2.5 * rounding):
        remarks.append(
            f"the times are uneven: steps from {show(float(steps.min()), 4)} s to {show(float(steps.max()), 4)} s"
        )
        return t - t[0]
    step = _find_simple_step(mean, max(off, rounding) * 2 / count)
    if off > ROUNDED_STEP * mean:
        remarks.append(
            f"the written times are rounded, by up to {show(off, 2)} s; the step is taken as {format_step(step)} s"
        )
    return np.arange(len(t), dtype=float) * step


def _find_simple_step(mean: float, doubt: float) -> float:
    """Return the simplest step within a doubt: a whole number of steps in a second, or few digits."""
    frames = round(1 / mean) if mean < 1 else 0
    if frames and abs(1 / frames - mean) <= doubt:
        return 1 / frames
    for digits in range(1, 10):
        decimal = float(f"{mean:.{digits}g}")
        if abs(decimal - mean) <= doubt:
            return decimal
    return mean


def describe_lengths(kind: str, values: Array) -> list[str]:
    """Return remarks on quaternions that are not of length 1, and on matrices that are no rotations."""
    if kind.startswith("quaternion"):
        lengths = np.linalg.norm(values, axis=1)
        off = float(np.abs(lengths - 1).max())
        if off > OFF:
            least, most = float(lengths.min()), float(lengths.max())
            return [
                f"the quaternions have lengths from {show(least, 4)} to {show(most, 4)}, and are normalised"
            ]
    if kind == "matrix":
        matrices = values.reshape(-1, 3, 3)
        if (np.linalg.det(matrices) < 0).any():
            raise ValueError(
                "the matrices are reflections, with determinant −1: one axis has the opposite sign; change the sign of "
                "one row or column"
            )
        off = float(np.abs(matrices - find_nearest_rotations(matrices)).max())
        if off > OFF:
            return [
                f"the matrices miss rotations by up to {show(off, 2)}; the nearest rotations are judged"
            ]
    return []
