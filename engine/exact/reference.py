"""Reference runs: the motion of any problem, by a method that chooses its steps to a tolerance near
roundoff, with an estimate.

The method is TAYLOR, and RKMK853 where the torque has no Taylor series or is a function in plain
Python.

Witnesses give the estimate of the error: two runs to larger tolerances, with other last digits of
the start and the moments of inertia. The estimate is a multiple of their largest distance from the
reference so far, or of the change of what the motion conserves. So it contains the truncation, the
roundoff, and their growth: in a chaotic motion errors, and with them the estimate, grow
exponentially. Where the estimate exceeds `LOST`, the motion is not known, and the reference ends.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from math import ceil, log
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..algorithms.core import OwnSteps
from ..algorithms.core.method import find_method
from ..kernels import Integers, Parts, compiles, is_compiled
from ..parameters.validation import Array
from ..problems.problem import AnyProblem, Problem
from ..simulation import SYSTEMS, Follower, why_not
from ..text.formatting import show

METHOD = "TAYLOR"
WITHOUT_SERIES = "RKMK853"
"""The methods of reference runs."""
TOLERANCES = (1e-15, 3e-15, 1e-14)
"""The relative tolerances of the reference and of its witnesses."""
LAST_DIGIT = 4 * float(np.finfo(float).eps)
"""The change of a witness's data in their last digits: relative, or in radians."""
MARGIN = 5.0
"""The estimate in units of the distance of the witnesses, which are few and may agree by chance."""
LOST = 0.1
"""With an estimate above this, in radians or relative momentum, a motion is not known."""
GOOD = 1e-6
"""The largest estimate, in radians, of a good motion; see `Motion.horizon`."""
TURN = 0.5
"""Radians that a body turns in about one step."""
APART = 1.05
"""The ratio of successive times at which a run is compared with its witnesses."""
MOST_STEPS = 500_000
MOST_STEPS_IN_PYTHON = 20_000
"""The most steps of a run, compiled, and where each step calls Python."""
FORESEEN = 10_000
"""The steps after which a run ends at once if it would take four times the most."""
FIRST_BLOCK = 16
"""The rows after which the witnesses are compared for the first time; then it is twice as many."""
BLOCK_SECONDS = 0.04
"""About the longest time until the witnesses are compared again."""

Progress = Callable[[int, int], Any]
P = TypeVar("P", bound=AnyProblem)


class Estimate(NamedTuple):
    """A bound of a motion's error: the attitude in radians, the momentum relative to its
    largest.
    """

    attitude: float
    momentum: float


class Estimates(NamedTuple):
    """Bounds of a motion's errors at its times, (n,); infinite where it is not known."""

    attitude: Array
    momentum: Array

    @property
    def worst(self) -> Estimate:
        """The largest of each."""
        return Estimate(float(self.attitude.max()), float(self.momentum.max()))


class States:
    """States at times (n,), or one state, without the axis of n; a dataclass."""

    series: ClassVar[tuple[str, ...]]
    """The arrays that tell the motion."""
    t: Array
    how: str
    estimates: Any
    horizon: float

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """(n,) whether the motion is known at each time."""
        return np.isfinite(self.estimates.attitude)

    def known_part(self) -> Self:
        """The motion at the times at which it is known."""
        return self if self.is_known.all() else self.select(self.is_known)

    def select(self, at: Any) -> Self:
        """The motion at some of the times; of one number, that state."""
        some: dict[str, Any] = {name: getattr(self, name)[at] for name in ("t", *self.series)}
        some["estimates"] = type(self.estimates)(*(part[at] for part in self.estimates))
        return dataclasses.replace(self, **some)  # type: ignore[type-var]

    def __repr__(self) -> str:
        times = np.atleast_1d(self.t)
        span = (
            f"t = {times[0]:g}"
            if len(times) == 1
            else f"{len(times)} times from {times[0]:g} to {times[-1]:g}"
        )
        return f"<exact motion at {span}: {self.how}>"


def difference(
    R: Array, Pi: Array, R_: Array, Pi_: Array, largest: float | Array | None = None
) -> tuple[Array, Array]:
    """The difference of two motions at each time: the chord of the turn between them, in radians,
    and the momentum's.

    The momentum is relative to `largest`, by default the largest of the first motion.
    """
    if largest is None:
        largest = np.sqrt((Pi**2).sum(axis=-1).max(initial=0.0))
    away = np.sqrt(((Pi - Pi_) ** 2).sum(axis=-1))
    return np.sqrt(((R - R_) ** 2).sum(axis=(-2, -1)) / 2), away / np.where(
        largest == 0.0, 1.0, largest
    )


class Watch:
    """The caller of reference runs: it follows their progress, and may cancel them."""

    def __init__(self, cancel: threading.Event | None, progress: Progress | None) -> None:
        self.cancel = cancel
        self._progress = progress
        self._reported = 0

    def report(self, part: float) -> None:
        """Report the part done, in thousandths, which never falls."""
        self._reported = max(self._reported, ceil(1000 * part))
        if self._progress is not None:
            self._progress(self._reported, 1000)


def compute_reference(
    kind: type[Reference[P]], problem: P, t: Array, watch: Watch, doubt: float = 0.0
) -> tuple[dict[str, Array], Array, str]:
    """The series of a motion at times (n,), (2, n) their estimates, and their source in words.

    They are nan where the motion is not known. `doubt` is the relative uncertainty of the start.
    """
    if t.min() < 0.0:
        raise ValueError(
            f"{problem.label} has no closed solution, and its reference run begins at t = 0, not {show(t.min())}"
        )
    last = float(t.max())
    checks = _list_checks(problem, last)
    times, places = np.unique(np.append(t, checks), return_inverse=True)
    places, checked = places[: len(t)], places[len(t) :]
    run = kind(problem, last, watch, max(doubt / MARGIN, LAST_DIGIT))
    rows, off = run.follow(times, checked)
    known = places < len(rows)
    if last > 0.0 and not known[t > 0.0].any():
        raise ValueError(run.describe_end(float(times[len(rows) - 1])))
    found = {}
    for name in kind.series:
        values = run.find_series(rows, name)
        found[name] = np.full((len(t), *values.shape[1:]), np.nan)
        found[name][known] = values[places[known]]
    estimates = np.full((2, len(t)), np.inf)
    estimates[:, known] = off[:, places[known]]
    return (
        found,
        estimates,
        f"a reference run of {run.method.key} with rtol = {show(TOLERANCES[0])}",
    )


def describe_loss(body: AnyProblem, end: float) -> str:
    """A sentence: the motion is not known beyond a time."""
    return (
        f"beyond t = {show(end, 4)} the exact motion of {body.label} is not known: roundoff has grown to "
        f"{show(LOST)} rad. Choose a shorter duration"
    )


@functools.cache
def _with_tolerance(method: OwnSteps, rtol: float) -> OwnSteps:
    return method.with_options(rtol=rtol, atol=0.0)


def _list_checks(body: AnyProblem, last: float) -> Array:
    """The times from 0 to the last at which a run is compared with its witnesses."""
    first = min(body.dt, last)
    if first == 0.0:
        return np.zeros(1)
    return np.append(0.0, np.geomspace(first, last, ceil(log(last / first) / log(APART)) + 1))


class Reference(ABC, Generic[P]):
    """A reference run and its witnesses, under way."""

    series: ClassVar[tuple[str, ...]]
    """The series that tell the motion."""

    def __init__(self, problem: P, end: float, watch: Watch, doubt: float) -> None:
        self.method = self.choose_method(problem)
        self.problem = problem
        self._end = end
        self._watch = watch
        problems = (problem, self.perturb(problem, doubt), self.perturb(problem, -doubt))
        self.run, *self._witnesses = (
            Follower(one, _with_tolerance(self.method, rtol), end, watch.cancel)
            for one, rtol in zip(problems, TOLERANCES, strict=True)
        )
        self.find_series = self.run.find_series

    @staticmethod
    @abstractmethod
    def choose_method(problem: P) -> OwnSteps:
        """The method of the reference runs of a problem."""

    @classmethod
    def list_kernels(cls, problem: P, dt: float) -> list[Parts]:
        """The kernels that the runs compile."""
        system = SYSTEMS[problem.space]
        return system.list_kernels(problem, cls.choose_method(problem), dt, brief=True)

    @classmethod
    def estimate_effort(cls, problem: P, last: float) -> int:
        """About how many steps a run to a time takes, with its witnesses."""
        return len(TOLERANCES) * ceil(last * cls.estimate_rate(problem))

    @staticmethod
    @abstractmethod
    def estimate_rate(problem: P) -> float:
        """About how many steps the run takes in a unit of time."""

    @staticmethod
    @abstractmethod
    def perturb(problem: P, doubt: float) -> P:
        """The problem with its data changed by the doubt."""

    @abstractmethod
    def find_states(self, run: Follower, rows: Array) -> tuple[Array, Array]:
        """(k, n, 3, 3) the attitudes and (k, n, 3) the vectors of which the distances are measured,
        in rows of a run.
        """

    @abstractmethod
    def measure_drift(self, rows: Array) -> Array:
        """(n,) the relative change of what the motion conserves."""

    def follow(self, times: Array, checked: Integers) -> tuple[Array, Array]:
        """The rows at the times as far as the motion is known, and (2, n) their estimates; the
        witnesses are compared at the `checked` times.
        """
        rows = self.run.first[None]
        off = self._measure_distance(rows, [one.first[None] for one in self._witnesses])
        done, block = 1, FIRST_BLOCK
        while done < len(checked) and not self.run.failure:
            begun = time.perf_counter()
            here = checked[done : done + block]
            rows = np.concatenate([rows, self.run.follow(times[len(rows) : here[-1] + 1])])
            here = here[here < len(rows)]
            found = [one.follow(times[here]) for one in self._witnesses]
            off = np.append(off, self._measure_distance(rows[here], found), axis=1)
            if (off[0] > LOST / MARGIN).any():
                break
            self._check_effort(times[len(rows) - 1])
            done += len(here)
            self._watch.report(times[len(rows) - 1] / self._end)
            block = max(1, int(block * min(2.0, BLOCK_SECONDS / (time.perf_counter() - begun))))
        return self._estimate(rows, off, checked)

    def describe_end(self, t: float) -> str:
        """Why the motion is not known beyond a time, in a sentence."""
        if self.run.failure:
            return f"{self.problem.label} has no reference run beyond t = {show(t, 4)}: {self.run.failure}"
        return describe_loss(self.problem, t)

    def _check_effort(self, t: float) -> None:
        """Raise `ValueError` if the run, which has come to t, takes too many steps."""
        most = MOST_STEPS if self.run.compiled else MOST_STEPS_IN_PYTHON
        steps = self.run.steps
        if steps > most or (steps > FORESEEN and steps * self._end > 4 * most * t):
            raise ValueError(
                f"a reference run of {self.problem.label} to t = {show(self._end)} would take more than "
                f"{most:,} steps; ask for a shorter duration"
            )

    def _measure_distance(self, rows: Array, witnesses: list[Array]) -> Array:
        """(2, n) the largest distance of the witnesses, of the attitude and of the vectors; infinite
        where one has ended.
        """
        R, vectors = self.find_states(self.run, rows)
        off = np.zeros((2, len(rows)))
        for witness, theirs in zip(self._witnesses, witnesses, strict=True):
            n = min(len(rows), len(theirs))
            R_, vectors_ = self.find_states(witness, theirs[:n])
            apart = difference(R[:, :n], vectors[:, :n], R_, vectors_, 1.0)
            off[:, :n] = np.maximum(off[:, :n], [one.max(axis=0) for one in apart])
            off[:, n:] = np.inf
        return off

    def _estimate(self, rows: Array, off: Array, checked: Integers) -> tuple[Array, Array]:
        """The rows as far as the motion is known, and (2, n) their estimates: the distances at the
        next of the `checked` rows, or the drift.
        """
        checked = checked[: off.shape[1]]
        rows = rows[: checked[-1] + 1]
        largest = find_largest(self.find_states(self.run, rows)[1])
        off = (off / [[1.0], [largest]])[:, np.searchsorted(checked, np.arange(len(rows)))]
        off = np.maximum(off, self.measure_drift(rows))
        off = np.maximum(MARGIN * np.maximum.accumulate(off, axis=1), LAST_DIGIT)
        known = max(1, int(np.searchsorted(off.max(axis=0), LOST, side="right")))
        return rows[:known], off[:, :known]


def find_largest(vectors: Array) -> float:
    """The length of the longest vector; 1 if all are 0."""
    return float(np.sqrt((vectors**2).sum(axis=-1).max())) or 1.0


class BodyReference(Reference[Problem]):
    """That of one body: its distances are those of the attitude and of the body momentum."""

    series = ("R", "Omega")

    @staticmethod
    def choose_method(problem: Problem) -> OwnSteps:
        """TAYLOR, or RKMK853."""
        series = find_method(METHOD)
        compiled = compiles() and is_compiled(problem.torque, problem.acting_potential)
        fits = compiled and why_not(problem, series, problem.dt) is None
        return cast(OwnSteps, series if fits else find_method(WITHOUT_SERIES))

    @staticmethod
    def estimate_rate(problem: Problem) -> float:
        """The rate of the problem's own steps, or that at which the body turns."""
        return max(1.0 / problem.dt, float(np.linalg.norm(problem.Omega0)) / TURN)

    @staticmethod
    def perturb(problem: Problem, doubt: float) -> Problem:
        """The body with its data changed by the doubt: moments and velocity relatively, the attitude
        in radians.
        """
        stretched = 1 + doubt * np.array([0.5, -0.5, 0.25])
        return dataclasses.replace(
            problem,
            J=stretched[:, None] * problem.J * stretched,
            R0=turn_slightly(problem.R0, doubt),
            Omega0=stretch_slightly(problem.Omega0, doubt),
            Pi0=None,
            of_a_body=False,
        )

    def find_states(self, run: Follower, rows: Array) -> tuple[Array, Array]:
        """R, and Π."""
        Pi = run.find_series(rows, "Omega") @ self.problem.J
        return run.find_series(rows, "R")[None], Pi[None]

    def measure_drift(self, rows: Array) -> Array:
        """That of energy and π·e3, unless a custom torque acts, which may contradict its potential."""
        found = np.zeros(len(rows))
        kept = self.problem.invariants if self.problem.torque is None else ()
        Omega = self.find_series(rows, "Omega")
        Pi = Omega @ self.problem.J
        if "energy" in kept:
            energy = self.find_series(rows, "energy")
            found = measure_energy_drift(energy, (Omega * Pi).sum(axis=-1) / 2)
        if "pi_e3" in kept:
            momentum = self.find_series(rows, "pi")[:, 2]
            found = np.maximum(found, np.abs(momentum - momentum[0]) / find_largest(Pi))
        return found


def measure_energy_drift(energy: Array, kinetic: Array) -> Array:
    """(n,) the change of the energy, relative to the largest of its parts."""
    scale = float((2 * kinetic + np.abs(energy - kinetic)).max()) or 1.0
    return np.abs(energy - energy[0]) / scale


def turn_slightly(R: Array, doubt: float) -> Array:
    """An attitude turned about each axis by the doubt, in radians."""
    return R + doubt * R @ np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def stretch_slightly(v: Array, doubt: float) -> Array:
    """A vector with its components changed by the doubt."""
    return v * (1 + doubt * np.array([1.0, -1.0, 1.0]))
