"""One body in WebAssembly: the kernels of methods and the start of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..algebra import Diag3, Mat3, exp
from ..algorithms.core.method import Method
from ..compiler.frontend.record import Record
from ..kernels import Parts, Place, ReadyKernel, inline_field, make_parts, vector_at
from ..parameters.parameter import Number, Parameter, Vector, index_by_name
from ..parameters.validation import rotation_vector
from ..problems.problem import Action, Problem
from ..simulation import one_body


def make_kernel(
    problem: Problem, method: Method, dt: float
) -> tuple[Parts, ReadyKernel, Mapping[str, Place]]:
    """The parts of a kernel that calls nothing of this process, the kernel, and the places in its
    rows.
    """
    action = problem.action(problem.dt if method.adaptive else dt)
    if problem.torque is not None:
        action = Action(inline_field(problem.torque, problem.acting_potential))
    if reason := one_body.find_misfit(method, action.field):
        raise ValueError(f"{problem.label}: {reason}")
    turned = one_body.turn_to_principal_axes(problem, action)
    parts = make_parts(method, turned.field)
    return (
        parts,
        one_body.prepare_kernel(problem, method, action, compiled=False),
        one_body.find_places(action.field),
    )


def list_axes(problem: Problem) -> dict[str, list[float]]:
    """The series that a kernel stores in principal axes, and these axes, row by row, as columns."""
    return dict.fromkeys(("R", "Omega"), problem.principal[1].ravel().tolist())


def list_start(problem: Problem) -> dict[str, tuple[Parameter, list[float]]]:
    """The parameters of a start, with their numbers: moments, Ω₀, R₀ as a rotation vector, and
    those of the action.

    `make_start_writer` needs the first three; the others are optional.
    """
    common = index_by_name(problem.common)
    start = {"J": problem.principal[0], "Omega0": problem.Omega0, "R0": rotation_vector(problem.R0)}
    given = {name: (common[name], values.tolist()) for name, values in start.items()}
    for parameter in _find_used_parameters(problem):
        given[parameter.name] = parameter, np.ravel(problem.values[parameter.name]).tolist()
    return given


def _find_used_parameters(problem: Problem) -> list[Parameter]:
    """The numbers among the problem's own parameters that its action reads."""
    used: set[str] = set()

    class Recorder(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            used.add(name)
            return super().__getitem__(name)

    problem.act(Recorder(problem.values), problem.dt)
    return [p for p in problem.specific if p.name in used and isinstance(p.kind, Number | Vector)]


def make_start_writer(problem: Problem, chosen: Mapping[str, Place]) -> Callable[..., None]:
    """A function (given, dt, parameters, initial) that writes a kernel's parameters and initial
    state.

    The parameters `chosen` from `list_start` are read from `given`; the others, and the axes, are
    the problem's.
    """
    axes = Mat3(*problem.principal[1].ravel().tolist())
    constants = dict(problem.values)

    def write(given: Any, dt: float, parameters: Any, initial: Any) -> None:
        J, Omega0, turn = (vector_at(given, chosen[name].at) for name in ("J", "Omega0", "R0"))
        values: Any = Values(given, chosen, constants)
        action = one_body.turn_action(problem.act(values, dt), axes)
        one_body.write_start(parameters, initial, Diag3(*J), axes, exp(turn), Omega0, action)

    return write


class Values(Record):
    """A problem's values, some of which are in memory."""

    __slots__ = ("chosen", "constants", "memory")

    def __init__(
        self, memory: Any, chosen: Mapping[str, Place], constants: Mapping[str, Any]
    ) -> None:
        self.memory = memory
        self.chosen = chosen
        self.constants = constants

    def __getitem__(self, name: str) -> Any:
        if name not in self.chosen:
            return self.constants[name]
        at, size, _ = self.chosen[name]
        return self.memory[at] if size == 1 else tuple(self.memory[at + i] for i in range(size))
