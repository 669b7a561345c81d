"""Processes that a trial starts."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


def share_path(path: list[str]) -> None:
    """In a new process: find the same modules."""
    sys.path[:] = path


@contextmanager
def worker() -> Iterator[ProcessPoolExecutor]:
    """A process without threads, which can fork."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, share_path, (sys.path,)) as pool:
        yield pool
