"""One body without Python: what is written into WebAssembly of its runs, a method's kernel and how a run begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..algebra import Diag3, Mat3, exp
from ..algorithms.method import Method
from ..checks import rotation_vector
from ..compiler.record import Record
from ..kernels.driver import Setting
from ..kernels.layout import Place
from ..kernels.memory import vector_at
from ..kernels.parts import Parts
from ..problems.problem import Action, Problem
from ..spec import Number, Parameter, Vector, named
from ..torque import field_in_line
from .run import places
from .setting import begin, in_principal_axes, misfit, parts_of, setting_of, turned


def kernel(problem: Problem, method: Method, dt: float) -> tuple[Parts, Setting, Mapping[str, Place]]:
    """What a kernel is made of that calls nothing of this process, what it is given, and where a row has what."""
    action = problem.action(dt)
    if problem.torque is not None:
        action = Action(field_in_line(problem.torque, problem.acting_potential))
    if reason := misfit(method, action.field):
        raise ValueError(f"{problem.label}: {reason}")
    parts = parts_of(method, in_principal_axes(problem, action))
    return parts, setting_of(problem, method, action, compiled=False), places(action.field)


def axes_of(problem: Problem) -> dict[str, list[float]]:
    """The series that a kernel has in principal axes, and those axes, by rows, as columns."""
    return dict.fromkeys(("R", "Omega"), problem.principal[1].ravel().tolist())


def given_of(problem: Problem) -> dict[str, tuple[Parameter, list[float]]]:
    """What a run begins with, in numbers: principal moments, Ω₀, R₀ as a rotation vector, and what decides what acts.

    These are the arguments of `beginning`, by name, and those that a problem has of its own may be left out of it.
    """
    common = named(problem.common)
    start = {"J": problem.principal[0], "Omega0": problem.Omega0, "R0": rotation_vector(problem.R0)}
    given = {name: (common[name], values.tolist()) for name, values in start.items()}
    for parameter in _asked(problem):
        given[parameter.name] = parameter, np.ravel(problem.values[parameter.name]).tolist()
    return given


def _asked(problem: Problem) -> list[Parameter]:
    """The numbers of its own that decide what acts."""
    seen: list[str] = []

    class Seen(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            seen.append(name)
            return super().__getitem__(name)

    problem.act(Seen(problem.values), problem.dt)
    return [p for p in problem.specific if p.name in seen and isinstance(p.kind, Number | Vector)]


def beginning(problem: Problem, chosen: Mapping[str, Place]) -> Callable[..., None]:
    """A function (given, dt, parameters, initial) that writes what a kernel is given.

    What is `chosen` of the numbers of `given_of` stands in `given`; the rest, and the axes, are the problem's.
    """
    axes, constants = Mat3(*problem.principal[1].ravel().tolist()), dict(problem.values)

    def begins(given: Any, dt: float, parameters: Any, initial: Any) -> None:
        J, Omega0, turn = (vector_at(given, chosen[name].at) for name in ("J", "Omega0", "R0"))
        values: Any = Values(given, chosen, constants)
        action = turned(problem.act(values, dt), axes)
        begin(parameters, initial, Diag3(*J), axes, exp(turn), Omega0, action)

    return begins


class Values(Record):
    """A problem's values, of which some stand in memory."""

    __slots__ = ("chosen", "constants", "memory")

    def __init__(self, memory: Any, chosen: Mapping[str, Place], constants: Mapping[str, Any]) -> None:
        self.memory, self.chosen, self.constants = memory, chosen, constants

    def __getitem__(self, name: str) -> Any:
        if name not in self.chosen:
            return self.constants[name]
        at, size, _ = self.chosen[name]
        return self.memory[at] if size == 1 else tuple(self.memory[at + i] for i in range(size))
