"""Batches: memory for many bodies, threads for their blocks, cancellation, and the outcome of each
body.
"""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from . import layout
from .driver import Cancellation, Extrema, ReadyKernel, is_cancelled
from .memory import Failed, Floats, Integers

LOOKED_AFTER = 0.02
"""Seconds between two checks for cancellation."""
TASKS_A_WORKER = 4
LINE = 64
"""Bytes of a cache line, and of the widest vectors."""


class Batch:
    """Bodies of one kernel, in blocks of lanes.

    Attributes
    ----------
    count : the number of bodies.
    seconds : wall-clock time in `advance` so far.
    """

    def __init__(
        self,
        kernel: ReadyKernel,
        starts: Floats,
        h: float,
        pointers: tuple[int, int] = (0, 0),
        own: Floats | None = None,
    ) -> None:
        """Bodies that start as `starts`, (n, 12), says: R and Ω, seen from the principal axes.

        Where the kernel is one of bodies that are varied, `own` has of each the parameters, the
        step and how many steps, (n, OWN_SIZE).
        """
        self.count = len(starts)
        self.seconds = 0.0
        self._h = h
        self._kernel = kernel
        blocks = -(-self.count // layout.LANES)
        self._memory = _aligned((blocks, layout.MEMBER, layout.LANES))
        self._ledgers: Integers = np.zeros((blocks, layout.LEDGER), dtype=np.int64)
        self._ledgers[:, [layout.TORQUE_POINTER, layout.POTENTIAL_POINTER]] = pointers
        if own is None:
            parameters = kernel.parameters.copy()
            parameters[layout.STOPS] = math.inf  # a run may go on
            self._parameters = np.broadcast_to(parameters, (blocks, len(parameters)))
        else:
            self._parameters = _aligned((blocks, layout.OWN_SIZE, layout.LANES))
        self._arguments = self._list_arguments(blocks)
        self._place(np.arange(self.count), starts, own)
        if kernel.own_steps:  # bodies of about the same energy need about as many steps
            self._place(np.argsort(self.first_energy, kind="stable"), starts, own)

    def _place(self, order: Integers, starts: Floats, own: Floats | None) -> None:
        """Place the bodies in this order, at their start."""
        blocks = len(self._memory)
        lane = np.arange(blocks * layout.LANES)
        self._order = order
        body = order[np.minimum(lane, self.count - 1)]
        given = starts[body].reshape(blocks, layout.LANES, layout.ONE_BODY.size)
        self._memory[:, layout.MEMBER_GIVEN : layout.MEMBER_GIVEN + layout.ONE_BODY.size] = (
            given.transpose(0, 2, 1)
        )
        self._memory[:, layout.MEMBER_OUTCOME] = np.where(
            lane < self.count, layout.RUNNING, layout.CANCELLED
        ).reshape(blocks, layout.LANES)
        if own is not None:
            of_lanes = own[body].reshape(blocks, layout.LANES, layout.OWN_SIZE)
            self._parameters[:] = of_lanes.transpose(0, 2, 1)
            self._parameters[:, layout.STOPS] = math.inf
        self._ledgers[:, layout.STARTED] = 0
        self.advance_here(0)

    def advance_here(self, steps: int, cancel: threading.Event | None = None) -> bool:
        """Advance all bodies in this thread; return False if cancelled."""
        stop = cancel if isinstance(cancel, Cancellation) else Cancellation()
        begun = time.perf_counter()
        for block in range(len(self._memory)):
            if is_cancelled(cancel):
                return False
            self._advance(range(block, block + 1), steps, stop, None)
        self.seconds += time.perf_counter() - begun
        return not stop.is_set()

    def advance(
        self,
        steps: int,
        pool: ThreadPoolExecutor,
        workers: int,
        cancel: threading.Event | None = None,
    ) -> bool:
        """Advance all bodies on the threads of a pool; return False if cancelled."""
        stop = Cancellation()
        blocks = range(len(self._memory))
        tasks = min(len(blocks), workers * TASKS_A_WORKER)
        begun = time.perf_counter()
        running = [
            pool.submit(self._advance, blocks[i::tasks], steps, stop, cancel) for i in range(tasks)
        ]
        try:
            while wait(running, timeout=None if cancel is None else LOOKED_AFTER).not_done:
                if is_cancelled(cancel):
                    stop.set()
        except (
            BaseException
        ):  # an interrupt from the keyboard, which is not to wait for the threads
            stop.set()
            raise
        for task in running:
            task.result()
        self.seconds += time.perf_counter() - begun
        return not (stop.is_set() or is_cancelled(cancel))

    def _list_arguments(self, blocks: int) -> list[tuple[Any, ...]]:
        """Return the memory of each block: addresses, or arrays for a kernel in plain Python."""
        arrays = (self._memory, self._parameters, self._ledgers)
        if not self._kernel.by_pointer:
            return [tuple([array[i].reshape(-1) for array in arrays]) for i in range(blocks)]
        places = [(array.ctypes.data, array.strides[0]) for array in arrays]
        return [tuple([first + i * size for first, size in places]) for i in range(blocks)]

    def _advance(
        self, blocks: range, steps: int, stop: Cancellation, cancel: threading.Event | None
    ) -> None:
        """Advance the blocks of one thread; check between blocks whether to continue."""
        advance = self._kernel.advance
        by_pointer = self._kernel.by_pointer
        rest = (
            stop.flag.ctypes.data if by_pointer else stop.flag,
            None,
            None,
            None,
            self._h,
            steps,
            1,
        )
        with np.errstate(all="ignore"):
            for block in blocks:
                if stop.flag[0] or is_cancelled(cancel):
                    return
                advance(*self._arguments[block], *rest)

    def _lanes(self, place: int) -> Floats:
        """Return the (n,) values at one place of each body's memory."""
        return self._sort_back(self._memory[:, place].reshape(-1, 1))[:, 0]

    def _sort_back(self, of_lanes: Floats) -> Floats:
        """Return values (n, …) of the lanes in the order in which the bodies were given."""
        found = np.empty_like(of_lanes[: self.count])
        found[self._order] = of_lanes[: self.count]
        return found

    def state(self, place: int, n: int) -> Floats:
        """(n bodies, n) components of R and Ω."""
        part = self._memory[:, layout.MEMBER_GIVEN + place : layout.MEMBER_GIVEN + place + n]
        return self._sort_back(part.transpose(0, 2, 1).reshape(-1, n))

    @property
    def steps(self) -> Integers:
        """(n,) the steps of each body."""
        return self._lanes(layout.MEMBER_STEP).astype(np.int64)

    @property
    def own_steps(self) -> Integers:
        """(n,) the steps of each body, of a method that chooses their size."""
        return self._lanes(layout.MEMBER_CHOSEN).astype(np.int64)

    @property
    def outcomes(self) -> Floats:
        """(n,) the outcome of each body, as in `layout.STATES`."""
        return self._lanes(layout.MEMBER_OUTCOME)

    @property
    def failed(self) -> Failed | None:
        """The first failed call of a custom function in any block."""
        return next(filter(None, map(Failed.of, self._ledgers)), None)

    @property
    def energy(self) -> Floats:
        """(n,) energy of each body after its last step."""
        return self._lanes(layout.MEMBER_ENERGY)

    @property
    def first_energy(self) -> Floats:
        """(n,) initial energy of each body."""
        return self._lanes(layout.MEMBER_START)

    def extremes(self) -> Extrema:
        """The energy of each body, (n,): least and largest over every step since the last call, and
        last.
        """
        least, most = self._lanes(layout.MEMBER_LEAST), self._lanes(layout.MEMBER_MOST)
        self._memory[:, layout.MEMBER_LEAST] = self._memory[:, layout.MEMBER_MOST] = self._memory[
            :, layout.MEMBER_ENERGY
        ]
        return Extrema(least, most, self.energy)


def _aligned(shape: tuple[int, ...]) -> Floats:
    """Return zeros aligned to a cache line."""
    size = math.prod(shape)
    room = np.zeros(size + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + size].reshape(shape)
