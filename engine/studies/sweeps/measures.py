"""What a sweep measures of each run: by name, or by a function of the caller's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ...cancelling import Cancelled, cancelled
from ...checks import Array
from ...exact import Motion, ends, ends_if_free
from ...exact.errors import length
from ...field import FREE
from ...names import unknown
from ...onebody.run import TRACKED_FORCED, TRACKED_FREE
from ...problems.problem import Problem
from ...run import AnyRun
from ..measure import deviation, line
from ..true_end import KINDS, LEAST, attitude_off, energy_error, momentum_off

ROWS = 2000
"""How many rows of a run are kept, evenly, where a measure looks at the motion."""
Of = Callable[[Any], float]
Key = TypeVar("Key")


@dataclass(frozen=True)
class Measure:
    """A number that is found of each run.

    Attributes
    ----------
    name : as it stands in the result.
    doc : what it is, in words.
    of : finds it; None for what a truth is needed (see `OfTheEnd`).
    unit : of the number; empty if it has none.
    rows : how many rows of the run it looks at.
    always : whether also a run that does not come to its end has it.
    in_lanes : whether kernels of many bodies side by side know it too.
    one_body : whether it is for one body only.
    """

    name: str
    doc: str
    of: Of | None
    unit: str = ""
    rows: int = 1
    always: bool = False
    in_lanes: bool = False
    one_body: bool = True


def _kept(name: str) -> Measure:
    """The largest deviation of an invariant."""
    return Measure(name, f"largest deviation of {name} over every step, relative", lambda run: deviation(run, name))


def _drift(run: Any) -> float:
    """The slope of a line through the energies of the kept rows."""
    energy = (run.energy - run.energy[0]) / (abs(float(run.energy[0])) or 1.0)
    return line(energy)[0] / (run.every * run.dt) if len(energy) > 2 else np.nan


def _crossings(run: Any) -> Any:
    """The times at which the body's rotation about its intermediate axis changes sign."""
    _, axes = run.problem.principal
    spin = run.Omega @ axes[:, 1]
    at = np.flatnonzero(np.signbit(spin[1:]) != np.signbit(spin[:-1]))
    share = spin[at] / (spin[at] - spin[at + 1])
    return run.t[at] + share * (run.t[at + 1] - run.t[at])


def _period(run: Any) -> float:
    """Twice the mean time between crossings; Ω about the intermediate axis changes sign twice a period."""
    times = _crossings(run)
    return 2.0 * float(np.diff(times).mean()) if len(times) > 2 else np.nan


MEASURES = {
    one.name: one
    for one in (
        Measure("energy", KINDS["energy"], energy_error, in_lanes=True, one_body=False),
        Measure("attitude", KINDS["attitude"], None, "rad", in_lanes=True),
        Measure("momentum", KINDS["momentum"], None, in_lanes=True),
        *map(_kept, dict.fromkeys(("pi", "orthogonality", *TRACKED_FREE, *TRACKED_FORCED))),
        Measure("drift", "slope of the energy through the run, relative", _drift, "1/time", ROWS, one_body=False),
        Measure("steps", "steps that were made", lambda run: run.cost.steps, always=True, in_lanes=True,
                one_body=False),
        Measure("torques", "evaluations of the torque or gravity", lambda run: run.cost.torque_evaluations,
                always=True, one_body=False),
        Measure("iterations", "iterations of Newton's method", lambda run: run.cost.newton_iterations, always=True,
                one_body=False),
        Measure("seconds", "time in the kernel", lambda run: run.cost.seconds, "s", always=True, one_body=False),
        Measure("period", "time in which the rotation about the intermediate axis changes sign twice", _period,
                "time", ROWS),
        Measure("flips", "how often the rotation about the intermediate axis changed sign",
                lambda run: len(_crossings(run)), rows=ROWS),
        Measure("cos_tilt", "cosine of the angle from the vertical to the body's third axis at the end",
                lambda run: float(run.motion["R"][-1, 2, 2]), in_lanes=True),
    )
}  # fmt: skip
BY_TRUTH = tuple(name for name, one in MEASURES.items() if one.of is None)
"""What is measured against the exact motion: attitude and momentum at the end."""
MOST_BODIES = 1000
"""With their starts, of which exact motions are asked."""


def measures_of(measure: Any, problem: Any) -> tuple[Measure, ...]:
    """The measures that are meant, by names or functions; refused if one is not known or twice there."""
    given = list(measure) if isinstance(measure, list | tuple) else [measure]
    if not given:
        raise ValueError(f"say what to measure: {', '.join(MEASURES)}, or a function of a run")
    found = tuple(_measure(one, problem) for one in given)
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is measured twice")
    return found


def _measure(given: Any, problem: Any) -> Measure:
    if not isinstance(given, str):
        if not callable(given):
            raise ValueError(f"a measure is a name or a function of a run; got {given!r}")
        name = getattr(given, "__name__", type(given).__name__)
        if name in (*MEASURES, "status", "<lambda>") or not name.isidentifier():
            raise ValueError(f"a function that measures needs a name of its own (def name(run)); this is {name!r}")
        doc = (getattr(given, "__doc__", None) or f"{name} of the run").strip().splitlines()[0]
        return Measure(name, doc, given, rows=ROWS, one_body=False)
    here = MEASURES | {integral.key: _kept(integral.key) for integral in problem.integrals}
    if given not in here:
        raise unknown("measure", given, here, here)
    one = here[given]
    free = problem.space == "so3" and problem.action(problem.dt).field is FREE and problem.torque is None
    if given in set(TRACKED_FORCED) - set(TRACKED_FREE) and free:
        raise ValueError(f"{given} is watched where a torque acts, and {problem.key} is free")
    if one.one_body and problem.space != "so3":
        there = ", ".join(m.name for m in MEASURES.values() if not m.one_body)
        raise ValueError(f"{given} is measured of one body; of two there are {there}")
    return one


class OfTheEnd:
    """How far bodies are off at their end; what exact motions from the same start share is worked out once."""

    def __init__(self, cancel: threading.Event | None = None) -> None:
        self._cancel = cancel
        self._bodies: dict[tuple[Problem, bytes, bytes], Problem] = {}

    def _body(self, problem: Problem, R0: Array, Omega0: Array) -> Problem:
        """The problem with this start, the same one whenever it is asked for."""
        key = problem, R0.tobytes(), Omega0.tobytes()
        found = self._bodies.get(key)
        if found is None:
            if len(self._bodies) > MOST_BODIES:
                self._bodies.clear()
            own = np.array_equal(R0, problem.R0) and np.array_equal(Omega0, problem.Omega0)
            found = self._bodies[key] = problem if own else problem.replace(R0=R0, Omega0=Omega0)
        return found

    def off(
        self, starts: Sequence[tuple[Problem, Array, Array]], t: Array, dts: Array, R: Array, pi: Array
    ) -> dict[str, Array]:
        """Of bodies that came after times t, with steps dt, to R (n, 3, 3) and π (n, 3): what `BY_TRUTH` measures.

        `starts` are the problem, R0 and Omega0 of each. Nan where the true end is not known.
        """
        found = {kind: np.full(len(t), np.nan) for kind in BY_TRUTH}
        orthogonality = np.linalg.norm(R.swapaxes(1, 2) @ R - np.eye(3), axis=(1, 2))
        for at, end in self._ends(starts, t, dts):
            floors = [np.maximum(LEAST, estimate) for estimate in end.estimates]
            first = [problem.J @ Omega0 for problem, _, Omega0 in (starts[i] for i in at)]
            largest = np.maximum(length(end.Pi), length(np.array(first)))
            attitude = attitude_off(R[at], orthogonality[at], end.R, floors[0])
            momentum = momentum_off(pi[at], end.pi, largest, floors[1])
            for kind, off in zip(BY_TRUTH, (attitude, momentum), strict=True):
                found[kind][at] = np.where(end.known, off, np.nan)
        return found

    def _ends(
        self, starts: Sequence[tuple[Problem, Array, Array]], t: Array, dts: Array
    ) -> Iterator[tuple[list[int], Motion]]:
        """The exact motions, of a free body from all its starts at once, each with the numbers of those it is of."""
        for (problem, _), of in _alike(
            (problem, problem.action(dt)) for (problem, *_), dt in zip(starts, dts, strict=True)
        ):
            R0, Omega0 = (np.array([starts[i][k] for i in of]) for k in (1, 2))
            if cancelled(self._cancel):  # a formula is not cancelled
                raise Cancelled
            free = ends_if_free(problem, R0, Omega0, t[of], dts[of[0]])
            if free is not None:
                yield of, free
                continue
            for body, which in _alike(self._body(*starts[i]) for i in of):
                at = [of[i] for i in which]
                yield at, ends(body, t[at], dts[at[0]], self._cancel)


def _alike(keys: Iterable[Key]) -> list[tuple[Key, list[int]]]:
    """Each key with where it stands."""
    found: dict[Key, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return list(found.items())


def measured(measures: Sequence[Measure], run: AnyRun, problem: Any, end: OfTheEnd) -> list[float]:
    """What is found of a run of a problem, perhaps from another start; NaN where it did not come to its end."""
    done = run.status == "done"
    truly: dict[str, Array] = {}
    start: Any = run.problem
    if done and any(one.of is None for one in measures):
        dt = np.array([run.dt])
        truly = end.off([(problem, start.R0, start.Omega0)], run.steps * dt, dt, run.R[-1:], run.pi[-1:])
    return [
        float(one.of(run) if one.of is not None else truly[one.name][0]) if done or one.always else np.nan
        for one in measures
    ]
