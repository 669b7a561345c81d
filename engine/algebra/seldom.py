"""A mark for rarely called functions: the compiler keeps the call, so that the common path stays
short.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

SELDOM: set[Callable[..., Any]] = set()
"""The functions that are marked."""


def seldom(function: F) -> F:
    """Mark a function."""
    SELDOM.add(function)
    return function
