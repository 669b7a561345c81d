"""Round-robin scheduling: long computations of all visitors take turns."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import TracebackType

import engine
from engine.text.formatting import format_ordinal

from . import counts

AT_ONCE = max(2, (os.cpu_count() or 2) - 1)
"""Turns at a time. Kernels release the interpreter's lock."""
SLICE = 0.05
"""Seconds of a turn while others wait: fifty visitors take less than two seconds."""
BRIEF = 2.0
"""Work that is expected to take fewer seconds of turns is short, and goes before long work."""
FAIR = 4
"""Every fourth turn goes to the work that has waited longest, so that long work proceeds."""
SHOWN_AFTER = 0.5
"""Seconds of waiting before the visitor is informed."""


class Turns:
    """Grants turns to work: short work first, each kind in order of arrival.

    Work begins a `Turn` and asks it between its pieces whether to stop, as kernels and studies ask
    any cancellation. That call blocks while others have their turns.
    """

    def __init__(self, at_once: int = AT_ONCE, slice_: float = SLICE) -> None:
        self.at_once = at_once
        self.slice = slice_
        self.lock = threading.Lock()
        self.waiting: list[Turn] = []
        self.working: list[Turn] = []
        self._granted = 0

    def grant(self) -> None:
        """Start the next work while there is room; the caller holds the lock."""
        while self.waiting and len(self.working) < self.at_once:
            self._granted += 1
            turn = self.waiting[0]
            if self._granted % FAIR:
                turn = next((one for one in self.waiting if one.expected < BRIEF), turn)
            self.waiting.remove(turn)
            self.working.append(turn)
            turn.since = time.monotonic()
            turn.go.set()


class Turn(engine.Cancellation):
    """A cancellation that makes work wait for its turns; as a context it spans the work.

    Attributes
    ----------
    spent : seconds of all turns that have ended.
    part : the part of the work that is done, from 0 to 1, if known.
    since : when the work began to run, or to wait.
    go : set while the work has a turn, and once it no longer waits.
    pause : is called each time that the work asks whether to stop.
    """

    def __init__(self, turns: Turns) -> None:
        super().__init__()
        self._turns = turns
        self.spent = self.part = 0.0
        self.since = time.monotonic()
        self.go = threading.Event()
        self.pause: Callable[[], None] = lambda: None

    def __enter__(self) -> Turn:
        started = time.monotonic()
        with self._turns.lock:
            self._queue()
        self.go.wait()
        counts.current.observe("waiting_seconds", time.monotonic() - started)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._turns.lock:
            self._withdraw()
            self.go.set()

    def is_set(self) -> bool:
        """Whether to stop; returns when the work has its turn."""
        self.pause()
        turns = self._turns
        with turns.lock:
            if (
                self in turns.working
                and turns.waiting
                and time.monotonic() - self.since >= turns.slice
            ):
                self._withdraw()
                self._queue()
            waits = self in turns.waiting
        if waits:
            self.go.wait()
        return super().is_set()

    def set(self) -> None:
        """Ask the work to stop, also while it waits."""
        with self._turns.lock:
            super().set()
            self._withdraw()
            self.go.set()

    @property
    def expected(self) -> float:
        """Seconds of turns that the whole work takes at its speed so far."""
        return self.spent / (self.part or 1.0)

    @property
    def place(self) -> int:
        """The place in the queue, from 1; 0 if the work runs, or has waited less than
        `SHOWN_AFTER`.
        """
        with self._turns.lock:
            if self not in self._turns.waiting or time.monotonic() - self.since < SHOWN_AFTER:
                return 0
            return self._turns.waiting.index(self) + 1

    def _withdraw(self) -> None:
        """Neither run nor wait; the next work may run."""
        if self in self._turns.working:
            self._turns.working.remove(self)
            self.spent += time.monotonic() - self.since
        elif self in self._turns.waiting:
            self._turns.waiting.remove(self)
        self._turns.grant()

    def _queue(self) -> None:
        if not super().is_set():
            self.since = time.monotonic()
            self.go.clear()
            self._turns.waiting.append(self)
            self._turns.grant()
        else:
            self.go.set()


def describe_wait(place: int) -> str:
    """Return what the page shows for work with this place in the queue."""
    return f"Waiting for its turn, {format_ordinal(place)} in the queue"
