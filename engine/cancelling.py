"""What ends work before its time: an event that kernels watch, and what is raised where it has ended a part."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray


class Cancelled(Exception):
    """The person who asked for something does not want it any more."""


class Cancellation(threading.Event):
    """An event that a running kernel watches: `set()` from any thread ends the run within a few steps."""

    def __init__(self) -> None:
        super().__init__()
        self.flag: NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """Ask the run to end."""
        self.flag[0] = 1
        super().set()

    def clear(self) -> None:
        """Take it back, for the next run."""
        self.flag[0] = 0
        super().clear()


def cancelled(cancel: threading.Event | None) -> bool:
    """Whether that was asked for; never by nobody."""
    return cancel is not None and cancel.is_set()
