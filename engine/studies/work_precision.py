"""What precision costs: the error at the end against seconds and torque evaluations, all methods taking turns."""

from __future__ import annotations

import math
import statistics
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..algorithms.method import Method, find_method
from ..charts import Axes, Axis, Chart, by_method
from ..exact import Cancelled
from ..onebody import Run
from ..problems.problem import Problem, find_problem
from ..provenance import machine
from ..wording import elapsed, short
from .convergence import ladder, steps_of_ladders
from .fitting import fitting
from .result import Result
from .study import DTS, DURATION, FEWER, REPETITIONS, SHORTER, narrowed, study
from .true_end import KINDS, TrueEnd
from .work import Progress, completed

if TYPE_CHECKING:
    import pandas as pd

AT_FIRST = 2
"""How often a run is made at most before it is timed."""
LONGEST_RUN = 0.05
"""Seconds: a method gets no smaller steps after one run that takes longer."""
TOLERANCES = tuple(10.0**-k for k in range(3, 13))
"""Of methods that choose their own steps."""
COSTS = ("seconds", "torque_evaluations", "steps")


@dataclass(frozen=True)
class TriedSetting:
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

    table = "tried", TriedSetting
    problem: Problem
    duration: float
    tried: tuple[TriedSetting, ...]
    floors: dict[str, float]
    repetitions: int
    machine: dict[str, Any]
    left_out: dict[str, str]
    finished: bool = True

    def of(self, method: str | Method) -> tuple[TriedSetting, ...]:
        """The rows of one method, the coarsest first."""
        label = find_method(method).label
        return tuple(row for row in self.tried if row.method == label)

    def cheapest(self, within: float, kind: str = "attitude", by: str = "seconds") -> tuple[TriedSetting, ...]:
        """For each method that gets within an error the cheapest row that does, as its finer rows do; best first.

        Nothing is interpolated: every row was run.
        """
        if kind not in KINDS or by not in COSTS:
            raise ValueError(f"kind is one of {', '.join(KINDS)}, by one of {', '.join(COSTS)}")
        found = []
        for method in self.methods:
            meets: list[TriedSetting] = []  # of those that were timed, if that is what is asked for
            for row in reversed(self.of(method)):
                if not getattr(row, kind) <= max(within, self.floors[kind]):
                    break
                if math.isfinite(getattr(row, by)):
                    meets.append(row)
            if meets:
                found.append(min(meets, key=lambda row: getattr(row, by)))
        return tuple(sorted(found, key=lambda row: getattr(row, by)))

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


def drawn(frame: pd.DataFrame) -> Chart:
    """Errors by what they cost."""
    error = Axis(KINDS["attitude"], log=True)
    forced = "torque_evaluations" in frame and (frame["torque_evaluations"] > 0).any()
    work, words = ("torque_evaluations", "torque evaluations") if forced else ("steps", "steps (there is no torque)")
    axes = [Axes(Axis("seconds in the kernel", log=True), error), Axes(Axis(words, log=True), error)]
    return by_method(frame, axes, [("seconds", "attitude"), (work, "attitude")])


@study(
    key="work-precision",
    title="Work and precision",
    sentence="The error at the end by what it costs: all methods take turns, each with ever smaller steps.",
    arguments=(DTS, DURATION, REPETITIONS),
    fields=(SHORTER, FEWER, narrowed(REPETITIONS, high=100)),
    example=("NMB", "AKW", "MR4", "PDMV", "RK-QUAT"),
    without="all that fit",
    told_by=("method", "setting"),
    steps=lambda problem, methods, values: (
        (AT_FIRST + values["repetitions"]) * steps_of_ladders(problem, methods, values)
    ),
    eager=False,
    chart=drawn,
    place=2,
)
def work_precision(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method] | None = None,
    dts: Sequence[float] | None = None,
    *,
    duration: float | None = None,
    repetitions: int = 5,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> WorkPrecision:
    """Time methods with ever smaller steps, and tell how far their ends are off the exact motion's.

    All runs take turns on one thread, so that a disturbance of the machine hits all alike; a method gets no smaller
    steps once a run takes longer than a twentieth of a second or its error is at roundoff. Methods that choose their
    steps get tolerances instead. Progress is told first while errors are measured, then in turns.
    """
    body = find_problem(problem)
    T = duration or body.duration
    chosen, left_out = fitting(body, methods)
    counts = ladder(body, T, dts)
    end = TrueEnd.of(body, T, T / counts[0], cancel)

    def run(m: Method, setting: float) -> Run:
        return run_to_end(body, m, setting, T, cancel)

    rows: list[dict[str, Any]] = []
    times: list[list[float]] = []
    total = sum(len(TOLERANCES) if m.adaptive else len(counts) for m in chosen) * (1 + repetitions)
    done = 0

    def told(row: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total, row)

    finished = True
    try:
        for m in chosen:
            settings = TOLERANCES if m.adaptive else [T / n for n in counts]
            for k, setting in enumerate(settings):
                made = run(m, setting)
                if made.cost.seconds > LONGEST_RUN:
                    made = run(m, setting)  # the first may have loaded or compiled something
                off = end.off(made)
                cost = {"steps": made.cost.steps, "torque_evaluations": made.cost.torque_evaluations}
                rows.append({"method": m.label, "setting": setting} | off | cost | {"status": made.status})
                times.append([])
                told(rows[-1])
                if made.cost.seconds > LONGEST_RUN or off["attitude"] <= end.floors["attitude"]:
                    total -= (len(settings) - 1 - k) * (1 + repetitions)
                    break
        for _ in range(repetitions):
            for row, taken in zip(rows, times, strict=True):
                taken.append(run(find_method(row["method"]), row["setting"]).cost.seconds)
                told(row | {"seconds": min(taken)})
    except Cancelled:
        finished = False
    tried = tuple(
        TriedSetting(
            **row, seconds=min(taken, default=math.nan), median=statistics.median(taken) if taken else math.nan
        )
        for row, taken in zip(rows, times, strict=True)
    )
    return WorkPrecision(body, T, tried, end.floors, repetitions, machine(), left_out, finished)


def run_to_end(body: Problem, m: Method, setting: float, duration: float, cancel: threading.Event | None) -> Run:
    """A run with a step that divides the duration, or with a tolerance if the method chooses its steps."""
    how = {"rtol": setting, "atol": setting, "duration": duration}
    if not m.adaptive:
        how = {"dt": setting, "steps": round(duration / setting)}
    run: Run = completed(body, m, samples=1, cancel=cancel, **how)
    return run
