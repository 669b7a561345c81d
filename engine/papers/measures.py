"""Measures that the claims and the figures of several papers share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ..algorithms.method import Method
from ..charts import Curve
from ..checks import Array
from ..onebody import Run
from ..problems.problem import Problem
from ..studies.true_end import End
from .claim import Bench

MOST_POINTS = 2000
"""Of a curve."""


def attitude_and_momentum_errors(
    bench: Bench, problem: str | Problem, method: str | Method, dt: float, duration: float, end: End
) -> tuple[float, float]:
    """‖R − R*‖₂ and |Π − Π*| at the end, as Krysl and Endres plot them; NaN for a run that does not get there.

    A step that does not divide the duration is changed a little, so that it does.
    """
    steps = round(duration / dt)
    run = bench.simulate(problem, method, dt=duration / steps, steps=steps, samples=1)
    if run.status != "done":
        return math.nan, math.nan
    return float(np.linalg.norm(run.R[-1] - end.R, 2)), float(np.linalg.norm(run.Pi[-1] - end.Pi))


def orders_after_2_s(
    bench: Bench, problem: Problem, method: str, h: float, end: End | None = None
) -> tuple[float, float]:
    """The orders that the errors of attitude and momentum after 2 s have, in steps of h and of half of it.

    `end` is that of the exact motion, if it is known.
    """
    end = end or bench.true_end(problem, 2.0, 1e-12)
    coarse, fine = (attitude_and_momentum_errors(bench, problem, method, step, 2.0, end) for step in (h, h / 2))
    attitude, momentum = np.log2(np.divide(coarse, fine))
    return float(attitude), float(momentum)


def largest_change(run: Run) -> float:
    """By how much the momentum in space is off at most, of the states that are kept, as part of its length."""
    return float(np.linalg.norm(run.pi - run.pi[0], axis=1).max() / np.linalg.norm(run.pi[0]))


def drift(energy: Array) -> float:
    """How far the mean of any tenth of a series is from that of any other, in per cent of its first value."""
    means = [part.mean() for part in np.array_split(energy, 10)]
    return 100 * float(np.ptp(means) / abs(energy[0]))


def turned_in_steps(run: Run) -> Array:
    """|h (Ω + h/2 A)|, the rotation vector of each of NMB's steps on a free body, in radians; beyond π, too."""
    A = np.linalg.solve(run.problem.J, np.cross(run.Pi, run.Omega).T).T
    return np.asarray(np.linalg.norm(run.dt * (run.Omega + run.dt / 2 * A), axis=1)[:-1])


# ----------------------------------------------------------------- curves


def converging(
    bench: Bench,
    problem: str | Problem,
    methods: Sequence[str | Method],
    dts: Sequence[float],
    duration: float,
    first: int = 0,
    within: float = 1e-9,
) -> Iterator[Curve]:
    """By the step, the errors of the body momentum in plot `first` and of the attitude in the plot after it."""
    bench.prepare(problem, methods)
    end = bench.true_end(problem, duration, within)
    steps = np.array([duration / round(duration / dt) for dt in dts])
    for method in methods:
        errors = np.array([attitude_and_momentum_errors(bench, problem, method, dt, duration, end) for dt in dts])
        name = method if isinstance(method, str) else method.key
        for plot, error in ((first, errors[:, 1]), (first + 1, errors[:, 0])):
            there = np.isfinite(error) & (error > 0)
            yield Curve(name, steps[there], error[there], plot, marks=True)


def downsampled(name: str, x: Array, y: Array, plot: int = 0) -> Curve:
    """A curve of at most some thousand points: of each part of the rows the least and the largest, and both ends."""
    if len(y) <= MOST_POINTS:
        return Curve(name, x, y, plot)
    edges = np.linspace(0, len(y), MOST_POINTS // 2, dtype=int)
    extremes = [begin + at(y[begin:end]) for begin, end in pairwise(edges) for at in (np.argmin, np.argmax)]
    kept = np.unique([0, *extremes, len(y) - 1])
    return Curve(name, x[kept], y[kept], plot)


def in_blocks(name: str, x: Array, y: Array, blocks: int = 200) -> Curve:
    """The means of blocks of a long series."""
    means = [np.array([part.mean() for part in np.array_split(series, blocks)]) for series in (x, y)]
    return Curve(name, means[0], means[1])


def components(symbol: str, name: str, t: Array, vectors: Array, plot: int = 0) -> Iterator[Curve]:
    """The three components of (n, 3) vectors, all in one plot."""
    for i, sub in enumerate("₁₂₃"):
        yield downsampled(f"{symbol}{sub}, {name}", t, vectors[:, i], plot)
