"""Limits of wall time and of processor time, generous, so that no test depends on the speed of the machine."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

TIMEOUT = 600.0
"""Seconds after which a test counts as hanging."""


def wait_until(true: Callable[[], object], what: str) -> None:
    """Wait until a condition holds; `what` describes it in the failure."""
    end = time.monotonic() + TIMEOUT
    while not true():
        assert time.monotonic() < end, f"{what}: not after {TIMEOUT:g} s"
        time.sleep(0.005)


@contextmanager
def limit_processor_time(seconds: float, what: object = "this") -> Iterator[None]:
    """Fail after so many seconds of processor time, however busy the machine is."""

    def fail(*_: Any) -> None:
        raise AssertionError(f"{what} takes more than {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, fail)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
