"""Rates from a table of samples: as kernels read them, evenly spaced or with times of their own.

A kernel counts the rows: its times are multiples of the mean interval, and a step has the length of
the intervals that it spans.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra import Vec3
from ...parameters.validation import Array
from ..field import Rate
from .samples import Samples

LAST = 0  # the number of the last row
INTERVAL = 1  # the mean interval
ROWS = 2  # three values for each row; behind them, if the rows are not even, the time of each


def find_row(t: float, p: Any) -> int:
    """The row at a time that the kernel counts."""
    return min(max(int(t / p[INTERVAL] + 0.5), 0), int(p[LAST]))


def read_row(i: Any, p: Any) -> Vec3:
    """The values of a row."""
    at = ROWS + 3 * i
    return Vec3(p[at], p[at + 1], p[at + 2])


def find_time(i: Any, p: Any) -> float:
    """The time of a row, where these are not even."""
    return float(p[ROWS + 3 * (int(p[LAST]) + 1) + i])


def find_length(t: float, h: float, p: Any) -> float:
    """The time between the rows at t and at t + h."""
    return find_time(find_row(t + h, p), p) - find_time(find_row(t, p), p)


def sampled_rate(t: float, p: Any) -> Vec3:
    """The rate of the row at t."""
    return read_row(find_row(t, p), p)


def trapezoid(t: float, h: float, p: Any) -> Vec3:
    """The trapezoids between even rows from t to t + h."""
    first, last = find_row(t, p), find_row(t + h, p)
    turn = Vec3(0.0, 0.0, 0.0)
    for i in range(first, last):
        turn = turn + 0.5 * p[INTERVAL] * (read_row(i, p) + read_row(i + 1, p))
    return turn


def uneven_trapezoid(t: float, h: float, p: Any) -> Vec3:
    """The trapezoids between uneven rows."""
    first, last = find_row(t, p), find_row(t + h, p)
    turn = Vec3(0.0, 0.0, 0.0)
    for i in range(first, last):
        interval = find_time(i + 1, p) - find_time(i, p)
        turn = turn + 0.5 * interval * (read_row(i, p) + read_row(i + 1, p))
    return turn


def mean_rate(t: float, p: Any) -> Vec3:
    """The angle of the interval that ends at t, over the interval."""
    return (1.0 / p[INTERVAL]) * read_row(find_row(t, p), p)


def uneven_mean_rate(t: float, p: Any) -> Vec3:
    """The same of uneven intervals; the first one has the length of the second."""
    i = find_row(t, p)
    end = max(i, 1)
    return (1.0 / (find_time(end, p) - find_time(end - 1, p))) * read_row(i, p)


def sum_of_angles(t: float, h: float, p: Any) -> Vec3:
    """The sum of the angles of the intervals from t to t + h."""
    first, last = find_row(t, p), find_row(t + h, p)
    turn = Vec3(0.0, 0.0, 0.0)
    for i in range(first + 1, last + 1):
        turn = turn + read_row(i, p)
    return turn


KINDS = {
    (False, True): Rate("samples", sampled_rate, trapezoid),
    (False, False): Rate("uneven samples", sampled_rate, uneven_trapezoid, length=find_length),
    (True, True): Rate("angles", mean_rate, sum_of_angles),
    (True, False): Rate("uneven angles", uneven_mean_rate, sum_of_angles, length=find_length),
}
"""Kinds of tables: by whether the values are angles, and the rows evenly spaced."""


def find_kind(samples: Samples) -> Rate:
    """The kind of a table of samples."""
    return KINDS[samples.integrated, samples.interval is not None]


def find_mean_interval(samples: Samples) -> float:
    """The mean interval of the rows."""
    return float(samples.t[-1] - samples.t[0]) / (len(samples) - 1)


def find_times(samples: Samples, t: Array) -> Array:
    """The times of the rows at those that a kernel counts."""
    rows = np.rint(t / find_mean_interval(samples)).astype(int)
    times: Array = samples.t[rows] - samples.t[0]
    return times


def list_numbers(samples: Samples) -> Array:
    """The table as kernels read it."""
    head = np.array([len(samples) - 1, find_mean_interval(samples)])
    times = () if samples.interval is not None else (samples.t - samples.t[0],)
    return np.concatenate([head, samples.values.ravel(), *times])
