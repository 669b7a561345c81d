"""The kernel cache: object code on disk, so that a machine compiles each function once.

An entry is the object code of one function that calls only the C mathematics library. Since it runs
as it is read, the cache reads only regular files of this user, in a folder of this user, that
nobody else can write.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import importlib.metadata
import logging
import os
import platform
import stat
import sys
import tempfile
from pathlib import Path

from . import native

LARGEST = 2**24
"""The most bytes of a kernel; the largest of the engine has a hundredth of it."""
_OWNED = hasattr(os, "geteuid")
"""Whether files have owners here; on Windows a user's folder is private."""


def _flags(*names: str) -> int:
    """Return those of these flags for opening that the system has."""
    return os.O_RDONLY | sum(getattr(os, name, 0) for name in names)


_FILE = _flags("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
_FOLDER = _flags("O_DIRECTORY", "O_CLOEXEC")


def directory() -> Path:
    """Return the folder of the cache: POLHODE_CACHE_DIR, or the user's cache folder."""
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
    """Return what else machine code depends on: the versions of Python and LLVM, and the
    processor.
    """
    processor = (native.llvm().get_default_triple(), *native.processor())
    return repr((platform.python_version(), importlib.metadata.version("llvmlite"), processor))


class _Refused(OSError):
    """The reason why something on disk is not trusted, as the end of a sentence."""


@functools.cache
def _say(sentence: str) -> None:
    """Say why something is not used, once per process."""
    logging.getLogger(__name__).warning(sentence)


def _why(error: OSError) -> str:
    if isinstance(error, _Refused):
        return str(error)
    return (
        "is a symbolic link"
        if error.errno == errno.ELOOP
        else f"cannot be opened ({error.strerror})"
    )


def _foreign(found: os.stat_result) -> bool:
    return _OWNED and found.st_uid != os.geteuid()


def _open(path: Path | str, flags: int, folder: int | None = None) -> int:
    """Return a descriptor of a file or folder that nobody else can have written; otherwise raise
    OSError.
    """
    handle = os.open(path, flags, dir_fd=folder)
    found = os.fstat(handle)
    reasons = {
        "is no regular file": flags == _FILE and not stat.S_ISREG(found.st_mode),
        "belongs to another user": _foreign(found),
        "can be written to by other users": _OWNED
        and bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)),
        "is too large": found.st_size > LARGEST,
    }
    for reason, holds in reasons.items():
        if holds:
            os.close(handle)
            raise _Refused(reason)
    return handle


def _open_folder() -> int | None:
    """Return a descriptor of the folder; None if it is missing or, with a message, not trusted."""
    folder = directory()
    try:
        link = os.lstat(folder)
        if stat.S_ISLNK(link.st_mode) and _foreign(link):
            raise _Refused("is reached by a symbolic link of another user")
        return _open(folder, _FOLDER)
    except FileNotFoundError:
        return None
    except OSError as error:
        _say(
            f"The folder of kernels {folder} is not used, since it {_why(error)}; kernels are compiled in memory."
        )
        return None


def _open_kernel(key: str) -> int | None:
    """Return a descriptor of a kernel's file; None if it is missing or, with a message, not
    trusted.
    """
    path = directory() / f"{key}.o"
    folder = _open_folder() if _OWNED else None
    if folder is None and _OWNED:
        return None
    try:
        return _open(path.name if _OWNED else path, _FILE, folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        _say(f"The kernel {path} is not used, since it {_why(error)}; it is compiled again.")
        return None
    finally:
        if folder is not None:
            os.close(folder)


def load(key: str) -> bytes | None:
    """Return the code under this key, or None."""
    handle = _open_kernel(key)
    if handle is None:
        return None
    try:
        with open(handle, "rb") as file:
            content = file.read(LARGEST)
    except OSError:
        return None
    digest = content[:32]
    code = content[32:]
    if hashlib.sha256(code).digest() != digest:  # cut short, or of another origin
        return None
    return code


def holds(key: str) -> bool:
    """Return whether there is an entry under this key."""
    handle = _open_kernel(key)
    if handle is not None:
        os.close(handle)
    return handle is not None


def keeps() -> bool:
    """Return whether entries can be stored: the folder is trusted and writable, or can be made."""
    folder = directory()
    if os.path.lexists(folder) and not _trusted():
        return False
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _trusted() -> bool:
    """Return whether the folder exists and nobody else can have written to it."""
    if not _OWNED:
        return directory().is_dir()
    handle = _open_folder()
    if handle is not None:
        os.close(handle)
    return handle is not None


def store(key: str, code: bytes) -> None:
    """Store object code under a key, if the folder is trusted and writable."""
    folder = directory()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _trusted():
            return
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
