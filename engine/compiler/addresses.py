"""Addresses of compiled functions: already in memory, loaded from the cache, or compiled now."""

from __future__ import annotations

import threading
from collections.abc import Callable

from . import cache, native
from .notices import announce, compiled

_guard = threading.Lock()
_locks: dict[str, threading.Lock] = {}
_addresses: dict[str, int] = {}


def address(key: str, make: Callable[[], bytes | int], name: str = "") -> int:
    """Return the address of the function with this key; `make` compiles it if it is missing.

    Object code that `make` returns is cached; an address that it returns is valid in this process
    only. Threads that need the same function wait for one of them, and listeners receive its name
    (see `notices.py`).
    """
    if key in _addresses:
        return _addresses[key]
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with announce("" if cache.holds(key) else name), lock:
        if key not in _addresses:
            code: bytes | int | None = cache.load(key)
            if code is None:
                code = make()
                compiled.append(name)
                if isinstance(code, bytes):
                    cache.store(key, code)
            _addresses[key] = native.link(code) if isinstance(code, bytes) else code
    return _addresses[key]
