"""Run kernels: memory, blocks of steps, progress and cancelling, and the outcome."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.core.method import Method
from . import build, layout
from .advance import check_end
from .build import Advance
from .layout import Layout
from .memory import Failed, Floats, Integers
from .parts import Parts, TogetherParts

BLOCK_SECONDS = 0.04
"""A kernel runs for this long at a time, between which progress and interrupts from the keyboard
are handled.
"""
FIRST_BLOCK = {True: 4096, False: 128}
"""Steps before the clock is first looked at, compiled and in plain Python."""
SOON = 0.002
"""The same, if an event that the kernel cannot read may cancel the run."""


class Cancelled(Exception):
    """The work was cancelled."""


class Cancellation(threading.Event):
    """An event that running kernels watch: `set()` from any thread ends a run within a few
    steps.
    """

    def __init__(self) -> None:
        super().__init__()
        self.flag: NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """End the run."""
        self.flag[0] = 1
        super().set()

    def clear(self) -> None:
        """Reset the event for the next run."""
        self.flag[0] = 0
        super().clear()


NEVER = Cancellation()
"""That of a run which cannot be cancelled."""


def is_cancelled(cancel: threading.Event | None) -> bool:
    """Return whether the event is set; False without one."""
    return cancel is not None and cancel.is_set()


class Extrema(NamedTuple):
    """Least, largest and last value of one quantity, over every step of a run, stored or not."""

    min: Any
    max: Any
    last: Any

    def away(self, start: Any) -> Any:
        """The largest distance from the start, a number; for a vector or an array, by
        components.
        """
        return np.maximum(np.abs(self.max - start), np.abs(self.min - start))


@dataclass
class Outcome:
    """What a kernel left: rows, extrema, counts, and how it ended.

    Attributes
    ----------
    steps : the number of steps done, or that a method chose and made; `rejected` counts those that
        it made in vain.
    rows : (n, width) states, increments and observed quantities after each `every`-th step and
        after `last_row`.
    extrema : (2k,) the least and then the largest of each observed quantity.
    ended : the kernel's outcome, as in `layout.py`.
    failed : the first call of a custom torque that failed, if one did.
    """

    steps: int
    last_row: int
    every: int
    rows: Floats
    extrema: Floats
    ended: int
    newton_iterations: int
    torque_evaluations: int
    uncorrected: int
    seconds: float
    rejected: int = 0
    failed: Failed | None = None

    @property
    def row_steps(self) -> Integers:
        """(n,) the number of the step after which each row was stored."""
        steps = np.arange(0, self.last_row + 1, self.every, dtype=np.int64)
        return np.append(steps, self.last_row) if self.last_row % self.every else steps

    @property
    def failed_step(self) -> int | None:
        """The number of the step that ended the run early."""
        return self.steps + 1 if self.ended > layout.CANCELLED else None

    @property
    def status(self) -> str:
        """How a run ended, as `Run.status` has it."""
        return layout.STATES[self.ended]


COUNTS = [
    layout.NEWTON_ITERATIONS,
    layout.TORQUE_EVALUATIONS,
    layout.UNCORRECTED,
    *range(layout.FAILED, layout.LEDGER),
]
"""The entries of a ledger that stay when the steps before a failed one run again."""


def compiles() -> bool:
    """Return whether kernels are compiled: LLVM is installed, and POLHODE_PLAIN is not set."""
    return os.environ.get("POLHODE_PLAIN", "0").strip() in ("", "0") and _llvm_is_there()


@functools.cache
def _llvm_is_there() -> bool:
    return importlib.util.find_spec("llvmlite") is not None


@dataclass(frozen=True, eq=False)
class ReadyKernel:
    """A kernel and what it is given: parameters, the state at the start, and the names of what it
    observes.

    own_steps : whether it advances bodies side by side, each by steps of its own size.
    """

    advance: Advance
    by_pointer: bool
    parameters: Floats
    initial: Floats
    observed: tuple[str, ...]
    row: Layout = layout.ONE_BODY
    own_steps: bool = False

    @functools.cached_property
    def memory(self) -> tuple[Floats, tuple[int, ...]]:
        """The block that every run begins with, and where its parts do: parameters, state, ledger,
        last, extrema.
        """
        observed = len(self.observed)
        lengths = (
            len(self.parameters),
            layout.STATE,
            layout.LEDGER,
            self.row.observed + observed,
            2 * observed,
        )
        places = tuple(accumulate(lengths, initial=0))
        block = np.zeros(places[-1])
        block[: places[1]] = self.parameters
        block[places[1] : places[1] + len(self.initial)] = self.initial
        block[places[4] : places[4] + observed] = np.inf
        block[-observed:] = -np.inf
        return block, places


def make_ready_kernel(
    parts: Parts,
    method: Method,
    compiled: bool,
    memory: tuple[Floats, Floats],
    observed: tuple[str, ...],
    row: Layout = layout.ONE_BODY,
) -> ReadyKernel:
    """The kernel of a method with its memory, the parameters and the initial state, which many runs
    share.
    """
    parameters, initial = memory
    numbers = [value for option, value in method.step_arguments if not option.choices]
    parameters[layout.OPTION_NUMBERS : layout.OPTION_NUMBERS + len(numbers)] = numbers
    for shared in memory:
        shared.setflags(write=False)
    advance = build.compile_kernel(parts, method.label) if compiled else None
    by_pointer = advance is not None
    return ReadyKernel(
        advance or build.build_plain(parts),
        by_pointer,
        parameters,
        initial,
        observed,
        row,
        isinstance(parts, TogetherParts),
    )


class RunMemory:
    """The memory that a kernel and its driver share, in one block, and the arguments that point to
    it.

    Attributes
    ----------
    state, parameters, ledger, last, extrema : views, laid out as in `layout.py`.
    rows : (n, width), for the rows to store.
    """

    def __init__(self, kernel: ReadyKernel, block: Floats) -> None:
        first, self._places = kernel.memory
        self._block = block
        self.ledger: Integers = self._part(2).view(np.int64)
        self.rows = block[len(first) :].reshape(-1, self._places[4] - self._places[3])

    @classmethod
    def of(
        cls, kernel: ReadyKernel, pointers: tuple[int, int], rows: int, end: float = 0.0
    ) -> RunMemory:
        """The memory at the start of a run with this many rows."""
        first, places = kernel.memory
        block = np.empty(len(first) + rows * (places[4] - places[3]))
        block[: len(first)] = first
        block[layout.STOPS] = end
        memory = cls(kernel, block)
        if pointers[0]:
            memory.ledger[[layout.TORQUE_POINTER, layout.POTENTIAL_POINTER]] = pointers
        return memory

    def copy_bytes(self) -> bytearray:
        """A copy of the whole memory."""
        return bytearray(self._block.tobytes())

    @classmethod
    def in_bytes(cls, kernel: ReadyKernel, held: bytearray) -> RunMemory:
        """The memory that stands in these bytes."""
        return cls(kernel, np.frombuffer(held))

    def _part(self, i: int) -> Floats:
        return self._block[self._places[i] : self._places[i + 1]]

    parameters = property(lambda self: self._part(0))
    state = property(lambda self: self._part(1))
    last = property(lambda self: self._part(3))
    extrema = property(lambda self: self._part(4))

    def arguments(self, by_pointer: bool, cancel: threading.Event = NEVER) -> tuple[Any, ...]:
        """What every call of the kernel begins with: addresses, or arrays for a kernel in plain
        Python.
        """
        watched = cancel if isinstance(cancel, Cancellation) else NEVER
        if not by_pointer:
            return (
                self.state,
                self.parameters,
                self.ledger,
                watched.flag,
                self.rows.reshape(-1),
                self.last,
                self.extrema,
            )
        base = address(self._block)
        (_, state, ledger, last, extrema, rows) = self._places
        flag = NEVER_RAISED if watched is NEVER else address(watched.flag)
        return (
            base + 8 * state, base, base + 8 * ledger, flag, base + 8 * rows, base + 8 * last, base + 8 * extrema
        )  # fmt: skip


def address(held: Any) -> int:
    """The address of an array's numbers, or of bytes; faster than `array.ctypes`."""
    return ctypes.addressof(ctypes.c_char.from_buffer(held))


NEVER_RAISED = address(NEVER.flag)


def _repeat_good_steps(go: Callable[[int], bool], ledger: Integers, before: int) -> None:
    """Repeat the good steps of a failed block from the state before it, without counting them
    twice.
    """
    good = int(ledger[layout.STEP]) - before
    ended = ledger[layout.OUTCOME]
    counts = ledger[COUNTS].copy()
    ledger[layout.STEP] = before
    ledger[layout.OUTCOME] = layout.RUNNING
    ledger[[layout.UNSOLVED, layout.BAD_TORQUE, layout.FAILED]] = 0
    if good:
        go(good)
    ledger[layout.OUTCOME] = ended
    ledger[COUNTS] = counts


def _run_plain(
    advance: Advance, arguments: tuple[Any, ...], ledger: Integers, h: float, n: int, every: int
) -> bool:
    """Run a kernel of plain Python, which raises where compiled code continues with inf and nan."""
    raised = (ZeroDivisionError, OverflowError, ValueError)
    with np.errstate(all="ignore"):
        try:
            advance(*arguments, h, n, every)
            return int(ledger[layout.OUTCOME]) <= layout.CANCELLED
        except raised:
            pass
        for _ in range(n):
            try:
                advance(*arguments, h, 1, every)
            except raised:
                ledger[layout.OUTCOME] = check_end(ledger)
            if ledger[layout.OUTCOME] > layout.CANCELLED:
                return True
    return True


def drive(
    kernel: ReadyKernel,
    h: float,
    steps: int,
    every: int,
    pointers: tuple[int, int] = (0, 0),
    cancel: threading.Event = NEVER,
    progress: Callable[[int, int], Any] | None = None,
    observe: Callable[[dict[str, Floats]], Any] | None = None,
) -> Outcome:
    """Run `steps` steps and store a row for the start, for each `every`-th step and for the last.

    `observe` receives the observed quantities of the rows so far, by name, whenever `progress` is
    called: after every block, and so at the end of the run as well.
    """
    advance = kernel.advance
    by_pointer = kernel.by_pointer
    first = kernel.row.observed
    memory = RunMemory.of(kernel, pointers, steps // every + 2, steps * h)
    ledger = memory.ledger
    rows = memory.rows
    arguments = memory.arguments(by_pointer, cancel)

    def go(n: int) -> bool:
        """Advance by n steps; False if that ended early with the state still as it was before."""
        if by_pointer:
            advance(*arguments, h, n, every)
            return int(ledger[layout.OUTCOME]) <= layout.CANCELLED
        return _run_plain(advance, arguments, ledger, h, n, every)

    done = 0
    seconds = 0.0
    block = FIRST_BLOCK[by_pointer]
    if not by_pointer or steps == 0 or cancel.is_set():
        begun = time.perf_counter()
        rows[0] = memory.last  # what stands there if plain Python raises before it has begun
        go(0)
        seconds = time.perf_counter() - begun
    longest = BLOCK_SECONDS if isinstance(cancel, Cancellation) else SOON
    while done < steps and ledger[layout.OUTCOME] == layout.RUNNING:
        if cancel.is_set():
            ledger[layout.OUTCOME] = layout.CANCELLED
            break
        n = min(block, steps - done)
        begun = time.perf_counter()
        if not go(n):
            _repeat_good_steps(go, ledger, done)
        spent = time.perf_counter() - begun
        seconds += spent
        done = int(ledger[layout.STEP])
        if progress is not None:
            progress(done, steps)
        if observe is not None:
            observe(dict(zip(kernel.observed, rows[: done // every + 1, first:].T, strict=True)))
        block = max(1, int(n * min(8.0, longest / max(spent, 1e-9))))
    return read_outcome(memory, every, seconds)


def read_outcome(memory: RunMemory, every: int, seconds: float) -> Outcome:
    """What a kernel has left in memory."""
    ledger = memory.ledger.tolist()
    done = ledger[layout.STEP]
    failed = ledger[layout.FAILED]
    n, rest = divmod(done, every)
    if rest:
        n += 1
        memory.rows[n] = memory.last
    return Outcome(
        steps=ledger[layout.CHOSEN_STEPS] or done,
        last_row=done,
        every=every,
        rows=memory.rows[: n + 1],
        extrema=memory.extrema,
        ended=max(ledger[layout.OUTCOME], layout.DIVERGED)
        if failed
        else ledger[layout.OUTCOME],  # also if no step follows that shows it
        newton_iterations=ledger[layout.NEWTON_ITERATIONS],
        torque_evaluations=ledger[layout.TORQUE_EVALUATIONS],
        uncorrected=ledger[layout.UNCORRECTED],
        seconds=seconds,
        rejected=ledger[layout.REJECTED_STEPS],
        failed=Failed.of(memory.ledger) if failed else None,
    )
