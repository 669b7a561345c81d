"""Measures that the claims of several papers share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...algorithms.method import Method
from ...problems.problem import Problem
from ..steps_to_accuracy import End
from .claim import Bench


def attitude_and_momentum_errors(
    bench: Bench, problem: str | Problem, method: str | Method, dt: float, duration: float, end: End
) -> tuple[float, float]:
    """‖R − R*‖₂ and |Π − Π*| at the end, as Krysl and Endres plot them."""
    run = bench.simulate(problem, method, dt=dt, duration=duration, samples=1)
    return float(np.linalg.norm(run.R[-1] - end.R, 2)), float(np.linalg.norm(run.Pi[-1] - end.Pi))


def drift(energy: NDArray[np.float64]) -> float:
    """How far the mean of any tenth of a series is from that of any other, in per cent of its first value."""
    means = [part.mean() for part in np.array_split(energy, 10)]
    return 100 * float(np.ptp(means) / abs(energy[0]))
