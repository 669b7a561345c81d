"""A mark for rarely called functions: the compiler keeps the call, so that the common path stays
short.
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
