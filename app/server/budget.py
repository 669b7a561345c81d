"""The time that each visitor's messages take, so that nobody keeps the others waiting."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

MOST = 1.0
"""Seconds of processor time that a visitor's messages may take at once."""
LEAST = 0.05
"""Seconds that each message may take, also when the visitor has no more time."""
MEMORY = 5.0
"""Seconds after which a third of the time that was taken still counts."""
REST, CROWD = 0.2, 12.0
"""Seconds that a visitor's next change waits for each second that the last one took, so that others
go first: without others, and in addition if others take all the time.

One of fifty visitors who keep a process busy for 70 % of the time thus takes at most a tenth of it.
"""


class Spending:
    """Seconds of processor time, of which those that lie back longer count less."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = 0.0
        self._at = clock()

    @property
    def recent(self) -> float:
        """The seconds, as far as they still count."""
        return self._seconds * math.exp((self._at - self._clock()) / MEMORY)

    def add(self, seconds: float) -> None:
        """Add seconds that have just been spent."""
        self._seconds, self._at = self.recent + seconds, self._clock()


class Budget:
    """What a visitor takes from the thread that answers all visitors.

    Attributes
    ----------
    turn : is held while something of this visitor is carried out.

    `of_all` has the spending of all visitors; `clock` returns seconds.
    """

    def __init__(self, of_all: Spending, clock: Callable[[], float] = time.monotonic) -> None:
        self.turn = asyncio.Lock()
        self._clock = clock
        self._of_all = of_all
        self._own = Spending(clock)
        self._rests_until = clock()

    @property
    def remaining(self) -> float:
        """Seconds that the visitor's next message may take."""
        return max(LEAST, MOST - self._own.recent)

    @property
    def rest(self) -> float:
        """Seconds until the visitor's next change is carried out."""
        return max(0.0, self._rests_until - self._clock())

    def spend(self, seconds: float) -> None:
        """Note that something of the visitor's has taken so long."""
        self._own.add(seconds)
        self._of_all.add(seconds)
        others = max(0.0, self._of_all.recent - self._own.recent) / MEMORY
        self._rests_until = self._clock() + (REST + CROWD * min(others, 1.0)) * seconds
