"""Methods that return states at given times instead of taking steps of one size.

Such a method is a `Solver`: `solve(question, **options)` returns an `Answer`. Kernels like those of
other methods compute the rates that it integrates and the quantities observed of its states.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.core import Solver
from ..kernels import Failed, Integers, Outcome, ReadyKernel, RunMemory, is_cancelled, layout
from ..parameters.validation import Array
from .request import RunRequest
from .setup import Setup

OUTCOMES = {status: outcome for outcome, status in layout.STATES.items()}
BETWEEN_REPORTS = 0.04
"""Seconds between two reports of progress."""

Progress = Callable[[int, int], Any]


@dataclass
class Answer:
    """The states that a method computes, in principal axes.

    Attributes
    ----------
    R, Omega : (n, 3, 3) and (n, 3), at the first n of the times; at all of them if the run is done.
        For two bodies, R is (n, 2, 3, 3), and Omega the velocities and places.
    between : times, R and Omega of states between, which count for the extrema: an adaptive
        method's own steps.
    since : (n, 3, 3) the attitudes from which the increments are measured; None for those of the
        rows before.
    status : "done", "diverged", "no-solution" or "cancelled"; `message` gives the reason in a
        sentence.
    """

    R: Array
    Omega: Array
    between: tuple[Array, Array, Array] | None = None
    since: Array | None = None
    steps: int = 0
    status: str = "done"
    message: str = ""


class Question:
    """The task of a method that returns states at given times.

    Attributes
    ----------
    problem, dt : the problem, and the time of which the times are multiples.
    row_steps : (n,) these multiples.
    times : (n,) the first is 0.
    answer : the type that a method returns (`Answer`).
    """

    answer = Answer

    def __init__(
        self,
        request: RunRequest,
        setup: Setup,
        cancel: threading.Event | None,
        progress: Progress | None,
    ) -> None:
        self.problem = request.problem
        self.dt = request.dt
        self.every = request.every
        self.jumps = setup.jumps
        multiples = np.arange(0, request.steps + 1, self.every, dtype=np.int64)
        self.row_steps: Integers = np.unique(np.append(multiples, request.steps))
        self.times: Array = np.multiply(self.row_steps, self.dt, dtype=float)
        self.cancel = cancel
        self.progress = progress
        self.begun = self._reported = time.perf_counter()
        self._ledger: Integers = np.zeros(layout.LEDGER, dtype=np.int64)
        if request.method.adaptive:
            kernel = setup.kernel
            memory = RunMemory.of(setup.kernel, setup.pointers, 1)
            self._ledger = memory.ledger
            self._state = memory.state[kernel.row.size :]
            self._advance = kernel.advance
            self._arguments = memory.arguments(kernel.by_pointer)

    @property
    def torque_evaluations(self) -> int:
        """How often the rates have evaluated the torque."""
        return int(self._ledger[layout.TORQUE_EVALUATIONS])

    @property
    def failed(self) -> Failed | None:
        """The first call of a custom torque that failed, if one did."""
        return Failed.of(self._ledger)

    def start(self, size: int) -> Array:
        """(size,) the numbers that the method carries, at time 0."""
        self._advance(*self._arguments, 0.0, 0, 1)
        self._ledger[layout.STARTED] = 1
        return self._state[:size].copy()

    def rates(self, t: float, state: Array) -> Array:
        """The rates of what the method carries at time t; nan where they cannot be computed."""
        place: Array = self._state[: len(state)]
        place[:] = state
        self._ledger[layout.STEP] = 1  # of length t, so that the kernel's time is t
        try:
            self._advance(*self._arguments, t, 1, 2)
        except (
            ZeroDivisionError,
            OverflowError,
            ValueError,
        ):  # plain Python, where compiled code has inf and nan
            place[:] = np.nan
        return place.copy()

    def spans(self) -> list[tuple[float, float]]:
        """The intervals between the jumps of the torque."""
        end = float(self.times[-1])
        marks = [0.0, *(t for t in self.jumps if 0.0 < t < end), end]
        return list(itertools.pairwise(marks))

    def goes_on(self, t: float) -> bool:
        """Report that the method has reached t, and return whether it should continue."""
        now = time.perf_counter()
        if self.progress is not None and now - self._reported > BETWEEN_REPORTS:
            self._reported = now
            self.progress(
                int(np.searchsorted(self.times, t, side="right")) - 1, len(self.times) - 1
            )
        return not is_cancelled(self.cancel)


def solve(
    request: RunRequest, setup: Setup, cancel: threading.Event | None, progress: Progress | None
) -> tuple[Outcome, list[str]]:
    """Run a request by the method's own solver; return the outcome and the solver's message, if
    there is one.
    """
    method = request.method
    assert isinstance(method, Solver) and setup.observer is not None
    question = Question(request, setup, cancel, progress)
    answer = method.solve(question, **method.option_values())
    messages = (
        [answer.message] if answer.message and question.failed is None else []
    )  # else the torque is the reason
    return _observe_answer(question, answer, setup.observer, setup.pointers), messages


def _observe_answer(
    question: Question, answer: Answer, watch: ReadyKernel, pointers: tuple[int, int]
) -> Outcome:
    """The rows of an answer with the observed quantities, as a kernel with steps leaves them."""
    n = len(answer.R)
    rows, least, largest, failed = _observe(
        question.times[:n], answer.R, answer.Omega, watch, pointers
    )
    if answer.between is not None and len(answer.between[0]):
        _, low, high, failed_between = _observe(*answer.between, watch, pointers)
        failed = failed or failed_between
        least = np.minimum(least, low)
        largest = np.maximum(largest, high)
    if answer.since is not None:
        rows[:, watch.row.size] = measure_angles(np.swapaxes(answer.since, -1, -2) @ answer.R)
    finite = np.isfinite(rows[:, watch.row.observed :]).all(axis=1)
    good = n if finite.all() else max(1, int(finite.argmin()))
    failed = question.failed or failed
    ended = OUTCOMES[answer.status] if good == n and failed is None else layout.DIVERGED
    last_row = int(question.row_steps[good - 1])
    steps = answer.steps or last_row
    if question.progress is not None:
        question.progress(good - 1, len(question.times) - 1)
    return Outcome(
        steps=steps,
        last_row=last_row,
        every=question.every,
        rows=rows[:good],
        extrema=np.concatenate([least, largest]),
        ended=ended,
        newton_iterations=0,
        torque_evaluations=question.torque_evaluations,
        uncorrected=0,
        seconds=time.perf_counter() - question.begun,
        failed=failed,
    )


def _observe(
    t: Array, R: Array, Omega: Array, watch: ReadyKernel, pointers: tuple[int, int]
) -> tuple[Array, Array, Array, Failed | None]:
    """Rows for these states, the least and the largest of each quantity, and where a custom torque
    failed.
    """
    memory = RunMemory.of(watch, pointers, len(t))
    rows = memory.rows
    given = watch.row.size
    attitudes = 9 * watch.row.attitudes
    rows[:, :attitudes] = R.reshape(-1, attitudes)
    rows[:, attitudes:given] = Omega
    rows[:, given] = t
    observed = len(watch.observed)
    memory.extrema[:observed] = np.inf
    memory.extrema[observed:] = -np.inf
    with np.errstate(all="ignore"):
        watch.advance(*memory.arguments(watch.by_pointer), 0.0, len(t), 1)
    return rows, memory.extrema[:observed], memory.extrema[observed:], Failed.of(memory.ledger)


def measure_angles(R: Array) -> Array:
    """(n,) the angles of rotations (n, 3, 3) in radians, accurate for tiny angles and for half
    turns.
    """
    skew = R - np.swapaxes(R, -1, -2)
    sine = np.sqrt(skew[:, 2, 1] ** 2 + skew[:, 0, 2] ** 2 + skew[:, 1, 0] ** 2)
    return np.arctan2(sine, np.trace(R, axis1=1, axis2=2) - 1.0)
