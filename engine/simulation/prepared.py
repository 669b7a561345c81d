"""`prepared`: a run that is prepared once and repeated from other starts or with another step."""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.core import Method, Solver
from ..kernels import ROW_VELOCITY, RUNNING, compiles, is_compiled
from ..kernels.driver import FIRST_BLOCK, Outcome, RunMemory, address, read_outcome
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
    """Runs from other velocities: each fills memory as that of the first was, writes the velocity,
    and calls the kernel.
    """

    def __init__(self, request: RunRequest, setup: Setup) -> None:
        self.request = request
        self.kernel = setup.kernel
        self.format = setup.format
        rows = request.steps // request.every + 2
        memory = RunMemory.of(setup.kernel, setup.pointers, rows, request.steps * request.dt)
        self.first = memory.copy_bytes()
        self.reset = slice(len(self.first) - memory.rows.nbytes)
        self.before_rows = self.first[self.reset]
        _, begin, ledger, *_ = memory.arguments(True)
        self.outcome = ledger - begin + 8 * OUTCOME
        self.failed = ledger - begin + 8 * FAILED
        self.call = find_caller()
        self._free: list[Workspace] = []

    def make(self, velocity: tuple[float, float, float]) -> Run | None:
        """The run from a velocity; None if it does not end as requested."""
        try:
            space = self._free.pop()
        except IndexError:  # at first, and when threads call at the same time
            space = Workspace(self)
        space.block[self.reset] = self.before_rows
        space.velocity[0], space.velocity[1], space.velocity[2] = velocity
        begun = time.perf_counter()
        self.call(space.arguments)
        seconds = time.perf_counter() - begun
        held = space.block[:]
        self._free.append(space)
        # Both are small whole numbers, of which the first byte says enough.
        if held[self.outcome] != RUNNING or held[self.failed]:
            return None
        run: Run = object.__new__(Run)
        own = run.__dict__  # which takes half the time of the frozen class's `__init__`
        own["request"] = self.request
        own["record"] = QuickRecord(self, held, seconds)
        own["messages"] = self.request.messages
        own["changes"] = {"Omega0": velocity}
        return run


class Workspace:
    """Memory for one run at a time, and the address of the kernel's arguments, which point into
    it.
    """

    def __init__(self, quick: QuickRun) -> None:
        request = quick.request
        self.block = quick.first[:]
        memory = RunMemory.in_bytes(quick.kernel, self.block)
        self.velocity: Any = memoryview(memory.state)[ROW_VELOCITY : ROW_VELOCITY + 3]
        self._packed = pack_call(
            quick.kernel.advance,
            *memory.arguments(True),
            request.dt,
            request.steps,
            request.every,
        )
        self.arguments = address(self._packed)


class QuickRecord(KernelRecord):
    """The record of a quick run, whose outcome is read from the memory when it is first needed."""

    quick: QuickRun
    held: bytearray
    seconds: float

    def __init__(self, quick: QuickRun, held: bytearray, seconds: float) -> None:
        own = self.__dict__  # faster than a call of `update`
        own["quick"] = quick
        own["held"] = held
        own["seconds"] = seconds

    def __reduce__(self) -> tuple[type[KernelRecord], tuple[Any, ...]]:
        """Pickled without the kernel."""
        return KernelRecord, (self.outcome, self.dt, self.format, self.compiled)

    dt = property(lambda self: self.quick.request.dt)  # type: ignore[assignment]
    format = property(lambda self: self.quick.format)  # type: ignore[assignment]
    compiled = True

    @functools.cached_property
    def outcome(self) -> Outcome:  # type: ignore[override]
        """What the kernel left."""
        memory = RunMemory.in_bytes(self.quick.kernel, self.held)
        return read_outcome(memory, self.quick.request.every, self.seconds)


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
