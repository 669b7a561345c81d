"""`prepared`: a run that is prepared once and repeated from other starts or with another step."""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.core import Method, Solver
from ..kernels import ROW_VELOCITY, RUNNING, compiles, is_compiled
from ..kernels.driver import FIRST_BLOCK, RunMemory, address, read_outcome
from ..kernels.layout import FAILED, OUTCOME
from ..kernels.packed import find_caller, pack_call
from ..parameters.validation import LARGEST
from ..problems.problem import AnyProblem, Problem
from . import one_body
from .one_body import Run
from .request import RunRequest, Steps
from .result import KernelRecord
from .setup import Setup
from .simulate import execute, make_request, refuse_ambiguity
from .systems import RunOfSpace


def prepared(
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
    **options: Any,
) -> Prepared:
    """Prepare a run of `simulate` with these arguments, to repeat it many times: see `Prepared`.

    The kernel is compiled and the arguments are checked now, not at each call.
    """
    given = Steps(dt, duration, steps, every, samples)
    request = make_request(problem, method, given, energy_correction, compose, options)
    refuse_ambiguity(method, request.method, given)
    execute(replace(request, steps=0, every=1))
    return Prepared(request, given)


class Prepared:
    """A prepared run: call it with the changes, as in `run(Omega0=(0, 0, 1))` or `run(dt=0.01)`.

    It accepts what `problem.replace` accepts, and dt. The result is bit for bit that of `simulate`.
    A call that changes Omega0 alone, of at most 4096 steps, takes about two microseconds more than
    its steps: it writes the velocity to the kernel's memory, and the run computes the rest when it is
    read.
    """

    def __init__(self, request: RunRequest, steps: Steps) -> None:
        self._request = request
        self._steps = steps
        self._quick: QuickRun | None = None
        if _starts_in_memory(request):
            setup = one_body.set_up(request)
            if setup.kernel.by_pointer:  # else there was no source to compile
                self._quick = QuickRun(request, setup)

    def __repr__(self) -> str:
        return f"<prepared run of {self._request.method.label} on {self._request.problem.label}>"

    def __reduce__(self) -> tuple[type[Prepared], tuple[RunRequest, Steps]]:
        """Pickled as its arguments; the other process loads the machine code."""
        return type(self), (self._request, self._steps)

    def __call__(self, **changes: Any) -> RunOfSpace:
        """The run with these changes."""
        if self._quick is not None and len(changes) == 1 and "Omega0" in changes:
            velocity = _read_velocity(changes["Omega0"])
            run = None if velocity is None else self._quick.make(velocity)
            if run is not None:
                return run
        steps = replace(self._steps, dt=changes.pop("dt", self._steps.dt))
        problem = self._request.problem
        return execute(
            make_request(
                problem.replace(**changes) if changes else problem, self._request.method, steps
            )
        )


class QuickRun:
    """Runs from other velocities: each writes the velocity to memory and calls the kernel."""

    def __init__(self, request: RunRequest, setup: Setup) -> None:
        self.request = request
        self.kernel = setup.kernel
        self.format = setup.format
        rows = request.steps // request.every + 2
        memory = RunMemory.of(setup.kernel, setup.pointers, rows, request.steps * request.dt)
        self.first = memory.copy_bytes()
        _, begin, ledger, _, first_row, *_ = memory.arguments(True)
        self.unchanged = slice(ledger - begin)
        self.changed = slice(ledger - begin, None)
        """The kernel changes its ledger and what follows."""
        self.before = self.first[ledger - begin : first_row - begin]
        self.call = find_caller()
        self._free: list[Workspace] = []

    def make(self, velocity: tuple[float, float, float]) -> Run | None:
        """The run from a velocity; None if it does not end as requested."""
        try:
            space = self._free.pop()
        except IndexError:  # at first, and when threads call at the same time
            space = Workspace(self)
        space.velocity[0], space.velocity[1], space.velocity[2] = velocity
        begun = time.perf_counter()
        self.call(space.arguments)
        seconds = time.perf_counter() - begun
        held = space.block[self.changed]
        self._free.append(space)
        if held[OUTCOME_BYTE] != RUNNING or held[FAILED_BYTE]:
            return None
        run: PreparedRun = object.__new__(PreparedRun)
        own = run.__dict__  # which takes half the time of the frozen class's `__init__`
        own["quick"] = self
        own["velocity"] = velocity
        own["held"] = held
        own["seconds"] = seconds
        return run

    def read_record(self, held: bytearray, seconds: float) -> KernelRecord:
        """The record of a run that left these bytes."""
        memory = RunMemory.in_bytes(self.kernel, self.first[self.unchanged] + held)
        outcome = read_outcome(memory, self.request.every, seconds)
        return KernelRecord(outcome, self.request.dt, self.format, True)


OUTCOME_BYTE, FAILED_BYTE = 8 * OUTCOME, 8 * FAILED
"""Where a ledger in bytes holds two small whole numbers, of which the first byte says enough."""


class Workspace:
    """Memory for one run at a time, and the kernel's arguments, which point into it."""

    def __init__(self, quick: QuickRun) -> None:
        request = quick.request
        self.block = quick.first[:]
        memory = RunMemory.in_bytes(quick.kernel, self.block)
        self.velocity: Any = memoryview(memory.state)[ROW_VELOCITY : ROW_VELOCITY + 3]
        given = memory.arguments(True)
        self.arguments = pack_call(
            (given[2], address(quick.before), len(quick.before)),
            quick.kernel.advance,
            *given,
            request.dt,
            request.steps,
            request.every,
        )


class PreparedRun(Run):
    """A run that keeps the memory that its kernel left, and reads it at first use."""

    quick: QuickRun
    velocity: tuple[float, float, float]
    held: bytearray
    seconds: float

    def __reduce__(self) -> tuple[type[Run], tuple[Any, ...]]:
        """Pickled without the kernel."""
        return Run, (self.request, self.record, self.messages, self.changes)

    @functools.cached_property
    def request(self) -> RunRequest:  # type: ignore[override]
        """The one that was prepared."""
        return self.quick.request

    @functools.cached_property
    def record(self) -> KernelRecord:  # type: ignore[override]
        """What the kernel left."""
        return self.quick.read_record(self.held, self.seconds)

    @functools.cached_property
    def messages(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the request."""
        return self.request.messages

    @functools.cached_property
    def changes(self) -> dict[str, Any]:  # type: ignore[override]
        """The velocity."""
        return {"Omega0": self.velocity}


def _starts_in_memory(request: RunRequest) -> bool:
    """Whether another velocity changes three numbers in memory and nothing else, and the kernel is
    called once.
    """
    problem = request.problem
    method = request.method
    return (
        compiles()
        and isinstance(problem, Problem)
        and problem.in_principal_axes
        and is_compiled(problem.torque, problem.acting_potential)
        and not isinstance(method, Solver)
        and not method.energy_correction
        and request.steps <= FIRST_BLOCK[True]
    )


def _read_velocity(value: Any) -> tuple[float, float, float] | None:
    """The components, if this is plainly a velocity; `replace` checks other values."""
    if type(value) is tuple and len(value) == 3:
        x, y, z = value
        if type(x) is float and type(y) is float and type(z) is float:
            return value if x * x + y * y + z * z <= LARGEST else None
    if isinstance(value, np.ndarray):
        value = value.tolist()
    is_plain = isinstance(value, list | tuple) and len(value) == 3
    if is_plain and all(isinstance(one, float) for one in value):  # as NumPy's numbers are
        return _read_velocity(tuple(map(float, value)))
    return None
