"""What follows from a choice: a run of each method, the exact motion, and the errors; computed without any page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import engine
from engine.cancelling import Cancelled, cancelled
from engine.checks import Array
from engine.compiler.telling import compiling
from engine.exact import Motion
from engine.exact.errors import Errors
from engine.exact.reference import lost_words
from engine.run import AnyRun
from engine.systems import system_of
from engine.warm import FOR_REFERENCE, make, missing
from engine.wording import sentence

from .session import Choice

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Of the methods, in their order: Okabe and Ito's, which people who see few colours can tell apart too."""
EXACT_COLOUR = "#7A8591"

Progress = Callable[..., Any]
"""Told which part is done, from 0 to 1, and in words what is being done, if that is to be said."""
AWAITED = "The exact motion is still being computed."
STOPPED = "The computation of the exact motion was stopped."


@dataclass(frozen=True, eq=False)
class Line:
    """One method's part: its run, or the reason why there is none.

    Attributes
    ----------
    label : the method's label, as in the choice.
    colour : its colour, everywhere on the page.
    run : None if the method does not fit the problem; `why_not` tells then. Else this is a `Ran`.
    error : the run's errors against the exact motion, if that could be had.
    """

    label: str
    colour: str
    run: AnyRun | None
    error: Errors | None = None
    why_not: str = ""


class Ran(Line):
    """The part of a method that has a run: a `Run` of one body, or a `TwoBodyRun`."""

    run: Any


@dataclass(frozen=True, eq=False)
class Results:
    """All that the views show.

    Attributes
    ----------
    problem : of one body, or of two.
    exact : the exact motion at the times of the longest run, as far as it is known; there is none of two bodies.
    no_exact : why there is no exact motion, or none from some time on.
    """

    choice: Choice
    problem: Any
    lines: tuple[Line, ...]
    exact: Motion | None
    no_exact: str
    cancelled: bool = field(default=False)

    @property
    def awaited(self) -> bool:
        """Whether the exact motion is still to come, from `compared`."""
        return self.no_exact == AWAITED

    @property
    def runs(self) -> list[Ran]:
        """The lines that have a run."""
        return [line for line in self.lines if isinstance(line, Ran)]

    @property
    def free(self) -> bool:
        """Whether it is one body on which no torque acts: π stays where it is and the Poinsot construction holds."""
        return "pi" in self.problem.invariants and self.problem.torque is None


Kernels = Sequence[tuple[str, Any]]


def kernels(choice: Choice) -> tuple[Kernels, Kernels]:
    """What has to be compiled before there are runs of the choice, and what more before its exact motion."""
    found = missing(choice.built(), [choice.method(label) for label in choice.methods], choice.dt)
    of_runs = [kernel for kernel in found if kernel[0] != FOR_REFERENCE]
    return of_runs, [kernel for kernel in found if kernel not in of_runs]


def first_words(choice: Choice) -> str:
    """What is said until it is known how far all is: what is compiled first, if something has to be."""
    of_runs, of_exact = kernels(choice)
    first = of_runs or of_exact
    return compiling(first[0][0], 1, len(first)) if first else ""


def prepared(kernels: Kernels, cancel: threading.Event | None = None, progress: Progress | None = None) -> bool:
    """Compile these; False if that was cancelled."""

    def told(number: int, of: int, method: str) -> None:
        if progress is not None:
            progress((number - 1) / of, compiling(method, number, of))

    return make(kernels, told, cancel)


def compute(
    choice: Choice,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
    before: Results | None = None,
    exact: bool = True,
) -> Results:
    """The runs of a choice, one after the other; what takes long can be cancelled and tells how far it is.

    What has been computed `before` for the same motion is not computed again. If it is not to make an `exact` motion,
    that is awaited, and `compared` makes it.
    """
    problem = choice.built()
    system = system_of(problem)
    parts = len(choice.methods) + (system.has_exact and exact)  # the exact motion is one of them
    if before is not None and (before.cancelled or replace(before.choice, methods=choice.methods) != choice):
        before = None
    there = {line.label: line for line in before.lines} if before is not None else {}
    lines: list[Line] = []
    for i, (label, colour) in enumerate(zip(choice.methods, COLOURS, strict=False)):
        if label in there:
            lines.append(replace(there[label], colour=colour))
            continue
        reason = system.why_not(problem, choice.method(label), choice.dt)
        if reason is not None:
            lines.append(Line(label, colour, None, why_not=sentence(reason)))
            continue

        run = engine.simulate(
            problem,
            label,
            dt=choice.dt,
            duration=choice.duration,
            every=choice.every(),
            cancel=cancel,
            progress=_share(progress, i, parts),
        )
        lines.append(Ran(label, colour, run))
    results = Results(choice, problem, tuple(lines), None, "", cancelled(cancel))
    if not system.has_exact or not results.runs or results.cancelled:
        return results
    if before is not None and before.exact is not None and _covers(before.exact, before.no_exact, _times(results)):
        return _with_errors(results, before.exact, before.no_exact)
    return (
        compared(results, cancel, _share(progress, parts - 1, parts)) if exact else replace(results, no_exact=AWAITED)
    )


def compared(
    results: Results,
    cancel: threading.Event | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Results:
    """The same with the exact motion, and with the errors of the runs against it."""
    problem = results.problem
    try:
        exact = engine.exact(problem, _times(results), dt=results.choice.dt, progress=progress, cancel=cancel)
    except Cancelled:
        return replace(results, no_exact=STOPPED)
    except ValueError as error:
        return replace(results, no_exact=sentence(str(error)))
    known = exact.as_far_as_known()
    return _with_errors(results, known, "" if known is exact else sentence(lost_words(problem, float(known.t[-1]))))


def _times(results: Results) -> Array:
    """Those of the longest run."""
    return max((line.run.t for line in results.runs), key=len)


def _with_errors(results: Results, exact: Motion, no_exact: str) -> Results:
    lines = [
        replace(line, error=_error(line.run, exact)) if isinstance(line, Ran) and line.error is None else line
        for line in results.lines
    ]
    return replace(results, lines=tuple(lines), exact=exact, no_exact=no_exact)


def _share(progress: Progress | None, part: int, parts: int) -> Callable[[int, int], Any] | None:
    """What is told of the steps of one of several parts, as the part of all that is done."""
    if progress is None:
        return None
    return lambda done, total: progress((part + done / max(total, 1)) / parts)


def _covers(exact: Motion, cut: str, times: Array) -> bool:
    """Whether the exact motion that was had before is that at these times, or as many of them as are known."""
    n = len(exact.t)
    return np.array_equal(exact.t, times[:n]) and (n == len(times) or bool(cut))


def _error(run: engine.Run, exact: Motion) -> Errors | None:
    if len(run) < 2:
        return None
    try:
        return engine.error(run, exact)
    except ValueError:
        return None


def scale(value: float) -> float:
    """What a deviation is taken relative to."""
    return abs(float(value)) if abs(float(value)) > 1e-9 else 1.0
