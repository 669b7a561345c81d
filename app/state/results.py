"""Results of a choice: a run of each method, the exact motion, and the errors against it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import engine
from engine.algorithms import use_short_names
from engine.compiler.notices import describe_compiling
from engine.exact import (
    FOR_REFERENCE,
    AttitudeErrors,
    Cancelled,
    Motion,
    PairMotion,
    compile_kernels,
    describe_loss,
    find_missing_kernels,
    has_exact,
)
from engine.parameters.validation import Array
from engine.quantities import CONSERVED, LEAST, compile_quantities
from engine.simulation import SYSTEMS, AnyRun, BodyRun
from engine.text.formatting import finish_sentence

from .choice import Choice

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Colours of the methods, in order: Okabe and Ito's, which colour-blind readers can distinguish."""
EXACT_LABEL, EXACT_COLOUR = "exact", "#7A8591"
"""The name and the colour of the exact motion, where it is drawn beside methods."""

Progress = Callable[..., Any]
"""Called with the part that is done, from 0 to 1, and with words on what is being done, if there
are any.
"""
AWAITED = "The exact motion is still being computed."
STOPPED = "The computation of the exact motion was stopped."


@dataclass(frozen=True, eq=False)
class Line:
    """The part of one method: its run, or the reason why it has none.

    Attributes
    ----------
    label : as in the choice.
    name, colour : of the method, everywhere on the page.
    run : None if the method does not fit the problem, for the reason in `why_not`, a sentence that
        names it; otherwise this is a `RunLine`.
    error : the errors of the run against the exact motion, if it is known.
    fitting_dt : for a method without a run, the nearest Δt that fits it and the others, if any does.
    """

    label: str
    name: str
    colour: str
    run: AnyRun | None
    error: AttitudeErrors | None = None
    why_not: str = ""
    fitting_dt: float | None = None


class RunLine(Line):
    """The part of a method that has a run."""

    run: Any
    error: Any = None


@dataclass(frozen=True, eq=False)
class Results:
    """Everything that the views show.

    Attributes
    ----------
    problem : of one body, or of two.
    exact : the exact motion at the times of the longest run, as far as it is known.
    no_exact : why there is no exact motion, or none from some time on.
    compared_with : the label of the method with which the others are compared, if there can be no
        exact motion.
    cancelled : whether the runs were cancelled.
    """

    choice: Choice
    problem: Any
    lines: tuple[Line, ...]
    exact: Any = None
    no_exact: str = ""
    compared_with: str = ""
    cancelled: bool = False

    @property
    def exact_is_pending(self) -> bool:
        """Whether the exact motion is still to be computed, by `add_exact_motion`."""
        return self.no_exact == AWAITED

    @cached_property
    def runs(self) -> list[RunLine]:
        """The lines that have a run."""
        return [line for line in self.lines if isinstance(line, RunLine)]

    @property
    def is_free(self) -> bool:
        """Whether it is one body without a torque: π is constant, and Poinsot's construction
        holds.
        """
        return "pi" in self.problem.invariants and self.problem.torque is None

    @property
    def stays_at_rest(self) -> bool:
        """Whether one body begins at rest and nothing moves it."""
        if self.problem.Omega0.any():
            return False
        return self.is_free or (self.exact is not None and not self.exact.Omega.any())


Kernels = Sequence[tuple[str, Any]]
"""Kernels with the names of their methods, as the page names these."""


def list_kernels(choice: Choice) -> tuple[Kernels, Kernels]:
    """The kernels that the runs of a choice still need to compile, and those that its exact motion
    needs besides.
    """
    of_runs: list[tuple[str, Any]] = []
    of_exact: list[tuple[str, Any]] = []
    for label, parts in find_missing_kernels(choice.build_problem(), choice.algorithms, choice.dt):
        kernels = of_exact if label == FOR_REFERENCE else of_runs
        kernels.append((choice.names.get(label, label), parts))
    return of_runs, of_exact


def describe_first_kernel(choice: Choice) -> str:
    """The first kernel to be compiled, in words for the page while it loads; empty if there is
    none.
    """
    of_runs, of_exact = list_kernels(choice)
    first = of_runs or of_exact
    return describe_compiling(first[0][0], 1, len(first)) if first else ""


def prepare_kernels(
    kernels: Kernels, cancel: threading.Event | None = None, progress: Progress | None = None
) -> bool:
    """Compile kernels; False if that was cancelled."""

    def report(number: int, of: int, method: str) -> None:
        if progress is not None:
            progress((number - 1) / of, describe_compiling(method, number, of))

    return compile_kernels(kernels, report, cancel)


def compute(
    choice: Choice,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
    before: Results | None = None,
    exact: bool = True,
) -> Results:
    """The results of a choice; the methods run one after the other.

    Runs of the same setting in the results `before` are reused. Without `exact`, the exact motion
    stays pending.
    """
    problem = choice.build_problem()
    compile_quantities(problem, CONSERVED)  # here, so that the page need not wait for its plots
    system = SYSTEMS[problem.space]
    parts = len(choice.methods) + exact  # the exact motion is one of them
    if before is not None and (
        before.cancelled or replace(before.choice, methods=choice.methods) != choice
    ):
        before = None
    known = {line.label: line for line in before.runs} if before is not None else {}
    fitting = system.find_fitting_dt(problem, choice.algorithms, choice.dt)
    lines: list[Line] = []
    chosen = zip(choice.names.items(), choice.algorithms, COLOURS, strict=False)
    for i, ((label, name), method, colour) in enumerate(chosen):
        if label in known:
            lines.append(replace(known[label], name=name, colour=colour))
        elif reason := system.why_not(problem, method, choice.dt):
            named = reason.replace(method.given_name, name, 1)
            reason = finish_sentence(use_short_names(named, choice.space))
            fits = system.why_not(problem, method, fitting) is None
            lines.append(Line(label, name, colour, None, None, reason, fitting if fits else None))
        else:
            run = engine.simulate(
                problem,
                method,
                dt=choice.dt,
                duration=choice.duration,
                every=choice.every,
                cancel=cancel,
                progress=_share(progress, i, parts),
            )
            lines.append(RunLine(label, name, colour, run))
    results = Results(
        choice, problem, tuple(lines), cancelled=cancel is not None and cancel.is_set()
    )
    if not results.runs or results.cancelled:
        return results
    if not has_exact(problem):
        recorded = choice.space == "rates"
        return compare_runs(results) if recorded else add_exact_motion(results, cancel, None)
    if before is not None and before.exact is not None and _covers(before, _longest_times(results)):
        return _with_errors(results, before.exact, before.no_exact)
    if not exact:
        return replace(results, no_exact=AWAITED)
    return add_exact_motion(results, cancel, _share(progress, parts - 1, parts))


NO_EXACT = "A recording has no exact motion."


def compare_runs(results: Results) -> Results:
    """The results of a recording, whose methods are compared with the one of the highest order among
    them.
    """
    whole = [line for line in results.runs if line.run.status == "done"]
    if len(results.runs) < 2 or not whole:
        return replace(results, no_exact=f"{NO_EXACT} Add a method to compare two.")
    best = max(whole, key=lambda line: min(line.run.method.order or (0,)))
    lines = [
        replace(line, error=None if line is best else _find_error(line.run, best.run))
        if isinstance(line, RunLine)
        else line
        for line in results.lines
    ]
    words = f"{NO_EXACT} The methods are compared with {best.name}, the one of the highest order."
    return replace(results, lines=tuple(lines), no_exact=words, compared_with=best.label)


def add_exact_motion(
    results: Results, cancel: threading.Event | None, progress: Callable[[int, int], Any] | None
) -> Results:
    """The results with the exact motion, and with the errors of the runs against it."""
    problem = results.problem
    try:
        exact = engine.exact(
            problem, _longest_times(results), dt=results.choice.dt, progress=progress, cancel=cancel
        )
    except Cancelled:
        return replace(results, no_exact=STOPPED)
    except ValueError as error:
        return replace(results, no_exact=finish_sentence(str(error)))
    known = exact.known_part()
    lost = "" if known is exact else finish_sentence(describe_loss(problem, float(known.t[-1])))
    return _with_errors(results, known, lost)


def _longest_times(results: Results) -> Array:
    return max((line.run.t for line in results.runs), key=len)


def _with_errors(results: Results, exact: Motion | PairMotion, no_exact: str) -> Results:
    lines = [
        replace(line, error=_find_error(line.run, exact))
        if isinstance(line, RunLine) and line.error is None
        else line
        for line in results.lines
    ]
    return replace(results, lines=tuple(lines), exact=exact, no_exact=no_exact)


def _share(progress: Progress | None, part: int, parts: int) -> Callable[[int, int], Any] | None:
    """A callback for the steps of one of several parts, which reports the part of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress((part + done / max(total, 1)) / parts)


def _covers(before: Results, times: Array) -> bool:
    """Whether earlier results have the exact motion at these times, or at all of them for which it
    is known.
    """
    exact = before.exact
    assert exact is not None
    n = len(exact.t)
    return np.array_equal(exact.t, times[:n]) and (n == len(times) or bool(before.no_exact))


def _find_error(run: Any, exact: Any) -> AttitudeErrors | None:
    if len(run) > 1:
        with suppress(ValueError):
            return engine.error(run, exact)
    return None


def is_nearly_zero(value: float) -> bool:
    """Whether a first value is too small to be the divisor of others."""
    return abs(value) <= LEAST


def scale_of(value: float) -> float:
    """The divisor of a relative deviation: the magnitude of the first value, or 1 if that is nearly
    zero.
    """
    return 1.0 if is_nearly_zero(value) else abs(float(value))


ENERGY_KEPT = 0.02
"""The largest change of energy that counts as none, as a part of the first; as in energies.js."""


def keeps_energy(run: BodyRun) -> bool:
    """Whether the energy, at every step, is so near to the first that it counts as kept."""
    first = float(run.energy[0])
    within = roundoff(run) if is_nearly_zero(first) else ENERGY_KEPT
    return run.deviation("energy") <= within * scale_of(first)


ROUNDOFF, ROUNDOFF_OF_SINGLES = 1e-12, 1e-5
"""The largest relative deviation of a quantity that counts as exact, for up to a hundred steps."""
BIAS_OF_SINGLES = 2.0**-24
"""The largest roundoff of a step in 32 bits, which may have the same sign in each step."""


def bound_roundoff(method: engine.Method) -> tuple[float, float]:
    """The roundoff of up to a hundred steps, and that of a step that may be biased: 0 if it only
    varies in sign.
    """
    if not method.single:
        return ROUNDOFF, 0.0
    return ROUNDOFF_OF_SINGLES, BIAS_OF_SINGLES * len(method.stages)


def grow_roundoff(least: float, biased: float, steps: int) -> float:
    """The roundoff that may accumulate in some steps, from what `bound_roundoff` returns: biased
    roundoff grows with the steps, and other roundoff like a random walk.
    """
    return max(least, biased * steps) if biased else least * max(1.0, math.sqrt(steps / 100))


def random_roundoff(run: AnyRun) -> float:
    """The roundoff that may accumulate in a run if its sign varies."""
    return grow_roundoff(bound_roundoff(run.method)[0], 0.0, run.cost.steps)


def roundoff(run: AnyRun) -> float:
    """The roundoff that may accumulate in a run."""
    return grow_roundoff(*bound_roundoff(run.method), run.cost.steps)
