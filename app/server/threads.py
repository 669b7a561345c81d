"""Threads for work beside the one that answers visitors; they run at a lower priority."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

NICER = 19
"""The increment of niceness, to the lowest priority. With as many computing threads as processors,
fifty visitors waited 0.8 s (median) at the same priority and 0.02 s at a lower one
(`benchmarks.soak`).
"""
MOST_THREADS = 1000
"""One thread for each job of all visitors; turns decide how many run at a time."""
PIECE, LONGEST_PAUSE = 0.004, 1.0
"""Seconds that Python code on another thread runs between two pauses, and the longest pause. With a
largest lesson every few seconds, 95 % of the answers to fifty visitors took up to 0.40 s without
pauses and 0.20 s with them.
"""


def make_threads(name: str, nicer: int = NICER) -> ThreadPoolExecutor:
    """Return a pool of threads of this name and priority."""
    return ThreadPoolExecutor(
        max_workers=MOST_THREADS,
        thread_name_prefix=name,
        initializer=_lower_priority,
        initargs=(nicer,),
    )


def _lower_priority(nicer: int) -> None:
    """Lower the priority of this thread and of those it starts, on systems where threads have their
    own.
    """
    if sys.platform == "linux":
        os.nice(nicer)


def make_pause() -> Callable[[], None]:
    """Return a function that lets the event loop of the calling thread go first.

    Python code on another thread, which takes the interpreter from the loop, calls it often. After
    each `PIECE` it returns only when the loop has handled what had arrived by then.
    """
    loop = asyncio.get_running_loop()
    begun = 0.0

    def pause() -> None:
        nonlocal begun
        if time.thread_time() - begun > PIECE:
            answered = threading.Event()
            loop.call_soon_threadsafe(answered.set)
            answered.wait(LONGEST_PAUSE)
            begun = time.thread_time()

    return pause
