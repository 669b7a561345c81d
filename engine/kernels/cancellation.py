"""Cancellation: an event that kernels watch, and the exception for cancelled work."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray


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
