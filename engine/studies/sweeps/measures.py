"""What a sweep measures of each run: by name, or by a function of the caller's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...field import FREE
from ...names import unknown
from ...onebody.run import TRACKED_FORCED, TRACKED_FREE
from ...run import AnyRun
from ..measure import deviation, line
from ..true_end import KINDS, TrueEnd, energy_error

ROWS = 2000
"""How many rows of a run are kept, evenly, where a measure looks at the motion."""
Of = Callable[[Any], float]


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
        Measure("attitude", KINDS["attitude"], None, "rad"),
        Measure("momentum", KINDS["momentum"], None),
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
                lambda run: float(run.motion["R"][-1, 2, 2])),
    )
}  # fmt: skip


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
    if given not in MEASURES:
        raise unknown("measure", given, MEASURES, MEASURES)
    one = MEASURES[given]
    free = problem.space == "so3" and problem.action(problem.dt).field is FREE and problem.torque is None
    if given in set(TRACKED_FORCED) - set(TRACKED_FREE) and free:
        raise ValueError(f"{given} is watched where a torque acts, and {problem.key} is free")
    if one.one_body and problem.space != "so3":
        there = ", ".join(m.name for m in MEASURES.values() if not m.one_body)
        raise ValueError(f"{given} is measured of one body; of two there are {there}")
    return one


class OfTheEnd:
    """How far runs are off at their end, against motions that are computed once for each start and duration."""

    def __init__(self, cancel: threading.Event | None = None) -> None:
        self._cancel = cancel
        self._known: tuple[Any, TrueEnd | None] = (None, None)

    def off(self, run: Any) -> dict[str, float]:
        """By the kinds of `true_end.KINDS`; NaN where the true end is not known."""
        duration, problem = run.steps * run.dt, run.problem
        key = (duration, problem.J.tobytes(), problem.R0.tobytes(), problem.Omega0.tobytes(), dict(problem.values),
               problem.torque, problem.action(run.dt).numbers)  # fmt: skip
        if key != self._known[0]:
            try:
                self._known = key, TrueEnd.of(problem, duration, run.dt, self._cancel)
            except ValueError:
                self._known = key, None
        end = self._known[1]
        return dict.fromkeys(KINDS, np.nan) if end is None else end.off(run)


def measured(measures: Sequence[Measure], run: AnyRun, end: OfTheEnd) -> list[float]:
    """What is found of a run; NaN where it did not come to its end."""
    done = run.status == "done"
    truly = end.off(run) if done and any(one.of is None for one in measures) else {}
    return [
        float(one.of(run) if one.of is not None else truly[one.name]) if done or one.always else np.nan
        for one in measures
    ]
