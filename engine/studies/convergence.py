"""How the error at the end falls with the step: attitude, momentum and energy, with the slopes fitted."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..algorithms.method import Method, find_method
from ..charts import Axes, Axis, Chart, by_method
from ..checks import number
from ..problems.problem import Problem, find_problem
from ..provenance import versions
from ..wording import listed, short
from .fitting import fitting, not_adaptive
from .measure import Slope, slope
from .result import Result
from .study import DTS, DURATION, FEWER, KEEP, SHORTER, WORKERS, study
from .true_end import KINDS, TrueEnd
from .work import Progress, carry_out, completed

if TYPE_CHECKING:
    import pandas as pd

RUNGS = 11
"""Steps on the ladder that is taken if none is given: each half of the one before, from twice the problem's own."""
MOST_STEPS = 50_000_000
"""Of one run."""


@dataclass(frozen=True)
class Rung:
    """One run: its step, its errors at the end, what it cost. Errors are NaN where it did not get to the end."""

    method: str
    dt: float
    steps: int
    attitude: float
    momentum: float
    energy: float
    torque_evaluations: int
    newton_iterations: int
    status: str


@dataclass(frozen=True, eq=False, repr=False)
class Convergence(Result):
    """The errors of methods at the end of a run, by the step.

    Attributes
    ----------
    problem, duration : what was simulated, and for how long.
    rungs : a row for each method and step: the attitude's angle to the true one (rad), the momentum's error (relative
        to its largest), the largest energy error on the way (relative), all at the end but the energy's.
    floors : below which error of each kind nothing is fitted.
    reference : what the runs are compared with, in words.
    versions : of what computed it.
    finished : False if it was cancelled.
    """

    table = "rungs", Rung
    problem: Problem
    duration: float
    rungs: tuple[Rung, ...]
    floors: dict[str, float]
    reference: str
    versions: dict[str, str | None]
    finished: bool = True

    def of(self, method: str | Method) -> tuple[Rung, ...]:
        """The rungs of one method, largest step first."""
        label = find_method(method).label
        return tuple(rung for rung in self.rungs if rung.method == label)

    def slope(self, method: str | Method, kind: str = "attitude") -> Slope | None:
        """The fitted slope, roundoff's plateau left out; None if too few steps are above it."""
        rungs = [rung for rung in self.of(method) if math.isfinite(getattr(rung, kind))]
        return slope([rung.dt for rung in rungs], [getattr(rung, kind) for rung in rungs], self.floors[kind])

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        return " ".join(self._concluded(method) for method in self.methods)

    def _concluded(self, method: str) -> str:
        fits = {kind: self.slope(method, kind) for kind in KINDS}
        said = [f"{fit} in {kind}" for kind, fit in fits.items() if fit is not None]
        kept = [kind for kind in KINDS if self._at_roundoff(method, kind)]
        text = f"{method} converges with order {listed(said)}" if said else f"{method} shows no order here"
        if kept:
            text += f"; {listed(kept)} at roundoff"
        failed = [rung for rung in self.of(method) if rung.status != "done"]
        if failed:
            text += f"; it does not get to the end with Δt ≥ {short(min(rung.dt for rung in failed), 3)}"
        return f"{text}."

    def _at_roundoff(self, method: str, kind: str) -> bool:
        found = [getattr(rung, kind) for rung in self.of(method) if rung.status == "done"]
        return bool(found) and max(found) <= self.floors[kind]


def drawn(frame: pd.DataFrame) -> Chart:
    """Errors by the step."""
    axes = [Axes(Axis("Δt", log=True), Axis(label, log=True)) for label in KINDS.values()]
    return by_method(frame, axes, [("dt", kind) for kind in KINDS])


def counts_of_ladder(problem: Any, values: Mapping[str, Any]) -> list[float]:
    """How many steps each run has with the steps that are given, or with those that are taken if none is."""
    first = max(1.0, values["duration"] / (2 * problem.dt) + 0.5)
    own = [first * 2**k for k in range(RUNGS)]
    return [values["duration"] / dt + 1 for dt in values["dts"]] if values.get("dts") else own


def steps_of_ladders(problem: Any, methods: Sequence[str], values: Mapping[str, Any]) -> float:
    """Of all runs."""
    return len(methods) * sum(counts_of_ladder(problem, values))


@study(
    key="convergence",
    title="Convergence",
    sentence="The errors at the end by the step, with the slopes that the methods show.",
    arguments=(DTS, DURATION, WORKERS, KEEP),
    fields=(SHORTER, FEWER),
    told_by=("method", "dt"),
    steps=steps_of_ladders,
    chart=drawn,
    place=1,
)
def convergence(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method],
    dts: Sequence[float] | None = None,
    *,
    duration: float | None = None,
    workers: int | None = None,
    keep: str | Path | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Convergence:
    """Run methods with ever smaller steps, and compare their ends with the exact motion's.

    Raises
    ------
    ValueError
        For a problem or method that is not known or do not fit, and for a motion that nothing can be compared with.
    """
    body = find_problem(problem)
    chosen, _ = fitting(body, methods, not_adaptive)
    T = duration or body.duration
    counts = ladder(body, T, dts)
    end = TrueEnd.of(body, T, T / counts[0], cancel)

    def measure(part: tuple[str, int]) -> dict[str, Any]:
        label, n = part
        run = completed(body, label, dt=T / n, steps=n, samples=1, cancel=cancel)
        cost = {"torque_evaluations": run.cost.torque_evaluations, "newton_iterations": run.cost.newton_iterations}
        return {"method": label, "dt": T / n, "steps": n} | end.off(run) | cost | {"status": run.status}

    setting = {"study": "convergence", "problem": body.told(), "duration": T, "versions": versions()}
    rows, finished = carry_out(
        [(m.label, n) for m in chosen for n in counts],
        measure,
        progress=progress,
        cancel=cancel,
        workers=workers,
        keep=keep,
        setting=setting,
    )
    return Convergence(body, T, tuple(Rung(**row) for row in rows), end.floors, end.motion.how, versions(), finished)


def ladder(problem: Problem, duration: float, dts: Sequence[float] | None) -> list[int]:
    """Numbers of steps, fewest first, for steps that divide the duration."""
    if dts is None:
        first = max(1, round(duration / (2 * problem.dt)))
        counts = [first * 2**k for k in range(RUNGS)]
        counts = [n for n in counts if n <= MOST_STEPS] or counts[:1]
    else:
        steps = [number(dt, "dt", 1e-15, duration) for dt in dts]
        counts = sorted({math.ceil(round(duration / dt, 9)) for dt in steps})
    if not counts:
        raise ValueError("give at least one step")
    if counts[-1] > MOST_STEPS:
        raise ValueError(
            f"{counts[-1]:,} steps are more than the {MOST_STEPS:,} of one run; take larger ones or less time"
        )
    return counts
