"""`prepared`: a run that is prepared once and repeated from other starts or with another step."""

from __future__ import annotations

import functools
import struct
import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.core import Method, Solver
from ..kernels import ROW_VELOCITY, RUNNING, compiles, is_compiled
from ..kernels.driver import FIRST_BLOCK, Outcome, RunMemory, address, read_outcome
from ..kernels.layout import FAILED, OUTCOME
from ..parameters.validation import LARGEST
from ..problems.problem import AnyProblem, Problem
from . import one_body
from .one_body import Run
from .request import RunRequest, Steps
from .result import KernelRecord
from .setup import Setup
from .simulate import execute, make_request
from .two_bodies import TwoBodyRun


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
    execute(replace(request, steps=0, every=1))
    return Prepared(request, given)


class Prepared:
    """A prepared run: call it with the changes, as in `run(Omega0=(0, 0, 1))` or `run(dt=0.01)`.

    It accepts what `problem.replace` accepts, and dt. The result is bit for bit that of `simulate`.
    A call that changes Omega0 alone, of at most 4096 steps, takes a few microseconds more than its
    steps: it writes the velocity to the kernel's memory, and the run computes the rest when it is
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

    def __call__(self, **changes: Any) -> Run | TwoBodyRun:
        """The run with these changes."""
        if self._quick is not None and len(changes) == 1:
            velocity: Any = changes.get("Omega0")
            if isinstance(velocity, np.ndarray):
                velocity = velocity.tolist()
            if _is_velocity(velocity):
                run = self._quick.make(tuple(velocity))
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
    """Runs from other velocities: each copies the memory of the first, writes the velocity, and
    calls the kernel.
    """

    def __init__(self, request: RunRequest, setup: Setup) -> None:
        self.request = request
        self.kernel = setup.kernel
        self.format = setup.format
        duration = request.steps * request.dt
        rows = request.steps // request.every + 2
        memory = RunMemory.of(setup.kernel, setup.pointers, rows, duration)
        self.first = memory.copy_bytes()
        base, self.parameters, ledger, self.stop, *others = memory.arguments(True)
        self.offsets = tuple([place - self.parameters for place in (base, ledger, *others)])
        self.velocity = self.offsets[0] + 8 * ROW_VELOCITY
        self.outcome = self.offsets[1] + 8 * OUTCOME
        self.failed = self.offsets[1] + 8 * FAILED

    def make(self, velocity: tuple[float, float, float]) -> Run | None:
        """The run from a velocity; None if it does not end as requested."""
        request = self.request
        held = self.first[:]
        write_three(held, self.velocity, *velocity)
        at = address(held)
        state, ledger, rows, last, extrema = self.offsets
        begun = time.perf_counter()
        self.kernel.advance(
            at + state, at, at + ledger, self.stop, at + rows, at + last, at + extrema,
            request.dt, request.steps, request.every,
        )  # fmt: skip
        seconds = time.perf_counter() - begun
        # Both are small whole numbers, of which the first byte says enough.
        if held[self.outcome] != RUNNING or held[self.failed]:
            return None
        record = QuickRecord(self, held, seconds)
        return Run(request, record, request.messages, {"Omega0": velocity})


write_three = struct.Struct("3d").pack_into


class QuickRecord(KernelRecord):
    """The record of a quick run, whose outcome is read from the memory when it is first needed."""

    quick: QuickRun
    held: bytearray
    seconds: float

    def __init__(self, quick: QuickRun, held: bytearray, seconds: float) -> None:
        self.__dict__.update(quick=quick, held=held, seconds=seconds)

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


def _is_velocity(value: Any) -> bool:
    """Whether this is plainly a velocity; `replace` checks other values."""
    if not isinstance(value, tuple | list) or len(value) != 3:
        return False
    x, y, z = value
    return type(x) is type(y) is type(z) is float and abs(x) + abs(y) + abs(z) <= LARGEST
