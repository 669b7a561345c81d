"""Marks for what is rare: of a rarely called function the compiler keeps the call, so that the common
path stays short; and a rare branch of any body is taken by those beside it, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

RARELY_CALLED: set[Callable[..., Any]] = set()
"""The functions that are marked."""


def rarely_called(function: F) -> F:
    """Mark a function."""
    RARELY_CALLED.add(function)
    return function


def any_of(condition: bool) -> bool:
    """Return whether something holds for any of the bodies side by side."""
    return bool(condition)
