"""`simulate`: a problem, a method, a step and a duration, and what comes of it."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import provenance
from .algorithms.energy import CORRECTIONS
from .algorithms.method import Choice, Method
from .algorithms.method import find as find_method
from .checks import number, whole_number
from .compiler import build, kernel
from .compiler.build import Parts
from .compiler.driver import Outcome, Setting, drive
from .compiler.kernel import Number
from .compiler.layout import (
    AXES,
    ENERGY,
    FIELD_NUMBERS,
    FIGURE_AXIS,
    INERTIA,
    OBSERVED_FORCED,
    OBSERVED_FREE,
    OPTION_NUMBERS,
    PARAMETERS,
    ROW_INCREMENT,
    ROW_OBSERVED,
    ROW_VELOCITY,
)
from .continuous import Motion, answered
from .field import FREE, Field
from .problems.problem import LONGEST, Action, Posed, Problem, posed, takes_time
from .run import Cost, Extrema, Lazily, Run
from .torque import Called, Compiled, MissingFunction, in_brief
from .twobody import setting as pair
from .twobody.problem import TwoBodies
from .twobody.run import TwoBodyRun, extrema_of, motion_of, tracked_of
from .wording import short

Array = NDArray[np.float64]

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
    dt: float | None = None,
    duration: float | None = None,
    steps: int | None = None,
    every: int | None = None,
    samples: int | None = None,
    energy_correction: bool = False,
    compose: str | None = None,
    progress: Callable[[int, int], Any] | None = None,
    cancel: threading.Event | None = None,
    **options: Any,
) -> Any:
    """Simulate a rigid body, or two.

    Parameters
    ----------
    problem, method : keys or aliases, or what `engine.problem` and `engine.algorithm` return.
    dt : the step; the problem's own if it is not given. An adaptive method chooses its own by rtol and atol, and for
        it dt is the time between two states to keep; without one, about `samples` of them are kept, evenly.
    duration, steps : how long to run, one or the other; the problem's own duration if neither is given.
    every, samples : keep each `every`-th state, or about `samples` of them evenly; one or the other. Without either,
        all are kept up to 100 000. The first and the last are always kept.
    energy_correction : Buss's correction after each step, for free bodies.
    compose : a symmetric composition to higher order: yoshida4, suzuki4, kahan-li6 or kahan-li8.
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
    body = _posed(problem)
    try:
        integrator = find_method(method, space=body.space, **options)
    except ValueError:
        for name in options:
            for near in get_close_matches(name.lower(), simulate.__kwdefaults__ or (), n=1, cutoff=0.75):
                raise ValueError(f"there is no argument {name!r}; the nearest is {near}") from None
        raise
    if not (cancel is None or hasattr(cancel, "is_set")):
        raise ValueError(f"cancel is an engine.Cancellation or a threading.Event; got {cancel!r}")
    if not (progress is None or callable(progress)):
        raise ValueError(f"progress is a function of the steps done and of those in all; got {progress!r}")
    if energy_correction and not integrator.energy_correction:
        integrator = integrator.with_energy_correction()
    if compose is not None:
        integrator = integrator.composed(compose)
    messages: list[str] = []
    if integrator.adaptive and dt is steps is every is None:
        length = number(body.duration if duration is None else duration, "duration", 0.0, LONGEST)
        n = whole_number(ROWS_IF_ADAPTIVE if samples is None else samples, "samples", 1, MOST_ROWS)
        dt, duration, steps, samples = max(length / n, 1e-15), None, n if length else 0, None
    h = number(body.dt if dt is None else dt, "dt", 1e-15, LONGEST)
    n = _steps(body, h, duration, steps, messages)
    stride = _stride(n, every, samples, messages)

    whole = _Whole(integrator, h, n, stride, cancel, progress, messages)
    if isinstance(body, TwoBodies):
        return _two_bodies(body, whole)
    assert isinstance(body, Problem)
    return _one_body(body, whole)


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


Seen = Callable[[dict[str, Array]], Any]
"""Given what was observed at the rows of a run that were kept so far, by names, while it goes on."""


def watched(
    body: Problem,
    method: Method,
    h: float,
    steps: int,
    every: int,
    seen: Seen,
    progress: Callable[[int, int], Any] | None = None,
    cancel: threading.Event | None = None,
) -> Run:
    """The run that `simulate` makes of steps, shown while it goes on; methods that take no steps show nothing."""
    return _one_body(body, _Whole(method, h, steps, every, cancel, progress, [], seen))


class _Whole(NamedTuple):
    """What is wanted of a run: a method, a step, how many, how often one is kept; and what there is to say so far."""

    method: Method
    h: float
    steps: int
    every: int
    cancel: threading.Event | None
    progress: Callable[[int, int], Any] | None
    messages: list[str]
    seen: Seen | None = None

    def advanced(
        self,
        body: Posed,
        setting: Callable[..., Setting],
        pointers: tuple[int, int] = (0, 0),
        jumps: tuple[float, ...] = (),
    ) -> Outcome:
        """Run it, step by step or by the method's own way to solve; `setting` has the kernels."""
        method = self.method
        if method.solve is None:
            return drive(setting(), self.h, self.steps, self.every, pointers, self.cancel, self.progress, self.seen)
        kept = np.unique(np.append(np.arange(0, self.steps + 1, self.every, dtype=np.int64), self.steps))
        rates = setting() if method.adaptive else None
        motion = Motion(body, self.h, kept, jumps, rates, pointers, self.cancel, self.progress)
        answer = method.solve(motion, **method.option_values())
        if answer.message:
            self.messages.append(answer.message)
        return answered(motion, answer, setting(watching=True), pointers)

    def told(self, outcome: Outcome, compiled: bool) -> dict[str, Any]:
        """What every run tells besides the motion."""
        cost = Cost(outcome.steps, outcome.torque_evaluations, outcome.newton_iterations, outcome.seconds)
        return {
            "method": self.method,
            "dt": self.h,
            "steps": self.steps,
            "every": self.every,
            "t": np.multiply(outcome.kept, self.h, dtype=float),
            "status": outcome.state,
            "failed_step": outcome.failed_step,
            "messages": tuple(self.messages),
            "cost": cost,
            "provenance": provenance.of_run(compiled),
        }


def _two_bodies(problem: TwoBodies, whole: _Whole) -> TwoBodyRun:
    """The run of two bodies."""
    compiled = build.compiles()
    outcome = whole.advanced(problem, functools.partial(pair.setting_of, problem, whole.method, compiled))
    extrema = extrema_of(outcome)
    least = extrema["distance"].min
    whole.messages.extend(pair.encounters(problem, whole.method, whole.h, least))
    whole.messages.extend(_ending(whole.method, whole.h, outcome, None))
    motion, observed = motion_of(problem, outcome.rows), tracked_of(outcome.rows)
    return TwoBodyRun(
        problem=problem, motion=motion, observed=observed, extrema=extrema, **whole.told(outcome, compiled)
    )


def _one_body(body: Problem, whole: _Whole) -> Run:
    """The run of one body."""
    action, called = acting(body, whole.method, whole.h)
    compiled = build.compiles()
    pointers = called.pointers() if called is not None and compiled else (0, 0)
    setting = functools.partial(setting_of, body, whole.method, action, compiled)
    outcome = whole.advanced(body, setting, pointers, action.jumps)
    if called is not None and called.failure.error is not None and not isinstance(called.failure.error, Exception):
        raise called.failure.error  # an interrupt, which a torque happened to meet
    return _run(body, whole, outcome, action, called)


def acting(body: Problem, method: Method, h: float) -> tuple[Action, Called | None]:
    """What acts in a run with the step h, and the caller's own functions; refused if the method does not fit."""
    called = None
    action = body.action(body.dt if method.adaptive else h)
    if body.torque is not None:
        if isinstance(body.torque, MissingFunction):
            raise ValueError(
                "this problem's torque was a function of the caller's own, which a file does not hold; give it again"
            )
        called = Called(body.torque, body.potential, body.potential is not None and takes_time(body.potential))
        _try_out(body, called)
        action = Action(_user_field(called))
    reason = misfit(method, action.field)
    if reason is not None:
        raise ValueError(f"{body.label}: {reason}")
    return action, called


def parts_of(method: Method, action: Action, tracked: bool = True) -> Parts:
    """What the kernel for this method and this field is made of; untracked kernels watch no invariants.

    The kernel of an adaptive method makes one step, in which its rates take the place of the new state; that of a
    method which has no rates either only watches its states.
    """
    if method.step is None and method.rates is None:
        return watching_parts(action)
    return Parts(
        step=method.step or method.rates,  # type: ignore[arg-type]
        start=method.start or default_start(method),
        carries=method.carries,
        options=_option_constants(method) if method.step else (),
        field=action.field,
        tracked=tracked and method.step is not None,
        correct=CORRECTIONS[method.carries[1]] if method.energy_correction else None,
        stages=method.composition.stages if method.composition else build.SIMPLE_STAGES,
    )


def watching_parts(action: Action) -> Parts:
    """What the kernel is made of that observes the states of a method without steps."""
    return Parts(_nothing_to_do, _start_velocity, ("R", "Ω"), (), action.field, template=kernel.watch)


def _nothing_to_do(body: Any, t: float, h: float, R: Any, Ω: Any) -> tuple[Any, Any]:
    """Stands for the step where none is taken."""
    return R, Ω


def default_start(method: Method) -> Callable[..., Any]:
    """The first state of a method that carries nothing but R and a momentum."""
    return {"Ω": _start_velocity, "Π": _start_body_momentum, "π": _start_spatial_momentum}[method.carries[1]]


def _start_velocity(body: Any, t: float, h: float, R: Any, Ω: Any) -> tuple[Any, Any]:
    return R, Ω


def _start_body_momentum(body: Any, t: float, h: float, R: Any, Ω: Any) -> tuple[Any, Any]:
    return R, body.J @ Ω


def _start_spatial_momentum(body: Any, t: float, h: float, R: Any, Ω: Any) -> tuple[Any, Any]:
    return R, R @ (body.J @ Ω)


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


def _try_out(body: Problem, called: Called) -> None:
    """Ask the caller's functions once, so that a wrong shape is an error before anything runs."""
    for function, what, needs in (
        (body.torque, "torque", "three numbers"),
        (body.potential, "potential", "one number"),
    ):
        plain = function.py_func if isinstance(function, Compiled) else function
        if plain is None:
            continue
        R = np.array(body.R0)
        try:
            value = plain(0.0, R) if what == "torque" or takes_time(plain) else plain(R)
        except TypeError as error:
            raise ValueError(f"the {what} must take (t, R): {in_brief(error, str)}") from error
        except Exception:
            continue  # the run will meet it too, and tell at which step
        try:
            numbers = np.asarray(value)
            right = numbers.shape == ((3,) if what == "torque" else ()) and numbers.dtype.kind in "iuf"
        except Exception:  # lists of several lengths, say
            right = False
        if not right:
            returned = in_brief(value) or f"a {type(value).__name__}"
            raise ValueError(f"the {what} must return {needs}; it returned {returned}")


def _user_field(called: Called) -> Field:
    return called.field(build.compiles())


def misfit(method: Method, field: Field) -> str | None:
    """Why a method cannot run in a field, as the end of a sentence; None if it can."""
    if method.energy_correction and field is not FREE:
        return "the energy correction is for free bodies, and here a torque does work on the body"
    known = 2 if field.rate2 else 1 if field.rate else 0
    if method.needs_rates > known and field is not FREE:  # no torque has every rate
        which = ("rate", "second rate", "higher rates")[method.needs_rates - 1]
        return f"{method.key} needs the torque's {which} of change, which this one does not give; BUSS2 does without"
    return None


@functools.lru_cache(maxsize=128)
def setting_of(
    body: Problem,
    method: Method,
    action: Action,
    compiled: bool,
    *,
    tracked: bool = True,
    watching: bool = False,
    side_by_side: bool = False,
) -> Setting:
    """All that a run needs and its step does not change; kept, because a page asks for the same again and again."""
    action = in_principal_axes(body, action)
    parts = watching_parts(action) if watching else parts_of(method, action, tracked)
    if side_by_side:
        parts = parts.side_by_side(compiled)
    parameters, initial = memory_of(body, method, action)
    for shared in (parameters, initial):
        shared.setflags(write=False)
    advance = build.compiled(parts, method.label) if compiled else build.plain(parts)
    return Setting(advance, compiled, parameters, initial, observed_in(action.field))


def observed_in(field: Field) -> tuple[str, ...]:
    """The names of what a kernel observes."""
    return OBSERVED_FREE if field is FREE else OBSERVED_FORCED


def in_principal_axes(body: Problem, action: Action) -> Action:
    """The same action as it is seen from the principal axes."""
    if body.in_principal_axes:
        return action
    _, Q = body.principal
    numbers = np.array(action.numbers, dtype=float)
    for at in action.field.body_vectors:
        numbers[at : at + 3] = Q.T @ numbers[at : at + 3]
    x, y, z = (float(c) for c in Q.T @ np.array(action.axis))
    return Action(action.field.turned or action.field, tuple(numbers), (x, y, z), action.jumps)


def memory_of(body: Problem, method: Method, action: Action) -> tuple[Array, Array]:
    """The kernel's parameters and its initial R and Ω, all in principal axes, as the action is already."""
    moments, Q = body.principal
    parameters = np.zeros(PARAMETERS)
    parameters[INERTIA : INERTIA + 3] = moments
    parameters[ENERGY] = 0.5 * body.Omega0 @ body.Pi0
    parameters[AXES : AXES + 9] = Q.ravel()
    parameters[FIGURE_AXIS : FIGURE_AXIS + 3] = action.axis
    parameters[FIELD_NUMBERS : FIELD_NUMBERS + len(action.numbers)] = action.numbers
    values = [method.option_values()[o.name] for o in method.options if not isinstance(o, Choice)]
    parameters[OPTION_NUMBERS : OPTION_NUMBERS + len(values)] = values
    return parameters, np.concatenate([(body.R0 @ Q).ravel(), Q.T @ body.Omega0])


def _option_constants(method: Method) -> tuple[Any, ...]:
    values = method.option_values()
    constants: list[Any] = []
    for option in method.options:
        if isinstance(option, Choice):
            constants.append(option.choices[values[option.name]])
        else:
            constants.append(Number(sum(isinstance(c, Number) for c in constants)))
    return tuple(constants)


def _run(body: Problem, whole: _Whole, outcome: Outcome, action: Action, called: Called | None) -> Run:
    rows, observed = outcome.rows, observed_in(action.field)
    Q = None if body.in_principal_axes else body.principal[1]
    motion = Lazily(MOTION, functools.partial(_motion, rows, observed, Q))
    tracked = Lazily(
        TRACKED_FREE if observed is OBSERVED_FREE else TRACKED_FORCED,
        functools.partial(_tracked, rows.T[ROW_OBSERVED:], observed),
    )
    extrema = Lazily(("energy", "pi", "orthogonality", *tracked), functools.partial(_extrema, outcome, observed))
    if outcome.uncorrected:
        whole.messages.append(
            f"After {outcome.uncorrected} steps the energy could not be corrected and was left as it was."
        )
    whole.messages.extend(_ending(whole.method, whole.h, outcome, called))
    told = whole.told(outcome, build.compiles())
    return Run(problem=body, motion=motion, observed=tracked, extrema=extrema, **told)


MOTION = ("R", "Omega", "pi", "energy", "orthogonality", "increment")
TRACKED_FREE = ("pi_norm", "casimir", "pi_e3")
TRACKED_FORCED = (*TRACKED_FREE, "pi_chi", "gamma_norm")
RAW = {
    "pi_norm": "pi_squared",
    "pi_e3": "pi_z",
    "gamma_norm": "gamma_squared",
    "orthogonality": "orthogonality_squared",
}
"""What a kernel keeps in place of a quantity: the square, to save a root in each step, or the component."""


def _motion(rows: Array, observed: tuple[str, ...], Q: Array | None, name: str) -> Array:
    """One of the series of `MOTION` from a kernel's rows; Q turns the principal axes into the caller's."""
    if name == "R":
        R = rows[:, :9].reshape(-1, 3, 3)
        return R if Q is None else R @ Q.T
    if name == "Omega":
        Omega = rows[:, ROW_VELOCITY : ROW_VELOCITY + 3]
        return Omega if Q is None else Omega @ Q.T
    if name == "increment":
        increment = rows[:, ROW_INCREMENT].copy()
        increment[0] = np.nan
        return increment
    if name == "pi":
        x = ROW_OBSERVED + observed.index("pi_x")
        return rows[:, x : x + 3]
    return np.asarray(_tracked(rows.T[ROW_OBSERVED:], observed, name))


def _tracked(raw: Array, observed: tuple[str, ...], name: str) -> Any:
    """A quantity by its name in the vocabulary, from what kernels keep."""
    kept = RAW.get(name, name)
    values = raw[observed.index(kept)]
    return np.sqrt(values) if kept.endswith("_squared") else values


def _extrema(outcome: Outcome, observed: tuple[str, ...], name: str) -> Extrema:
    """Least, largest and last value of a quantity."""
    each = (outcome.least, outcome.largest, outcome.rows[-1, ROW_OBSERVED:])
    if name == "pi":
        x = observed.index("pi_x")
        return Extrema(*(values[x : x + 3].copy() for values in each))
    return Extrema(*(float(_tracked(values, observed, name)) for values in each))


def _ending(method: Method, h: float, outcome: Outcome, called: Called | None) -> list[str]:
    """How the run ended, in a person's words; nothing if it is done."""
    step, t = outcome.failed_step, (outcome.kept[-1] if method.adaptive else outcome.steps) * h
    if called is not None and called.failure.error is not None:
        return [f"In step {step}, from t = {short(t)}, the {called.failure.told()}."]
    if outcome.state == "no-solution" and method.solve is not None:
        return []  # it has said why itself
    if outcome.state == "no-solution":
        if outcome.unsolvable:
            return [f"{method.label} has no solution in step {step}, from t = {t:g}: {h:g} turns the body too far."]
        return [f"{method.label}: no solution of step {step} was found, from t = {t:g} with Δt = {h:g}."]
    if outcome.state == "diverged":
        what = "the torque or the motion" if called is not None else "the motion"
        return [
            f"In step {step}, from t = {short(t)}, {what} is no longer finite; the run ends at the last valid state."
        ]
    if outcome.state == "cancelled":
        return [f"Cancelled after {outcome.steps} steps, at t = {short(t)}."]
    return []
