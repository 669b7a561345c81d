"""Work and precision: the error at the end against seconds and torque evaluations, all methods in
turn.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Unpack

from ..algorithms.core.method import Method, find_method
from ..exact import Cancelled
from ..exact.errors import describe_lost_phase
from ..problems.given_rates.given import GivenRates
from ..problems.problem import Problem, find_problem
from ..simulation import AnyRun, describe_machine
from ..text import SPACES
from ..text.formatting import format_count, format_seconds, show
from .convergence import ladder, steps_of_ladders
from .core import (
    KINDS,
    SAMPLES,
    Executor,
    ExecutorOptions,
    TrueEnd,
    Turning,
    find_roundoff,
    fitting,
)
from .core.charts import Axes, Axis, Chart, Frame, draw_by_method
from .core.errors_at_end import OF_TURNING, ErrorsAtEnd
from .core.study import DTS, DURATION, FEWER, REPETITIONS, SHORTER, narrow, study

AT_FIRST = 2
"""How often a method is run before it is timed."""
LONGEST_RUN = 0.05
"""Seconds: after a step for which runs take longer, a method gets no smaller steps."""
TOLERANCES = tuple(10.0**-k for k in range(3, 13))
"""The tolerances of methods that choose their own steps."""
COSTS = ("seconds", "torque_evaluations", "steps")


@dataclass(frozen=True)
class TriedSetting:
    """One setting of one method: its errors at the end, and its cost. If the phase is lost,
    `attitude` is infinite.

    `setting` is the step, or both tolerances, `rtol` and `atol`, of a method that chooses its steps; `seconds` is
    the least time in the kernel of all repetitions, `median` their median.
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class WorkPrecision(ErrorsAtEnd):
    """The errors of methods at the end of a run, and their cost.

    Attributes
    ----------
    duration : of each run.
    tried : a row for each method and step or tolerance, the coarsest first.
    repetitions : how often each was timed, in turn with all others, after one run to warm up. A
        cancelled study timed them less often, or did not try all.
    machine : processor, system and versions.
    """

    table = "tried", TriedSetting
    duration: float
    tried: tuple[TriedSetting, ...]
    repetitions: int
    machine: dict[str, Any]

    def cheapest(
        self, within: float, kind: str = "attitude", by: str = "seconds"
    ) -> tuple[TriedSetting, ...]:
        """Return for each method the cheapest row within an error, if its finer rows are too, down
        to where its error stops falling; the best first.

        Nothing is interpolated: every row was run.
        """
        if kind not in self.floors or by not in COSTS:
            kinds = ", ".join(self.floors)
            raise ValueError(f"kind is one of {kinds}, by one of {', '.join(COSTS)}")
        found = []
        for method in self.methods:
            rows = self.of(method)
            errors = [getattr(row, kind) for row in rows]
            errors = [math.inf if math.isnan(error) else error for error in errors]
            end = find_roundoff([row.setting for row in rows], errors, self.floors[kind])
            meets: list[TriedSetting] = []
            for row, error in zip(reversed(rows), reversed(errors), strict=True):
                if error > max(within, self.floors[kind]):
                    if end is None or row.setting > end[0]:
                        break
                    meets = []
                elif math.isfinite(getattr(row, by)):
                    meets.append(row)
            if meets:
                found.append(min(meets, key=lambda row: getattr(row, by)))
        return tuple(sorted(found, key=lambda row: getattr(row, by)))

    @property
    def conclusion(self) -> str:
        """The fastest methods within three errors."""
        errors: dict[str, float] = {}
        for within in (1e-3, 1e-6, 1e-9):
            if fastest := self._describe_fastest(within):
                errors.pop(fastest, None)  # true of the larger error too
                errors[fastest] = within
        said = [fastest.format(show(within)) for fastest, within in errors.items()]
        if not said and not any(math.isfinite(row.seconds) for row in self.tried):
            return "No run was timed."
        who = "No method reaches"
        if len(self.methods) == 1:
            who = f"{self.names[self.methods[0]]} does not reach"
        said = said or [f"{who} an error of 0.001 rad with these steps."]
        lost = dict.fromkeys(
            self.names[row.method] for row in self.tried if row.attitude == math.inf
        )
        return " ".join([*said, describe_lost_phase([*lost], " with large steps")]).strip()

    def _describe_fastest(self, within: float) -> str:
        """Say which methods are the fastest to an error, which stands for {}; empty if none
        reaches it.
        """
        ranked = self.cheapest(within)
        if not ranked:
            return ""
        first, *others = ranked
        name = self.names[first.method]
        seconds = format_seconds(first.seconds, 2)
        if not others:
            only = "Only " if len(self.methods) > 1 else ""
            return f"{only}{name} reaches an error of {{}} rad, in {seconds}."
        second = others[0]
        text = f"{name} is the fastest to an error of {{}} rad: {seconds}."
        text += f" {self.names[second.method]} is next: {format_seconds(second.seconds, 2)}."
        frugal = self.cheapest(within, by="torque_evaluations")[0]
        if frugal.torque_evaluations < first.torque_evaluations:
            times = format_count(frugal.torque_evaluations, "time")
            what = SPACES[self.problem.space].evaluates
            text += f" {self.names[frugal.method]} evaluates the {what} least often: {times}."
        return text

    @staticmethod
    def draw_chart(frame: Frame) -> Chart:
        """Draw the errors by their cost."""
        error = Axis(KINDS["attitude"], log=True)
        forced = "torque_evaluations" in frame and (frame["torque_evaluations"] > 0).any()
        work, words = (
            ("torque_evaluations", "evaluations of the torque or rate")
            if forced
            else ("steps", "steps (no torque)")
        )
        columns = (("seconds", "seconds in the kernel"), (work, words))
        return draw_by_method(
            frame,
            [
                (Axes(Axis(of, log=True), error, f"Error by {of}"), name, "attitude")
                for name, of in columns
            ],
        )


@study(
    key="work-precision",
    title="Work and precision",
    sentence="The error at the end by what it costs: all methods take turns, each with ever "
    "smaller steps.",
    example=("NMB", "AKW", "MR4", "PDMV", "RK-QUAT", "RKMK853", "TAYLOR"),
    without="all that fit",
    row_keys=("method", "setting"),
    place=2,
    spaces=OF_TURNING,
    arguments=(DTS, DURATION, REPETITIONS),
    fields=(SHORTER, FEWER, narrow(REPETITIONS, high=100)),
    steps=lambda problem, methods, values: (
        (AT_FIRST + values["repetitions"]) * steps_of_ladders(problem, methods, values)
    ),
)
def work_precision(
    problem: str | Turning,
    methods: str | Method | Sequence[str | Method] | None = None,
    dts: Sequence[float] | None = None,
    *,
    duration: float | None = None,
    repetitions: int = 5,
    **options: Unpack[ExecutorOptions],
) -> WorkPrecision:
    """Time methods with ever smaller steps, and compare their ends with that of the exact motion.

    All runs take turns on one thread, so that a disturbance of the machine affects all alike. A
    method gets no smaller steps once its runs take longer than a twentieth of a second or its error
    is at roundoff. Methods that choose their steps get tolerances instead. Progress counts runs,
    first those that measure errors, then the turns.
    """
    body = find_problem(problem, Problem, GivenRates)
    executor = Executor(**options)
    T = duration or body.duration
    chosen, left_out = fitting(body, methods)
    counts = ladder(body, T, dts)
    end = TrueEnd.of(body, T, T / counts[0], executor.cancel)
    settings = [(m, TOLERANCES if m.adaptive else [T / n for n in counts]) for m in chosen]
    total = sum(len(given) for _, given in settings) * (1 + repetitions)
    done = 0
    finished = False
    rows: list[dict[str, Any]] = []
    times: list[list[float]] = []

    def report(row: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        executor.report(done, total, row)

    with suppress(Cancelled):
        for m, given in settings:
            before = len(rows)
            for row in _measure_errors(body, m, given, T, end, executor):
                rows.append(row)
                times.append([])
                report(row)
            total -= (len(given) - len(rows) + before) * (1 + repetitions)
        for _ in range(repetitions):
            for row, seconds in zip(rows, times, strict=True):
                method = find_method(row["method"], space=body.space)
                run = run_to_end(body, method, row["setting"], T, executor)
                seconds.append(run.cost.seconds)
                report(row | {"seconds": min(seconds)})
        finished = True
    tried = (
        TriedSetting(
            **(end.unknown | row),
            seconds=min(taken, default=math.nan),
            median=statistics.median(taken or [math.nan]),
        )
        for row, taken in zip(rows, times, strict=True)
    )
    return WorkPrecision(
        problem=body,
        duration=T,
        tried=tuple(tried),
        floors=end.floors,
        repetitions=repetitions,
        machine=describe_machine(),
        left_out=left_out,
        finished=finished,
    )


def _measure_errors(
    body: Turning,
    m: Method,
    settings: Sequence[float],
    duration: float,
    end: TrueEnd,
    executor: Executor,
) -> Iterator[dict[str, Any]]:
    """Yield the errors of a method with ever smaller steps, while these are quick and reduce the
    error.
    """
    for setting in settings:
        judged = run_to_end(body, m, setting, duration, executor, SAMPLES)
        run = run_to_end(body, m, setting, duration, executor)
        errors = end.judge(judged)
        cost = run.cost
        counts = {"steps": cost.steps, "torque_evaluations": cost.torque_evaluations}
        yield (
            {"method": m.given_name, "setting": setting} | errors | counts | {"status": run.status}
        )
        # The machine may have disturbed one of the runs.
        seconds = min(judged.cost.seconds, cost.seconds)
        if seconds > LONGEST_RUN or errors["attitude"] <= end.floors["attitude"]:
            break


def run_to_end(
    body: Turning, m: Method, setting: float, duration: float, executor: Executor, samples: int = 1
) -> AnyRun:
    """Run with a step that divides the duration, or with a tolerance if the method chooses its
    steps.
    """
    if m.adaptive:
        how = {"rtol": setting, "atol": setting, "duration": duration}
        return executor.simulate(body, m, samples=samples, **how)
    steps = round(duration / setting)
    every = max(1, steps // samples)
    return executor.simulate(body.at_step(setting), m, dt=setting, steps=steps, every=every)
