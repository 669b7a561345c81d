"""The rows of a motion: those that count, even times, and remarks on what is irregular."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from ..text.formatting import format_count, format_step, show
from .trajectory import find_gaps, find_nearest_rotations, find_simple_step

RowNumbers = NDArray[np.intp]

REPEATED = 0.3
"""The share of rows with the attitude of the row before from which on they count as repeated."""
STILL = 10
"""More rows without change at the end are those of a body at rest."""
ROUNDED_TIME = 0.04
"""By which written times may differ from even ones, over the step."""
ROUNDED_STEP = 1e-5
"""A smaller rounding of the times, over the step, needs no remark."""
STANDS_OUT = 6.0
"""How many times farther a row lies from its neighbours than a step of the rows around it."""
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
) -> RowNumbers:
    """Return the rows that have numbers and increasing times; those behind a decrease are another
    motion.
    """
    with np.errstate(over="ignore"):
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
    steps = np.diff(t[there])
    back = np.flatnonzero(steps < 0)
    if len(back) and (steps <= 0).all():
        remarks.append("the times decrease, so the rows are read from the last one on")
        there = there[::-1]
    elif len(back):
        remarks.append(
            f"the times go back after row {there[back[0]] + 1:,}; only the motion before that is judged"
        )
        there = there[: back[0] + 1]
    again = np.concatenate([[False], np.diff(t[there]) == 0])
    if again.any():
        count = format_count(int(again.sum()), "row")
        remarks.append(f"left out: {count} with the time of the row before")
    return np.asarray(there[~again])


def find_moving(t: Array, values: Array, remarks: list[str]) -> RowNumbers:
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


def find_usual(t: Array, R: Array, Omega: Array | None, remarks: list[str]) -> RowNumbers:
    """Return the rows without those whose attitude or velocity stands out from their neighbours."""
    out = _find_outliers(R.reshape(-1, 9))
    if Omega is not None:
        far = _find_outliers(Omega)
        far[0] &= not _is_cut(Omega)
        out |= far
    at = np.flatnonzero(out)
    if not 0 < len(at) <= max(1, MOST_OUTLIERS * len(t)):
        return np.arange(len(t))
    first = show(float(t[at[0]] - t[0]), 4)
    where = f"at t = {first} s" if len(at) == 1 else f"the first at t = {first} s"
    remarks.append(f"left out: {format_count(len(at), 'row')} far from the neighbours, {where}")
    return np.asarray(np.flatnonzero(~out))


def _find_outliers(values: Array) -> NDArray[np.bool_]:
    """Return which rows (n, d) stand out from both neighbours, or at an end from the only one."""
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
    for end, step, near in ((0, steps[0], steps[1:5]), (-1, steps[-1], steps[-5:-1])):
        out[end] = not out[1:-1][end] and step > max(STANDS_OUT * float(near.max()), least)
    return out


def _is_cut(Omega: Array) -> bool:
    """Whether the first velocity is longer than the second and differs in its length alone, as where an
    engine caps the speed.
    """
    if len(Omega) < FEWEST_USUAL:
        return False
    first, second = np.linalg.norm(Omega[:2], axis=1)
    turn = np.linalg.norm(Omega[0] * (second / first) - Omega[1]) if first > second else np.inf
    return bool(turn <= STANDS_OUT * np.linalg.norm(np.diff(Omega[1:6], axis=0), axis=1).max())


def even_out(t: Array, rounding: float, remarks: list[str]) -> Array:
    """Return times from 0 on: multiples of one step, if they differ from such by their rounding and by
    gaps alone.
    """
    t = t - t[0]
    steps, gaps = np.diff(t), find_gaps(t)
    usual = float(steps[~gaps].mean())
    in_step = np.concatenate([[0.0], np.cumsum(np.where(gaps, np.rint(steps / usual), 1.0))])
    mean = float(t[-1] / in_step[-1])
    off = float(np.abs(t - mean * in_step).max())
    begin = np.zeros(len(t))
    if off > _find_tolerance(mean, rounding) and gaps.any():
        # The times behind a gap are no multiples of the step.
        first = np.maximum.accumulate(np.where(np.append(True, gaps), np.arange(len(t)), 0))
        begin, in_step, mean = t[first], np.arange(len(t)) - first, usual
        off = float(np.abs(t - begin - mean * in_step).max())
    if off > _find_tolerance(mean, rounding):
        shortest, longest = show(float(steps.min()), 4), show(float(steps.max()), 4)
        remarks.append(
            f"the times are uneven: steps from {shortest} s to {longest} s; "
            "if the engine's own steps are equal, state the step"
        )
        return t
    step = find_simple_step(mean, max(off, rounding) * 2 / float(in_step.max()))
    if gaps.any():
        others = int(gaps.sum()) - 1
        places = f" and in {format_count(others, 'other place')}" if others else ""
        remarks.append(
            f"rows are missing after t = {show(float(t[:-1][gaps][0]), 4)} s{places}, where steps last up to "
            f"{show(float(steps.max()), 4)} s in place of {format_step(step)} s; all others are judged"
        )
    if off > ROUNDED_STEP * mean:
        remarks.append(
            f"the written times are rounded, by up to {show(off, 2)} s; the step is taken as {format_step(step)} s"
        )
    return begin + in_step * step


def _find_tolerance(step: float, rounding: float) -> float:
    """Return by how much times may differ from even ones."""
    return max(ROUNDED_TIME * step, 2.5 * rounding)


def refuse_reflections(kind: str, values: Array) -> None:
    """Raise `ValueError` if matrices are no rotations but reflections."""
    if kind == "matrix" and np.median(np.linalg.det(values.reshape(-1, 3, 3))) < 0:
        raise ValueError(
            "the matrices are reflections, with determinant −1: one axis has the opposite sign; change the sign of "
            "one row or column"
        )


def describe_lengths(kind: str, values: Array) -> list[str]:
    """Return remarks on quaternions that are not of length 1, and on matrices that are no rotations."""
    if kind.startswith("quaternion"):
        lengths = np.linalg.norm(values, axis=1)
        off = float(np.abs(lengths - 1).max())
        if off > OFF:
            least, most = show(float(lengths.min()), 4), show(float(lengths.max()), 4)
            found = f"length {least}" if least == most else f"lengths from {least} to {most}"
            return [f"the quaternions have {found}, and are normalised"]
    if kind == "matrix":
        matrices = values.reshape(-1, 3, 3)
        off = float(np.abs(matrices - find_nearest_rotations(matrices)).max())
        if off > OFF:
            return [
                f"the matrices miss rotations by up to {show(off, 2)}; the nearest rotations are judged"
            ]
    return []
