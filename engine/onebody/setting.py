"""The kernel of a method for one body, and what it is given."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np

from ..algebra import Diag3, Mat3, Vec3, dot
from ..algorithms.energy import CORRECTIONS
from ..algorithms.method import Method
from ..checks import Array
from ..field import FREE, Field, takes_time, takes_velocity
from ..kernels import advance, build
from ..kernels.driver import Setting
from ..kernels.layout import (
    AXES,
    ENERGY,
    FIELD_NUMBERS,
    FIGURE_AXIS,
    INERTIA,
    OBSERVED_FORCED,
    OBSERVED_FREE,
    ONE_BODY,
    PARAMETERS,
)
from ..kernels.memory import put
from ..kernels.parts import Parts
from ..kernels.pointer import pointer_field
from ..problems.problem import Action, MissingFunction, Problem, all_problems
from ..setting import options_of, setting_made
from ..torque import Called, Compiled, on_one_line


def acting(body: Problem, method: Method, h: float) -> tuple[Action, Called | None]:
    """What acts in a run with the step h, and the caller's own functions; refused if the method does not fit."""
    called = None
    action = body.action(body.dt if method.adaptive else h)
    if body.torque is not None:
        if isinstance(body.torque, MissingFunction):
            raise ValueError(
                "this problem's torque was a function of the caller's own, which a file does not hold; give it again"
            )
        called = Called(body.torque, body.acting_potential)
        _try_out(body, called)
        action = Action(called.field(build.compiles()))
    reason = misfit(method, action.field)
    if reason is not None:
        raise ValueError(f"{body.label}: {reason}")
    return action, called


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
        given: tuple[Any, ...] = (0.0, R)
        if what == "potential" and not takes_time(plain):
            given = (R,)
        elif what == "torque" and takes_velocity(plain):
            given = (0.0, R, np.array(body.Omega0))
        try:
            value = plain(*given)
        except TypeError as error:
            takes = "(t, R) or (t, R, Omega)" if what == "torque" else "(t, R)"
            raise ValueError(f"the {what} must take {takes}: {on_one_line(error, str)}") from error
        except Exception:
            continue  # the run will meet it too, and tell at which step
        try:
            numbers = np.asarray(value)
            right = numbers.shape == ((3,) if what == "torque" else ()) and numbers.dtype.kind in "iuf"
        except Exception:  # lists of several lengths, say
            right = False
        if not right:
            returned = on_one_line(value) or f"a {type(value).__name__}"
            raise ValueError(f"the {what} must return {needs}; it returned {returned}")


def misfit(method: Method, field: Field) -> str | None:
    """Why a method cannot run in a field, as the end of a sentence; None if it can."""
    if method.energy_correction and field is not FREE:
        return "the energy correction is for free bodies, and here a torque does work on the body"
    if field.of_velocity and not method.torque_of_velocity:
        return f"{method.key} is made for torques of time and attitude, and this one depends on Ω; RKMK takes it"
    known = 2 if field.rate2 else 1 if field.rate else 0
    if method.needs_rates > known and field is not FREE:  # no torque has every rate
        which = ("rate", "second rate", "higher rates")[method.needs_rates - 1]
        return f"{method.key} needs the torque's {which} of change, which this one does not give; BUSS2 does without"
    return None


def why_not(problem: Problem, method: Method, dt: float) -> str | None:
    """Why a method cannot run on a problem with the step dt, as the end of a sentence; None if it can."""
    return misfit(method, _compiled_action(problem, method, dt).field)


def kernels(problem: Problem, method: Method, dt: float) -> list[Parts]:
    """What a run compiles: the method's own kernel, and what watches it if it does not go by steps of one size."""
    action = in_principal_axes(problem, _compiled_action(problem, method, dt))
    if misfit(method, action.field) is not None:
        return []
    watching = [watching_parts(action)] if method.solve is not None else []
    return [parts_of(method, action), *watching]


def _compiled_action(problem: Problem, method: Method, dt: float) -> Action:
    """What acts, where functions of the caller's own are reached by pointers."""
    if problem.torque is not None:
        return Action(pointer_field(problem.acting_potential is not None, takes_velocity(problem.torque)))
    return problem.action(problem.dt if method.adaptive else dt)


OWN_TORQUES = {
    (False, False): "a torque of one's own",
    (False, True): "a torque and potential of one's own",
    (True, False): "a torque of one's own that depends on Ω",
    (True, True): "a torque and potential of one's own that depends on Ω",
}
"""The kinds of torque that a caller brings: whether it depends on the velocity, and whether it has a potential."""


def kinds(problems: Iterable[Problem] | None = None) -> dict[str, Problem]:
    """A problem for each kind of torque that these can have, by names that are the same in every process.

    Without problems, for every kind that is registered, and for those that callers bring.
    """
    every = {variant.label: variant for problem in all_problems() for variant in _variants(problem)}
    for (of_velocity, with_potential), name in OWN_TORQUES.items():
        torque = MissingFunction("torque", of_velocity)
        every[name] = Problem(torque=torque, potential=MissingFunction("potential") if with_potential else None)
    if problems is None:
        return every
    asked: dict[str, Problem] = {}
    for problem in problems:
        if problem.torque is not None:
            asked[OWN_TORQUES[takes_velocity(problem.torque), problem.acting_potential is not None]] = problem
        else:
            asked |= {variant.label: variant for variant in _variants(problem)}
    return {name: every.get(name, problem) for name, problem in asked.items()}


def _variants(problem: Problem) -> Iterator[Problem]:
    """The problem with each of its choices, but for a formula, which is reached as a caller's own torque is."""
    choices = {p.name: p.choices for p in problem.specific if p.choices}
    for values in product(*choices.values()):
        variant = problem.replace(**dict(zip(choices, values, strict=True)))
        if variant.torque is None:
            yield variant


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
        options=options_of(method),
        field=action.field,
        tracked=tracked and method.step is not None,
        correct=CORRECTIONS[method.carries[1]] if method.energy_correction else None,
        stages=method.stages,
        held=method.substeps > 1,
        single=method.single,
    )


def watching_parts(action: Action) -> Parts:
    """What the kernel is made of that observes the states of a method without steps."""
    return Parts(_nothing_to_do, _start_velocity, ("R", "Ω"), (), action.field, template=advance.watch)


def _nothing_to_do(body: Any, t: float, h: float, R: Any, Ω: Any) -> tuple[Any, Any]:
    """Stands for the step where none is taken."""
    return R, Ω


def default_start(method: Method) -> Callable[..., Any]:
    """The first state of a method that carries nothing but R and a momentum."""
    return {"Ω": _start_velocity, "Π": _start_body_momentum, "π": _start_spatial_momentum}[method.carries[1]]


def _start_velocity(body: Any, t: float, h: float, R: Any, Ω: Any, *options: Any) -> tuple[Any, Any]:
    return R, Ω


def _start_body_momentum(body: Any, t: float, h: float, R: Any, Ω: Any, *options: Any) -> tuple[Any, Any]:
    return R, body.J @ Ω


def _start_spatial_momentum(body: Any, t: float, h: float, R: Any, Ω: Any, *options: Any) -> tuple[Any, Any]:
    return R, R @ (body.J @ Ω)


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
    varied: bool = False,
) -> Setting:
    """All that a run needs and its step does not change; kept, because a page asks for the same again and again."""
    action = in_principal_axes(body, action)
    parts = watching_parts(action) if watching else parts_of(method, action, tracked)
    if side_by_side:
        parts = parts.for_batches(compiled, varied)
    return setting_made(parts, method, compiled, memory_of(body, action), observed_in(action.field))


def observed_in(field: Field) -> tuple[str, ...]:
    """The names of what a kernel observes."""
    return OBSERVED_FREE if field is FREE else (*OBSERVED_FORCED, *(integral.key for integral in field.integrals))


def in_principal_axes(body: Problem, action: Action) -> Action:
    """The same action as it is seen from the principal axes."""
    return action if body.in_principal_axes else turned(action, Mat3(*body.principal[1].ravel().tolist()))


def memory_of(body: Problem, action: Action) -> tuple[Array, Array]:
    """The kernel's parameters and its initial R and Ω, all in principal axes, as the action is already."""
    moments, Q = body.principal
    parameters, initial = np.zeros(PARAMETERS), np.zeros(ONE_BODY.given)
    axes, R0 = (Mat3(*matrix.ravel().tolist()) for matrix in (Q, body.R0))
    begin(parameters, initial, Diag3(*moments.tolist()), axes, R0, Vec3(*body.Omega0.tolist()), action)
    return parameters, initial


# Both are written into WebAssembly as well (see `portable.py`).


def turned(action: Action, axes: Mat3) -> Action:
    """The same action as it is seen from the principal axes, which are the columns of a rotation."""
    numbers = action.numbers
    for at in action.field.body_vectors:
        vector = axes.T @ Vec3(*numbers[at : at + 3])
        numbers = (*numbers[:at], *vector, *numbers[at + 3 :])
    x, y, z = axes.T @ Vec3(*action.axis)
    return Action(action.field.turned or action.field, numbers, (x, y, z), action.jumps)


def begin(parameters: Any, initial: Any, J: Diag3, axes: Mat3, R0: Mat3, Omega0: Vec3, action: Action) -> None:
    """Write what a kernel is given; the axes are the principal ones, and J and the action are seen from them."""
    Omega = axes.T @ Omega0
    put(parameters, INERTIA, (J,))
    put(parameters, ENERGY, (0.5 * dot(Omega, J @ Omega),))
    put(parameters, AXES, (axes,))
    put(parameters, FIGURE_AXIS, (action.axis,))
    put(parameters, FIELD_NUMBERS, (action.numbers,))
    put(initial, 0, (R0 @ axes, Omega))
