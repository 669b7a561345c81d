"""Where compiled functions stand: in memory already, or loaded from disk, or made now."""

from __future__ import annotations

import threading
from collections.abc import Callable

from . import cache, native
from .telling import telling

_guard = threading.Lock()
_locks: dict[str, threading.Lock] = {}
_addresses: dict[str, int] = {}


def address(key: str, make: Callable[[], bytes | int], name: str = "") -> int:
    """Where the function of this key stands; `make` compiles it where it is not there.

    What it makes is kept, unless it is an address because the code cannot be used in another process.

    Threads that ask for the same one wait; who listens is told its name meanwhile (see `telling.py`).
    """
    if key in _addresses:
        return _addresses[key]
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with telling("" if cache.holds(key) else name), lock:
        if key not in _addresses:
            code: bytes | int | None = cache.load(key)
            if code is None:
                code = make()
                if isinstance(code, bytes):
                    cache.store(key, code)
            _addresses[key] = native.link(code) if isinstance(code, bytes) else code
    return _addresses[key]
