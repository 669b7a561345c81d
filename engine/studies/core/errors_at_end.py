"""Errors at the end of a run against the exact motion of `engine.exact`."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exact import Motion, exact
from ...exact.errors import find_phase_loss, length, mask_unknown, measure_turns
from ...exact.reference import describe_loss
from ...kernels import Cancelled, is_cancelled
from ...parameters.validation import Array
from ...problems.problem import Problem
from ...simulation.one_body import Run
from ...text.formatting import show

KINDS = {
    "attitude": "attitude error at the end, rad",
    "momentum": "momentum error at the end, relative",
    "energy": "largest energy error, relative",
}
"""The kinds of error in words; the momentum is π."""
LEAST = 1e-12
"""Errors below this, or below that of the reference, are roundoff."""
ROWS = 4000
"""The least number of times of an exact motion."""
MOST_ROWS = 200_000
"""The largest; a motion that turns more than a radian between two of them is compared at its end
alone.
"""
SAMPLES = 1000
"""Times of a run at which its phase is compared."""


@dataclass(frozen=True, eq=False)
class TrueEnd:
    """The end of a problem's exact motion.

    Attributes
    ----------
    motion : the exact motion at evenly spaced times until its end.
    floors : the error of each kind below which runs cannot be compared.
    """

    motion: Motion
    floors: dict[str, float]

    @classmethod
    def of(
        cls, problem: Problem, duration: float, dt: float, cancel: threading.Event | None = None
    ) -> TrueEnd:
        """Find the end after this time; the kick of the book toss depends on `dt`, the step of the
        runs.

        Raises
        ------
        ValueError
            If the end is unknown.
        """
        try:
            motion = _follow(problem, duration, dt, cancel)
        except Cancelled:  # every run that might be compared with it will be cancelled too
            return cls(exact(problem, [0.0], dt=dt), dict.fromkeys(KINDS, math.inf))
        floors = {
            "attitude": max(LEAST, motion.estimate.attitude),
            "momentum": max(LEAST, motion.estimate.momentum),
            "energy": LEAST,
        }
        return cls(motion, floors)

    def errors(self, run: Run) -> dict[str, float]:
        """Return the error of each kind; NaN if the run did not reach the end.

        An error that is not known to be larger than the floor is the floor. An energy that the
        motion itself does not conserve has no error.
        """
        if run.status != "done":
            return dict.fromkeys(KINDS, math.nan)
        at, Pi = slice(-1, None), length(self.motion.Pi[[0, -1]])
        attitude = attitude_errors(run.R[at], self.motion.R[at], self.floors["attitude"])
        momentum = momentum_errors(
            run.pi[at], self.motion.pi[at], Pi.max(), self.floors["momentum"]
        )
        energy = energy_error(run) if "energy" in run.problem.invariants else math.nan
        return {"attitude": float(attitude[0]), "momentum": float(momentum[0]), "energy": energy}

    def judge(self, run: Run) -> dict[str, float]:
        """Return the errors of a run with `SAMPLES` rows; that of the attitude is infinite if the
        phase is lost.
        """
        return self.errors(run) | ({"attitude": math.inf} if loses_phase(run, self.motion) else {})


def loses_phase(run: Run, motion: Motion | None) -> bool:
    """Whether the attitude error of a run exceeds `WHOLE_RANGE` at one of its rows: then it ranks
    nothing.

    The exact motion, at evenly spaced times, is interpolated between them.
    """
    if motion is None or run.status != "done":
        return False
    is_fine = np.linalg.norm(motion.Omega, axis=1).max() * motion.t[1] <= 1.0
    rows = slice(0 if is_fine else len(run) - 1, len(run))
    off = measure_turns(run.R[rows], motion.interpolate_attitudes(run.t[rows]))
    return find_phase_loss(run.t[rows], off) >= 0.0


def _follow(
    problem: Problem, duration: float, dt: float | None, cancel: threading.Event | None
) -> Motion:
    """Return the exact motion at times over which its first spin turns it by half a radian at most.

    `ValueError` if its end is unknown.
    """
    rows = int(np.clip(2.0 * duration * np.linalg.norm(problem.Omega0), ROWS, MOST_ROWS))
    motion = exact(problem, np.linspace(0.0, duration, rows + 1), dt=dt, cancel=cancel)
    if not motion.is_known[-1]:
        raise ValueError(describe_loss(problem, float(motion.known_part().t[-1])))
    return motion


def attitude_errors(R: Array, reference: Array, floor: Any) -> Array:
    """Return the angles in radians between attitudes (n, 3, 3) and the reference, at least the
    floor.
    """
    return _or_floor(mask_unknown(measure_turns(R, reference), floor), floor)


def momentum_errors(pi: Array, reference: Array, largest: Any, floor: Any) -> Array:
    """Return the distances of momenta (n, 3) in space from the reference, relative to the largest,
    or the floor.
    """
    unit = np.where(largest == 0.0, 1.0, largest)
    return _or_floor(mask_unknown(length(pi - reference), floor, unit) / unit, floor)


def _or_floor(found: Array, floor: Any) -> Array:
    return np.where(np.isnan(found), floor, found)


@dataclass(frozen=True, eq=False)
class End:
    """Where a motion ends: attitude, body momentum, and the mean speed of rotation on the way
    (rad/time).

    `motion` is the exact motion until this end, at evenly spaced times; None for a run.
    """

    R: Array
    Pi: Array
    mean_speed: float
    motion: Motion | None = None


def find_exact_end(
    problem: Problem,
    duration: float,
    within: float,
    cancel: threading.Event | None = None,
    *,
    momentum: bool = True,
) -> End:
    """Return the end of the exact motion; `ValueError` if its attitude, and its `momentum` unless
    that is not needed, are not known to this relative error.
    """
    if is_cancelled(cancel):  # a formula does not look
        raise Cancelled
    motion = _follow(problem, duration, None, cancel)
    attitude_doubt, momentum_doubt = motion.estimate
    if max(attitude_doubt, momentum_doubt if momentum else 0.0) > within:
        raise ValueError(
            f"the exact motion of {problem.label} could not be found to {show(within, 1)} at t = {show(duration)}; "
            "give a larger error or a shorter duration"
        )
    speed = np.trapezoid(np.linalg.norm(motion.Omega, axis=1), motion.t) / duration
    return End(motion.R[-1], motion.Pi[-1], float(speed), motion)


def energy_error(run: Run) -> float:
    """Return the largest error of the energy over every step, relative to the energy at the
    start.
    """
    return run.deviation("energy") / (abs(float(run.energy[0])) or 1.0)


def check_energy(problem: Problem) -> None:
    """Refuse a problem whose motion does not conserve the energy."""
    if "energy" not in problem.invariants:
        raise ValueError(f"the energy of {problem.label} is not kept by the motion itself")
