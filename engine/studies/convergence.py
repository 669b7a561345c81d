"""Convergence: the errors at the end of a run by the step, with fitted slopes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from ..algorithms import name_methods
from ..algorithms.core.method import Method
from ..parameters.parameter import Number
from ..problems.given_rates.given import GivenRates
from ..problems.problem import AnyProblem, Problem, find_problem
from ..simulation.provenance import collect_versions
from ..text.formatting import join_words, show
from .core import (
    KINDS,
    LARGE,
    NEAR,
    SAMPLES,
    Executor,
    ExecutorOptions,
    Slope,
    TrueEnd,
    Turning,
    call_by_names,
    find_roundoff,
    fitting,
    not_adaptive,
    slope,
)
from .core.charts import Axes, Axis, Chart, Frame, draw_by_method
from .core.errors_at_end import OF_TURNING, ErrorsAtEnd
from .core.placement import SLOPES, draw_floor, draw_slopes
from .core.study import DTS, DURATION, FEWER, KEEP, SHORTER, WORKERS, study

DOUBLINGS, HALVINGS = 4, 8
"""The default ladder begins with the problem's own step, doubled so often, and ends with its step,
halved so often.
"""
AT_ROUNDOFF = 100.0
"""Times the floor; an error that is smaller at all steps is roundoff."""
WHOLE = 0.15
"""A slope this near to a whole number is written as that number."""
MOST_STEPS = 50_000_000
"""The largest number of steps of one run."""


@dataclass(frozen=True)
class Rung:
    """One run: its step, its errors at the end and its cost.

    Errors are NaN if it did not reach the end; the attitude's is infinite if the phase was lost
    before it.
    """

    method: str
    dt: float
    steps: int
    attitude: float
    momentum: float
    energy: float
    torque_evaluations: int
    newton_iterations: int
    status: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Convergence(ErrorsAtEnd):
    """The errors of methods at the end of a run, by the step.

    Attributes
    ----------
    duration : of each run.
    rungs : a row for each method and step, largest step first: at the end the angle to the exact
        attitude (rad) and the error of the momentum relative to its largest; and the largest
        relative error of the energy over every step.
    reference : what the runs are compared with, in words.
    versions : of the software that measured.
    """

    table = "rungs", Rung
    plots = tuple(
        (Axes(Axis("Δt", log=True), Axis(label, log=True)), "dt", kind)
        for kind, label in KINDS.items()
    )
    duration: float
    rungs: tuple[Rung, ...]
    reference: str
    versions: dict[str, str | None]

    def slope(self, method: str | Method, kind: str = "attitude") -> Slope | None:
        """Fit the slope between large errors and roundoff; None if too few steps are there."""
        return slope(*self._errors(method, kind), self.floors[kind], LARGE)

    def roundoff(self, method: str | Method, kind: str = "attitude") -> tuple[float, float] | None:
        """Return the largest step at which the error no longer falls, and the least error from
        there on; None if it falls at all steps.
        """
        return find_roundoff(*self._errors(method, kind), self.floors[kind])

    def _errors(self, method: str | Method, kind: str) -> tuple[list[float], list[float]]:
        """Return the steps and the errors, infinite for runs that do not reach the end."""
        rungs = self.of(method)
        errors = [getattr(rung, kind) for rung in rungs]
        return [rung.dt for rung in rungs], [math.inf if math.isnan(e) else e for e in errors]

    @classmethod
    def draw_chart(cls, frame: Frame) -> Chart:
        """Draw the errors with the slopes of orders 1, 2 and 4."""
        return cls._draw(frame, {}, SLOPES)

    @classmethod
    def _draw(cls, frame: Frame, floors: Mapping[str, float], slopes: Sequence[int]) -> Chart:
        """Draw the errors with all guides, each where the ones before leave room."""
        plots = [plot for plot in cls.plots if plot[-1] in frame]
        chart = draw_by_method(frame, plots)
        for plot, (*_, kind) in enumerate(plots):
            if kind in floors:
                chart = chart.with_guides(*draw_floor(chart, plot, floors[kind]))
        return chart.with_guides(*draw_slopes(chart, slopes))

    @property
    def chart(self) -> Chart:
        """The frames, with the floors of roundoff, and beside the methods' names their orders and
        the largest steps with which they run.
        """
        space = self.problem.space
        chart = self._draw(
            call_by_names(self.chart_frame(), space), self.floors, self._choose_slopes()
        )
        names = name_methods(self.methods, space=space)
        notes = {name: note for m, name in names.items() if (note := self._write_note(m))}
        return chart._replace(notes=notes)

    def _choose_slopes(self) -> Sequence[int]:
        """Return the slopes of triangles: the usual ones, or if a method shows a higher order of the
        attitude, the lowest and the highest that methods show.
        """
        fits = filter(None, map(self.slope, self.methods))
        shown = {round(fit.value) for fit in fits if fit.uncertainty <= NEAR}
        is_higher = max(shown, default=0) > max(SLOPES)
        return sorted({max(1, min(shown)), max(shown)}) if is_higher else SLOPES

    def _conclude(self, method: str) -> str:
        orders = self.describe_orders(method)
        exact = [kind for kind in self.floors if self._is_exact(method, kind)]
        text = f"{self.names[method]}: {orders or 'no order'}"
        text += f"; {join_words(exact)} at roundoff" if exact else ""
        ends = {kind: self.roundoff(method, kind) for kind in self._find_orders(method)}
        notes = [
            f"Its {kind} error stops falling near Δt = {show(end[0], 2)}."
            for kind, end in ends.items()
            if end is not None
        ][:1]
        notes += [
            f"Errors in {join_words(kinds)} {reason}."
            for reason, kinds in self._find_missing(method).items()
        ]
        lost = [rung.dt for rung in self.of(method) if rung.attitude == math.inf]
        if lost:
            notes.append(
                f"With Δt = {show(min(lost), 3)} or more it loses phase, which hides the attitude error."
            )
        failed = [rung.dt for rung in self.of(method) if rung.status != "done"]
        if failed:
            notes.append(f"With Δt = {show(min(failed), 3)} or more it does not reach the end.")
        return " ".join([f"{text}.", *notes])

    def describe_orders(self, method: str) -> str:
        """Name the orders that a method shows, each with its kinds of error; empty if none does."""
        kinds: dict[str, list[str]] = {}
        for kind, fit in self._find_orders(method).items():
            kinds.setdefault(format_order(fit), []).append(kind)
        return ", ".join(f"order {order} in {join_words(found)}" for order, found in kinds.items())

    def _write_note(self, method: str) -> str:
        """Say in a few words for a legend which orders a method shows, the order alone if all
        errors share it, and up to which step it runs.
        """
        orders = {format_order(fit) for fit in self._find_orders(method).values()}
        shared = len(orders) == 1 and not self._find_missing(method)
        note = f"order {orders.pop()}" if shared else self.describe_orders(method)
        done = [rung.dt for rung in self.of(method) if rung.status == "done"]
        runs = len(done) < len(self.of(method)) and done
        return ", ".join(filter(None, [note, f"runs to Δt = {show(max(done), 2)}" if runs else ""]))

    @property
    def summary(self) -> str:
        """What the chart does not show: errors without an order, and how many methods lose phase."""
        missing: dict[tuple[str, str], list[str]] = {}
        for method in self.methods:
            for reason, kinds in self._find_missing(method).items():
                missing.setdefault((join_words(kinds), reason), []).append(self.names[method])
        text = [
            f"Errors in {kinds} of {join_words(names)} {reason}."
            for (kinds, reason), names in missing.items()
        ]
        lost = [r for m in self.methods for r in self.of(m) if r.attitude == math.inf]
        if lost:
            losing = list(dict.fromkeys(self.names[rung.method] for rung in lost))
            who = losing[0] if len(losing) == 1 else f"{len(losing)} of {len(self.methods)} methods"
            text.append(
                f"{who} lose{'s' * (len(losing) == 1)} phase with large steps, from "
                f"Δt = {show(min(rung.dt for rung in lost), 2)} on, which hides the attitude error."
            )
        return " ".join(text)

    def _find_orders(self, method: str) -> dict[str, Slope]:
        """Return the slopes that are certain enough, by the kind of error."""
        fits = {
            kind: self.slope(method, kind)
            for kind in self.floors
            if not self._is_exact(method, kind)
        }
        return {kind: fit for kind, fit in fits.items() if fit and fit.uncertainty <= NEAR}

    def _is_exact(self, method: str, kind: str) -> bool:
        """Whether an error is roundoff at all steps."""
        known = self._list_known(method, kind)
        return bool(known) and max(known) <= AT_ROUNDOFF * self.floors[kind]

    def _list_known(self, method: str, kind: str) -> list[float]:
        """Return the finite errors of a kind."""
        return [e for rung in self.of(method) if math.isfinite(e := getattr(rung, kind))]

    def _find_missing(self, method: str) -> dict[str, list[str]]:
        """Return why errors that are not roundoff have no order, and the kinds of these errors."""
        reasons: dict[str, list[str]] = {}
        found = self._find_orders(method)
        for kind in self.floors:
            if kind in found or self._is_exact(method, kind) or not self._list_known(method, kind):
                continue
            fit = self.slope(method, kind)
            end = self.roundoff(method, kind)
            above = "" if end is None else f" above {show(end[0], 2)}, where roundoff begins"
            if fit is not None:
                reason = f"follow no power of Δt yet: use smaller steps{above}"
            else:
                reason = f"show no order yet: add {'smaller ' * (not above)}steps{above}"
            reasons.setdefault(reason, []).append(kind)
        return reasons


def format_order(fit: Slope) -> str:
    """Format an order: 2, or 2.3 if no whole number is near."""
    whole = round(fit.value)
    return f"{whole}" if abs(fit.value - whole) <= WHOLE else f"{fit.value:.1f}"


def counts_of_ladder(problem: Any, values: Mapping[str, Any]) -> list[float]:
    """Return how many steps each run has, with the given steps or the default ones."""
    if values.get("dts"):
        return [values["duration"] / dt + 1 for dt in values["dts"]]
    own = values["duration"] / problem.dt
    first = max(1.0, own / 2**DOUBLINGS + 0.5)
    most = own * 2 ** (HALVINGS + 0.5)
    return [min(first * 2**k, most) for k in range(DOUBLINGS + HALVINGS + 1)]


def steps_of_ladders(problem: Any, methods: Sequence[str], values: Mapping[str, Any]) -> float:
    """Return the steps of all runs."""
    return len(methods) * sum(counts_of_ladder(problem, values))


@study(
    key="convergence",
    title="Convergence",
    sentence="The errors at the end by the step, with the slopes that the methods show.",
    row_keys=("method", "dt"),
    place=1,
    spaces=OF_TURNING,
    arguments=(DTS, DURATION, WORKERS, KEEP),
    fields=(SHORTER, FEWER),
    steps=steps_of_ladders,
)
def convergence(
    problem: str | Turning,
    methods: str | Method | Sequence[str | Method],
    dts: Sequence[float] | None = None,
    *,
    duration: float | None = None,
    **options: Unpack[ExecutorOptions],
) -> Convergence:
    """Run methods with ever smaller steps, and compare their ends with that of the exact motion.

    Raises
    ------
    ValueError
        For a problem or a method that is unknown or does not fit, and for a motion whose exact end
        is unknown.
    """
    body = find_problem(problem, Problem, GivenRates)
    executor = Executor(**options)
    chosen, _ = fitting(body, methods, not_adaptive)
    T = duration or body.duration
    counts = ladder(body, T, dts)
    end = TrueEnd.of(body, T, T / counts[0], executor.cancel)

    def measure(part: tuple[str, int]) -> dict[str, Any]:
        label, n = part
        run = executor.simulate(body.at_step(T / n), label, dt=T / n, steps=n, samples=SAMPLES)
        cost = {
            "torque_evaluations": run.cost.torque_evaluations,
            "newton_iterations": run.cost.newton_iterations,
        }
        return (
            {"method": label, "dt": T / n, "steps": n}
            | end.judge(run)
            | cost
            | {"status": run.status}
        )

    setting = {
        "study": "convergence",
        "problem": body.to_json(),
        "duration": T,
        "versions": collect_versions(),
    }
    rows, finished = executor.carry_out(
        [(m.given_name, n) for m in chosen for n in counts], measure, setting
    )
    return Convergence(
        problem=body,
        duration=T,
        rungs=tuple(Rung(**(end.unknown | row)) for row in rows),
        floors=end.floors,
        reference=end.motion.how,
        versions=collect_versions(),
        finished=finished,
    )


def ladder(problem: AnyProblem, duration: float, dts: Sequence[float] | None) -> list[int]:
    """Return numbers of steps, fewest first, for steps that divide the duration."""
    if dts is None:
        own = duration / problem.dt
        first = max(1, round(own / 2**DOUBLINGS))
        most = min(MOST_STEPS, own * 2 ** (HALVINGS + 0.5))
        counts = [first * 2**k for k in range(DOUBLINGS + HALVINGS + 1)]
        counts = [n for n in counts if n <= most] or counts[:1]
    else:
        steps = [Number(1e-15, duration).check(dt, "dt") for dt in dts]
        counts = sorted({math.ceil(round(duration / dt, 9)) for dt in steps})
    if not counts:
        raise ValueError("give at least one step")
    if counts[-1] > MOST_STEPS:
        raise ValueError(
            f"{counts[-1]:,} steps are more than the {MOST_STEPS:,} of one run; give larger ones or less time"
        )
    return counts
