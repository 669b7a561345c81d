"""One body: its runs, and the kernels that make them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any, cast

import numpy as np

from ..algebra import Diag3, Mat3, Vec3, dot
from ..algorithms.adaptive import JUST_BEFORE
from ..algorithms.core import Method, Solver
from ..kernels import (
    Parts,
    Place,
    compiles,
    layout,
    make_parts,
    make_pointer_field,
    make_watcher,
    write_values,
)
from ..kernels.custom_torque import Called, Compiled, inline_field, is_compiled, join_lines
from ..kernels.driver import Outcome, ReadyKernel, make_ready_kernel
from ..kernels.series import find_missing_series
from ..parameters.validation import Array
from ..problems.field import FREE, Field, takes_time, takes_velocity
from ..problems.problem import Action, MissingFunction, Problem, all_problems, store_in_problem
from .request import RunRequest
from .result import BodyRun, RowFormat, Series
from .setup import Setup

# ----------------------------------------------------------------- runs


class Run(BodyRun):
    """The motion that a method computes for a problem of one body."""

    R = Series("attitude, body to space.", 3, 3)
    Omega = Series("angular velocity in the body's frame.", 3)

    Pi = Series(
        "angular momentum in the body's frame.", 3, compute=lambda run: run.Omega @ run.problem.J
    )
    pi = Series("angular momentum in space.", 3)
    increment = Series("angle in radians of the step that ends at the row.")

    @functools.cached_property
    def problem(self) -> Problem:
        """The problem that ran."""
        return cast(Problem, super().problem)

    def modified(self, name: str, method: Method | None = None) -> Array:
        """The energy or the Casimir (n,) of a free body over the `divisor` of the method, or of
        another; see `Method`.
        """
        if self.problem.torque is not None or self.problem.action(self.dt).field is not FREE:
            raise ValueError(
                f"modified quantities are those of a free body; a torque acts on {self.problem.label}"
            )
        divisor = (method or self.method).promises.divisor
        (moments, axes) = self.problem.principal
        if divisor is None:
            raise ValueError(f"{self.method.label} declares no modified quantities")
        return self.quantity(name) / divisor(Diag3(*moments), Vec3(*(self.Omega @ axes).T), self.dt)


TRACKED_FREE = ("pi_norm", "casimir", "pi_e3")
TRACKED_FORCED = (*TRACKED_FREE, "pi_chi", "gamma_norm")
RAW = {
    "pi_norm": "pi_squared",
    "pi_e3": "pi_z",
    "gamma_norm": "gamma_squared",
    "orthogonality": "orthogonality_squared",
}
"""The quantity that a kernel observes in place of another: a square, to save a root in each step,
or a component.
"""


def list_observed(field: Field) -> tuple[str, ...]:
    """The names of the quantities that a kernel observes."""
    if field is FREE:
        return layout.OBSERVED_FREE
    return *layout.OBSERVED_FORCED, *(integral.key for integral in field.integrals)


def list_tracked(field: Field) -> tuple[str, ...]:
    """The quantities that a run tracks besides energy, π and orthogonality."""
    return (
        TRACKED_FREE
        if field is FREE
        else (*TRACKED_FORCED, *(integral.key for integral in field.integrals))
    )


@functools.cache
def find_places(field: Field) -> dict[str, Place]:
    """Where each series stands in a kernel's rows."""
    observed = {name: layout.ROW_OBSERVED + i for i, name in enumerate(list_observed(field))}
    found = {
        "R": Place(0, 9),
        "Omega": Place(layout.ROW_VELOCITY, 3),
        "increment": Place(layout.ROW_INCREMENT),
    }
    found |= {"energy": Place(observed["energy"]), "pi": Place(observed["pi_x"], 3)}
    for name in ("orthogonality", *list_tracked(field)):
        raw = RAW.get(name, name)
        found[name] = Place(observed[raw], squared=raw.endswith("_squared"))
    return found


# ----------------------------------------------------------------- execution

run_type: type[Run] = Run


def set_up(request: RunRequest, brief: bool = False) -> Setup:
    """The setup of a run of one body; `ValueError` if the method does not fit the problem."""
    problem = cast(Problem, request.problem)
    method = request.method
    compiled = compiles()
    action, torque = find_action(problem, method, request.dt)
    prepare = functools.partial(prepare_kernel, problem, method, action, compiled)
    Q = problem.principal[1]
    axes = {} if problem.in_principal_axes else {"R": Q, "Omega": Q}
    return Setup(
        kernel=prepare(brief=brief),
        observer=prepare(watching=True) if isinstance(method, Solver) else None,
        format=RowFormat(find_places(action.field), layout.ROW_OBSERVED, axes),
        pointers=(0, 0) if torque is None or not compiled else torque.pointers(),
        jumps=action.jumps,
        torque=torque,
    )


def list_remarks(request: RunRequest, outcome: Outcome) -> list[str]:
    """Why a function that should be compiled was not."""
    problem = cast(Problem, request.problem)
    if problem.torque is None or not compiles():
        return []
    functions = (problem.torque, problem.acting_potential)
    return [f.refusal for f in functions if isinstance(f, Compiled) and f.refusal]


def find_action(body: Problem, method: Method, h: float) -> tuple[Action, Called | None]:
    """What acts in a run with the step h, and the custom torque; `ValueError` if the method does
    not fit.
    """
    called = None
    action = body.action(body.dt if method.adaptive else h)
    if body.torque is not None:
        if isinstance(body.torque, MissingFunction):
            raise ValueError(
                "a file does not hold the custom torque of its run; give it again, as in "
                "engine.simulate(run.problem.replace(torque=…), run.method, dt=run.dt, steps=run.steps)"
            )
        check_function(body.torque, "torque", 0.0, np.array(body.R0), np.array(body.Omega0))
        if body.potential is not None:
            check_function(body.potential, "potential", 0.0, np.array(body.R0))
        called = Called(body.torque, body.acting_potential)
        inlined = compiles() or method.promises.needs_series
        action = _compiled_action(body, method, h) if inlined else Action(called.field())
    reason = find_misfit(method, action.field)
    if reason is not None:
        raise ValueError(f"{body.label}: {reason}")
    return action, called


CALLS = {
    "torque": ("(t, R) or (t, R, Omega)", "three numbers", (3,)),
    "potential": ("(t, R)", "one number", ()),
    "rate": ("t", "three numbers", (3,)),
}
"""The arguments of a custom torque, its potential or a rate, and what each returns."""


def check_function(function: Callable[..., Any], what: str, *arguments: Any) -> None:
    """Call a custom function once, so that a wrong shape is an error before anything runs."""
    takes, returns, shape = CALLS[what]
    if what == "torque" and not takes_velocity(function):
        arguments = arguments[:2]
    elif what == "potential" and not takes_time(function):
        arguments = arguments[1:]
    plain = function.py_func if isinstance(function, Compiled) else function
    try:
        value = plain(*arguments)
    except TypeError as error:
        raise ValueError(f"the {what} must take {takes}: {join_lines(error, str)}") from error
    except Exception:
        return  # the run meets it too, and reports the step
    try:
        numbers = np.asarray(value)
        right = numbers.shape == shape and numbers.dtype.kind in "iuf"
    except Exception:  # lists of several lengths, say
        right = False
    if not right:
        returned = join_lines(value) or f"a {type(value).__name__}"
        raise ValueError(f"the {what} must return {returns}; it returned {returned}")


def find_misfit(method: Method, field: Field) -> str | None:
    """Why a method cannot run in a field, as the end of a sentence; None if it can."""
    name = method.given_name
    if method.energy_correction and field is not FREE:
        return (
            f"{name} does not fit: the energy correction is for free bodies, and here a torque acts"
        )
    if field.of_velocity and not method.promises.torque_of_velocity:
        return f"{name} takes torques of time and attitude only. This torque depends on Ω, and RKMK takes it"
    if method.promises.needs_series and (missing := find_missing_series(field)):
        return f"{name} expands the torque into a Taylor series, but {missing}. RKMK853 takes it"
    known = 2 if field.rate2 or (compiles() and not field.by_pointer) else 1 if field.rate else 0
    needed = method.promises.needs_rates
    if needed > known and field is not FREE:  # no torque has every rate
        which = ("rate", "second rate", "higher rates")[needed - 1]
        them = "them" if needed > 2 else "it"
        cure = "" if known else f"Formulas and engine.torque give {them}. "
        return (
            f"{name} needs the torque's {which} of change, which this one does not give. "
            f"{cure}BUSS2 needs none"
        )
    return None


def why_not(problem: Problem, method: Method, dt: float) -> str | None:
    """Why a method cannot run on a problem with the step dt, as the end of a sentence; None if it
    can.
    """
    try:
        return find_misfit(method, _compiled_action(problem, method, dt).field)
    except ValueError as refused:  # a custom torque that has no series for want of a source
        return f"{method.given_name} expands the torque into a Taylor series, but {refused}; RKMK853 takes it"


def find_fitting_dt(problem: Problem, methods: Iterable[Method], dt: float) -> float:
    """The step itself: whether a method fits does not depend on it."""
    return dt


def list_kernels(
    problem: Problem, method: Method, dt: float, *, brief: bool = False
) -> list[Parts]:
    """The kernels that a run compiles: the method's own, and the watching one if it takes no steps
    of one size.
    """
    if why_not(problem, method, dt) is not None:
        return []
    action = turn_to_principal_axes(problem, _compiled_action(problem, method, dt))
    watching = [make_watcher(action.field)] if isinstance(method, Solver) else []
    return [make_parts(method, action.field, brief=brief), *watching]


def _compiled_action(problem: Problem, method: Method, dt: float) -> Action:
    """What acts in compiled kernels: a custom torque by its pointer, or in line if the method needs
    its rates.
    """
    if problem.torque is not None:
        if method.promises.needs_series or (
            0 < method.promises.needs_rates < 3
            and compiles()
            and is_compiled(problem.torque, problem.acting_potential)
        ):
            return Action(inline_field(problem.torque, problem.acting_potential))
        return Action(
            make_pointer_field(problem.acting_potential is not None, takes_velocity(problem.torque))
        )
    return problem.action(problem.dt if method.adaptive else dt)


CUSTOM_TORQUES = {
    (False, False): "a custom torque",
    (False, True): "a custom torque and potential",
    (True, False): "a custom torque that depends on Ω",
    (True, True): "a custom torque and potential that depend on Ω",
}
"""The kinds of custom torque: whether it depends on the velocity, and whether it has a potential.
"""


def list_kinds(problems: Iterable[Problem] | None = None) -> dict[str, Problem]:
    """A problem for each kind of torque that these can have, by names that are the same in every
    process.

    Without problems, for every registered kind and for custom torques.
    """
    every = {
        variant.label: variant for problem in all_problems() for variant in _list_variants(problem)
    }
    for (of_velocity, with_potential), name in CUSTOM_TORQUES.items():
        torque = MissingFunction("torque", of_velocity)
        every[name] = Problem(
            torque=torque, potential=MissingFunction("potential") if with_potential else None
        )
    if problems is None:
        return every
    chosen: dict[str, Problem] = {}
    for problem in problems:
        if problem.torque is not None:
            chosen[
                CUSTOM_TORQUES[takes_velocity(problem.torque), problem.acting_potential is not None]
            ] = problem
        else:
            chosen |= {variant.label: variant for variant in _list_variants(problem)}
    return {name: every.get(name, problem) for name, problem in chosen.items()}


def _list_variants(problem: Problem) -> Iterator[Problem]:
    """The problem with each of its choices except formulas, which kernels call as custom
    torques.
    """
    choices = {p.name: p.choices for p in problem.specific if p.choices}
    for values in product(*choices.values()):
        variant = problem.replace(**dict(zip(choices, values, strict=True)))
        if variant.torque is None:
            yield variant


@store_in_problem
def prepare_kernel(
    body: Problem,
    method: Method,
    action: Action,
    compiled: bool,
    *,
    tracked: bool = True,
    brief: bool = False,
    watching: bool = False,
    side_by_side: bool = False,
    varied: bool = False,
) -> ReadyKernel:
    """The kernel of a run with its memory, which the step does not change; stored for repeated
    runs.
    """
    action = turn_to_principal_axes(body, action)
    field = action.field
    parts = make_watcher(field) if watching else make_parts(method, field, tracked, brief)
    if side_by_side:
        parts = parts.for_batches(compiled, varied)
    return make_ready_kernel(
        parts, method, compiled, fill_memory(body, action), list_observed(field)
    )


def turn_to_principal_axes(body: Problem, action: Action) -> Action:
    """The action, seen from the principal axes."""
    return (
        action
        if body.in_principal_axes
        else turn_action(action, Mat3(*body.principal[1].ravel().tolist()))
    )


def fill_memory(body: Problem, action: Action) -> tuple[Array, Array]:
    """The kernel's parameters and its initial R and Ω, all in principal axes like the action."""
    moments, Q = body.principal
    parameters = np.zeros(layout.PARAMETERS)
    initial = np.zeros(layout.ONE_BODY.size)
    axes, R0 = (Mat3(*matrix.ravel().tolist()) for matrix in (Q, body.R0))
    write_values(
        parameters, layout.STOPS + 1, action.jumps[: layout.BEFORE_JUMP - layout.STOPS - 1]
    )
    parameters[layout.BEFORE_JUMP] = JUST_BEFORE * body.dt
    write_start(
        parameters, initial, Diag3(*moments.tolist()), axes, R0, Vec3(*body.Omega0.tolist()), action
    )
    return parameters, initial


# The next two functions are also compiled to WebAssembly (`export/one_body.py`).


def turn_action(action: Action, axes: Mat3) -> Action:
    """The action, seen from the principal axes, which are the columns of a rotation."""
    numbers = action.numbers
    for at in action.field.body_vectors:
        vector = axes.T @ Vec3(*numbers[at : at + 3])
        numbers = (*numbers[:at], *vector, *numbers[at + 3 :])
    x, y, z = axes.T @ Vec3(*action.axis)
    return Action(action.field.turned or action.field, numbers, (x, y, z), action.jumps)


def write_start(
    parameters: Any, initial: Any, J: Diag3, axes: Mat3, R0: Mat3, Omega0: Vec3, action: Action
) -> None:
    """Write a kernel's parameters and initial state; `axes` are the principal ones, of J and of the
    action.
    """
    Omega = axes.T @ Omega0
    write_values(parameters, layout.INERTIA, (J,))
    write_values(parameters, layout.ENERGY, (0.5 * dot(Omega, J @ Omega),))
    write_values(parameters, layout.AXES, (axes,))
    write_values(parameters, layout.FIGURE_AXIS, (action.axis,))
    write_values(parameters, layout.FIELD_NUMBERS, (action.numbers,))
    write_values(initial, 0, (R0 @ axes, Omega))
