"""What precision costs: the error at the end against seconds and torque evaluations, all methods taking turns."""

from __future__ import annotations

import math
import statistics
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..algorithms.method import Method, registered
from ..algorithms.method import find as find_method
from ..checks import number, whole_number
from ..onebody import Run, misfit
from ..problems.problem import LONGEST, Problem
from ..problems.problem import find as find_problem
from ..provenance import machine
from ..simulate import simulate
from ..wording import elapsed, short
from .convergence import ladder
from .result import Result
from .true_end import KINDS, TrueEnd
from .work import Progress

if TYPE_CHECKING:
    import pandas as pd

REPETITIONS = 5
LONGEST_RUN = 0.05
"""Seconds: a method gets no smaller steps after one run that takes longer."""
TOLERANCES = tuple(10.0**-k for k in range(3, 13))
"""Of methods that choose their own steps."""
COSTS = ("seconds", "torque_evaluations", "steps")


@dataclass(frozen=True)
class Tried:
    """One setting of one method: how far its end is off, and what it took.

    `setting` is the step, or the tolerance `rtol` of a method that chooses its steps; `seconds` is the least time in
    the kernel of all repetitions, `median` their median.
    """

    method: str
    setting: float
    steps: int
    attitude: float
    momentum: float
    energy: float
    torque_evaluations: int
    seconds: float
    median: float
    status: str


@dataclass(frozen=True, eq=False, repr=False)
class WorkPrecision(Result):
    """The errors of methods at the end of a run, and what they cost.

    Attributes
    ----------
    problem, duration : what was simulated, and for how long.
    tried : a row for each method and step or tolerance.
    floors : errors below which runs are not told apart.
    repetitions : how often each was timed, in turn with all others, after one run to warm up.
    machine : processor, system and versions.
    left_out : methods that do not fit the problem, with the reason.
    finished : False if it was cancelled; then what was tried is timed less often, or not all was tried.
    """

    problem: Problem
    duration: float
    tried: tuple[Tried, ...]
    floors: dict[str, float]
    repetitions: int
    machine: dict[str, Any]
    left_out: dict[str, str]
    finished: bool = True

    @property
    def methods(self) -> tuple[str, ...]:
        """The labels of the methods."""
        return tuple(dict.fromkeys(row.method for row in self.tried))

    def of(self, method: str | Method) -> tuple[Tried, ...]:
        """The rows of one method, the coarsest first."""
        label = find_method(method).label
        return tuple(row for row in self.tried if row.method == label)

    def cheapest(self, within: float, kind: str = "attitude", by: str = "seconds") -> tuple[Tried, ...]:
        """For each method that gets within an error the cheapest row that does, as its finer rows do; best first.

        Nothing is interpolated: every row was run.
        """
        if kind not in KINDS or by not in COSTS:
            raise ValueError(f"kind is one of {', '.join(KINDS)}, by one of {', '.join(COSTS)}")
        found = []
        for method in self.methods:
            meets: list[Tried] = []  # of those that were timed, if that is what is asked for
            for row in reversed(self.of(method)):
                if not getattr(row, kind) <= max(within, self.floors[kind]):
                    break
                if math.isfinite(getattr(row, by)):
                    meets.append(row)
            if meets:
                found.append(min(meets, key=lambda row: getattr(row, by)))
        return tuple(sorted(found, key=lambda row: getattr(row, by)))

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each method and setting."""
        import pandas as pd

        return pd.DataFrame([vars(row) for row in self.tried], columns=list(Tried.__dataclass_fields__))

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        said = []
        for within in (1e-3, 1e-6, 1e-9):
            ranked = self.cheapest(within)
            if ranked:
                first, *others = ranked
                text = f"Within {short(within)} rad {first.method} is the fastest, {elapsed(first.seconds)}"
                if others:
                    text += f", then {others[0].method}, {elapsed(others[0].seconds)}"
                frugal = self.cheapest(within, by="torque_evaluations")[0]
                if self.problem.torque is not None and frugal.method != first.method:
                    text += f"; {frugal.method} asks for the torque least often, {frugal.torque_evaluations:,} times"
                said.append(f"{text}.")
        if not said and not any(math.isfinite(row.seconds) for row in self.tried):
            return "No run was timed."
        return " ".join(said) or "No method gets within 0.001 rad with the steps that were tried."


def work_precision(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method] | None = None,
    dts: Sequence[float] | None = None,
    *,
    duration: float | None = None,
    repetitions: int = REPETITIONS,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> WorkPrecision:
    """Time methods with ever smaller steps, and tell how far their ends are off the exact motion's.

    All runs take turns on one thread, so that a disturbance of the machine hits all alike; a method gets no smaller
    steps once a run takes longer than a twentieth of a second or its error is at roundoff.

    Parameters
    ----------
    problem : a key or alias, or what `engine.problem` returns.
    methods : keys or aliases, or what `engine.algorithm` returns; by default all that fit the problem.
    dts : the steps; each is made a little smaller if it does not divide the duration. By default eleven, each half of
        the one before, from twice the problem's own. Methods that choose their steps get tolerances instead.
    duration : how long to run; the problem's own if it is not given.
    repetitions : how often each is timed.
    progress : called with (runs done, runs in all, the newest row), first while errors are measured, then in turns.
    cancel : an `engine.Cancellation` or `threading.Event`; what was measured until then is returned.
    """
    body = find_problem(problem)
    T = number(body.duration if duration is None else duration, "duration", 1e-15, LONGEST)
    turns = whole_number(repetitions, "repetitions", 1, 1000)
    chosen, left_out = that_fit(body, methods)
    counts = ladder(body, T, dts)
    end = TrueEnd.of(body, T, T / counts[0], cancel)

    def run(m: Method, setting: float) -> Run:
        return run_to_end(body, m, setting, T, cancel)

    rows: list[dict[str, Any]] = []
    total = sum(len(TOLERANCES) if m.adaptive else len(counts) for m in chosen) * (1 + turns)
    done, finished = 0, True
    for m in chosen:
        settings = TOLERANCES if m.adaptive else [T / n for n in counts]
        for k, setting in enumerate(settings):
            made = run(m, setting)
            if made.cost.seconds > LONGEST_RUN:
                made = run(m, setting)  # the first may have loaded or compiled something
            if made.status == "cancelled":
                finished = False
                break
            off = end.off(made)
            cost = {"steps": made.cost.steps, "torque_evaluations": made.cost.torque_evaluations}
            rows.append({"method": m.label, "setting": setting} | off | cost | {"status": made.status})
            done += 1
            if progress is not None:
                progress(done, total, rows[-1])
            if made.cost.seconds > LONGEST_RUN or off["attitude"] <= end.floors["attitude"]:
                total -= (len(settings) - 1 - k) * (1 + turns)
                break
        if not finished:
            break
    times: list[list[float]] = [[] for _ in rows]
    for _ in range(turns if finished else 0):
        for row, taken in zip(rows, times, strict=True):
            made = run(find_method(row["method"]), row["setting"])
            if made.status == "cancelled":
                finished = False
                break
            taken.append(made.cost.seconds)
            done += 1
            if progress is not None:
                progress(done, total, row | {"seconds": min(taken)})
        if not finished:
            break
    tried = tuple(
        Tried(**row, seconds=min(taken, default=math.nan), median=statistics.median(taken) if taken else math.nan)
        for row, taken in zip(rows, times, strict=True)
    )
    return WorkPrecision(body, T, tried, end.floors, turns, machine(), left_out, finished)


def that_fit(
    body: Problem, methods: str | Method | Sequence[str | Method] | None
) -> tuple[list[Method], dict[str, str]]:
    """The methods that are meant, all but the exact motion if none is said, and why some of all do not fit."""
    given = [methods] if isinstance(methods, str | Method) else methods
    chosen = (
        [m for m in registered() if m.key != "EXACT"]
        if given is None
        else [find_method(m, space="so3") for m in given]
    )
    field = body.action(body.dt).field
    left_out = {m.label: reason for m in chosen if (reason := misfit(m, field)) is not None}
    if given is not None and left_out:
        raise ValueError(next(iter(left_out.values())))
    chosen = [m for m in chosen if m.label not in left_out]
    if not chosen:
        raise ValueError("give at least one method")
    return chosen, left_out


def run_to_end(body: Problem, m: Method, setting: float, duration: float, cancel: threading.Event | None) -> Run:
    """A run with a step that divides the duration, or with a tolerance if the method chooses its steps."""
    if m.adaptive:
        return simulate(body, m, rtol=setting, atol=setting, duration=duration, samples=1, cancel=cancel)
    return simulate(body, m, dt=setting, steps=round(duration / setting), samples=1, cancel=cancel)
