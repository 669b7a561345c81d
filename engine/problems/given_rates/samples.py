"""Samples of a gyroscope: times with rates, or with angles integrated over intervals, and remarks on
what is irregular in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...parameters.validation import Array, check_reals
from ...text.csv_tables import MOST_ROWS
from ...text.formatting import (
    format_count,
    format_measured,
    format_seconds,
    join_words,
    show,
)

Flags = NDArray[np.bool_]

AXES = "xyz"

EVEN = 0.01
"""The largest distance of a row from its place among equal intervals, over the interval."""
ROUNDED = 1e-5
"""Such a distance is the roundoff of written times."""
LONGEST = 1.75
"""A longer interval, over the median, is a gap: at least one row is missing."""
FASTEST = 70.0
"""The largest rate, in rad/s, that common gyroscopes measure: 4000 deg/s."""
CLIPPED = 3
"""Rows in succession at the largest value of an axis, from which on that is its range."""
REPEATING = 0.2
"""The share of rows equal to the row before from which on it is reported."""


class Accelerations(NamedTuple):
    """Samples of an accelerometer: times (n,) as those of the gyroscope, values (n, 3) in m/s²."""

    t: Array
    values: Array


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a gyroscope.

    Parameters
    ----------
    t : (n,) increasing times in s, from the first row on.
    values : (n, 3) rates in rad/s, in the body's axes; or angles in rad, each integrated over the
        interval that ends at its time.
    clipped : (n, 3) whether a value is at the end of its sensor's range.
    integrated : whether the values are angles.
    remarks : what is irregular in them, in clauses.
    accelerations : those of the same device, if they are known.
    """

    t: Array
    values: Array
    clipped: Flags
    integrated: bool = False
    remarks: tuple[str, ...] = ()
    accelerations: Accelerations | None = None

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        kind = "integrated angles" if self.integrated else "rates"
        return f"<{len(self):,} samples of {kind} in {format_seconds(float(self.t[-1]))}>"

    @property
    def interval(self) -> float | None:
        """The interval between rows in s; None if the rows are not evenly spaced."""
        interval = float(self.t[-1] - self.t[0]) / (len(self) - 1)
        return interval if _find_unevenness(self.t) <= EVEN else None

    @property
    def rates(self) -> Array:
        """(n, 3) the rates in rad/s; of integrated angles the mean rate of each interval, where the
        first one has the length of the second.
        """
        if not self.integrated:
            return self.values
        intervals = np.diff(self.t)
        return self.values / np.concatenate([intervals[:1], intervals])[:, None]


def make_samples(
    t: ArrayLike,
    values: ArrayLike,
    integrated: bool = False,
    accelerations: Accelerations | None = None,
    part: tuple[float, float] | None = None,
    remarks: tuple[str, ...] = (),
) -> Samples:
    """Return checked samples; rows without numbers and repeated rows are left out, with a remark.

    t : times in s. values : (n, 3), rad/s or rad. part : the times in s, from the first row on,
        between which rows are used. Other arguments as of `Samples`; `remarks` are those made so far.
    """
    times = check_reals(t, "the times of samples must be numbers")
    rows = check_reals(values, "the samples of a gyroscope must be rows of three numbers")
    if times.ndim != 1 or rows.shape != (len(times), 3):
        raise ValueError(
            "samples are n times and as many rows of three numbers; "
            f"got shapes {times.shape} and {rows.shape}"
        )
    if len(times) > MOST_ROWS:
        raise ValueError(
            f"a recording has at most {MOST_ROWS:,} rows; got {len(times):,}: use a part of it"
        )
    notes = list(remarks)
    complete = _find_complete(times, rows, notes)
    times, rows = times[complete], rows[complete]
    origin = float(times[0]) if len(times) else 0.0
    times = times - origin
    if part is not None:
        inside = (times >= part[0]) & (times <= part[1])
        times, rows = times[inside], rows[inside]
        origin += float(times[0]) if len(times) else 0.0
        times = times - times[:1]
    _check_order(times)
    fresh = _find_fresh(times, rows, notes)
    times, rows = times[fresh], rows[fresh]
    if len(times) < 2:
        raise ValueError(f"a motion needs two rows or more; got {len(times)}")
    if accelerations is not None:
        accelerations = accelerations._replace(t=accelerations.t - origin)
    samples = Samples(times, rows, _find_clipped(rows), integrated, (), accelerations)
    notes += [*_describe_times(times), *_describe_values(samples)]
    for array in (times, rows, samples.clipped):
        array.setflags(write=False)
    return replace(samples, remarks=tuple(notes))


def _find_complete(times: Array, rows: Array, notes: list[str]) -> Flags:
    """Return which rows consist of finite numbers, with a remark on the others."""
    finite = np.isfinite(rows)
    complete = np.isfinite(times) & finite.all(axis=1)
    if not complete.all():
        where = [axis for axis, column in zip(AXES, finite.T, strict=True) if not column.all()]
        if not np.isfinite(times).all():
            where = ["the time", *where]
        notes.append(
            f"left out: {_count_rows(~complete)} without a number for {join_words(where, 'or')}, first row "
            f"{int(np.argmin(complete)) + 1:,}"
        )
    return complete


def _check_order(times: Array) -> None:
    """Refuse times that go back."""
    steps = np.diff(times)
    if (steps < 0).any():
        row = int(np.argmax(steps < 0))
        back = int(np.count_nonzero(steps < 0))
        raise ValueError(
            f"the time goes back in {format_count(back, 'place')}, first by {format_seconds(-steps[row])} after "
            f"t = {show(times[row])} s; sort the rows, use a part of them, or choose another "
            "column as the time"
        )


def _find_fresh(times: Array, rows: Array, notes: list[str]) -> Flags:
    """Return which rows have another time than the row before, with remarks on the others."""
    same_time = np.concatenate([[False], np.diff(times) == 0.0])
    if same_time.any():
        equal = np.concatenate([[False], (np.diff(rows, axis=0) == 0.0).all(axis=1)]) & same_time
        unlike = same_time & ~equal
        if equal.any():
            notes.append(
                f"left out: {_count_rows(equal)} equal to the row before, first at "
                f"t = {show(times[np.argmax(equal)])} s"
            )
        if unlike.any():
            notes.append(
                f"left out: {_count_rows(unlike)} with the time of the row before and other values, first at "
                f"t = {show(times[np.argmax(unlike)])} s"
            )
    return ~same_time


def _find_unevenness(times: Array) -> float:
    """Return the largest distance of a row from its place among equal intervals, over the
    interval.
    """
    interval = (times[-1] - times[0]) / (len(times) - 1)
    return float(np.abs((times - times[0]) / interval - np.arange(len(times))).max())


def _describe_times(times: Array) -> list[str]:
    """Return remarks on gaps and on uneven intervals."""
    steps = np.diff(times)
    median = float(np.median(steps))
    gaps = np.flatnonzero(steps > LONGEST * median)
    remarks = []
    if len(gaps):
        longest = gaps[np.argmax(steps[gaps])]
        which = "a gap" if len(gaps) == 1 else f"{len(gaps):,} gaps, the longest"
        remarks.append(
            f"the rows have {which} of {format_seconds(steps[longest])} after t = {show(times[longest])} s, "
            f"where rows are {format_seconds(median)} apart; a run takes one step across each gap, with the rates "
            "at its ends"
        )
    others = np.delete(steps, gaps)
    unevenness = _find_unevenness(times)
    if not len(gaps) and ROUNDED < unevenness <= EVEN:
        remarks.append(
            f"the rows are evenly spaced within {format_measured(100 * unevenness)} % of an interval, and taken as even"
        )
    elif others.max() - others.min() > 2 * EVEN * median:
        remarks.append(
            f"the rows are unevenly spaced, {format_seconds(others.min())} to {format_seconds(others.max())} apart; "
            "each step of a run has the length of its interval"
        )
    frequency = 1.0 / median
    if not 1.0 <= frequency <= 50_000.0:
        remarks.append(
            f"the sample rate is {show(frequency, 3)} Hz, which suggests that the unit of the time "
            "is another one"
        )
    return remarks


def _describe_values(samples: Samples) -> list[str]:
    """Return remarks on rates that are too large, at the end of the range, or repeated."""
    remarks = []
    largest = float(np.abs(samples.rates).max())
    if largest > FASTEST:
        remarks.append(
            f"the largest rate is {show(largest, 3)} rad/s, and gyroscopes measure up to {show(FASTEST, 2)} rad/s; "
            "the values may be in degrees"
        )
    counts = samples.clipped.sum(axis=0)
    if counts.any():
        ranges = np.abs(samples.values).max(axis=0)
        unit = "rad" if samples.integrated else "rad/s"
        parts = [
            f"{axis} in {format_count(int(count), 'row')} at {show(end, 4)} {unit}"
            for axis, count, end in zip(AXES, counts, ranges, strict=True)
            if count
        ]
        remarks.append(f"the sensor is at the end of its range: {join_words(parts)}")
    still = (np.diff(samples.values, axis=0) == 0.0).all(axis=1) & samples.values[1:].any(axis=1)
    share = float(np.mean(still))
    if share > REPEATING and not (samples.values == samples.values[0]).all():
        remarks.append(
            f"{show(100 * share, 2)} % of the rows have the values of the row before, as if the sensor were read "
            "more often than it measures"
        )
    return remarks


def _find_clipped(rows: Array) -> Flags:
    """Return which values are at the end of their range: the largest of an axis, in several rows in
    succession, where the axis has other values, too.
    """
    clipped = np.zeros(rows.shape, bool)
    for axis in range(3):
        sizes = np.abs(rows[:, axis])
        largest = sizes.max()
        at_end = sizes >= (1 - 1e-6) * largest
        edges = np.diff(np.concatenate([[0], at_end.astype(np.int8), [0]]))
        lengths = np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)
        if largest > 0 and lengths.max() >= CLIPPED and not at_end.all():
            clipped[:, axis] = at_end
    return clipped


def _count_rows(which: Flags) -> str:
    """Return "1 row", "3 rows"."""
    return format_count(int(np.count_nonzero(which)), "row")


def check_part(part: Any) -> tuple[float, float] | None:
    """Return the begin and the end of a part of a recording."""
    if part is None:
        return None
    ends = check_reals(part, "a part of a recording is two times in s, such as (0.5, 2)", 2)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise ValueError("a part of a recording is two increasing times in s, such as (0.5, 2)")
    return float(ends[0]), float(ends[1])
