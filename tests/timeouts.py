"""Generous limits of wall time and of processor time: no test depends on the speed of the
machine.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

TIMEOUT = 600.0
"""Seconds after which a test counts as hanging."""
OF_REQUESTS = {"connect_timeout": TIMEOUT, "request_timeout": TIMEOUT}
"""The same for requests of Tornado's client, whose own patience is 20 seconds."""


def wait_until(true: Callable[[], object], what: str) -> None:
    """Wait until a condition holds; `what` describes it in the failure."""
    end = time.monotonic() + TIMEOUT
    while not true():
        assert time.monotonic() < end, f"{what}: not after {TIMEOUT:g} s"
        time.sleep(0.005)


@contextmanager
def limit_processor_time(seconds: float, what: object = "this") -> Iterator[None]:
    """Fail after so many seconds of processor time, however busy the machine is, or if the block
    hangs.
    """

    def fail(number: int, _: Any) -> None:
        if number == signal.SIGALRM:
            raise AssertionError(f"{what} hangs")
        raise AssertionError(f"{what} takes more than {seconds:g} s of processor time")

    before = {number: signal.signal(number, fail) for number in (signal.SIGPROF, signal.SIGALRM)}
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, TIMEOUT)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
