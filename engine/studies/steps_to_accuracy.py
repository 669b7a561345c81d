"""Steps to an accuracy: the fewest steps with which a method ends within an error, as in Buss's
Figures 6 and 7.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from ..algebra import Mat3, angle
from ..algorithms.core.method import Method
from ..exact import Cancelled
from ..parameters.parameter import Numbers, OneOf, Parameter, Switch, Whole
from ..problems.problem import Problem, find_problem
from ..text.formatting import join_words, show
from .core import Executor, ExecutorOptions, StudyResult, find_smallest, fitting, not_adaptive
from .core.charts import Axes, Axis, Chart, Frame, draw_by_method
from .core.errors_at_end import SAMPLES, End, find_exact_end, loses_phase
from .core.study import DURATION, SHORTER, narrow, study

STILL = 1e-9
"""Degrees of a step that are roundoff."""
PART_OF_ACCURACY = 0.01
"""The largest error of the reference, as a part of the accuracy."""
RUNS_OF_A_SEARCH = 100
"""The most steps of a search, in units of the number at which it gives up."""


def attitude_error(one: Any, other: Any) -> float:
    """Return the angle in radians between two attitudes."""
    return angle(Mat3(*(one.R.T @ other.R).ravel()))


def momentum_error(one: Any, other: Any) -> float:
    """Return the difference of two body momenta, relative to the second."""
    return float(np.linalg.norm(one.Pi - other.Pi) / (np.linalg.norm(other.Pi) or 1.0))


ERRORS = {"attitude": attitude_error, "momentum": momentum_error}
"""How to compare an end with the exact one."""
GOALS = {
    "attitude": "an attitude error of {} rad",
    "momentum": "a relative momentum error of {}",
}

Attempt = Callable[[int], tuple[float, int, bool]]
"""The error at the end, the torque evaluations, and whether the phase is lost, for a number of
steps.
"""


@dataclass(frozen=True)
class Needed:
    """The steps that one method needs for one accuracy.

    If the allowed steps do not suffice, `steps` is None, and the rest is of the largest number
    tried. `least` is the least error of all numbers tried that keep the phase. `by_chance` is the
    largest number of steps that ends within the accuracy although the phase is lost; None if there
    is none.
    """

    method: str
    accuracy: float
    steps: int | None
    dt: float
    rotation: float
    error: float
    torque_evaluations: int
    least: float
    by_chance: int | None = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StepsToAccuracy(StudyResult):
    """The fewest steps with which methods end within an error.

    Attributes
    ----------
    duration : of each run.
    measured_by : "attitude", the angle to the exact attitude in radians, or "momentum", relative, in
        the body's frame.
    most_steps : the largest number of steps to try.
    rows : for each method and accuracy the steps, the step, the mean rotation a step (rad), the
        error at the end and the torque evaluations.
    """

    table = "rows", Needed
    duration: float
    measured_by: str
    most_steps: int
    rows: tuple[Needed, ...]

    def steps(self, method: str | Method, accuracy: float) -> int | None:
        """Return the steps that a method needs for an accuracy."""
        row: Needed = next(row for row in self.of(method) if row.accuracy == accuracy)
        return row.steps

    def to_frame(self) -> Frame:
        """Return a pandas table; a method without enough steps has none."""
        return (
            super()
            .to_frame()
            .astype(dict.fromkeys(("steps", "torque_evaluations", "by_chance"), "Int64"))
        )

    @property
    def conclusion(self) -> str:
        """For each accuracy the methods with the fewest and the most steps."""
        return " ".join(
            self._compare(accuracy) for accuracy in dict.fromkeys(row.accuracy for row in self.rows)
        )

    def _compare(self, accuracy: float) -> str:
        rows = [row for row in self.rows if row.accuracy == accuracy]
        there = sorted(
            (row for row in rows if row.steps is not None), key=lambda row: row.steps or 0
        )
        goal = GOALS[self.measured_by].format(show(accuracy))
        chance = [
            f"{self.names[row.method]} ends within it by chance with {row.by_chance:,} steps: "
            "it loses phase before."
            for row in rows
            if row.by_chance is not None
        ]
        if not there:
            best = min(rows, key=lambda row: row.least)
            text = [f"No method reaches {goal} in {self.most_steps:,} steps."]
            if math.isfinite(best.least):
                text.append(f"{self.names[best.method]} comes nearest, with {show(best.least, 2)}.")
            return " ".join([*text, *chance])
        best = there[0]
        last = there[-1]
        rotation = math.degrees(best.rotation)
        text = [f"{self._need(there, 'steps', best)} the fewest steps for {goal}: {best.steps:,}."]
        text += [f"Each turns the body by {show(rotation, 2)}°."] if rotation > STILL else []
        if last.steps != best.steps:
            text.append(f"{self._need(there, 'steps', last)} the most: {last.steps:,}.")
        cheapest = min(there, key=lambda row: row.torque_evaluations)
        if cheapest.torque_evaluations < best.torque_evaluations:
            who = self._need(there, "torque_evaluations", cheapest)
            text.append(f"{who} the fewest torque evaluations: {cheapest.torque_evaluations:,}.")
        missing = [self.names[row.method] for row in rows if row.steps is None]
        if missing:
            do = "does" if len(missing) == 1 else "do"
            text.append(f"{join_words(missing)} {do} not reach it in {self.most_steps:,} steps.")
        return " ".join([*text, *chance])

    def _need(self, rows: Sequence[Needed], name: str, of: Needed) -> str:
        """Name the methods that need as many as one row, with the verb."""
        who = [self.names[row.method] for row in rows if getattr(row, name) == getattr(of, name)]
        return f"{join_words(who)} need{'s' * (len(who) == 1)}"

    @staticmethod
    def draw_chart(frame: Frame) -> Chart:
        """Draw the steps needed, and how far each of them turns the body."""
        allowed = Axis("error allowed", log=True)
        axes = [
            Axes(allowed, Axis(label, log=True))
            for label in ("steps needed", "mean rotation in a step, degrees")
        ]
        reached = frame[frame["steps"].notna()] if "steps" in frame else frame
        if "rotation" in reached:
            reached = reached.assign(degrees=np.degrees(reached["rotation"].astype(float)))
        return draw_by_method(
            reached, [(axes[0], "accuracy", "steps"), (axes[1], "accuracy", "degrees")]
        )


WITHIN = Parameter(
    "within",
    Numbers(1e-15, math.pi),
    "the errors allowed, in radians of attitude or relative momentum",
    label="Errors allowed",
)
ERROR = Parameter(
    "error",
    OneOf(GOALS),
    "whether to measure the error of the attitude or of the momentum",
    label="Error of",
)
CORRECTION = Parameter(
    "energy_correction", Switch(), "Buss's energy correction after each step, for all methods"
)
MOST_STEPS = Parameter("most_steps", Whole(1, 100_000_000), "the largest number of steps to try")


@study(
    key="steps-to-accuracy",
    title="Steps to an accuracy",
    sentence="The fewest steps that each method needs for a given error, as in Buss's tables.",
    row_keys=("method", "accuracy"),
    unit="searches",
    old_words={"accuracy": "within", "kind": "error"},
    place=5,
    arguments=(WITHIN, DURATION, ERROR, CORRECTION, MOST_STEPS),
    fields=(narrow(WITHIN, (1e-2, 1e-4), low=1e-12, high=3.0), SHORTER, ERROR),
    steps=lambda problem, methods, values: (
        len(methods) * np.size(values["within"]) * (RUNS_OF_A_SEARCH + 1) * values["most_steps"]
    ),
    usually=lambda problem, methods, values: (
        len(methods)
        * np.size(values["within"])
        * RUNS_OF_A_SEARCH
        * values["duration"]
        / problem.dt
    ),
)
def steps_to_accuracy(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method],
    within: float | Sequence[float] = 1e-3,
    *,
    duration: float | None = None,
    energy_correction: bool = False,
    error: str = "attitude",
    most_steps: int = 200_000,
    **options: Unpack[ExecutorOptions],
) -> StepsToAccuracy:
    """Find the fewest steps with which each method ends within each accuracy.

    The study compares the end with that of the exact motion. An attitude near the exact one by
    chance, after its phase was lost, does not count. As errors need not fall with every step more,
    a number of steps counts only if the larger ones that are tried, up to twice it, meet the
    accuracy as well; the search begins where a step turns the body by half a turn on average. Each
    accuracy costs a method about a hundred times the steps found.

    Raises
    ------
    ValueError
        For a problem or a method that is unknown or does not fit, and for accuracies beyond the
        reference's.
    """
    body = find_problem(problem, Problem)
    executor = replace(Executor(**options), workers=1)
    chosen, _ = fitting(body, methods, not_adaptive)
    if energy_correction:
        corrected = [m if m.energy_correction else m.with_energy_correction() for m in chosen]
        chosen, _ = fitting(body, corrected)
    goals = np.atleast_1d(within).tolist()
    T = duration or body.duration
    if not goals:
        raise ValueError("give at least one accuracy")
    allowed = RUNS_OF_A_SEARCH * len(goals) * most_steps
    try:
        end = find_exact_end(
            body, T, PART_OF_ACCURACY * min(goals), executor.cancel, momentum=False
        )
    except Cancelled:
        chosen = []
    attempts = functools.cache(
        lambda m: _attempts(executor, body, m, T, (end, error), most_steps, allowed)
    )

    def search(part: tuple[Method, float]) -> dict[str, Any]:
        m, goal = part
        first = min(most_steps, max(1, math.ceil(end.mean_speed * T / math.pi)))
        lucky = [0]
        kept = [math.inf]

        def meets(n: int) -> bool:
            off, _, lost = attempts(m)(n)
            kept.append(math.inf if lost else off)
            lucky.append(n if lost and off <= goal else 0)
            return off <= goal and not lost

        steps = find_smallest(meets, first, most_steps)
        dt = T / (steps or most_steps)
        found = attempts(m)(steps or most_steps)[:2]
        return vars(
            Needed(
                m.given_name,
                goal,
                steps,
                dt,
                end.mean_speed * dt,
                *found,
                min(kept),
                max(lucky) or None,
            )
        )

    rows, finished = executor.carry_out([(m, goal) for m in chosen for goal in goals], search)
    return StepsToAccuracy(
        problem=body,
        duration=T,
        measured_by=error,
        most_steps=most_steps,
        rows=tuple(Needed(**row) for row in rows),
        finished=finished and bool(chosen),
    )


def _attempts(
    executor: Executor,
    problem: Problem,
    method: Method,
    duration: float,
    goal: tuple[End, str],
    most: int,
    allowed: int,
) -> Attempt:
    """Return a function that runs a method once with each number of steps, and measures the error
    of its end.

    All runs together may make `allowed` steps, besides the run with the most; any more count as not
    reaching the end.
    """
    end, kind = goal
    made = 0

    @functools.cache
    def attempt(n: int) -> tuple[float, int, bool]:
        nonlocal made
        if n != most:
            if made + n > allowed:
                return math.inf, 0, False
            made += n
        run = executor.simulate(problem, method, dt=duration / n, steps=n, samples=SAMPLES)
        last = End(run.R[-1], run.Pi[-1], math.nan)
        error = ERRORS[kind](last, end) if run.status == "done" else math.inf
        return (
            error,
            run.cost.torque_evaluations,
            kind == "attitude" and loses_phase(run, end.motion),
        )

    return attempt
