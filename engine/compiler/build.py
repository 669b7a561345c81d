"""From its parts to a kernel: the plain function, or the machine code made from it."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import threading
import types as pytypes
from collections.abc import Callable

from . import cache, lanes
from .parts import Parts
from .telling import telling


def compiles() -> bool:
    """Whether kernels are compiled here: Numba is there and not switched off."""
    off = os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")
    return not off and _numba_is_there()


@functools.cache
def _numba_is_there() -> bool:
    return importlib.util.find_spec("numba") is not None


Advance = Callable[..., None]

_kernels: dict[Parts, Advance] = {}
_locks: dict[str, threading.Lock] = {}
_guard = threading.Lock()

_PROTOTYPE = ctypes.CFUNCTYPE(
    None, *[ctypes.c_void_p] * 7, ctypes.c_double, ctypes.c_int64, ctypes.c_int64
)  # called through ctypes, a kernel runs without the GIL


def plain(parts: Parts) -> Advance:
    """The kernel as plain Python."""
    template, blanks = parts.template, parts.blanks()
    if template is lanes.advance_lanes:
        blanks = lanes.careful(blanks, len(parts.carries))
    return pytypes.FunctionType(template.__code__, template.__globals__ | blanks, template.__name__)


def at_hand(parts: Parts) -> bool:
    """Whether the kernel is in memory or on disk, so that asking for it takes milliseconds."""
    return parts in _kernels or cache.holds(parts.key())


def compiled(parts: Parts, name: str = "") -> Advance:
    """The kernel as machine code: from memory, from disk, or made now. Threads that ask for the same one wait.

    `name` is what who listens is told, also while it is another thread that makes it (see `telling.py`).
    """
    found = _kernels.get(parts)
    if found is not None:
        return found
    key = parts.key()
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with telling("" if cache.holds(key) else name), lock:
        if parts not in _kernels:
            address = cache.load(key)
            _kernels[parts] = _PROTOTYPE(_compile(parts, key) if address is None else address)
    return _kernels[parts]


def _compile(parts: Parts, key: str) -> int:
    from .compile import kernel_address  # Numba is imported when something is compiled, and not before

    address, code = kernel_address(parts)
    if code is None:
        return address
    with contextlib.suppress(OSError):
        cache.store(key, code)
    return cache.link(code)
