"""Measures of a run in a sweep, by name or by a custom function."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from ...exact.errors import error as compare
from ...exact.errors import length, list_flips
from ...exact.motion import Motion, exact, find_ends, find_free_ends
from ...kernels import Cancelled, is_cancelled
from ...parameters.names import unknown_name
from ...parameters.validation import Array
from ...problems.field import FREE
from ...problems.mass_properties import rank_moments
from ...problems.problem import AnyProblem, Problem
from ...quantities import CONSERVED, Quantity, all_quantities, middle_axis_angle
from ...quantities.quantity import SERIES
from ...simulation import TRACKED_FORCED, TRACKED_FREE, AnyRun, Run
from ...simulation.sensitivity import fast_lyapunov_indicator
from ...text import SPACES
from ...text.formatting import join_words
from ..core.errors_at_end import KINDS, LEAST, attitude_errors, energy_error, momentum_errors
from ..core.measurements import deviation, line

ROWS = 2000
"""Rows of a run, evenly spaced, for measures of the motion."""
NO_SPIN = 1e-12
"""A rotation about an axis by less than this part of |Ω| is roundoff, and its sign means nothing."""
Of = Callable[[Any], float]
Key = TypeVar("Key")


OF_BODIES = tuple(space for space in SPACES if "energy" in SERIES[space])
"""The spaces whose motions have an energy."""
OF_ALL = tuple(SPACES)


@dataclass(frozen=True)
class Measure:
    """A number of each run.

    Attributes
    ----------
    name : in the result.
    doc : what it is, in words.
    of : computes it; None for errors against the exact motion (see `EndErrors`).
    unit : of the number; empty if it has none.
    rows : how many rows of the run it needs.
    always : whether a run that does not reach its end has it too.
    in_lanes : whether kernels of many bodies side by side compute it too.
    spaces : the spaces whose runs have it.
    """

    name: str
    doc: str
    of: Of | None
    unit: str = ""
    rows: int = 1
    always: bool = False
    in_lanes: bool = False
    spaces: tuple[str, ...] = (Problem.space,)


def _deviation_of(name: str) -> Measure:
    """Return the measure of an invariant's largest deviation."""
    scale = (
        "the initial length of π"
        if name.startswith("pi")
        else "its start, or to 1 if that is smaller"
    )
    relative = "" if name == "orthogonality" else f", relative to {scale}"
    return Measure(
        name,
        f"largest deviation of {name} over every step{relative}",
        lambda run: deviation(run, name),
    )


def _measure_of(quantity: Quantity) -> Measure:
    """Return the measure of a quantity of plots: its largest magnitude, or an error at the end."""
    if quantity.against_exact:
        doc = f"{quantity.symbol}, at the end"
        return Measure(quantity.key, doc, partial(_at_end, quantity), spaces=(quantity.space,))

    def find_largest(run: Any) -> float:
        return float(np.fmax.reduce(np.abs(quantity.values(run))))

    doc = f"largest magnitude of {quantity.symbol} in the rows of the run"
    return Measure(quantity.key, doc, find_largest, rows=ROWS, spaces=(quantity.space,))


def _at_end(quantity: Quantity, run: Any) -> float:
    """Return the magnitude of an error against the exact motion at the end of a run."""
    motion = exact(run.problem, run.t[-1:], dt=run.dt)
    return abs(float(compare(run, motion).known_values(quantity)[-1]))


def _drift(run: Any) -> float:
    """Return the slope of a line through the energies of the rows."""
    energy = (run.energy - run.energy[0]) / (abs(float(run.energy[0])) or 1.0)
    return line(energy)[0] / (run.every * run.dt) if len(energy) > 2 else np.nan


def _crossings(run: Any) -> Array | None:
    """Return the times at which the rotation about the intermediate axis changes sign; None if two
    moments are equal, since the body has no such axis.
    """
    moments, axes = run.problem.principal
    ranks = rank_moments(moments)
    if "middle" not in ranks:
        return None
    spin = run.Omega @ axes[:, ranks.index("middle")]
    turning = np.abs(spin) > NO_SPIN * np.linalg.norm(run.Omega, axis=1)
    t = run.t[turning]
    spin = spin[turning]
    at = np.flatnonzero(np.signbit(spin[1:]) != np.signbit(spin[:-1]))
    share = spin[at] / (spin[at] - spin[at + 1])
    times: Array = t[at] + share * (t[at + 1] - t[at])
    return times


def _count_flips(run: Any) -> float:
    """Return how often a body flips, by the rule of the lab; NaN if it has no middle axis."""
    if "middle" not in rank_moments(run.problem.principal[0]):
        return np.nan
    return len(list_flips(middle_axis_angle.values(run)))


def _period(run: Any) -> float:
    """Return twice the mean time between crossings; Ω about the intermediate axis changes sign
    twice a period.
    """
    times = _crossings(run)
    return np.nan if times is None or len(times) <= 2 else 2.0 * float(np.diff(times).mean())


def _tilt(run: Any) -> float:
    return float(run.R[-1, 2] @ run.problem.action(run.dt).axis)


MEASURES = {
    one.name: one
    for one in (
        Measure("energy", KINDS["energy"], energy_error, in_lanes=True, spaces=OF_BODIES),
        Measure("attitude", KINDS["attitude"], None, "rad", in_lanes=True),
        Measure("momentum", KINDS["momentum"], None, in_lanes=True),
        *map(_deviation_of, dict.fromkeys(("pi", "orthogonality", *TRACKED_FREE, *TRACKED_FORCED))),
        Measure("drift", "slope of the energy through the run, relative", _drift, "1/time", ROWS, spaces=OF_BODIES),
        Measure("steps", "steps that were made", lambda run: run.cost.steps, always=True, in_lanes=True,
                spaces=OF_ALL),
        Measure("torques", "evaluations of the torque or gravity", lambda run: run.cost.torque_evaluations,
                always=True, spaces=OF_ALL),
        Measure("iterations", "iterations of Newton's method", lambda run: run.cost.newton_iterations, always=True,
                spaces=OF_ALL),
        Measure("seconds", "time in the kernel", lambda run: run.cost.seconds, "s", always=True, spaces=OF_ALL),
        Measure("period", "time in which the rotation about the intermediate axis changes sign twice", _period,
                "time", ROWS),
        Measure("flips", "how often the body flips: the angle of Π to its middle axis goes from at most 60° to at "
                "least 120°, or back", _count_flips, rows=ROWS),
        Measure("fli", "fast Lyapunov indicator, the largest logarithm of the growth of a deviation",
                fast_lyapunov_indicator),
        Measure("cos_tilt", "cosine of the final angle from the vertical to the axis through a top's centre of "
                "mass; of another body, to its third axis", _tilt, in_lanes=True),
    )
}  # fmt: skip
BY_EXACT_MOTION = tuple(name for name, one in MEASURES.items() if one.of is None)
"""Measures against the exact motion: attitude and momentum at the end."""
MOST_BODIES = 1000
"""The most bodies with initial states that are kept for exact motions."""


def list_measures(space: str) -> dict[str, Measure]:
    """Return the measures of a space that a map offers, by name; the first is the usual one."""
    found = {
        name: one
        for name, one in MEASURES.items()
        if space in one.spaces
        and (name != "seconds")
        and (name not in TRACKED_FORCED or name in TRACKED_FREE)
    }
    if space == Problem.space:
        return found
    of_plots = (_measure_of(one) for one in all_quantities(space) if CONSERVED in one.groups)
    return {one.name: one for one in of_plots} | found


def choose_measure(problem: AnyProblem) -> str:
    """Return the usual measure of a problem: the energy, or the attitude with given rates."""
    return next(iter(list_measures(problem.space)))


def find_measures(measure: Any, problem: Any) -> tuple[Measure, ...]:
    """Return the measures of these names or functions; `ValueError` if one is unknown or given
    twice.
    """
    given = list(measure) if isinstance(measure, list | tuple) else [measure]
    if not given:
        raise ValueError(f"say what to measure: {', '.join(MEASURES)}, or a function of a run")
    found = tuple(_find_measure(one, problem) for one in given)
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is measured twice")
    return found


def _find_measure(given: Any, problem: Any) -> Measure:
    if not isinstance(given, str):
        if not callable(given):
            raise ValueError(f"a measure is a name or a function of a run; got {given!r}")
        name = getattr(given, "__name__", type(given).__name__)
        if name in (*MEASURES, "status", "<lambda>") or not name.isidentifier():
            raise ValueError(
                f"a function that measures needs a name of its own (def name(run)); this is {name!r}"
            )
        doc = (getattr(given, "__doc__", None) or f"{name} of the run").strip().splitlines()[0]
        return Measure(name, doc, given, rows=ROWS, spaces=OF_ALL)
    one = MEASURES.get(given)
    if one is None or problem.space not in one.spaces:
        one = _find_of_problem(given, problem)
    free = (
        problem.space == Problem.space
        and problem.action(problem.dt).field is FREE
        and problem.torque is None
    )
    if given in set(TRACKED_FORCED) - set(TRACKED_FREE) and free:
        raise ValueError(f"{given} is measured only where a torque acts, and {problem.key} is free")
    return one


def _find_of_problem(name: str, problem: Any) -> Measure:
    """Return the measure of an integral of the problem, or of a quantity of plots."""
    here = {one.key: _measure_of(one) for one in all_quantities(problem.space)}
    here |= {integral.key: _deviation_of(integral.key) for integral in problem.integrals}
    if name in here:
        return here[name]
    names = here | {key: one for key, one in MEASURES.items() if problem.space in one.spaces}
    if name not in MEASURES:
        raise unknown_name("measure", name, names, names)
    moves = join_words([SPACES[space].moves for space in MEASURES[name].spaces])
    raise ValueError(
        f"{name} is measured of {moves}; of {SPACES[problem.space].moves} there are {', '.join(names)}"
    )


class EndErrors:
    """The errors of bodies at their end; exact motions from one initial state share their work."""

    def __init__(self, cancel: threading.Event | None) -> None:
        self._cancel = cancel
        self._bodies: dict[tuple[Problem, bytes, bytes], Problem] = {}

    def _body(self, problem: Problem, R0: Array, Omega0: Array) -> Problem:
        """Return the problem with this initial state, each time the same one."""
        key = problem, R0.tobytes(), Omega0.tobytes()
        found = self._bodies.get(key)
        if found is None:
            if len(self._bodies) > MOST_BODIES:
                self._bodies.clear()
            own = np.array_equal(R0, problem.R0) and np.array_equal(Omega0, problem.Omega0)
            found = self._bodies[key] = problem if own else problem.replace(R0=R0, Omega0=Omega0)
        return found

    def errors(
        self,
        starts: Sequence[tuple[Problem, Array, Array]],
        t: Array,
        dts: Array,
        R: Array,
        pi: Array,
    ) -> dict[str, Array]:
        """Return the errors of R (n, 3, 3) and π (n, 3) at times t, by the names of `BY_EXACT_MOTION`.

        `starts` are the problem, R0 and Omega0 of each body, `dts` its step. NaN where the exact end
        is unknown.
        """
        found = {kind: np.full(len(t), np.nan) for kind in BY_EXACT_MOTION}
        for at, end in self._ends(starts, t, dts):
            floors = [np.maximum(LEAST, estimate) for estimate in end.estimates]
            first = [problem.J @ Omega0 for problem, _, Omega0 in (starts[i] for i in at)]
            largest = np.maximum(length(end.Pi), length(np.array(first)))
            attitude = attitude_errors(R[at], end.R, floors[0])
            momentum = momentum_errors(pi[at], end.pi, largest, floors[1])
            for kind, error in zip(BY_EXACT_MOTION, (attitude, momentum), strict=True):
                found[kind][at] = np.where(end.is_known, error, np.nan)
        return found

    def _ends(
        self, starts: Sequence[tuple[Problem, Array, Array]], t: Array, dts: Array
    ) -> Iterator[tuple[list[int], Motion]]:
        """Yield exact motions with the numbers of their bodies; those of a free body from all its
        starts at once.
        """
        for (problem, _), of in _alike(
            (problem, problem.action(dt)) for (problem, *_), dt in zip(starts, dts, strict=True)
        ):
            R0, Omega0 = (np.array([starts[i][k] for i in of]) for k in (1, 2))
            if is_cancelled(self._cancel):  # a formula does not look
                raise Cancelled
            free = find_free_ends(problem, R0, Omega0, t[of], dts[of[0]])
            if free is not None:
                yield of, free
                continue
            for body, which in _alike(self._body(*starts[i]) for i in of):
                at = [of[i] for i in which]
                yield at, find_ends(body, t[at], dts[at[0]], self._cancel)


def _alike(keys: Iterable[Key]) -> list[tuple[Key, list[int]]]:
    """Return each key with its places."""
    found: dict[Key, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return list(found.items())


def evaluate(measures: Sequence[Measure], run: AnyRun, problem: Any, end: EndErrors) -> list[float]:
    """Return the measures of a run of a problem, perhaps from another start; NaN if it did not
    reach its end.
    """
    done = run.status == "done"
    truly: dict[str, Array] = {}
    if done and any(one.of is None for one in measures):
        dt = np.array([run.dt])
        last = cast(Run, run)
        start = last.problem
        truly = end.errors(
            [(problem, start.R0, start.Omega0)], run.steps * dt, dt, last.R[-1:], last.pi[-1:]
        )
    return [
        float(one.of(run) if one.of is not None else truly[one.name][0])
        if done or one.always
        else np.nan
        for one in measures
    ]
