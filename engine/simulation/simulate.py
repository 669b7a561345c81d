"""`simulate`: run a method on a problem."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, overload

from ..algorithms.core.method import Method
from ..problems.problem import AnyProblem, Problem
from ..problems.two_bodies.pair import TwoBodies
from .execution import execute
from .one_body import Run
from .request import Steps, make_request
from .result import run_actions
from .two_bodies import TwoBodyRun


@overload
def simulate(problem: Problem, method: str | Method, /, **arguments: Any) -> Run: ...
@overload
def simulate(problem: TwoBodies, method: str | Method, /, **arguments: Any) -> TwoBodyRun: ...
@overload
def simulate(
    problem: str | AnyProblem, method: str | Method, /, **arguments: Any
) -> Run | TwoBodyRun: ...
@run_actions.register
def simulate(
    problem: str | AnyProblem,
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
) -> Run | TwoBodyRun:
    """Simulate a rigid body, or two.

    Parameters
    ----------
    problem, method : keys or aliases, or what `engine.problem` and `engine.algorithm` return.
    dt : the step, as a number, or as "1/60" or "60 Hz"; by default the problem's own. An adaptive
        method chooses its own steps by rtol and atol; for it dt is the time between stored states,
        and without dt the run stores about `samples` states, evenly spaced.
    duration, steps : how long to run, one or the other; by default the problem's own duration.
    every, samples : store each `every`-th state, or about `samples` states, evenly spaced; one or
        the other. By default a run stores all states, up to 100 000. It always stores the first and
        the last.
    energy_correction : Buss's correction after each step, for free bodies.
    compose : a symmetric composition to higher order: yoshida4, suzuki4, kahan-li6 or kahan-li8.
    precision : "double", or "single" for steps with 32-bit numbers, as in most physics engines; the
        time and the observed quantities have 64 bits in any case.
    substeps : the number of steps in each dt, which is then a frame; as in physics engines, the
        torque at the start of a frame is held in space. The name of a method can contain both, as
        in "jolt(precision=single, substeps=4)".
    progress : called with (steps done, total steps) about 25 times a second.
    cancel : an `engine.Cancellation` (or any `threading.Event`); setting it from another thread
        ends the run.
    **options : the method's options.

    Returns
    -------
    Run
        Or a `TwoBodyRun`. A method that fails never raises: see `Run.status`.

    Raises
    ------
    ValueError
        For a mistake in the arguments, in one sentence.
    """
    if not (cancel is None or hasattr(cancel, "is_set")):
        raise ValueError(f"cancel is an engine.Cancellation or a threading.Event; got {cancel!r}")
    if not (progress is None or callable(progress)):
        raise ValueError(
            f"progress is a function of the steps done and of those in all; got {progress!r}"
        )
    if precision is not None:
        options["precision"] = precision
    if substeps is not None:
        options["substeps"] = substeps
    given = Steps(dt, duration, steps, every, samples)
    request = make_request(problem, method, given, energy_correction, compose, options)
    return execute(request, cancel=cancel, progress=progress)
