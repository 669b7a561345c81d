"""Who waits is told what for, as a rule the compiler: one way, for the shell and for the page."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from . import cache

Told = Callable[[str], Any]


class Meanwhile(str):
    """What is waited for where it is not the compiler: words, in the place of the name of what is compiled."""

    __slots__ = ()


class _Listener:
    """Somebody who waits, and what is compiled for them at the moment, on one thread or on several."""

    def __init__(self, told: Told) -> None:
        self._told, self._names, self._lock = told, list[str](), threading.Lock()

    def begun(self, name: str) -> None:
        with self._lock:
            self._names.append(name)
            self._told(name)

    def ended(self, name: str) -> None:
        with self._lock:
            self._names.remove(name)
            self._told(self._names[-1] if self._names else "")


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def told_of_compiling(told: Told) -> Iterator[None]:
    """While this lasts, `told` is called with the name of what is compiled, and with "" when nothing is any more.

    What is waited for besides is a `Meanwhile`; `compiling` makes words of both.

    It holds for this thread, and for others that work in a copy of its context (`contextvars.copy_context`).
    """
    before = _listener.set(_Listener(told))
    try:
        yield
    finally:
        _listener.reset(before)


@contextlib.contextmanager
def telling(name: str) -> Iterator[None]:
    """Tell who listens that this is compiled while it lasts; what has no name is not told."""
    listener = _listener.get() if name else None
    if listener is None:
        yield
        return
    listener.begun(name)
    try:
        yield
    finally:
        listener.ended(name)


def compiling(name: str, number: int = 0, of: int = 0) -> str:
    """What is said while something is compiled, of so many; nothing of none, and "once" only where it is kept."""
    if not name or isinstance(name, Meanwhile):
        return name
    once = ", once" if cache.keeps() else ""
    return f"Compiling {name}{once}{f' ({number} of {of})' if of > 1 else ''}"
