"""What becomes of the energy in a long run: running extremes, means of blocks, and a slope with its uncertainty."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.method import Method
from ..algorithms.method import find as find_method
from ..checks import number, whole_number
from ..onebody import Run, run_of
from ..plan import Plan
from ..problems.problem import Problem
from ..problems.problem import find as find_problem
from ..wording import short
from .convergence import of_fixed_step
from .measure import BLOCKS, NOTICEABLE, ROWS_A_BLOCK, Drift, drift_of
from .result import Result

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

STEPS = 1_000_000
MOST_STEPS = 2_000_000_000
FEWEST_STEPS = BLOCKS * ROWS_A_BLOCK


class Blocks(NamedTuple):
    """The energy in blocks of time, each (blocks,): their times, and mean, least and most of it, relative."""

    t: Array
    mean: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class LongRun:
    """The energy of one method over a long run, relative to that of the start.

    Attributes
    ----------
    method, steps, status : what was run, how many steps were made, and how it ended.
    t : (blocks,) times at the middle of blocks.
    mean, low, high : (blocks,) of the rows in each block.
    least, most : the extremes over every step.
    drift : the line through the means, with its uncertainty and a verdict in words.
    """

    method: str
    steps: int
    status: str
    t: Array
    mean: Array
    low: Array
    high: Array
    least: float
    most: float
    drift: Drift


@dataclass(frozen=True, eq=False, repr=False)
class LongRuns(Result):
    """The energy of methods over long runs; as far as they came, if it was cancelled."""

    problem: Problem
    dt: float
    steps: int
    runs: tuple[LongRun, ...]
    finished: bool = True

    def of(self, method: str | Method) -> LongRun:
        """The run of one method."""
        label = find_method(method).label
        return next(run for run in self.runs if run.method == label)

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each method and block."""
        import pandas as pd

        columns = ("t", "mean", "low", "high")
        frames = [
            pd.DataFrame({"method": run.method} | {name: getattr(run, name) for name in columns}) for run in self.runs
        ]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["method", *columns])

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        return " ".join(self._concluded(run) for run in self.runs)

    @staticmethod
    def _concluded(run: LongRun) -> str:
        text = f"{run.method} in {run.steps:,} steps: {run.drift.verdict}"
        worst = max(abs(run.least), abs(run.most))
        kept = (
            "the energy at roundoff"
            if worst <= NOTICEABLE
            else f"the energy from {short(run.least, 3)} to {short(run.most, 3)}"
        )
        if run.status == "cancelled":
            return f"{run.method} in the {run.steps:,} steps before it was stopped: {kept}."
        return f"{text}, {kept}." if run.status == "done" else f"{text}."


def long_run(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method],
    steps: float = STEPS,
    *,
    dt: float | None = None,
    progress: Callable[[int, int], Any] | None = None,
    found: Callable[[LongRun], Any] | None = None,
    along: Callable[[str, Blocks], Any] | None = None,
    cancel: threading.Event | None = None,
) -> LongRuns:
    """Run methods for very many steps, and see what the energy does; memory does not grow with the steps.

    Parameters
    ----------
    problem, methods : keys or aliases, or what `engine.problem` and `engine.algorithm` return.
    steps : how many, up to two thousand millions.
    dt : the step; the problem's own if it is not given.
    progress : called with (steps done, steps in all) of all methods together.
    found : called with what came of each method, as soon as it has run.
    along : called with a method's label and all of its blocks so far, while it runs, when there are new ones.
    cancel : an `engine.Cancellation` or `threading.Event`; what was run until then is returned.

    Raises
    ------
    ValueError
        For a problem or method that is not known or do not fit, and for a motion without an energy to be kept.
    """
    body = find_problem(problem)
    chosen = of_fixed_step(body, methods)
    n = whole_number(steps, "steps", FEWEST_STEPS, MOST_STEPS)
    h = number(body.dt if dt is None else dt, "dt", 1e-15, 1e15)
    if "energy" not in body.invariants:
        raise ValueError(f"the energy of {body.label} is not kept by the motion itself")
    runs: list[LongRun] = []
    for i, m in enumerate(chosen):

        def told(done: int, total: int, before: int = i * n) -> None:
            if progress is not None:
                progress(before + done, len(chosen) * n)

        every = n // FEWEST_STEPS
        seen = _Seen(m.label, h * every, n // every + 1, along)
        run = run_of(body, Plan(m, h, n, every, cancel=cancel, progress=told, seen=seen))
        cancelled = run.status == "cancelled"
        if run.cost.steps or not cancelled:
            runs.append(_of(run, n))
            if found is not None:
                found(runs[-1])
        if cancelled:
            return LongRuns(body, h, n, tuple(runs), finished=False)
    return LongRuns(body, h, n, tuple(runs))


class _Seen:
    """Tells a method's blocks while it runs; a row is kept each `apart` of time, so many in all."""

    def __init__(self, method: str, apart: float, rows: int, along: Callable[[str, Blocks], Any] | None) -> None:
        self._method, self._apart, self._each, self._along = method, apart, rows // BLOCKS, along
        self._told = 0

    def __call__(self, observed: dict[str, Array]) -> None:
        energy = observed["energy"]
        if self._along is not None and len(energy) // self._each > self._told:
            self._told = len(energy) // self._each
            times = np.multiply(np.arange(len(energy)), self._apart, dtype=float)
            self._along(self._method, blocks(energy, times, self._each))


def blocks(energy: Array, t: Array, each: int) -> Blocks:
    """What the energy did in blocks of so many rows, relative to that of the start."""
    whole = len(energy) // each
    start = float(energy[0])
    error, times = (x[: whole * each].reshape(whole, each) for x in ((energy - start) / (abs(start) or 1.0), t))
    return Blocks(times.mean(axis=1), error.mean(axis=1), error.min(axis=1), error.max(axis=1))


def _of(run: Run, steps: int) -> LongRun:
    """What a run's energy did, in blocks as long as those of a whole run."""
    start = float(run.energy[0])
    unit = abs(start) or 1.0
    each = len(run.energy) // BLOCKS if run.status == "done" else min(ROWS_A_BLOCK, len(run.energy))
    least, most, _ = run.extrema["energy"]
    return LongRun(
        method=run.method.label,
        steps=run.cost.steps,
        status=run.status,
        **blocks(run.energy, run.t, each)._asdict(),
        least=(least - start) / unit,
        most=(most - start) / unit,
        drift=drift_of(run, steps),
    )
