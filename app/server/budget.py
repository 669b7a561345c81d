"""The time that each visitor's messages take, so that nobody keeps the others waiting."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

MOST = 1.0
"""Seconds of processor time that a visitor's messages may take at once."""
LEAST = 0.05
"""Seconds that each message may take, also when the visitor has no more time."""
MEMORY = 5.0
"""Seconds after which a third of the time that a visitor has taken still counts."""
REST, LONG_REST = 0.2, 1.0
"""Seconds that a visitor's next change waits for each second that the last took, so that others go
first: usually, and once the visitor has no more time.
"""


class Budget:
    """What a visitor has taken from the thread that answers all visitors.

    What lies back longer counts less. `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent, self._at = 0.0, clock()
        self._rests_until = self._at

    @property
    def remaining(self) -> float:
        """Seconds that the visitor's next message may take."""
        return max(LEAST, MOST - self._decay())

    @property
    def rest(self) -> float:
        """Seconds until the visitor's next change is carried out."""
        return max(0.0, self._rests_until - self._clock())

    def spend(self, seconds: float) -> None:
        """Note that a change has taken so long."""
        self._spent = self._decay() + seconds
        self._at = self._clock()
        rest = REST if self._spent < MOST else LONG_REST
        self._rests_until = self._at + rest * seconds

    def _decay(self) -> float:
        """Return the seconds spent, as far as they still count."""
        return self._spent * math.exp((self._at - self._clock()) / MEMORY)
