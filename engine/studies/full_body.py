"""Two bodies: the energy, the rotations and the cost of methods, as in Figure 3 of Lee, Leok and
McClamroch.

(a) the energy along a run, (b) its mean deviation against the step, (c) the mean |RᵀR − 1| against
the step, (d) processor time and force evaluations against the step; and the cost of one and the
same mean deviation.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np

from ..algorithms.core import FixedStep, Method, find_method
from ..exact import Cancelled
from ..parameters.parameter import Number, Numbers, Parameter
from ..parameters.validation import Array
from ..problems.problem import LONGEST, find_problem
from ..problems.two_bodies.pair import TwoBodies
from ..simulation.two_bodies import TwoBodyRun
from ..text.formatting import show
from .core import (
    DURATION,
    Axes,
    Axis,
    Executor,
    ExecutorOptions,
    Frame,
    StudyResult,
    frame_of,
    name_in_sentences,
    study,
)

METHODS = ("LGVI", "LGM", "RK2", "SRK")
"""The paper's methods; the cost of the others is in units of the first one's."""
STEPS = (0.016, 0.008, 0.004, 0.002, 0.001, 0.0005)
ROWS = 20_000
"""The most rows that a mean is taken over, evenly."""
REPETITIONS = 3
"""How often a run is timed; the least time counts."""
ALIKE = 0.02
"""The relative distance within which two mean deviations count as equal."""
ATTEMPTS = 8
TURNS = 12
"""How often the runs of equal error are timed, in turn, so that a disturbance of the machine
affects all alike.
"""

LABELS = {
    "energy": "mean energy deviation",
    "orthogonality": "mean ‖RᵀR − 1‖",
    "seconds": "seconds in the kernel",
    "force_evaluations": "force evaluations",
}
"""Labels of the columns in the chart."""

PAPER_FACTORS = {"LGM": 16.0, "RK2": 35.0, "SRK": 98.0}
"""Processor time for an equal energy error in units of LGVI's, section 4 of the paper."""

WHY = (
    "The paper prints neither masses nor the initial state, on which the ratios of the energy errors depend. "
    "Its forces took most of a step's time. "
    "Here forces are cheap, so LGVI saves little with its one force a step. "
    "With bodies of many masses it saves more. "
    "The paper solves SRK by a general solver for 36 unknowns, which takes longer than the sweeps here."
)
"""Why the measured factors are not the paper's."""


@dataclass(frozen=True)
class TriedStep:
    """One method at one step: means over the run, and its cost.

    energy, orthogonality : mean |E − E(0)|, and mean ‖RᵀR − 1‖ of the worse of both bodies.
    force_evaluations, newton_iterations, seconds : of the whole run; seconds in the kernel without
        stored rows.
    """

    method: str
    dt: float
    steps: int
    energy: float
    orthogonality: float
    force_evaluations: int
    newton_iterations: int
    seconds: float
    status: str


@dataclass(frozen=True)
class EqualError:
    """The cost of a run with the mean energy deviation of the first method, in units of that one's
    cost.

    paper : the paper's factor of processor time, NaN where it has none.
    """

    method: str
    dt: float
    energy: float
    force_evaluations: float
    seconds: float
    paper: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FullBody(StudyResult):
    """The numbers of Figure 3.

    Attributes
    ----------
    duration, dt : of each run, and the step of (a).
    energy : (a) for each method times and energies, at rows of its run with that step.
    tried : (b) to (d), a row for each method and step.
    equal : a row for each method: the cost of the energy error that the first method has with the
        step `dt`.
    why : why the factors are not the paper's.
    """

    table = "tried", TriedStep
    plots = tuple(
        (Axes(Axis("Δt", log=True), Axis(label, log=True)), "dt", column)
        for column, label in LABELS.items()
    )
    duration: float
    dt: float
    energy: Mapping[str, tuple[Array, Array]]
    tried: tuple[TriedStep, ...]
    equal: tuple[EqualError, ...]
    why: str = WHY

    def series(self, method: str, what: str) -> tuple[Array, Array]:
        """Return steps, ascending, and a quantity of `TriedStep` at each, of the runs that reached
        the end.
        """
        rows = sorted(
            (r for r in self.tried if r.method == method and r.status == "done"), key=lambda r: r.dt
        )
        return np.array([r.dt for r in rows]), np.array(
            [getattr(r, what) for r in rows], dtype=float
        )

    def order(self, method: str) -> float:
        """Fit the slope of the mean energy deviation against the step, log to log."""
        dt, energy = self.series(method, "energy")
        return float(np.polyfit(np.log(dt), np.log(energy), 1)[0]) if len(dt) > 1 else math.nan

    def equal_frame(self) -> Frame:
        """Return `equal` as a pandas table."""
        return frame_of(self.equal, EqualError)

    @property
    def conclusion(self) -> str:
        """The cost of equal energy errors."""
        if len(self.equal) < 2:
            return "There are no methods to compare."
        first, *others = self.equal
        names = name_in_sentences((row.method for row in self.equal), "se3")
        text = [
            f"With Δt = {show(first.dt)}, the mean energy error of {names[first.method]} is {show(first.energy, 2)}."
        ]
        for row in others:
            name = names[row.method]
            paper = f"; the paper has {show(row.paper)}" if row.paper == row.paper else ""
            text.append(
                f"For the same error, {name} takes {show(row.seconds, 2)} times as long{paper}."
            )
            text.append(f"It evaluates {show(row.force_evaluations, 2)} times as many forces.")
        return " ".join([*text, self.why])


def _steps_of_a_method(values: Mapping[str, Any]) -> float:
    """Count the runs of the given steps, those in search of an equal error, and those that are
    timed.
    """
    counts: list[float] = [values["duration"] / dt + 1 for dt in {*values["dts"], values["dt"]}]
    return (1 + REPETITIONS) * (sum(counts) + ATTEMPTS * max(counts)) + TURNS * max(counts)


@study(
    key="full-body",
    title="Two bodies",
    sentence="The energy and the rotations of methods for two bodies, and their cost.",
    spaces=("se3",),
    on_page=False,
    without="those of the paper",
    row_keys=("method", "dt"),
    eager=False,
    arguments=(
        Parameter("dt", Number(1e-15, LONGEST), "the step at which to compare costs"),
        Parameter("dts", Numbers(1e-15, LONGEST), "the steps"),
        dataclasses.replace(DURATION, doc="how long to run"),
    ),
    example=METHODS,
    steps=lambda problem, methods, values: len(methods) * _steps_of_a_method(values),
)
def full_body(
    problem: str | TwoBodies = "dumbbells",
    methods: Iterable[str | Method] = METHODS,
    *,
    dt: float = 0.002,
    dts: Sequence[float] = STEPS,
    duration: float = 30.0,
    **options: Unpack[ExecutorOptions],
) -> FullBody:
    """Measure Figure 3 for a problem of two bodies: `dt` is the step of (a), `dts` are those of (b)
    to (d).

    Methods need steps of a given size. Costs are in units of the first method's.
    """
    executor = Executor(**options)
    pair = find_problem(problem, TwoBodies)
    chosen = [find_method(method, space="se3") for method in methods]
    for method in chosen:
        if not isinstance(method, FixedStep):
            raise ValueError(
                f"{method.key} chooses its own steps; this study needs steps of a given size"
            )
    wanted = sorted({*dts, dt}, reverse=True)
    of = len(chosen) * (len(wanted) + 1)
    energy: dict[str, tuple[Array, Array]] = {}
    tried: list[TriedStep] = []
    alike: dict[Method, TriedStep | None] = {}
    equal: tuple[EqualError, ...] = ()
    finished = False
    with suppress(Cancelled):
        for method in chosen:
            for step in wanted:
                run, row = _try_step(pair, method, step, duration, executor)
                if step == dt:
                    energy[method.given_name] = run.t, run.energy
                tried.append(row)
                executor.report(len(tried), of, vars(row))
        mark = next(row for row in tried if row.method == chosen[0].given_name and row.dt == dt)
        for method in chosen:
            rows = [r for r in tried if r.method == method.given_name]
            alike[method] = _find_equal_error(pair, method, mark, rows, executor)
            executor.report(len(tried) + len(alike), of)
        equal = _compare(pair, alike, executor)
        finished = True
    return FullBody(
        problem=pair,
        duration=duration,
        dt=dt,
        energy=energy,
        tried=tuple(tried),
        equal=equal,
        finished=finished,
    )


def _try_step(
    problem: TwoBodies, method: Method, dt: float, duration: float, executor: Executor
) -> tuple[TwoBodyRun, TriedStep]:
    """Make a run whose rows give the means, and more that are timed."""
    steps = max(1, round(duration / dt))
    run = partial(executor.simulate, problem, method, dt=dt, steps=steps)
    first: TwoBodyRun = run(every=-(-steps // ROWS))
    seconds = min(run(every=steps).cost.seconds for _ in range(REPETITIONS))
    means = float(np.abs(first.energy - first.energy[0]).mean()), float(first.orthogonality.mean())
    counts = first.cost.force_evaluations, first.cost.newton_iterations
    return first, TriedStep(
        method.given_name, dt, first.cost.steps, *means, *counts, seconds, first.status
    )


def _find_equal_error(
    problem: TwoBodies, method: Method, mark: TriedStep, rows: list[TriedStep], executor: Executor
) -> TriedStep | None:
    """Find the step with which a method has the mark's mean energy deviation, by secants on
    logarithms, or None.
    """
    duration = mark.steps * mark.dt
    order = method.order[0] if method.order else 2
    good = [r for r in rows if r.status == "done" and r.energy > 0.0]
    found = min(good, key=lambda r: abs(math.log(r.energy / mark.energy))) if good else None
    before: TriedStep | None = None
    for _ in range(ATTEMPTS):
        if found is None or abs(found.energy / mark.energy - 1.0) <= ALIKE:
            break
        slope = float(order)
        if before is not None and before.energy != found.energy and before.dt != found.dt:
            slope = math.log(found.energy / before.energy) / math.log(found.dt / before.dt)
        slope = min(
            max(slope, 0.5 * order), 2.0 * order
        )  # an error that changes its sign has no slope to follow
        dt = found.dt * (mark.energy / found.energy) ** (1.0 / slope)
        before = found
        (_, found) = _try_step(problem, method, dt, duration, executor)
    return None if found is None or abs(found.energy / mark.energy - 1.0) > 5 * ALIKE else found


def _compare(
    problem: TwoBodies, alike: dict[Method, TriedStep | None], executor: Executor
) -> tuple[EqualError, ...]:
    """Time the steps of equal energy error, all in turn, and return their cost in units of the
    first method's.
    """
    found = {method: row for method, row in alike.items() if row is not None}
    seconds = dict.fromkeys(found, math.inf)
    for _ in range(TURNS):
        for method, row in found.items():
            again = executor.simulate(problem, method, dt=row.dt, steps=row.steps, every=row.steps)
            seconds[method] = min(seconds[method], again.cost.seconds)
    first = next(iter(alike))
    equal = []
    for method in alike:
        dt = energy = forces = time = math.nan
        if method in found and first in found:
            row = found[method]
            dt = row.dt
            energy = row.energy
            time = seconds[method] / seconds[first]
            forces = row.force_evaluations / found[first].force_evaluations
        equal.append(
            EqualError(
                method.given_name, dt, energy, forces, time, PAPER_FACTORS.get(method.key, math.nan)
            )
        )
    return tuple(equal)
