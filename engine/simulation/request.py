"""Requests: the arguments of `simulate`, checked, with the defaults of the problem filled in."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from ..algorithms.core.method import Method, find_method
from ..parameters.validation import check_number, check_whole_number
from ..problems.problem import DT, LONGEST, AnyProblem, find_problem
from ..text.formatting import show

ROWS_BY_DEFAULT = 100_000
ROWS_IF_ADAPTIVE = 1000
"""The default of `samples` for a method that chooses its own steps."""
MOST_ROWS = 5_000_000
MOST_STEPS_BY_DEFAULT = 1_000_000_000
"""More steps need `every` or `samples`."""
MOST_STEPS = 10**15
WHOLE = 1e-9
"""How near to a whole number of steps a duration must be to count as one."""


@dataclass(frozen=True)
class Steps:
    """The arguments that set the step, the length of a run and the rows it stores, as in
    `simulate`.
    """

    dt: float | str | None = None
    duration: float | None = None
    steps: int | None = None
    every: int | None = None
    samples: int | None = None

    def as_arguments(self) -> dict[str, Any]:
        """The arguments that are set, by name."""
        return {name: value for name, value in vars(self).items() if value is not None}


ARGUMENTS = (
    *(field.name for field in dataclasses.fields(Steps)),
    "energy_correction", "compose", "precision", "substeps", "progress", "cancel",
)  # fmt: skip
"""The keywords of `simulate`; any other is an option of the method."""
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class RunRequest:
    """A run to make: the problem, the method, the step, how many steps, and for every how many a
    row is stored.

    `messages` are remarks on the arguments, in sentences.
    """

    problem: AnyProblem
    method: Method
    dt: float
    steps: int
    every: int
    messages: tuple[str, ...] = ()


def make_request(
    problem: str | AnyProblem,
    method: str | Method,
    steps: Steps,
    energy_correction: bool = False,
    compose: str | None = None,
    options: Mapping[str, Any] = NO_OPTIONS,
) -> RunRequest:
    """Check the arguments of `simulate`; `ValueError`, in one sentence, for what cannot run."""
    body = _find_problem(problem)
    chosen = _find_method(method, body, options)
    if energy_correction and not chosen.energy_correction:
        chosen = chosen.with_energy_correction()
    if compose is not None:
        chosen = chosen.compose(compose)
    if chosen.adaptive and steps.dt is steps.steps is steps.every is None:
        steps = _spread_samples(body, steps)
    h = body.dt if steps.dt is None else DT.check(steps.dt)
    n, unfinished = _count_steps(body, h, steps)
    every, thinned = _choose_stride(n, steps)
    return RunRequest(body, chosen, h, n, every, (*body.remarks.values(), *unfinished, *thinned))


def _find_problem(problem: str | AnyProblem) -> AnyProblem:
    """The problem; if the arguments are in the wrong order, the error says so."""
    try:
        found: AnyProblem = find_problem(problem.label if isinstance(problem, Method) else problem)
    except ValueError as unknown:
        try:
            label = find_method(problem).label  # type: ignore[arg-type]
        except ValueError:
            raise unknown from None
        raise ValueError(
            f"the problem comes first, then the method; got the method {label} first"
        ) from None
    return found


def _find_method(method: str | Method, body: AnyProblem, options: Mapping[str, Any]) -> Method:
    """The method with its options; an unknown option that resembles an argument of `simulate` is
    refused as such.
    """
    try:
        return find_method(method, space=body.space, **options)
    except ValueError:
        for name in options.keys() - set(ARGUMENTS):
            for near in get_close_matches(name.lower(), ARGUMENTS, n=1, cutoff=0.75):
                raise ValueError(f"there is no argument {name!r}; the nearest is {near}") from None
        raise


def _spread_samples(body: AnyProblem, steps: Steps) -> Steps:
    """The samples of an adaptive method as equal steps."""
    length = _check_duration(body, steps)
    n = check_whole_number(
        ROWS_IF_ADAPTIVE if steps.samples is None else steps.samples, "samples", 1, MOST_ROWS
    )
    return Steps(dt=max(length / n, 1e-15), steps=n if length else 0)


def _check_duration(body: AnyProblem, steps: Steps) -> float:
    return check_number(
        body.duration if steps.duration is None else steps.duration, "duration", 0.0, LONGEST
    )


def _count_steps(body: AnyProblem, h: float, steps: Steps) -> tuple[int, list[str]]:
    """The number of steps of the size h, and a remark if they end before the duration."""
    if steps.steps is not None and steps.duration is not None:
        raise ValueError("give the duration or the number of steps, not both")
    if steps.steps is not None:
        return check_whole_number(steps.steps, "steps", 0, MOST_STEPS), []
    length = _check_duration(body, steps)
    ratio = length / h
    if ratio > MOST_STEPS:
        raise ValueError(
            f"a duration of {show(length)} takes {show(ratio, 3)} steps of {show(h)}; at most "
            f"{show(MOST_STEPS)} can be run"
        )
    nearest = round(ratio)
    if abs(ratio - nearest) <= WHOLE * max(1.0, 1e-6 * ratio):
        return nearest, []
    n = math.floor(ratio)
    return n, [
        f"The duration {show(length)} is not a whole number of steps of {show(h)}; the run ends at {show(n * h)}."
    ]


def _choose_stride(n: int, steps: Steps) -> tuple[int, list[str]]:
    """For every how many steps a row is stored, and a remark if that thins the rows by default."""
    remarks = []
    if steps.every is not None and steps.samples is not None:
        raise ValueError("give every=k or samples=n, not both")
    if steps.every is not None:
        stride = check_whole_number(steps.every, "every", 1, MOST_STEPS)
    elif steps.samples is not None:
        stride = max(1, math.ceil(n / check_whole_number(steps.samples, "samples", 1, MOST_STEPS)))
    elif n > MOST_STEPS_BY_DEFAULT:
        raise ValueError(
            f"{show(n, 3)} steps are too many to run without every=k or samples=n, "
            f"as in every={-(-n // ROWS_BY_DEFAULT)}"
        )
    elif n > ROWS_BY_DEFAULT:
        stride = -(-n // ROWS_BY_DEFAULT)
        remarks.append(
            f"The run stores each {stride}-th of {n} steps; every=k or samples=n stores others."
        )
    else:
        stride = 1
    if n // stride + 2 > MOST_ROWS:
        raise ValueError(
            f"the run would store {n // stride:,} rows, and at most {MOST_ROWS:,} are possible; "
            f"give every={-(-n // MOST_ROWS) + 1} or more, or samples=n"
        )
    return stride, remarks
