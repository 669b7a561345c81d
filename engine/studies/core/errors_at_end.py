"""Errors at the end of a run against the exact motion of `engine.exact`."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exact import Motion, exact
from ...exact.errors import find_phase_loss, length, mask_unknown, measure_turns
from ...exact.given_rates import GivenRatesMotion
from ...exact.motion import interpolate_attitudes
from ...exact.reference import describe_loss
from ...kernels import Cancelled, is_cancelled
from ...parameters.validation import Array
from ...problems.given_rates.given import GivenRates
from ...problems.problem import AnyProblem, Problem
from ...simulation import AnyRun
from ...text.formatting import show
from .charts import Frame
from .result import StudyResult

Turning = Problem | GivenRates
"""What turns: a body, or an attitude with given rates."""

KINDS = {
    "attitude": "attitude error at the end, rad",
    "momentum": "momentum error at the end, relative",
    "energy": "largest energy error, relative",
}
"""The kinds of error in words; the momentum is π. Not every motion has each: that with given rates
has an attitude alone.
"""
OF_EXACT_MOTION = {
    Problem.space: ("attitude", "momentum"),
    GivenRates.space: ("attitude",),
}
"""The kinds of error against the exact motion, by the space of the problem."""
OF_TURNING = tuple(OF_EXACT_MOTION)
"""The spaces of what turns."""
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

    motion: Motion | GivenRatesMotion
    floors: dict[str, float]

    @classmethod
    def of(
        cls, problem: Turning, duration: float, dt: float, cancel: threading.Event | None = None
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
            motion = exact(problem, [0.0], dt=dt)
            return cls(motion, dict.fromkeys(list_kinds(problem), math.inf))
        estimates = motion.estimate._asdict()
        return cls(motion, {k: max(LEAST, estimates.get(k, 0.0)) for k in list_kinds(problem)})

    @property
    def unknown(self) -> dict[str, Any]:
        """An error of each kind that this motion does not have: NaN."""
        return {kind: math.nan for kind in KINDS if kind not in self.floors}

    def errors(self, run: Any) -> dict[str, float]:
        """Return the error of each kind; NaN if the run did not reach the end.

        An error that is not known to be larger than the floor is the floor.
        """
        if run.status != "done":
            return dict.fromkeys(self.floors, math.nan)
        return {
            kind: MEASURED[kind](run, self.motion, floor) for kind, floor in self.floors.items()
        }

    def judge(self, run: Any) -> dict[str, float]:
        """Return the errors of a run with `SAMPLES` rows; that of the attitude is infinite if the
        phase is lost.
        """
        return self.errors(run) | ({"attitude": math.inf} if loses_phase(run, self.motion) else {})


def list_kinds(problem: AnyProblem) -> list[str]:
    """Return the kinds of error: those against the exact motion, and that of the energy if the motion
    conserves it.
    """
    there = {*OF_EXACT_MOTION[problem.space], *problem.invariants}
    return [kind for kind in KINDS if kind in there]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ErrorsAtEnd(StudyResult):
    """A result whose rows have errors at the end.

    Attributes
    ----------
    floors : the error of each kind that the motion has, below which runs cannot be compared.
    """

    floors: dict[str, float]

    def to_frame(self) -> Frame:
        """Return the rows, without errors that the motion does not have."""
        others = [kind for kind in KINDS if kind not in self.floors]
        return super().to_frame().drop(columns=others)


def loses_phase(run: Any, motion: Motion | GivenRatesMotion | None) -> bool:
    """Whether the attitude error of a run exceeds `WHOLE_RANGE` at one of its rows: then it ranks
    nothing.

    The exact motion, at evenly spaced times, is interpolated between them.
    """
    if motion is None or run.status != "done":
        return False
    is_fine = np.linalg.norm(motion.Omega, axis=1).max() * motion.t[1] <= 1.0
    rows = slice(0 if is_fine else len(run) - 1, len(run))
    off = measure_turns(run.R[rows], interpolate_attitudes(motion, run.t[rows]))
    return find_phase_loss(run.t[rows], off) >= 0.0


def _follow(
    problem: Turning, duration: float, dt: float | None, cancel: threading.Event | None
) -> Any:
    """Return the exact motion at times over which its first spin turns it by half a radian at most.

    `ValueError` if its end is unknown.
    """
    spin = np.linalg.norm(exact(problem, 0.0, dt=dt).Omega)
    rows = int(np.clip(2.0 * duration * spin, ROWS, MOST_ROWS))
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


def _attitude_at_end(run: Any, motion: Any, floor: float) -> float:
    at = slice(-1, None)
    return float(attitude_errors(run.R[at], motion.R[at], floor)[0])


def _momentum_at_end(run: Any, motion: Any, floor: float) -> float:
    at = slice(-1, None)
    largest = length(motion.Pi[[0, -1]]).max()
    return float(momentum_errors(run.pi[at], motion.pi[at], largest, floor)[0])


MEASURED: dict[str, Callable[[Any, Any, float], float]] = {
    "attitude": _attitude_at_end,
    "momentum": _momentum_at_end,
    "energy": lambda run, motion, floor: energy_error(run),
}
"""The functions of a run, the exact motion and a floor that measure each kind of error."""


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


def energy_error(run: AnyRun) -> float:
    """Return the largest error of the energy over every step, relative to the energy at the
    start.
    """
    return run.deviation("energy") / (abs(float(run.first("energy"))) or 1.0)


def check_energy(problem: AnyProblem) -> None:
    """Refuse a problem whose motion does not conserve the energy."""
    if "energy" not in problem.invariants:
        raise ValueError(f"the energy of {problem.label} is not kept by the motion itself")
