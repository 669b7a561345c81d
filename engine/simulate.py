"""`simulate`: a problem, a method, a step and a duration, and what comes of it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from .algorithms.method import Method, find_method
from .checks import number, whole_number
from .plan import Plan
from .problems.problem import DT, LONGEST, Posed, posed
from .systems import system_of
from .wording import short

ROWS_KEPT_UNASKED = 100_000
ROWS_IF_ADAPTIVE = 1000
"""What is kept of a method that chooses its own steps, unless it is asked for more."""
MOST_ROWS = 5_000_000
MOST_STEPS_UNASKED = 1_000_000_000
MOST_STEPS = 10**15
WHOLE = 1e-9
"""How near to a whole number of steps a duration must be to count as one."""


def simulate(
    problem: str | Posed,
    method: str | Method,
    /,
    *,
    dt: float | str | None = None,
    duration: float | None = None,
    steps: int | None = None,
    every: int | None = None,
    samples: int | None = None,
    energy_correction: bool = False,
    compose: str | None = None,
    precision: str | None = None,
    substeps: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    cancel: threading.Event | None = None,
    **options: Any,
) -> Any:
    """Simulate a rigid body, or two.

    Parameters
    ----------
    problem, method : keys or aliases, or what `engine.problem` and `engine.algorithm` return.
    dt : the step, as a number, or as "1/60" or "60 Hz"; the problem's own if it is not given. An adaptive method
        chooses its own by rtol and atol, and for it dt is the time between two states to keep; without one, about
        `samples` of them are kept, evenly.
    duration, steps : how long to run, one or the other; the problem's own duration if neither is given.
    every, samples : keep each `every`-th state, or about `samples` of them evenly; one or the other. Without either,
        all are kept up to 100 000. The first and the last are always kept.
    energy_correction : Buss's correction after each step, for free bodies.
    compose : a symmetric composition to higher order: yoshida4, suzuki4, kahan-li6 or kahan-li8.
    precision : "double", or "single" for steps with numbers of 32 bits, as most physics engines make them; the time,
        and what is observed of each state, are computed with 64.
    substeps : into how many steps each dt, as a frame, is divided; the torque of its start is held in space over all,
        as engines hold it. Both also stand in a method's name, as in "jolt(precision=single, substeps=4)".
    progress : called with (steps done, steps in all) about 25 times a second.
    cancel : an `engine.Cancellation` (or any `threading.Event`); setting it from another thread ends the run.
    **options : the method's options.

    Returns
    -------
    Run
        Or a `twobody.TwoBodyRun`. What a method does to a body is never an exception: see `Run.status`.

    Raises
    ------
    ValueError
        For what the caller got wrong, in one sentence.
    """
    if not (cancel is None or hasattr(cancel, "is_set")):
        raise ValueError(f"cancel is an engine.Cancellation or a threading.Event; got {cancel!r}")
    if not (progress is None or callable(progress)):
        raise ValueError(f"progress is a function of the steps done and of those in all; got {progress!r}")
    options |= {
        name: value for name, value in (("precision", precision), ("substeps", substeps)) if value is not None
    }
    body, plan = planned(problem, method, dt, duration, steps, every, samples, energy_correction, compose, options)
    plan.cancel, plan.progress = cancel, progress
    return system_of(body).run_of(body, plan)


def planned(
    problem: str | Posed,
    method: str | Method,
    dt: float | str | None,
    duration: float | None,
    steps: int | None,
    every: int | None,
    samples: int | None,
    energy_correction: bool,
    compose: str | None,
    options: dict[str, Any],
) -> tuple[Posed, Plan]:
    """What is to be run, and how, of the arguments of `simulate`."""
    body = _posed(problem)
    try:
        integrator = find_method(method, space=body.space, **options)
    except ValueError:
        for name in options.keys() - (simulate.__kwdefaults__ or {}).keys():
            for near in get_close_matches(name.lower(), simulate.__kwdefaults__ or (), n=1, cutoff=0.75):
                raise ValueError(f"there is no argument {name!r}; the nearest is {near}") from None
        raise
    if energy_correction and not integrator.energy_correction:
        integrator = integrator.with_energy_correction()
    if compose is not None:
        integrator = integrator.composed(compose)
    messages = list(body.remarks.values())
    if integrator.adaptive and dt is steps is every is None:
        length = number(body.duration if duration is None else duration, "duration", 0.0, LONGEST)
        n = whole_number(ROWS_IF_ADAPTIVE if samples is None else samples, "samples", 1, MOST_ROWS)
        dt, duration, steps, samples = max(length / n, 1e-15), None, n if length else 0, None
    h = body.dt if dt is None else DT.checked(dt)
    n = _steps(body, h, duration, steps, messages)
    return body, Plan(integrator, h, n, _stride(n, every, samples, messages), messages)


def _posed(problem: Any) -> Posed:
    """The problem, or a sentence that also knows of a method in its place."""
    try:
        found: Posed = posed(problem.label if isinstance(problem, Method) else problem)
    except ValueError as unknown:
        try:
            label = find_method(problem).label
        except ValueError:
            raise unknown from None
        raise ValueError(f"the problem comes first, then the method; got the method {label} first") from None
    return found


def _steps(body: Posed, h: float, duration: Any, steps: Any, messages: list[str]) -> int:
    if steps is not None and duration is not None:
        raise ValueError("give the duration or the number of steps, not both")
    if steps is not None:
        return whole_number(steps, "steps", 0, MOST_STEPS)
    length = number(body.duration if duration is None else duration, "duration", 0.0, LONGEST)
    ratio = length / h
    if ratio > MOST_STEPS:
        raise ValueError(
            f"a duration of {short(length)} takes {short(ratio, 3)} steps of {short(h)}; at most "
            f"{short(MOST_STEPS)} can be run"
        )
    nearest = round(ratio)
    if abs(ratio - nearest) <= WHOLE * max(1.0, 1e-6 * ratio):
        return nearest
    n = math.floor(ratio)
    messages.append(
        f"The duration {short(length)} is not a whole number of steps of {short(h)}; the run ends at {short(n * h)}."
    )
    return n


def _stride(n: int, every: Any, samples: Any, messages: list[str]) -> int:
    if every is not None and samples is not None:
        raise ValueError("give every or samples, not both")
    if every is not None:
        stride = whole_number(every, "every", 1, MOST_STEPS)
    elif samples is not None:
        stride = max(1, math.ceil(n / whole_number(samples, "samples", 1, MOST_STEPS)))
    elif n > MOST_STEPS_UNASKED:
        raise ValueError(
            f"{short(n, 3)} steps are too many to run without saying what to keep; give every=k or samples=n, "
            f"as in every={-(-n // ROWS_KEPT_UNASKED)}"
        )
    elif n > ROWS_KEPT_UNASKED:
        stride = -(-n // ROWS_KEPT_UNASKED)
        messages.append(f"Of {n} steps each {stride}-th is kept; every=k or samples=n keeps another part.")
    else:
        stride = 1
    if n // stride + 2 > MOST_ROWS:
        raise ValueError(
            f"{n // stride:,} rows would be kept, and at most {MOST_ROWS:,} can be; "
            f"give every={-(-n // MOST_ROWS) + 1} or more, or samples=n"
        )
    return stride
