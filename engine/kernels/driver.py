"""Runs a kernel: memory for what is kept, blocks of steps, progress, cancelling, and what happened at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cancelling import Cancellation, cancelled
from .advance import ended
from .build import Advance
from .layout import (
    BAD_TORQUE,
    CANCELLED,
    LEDGER,
    NEWTON_ITERATIONS,
    NO_SOLUTION,
    ONE_BODY,
    OUTCOME,
    RUNNING,
    STATE,
    STATES,
    STEP,
    TORQUE_EVALUATIONS,
    UNCORRECTED,
    UNSOLVED,
    Layout,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BLOCK_SECONDS = 0.04
"""A kernel is left for this long at a time, so that an interrupt from the keyboard and progress are seen to."""
FIRST_BLOCK = {True: 4096, False: 128}
"""Steps before the clock is first looked at, compiled and in plain Python."""
SOON = 0.002
"""The same where cancelling is asked for by an event that the kernel itself cannot see."""
NEVER: Integers = np.zeros(1, dtype=np.int64)
"""The flag of a run that nobody can cancel."""


@dataclass
class Outcome:
    """What a kernel left: rows of states, increments and observed quantities; their extrema; and how it ended."""

    steps: int
    kept: Integers
    rows: Floats
    least: Floats
    largest: Floats
    state: str
    unsolvable: bool
    """Whether the step that failed is known to have no solution, or it is only that none was found."""
    failed_step: int | None
    newton_iterations: int
    torque_evaluations: int
    uncorrected: int
    seconds: float


COUNTS = [NEWTON_ITERATIONS, TORQUE_EVALUATIONS, UNCORRECTED]


@dataclass(frozen=True, eq=False)
class Setting:
    """A kernel and what it is given: parameters, the state at the start, and the names of what it observes."""

    advance: Advance
    by_pointer: bool
    parameters: Floats
    initial: Floats
    observed: tuple[str, ...]
    layout: Layout = ONE_BODY


class Memory:
    """What a kernel and its driver share, in one block but for the rows, and the arguments that point to it.

    Attributes
    ----------
    state, parameters, ledger, last, extrema : views, laid out as in `layout.py`.
    rows : (n, width), for the rows that are kept.
    """

    def __init__(self, setting: Setting, pointers: tuple[int, int], rows: int) -> None:
        observed = len(setting.observed)
        width = setting.layout.observed + observed
        lengths = (len(setting.parameters), STATE, LEDGER, width, 2 * observed)
        *places, end = accumulate(lengths, initial=0)
        block = np.zeros(end)
        self.parameters = block[: places[1]]
        self.parameters[:] = setting.parameters
        self.state = block[places[1] : places[2]]
        self.state[: len(setting.initial)] = setting.initial
        self.ledger: Integers = block[places[2] : places[3]].view(np.int64)
        self.ledger[-2:] = pointers
        self.last = block[places[3] : places[4]]
        self.extrema = block[places[4] :]
        self.rows = np.empty((rows, width))
        self._block, self._places = block, places

    def arguments(self, by_pointer: bool, stop: Integers) -> tuple[Any, ...]:
        """What every call of the kernel begins with: addresses, or arrays for a kernel in plain Python."""
        if not by_pointer:
            rows = self.rows.reshape(-1)
            return self.state, self.parameters, self.ledger, stop, rows, self.last, self.extrema
        base = self._block.ctypes.data
        parameters, state, ledger, last, extrema = (base + 8 * place for place in self._places)
        return state, parameters, ledger, stop.ctypes.data, self.rows.ctypes.data, last, extrema


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
    setting: Setting,
    h: float,
    steps: int,
    every: int,
    pointers: tuple[int, int] = (0, 0),
    cancel: threading.Event | None = None,
    progress: Callable[[int, int], Any] | None = None,
    seen: Callable[[dict[str, Floats]], Any] | None = None,
) -> Outcome:
    """Run `steps` steps and keep a row each `every` steps, the first and the last.

    `seen` is given what was observed at the rows kept so far, by names, as often as `progress` is told.
    """
    advance, by_pointer, observed = setting.advance, setting.by_pointer, len(setting.observed)
    first = setting.layout.observed
    memory = Memory(setting, pointers, steps // every + 2)
    ledger, rows, last, extrema = memory.ledger, memory.rows, memory.last, memory.extrema
    arguments = memory.arguments(by_pointer, cancel.flag if isinstance(cancel, Cancellation) else NEVER)

    def go(n: int) -> bool:
        """Advance by n steps; False if that ended early with the state still as it was before."""
        if by_pointer:
            advance(*arguments, h, n, every)
            return int(ledger[OUTCOME]) <= CANCELLED
        return _plainly(advance, arguments, ledger, h, n, every)

    begun = time.perf_counter()
    go(0)
    rows[0] = last
    extrema[:observed] = extrema[observed:] = last[first:]
    if not np.isfinite(extrema).all():
        extrema[:observed], extrema[observed:] = np.inf, -np.inf
    block, longest = FIRST_BLOCK[by_pointer], BLOCK_SECONDS
    if cancel is not None and not isinstance(cancel, Cancellation):
        longest = SOON
    while ledger[STEP] < steps and ledger[OUTCOME] == RUNNING:
        if cancelled(cancel):
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
        if seen is not None:
            seen(dict(zip(setting.observed, rows[: int(ledger[STEP]) // every + 1, first:].T, strict=True)))
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
        state=STATES[ended],
        unsolvable=ended == NO_SOLUTION,
        failed_step=done + 1 if ended > CANCELLED else None,
        newton_iterations=int(ledger[NEWTON_ITERATIONS]),
        torque_evaluations=int(ledger[TORQUE_EVALUATIONS]),
        uncorrected=int(ledger[UNCORRECTED]),
        seconds=seconds,
    )
