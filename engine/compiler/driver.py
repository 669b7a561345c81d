"""Runs a kernel: memory for what is kept, blocks of steps, progress, cancelling, and what happened at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .build import Advance
from .kernel import ended
from .layout import (
    BAD_TORQUE,
    CANCELLED,
    LEDGER,
    NEWTON_ITERATIONS,
    NO_SOLUTION,
    OUTCOME,
    ROW_OBSERVED,
    RUNNING,
    STATE,
    STEP,
    TORQUE_EVALUATIONS,
    UNCORRECTED,
    UNSOLVED,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BLOCK_SECONDS = 0.04
"""A kernel is left for this long at a time, so that an interrupt from the keyboard and progress are seen to."""
FIRST_BLOCK = 256
SOON = 0.002
"""The same where cancelling is asked for by an event that the kernel itself can not see."""


class Cancellation(threading.Event):
    """An event that a running kernel watches: `set()` from any thread ends the run within a few steps."""

    def __init__(self) -> None:
        super().__init__()
        self.flag: Integers = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """Ask the run to end."""
        self.flag[0] = 1
        super().set()

    def clear(self) -> None:
        """Take it back, for the next run."""
        self.flag[0] = 0
        super().clear()


@dataclass
class Outcome:
    """What a kernel left: rows of R, Ω, increment and observed quantities; their extrema; and how it ended."""

    steps: int
    kept: Integers
    rows: Floats
    least: Floats
    largest: Floats
    state: str
    failed_step: int | None
    newton_iterations: int
    torque_evaluations: int
    uncorrected: int
    seconds: float


COUNTS = [NEWTON_ITERATIONS, TORQUE_EVALUATIONS, UNCORRECTED]


def _go_again(go: Callable[[int], bool], ledger: Integers, before: int) -> None:
    """From the state before a failed block, go as far as its last good step, without counting that twice."""
    good, ended, counts = int(ledger[STEP]) - before, ledger[OUTCOME], ledger[COUNTS].copy()
    ledger[STEP], ledger[OUTCOME], ledger[UNSOLVED], ledger[BAD_TORQUE] = before, RUNNING, 0, 0
    if good:
        go(good)
    ledger[OUTCOME], ledger[COUNTS] = ended, counts


def _plainly(advance: Advance, arguments: tuple[Any, ...], ledger: Integers, h: float, n: int, every: int) -> bool:
    """Run a kernel that is plain Python, which raises where compiled code goes on with inf and nan."""
    raised = (ZeroDivisionError, OverflowError, ValueError)
    with np.errstate(all="ignore"):
        try:
            advance(*arguments, h, n, every)
            return int(ledger[OUTCOME]) <= CANCELLED
        except raised:
            pass
        for _ in range(n):
            try:
                advance(*arguments, h, 1, every)
            except raised:
                ledger[OUTCOME] = ended(ledger)
            if ledger[OUTCOME] > CANCELLED:
                return True
    return True


def drive(
    advance: Advance,
    by_pointer: bool,
    parameters: Floats,
    initial: Floats,
    observed: int,
    h: float,
    steps: int,
    every: int,
    pointers: tuple[int, int] = (0, 0),
    cancel: threading.Event | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Outcome:
    """Run `steps` steps and keep a row each `every` steps, the first and the last."""
    width = ROW_OBSERVED + observed
    state, ledger = np.zeros(STATE), np.zeros(LEDGER, dtype=np.int64)
    state[: len(initial)] = initial
    ledger[-2:] = pointers
    stop = cancel.flag if isinstance(cancel, Cancellation) else np.zeros(1, dtype=np.int64)
    rows, last = np.empty((steps // every + 2, width)), np.zeros(width)
    extrema = np.concatenate([np.full(observed, np.inf), np.full(observed, -np.inf)])
    memory = (state, parameters, ledger, stop, rows.reshape(-1), last, extrema)
    arguments = tuple(array.ctypes.data for array in memory) if by_pointer else memory

    def go(n: int) -> bool:
        """Advance by n steps; False if that ended early with the state still as it was before."""
        if by_pointer:
            advance(*arguments, h, n, every)
            return int(ledger[OUTCOME]) <= CANCELLED
        return _plainly(advance, arguments, ledger, h, n, every)

    begun = time.perf_counter()
    go(0)
    rows[0] = last
    observe = last[ROW_OBSERVED:]
    if np.isfinite(observe).all():
        extrema[:observed] = observe
        extrema[observed:] = observe
    block, longest = FIRST_BLOCK, BLOCK_SECONDS
    if cancel is not None and not isinstance(cancel, Cancellation):
        longest = SOON
    while ledger[STEP] < steps and ledger[OUTCOME] == RUNNING:
        if cancel is not None and cancel.is_set():
            ledger[OUTCOME] = CANCELLED
            break
        before = int(ledger[STEP])
        n = min(block, steps - before)
        clock = time.perf_counter()
        complete = go(n)
        spent = time.perf_counter() - clock
        if not complete:
            _go_again(go, ledger, before)
        if ledger[OUTCOME] > CANCELLED:
            break
        if progress is not None:
            progress(int(ledger[STEP]), steps)
        block = max(1, int(n * min(8.0, longest / max(spent, 1e-9))))
    seconds = time.perf_counter() - begun

    done, ended = int(ledger[STEP]), int(ledger[OUTCOME])
    kept = np.arange(0, done + 1, every, dtype=np.int64)
    if done % every:
        kept = np.append(kept, done)
        rows[len(kept) - 1] = last
    return Outcome(
        steps=done,
        kept=kept,
        rows=rows[: len(kept)],
        least=extrema[:observed],
        largest=extrema[observed:],
        state={RUNNING: "done", CANCELLED: "cancelled", NO_SOLUTION: "no-solution"}.get(ended, "diverged"),
        failed_step=done + 1 if ended > CANCELLED else None,
        newton_iterations=int(ledger[NEWTON_ITERATIONS]),
        torque_evaluations=int(ledger[TORQUE_EVALUATIONS]),
        uncorrected=int(ledger[UNCORRECTED]),
        seconds=seconds,
    )
