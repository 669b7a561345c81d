"""`prepared`: a run that is prepared once and repeated from other starts or with another step."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.core import Method, Solver
from ..kernels import ONE_BODY, ROW_VELOCITY, RUNNING, compiles, is_compiled
from ..kernels.driver import FIRST_BLOCK, ReadyKernel, RunMemory, read_outcome
from ..parameters.validation import LARGEST
from ..problems.problem import AnyProblem, Problem
from . import one_body
from .one_body import Run
from .request import RunRequest, Steps
from .result import KernelRecord
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
        self._kernel: ReadyKernel | None = None
        if _starts_in_memory(request):
            setup = one_body.set_up(request)
            if setup.kernel.by_pointer:  # else there was no source to compile
                self._kernel = setup.kernel
                self._setup = setup

    def __repr__(self) -> str:
        return f"<prepared run of {self._request.method.label} on {self._request.problem.label}>"

    def __reduce__(self) -> tuple[type[Prepared], tuple[RunRequest, Steps]]:
        """Pickled as its arguments; the other process loads the machine code."""
        return type(self), (self._request, self._steps)

    def __call__(self, **changes: Any) -> Run | TwoBodyRun:
        """The run with these changes."""
        Omega0: Any = changes.get("Omega0")
        if isinstance(Omega0, np.ndarray):
            Omega0 = Omega0.tolist()
        if self._kernel is not None and len(changes) == 1 and _is_velocity(Omega0):
            run = self._run_in_memory(self._kernel, tuple(Omega0))
            if run is not None:
                return run
        steps = replace(self._steps, dt=changes.pop("dt", self._steps.dt))
        problem = self._request.problem
        return execute(
            make_request(
                problem.replace(**changes) if changes else problem, self._request.method, steps
            )
        )

    def _run_in_memory(self, kernel: ReadyKernel, Omega0: tuple[float, ...]) -> Run | None:
        """The run from another velocity; None if it does not end as requested."""
        request = self._request
        setup = self._setup
        memory = RunMemory(
            kernel, setup.pointers, request.steps // request.every + 2, request.steps * request.dt
        )
        memory.state[ROW_VELOCITY : ONE_BODY.size] = Omega0
        begun = time.perf_counter()
        kernel.advance(*memory.arguments(True), request.dt, request.steps, request.every)
        seconds = time.perf_counter() - begun
        outcome = read_outcome(memory, request.every, seconds)
        if outcome.ended != RUNNING:
            return None
        record = KernelRecord(outcome, request.dt, setup.format, True)
        return Run(request, record, request.messages, {"Omega0": Omega0})


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
