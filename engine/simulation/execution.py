"""Execution: a request runs on its kernels, step by step or by the method's own solver, and gives a
run.

The messages of a run report how it ended.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..kernels import (
    CANCELLED,
    DIVERGED,
    NO_SOLUTION,
    NOT_FOUND,
    Called,
    Floats,
    Outcome,
    build,
    drive,
)
from ..text.formatting import show
from .continuous import solve
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
    observe : called during the run with the observed quantities of the rows so far, by name, if the
        method takes steps.
    """
    system = find_system(request.problem)
    setup = system.set_up(request)
    messages = list(request.messages)
    if setup.observer is None:
        every = request.every
        pointers = setup.pointers
        outcome = drive(
            setup.kernel, request.dt, request.steps, every, pointers, cancel, progress, observe
        )
    else:
        outcome, message = solve(request, setup, cancel, progress)
        messages += message
    compiled = (setup.observer or setup.kernel).by_pointer
    if not compiled and build.compiles():
        messages.append(
            f"{request.method.label} ran as plain Python: only what a file or a notebook's cell holds is compiled."
        )
    messages += system.list_remarks(request, outcome) + describe_ending(
        request, outcome, setup.torque
    )
    return system.run_type(
        request, KernelRecord(outcome, request.dt, setup.format, compiled), tuple(messages)
    )


ENDINGS = {
    NO_SOLUTION: "{method} has no solution in step {step}, from t = {t}: {dt} turns the body too far.",
    NOT_FOUND: "{method}: no solution of step {step} was found, from t = {t} with Δt = {dt}.",
    DIVERGED: "In step {step}, from t = {t}, {what} is no longer finite; the run ends at the last valid state.",
    CANCELLED: "Cancelled after {steps} steps, at t = {t}.",
}
"""Sentences by the outcomes of a kernel (`kernels/layout.py`)."""
OWN_STEPS_END = (
    "{method} does not reach the row after t = {t}: steps that meet the tolerance become too small or too many. A "
    "larger tolerance may help, or more samples."
)
"""The sentence where a method chooses its steps in a kernel."""
WHAT_BLOWS_UP = {False: "the motion", True: "the torque or the motion"}
"""Reasons without and with a custom torque."""


def describe_ending(request: RunRequest, outcome: Outcome, torque: Called | None) -> list[str]:
    """How a run ended, in sentences; none for a run that is done. `torque` is the custom one, if
    one acts.
    """
    failure = "" if torque is None else torque.describe_failure(outcome.failed)
    n = outcome.uncorrected
    method = request.method
    sentences = (
        [f"After {n} steps the energy could not be corrected and was left as it was."] if n else []
    )
    if outcome.ended not in ENDINGS:
        return sentences
    t = show((outcome.last_row if method.adaptive else outcome.steps) * request.dt)
    if failure:
        return [*sentences, f"In step {outcome.failed_step}, from t = {t}, the {failure}."]
    if (
        outcome.status == "no-solution" and method.solve is not None
    ):  # which has given the reason itself
        return sentences
    ending = (
        ENDINGS[outcome.ended]
        if method.own_step is None or outcome.status != "no-solution"
        else OWN_STEPS_END
    )
    sentence = ending.format(
        method=method.label,
        what=WHAT_BLOWS_UP[torque is not None],
        steps=outcome.steps,
        step=outcome.failed_step,
        t=t,
        dt=show(request.dt),
    )
    return [*sentences, sentence]
