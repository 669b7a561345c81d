"""How many steps a method needs to end within a given error, as in Buss's Figures 6 and 7."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algebra import Mat3, angle
from ..algorithms.method import Method, find_method
from ..charts import Axes, Axis, Chart, by_method
from ..exact import Cancelled
from ..problems.problem import Problem, find_problem
from ..spec import Numbers, OneOf, Parameter, Switch, Whole
from ..wording import listed, short
from .fitting import fitting, not_adaptive
from .result import Result
from .study import DURATION, SHORTER, narrowed, study
from .true_end import End, true_end
from .work import Progress, completed

if TYPE_CHECKING:
    import pandas as pd


PART_OF_ACCURACY = 0.01
"""How much of the accuracy asked for the true end may be off."""
RUNGS_AN_OCTAVE = 32
"""How many numbers of steps are tried between one and twice itself, to see whether the error stays small."""


RUNS_OF_A_SEARCH = 100
"""A search makes at most so many times the steps after which it gives up, and then finds that there are too few."""


def attitude_error(one: Any, other: Any) -> float:
    """The angle in radians between two attitudes."""
    return angle(Mat3(*(one.R.T @ other.R).ravel()))


def momentum_error(one: Any, other: Any) -> float:
    """The difference of two body momenta, relative to the second."""
    return float(np.linalg.norm(one.Pi - other.Pi) / (np.linalg.norm(other.Pi) or 1.0))


ERRORS = {"attitude": attitude_error, "momentum": momentum_error}
"""How an end may be compared with the true one."""
UNITS = {"attitude": "rad", "momentum": "of the momentum"}

Attempt = Callable[[int], tuple[float, int]]
"""The error at the end with so many steps, and the torque evaluations."""


def steps_needed(meets: Callable[[int], bool], first: int, most: int) -> int | None:
    """The least number from `first` on that meets a demand and after which, up to twice it, none fails that is tried.

    It is found by doubling and halving; then the numbers up to its double are tried on a ladder, all of them if they
    are few, and where one fails the search goes on above it. None if there is no such number up to `most`.
    """
    octaves = math.log2(most / first)
    rungs = sorted({round(first * 2 ** (k / RUNGS_AN_OCTAVE)) for k in range(int(RUNGS_AN_OCTAVE * octaves) + 1)})
    failing, passing = first - 1, first
    while True:
        while not meets(passing):
            if passing >= most:
                return None
            failing, passing = passing, min(2 * passing, most)
        while passing - failing > 1:
            middle = (failing + passing) // 2
            failing, passing = (failing, middle) if meets(middle) else (middle, passing)
        late = next((n for n in reversed(rungs) if passing < n <= 2 * passing and not meets(n)), None)
        if late is None:
            return passing
        failing, passing = late, next((n for n in rungs if n > late), most)


@dataclass(frozen=True)
class Needed:
    """What one method needs for one accuracy.

    Without `steps` it does not get there within those allowed, and the rest is of the largest number that was tried.
    """

    method: str
    accuracy: float
    steps: int | None
    dt: float
    rotation: float
    error: float
    torque_evaluations: int


@dataclass(frozen=True, eq=False, repr=False)
class StepsToAccuracy(Result):
    """How many steps methods need to end within an error.

    Attributes
    ----------
    problem, duration : what was simulated, and for how long.
    measured_by : "attitude", the angle to the true attitude in radians, or "momentum", relative, in the body's frame.
    most_steps : how many steps were tried at most.
    rows : for each method and accuracy the steps, the step, the mean rotation a step (rad), the error that is left
        and the torque evaluations; of those found, if it was cancelled.
    finished : False if it was cancelled.
    """

    table = "rows", Needed
    problem: Problem
    duration: float
    measured_by: str
    most_steps: int
    rows: tuple[Needed, ...]
    finished: bool = True

    def steps(self, method: str | Method, accuracy: float) -> int | None:
        """The steps that a method needs for an accuracy."""
        label = find_method(method).label
        return next(row.steps for row in self.rows if (row.method, row.accuracy) == (label, accuracy))

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each method and accuracy; no steps where it is not reached."""
        return super().to_frame().astype({"steps": "Int64", "torque_evaluations": "Int64"})

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        return " ".join(self._concluded(accuracy) for accuracy in dict.fromkeys(row.accuracy for row in self.rows))

    def _concluded(self, accuracy: float) -> str:
        rows = [row for row in self.rows if row.accuracy == accuracy]
        there = sorted((row for row in rows if row.steps is not None), key=lambda row: row.steps or 0)
        goal = f"within {short(accuracy)} {UNITS[self.measured_by]} of the true {self.measured_by}"
        goal += f" at t = {short(self.duration)}"
        if not there:
            return f"None of {len(rows)} methods ends {goal} in {self.most_steps} steps."
        best, last = there[0], there[-1]
        first = [row.method for row in there if row.steps == best.steps]
        text = f"To end {goal}, {listed(first)} need{'s' * (len(first) == 1)} the fewest steps, {best.steps}"
        text += f" ({short(math.degrees(best.rotation), 3)}° each)"
        if last.steps != best.steps:
            text += f", and {last.method} the most, {last.steps}"
        cheapest = min(there, key=lambda row: row.torque_evaluations)
        if cheapest.torque_evaluations < best.torque_evaluations:
            text += f"; {cheapest.method} the fewest torque evaluations, {cheapest.torque_evaluations}"
        missing = [row.method for row in rows if row.steps is None]
        return f"{text}; not in {self.most_steps:,}: {listed(missing)}." if missing else f"{text}."


WITHIN = Parameter(
    "within",
    Numbers(1e-15, math.pi),
    "the errors that are allowed, radians of attitude or relative momentum",
    label="Errors allowed",
)
ERROR = Parameter("error", OneOf(UNITS), "what the error is taken of", label="Error of")


def drawn(frame: pd.DataFrame) -> Chart:
    """How many steps are needed, and how far each of them turns the body."""
    allowed = Axis("error allowed", log=True)
    axes = [Axes(allowed, Axis(label, log=True)) for label in ("steps needed", "mean rotation in a step, degrees")]
    reached = frame[frame["steps"].notna()] if "steps" in frame else frame
    if "rotation" in reached:
        reached = reached.assign(degrees=np.degrees(reached["rotation"].astype(float)))
    return by_method(reached, axes, [("accuracy", "steps"), ("accuracy", "degrees")])


@study(
    key="steps-to-accuracy",
    title="Steps to an accuracy",
    sentence="How many steps methods need to end within an error, as in Buss's tables.",
    arguments=(
        WITHIN,
        DURATION,
        ERROR,
        Parameter("energy_correction", Switch(), "Buss's correction after each step, for all methods"),
        Parameter("most_steps", Whole(1, 100_000_000), "where to give up"),
    ),
    fields=(narrowed(WITHIN, (1e-2, 1e-4), low=1e-12, high=3.0), SHORTER, ERROR),
    told_by=("method", "accuracy"),
    unit="searches",
    steps=lambda problem, methods, values: (
        len(methods) * np.size(values["within"]) * (RUNS_OF_A_SEARCH + 1) * values["most_steps"]
    ),
    usually=lambda problem, methods, values: (
        len(methods) * np.size(values["within"]) * RUNS_OF_A_SEARCH * values["duration"] / problem.dt
    ),
    old_words={"accuracy": "within", "kind": "error"},
    chart=drawn,
    place=4,
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
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> StepsToAccuracy:
    """Find how many steps each method needs to end within each accuracy.

    The error is tested at the end only, against the exact motion. As errors need not fall with every
    step more, a number of steps counts only if the larger ones that are tried, up to twice it, do as well; the
    search begins where a step turns the body by half a turn on average. Each accuracy costs a method about a
    hundred times the steps found.

    Raises
    ------
    ValueError
        For a problem or method that is not known or do not fit, and for accuracies beyond the reference's.
    """
    body = find_problem(problem)
    chosen, _ = fitting(body, methods, not_adaptive)
    if energy_correction:
        corrected = [m if m.energy_correction else m.with_energy_correction() for m in chosen]
        chosen, _ = fitting(body, corrected)
    goals = np.atleast_1d(within).tolist()
    T, most = duration or body.duration, most_steps
    if not goals:
        raise ValueError("give at least one accuracy")
    rows: list[Needed] = []
    finished = True
    try:
        end = true_end(body, T, PART_OF_ACCURACY * min(goals), cancel)
        first = min(most, max(1, math.ceil(end.mean_speed * T / math.pi)))
        for m in chosen:
            allowed = RUNS_OF_A_SEARCH * len(goals) * most
            attempt = _attempts(body, m, T, end, ERRORS[error], most, allowed, cancel)
            for goal in goals:
                rows.append(_needed(m.label, goal, attempt, T, end.mean_speed, first, most))
                if progress is not None:
                    progress(len(rows), len(chosen) * len(goals), vars(rows[-1]))
    except Cancelled:
        finished = False
    return StepsToAccuracy(body, T, error, most, tuple(rows), finished)


def _needed(
    method: str, goal: float, attempt: Attempt, duration: float, mean_speed: float, first: int, most: int
) -> Needed:
    """What comes of one search."""
    steps = steps_needed(lambda n: attempt(n)[0] <= goal, first, most)
    error, evaluations = attempt(steps or most)
    dt = duration / (steps or most)
    return Needed(method, goal, steps, dt, mean_speed * dt, error, evaluations)


def _attempts(
    problem: Problem,
    method: Method,
    duration: float,
    end: End,
    error: Callable[[Any, Any], float],
    most: int,
    allowed: int,
    cancel: threading.Event | None,
) -> Attempt:
    """The error at the end with n steps, infinite where the run does not get there, and the torque evaluations.

    All runs have `allowed` steps together, besides the run with `most`; any more count as not getting there.
    """
    made = 0

    @functools.cache
    def attempt(n: int) -> tuple[float, int]:
        nonlocal made
        if n != most:
            if made + n > allowed:
                return math.inf, 0
            made += n
        run = completed(problem, method, dt=duration / n, steps=n, samples=1, cancel=cancel)
        left = error(End(run.R[-1], run.Pi[-1], math.nan), end) if run.status == "done" else math.inf
        return left, run.cost.torque_evaluations

    return attempt
