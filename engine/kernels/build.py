"""From its parts to a kernel: the plain function, or the machine code made from it."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import types as pytypes
from collections.abc import Callable

from ..compiler import cache
from ..compiler.addresses import address
from . import advance_batch
from .fast_path import in_singles
from .parts import Parts

Advance = Callable[..., None]

SIGNATURE = ("real*", "real*", "int*", "int*", "real*", "real*", "real*", "real", "int", "int")
"""state, parameters, ledger, stop, rows, last, extrema; h, steps, every"""

PROTOTYPE = ctypes.CFUNCTYPE(
    None, *[ctypes.c_void_p] * 7, ctypes.c_double, ctypes.c_int64, ctypes.c_int64
)  # called through ctypes, a kernel runs without the GIL

_kernels: dict[Parts, Advance] = {}


def compiles() -> bool:
    """Whether kernels are compiled here: LLVM is there, and compiling is not switched off."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() in ("", "0") and _llvm_is_there()


@functools.cache
def _llvm_is_there() -> bool:
    return importlib.util.find_spec("llvmlite") is not None


def plain(parts: Parts) -> Advance:
    """The kernel as plain Python."""
    blanks = parts.blanks()
    if parts.single:
        blanks |= {name: in_singles(blanks[name]) for name in ("step", "start", "correct", "OPTIONS", "FIELD")}
    if parts.side_by_side:
        blanks = advance_batch.careful(blanks, len(parts.carries))
    return _filled_in(parts.template, blanks)


def _filled_in(template: Callable[..., None], blanks: dict[str, object]) -> pytypes.FunctionType:
    """The template with the names that it leaves open."""
    assert isinstance(template, pytypes.FunctionType)
    return pytypes.FunctionType(template.__code__, template.__globals__ | blanks, template.__name__)


def at_hand(parts: Parts) -> bool:
    """Whether the kernel is in memory or on disk, so that asking for it takes milliseconds."""
    return parts in _kernels or cache.holds(parts.key())


def compiled(parts: Parts, name: str = "") -> Advance | None:
    """The kernel as machine code: from memory, from disk, or made now; None if there is no source to make it from.

    Threads that ask for the same one wait. `name` is what who listens is told, also while it is another thread that
    makes it (see `telling.py`).
    """
    from ..compiler.source import SourceMissing

    if parts not in _kernels:
        try:
            place = address(parts.key(), lambda: object_code(parts), name)
        except SourceMissing:
            return None
        _kernels[parts] = PROTOTYPE(place)
    return _kernels[parts]


def object_code(parts: Parts) -> bytes:
    """The kernel's machine code."""
    from ..compiler import native  # imported when something is compiled, and not before

    return native.object_code(text_of(parts), side_by_side=parts.side_by_side)


def text_of(parts: Parts, fused: bool = True) -> str:
    """The kernel as LLVM's text."""
    from ..compiler import program
    from ..compiler.refusal import ChangedInLoop, NotCompiled
    from ..compiler.source import NoSource, SourceMissing

    try:
        return program.text_of(_filled_in(parts.template, parts.blanks()), SIGNATURE, fused=fused)
    except SourceMissing:
        raise
    except NotCompiled as refused:
        file = parts.step.__code__.co_filename
        said = refused.told(file)
        unfit = isinstance(refused, ChangedInLoop) and refused.name == "S"
        walked = any(place.path == file for place in refused.places)
        if isinstance(refused, NoSource) and not walked:
            said = str(refused)
        elif unfit or not walked:  # the step itself was compiled
            said = f"it has to return what it carries, ({', '.join(parts.carries)})"
        raise ValueError(
            f"the step in {file} cannot be compiled: {said}; "
            "with NUMBA_DISABLE_JIT=1 it runs as plain Python, to be debugged"
        ) from refused
