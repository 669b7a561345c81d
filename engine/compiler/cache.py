"""Machine code on disk, so that a function is compiled once on a machine and then loaded in a millisecond.

What is kept is the object code of one function that calls nothing but the C mathematics library.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import platform
import sys
import tempfile
from pathlib import Path

from . import native


def directory() -> Path:
    """Where kernels are kept: POLHODE_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("POLHODE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "polhode" / "kernels"


@functools.cache
def environment() -> str:
    """What else machine code depends on: the versions of Python and LLVM, and the processor."""
    processor = (native.llvm().get_default_triple(), *native.processor())
    return repr((platform.python_version(), importlib.metadata.version("llvmlite"), processor))


def load(key: str) -> bytes | None:
    """The code that is kept under this key, or None."""
    try:
        content = (directory() / f"{key}.o").read_bytes()
    except OSError:
        return None
    digest, code = content[:32], content[32:]
    if hashlib.sha256(code).digest() != digest:  # cut short, or of another origin
        return None
    return code


def holds(key: str) -> bool:
    """Whether something is kept under this key."""
    return (directory() / f"{key}.o").is_file()


def keeps() -> bool:
    """Whether something can be kept: the folder can be written to, or be made."""
    folder = directory()
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def store(key: str, code: bytes) -> None:
    """Keep object code under a key; where nothing can be written, nothing is kept."""
    folder = directory()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(name, folder / f"{key}.o")  # a reader sees all of it or nothing
    except OSError:  # the disk is full, say: no half of a kernel takes up what is left of it
        with contextlib.suppress(OSError):
            os.unlink(name)


def clear() -> int:
    """Forget all kernels on disk; returns how many there were."""
    kept = list(directory().glob("*.o"))
    for path in kept:
        path.unlink(missing_ok=True)
    return len(kept)
