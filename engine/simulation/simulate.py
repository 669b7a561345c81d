"""`simulate`: run a method on a problem. Its arguments become a request, which runs on its kernels,
step by step or by the method's own solver, and gives a run.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, overload

from ..algorithms.core.method import Method, find_method
from ..kernels import NEVER, Floats, compiles, drive
from ..parameters.parameter import Whole
from ..problems.given_rates.given import GivenRates
from ..problems.problem import LENGTH, STEP, AnyProblem, Problem, find_problem
from ..problems.two_bodies.pair import TwoBodies
from ..text.formatting import show
from .continuous import solve
from .endings import describe_ending
from .given_rates import GivenRatesRun
from .one_body import Run
from .request import ARGUMENTS, RunRequest, Steps
from .result import KernelRecord, run_actions
from .systems import SYSTEMS, RunOfSpace
from .two_bodies import TwoBodyRun

ROWS_BY_DEFAULT = 100_000
ROWS_IF_ADAPTIVE = 1000
"""The default of `samples` for a method that chooses its own steps."""
MOST_ROWS = 5_000_000
MOST_STEPS_BY_DEFAULT = 1_000_000_000
"""More steps need `every` or `samples`."""
MOST_STEPS = 10**15
STEPS = Whole(0, MOST_STEPS)
STRIDE = Whole(1, MOST_STEPS)
WHOLE = 1e-9
"""How near to a whole number of steps a duration must be to count as one."""
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


@overload
def simulate(problem: Problem, method: str | Method, /, **arguments: Any) -> Run: ...
@overload
def simulate(problem: TwoBodies, method: str | Method, /, **arguments: Any) -> TwoBodyRun: ...
@overload
def simulate(problem: GivenRates, method: str | Method, /, **arguments: Any) -> GivenRatesRun: ...
@overload
def simulate(
    problem: str | AnyProblem, method: str | Method, /, **arguments: Any
) -> RunOfSpace: ...
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
) -> RunOfSpace:
    """Simulate a rigid body, two, or an attitude whose rates are given.

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
        Or a `TwoBodyRun` or a `GivenRatesRun`. A method that fails never raises: see `Run.status`.

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
    refuse_ambiguity(method, request.method, given)
    return execute(request, cancel=cancel or NEVER, progress=progress)


# -------------------------------------------------------------------------------------------------
# the request


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
    h = body.dt if steps.dt is None else STEP.check(steps.dt, "dt")
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


def refuse_ambiguity(given: str | Method, method: Method, steps: Steps) -> None:
    """Refuse an argument that an unchosen option of the same name would take, too, unless the caller
    gave a method with all its options.
    """
    if isinstance(given, Method):
        return
    for option in method.options:
        value = getattr(steps, option.name, None)
        if value is None or option.name in method.chosen:
            continue
        try:
            meant = method.with_options(**{option.name: value})
        except ValueError:
            continue
        raise ValueError(
            f"{option.name}={value} is an argument of the run and an option of {method.key}; "
            f"write {meant.label} for the option, and every=k to store fewer rows"
        )


def _spread_samples(body: AnyProblem, steps: Steps) -> Steps:
    """The samples of an adaptive method as equal steps."""
    length = _check_duration(body, steps)
    n = Whole(1, MOST_ROWS).check(
        ROWS_IF_ADAPTIVE if steps.samples is None else steps.samples, "samples"
    )
    return Steps(dt=max(length / n, 1e-15), steps=n if length else 0)


def _check_duration(body: AnyProblem, steps: Steps) -> float:
    given = body.duration if steps.duration is None else steps.duration
    return LENGTH.check(given, "duration")


def _count_steps(body: AnyProblem, h: float, steps: Steps) -> tuple[int, list[str]]:
    """The number of steps of the size h, and a remark if they end before the duration."""
    if steps.steps is not None and steps.duration is not None:
        raise ValueError("give the duration or the number of steps, not both")
    if steps.steps is not None:
        return STEPS.check(steps.steps, "steps"), []
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
        stride = STRIDE.check(steps.every, "every")
    elif steps.samples is not None:
        stride = max(1, math.ceil(n / STRIDE.check(steps.samples, "samples")))
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


# -------------------------------------------------------------------------------------------------
# the run


def execute(
    request: RunRequest,
    *,
    cancel: threading.Event = NEVER,
    progress: Callable[[int, int], Any] | None = None,
    observe: Callable[[dict[str, Floats]], Any] | None = None,
) -> RunOfSpace:
    """Run a request.

    Parameters
    ----------
    cancel, progress : as in `simulate`.
    observe : called during the run with the observed quantities of the rows so far, by name, if the
        method takes steps.
    """
    system = SYSTEMS[request.problem.space]
    setup = system.set_up(request)
    messages = list(request.messages)
    if setup.observer is None:
        every = request.every
        pointers = setup.pointers
        outcome = drive(
            setup.kernel, request.dt, request.steps, every, pointers, cancel, progress, observe
        )
    else:
        outcome, message = solve(request, setup, cancel, progress)
        messages += message
    compiled = (setup.observer or setup.kernel).by_pointer
    if not compiled and compiles():
        messages.append(
            f"{request.method.label} ran as plain Python: only what a file or a notebook's cell holds is compiled."
        )
    messages += system.list_remarks(request, outcome) + describe_ending(
        request, outcome, setup.torque
    )
    return system.run_type(
        request, KernelRecord(outcome, request.dt, setup.format, compiled), tuple(messages)
    )
