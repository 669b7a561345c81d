"""Building kernels: from parts to a plain function or to machine code."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

from ..compiler import cache
from ..compiler.addresses import address
from .advance import advance, watch
from .advance_batch import advance_batch, careful
from .advance_together import advance_together
from .fast_path import in_singles, with_series
from .parts import BatchParts, Parts, TangentParts, TogetherParts, WatchingParts
from .tangents import advance_tangents

Advance = Callable[..., None]

SIGNATURE = ("real*", "real*", "int*", "int*", "real*", "real*", "real*", "real", "int", "int")
"""state, parameters, ledger, stop, rows, last, extrema; h, steps, every"""

PROTOTYPE = ctypes.CFUNCTYPE(
    None, *[ctypes.c_void_p] * 7, ctypes.c_double, ctypes.c_int64, ctypes.c_int64
)  # called through ctypes, a kernel runs without the GIL

LONG = 300_000
"""From so many characters on, the program of a kernel that expands series is hardly optimised: that
would take a quarter of the time until it can run, and the kernel would not run faster.
"""

_kernels: dict[Parts, Advance] = {}


def build_plain(parts: Parts) -> Advance:
    """Return the kernel as plain Python."""
    if parts.single:
        parts = parts.change_functions(in_singles)
    if parts.reach is not None:
        parts = parts.change_functions(with_series)
    return find_loop(careful(parts) if isinstance(parts, BatchParts) else parts)


LOOPS: dict[type[Parts], Callable[..., None]] = {
    Parts: advance,
    WatchingParts: watch,
    BatchParts: advance_batch,
    TogetherParts: advance_together,
    TangentParts: advance_tangents,
}


def find_loop(parts: Parts) -> Advance:
    """Return the loop for these parts, as a function of what every kernel takes."""
    return functools.partial(LOOPS[type(parts)], parts)


def is_loaded(parts: Parts) -> bool:
    """Return whether the kernel is in memory or on disk, so that it is available within
    milliseconds.
    """
    return parts in _kernels or cache.holds(parts.key())


def compile_kernel(parts: Parts, name: str = "") -> Advance | None:
    """Return the compiled kernel, from memory, from disk, or compiled now; None if its source is
    missing.

    Threads that need the same kernel wait for one of them. Listeners receive `name` (see
    `notices.py`).
    """
    from ..compiler.frontend.source import SourceMissing

    if parts not in _kernels:
        try:
            place = address(parts.key(), lambda: object_code(parts), name)
        except SourceMissing:
            return None
        _kernels[parts] = PROTOTYPE(place)
    return _kernels[parts]


def object_code(parts: Parts) -> bytes:
    """Return the kernel's machine code."""
    return compile_text(parts, text_of(parts))


def compile_text(parts: Parts, text: str) -> bytes:
    """Return the machine code of the kernel's LLVM IR."""
    from ..compiler import native  # imported when something is compiled, and not before

    match parts:
        case Parts(brief=True):
            return native.compile_briefly(text)
        case TogetherParts():
            return native.object_code(text, True, native.OF_VECTORS)
        case BatchParts():
            return native.object_code(text, True, native.LOOPS_TO_VECTORS)
        case Parts(room=room) if room > 0 and len(text) > LONG:
            return native.object_code(text, tuning=native.LEAST)
        case Parts(room=room) if room > 0:
            return native.object_code(text, tuning=native.OF_VECTORS)
    return native.object_code(text)


def text_of(parts: Parts, fused: bool = True, register: int | None = None) -> str:
    """Return the kernel's LLVM IR; `register` is how many numbers a register holds."""
    from ..compiler.frontend import compilation
    from ..compiler.frontend.refusal import ChangedInLoop, NotCompiled
    from ..compiler.frontend.source import NoSource, SourceMissing

    try:
        return compilation.text_of(find_loop(parts), SIGNATURE, fused=fused, register=register)
    except SourceMissing:
        raise
    except NotCompiled as refused:
        file = parts.step.__code__.co_filename
        said = refused.describe(file)
        unfit = isinstance(refused, ChangedInLoop) and refused.name == "S"
        walked = any(place.path == file for place in refused.places)
        if isinstance(refused, NoSource) and not walked:
            said = str(refused)
        elif unfit or not walked:  # the step itself was compiled
            said = f"it has to return what it carries, ({', '.join(parts.carries)})"
        raise ValueError(
            f"the step in {file} cannot be compiled: {said}; "
            "with POLHODE_PLAIN=1 it runs as plain Python, to be debugged"
        ) from refused
