"""Where a motion truly ends, by `engine.exact`, and how far a run's end is off."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cancelling import Cancelled, cancelled
from ..checks import Array
from ..exact import Motion, exact
from ..exact.errors import if_known, length, turned
from ..onebody import Run
from ..problems.problem import Problem
from ..wording import short

KINDS = {
    "attitude": "attitude error at the end, rad",
    "momentum": "momentum error at the end, relative",
    "energy": "largest energy error, relative",
}
"""What may be off, and the words for it; the momentum is π."""
LEAST = 1e-12
"""Errors below this, or below what the reference may be off itself, are roundoff's."""


@dataclass(frozen=True, eq=False)
class TrueEnd:
    """The end of a problem's exact motion.

    Attributes
    ----------
    motion : the exact motion at its start and its end.
    floors : below which error of each kind runs are not told apart.
    """

    motion: Motion
    floors: dict[str, float]

    @classmethod
    def of(cls, problem: Problem, duration: float, dt: float, cancel: threading.Event | None = None) -> TrueEnd:
        """Of a problem after this time; `dt` is the step of the runs, on which the book toss's kick depends.

        Raises
        ------
        ValueError
            If the end is not known, in one sentence.
        """
        try:
            motion = exact(problem, [0.0, duration], dt=dt, cancel=cancel)
        except Cancelled:  # as will be every run that might be compared with it
            return cls(exact(problem, [0.0], dt=dt), dict.fromkeys(KINDS, math.inf))
        floors = {
            "attitude": max(LEAST, motion.estimate.attitude),
            "momentum": max(LEAST, motion.estimate.momentum),
            "energy": LEAST,
        }
        return cls(motion, floors)

    def off(self, run: Run) -> dict[str, float]:
        """How far a run is off, of each kind; NaN if it did not get to the end.

        Where the reference is too far off to tell, it is its floor: the error is not known to be smaller. Of an
        energy that the motion itself does not keep there is no error.
        """
        if run.status != "done":
            return dict.fromkeys(KINDS, math.nan)
        at, Pi = slice(-1, None), length(self.motion.Pi[[0, -1]])
        attitude = attitude_off(run.R[at], run.orthogonality[at], self.motion.R[at], self.floors["attitude"])
        momentum = momentum_off(run.pi[at], self.motion.pi[at], Pi.max(), self.floors["momentum"])
        energy = energy_error(run) if "energy" in run.problem.invariants else math.nan
        return {"attitude": float(attitude[0]), "momentum": float(momentum[0]), "energy": energy}


def attitude_off(R: Array, orthogonality: Array, reference: Array, floor: Any) -> Array:
    """The angle between attitudes (n, 3, 3) and where they should be, in radians.

    What is not known to be as large as the floor, below which nothing is known, is the floor.
    """
    return _or_floor(if_known(turned(R, orthogonality, reference), floor), floor)


def momentum_off(pi: Array, reference: Array, largest: Any, floor: Any) -> Array:
    """How far momenta (n, 3) in space are from where they should be, relative to the largest; or the floor."""
    unit = np.where(largest == 0.0, 1.0, largest)
    return _or_floor(if_known(length(pi - reference), floor, unit) / unit, floor)


def _or_floor(found: Array, floor: Any) -> Array:
    return np.where(np.isnan(found), floor, found)


ROWS = 4000
"""At how many times the mean speed is taken."""


@dataclass(frozen=True, eq=False)
class End:
    """Where a motion ends: attitude, body momentum, and the mean speed of rotation on the way (rad/time)."""

    R: Array
    Pi: Array
    mean_speed: float


def true_end(problem: Problem, duration: float, within: float, cancel: threading.Event | None = None) -> End:
    """The end of the exact motion, if that is known to this error."""
    if cancelled(cancel):  # a formula is not cancelled
        raise Cancelled
    motion = exact(problem, np.linspace(0.0, duration, ROWS + 1), cancel=cancel)
    if max(motion.estimate) > within:
        raise ValueError(
            f"the true motion of {problem.label} could not be found to {short(within, 1)} at t = {short(duration)}; "
            "ask for less accuracy or a shorter duration"
        )
    speed = np.trapezoid(np.linalg.norm(motion.Omega, axis=1), motion.t) / duration
    return End(motion.R[-1], motion.Pi[-1], float(speed))


def energy_error(run: Run) -> float:
    """How far the energy is off at its worst, over every step, relative to that of the start."""
    return run.deviation("energy") / (abs(float(run.energy[0])) or 1.0)
