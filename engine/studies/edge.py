"""The edge of stability: the largest step with which a method runs to the end, or keeps the energy
within a bound.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from ..algorithms.core.method import Method, find_method
from ..parameters.parameter import Number, Parameter, Whole
from ..problems.problem import LONGEST, Problem, find_problem
from ..simulation import Run, collect_versions
from ..text.formatting import finish_sentence, show
from .convergence import MOST_STEPS
from .core import (
    Executor,
    ExecutorOptions,
    StudyResult,
    check_energy,
    energy_error,
    find_largest,
    find_roundoff,
)
from .core.charts import Axes, Axis, Chart, Curve, Frame, Guide
from .core.study import DURATION, KEEP, SHORTER, WORKERS, fitting, narrow, study, with_steps

RUNS, ENERGY = "runs", "energy"
"""The two demands: to run to the end, and to keep the energy within a bound."""
ASKED = {RUNS: "runs", ENERGY: "keeps the energy"}
"""The demands in words."""
FINER = 16
"""The ladder begins at the problem's own step divided by this."""
ROUNDOFF = 100
"""The most roundoff of the energy in one step, in units of the last place."""
FEWEST_STEPS = 10
"""The ladder ends where a run has this many steps."""
RUNGS_AN_OCTAVE = 4
MOST_RUNGS = 200


@dataclass(frozen=True)
class Edge:
    """The largest step with which a method meets a demand.

    Attributes
    ----------
    method : its given name.
    asked : the demand, "runs" or "energy".
    dt : the largest step below the first failure that meets it; NaN if the ladder's smallest fails.
    fails_at : the step next to it, which fails; NaN if no rung fails.
    why : how that one fails, in words; empty if none fails.
    window : the largest rung above the edge that meets the demand again; NaN if there is none.
    roundoff : the largest rung below which the energy leaves the bound by roundoff, as larger steps
        have smaller errors; NaN if there is none.
    tried : the number of runs of this method in all.
    """

    method: str
    asked: str
    dt: float
    fails_at: float
    why: str
    window: float
    roundoff: float
    tried: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StabilityEdges(StudyResult):
    """The edges of methods on one problem.

    Attributes
    ----------
    duration : how long a run takes at least: it ends with the first step at or after it.
    ladder : the steps that were tried with each method, smallest first, before the bisection.
    within : the relative bound of the energy, or None.
    digits : to how many digits the edge is known.
    edges : for each method one for running to the end and, with a bound, one for the energy.
    versions : of the software that measured.
    """

    table = "edges", Edge
    duration: float
    ladder: tuple[float, ...]
    within: float | None
    digits: int
    edges: tuple[Edge, ...]
    versions: dict[str, str | None]

    def of(self, method: str | Method, asked: str = RUNS) -> Edge:  # type: ignore[override]
        """Return the edge of one method, for running to the end or for the energy."""
        for edge in super().of(method):
            if edge.asked == asked:
                return edge
        raise ValueError(f"this study has no edge of {find_method(method).label} for {asked!r}")

    def _conclude(self, method: str) -> str:
        return " ".join(self._describe(edge) for edge in super().of(method))

    def _describe(self, edge: Edge) -> str:
        name = self.names[edge.method]
        runs = edge.asked == RUNS
        bound = f"the energy error below {show(self.within or 0.0)}"
        does = "runs reach the end" if runs else bound.replace(" below", " stays below")
        if math.isnan(edge.fails_at):
            return f"{name}: {does} with all steps tried, up to Δt = {self._round_down(edge.dt)}."
        if math.isnan(edge.dt):
            fails = "does not reach the end" if runs else f"does not keep {bound}"
            step = f"the smallest step tried, Δt = {show(edge.fails_at, self.digits)},"
            text = [f"{name}: {step} {fails}.", finish_sentence(edge.why)]
        else:
            limit = f"up to Δt = {self._round_down(edge.dt)}"
            text = [f"{name}: {does} {limit}.", f"Beyond that, {edge.why}."]
        if not math.isnan(edge.window):
            text.append(
                f"Some larger steps work again, up to Δt = {self._round_down(edge.window)}."
            )
        if not math.isnan(edge.roundoff):
            step = f"With Δt = {show(edge.roundoff, self.digits)} or less"
            text.append(f"{step}, roundoff exceeds the bound.")
        return " ".join(text)

    def _round_down(self, dt: float) -> str:
        """Write a step with the digits that are known, and not beyond the edge."""
        last = 10.0 ** (math.floor(math.log10(dt)) - self.digits + 1)
        return show(math.floor(dt / last + 1e-9) * last, self.digits)

    @staticmethod
    def draw_chart(frame: Frame) -> Chart:
        """Draw the largest steps, method by method."""
        methods = list(dict.fromkeys(frame["method"])) if len(frame) else []
        axes = Axes(Axis("method", ticks=tuple(methods)), Axis("largest Δt", log=True))
        curves = []
        for asked, name in ASKED.items() if methods else ():
            rows = frame[(frame["asked"] == asked) & (frame["dt"] > 0)]
            places = np.array([methods.index(method) for method in rows["method"]], float)
            curves.append(Curve(name, places, rows["dt"].to_numpy(float), marks=True))
        guides = [
            Guide(show(dt, 3), (x,), (dt,), 0, curve.name)
            for curve in curves
            for x, dt in zip(curve.x.tolist(), curve.y.tolist(), strict=True)
        ]
        return Chart((axes,), tuple(curve for curve in curves if len(curve.x)), (), tuple(guides))


WITHIN = Parameter(
    "within",
    Number(1e-14, 1e6),
    "the largest relative energy error that counts as kept; without it the study finds only how "
    "far methods run",
    label="Energy within",
)
DIGITS = Parameter("digits", Whole(1, 9), "the number of digits of the edge")
SMALLEST, LARGEST = (
    Parameter(name, Number(1e-15, LONGEST), f"the {name} step to try; by default {own}")
    for name, own in (
        ("smallest", f"1/{FINER} of the problem's own"),
        ("largest", f"1/{FEWEST_STEPS} of the duration"),
    )
)


def _count_steps(problem: Any, values: Mapping[str, Any]) -> float:
    """Count the steps of one method: all rungs, and for each edge a bisection of runs as long as
    the first rung.
    """
    duration = values["duration"]
    top = values.get("largest") or duration / FEWEST_STEPS
    low = values.get("smallest") or min(problem.dt / FINER, top / 2)
    ratio: float = 2.0 ** (1 / RUNGS_AN_OCTAVE)
    rungs = max(1.0, math.ceil(RUNGS_AN_OCTAVE * math.log2(top / low)) + 1) if top > low else 1.0
    halvings: float = math.log2((ratio - 1) * 10.0 ** values["digits"]) + 2
    edges = 1 + (values.get("within") is not None)
    first: float = duration / low + 1
    return ratio * first / (1 - 1 / ratio) + rungs + edges * halvings * ratio * first


@study(
    key="edge",
    title="Edge of stability",
    sentence="The largest step with which methods run to the end, and with which they keep the "
    "energy.",
    example=("NMB", "AKW", "DMV", "MR2"),
    without="all that fit",
    row_keys=("method", "asked"),
    unit="methods",
    coloured=False,
    aliases=("stability_edge",),
    old_words={"energy_within": "within"},
    place=6,
    arguments=(DURATION, WITHIN, SMALLEST, LARGEST, DIGITS, WORKERS, KEEP),
    fields=(SHORTER, narrow(WITHIN, 0.01, low=1e-14, high=100.0)),
    steps=lambda problem, methods, values: len(methods) * _count_steps(problem, values),
    classes=(Edge,),
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
    **options: Unpack[ExecutorOptions],
) -> StabilityEdges:
    """Find the largest step with which methods run to the end, and with which they keep the energy.

    Neither is monotonic in the step: a method may fail at one step and run at a larger one. So the
    study runs a geometric ladder of steps, four to the doubling, and finds the edge by bisection
    between the first rung that fails and the one below it. It does not look between two rungs that
    run; rungs above the edge that run are windows.

    Raises
    ------
    ValueError
        For a problem or a method that is unknown or does not fit, and for a bound on an energy that
        is not conserved.
    """
    body = find_problem(problem, Problem)
    executor = Executor(**options)
    chosen, left_out = fitting(body, methods, with_steps)
    T = duration or body.duration
    rungs = _ladder(body, T, smallest, largest)
    if within is not None:
        check_energy(body)

    def measure(label: str) -> dict[str, Any]:
        runs: dict[float, Run] = {}

        def run(dt: float) -> Run:
            if dt not in runs:
                runs[dt] = executor.simulate(body, label, dt=dt, steps=_steps(T, dt), samples=1)
            return runs[dt]

        found = [_find_edge(RUNS, lambda dt: _fails_to_run(run(dt)), rungs, digits)]
        if within is not None:
            skipped = _count_at_roundoff([run(dt) for dt in rungs], rungs, within)
            energy = _find_edge(
                ENERGY, lambda dt: _leaves_energy(run(dt), within), rungs[skipped:], digits
            )
            found.append(energy | ({"roundoff": rungs[skipped - 1]} if skipped else {}))
        return {"edges": [{"method": label} | edge | {"tried": len(runs)} for edge in found]}

    def report(done: int, total: int, row: dict[str, Any]) -> None:
        for edge in row["edges"]:
            executor.report(done, total, edge)

    about = {"study": "edge", "problem": body.to_json(), "duration": T, "within": within}
    about |= {"ladder": rungs, "digits": digits, "versions": collect_versions()}
    rows, finished = replace(executor, progress=report).carry_out(
        [m.given_name for m in chosen], measure, about
    )
    return StabilityEdges(
        problem=body,
        duration=T,
        ladder=tuple(rungs),
        within=within,
        digits=digits,
        edges=tuple(Edge(**edge) for row in rows for edge in row["edges"]),
        left_out=left_out,
        versions=collect_versions(),
        finished=finished,
    )


def _find_edge(
    asked: str, failure: Callable[[float], str], rungs: Sequence[float], digits: int
) -> dict[str, Any]:
    """Find the edge of a demand; `failure` says how the run with a step fails, or nothing."""
    near = 10.0**-digits
    meets = functools.cache(lambda dt: not failure(dt))
    good, bad = find_largest(
        meets, rungs, lambda a, b: math.sqrt(a * b) if b - a > near * a else None
    )
    why = "" if math.isnan(bad) else failure(bad)
    again = [dt for dt in rungs if dt > bad and meets(dt)]
    return {
        "asked": asked,
        "dt": good,
        "fails_at": bad,
        "why": why,
        "window": max(again, default=math.nan),
        "roundoff": math.nan,
    }


def _count_at_roundoff(runs: Sequence[Run], rungs: Sequence[float], within: float) -> int:
    """Count the rungs up to the last that leaves the bound of the energy by roundoff: there errors
    no longer fall with the step, and roundoff of all steps can be as large.
    """
    errors = [energy_error(run) if run.status == "done" else math.inf for run in runs]
    end = find_roundoff(rungs, errors, 1e-16)
    if end is None:
        return 0
    unit = np.finfo(np.float32 if runs[0].method.single else float).eps
    failing = [
        i
        for i, error in enumerate(errors[:-1])
        if rungs[i] <= end[0] and within < error <= ROUNDOFF * unit * runs[i].cost.steps
    ]
    return failing[-1] + 1 if failing else 0


def _fails_to_run(run: Run) -> str:
    """Say how a run did not reach its end."""
    if run.status == "done":
        return ""
    what = "finds no solution" if run.status == "no-solution" else "overflows"
    return f"it {what} in step {run.failed_step:,}"


def _leaves_energy(run: Run, within: float) -> str:
    """Say how a run left the bound of the energy, or did not reach its end."""
    error = energy_error(run)
    much = "is larger" if show(error, 3) == show(within, 3) else f"is {show(error, 3)}"
    return _fails_to_run(run) or ("" if error <= within else f"the energy error {much}")


def _steps(duration: float, dt: float) -> int:
    """Return how many steps reach the end or go just beyond."""
    return max(1, math.ceil(round(duration / dt, 9)))


def _ladder(
    body: Problem, duration: float, smallest: float | None, largest: float | None
) -> list[float]:
    """Return steps, smallest first, each a fixed ratio above the one before; the largest is among
    them.
    """
    top = Number(1e-15, duration).check(
        duration / FEWEST_STEPS if largest is None else largest, "largest"
    )
    low = Number(1e-15, top).check(
        min(body.dt / FINER, top / 2) if smallest is None else smallest, "smallest"
    )
    steps = _steps(duration, low)
    if steps > MOST_STEPS:
        raise ValueError(
            f"{steps:,} steps are more than the {MOST_STEPS:,} of one run; give a larger smallest step or less time"
        )
    intervals = math.ceil(RUNGS_AN_OCTAVE * math.log2(top / low))
    if intervals >= MOST_RUNGS:
        raise ValueError(
            f"from {show(low)} to {show(top)} there are more than {MOST_RUNGS} steps to try; give a smaller range"
        )
    return [top * 2.0 ** (-k / RUNGS_AN_OCTAVE) for k in range(intervals, -1, -1)]
