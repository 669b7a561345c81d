"""Methods that answer at given times, in place of going by steps of one size.

Such a method has `solve(question, **options)`: it is told what moves, and returns an `Answer`. The rates that it
integrates, and what is observed of its states, are computed by kernels like that of any other method.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cancelling import cancelled
from .kernels.driver import NEVER, Outcome, RunMemory, Setting
from .kernels.layout import CANCELLED, DIVERGED, STARTED, STATES, STEP, TORQUE_EVALUATIONS
from .kernels.memory import Failed
from .problems.problem import Posed

Array = NDArray[np.float64]

ENDED = {state: ended for ended, state in STATES.items()}
TOLD_EACH = 0.04
"""Seconds between two reports of progress."""


@dataclass
class Answer:
    """What a method made of a motion, in principal axes.

    Attributes
    ----------
    R, Omega : (n, 3, 3) and (n, 3), at the first n of the times: at all of them if it is done; of a layout with more
        attitudes, (n, 2, 3, 3) and the rest of what it gives.
    between : times, R and Omega of states between, which count for the extrema; adaptive methods' steps.
    since : (n, 3, 3) the attitudes from which the increments are taken; those of the rows before, if it is None.
    status : "done", "diverged" or "cancelled", and a message in a person's words.
    """

    R: Array
    Omega: Array
    between: tuple[Array, Array, Array] | None = None
    since: Array | None = None
    steps: int = 0
    status: str = "done"
    message: str = ""


class Question:
    """What a method is asked that answers at given times: what moves, and when it is where.

    Attributes
    ----------
    problem, dt : the problem, and the time of which those asked for are multiples.
    times : (n,) the first is 0.
    answer : what a method returns (`Answer`).
    """

    answer = Answer

    def __init__(
        self,
        problem: Posed,
        dt: float,
        kept: NDArray[np.int64],
        jumps: tuple[float, ...],
        rates: Setting | None,
        pointers: tuple[int, int],
        cancel: threading.Event | None,
        progress: Callable[[int, int], Any] | None,
    ) -> None:
        self.problem, self.dt, self.kept = problem, dt, kept
        self.times: Array = np.multiply(kept, dt, dtype=float)
        self.cancel, self.progress = cancel, progress
        self.begun = self._told = time.perf_counter()
        self._jumps = jumps
        if rates is not None:
            self._memory, self._given = RunMemory(rates, pointers, 1), rates.layout.given
            self._state = self._memory.state[self._given :]
            self._advance, self._arguments = rates.advance, self._memory.arguments(rates.by_pointer, NEVER)

    @property
    def torque_evaluations(self) -> int:
        """How often the rates have asked for the torque."""
        return int(self._memory.ledger[TORQUE_EVALUATIONS]) if hasattr(self, "_memory") else 0

    @property
    def failed(self) -> Failed | None:
        """The call of a caller's function that failed, if one did."""
        return Failed.of(self._memory.ledger) if hasattr(self, "_memory") else None

    def start(self, size: int) -> Array:
        """(size,) the numbers that the method carries, at time 0."""
        self._advance(*self._arguments, 0.0, 0, 1)
        self._memory.ledger[STARTED] = 1
        return self._state[:size].copy()

    def rates(self, t: float, state: Array) -> Array:
        """The rates of what the method carries at time t; nan where they cannot be computed."""
        place = self._state[: len(state)]
        place[:] = state
        self._memory.ledger[STEP] = 1  # of length t, so that the kernel's time is t
        try:
            self._advance(*self._arguments, t, 1, 2)
        except (ZeroDivisionError, OverflowError, ValueError):  # plain Python, where compiled code has inf and nan
            place[:] = np.nan
        return place.copy()

    def spans(self) -> list[tuple[float, float]]:
        """The intervals between which the torque jumps."""
        end = float(self.times[-1])
        marks = [0.0, *(t for t in self._jumps if 0.0 < t < end), end]
        return list(itertools.pairwise(marks))

    def goes_on(self, t: float) -> bool:
        """Tell how far the method is, and ask whether it should go on."""
        now = time.perf_counter()
        if self.progress is not None and now - self._told > TOLD_EACH:
            self._told = now
            self.progress(int(np.searchsorted(self.times, t, side="right")) - 1, len(self.times) - 1)
        return not cancelled(self.cancel)


def answered(question: Question, answer: Answer, watch: Setting, pointers: tuple[int, int]) -> Outcome:
    """The rows of an answer with all that is observed of them, as a kernel that steps would have left them."""
    n = len(answer.R)
    rows, least, largest, failed = _observed(question.times[:n], answer.R, answer.Omega, watch, pointers)
    if answer.between is not None and len(answer.between[0]):
        _, low, high, failed_between = _observed(*answer.between, watch, pointers)
        failed = failed or failed_between
        least, largest = np.minimum(least, low), np.maximum(largest, high)
    if answer.since is not None:
        rows[:, watch.layout.given] = _angles(answer.since, answer.R)
    finite = np.isfinite(rows[:, watch.layout.observed :]).all(axis=1)
    good = n if finite.all() else max(1, int(finite.argmin()))
    failed = question.failed or failed
    ended = ENDED[answer.status] if good == n and failed is None else DIVERGED
    steps = answer.steps or int(question.kept[good - 1])
    if question.progress is not None:
        question.progress(good - 1, len(question.times) - 1)
    return Outcome(
        steps=steps,
        kept=question.kept[:good],
        rows=rows[:good],
        least=least,
        largest=largest,
        ended=ended,
        failed_step=steps + 1 if ended > CANCELLED else None,
        newton_iterations=0,
        torque_evaluations=question.torque_evaluations,
        uncorrected=0,
        seconds=time.perf_counter() - question.begun,
        failed=failed,
    )


def _observed(
    t: Array, R: Array, Omega: Array, watch: Setting, pointers: tuple[int, int]
) -> tuple[Array, Array, Array, Failed | None]:
    """Rows for these states, the least and the largest of each quantity, and where a caller's function failed."""
    memory = RunMemory(watch, pointers, len(t))
    rows = memory.rows
    given, attitudes = watch.layout.given, 9 * watch.layout.attitudes
    rows[:, :attitudes] = R.reshape(-1, attitudes)
    rows[:, attitudes:given] = Omega
    rows[:, given] = t
    observed = len(watch.observed)
    memory.extrema[:observed], memory.extrema[observed:] = np.inf, -np.inf
    with np.errstate(all="ignore"):
        watch.advance(*memory.arguments(watch.by_pointer, NEVER), 0.0, len(t), 1)
    return rows, memory.extrema[:observed], memory.extrema[observed:], Failed.of(memory.ledger)


def _angles(A: Array, B: Array) -> Array:
    """(n,) the angles of AᵀB in radians."""
    turn = np.swapaxes(A, -1, -2) @ B
    skew = turn - np.swapaxes(turn, -1, -2)
    sine = np.sqrt(skew[:, 2, 1] ** 2 + skew[:, 0, 2] ** 2 + skew[:, 1, 0] ** 2)
    angles: Array = np.arctan2(sine, np.trace(turn, axis1=1, axis2=2) - 1.0)
    return angles
