"""How long tests wait. A machine that has other work is slow, and no test is about that."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds after which what should happen, or end, counts as hanging. Nothing is measured by it."""


def until(true: Callable[[], object], what: str) -> None:
    """Wait until something is true; `what` it is stands in the failure."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"{what}: not after {PATIENCE:g} s"
        time.sleep(0.005)
