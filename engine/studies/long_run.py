"""Long runs: extremes of the energy, means over blocks of time, and a slope with its
uncertainty.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack, cast

import numpy as np

from ..algorithms.core.method import Method
from ..kernels import NEVER
from ..parameters.parameter import OneOf, Parameter, Whole
from ..parameters.validation import Array
from ..problems.problem import Problem, find_problem
from ..simulation import Run, RunRequest, execute
from ..text.formatting import show
from .core import Executor, ExecutorOptions, StudyResult, check_energy, fitting, not_adaptive
from .core.charts import Axes, Axis, Chart, Curve, Frame
from .core.measurements import BLOCKS, NOTICEABLE, ROWS_A_BLOCK, Drift, describe_trend, drift_of
from .core.placement import Room
from .core.study import DT, narrow, study

FEWEST_STEPS = BLOCKS * ROWS_A_BLOCK
STEPS = Parameter(
    "steps", Whole(FEWEST_STEPS, 2_000_000_000), "how many steps of each method", label="Steps"
)
QUANTITIES = OneOf(
    {"energy": "energy", "integral": "integral"}, {"integral": "the further integral"}
)
QUANTITY = Parameter(
    "quantity",
    QUANTITIES,
    "the energy, or the further integral of a problem that has one",
    "energy",
    label="Quantity",
)


COLUMNS = ("t", "mean", "low", "high")
"""Of a quantity in blocks of time: their times, and its mean, least and most, relative."""


@dataclass(frozen=True, eq=False)
class LongRun:
    """The energy, or a further integral, of one long run, relative to its value at the start.

    Attributes
    ----------
    method, steps, status : the method, how many steps it made, and how the run ended.
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LongRuns(StudyResult):
    """The energy, or a further integral, of methods over long runs; `what` names it in words."""

    table = "runs", LongRun
    dt: float
    steps: int
    runs: tuple[LongRun, ...]
    what: str = "the energy"

    def of(self, method: str | Method) -> LongRun:  # type: ignore[override]
        """Return the run of one method."""
        return super().of(method)[0]

    def to_frame(self) -> Frame:
        """Return a pandas table with a row for each method and block."""
        import pandas as pd

        frames = [
            pd.DataFrame({"method": run.method} | {name: getattr(run, name) for name in COLUMNS})
            for run in self.runs
        ]
        return (
            pd.concat(frames, ignore_index=True)
            if frames
            else pd.DataFrame(columns=["method", *COLUMNS])
        )

    def _conclude(self, method: str) -> str:
        run = self.of(method)
        name = self.names[run.method]
        steps = f"{run.steps:,} steps"
        worst = max(abs(run.least), abs(run.most))
        error = f"Its relative error reaches {show(worst, 2)}."
        if run.status not in ("done", "cancelled"):
            return f"{name}: the run ends after {steps}."
        if worst <= NOTICEABLE:
            return f"{name}: {self.what} stays at roundoff in {steps}."
        if run.status == "cancelled":
            return f"{name} was stopped after {steps}. The error of {self.what} reaches {show(worst, 2)}."
        if run.drift.is_steady:
            return f"{name}: {self.what} drifts by {show(run.drift.slope, 2)} a step. {error}"
        if run.drift.is_absent:
            return f"{name}: {self.what} does not drift in {steps}. {error}"
        return f"{name}: {self.what} changes at no steady rate in {steps}. {error}"

    @staticmethod
    def draw_chart(frame: Frame) -> Chart:
        """Draw the means over blocks as lines, labelled with their drift or amplitude, and the
        bounds as bands.
        """
        curves = list[Curve]()
        words = dict[str, str]()
        for label, rows in frame.groupby("method", sort=False) if len(frame) else ():
            found = rows[list(COLUMNS)].to_numpy(float)
            t, mean, low, high = found[np.isfinite(found).all(axis=1)].T
            curves += [Curve(str(label), t, high, under=low), Curve(str(label), t, mean)]
            if len(t):
                words[str(label)] = f"{label}: {describe_trend(t, mean, NOTICEABLE)}"
        axes = Axes(Axis("t"), Axis("relative error: means and ranges of blocks"))
        chart = Chart((axes,), tuple(curves))
        room = Room(chart, 0)
        ends = {curve.name: curve.y[-1] for curve in curves if curve.under is None and len(curve.y)}
        written = []
        for method, end in ends.items():
            _, y = room.parts(math.inf, end)
            written.append(room.write(words[method], (1.0, float(y)), of=method))
        return chart.with_guides(*written)


@study(
    key="long-run",
    title="Long run",
    sentence="The energy, or a further integral, in very many steps: whether it drifts, and "
    "between which bounds it swings.",
    example=("MR2",),
    row_keys=("method", "t"),
    unit="steps",
    old_words={"dts": "dt"},
    place=3,
    arguments=(STEPS, DT, QUANTITY),
    fields=(narrow(STEPS, high=1_000_000_000), narrow(DT, high=1e7), QUANTITY),
    steps=lambda problem, methods, values: len(methods) * values["steps"],
    classes=(LongRun,),
)
def long_run(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method],
    steps: float = 1_000_000,
    *,
    dt: float | None = None,
    quantity: str = "energy",
    **options: Unpack[ExecutorOptions],
) -> LongRuns:
    """Run methods for very many steps, and follow the energy or the problem's further integral.

    Memory does not grow with the steps. Progress counts the steps of all methods together; its rows
    are blocks of time.

    Raises
    ------
    ValueError
        For a problem or a method that is unknown or does not fit, and for a motion that conserves
        no energy or no further integral.
    """
    body = find_problem(problem, Problem)
    executor = Executor(**options)
    chosen, _ = fitting(body, methods, not_adaptive)
    n, h = int(steps), dt or body.dt
    name, what = find_quantity(body, quantity)
    every = n // FEWEST_STEPS
    runs = list[LongRun]()
    each = (-(-n // every) + 1) // BLOCKS

    def report(done: int, row: dict[str, float] | None = None) -> None:
        of_method = row and {"method": chosen[len(runs)].given_name} | row
        executor.report(len(runs) * n + done, len(chosen) * n, of_method)

    finished = True
    for m in chosen:
        run = _follow(RunRequest(body, m, h, n, every), name, each, executor.cancel, report)
        finished = run.status != "cancelled"
        if run.cost.steps or finished:
            runs.append(_summarize(run, n, name, each))
        if not finished:
            break
    return LongRuns(problem=body, dt=h, steps=n, runs=tuple(runs), what=what, finished=finished)


def _follow(
    request: RunRequest,
    name: str,
    each: int,
    cancel: threading.Event | None,
    report: Callable[..., None],
) -> Run:
    """Run a method; report its steps, and each block of a quantity once."""
    done = reported = 0
    rows = -(-request.steps // request.every) + 1

    def report_steps(steps: int, _: int) -> None:
        nonlocal done
        done = steps
        report(done)

    def report_blocks(blocks: Array) -> None:
        nonlocal reported
        for block in blocks.T[reported:].tolist():
            report(done, dict(zip(COLUMNS, block, strict=True)))
        reported = blocks.shape[1]

    def observe(observed: dict[str, Array]) -> None:
        whole = min(
            len(observed[name]) // each, rows // each - 1
        )  # the last one comes with the end
        if whole > reported:
            times = request.dt * request.every * np.arange(whole * each, dtype=float)
            report_blocks(make_blocks(observed[name][: whole * each], times, each))

    run = cast(
        Run, execute(request, cancel=cancel or NEVER, progress=report_steps, observe=observe)
    )
    if run.cost.steps or run.status != "cancelled":
        values = run.quantity(name)
        report_blocks(make_blocks(values, run.t, min(each, len(values))))
    return run


def find_quantity(body: Problem, quantity: str) -> tuple[str, str]:
    """Return the name of a quantity in a run, and in words; `ValueError` if the motion does not
    conserve it.
    """
    if quantity == "energy":
        check_energy(body)
        return "energy", "the energy"
    for one in body.integrals:
        if one.key in body.invariants:
            return one.key, one.name
    raise ValueError(
        f"the motion of {body.label} keeps no further integral, at least from this start"
    )


def make_blocks(values: Array, t: Array, each: int) -> Array:
    """Summarize values in blocks of `size` rows, relative to the first: (4, blocks), see
    `COLUMNS`.
    """
    whole = len(values) // each
    start = float(values[0])
    error, times = (
        x[: whole * each].reshape(whole, each) for x in ((values - start) / (abs(start) or 1.0), t)
    )
    return np.stack([times.mean(axis=1), error.mean(axis=1), error.min(axis=1), error.max(axis=1)])


def _summarize(run: Run, steps: int, name: str, each: int) -> LongRun:
    """Summarize a quantity of a run in blocks of so many rows, or in one of fewer."""
    values = run.quantity(name)
    start = float(values[0])
    unit = abs(start) or 1.0
    least, most, _ = run.extrema[name]
    return LongRun(
        method=run.method.given_name,
        steps=run.cost.steps,
        status=run.status,
        **dict(zip(COLUMNS, make_blocks(values, run.t, min(each, len(values))), strict=True)),
        least=(least - start) / unit,
        most=(most - start) / unit,
        drift=drift_of(run, steps, name),
    )
