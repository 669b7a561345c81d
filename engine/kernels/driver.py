"""Runs a kernel: memory for what is kept, blocks of steps, progress, cancelling, and what happened at the end."""

from __future__ import annotations

import functools
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
    DIVERGED,
    FAILED,
    LEDGER,
    NEWTON_ITERATIONS,
    ONE_BODY,
    OUTCOME,
    POTENTIAL_POINTER,
    RUNNING,
    STATE,
    STATES,
    STEP,
    TORQUE_EVALUATIONS,
    TORQUE_POINTER,
    UNCORRECTED,
    UNSOLVED,
    Layout,
)
from .memory import Failed

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
    ended: int
    """How, as in `layout.py`."""
    failed_step: int | None
    newton_iterations: int
    torque_evaluations: int
    uncorrected: int
    seconds: float
    failed: Failed | None = None
    """The call of a caller's function that failed, if one did."""

    @property
    def state(self) -> str:
        """What that is to a caller."""
        return STATES[self.ended]


KEPT = [NEWTON_ITERATIONS, TORQUE_EVALUATIONS, UNCORRECTED, *range(FAILED, LEDGER)]
"""What a ledger keeps where the steps before a failed one are made again."""


@dataclass(frozen=True, eq=False)
class Setting:
    """A kernel and what it is given: parameters, the state at the start, and the names of what it observes."""

    advance: Advance
    by_pointer: bool
    parameters: Floats
    initial: Floats
    observed: tuple[str, ...]
    layout: Layout = ONE_BODY

    @functools.cached_property
    def memory(self) -> tuple[Floats, tuple[int, ...]]:
        """The block that every run begins with, and where its parts do: parameters, state, ledger, last, extrema."""
        observed = len(self.observed)
        lengths = (len(self.parameters), STATE, LEDGER, self.layout.observed + observed, 2 * observed)
        places = tuple(accumulate(lengths, initial=0))
        block = np.zeros(places[-1])
        block[: places[1]] = self.parameters
        block[places[1] : places[1] + len(self.initial)] = self.initial
        block[places[4] : places[4] + observed], block[-observed:] = np.inf, -np.inf
        return block, places


class RunMemory:
    """What a kernel and its driver share, in one block but for the rows, and the arguments that point to it.

    Attributes
    ----------
    state, parameters, ledger, last, extrema : views, laid out as in `layout.py`.
    rows : (n, width), for the rows that are kept.
    """

    def __init__(self, setting: Setting, pointers: tuple[int, int], rows: int) -> None:
        first, self._places = setting.memory
        self._block = first.copy()
        self.ledger: Integers = self._part(2).view(np.int64)
        if pointers[0]:
            self.ledger[[TORQUE_POINTER, POTENTIAL_POINTER]] = pointers
        self.rows = np.empty((rows, self._places[4] - self._places[3]))

    def _part(self, i: int) -> Floats:
        return self._block[self._places[i] : self._places[i + 1]]

    parameters = property(lambda self: self._part(0))
    state = property(lambda self: self._part(1))
    last = property(lambda self: self._part(3))
    extrema = property(lambda self: self._part(4))

    def arguments(self, by_pointer: bool, stop: Integers) -> tuple[Any, ...]:
        """What every call of the kernel begins with: addresses, or arrays for a kernel in plain Python."""
        if not by_pointer:
            rows = self.rows.reshape(-1)
            return self.state, self.parameters, self.ledger, stop, rows, self.last, self.extrema
        base, (_, state, ledger, last, extrema, _) = _address(self._block), self._places
        flag = NEVER_RAISED if stop is NEVER else _address(stop)
        return (
            base + 8 * state, base, base + 8 * ledger, flag, _address(self.rows), base + 8 * last, base + 8 * extrema
        )  # fmt: skip


def _address(array: NDArray[Any]) -> int:
    """Where an array's numbers stand; quicker than by `array.ctypes`."""
    place: int = array.__array_interface__["data"][0]
    return place


NEVER_RAISED = _address(NEVER)


def _go_again(go: Callable[[int], bool], ledger: Integers, before: int) -> None:
    """From the state before a failed block, go as far as its last good step, without counting that twice."""
    good, ended, kept = int(ledger[STEP]) - before, ledger[OUTCOME], ledger[KEPT].copy()
    ledger[STEP], ledger[OUTCOME] = before, RUNNING
    ledger[[UNSOLVED, BAD_TORQUE, FAILED]] = 0
    if good:
        go(good)
    ledger[OUTCOME], ledger[KEPT] = ended, kept


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

    `seen` receives what was observed at the rows kept so far, by names, as often as `progress` is called: after every
    block, and so last with the steps that were made in all, however the run ends.
    """
    advance, by_pointer = setting.advance, setting.by_pointer
    first = setting.layout.observed
    memory = RunMemory(setting, pointers, steps // every + 2)
    ledger, rows = memory.ledger, memory.rows
    arguments = memory.arguments(by_pointer, cancel.flag if isinstance(cancel, Cancellation) else NEVER)

    def go(n: int) -> bool:
        """Advance by n steps; False if that ended early with the state still as it was before."""
        if by_pointer:
            advance(*arguments, h, n, every)
            return int(ledger[OUTCOME]) <= CANCELLED
        return _plainly(advance, arguments, ledger, h, n, every)

    begun = time.perf_counter()
    if not by_pointer or steps == 0 or cancelled(cancel):
        rows[0] = memory.last  # what stands there if plain Python raises before it has begun
        go(0)
    seconds = time.perf_counter() - begun
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
        if not complete:
            _go_again(go, ledger, before)
        spent = time.perf_counter() - clock
        seconds += spent
        if progress is not None:
            progress(int(ledger[STEP]), steps)
        if seen is not None:
            seen(dict(zip(setting.observed, rows[: int(ledger[STEP]) // every + 1, first:].T, strict=True)))
        block = max(1, int(n * min(8.0, longest / max(spent, 1e-9))))
    return left(memory, every, seconds)


def left(memory: RunMemory, every: int, seconds: float) -> Outcome:
    """What a kernel has left in memory."""
    ledger, rows, observed = memory.ledger.tolist(), memory.rows, len(memory.extrema) // 2
    done, ended = ledger[STEP], ledger[OUTCOME]
    if ledger[FAILED]:  # also where no step follows that would show it
        ended = max(ended, DIVERGED)
    kept = np.arange(0, done + 1, every, dtype=np.int64)
    if done % every:
        kept = np.append(kept, done)
        rows[len(kept) - 1] = memory.last
    return Outcome(
        steps=done,
        kept=kept,
        rows=rows[: len(kept)],
        least=memory.extrema[:observed],
        largest=memory.extrema[observed:],
        ended=ended,
        failed_step=done + 1 if ended > CANCELLED else None,
        newton_iterations=ledger[NEWTON_ITERATIONS],
        torque_evaluations=ledger[TORQUE_EVALUATIONS],
        uncorrected=ledger[UNCORRECTED],
        seconds=seconds,
        failed=Failed.of(memory.ledger),
    )
