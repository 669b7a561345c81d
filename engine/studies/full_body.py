"""Lee, Leok and McClamroch's Figure 3: what methods make of two bodies' energy and rotations, and what that costs.

(a) the energy along a run, (b) its mean deviation against the step, (c) the mean |RᵀR − 1| against the step,
(d) processor time and force evaluations against the step; and the cost of one and the same mean deviation.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.method import Method, find_method
from ..charts import Axes, Axis, Chart, by_method
from ..checks import Array
from ..exact import Cancelled
from ..problems.problem import LONGEST, find_problem
from ..spec import Number, Numbers, Parameter
from ..twobody import TwoBodies, TwoBodyRun
from ..wording import listed, short
from .result import Result, table_of
from .study import DURATION, study
from .work import Progress, completed

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("LGVI", "LGM", "RK2", "SRK")
"""Those of the paper; the first is what the others' cost is compared to."""
STEPS = (0.016, 0.008, 0.004, 0.002, 0.001, 0.0005)
ROWS = 20_000
"""How many rows the means are taken over at most, evenly."""
REPETITIONS = 3
"""How often a run is timed; the least time counts."""
ALIKE = 0.02
"""How near, relatively, a mean deviation has to be to count as the same."""
ATTEMPTS = 8
TURNS = 12
"""How often the runs of one energy error are timed, in turn, so that a disturbance of the machine hits all alike."""

PAPER_FACTORS = {"LGM": 16.0, "RK2": 35.0, "SRK": 98.0}
"""How many times the processor time of LGVI the paper finds for a like energy error, section 4."""

WHY = (
    "The paper prints neither masses nor initial state, and how far the energy errors lie apart depends on how fast "
    "the bodies tumble. Its forces were the greater part of a step; those of two dumbbells cost less than LGVI's two "
    "implicit equations, so that its one force a step gains little time here, and more with bodies of many masses. "
    "Its SRK is solved for 36 unknowns by a general solver; here a few sweeps to roundoff do."
)
"""Why the measured factors are not the paper's."""


@dataclass(frozen=True)
class TriedStep:
    """One method at one step: means over the run, and what it took.

    energy, orthogonality : mean |E − E(0)|, and mean ‖RᵀR − 1‖ of the worse of both bodies.
    force_evaluations, newton_iterations, seconds : of the whole run; seconds in the kernel with no rows kept.
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
    """What a method's run with the same mean energy deviation as that of the first costs, in units of that one's.

    paper : the paper's factor of processor time, nan where it has none.
    """

    method: str
    dt: float
    energy: float
    force_evaluations: float
    seconds: float
    paper: float


@dataclass(frozen=True, eq=False, repr=False)
class FullBody(Result):
    """What Figure 3 shows, as numbers.

    Attributes
    ----------
    problem, duration, dt : what was simulated, for how long, and the step of (a).
    energy : (a) for each method times and energies, at rows of its run with that step.
    tried : (b) to (d), a row for each method and step.
    equal : a row for each method: the cost of the energy error that the first method has with the step `dt`.
    finished : False if it was cancelled; then some of it is not there.
    """

    table = "tried", TriedStep
    problem: TwoBodies
    duration: float
    dt: float
    energy: Mapping[str, tuple[Array, Array]]
    tried: tuple[TriedStep, ...]
    equal: tuple[EqualError, ...]
    finished: bool = True
    why: str = WHY

    def series(self, method: str, what: str) -> tuple[Array, Array]:
        """Steps, ascending, and a quantity of `TriedStep` at each, for a plot, without runs that were not done."""
        rows = sorted((r for r in self.tried if r.method == method and r.status == "done"), key=lambda r: r.dt)
        return np.array([r.dt for r in rows]), np.array([getattr(r, what) for r in rows], dtype=float)

    def order(self, method: str) -> float:
        """The fitted slope of the mean energy deviation against the step, log to log."""
        dt, energy = self.series(method, "energy")
        return float(np.polyfit(np.log(dt), np.log(energy), 1)[0]) if len(dt) > 1 else math.nan

    def equal_frame(self) -> pd.DataFrame:
        """`equal` as a pandas table."""
        return table_of(self.equal, EqualError)

    @property
    def conclusion(self) -> str:
        """What it comes to, in sentences."""
        if len(self.equal) < 2:
            return "Nothing is there to be compared."
        first, *others = self.equal
        told = listed(
            f"{row.method} {short(row.seconds, 2)} times the time and "
            f"{short(row.force_evaluations, 2)} times the forces"
            + (f" (paper {short(row.paper)})" if row.paper == row.paper else "")
            for row in others
        )
        goal = f"the mean energy error of {first.method} at {short(first.dt)}, {short(first.energy, 2)}"
        return f"For {goal}: {told}. {self.why}"


def drawn(frame: pd.DataFrame) -> Chart:
    """(b) to (d)."""
    step, forces = Axis("Δt", log=True), "force_evaluations"
    labels = {
        "energy": "mean energy deviation",
        "orthogonality": "mean ‖RᵀR − 1‖",
        "seconds": "seconds in the kernel",
    }
    labels[forces] = "force evaluations"
    axes = [Axes(step, Axis(label, log=True)) for label in labels.values()]
    return by_method(frame, axes, [("dt", column) for column in labels])


def _steps_of_a_method(values: Mapping[str, Any]) -> float:
    """Of all runs: those of the steps that are given, those in search of an equal error, and those that are timed."""
    counts = [values["duration"] / dt + 1 for dt in {*values["dts"], values["dt"]}]
    return (1 + REPETITIONS) * (sum(counts) + ATTEMPTS * max(counts)) + TURNS * max(counts)


@study(
    key="full-body",
    title="Two bodies",
    sentence="What methods for two bodies make of the energy and of rotations, and what that costs.",
    arguments=(
        Parameter("dt", Number(1e-15, LONGEST), "the step at which costs are compared"),
        Parameter("dts", Numbers(1e-15, LONGEST), "the steps"),
        dataclasses.replace(DURATION, doc="how long to run"),
    ),
    example=METHODS,
    without="those of the paper",
    told_by=("method", "dt"),
    steps=lambda problem, methods, values: len(methods) * _steps_of_a_method(values),
    eager=False,
    space="se3",
    chart=drawn,
)
def full_body(
    problem: str | TwoBodies = "dumbbells",
    methods: Iterable[str | Method] = METHODS,
    *,
    dt: float = 0.002,
    dts: Sequence[float] = STEPS,
    duration: float = 30.0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> FullBody:
    """Measure Figure 3 for a problem of two bodies: `dt` is the step of (a), `dts` are those of (b) to (d).

    Methods have to go by steps; the first is the one that others are compared to.
    """
    pair = find_problem(problem, space="se3")
    chosen = [find_method(method, space="se3") for method in methods]
    for method in chosen:
        if method.step is None:
            raise ValueError(f"{method.key} chooses its own steps, and this study goes by steps that are given")
    wanted = sorted({*dts, dt}, reverse=True)
    of = len(chosen) * (len(wanted) + 1)
    energy: dict[str, tuple[Array, Array]] = {}
    tried: list[TriedStep] = []
    alike: dict[Method, TriedStep | None] = {}
    equal: tuple[EqualError, ...] = ()
    finished = True

    def told(row: TriedStep | None = None) -> None:
        if progress is not None:
            progress(len(tried) + len(alike), of, row and vars(row))

    try:
        for method in chosen:
            for step in wanted:
                run, row = _tried(pair, method, step, duration, cancel)
                if step == dt:
                    energy[method.label] = run.t, run.energy
                tried.append(row)
                told(row)
        mark = next(row for row in tried if row.method == chosen[0].label and row.dt == dt)
        for method in chosen:
            alike[method] = _of_equal_error(
                pair, method, mark, [r for r in tried if r.method == method.label], cancel
            )
            told()
        equal = _compared(pair, alike, cancel)
    except Cancelled:
        finished = False
    return FullBody(pair, duration, dt, energy, tuple(tried), equal, finished)


def _tried(
    problem: TwoBodies, method: Method, dt: float, duration: float, cancel: threading.Event | None
) -> tuple[TwoBodyRun, TriedStep]:
    """A run whose rows give the means, and more that are timed."""
    steps = max(1, round(duration / dt))
    run = partial(completed, problem, method, dt=dt, steps=steps, cancel=cancel)
    first: TwoBodyRun = run(every=-(-steps // ROWS))
    seconds = min(run(every=steps).cost.seconds for _ in range(REPETITIONS))
    row = TriedStep(
        method=method.label,
        dt=dt,
        steps=first.cost.steps,
        energy=float(np.abs(first.energy - first.energy[0]).mean()),
        orthogonality=float(first.orthogonality.mean()),
        force_evaluations=first.cost.force_evaluations,
        newton_iterations=first.cost.newton_iterations,
        seconds=seconds,
        status=first.status,
    )
    return first, row


def _of_equal_error(
    problem: TwoBodies, method: Method, mark: TriedStep, rows: list[TriedStep], cancel: threading.Event | None
) -> TriedStep | None:
    """The step with which a method has the mark's mean energy deviation, by secants on logarithms, or None."""
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
        slope = min(max(slope, 0.5 * order), 2.0 * order)  # an error that changes its sign has no slope to follow
        dt = found.dt * (mark.energy / found.energy) ** (1.0 / slope)
        before, (_, found) = found, _tried(problem, method, dt, duration, cancel)
    return None if found is None or abs(found.energy / mark.energy - 1.0) > 5 * ALIKE else found


def _compared(
    problem: TwoBodies, alike: dict[Method, TriedStep | None], cancel: threading.Event | None
) -> tuple[EqualError, ...]:
    """What steps of one energy error cost, in units of the first method's, all timed in turn."""
    found = {method: row for method, row in alike.items() if row is not None}
    seconds = dict.fromkeys(found, math.inf)
    for _ in range(TURNS):
        for method, row in found.items():
            again = completed(problem, method, dt=row.dt, steps=row.steps, every=row.steps, cancel=cancel)
            seconds[method] = min(seconds[method], again.cost.seconds)
    first, equal = next(iter(alike)), []
    for method in alike:
        dt = energy = forces = time = math.nan
        if method in found and first in found:
            row = found[method]
            dt, energy, time = row.dt, row.energy, seconds[method] / seconds[first]
            forces = row.force_evaluations / found[first].force_evaluations
        equal.append(EqualError(method.label, dt, energy, forces, time, PAPER_FACTORS.get(method.key, math.nan)))
    return tuple(equal)
