"""Execution: a request runs on its kernels, step by step or by the method's own solver, and gives a run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..kernels import build
from ..kernels.driver import Floats, drive
from .continuous import solve
from .endings import describe_ending
from .one_body import Run
from .request import RunRequest
from .result import KernelRecord
from .systems import find_system
from .two_bodies import TwoBodyRun


def execute(
    request: RunRequest,
    *,
    cancel: threading.Event | None = None,
    progress: Callable[[int, int], Any] | None = None,
    observe: Callable[[dict[str, Floats]], Any] | None = None,
) -> Run | TwoBodyRun:
    """Run a request.

    Parameters
    ----------
    cancel, progress : as in `simulate`.
    observe : called during the run with the observed quantities of the rows so far, by name, if the method takes
        steps.
    """
    system = find_system(request.problem)
    setup = system.set_up(request)
    if request.method.solve is None:
        kernel, solver_messages = setup.kernel(), list[str]()
        every, pointers = request.every, setup.pointers
        outcome = drive(kernel, request.dt, request.steps, every, pointers, cancel, progress, observe)
    else:
        outcome, kernel, solver_messages = solve(request, setup, cancel, progress)
    failure = setup.describe_failure(outcome)
    if not kernel.by_pointer and build.compiles():
        solver_messages.append(
            f"{request.method.label} ran as plain Python: only what a file or a notebook's cell holds is compiled."
        )
    messages = (
        *request.messages,
        *solver_messages,
        *setup.remarks(outcome),
        *describe_ending(request, outcome, setup.custom_torque, failure),
    )
    return system.run_type(request, KernelRecord(outcome, request.dt, setup.format, kernel.by_pointer), messages)
