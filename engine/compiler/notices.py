"""Notices of what a computation is waiting for, usually the compiler; for the shell and the
page.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from . import cache

Receive = Callable[[str], Any]

compiled: list[str] = []
"""The names of the kernels that this process has compiled, in their order."""


class Meanwhile(str):
    """Words for a wait that is not for the compiler, instead of a kernel's name."""

    __slots__ = ()


class _Listener:
    """A listener, with the names of what is being compiled for it on any of its threads."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._names = list[str]()
        self._lock = threading.Lock()

    def begin(self, name: str) -> None:
        with self._lock:
            self._names.append(name)
            self._receive(name)

    def end(self, name: str) -> None:
        with self._lock:
            self._names.remove(name)
            self._receive(self._names[-1] if self._names else "")


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def listen(receive: Receive) -> Iterator[None]:
    """In this block, call `receive` with the name of what is being compiled, and with "" when nothing
    is.

    Other waits send a `Meanwhile`; `describe_compiling` words both. The block covers this thread,
    and threads that run in a copy of its context (`contextvars.copy_context`).
    """
    before = _listener.set(_Listener(receive))
    try:
        yield
    finally:
        _listener.reset(before)


@contextlib.contextmanager
def announce(name: str) -> Iterator[None]:
    """Send the listener this name for the duration of the block; an empty name is not sent."""
    listener = _listener.get() if name else None
    if listener is None:
        yield
        return
    listener.begin(name)
    try:
        yield
    finally:
        listener.end(name)


def describe_compiling(name: str, number: int = 0, of: int = 0) -> str:
    """Return the words for a notice: "Compiling NAME, once (1 of 3)"; "once" only if the cache
    stores it.
    """
    if not name or isinstance(name, Meanwhile):
        return name
    once = ", once" if cache.keeps() else ""
    return f"Compiling {name}{once}{f' ({number} of {of})' if of > 1 else ''}"
