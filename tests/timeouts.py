"""The timeout of all tests: no test depends on the speed of the machine."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMEOUT = 600.0
"""Seconds after which a test counts as hanging."""


def wait_until(true: Callable[[], object], what: str) -> None:
    """Wait until a condition holds; `what` describes it in the failure."""
    end = time.monotonic() + TIMEOUT
    while not true():
        assert time.monotonic() < end, f"{what}: not after {TIMEOUT:g} s"
        time.sleep(0.005)
