"""Threads for work beside the one that answers visitors; they run at a lower priority."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

NICER = 19
"""The increment of niceness, to the lowest priority. With as many computing threads as processors, fifty visitors
waited 0.8 s (median) at the same priority and 0.02 s at a lower one (`benchmarks.soak`)."""


def make_threads(name: str, most: int) -> ThreadPoolExecutor:
    """Return a pool of at most `most` threads of this name."""
    return ThreadPoolExecutor(max_workers=most, thread_name_prefix=name, initializer=_lower_priority)


def _lower_priority() -> None:
    """Lower the priority of this thread and of those it starts, on systems where threads have their own."""
    if sys.platform == "linux":
        os.nice(NICER)
