"""Measurements and curves that the claims and figures of several papers share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ..algorithms.core.method import Method
from ..parameters.validation import Array
from ..problems.problem import Problem
from ..simulation.one_body import Run
from ..studies.core import Axes, Axis, Curve, End
from .claim import Bench, Value

MOST_POINTS = 2000
"""Of a curve."""

TIME = Axis("t")
STEP = Axis("Δt", log=True)
ENERGY = Axis("energy")
MOMENTUM_ERROR = Axis("|Π − Π*|", log=True)
ATTITUDE_ERROR = Axis("‖R − R*‖₂", log=True)
CONVERGENCE = (Axes(STEP, MOMENTUM_ERROR, "body momentum"), Axes(STEP, ATTITUDE_ERROR, "attitude"))
"""The axes of `draw_convergence`."""


def measure_errors(
    bench: Bench, problem: str | Problem, method: str | Method, dt: float, duration: float, end: End
) -> tuple[float, float]:
    """‖R − R*‖₂ and |Π − Π*| at the end, as Krysl and Endres plot them; NaN for a run that ends
    before.

    A step that does not divide the duration is changed a little, so that it does.
    """
    steps = round(duration / dt)
    run = bench.simulate(problem, method, dt=duration / steps, steps=steps, samples=1)
    if run.status != "done":
        return math.nan, math.nan
    return float(np.linalg.norm(run.R[-1] - end.R, 2)), float(np.linalg.norm(run.Pi[-1] - end.Pi))


def measure_orders(
    bench: Bench, problem: Problem, method: str, h: float, end: End | None = None
) -> tuple[float, float]:
    """The orders of attitude and momentum after 2 s, from steps of h and of half of it; `end` is
    the exact one.
    """
    end = end or bench.find_exact_end(problem, 2.0, 1e-12)
    coarse, fine = (measure_errors(bench, problem, method, step, 2.0, end) for step in (h, h / 2))
    attitude, momentum = np.log2(np.divide(coarse, fine))
    return float(attitude), float(momentum)


def name_orders(orders: tuple[float, float]) -> Iterator[tuple[str, Value]]:
    """The orders as two figures of a claim."""
    return zip(("order of the attitude", "order of the momentum"), orders, strict=True)


def find_momentum_change(run: Run) -> float:
    """The largest change of the spatial momentum over the stored states, as a part of its
    length.
    """
    return float(np.linalg.norm(run.pi - run.pi[0], axis=1).max() / np.linalg.norm(run.pi[0]))


def find_drift(energy: Array) -> float:
    """The largest difference between the means of any two tenths of a series, in per cent of its
    first value.
    """
    means = [part.mean() for part in np.array_split(energy, 10)]
    return 100 * float(np.ptp(means) / abs(energy[0]))


def find_step_angles(run: Run) -> Array:
    """|h (Ω + h/2 A)|, the length of the rotation vector of each of NMB's steps on a free body; it
    may exceed π.
    """
    assert isinstance(run.problem, Problem)
    A = np.linalg.solve(run.problem.J, np.cross(run.Pi, run.Omega).T).T
    return np.asarray(np.linalg.norm(run.dt * (run.Omega + run.dt / 2 * A), axis=1)[:-1])


# ----------------------------------------------------------------- curves


def draw_convergence(
    bench: Bench,
    problem: str | Problem,
    methods: Sequence[str | Method],
    dts: Sequence[float],
    duration: float,
    first: int = 0,
    within: float = 1e-9,
) -> Iterator[Curve]:
    """Errors of the body momentum by the step, in plot `first`, and of the attitude, in the plot
    after it.
    """
    bench.prepare(problem, methods)
    end = bench.find_exact_end(problem, duration, within)
    steps = np.array([duration / round(duration / dt) for dt in dts])
    for method in methods:
        errors = np.array([measure_errors(bench, problem, method, dt, duration, end) for dt in dts])
        name = method if isinstance(method, str) else method.key
        for plot, error in ((first, errors[:, 1]), (first + 1, errors[:, 0])):
            there = np.isfinite(error) & (error > 0)
            yield Curve(name, steps[there], error[there], plot, marks=True)


def downsample(name: str, x: Array, y: Array, plot: int = 0) -> Curve:
    """A curve of at most `MOST_POINTS` points: the least and the largest of each part of the rows,
    and both ends.
    """
    if len(y) <= MOST_POINTS:
        return Curve(name, x, y, plot)
    edges = np.linspace(0, len(y), MOST_POINTS // 2, dtype=int)
    extremes = [
        begin + at(y[begin:end]) for begin, end in pairwise(edges) for at in (np.argmin, np.argmax)
    ]
    rows = np.unique([0, *extremes, len(y) - 1])
    return Curve(name, x[rows], y[rows], plot)


def average_blocks(name: str, x: Array, y: Array, blocks: int = 200) -> Curve:
    """The means of blocks of a long series."""
    means = [
        np.array([part.mean() for part in np.array_split(series, blocks)]) for series in (x, y)
    ]
    return Curve(name, means[0], means[1])


def split_components(
    symbol: str, name: str, t: Array, vectors: Array, plot: int = 0
) -> Iterator[Curve]:
    """The three components of (n, 3) vectors, all in one plot."""
    for i, sub in enumerate("₁₂₃"):
        yield downsample(f"{symbol}{sub}, {name}", t, vectors[:, i], plot)
