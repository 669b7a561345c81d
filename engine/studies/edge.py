"""How large a step may be: the edge up to which a method runs, or keeps the energy within bounds."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.method import Method, find_method
from ..charts import Axes, Axis, Chart, Curve
from ..checks import number
from ..onebody import Run
from ..problems.problem import LONGEST, Problem, find_problem
from ..provenance import versions
from ..spec import Number, Parameter, Whole
from ..wording import short
from .convergence import MOST_STEPS
from .fitting import fitting, with_steps
from .result import Result
from .study import DURATION, KEEP, SHORTER, WORKERS, narrowed, study
from .true_end import energy_error
from .work import Progress, carry_out, completed

if TYPE_CHECKING:
    import pandas as pd

RUNS, ENERGY = "runs", "energy"
"""The two things that may have an edge: running to the end, and keeping the energy within bounds."""
ASKED = {RUNS: "runs", ENERGY: "keeps the energy"}
"""In words."""
FINER = 16
"""The ladder begins at the problem's own step divided by this."""
FEWEST_STEPS = 10
"""The ladder ends where a run has this many steps."""
RUNGS_AN_OCTAVE = 4
MOST_RUNGS = 200


@dataclass(frozen=True)
class Edge:
    """Up to which step a method does what is asked of it.

    Attributes
    ----------
    method : its label.
    asked : "runs" or "energy".
    dt : the largest step below the first failure for which it does; NaN if it fails at the ladder's smallest.
    fails_at : the step next to it at which it fails; NaN if it fails nowhere on the ladder.
    why : how it fails there, in words; empty if it does not.
    window : the largest rung of the ladder for which it does so again, above the edge; NaN if there is none.
    tried : how many runs were made for this method in all.
    """

    method: str
    asked: str
    dt: float
    fails_at: float
    why: str
    window: float
    tried: int


@dataclass(frozen=True, eq=False, repr=False)
class StabilityEdges(Result):
    """The edges of methods on one problem.

    Attributes
    ----------
    problem, duration : what was simulated, and for how long at least: a run ends with the first step at or after it.
    ladder : the steps that were tried of each method, smallest first, before the edge was narrowed down.
    within : the relative bound of the energy, or None.
    digits : to how many the edge is known.
    edges : one of each method for running to the end and, with a bound, one for the energy.
    left_out : methods that do not fit the problem or take no steps of a given size, with the reason.
    versions : of what computed it.
    finished : False if it was cancelled.
    """

    table = "edges", Edge
    problem: Problem
    duration: float
    ladder: tuple[float, ...]
    within: float | None
    digits: int
    edges: tuple[Edge, ...]
    left_out: dict[str, str]
    versions: dict[str, str | None]
    finished: bool = True

    @property
    def energy_within(self) -> float | None:
        """As scripts of before call `within`."""
        return self.within

    def of(self, method: str | Method, asked: str = RUNS) -> Edge:
        """The edge of one method, for running to the end or for the energy."""
        label = find_method(method).label
        for edge in self.edges:
            if (edge.method, edge.asked) == (label, asked):
                return edge
        raise ValueError(f"this study has no edge of {label} for {asked!r}")

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        return " ".join(self._concluded(edge) for edge in self.edges)

    def _concluded(self, edge: Edge) -> str:
        does = "runs" if edge.asked == RUNS else f"keeps the energy within {short(self.within or 0.0)}"
        if math.isnan(edge.fails_at):
            return f"{edge.method} {does} at every Δt of the ladder, up to {self._told(edge.dt)}."
        if math.isnan(edge.dt):
            text = f"{edge.method} {does} not even at Δt = {short(edge.fails_at, self.digits)}: {edge.why}"
        else:
            text = f"{edge.method} {does} up to Δt = {self._told(edge.dt)}; beyond, {edge.why}"
        if not math.isnan(edge.window):
            text += f"; it does again in windows up to {self._told(edge.window)}"
        return f"{text}."

    def _told(self, dt: float) -> str:
        """A step to the digits that are known, rounded down: what is told shall not lie beyond the edge."""
        last = 10.0 ** (math.floor(math.log10(dt)) - self.digits + 1)
        return short(math.floor(dt / last + 1e-9) * last, self.digits)


WITHIN = Parameter(
    "within",
    Number(1e-14, 1e6),
    "the relative bound of the energy's error over every step; else only running counts",
    label="Energy within",
)
SMALLEST, LARGEST = (
    Parameter(name, Number(1e-15, LONGEST), f"the {name} step that is tried; else {own}")
    for name, own in (
        ("smallest", f"1/{FINER} of the problem's own"),
        ("largest", f"1/{FEWEST_STEPS} of the duration"),
    )
)


def drawn(frame: pd.DataFrame) -> Chart:
    """The largest steps, method by method."""
    methods = list(dict.fromkeys(frame["method"])) if len(frame) else []
    axes = Axes(Axis("method", ticks=tuple(methods)), Axis("largest Δt", log=True))
    curves = []
    for asked, name in ASKED.items() if methods else ():
        rows = frame[(frame["asked"] == asked) & (frame["dt"] > 0)]
        places = np.array([methods.index(method) for method in rows["method"]], float)
        curves.append(Curve(name, places, rows["dt"].to_numpy(float), marks=True))
    return Chart((axes,), tuple(curve for curve in curves if len(curve.x)))


def _steps_of_searches(problem: Any, values: Mapping[str, Any]) -> float:
    """Of one method: all rungs, and for each edge a bisection, of which no run has more steps than the first rung."""
    duration = values["duration"]
    top = values.get("largest") or duration / FEWEST_STEPS
    low = values.get("smallest") or min(problem.dt / FINER, top / 2)
    ratio = 2.0 ** (1 / RUNGS_AN_OCTAVE)
    rungs = max(1.0, math.ceil(RUNGS_AN_OCTAVE * math.log2(top / low)) + 1) if top > low else 1.0
    halvings = math.log2((ratio - 1) * 10.0 ** values["digits"]) + 2
    edges = 1 + (values.get("within") is not None)
    first = duration / low + 1
    return ratio * first / (1 - 1 / ratio) + rungs + edges * halvings * ratio * first


@study(
    key="edge",
    title="Edge of stability",
    sentence="The largest step with which methods run to the end, and with which they keep the energy.",
    arguments=(
        DURATION,
        WITHIN,
        SMALLEST,
        LARGEST,
        Parameter("digits", Whole(1, 9), "to how many the edge is narrowed down"),
        WORKERS,
        KEEP,
    ),
    fields=(SHORTER, narrowed(WITHIN, 0.01, low=1e-14, high=100.0)),
    example=("NMB", "AKW", "DMV", "MR2"),
    without="all that fit",
    told_by=("method", "asked"),
    unit="methods",
    steps=lambda problem, methods, values: len(methods) * _steps_of_searches(problem, values),
    coloured=False,
    aliases=("stability_edge",),
    old_words={"energy_within": "within"},
    chart=drawn,
    classes=(Edge,),
    place=5,
)
def edge(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method] | None = None,
    duration: float | None = None,
    *,
    within: float | None = None,
    smallest: float | None = None,
    largest: float | None = None,
    digits: int = 4,
    workers: int | None = None,
    keep: str | Path | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> StabilityEdges:
    """Find the largest step with which methods run to the end, and with which they keep the energy.

    Neither is monotonic in the step: a method may fail at one step and run at a larger one. So a geometric ladder of
    steps, four to the doubling, is run from its smallest to its largest; between the first rung that fails and the
    one below it the edge is found by bisection. What lies between two rungs that run is not looked at; rungs above
    the edge that run are told of as windows.

    Raises
    ------
    ValueError
        For a problem or method that is not known or do not fit, and for a bound on an energy that is not kept.
    """
    body = find_problem(problem)
    chosen, left_out = fitting(body, methods, with_steps)
    T = duration or body.duration
    rungs = _ladder(body, T, smallest, largest)
    if within is not None and "energy" not in body.invariants:
        raise ValueError(f"the energy of {body.label} is not kept by the motion itself")

    def measure(label: str) -> dict[str, Any]:
        search = _RunsByStep(body, label, T, rungs, digits, cancel)
        found = [search.edge(RUNS, _fails_to_run)]
        if within is not None:
            found.append(search.edge(ENERGY, lambda run: _leaves_energy(run, within)))
        return {"edges": [{"method": label} | edge | {"tried": search.tried} for edge in found]}

    def told(done: int, total: int, row: dict[str, Any]) -> None:
        for edge in row["edges"]:
            if progress is not None:
                progress(done, total, edge)

    setting = {"study": "edge", "problem": body.told(), "duration": T, "within": within}
    setting |= {"ladder": rungs, "digits": digits, "versions": versions()}
    rows, finished = carry_out(
        [m.label for m in chosen],
        measure,
        progress=told,
        cancel=cancel,
        workers=workers,
        keep=keep,
        setting=setting,
    )
    edges = tuple(Edge(**edge) for row in rows for edge in row["edges"])
    return StabilityEdges(body, T, tuple(rungs), within, digits, edges, left_out, versions(), finished)


class _RunsByStep:
    """Runs of one method with different steps, each made once."""

    def __init__(
        self,
        body: Problem,
        label: str,
        duration: float,
        rungs: Sequence[float],
        digits: int,
        cancel: threading.Event | None,
    ) -> None:
        self._body, self._label, self._duration, self._cancel = body, label, duration, cancel
        self._rungs, self._narrow = rungs, 10.0**-digits
        self._runs: dict[float, Run] = {}

    @property
    def tried(self) -> int:
        """How many runs were made."""
        return len(self._runs)

    def _run(self, dt: float) -> Run:
        if dt not in self._runs:
            steps = _steps(self._duration, dt)
            self._runs[dt] = completed(self._body, self._label, dt=dt, steps=steps, samples=1, cancel=self._cancel)
        return self._runs[dt]

    def edge(self, asked: str, failure: Callable[[Run], str]) -> dict[str, Any]:
        """The edge of what `failure` tells of: how a run fails, in words, or nothing."""
        failures = [failure(self._run(dt)) for dt in self._rungs]
        first = next((i for i, why in enumerate(failures) if why), None)
        if first is None:
            return {"asked": asked, "dt": self._rungs[-1], "fails_at": math.nan, "why": "", "window": math.nan}
        bad, why = self._rungs[first], failures[first]
        good = self._rungs[first - 1] if first else math.nan
        while bad - good > self._narrow * good:  # never, where even the smallest fails
            middle = math.sqrt(good * bad)
            reason = failure(self._run(middle))
            if reason:
                bad, why = middle, reason
            else:
                good = middle
        again = [dt for dt, reason in zip(self._rungs[first:], failures[first:], strict=True) if not reason]
        return {"asked": asked, "dt": good, "fails_at": bad, "why": why, "window": max(again, default=math.nan)}


def _fails_to_run(run: Run) -> str:
    """How a run did not get to its end."""
    if run.status == "done":
        return ""
    what = "no solution is found" if run.status == "no-solution" else "the motion is no longer finite"
    return f"{what} in step {run.failed_step}"


def _leaves_energy(run: Run, within: float) -> str:
    """How a run left the bound of the energy, or did not get to its end."""
    error = energy_error(run)
    return _fails_to_run(run) or ("" if error <= within else f"the energy is off by {short(error, 3)}")


def _steps(duration: float, dt: float) -> int:
    """How many steps it takes to get to the end or just beyond."""
    return max(1, math.ceil(round(duration / dt, 9)))


def _ladder(body: Problem, duration: float, smallest: float | None, largest: float | None) -> list[float]:
    """Steps, smallest first, each a fixed ratio above the one before; the largest is among them."""
    top = number(duration / FEWEST_STEPS if largest is None else largest, "largest", 1e-15, duration)
    low = number(min(body.dt / FINER, top / 2) if smallest is None else smallest, "smallest", 1e-15, top)
    steps = _steps(duration, low)
    if steps > MOST_STEPS:
        raise ValueError(
            f"{steps:,} steps are more than the {MOST_STEPS:,} of one run; take a larger smallest step or less time"
        )
    intervals = math.ceil(RUNGS_AN_OCTAVE * math.log2(top / low))
    if intervals >= MOST_RUNGS:
        raise ValueError(
            f"from {short(low)} to {short(top)} are more than {MOST_RUNGS} steps to try; take less of a range"
        )
    return [top * 2.0 ** (-k / RUNGS_AN_OCTAVE) for k in range(intervals, -1, -1)]
