"""What becomes of the energy in a long run: running extremes, means of blocks, and a slope with its uncertainty."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..algorithms.method import Method, find_method
from ..charts import Axes, Axis, Chart, by_method
from ..checks import Array
from ..onebody import Run, run_of
from ..plan import Plan
from ..problems.problem import Problem, find_problem
from ..spec import OneOf, Parameter, Whole
from ..wording import short
from .fitting import fitting, not_adaptive
from .measure import BLOCKS, NOTICEABLE, ROWS_A_BLOCK, Drift, drift_of
from .result import Result
from .study import DT, narrowed, study
from .work import Progress

if TYPE_CHECKING:
    import pandas as pd


FEWEST_STEPS = BLOCKS * ROWS_A_BLOCK
STEPS = Parameter("steps", Whole(FEWEST_STEPS, 2_000_000_000), "how many of each method", label="Steps")
QUANTITY = Parameter(
    "quantity",
    OneOf({"energy": "energy", "integral": "integral"}, {"integral": "the further integral"}),
    "what is looked at: the energy, or the further integral of a problem that has one",
    "energy",
    label="What is looked at",
)


class Blocks(NamedTuple):
    """A number in blocks of time, each (blocks,): their times, and mean, least and most of it, relative."""

    t: Array
    mean: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class LongRun:
    """The energy of one method over a long run, or a further integral, relative to that of the start.

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
    """The energy of methods over long runs, or a further integral; as far as they came, if it was cancelled."""

    problem: Problem
    dt: float
    steps: int
    runs: tuple[LongRun, ...]
    finished: bool = True
    what: str = "the energy"

    def of(self, method: str | Method) -> LongRun:
        """The run of one method."""
        label = find_method(method).label
        return next(run for run in self.runs if run.method == label)

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each method and block."""
        import pandas as pd

        frames = [
            pd.DataFrame({"method": run.method} | {name: getattr(run, name) for name in Blocks._fields})
            for run in self.runs
        ]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["method", *Blocks._fields])

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        return " ".join(self._concluded(run) for run in self.runs)

    def _concluded(self, run: LongRun) -> str:
        text = f"{run.method} in {run.steps:,} steps: {run.drift.verdict}"
        worst = max(abs(run.least), abs(run.most))
        kept = (
            f"{self.what} at roundoff"
            if worst <= NOTICEABLE
            else f"{self.what} from {short(run.least, 3)} to {short(run.most, 3)}"
        )
        if run.status == "cancelled":
            return f"{run.method} in the {run.steps:,} steps before it was stopped: {kept}."
        return f"{text}, {kept}." if run.status == "done" else f"{text}."


def drawn(frame: pd.DataFrame) -> Chart:
    """The energy's means over blocks, and between which bounds it swings in them."""
    axes = Axes(Axis("t"), Axis("error, relative: mean, least and most of blocks"))
    parts = [by_method(frame, [axes], [("t", column)]) for column in ("mean", "low", "high")]
    return Chart((axes,), tuple(curve for part in parts for curve in part.curves))


@study(
    key="long-run",
    title="Long run",
    sentence="What becomes of the energy, or of a further integral, in very many steps: whether it drifts, and "
    "between which bounds it swings.",
    arguments=(STEPS, DT, QUANTITY),
    fields=(narrowed(STEPS, high=1_000_000_000), narrowed(DT, high=1e7), QUANTITY),
    example=("MR2",),
    told_by=("method", "t"),
    unit="steps",
    steps=lambda problem, methods, values: len(methods) * values["steps"],
    old_words={"dts": "dt"},
    chart=drawn,
    classes=(LongRun,),
    place=3,
)
def long_run(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method],
    steps: float = 1_000_000,
    *,
    dt: float | None = None,
    quantity: str = "energy",
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> LongRuns:
    """Run methods for very many steps, and see what the energy does, or the problem's further integral.

    Memory does not grow with the steps. Progress counts the steps of all methods together, and rows are those of
    blocks of time.

    Raises
    ------
    ValueError
        For a problem or method that is not known or do not fit, and for a motion without an energy to be kept, or
        without a further integral.
    """
    body = find_problem(problem)
    chosen, _ = fitting(body, methods, not_adaptive)
    n, h = int(steps), dt or body.dt
    name, what = watched(body, QUANTITY.checked(quantity))
    every, runs = n // FEWEST_STEPS, list[LongRun]()
    rows = -(-n // every) + 1
    each = rows // BLOCKS
    count = rows // each
    for i, m in enumerate(chosen):
        told = _Told(m.label, i * n, len(chosen) * n, progress)

        def seen(observed: dict[str, Array], told: _Told = told) -> None:
            whole = min(len(observed[name]) // each, count - 1)  # the last one comes with the end
            if whole > told.blocks:
                times = h * every * np.arange(whole * each, dtype=float)
                told.rows(blocks(observed[name][: whole * each], times, each))

        run = run_of(body, Plan(m, h, n, every, cancel=cancel, progress=told.steps, seen=seen))
        cancelled = run.status == "cancelled"
        if run.cost.steps or not cancelled:
            runs.append(_of(run, n, name, each))
            told.rows(Blocks(*(getattr(runs[-1], part) for part in Blocks._fields)))
        if cancelled:
            return LongRuns(body, h, n, tuple(runs), finished=False, what=what)
    return LongRuns(body, h, n, tuple(runs), what=what)


def watched(body: Problem, quantity: str) -> tuple[str, str]:
    """The name in a run of what is looked at, and in words; refused if the motion does not keep it."""
    if quantity == "energy":
        if "energy" not in body.invariants:
            raise ValueError(f"the energy of {body.label} is not kept by the motion itself")
        return "energy", "the energy"
    for one in body.integrals:
        if one.key in body.invariants:
            return one.key, one.name
    raise ValueError(f"the motion of {body.label} keeps no further integral, from this start at least")


class _Told:
    """Tells of one method's steps, and of its blocks, each once; so many steps were made by others before."""

    def __init__(self, method: str, before: int, total: int, progress: Progress | None) -> None:
        self._method, self._before, self._total = method, before, total
        self._progress = progress or (lambda done, total, row=None: None)
        self._done = before
        self.blocks = 0

    def steps(self, done: int, _: int) -> None:
        """So many of this method's."""
        self._done = self._before + done
        self._progress(self._done, self._total)

    def rows(self, found: Blocks) -> None:
        """What is new of all blocks so far."""
        for block in list(zip(*found, strict=True))[self.blocks :]:
            row = {"method": self._method} | dict(zip(Blocks._fields, map(float, block), strict=True))
            self._progress(self._done, self._total, row)
        self.blocks = len(found.t)


def blocks(values: Array, t: Array, each: int) -> Blocks:
    """What a number did in blocks of so many rows, relative to that of the start."""
    whole = len(values) // each
    start = float(values[0])
    error, times = (x[: whole * each].reshape(whole, each) for x in ((values - start) / (abs(start) or 1.0), t))
    return Blocks(times.mean(axis=1), error.mean(axis=1), error.min(axis=1), error.max(axis=1))


def _of(run: Run, steps: int, name: str, each: int) -> LongRun:
    """What a run's energy did, or another number, in blocks of so many rows, or in one of fewer."""
    values = run.energy if name == "energy" else run.observed[name]
    start = float(values[0])
    unit = abs(start) or 1.0
    least, most, _ = run.extrema[name]
    return LongRun(
        method=run.method.label,
        steps=run.cost.steps,
        status=run.status,
        **blocks(values, run.t, min(each, len(values)))._asdict(),
        least=(least - start) / unit,
        most=(most - start) / unit,
        drift=drift_of(run, steps, name),
    )
