"""Whose turn it is to compute: long work of all visitors takes turns in slices of time (round-robin scheduling)."""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType

import engine
from engine.wording import ordinal

AT_ONCE = max(2, (os.cpu_count() or 2) - 1)
"""Turns at a time; kernels leave the interpreter free meanwhile."""
SLICE = 0.05
"""Seconds of a turn, if others wait; fifty visitors go round in less than two seconds."""
BRIEF = 2.0
"""Seconds of turns in all, as far as one can tell, up to which work is short and goes before long work."""
FOR_ALL = 4
"""Of so many turns one goes to who waits longest, so that long work does not wait for ever behind short work."""
SAID_AFTER = 0.5
"""Seconds after which a visitor reads that the work waits."""


class Turns:
    """Gives turns to work: short work first, each kind in the order in which it came to wait.

    Work begins a `Turn` and asks it between its pieces whether to go on, as kernels and studies ask any cancellation;
    there it waits while others have their turns.
    """

    def __init__(self, at_once: int = AT_ONCE, slice_: float = SLICE) -> None:
        self.at_once, self.slice = at_once, slice_
        self.lock = threading.Lock()
        self.waiting: list[Turn] = []
        self.working: list[Turn] = []
        self._given = 0

    def give(self) -> None:
        """Let the next work, as far as there is room; the caller holds the lock."""
        while self.waiting and len(self.working) < self.at_once:
            self._given += 1
            turn = self.waiting[0]
            if self._given % FOR_ALL:
                turn = next((one for one in self.waiting if one.expected < BRIEF), turn)
            self.waiting.remove(turn)
            self.working.append(turn)
            turn.since = time.monotonic()
            turn.go.set()


class Turn(engine.Cancellation):
    """A cancellation that also makes work wait for its turn, from its beginning to its end as a context.

    Attributes
    ----------
    spent : seconds of its turns so far, but for the one that it has.
    part : how much of the work is done, from 0 to 1, as far as that is known.
    since : when it began to work, or to wait.
    go : set while it has a turn, and when it waits no more.
    """

    def __init__(self, turns: Turns) -> None:
        super().__init__()
        self._turns = turns
        self.spent = self.part = 0.0
        self.since = time.monotonic()
        self.go = threading.Event()

    def __enter__(self) -> Turn:
        with self._turns.lock:
            self._wait_behind_others()
        self.go.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._turns.lock:
            self._leave()
            self.go.set()

    def is_set(self) -> bool:
        """Whether to end; answered when it is this work's turn."""
        turns = self._turns
        with turns.lock:
            if self in turns.working and turns.waiting and time.monotonic() - self.since >= turns.slice:
                self._leave()
                self._wait_behind_others()
            waits = self in turns.waiting
        if waits:
            self.go.wait()
        return super().is_set()

    def set(self) -> None:
        """Ask the work to end, also while it waits."""
        with self._turns.lock:
            super().set()
            self._leave()
            self.go.set()

    @property
    def expected(self) -> float:
        """Seconds of turns that the whole takes, if it goes on as it began."""
        return self.spent / (self.part or 1.0)

    @property
    def place(self) -> int:
        """How many wait up to this one, itself included; 0 if it works, or has begun to wait just now."""
        with self._turns.lock:
            if self not in self._turns.waiting or time.monotonic() - self.since < SAID_AFTER:
                return 0
            return self._turns.waiting.index(self) + 1

    def _leave(self) -> None:
        """Neither work nor wait; the next may work."""
        if self in self._turns.working:
            self._turns.working.remove(self)
            self.spent += time.monotonic() - self.since
        elif self in self._turns.waiting:
            self._turns.waiting.remove(self)
        self._turns.give()

    def _wait_behind_others(self) -> None:
        if not super().is_set():
            self.since = time.monotonic()
            self.go.clear()
            self._turns.waiting.append(self)
            self._turns.give()
        else:
            self.go.set()


def waits(place: int) -> str:
    """What a visitor reads whose work has this place among those that wait."""
    return f"Waits for its turn, {ordinal(place)} of those that wait"
