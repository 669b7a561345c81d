"""Calls of a kernel whose arguments stand in one block of memory, packed once.

ctypes converts the arguments of a function one by one at each call. A function in machine code that
takes the address of the block and calls the kernel with what stands there takes a quarter of that
time. It first restores the memory that the kernel changes.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable
from typing import Any

from ..compiler import cache, native
from ..compiler.addresses import address
from ..compiler.fingerprint import fingerprint
from .build import SIGNATURE, Advance

TYPES = {"real": "double", "int": "i64"}
"""LLVM's types of the arguments that are not addresses."""
GIVEN = ("bytes*", "bytes*", "int", "kernel*", *SIGNATURE)
"""The memory to fill, what to fill it with, the number of bytes; the kernel and its arguments."""
LAYOUT = struct.Struct("".join("d" if kind == "real" else "q" for kind in GIVEN))
"""Eight bytes each."""


def pack_call(fill: tuple[int, int, int], advance: Advance, *arguments: float) -> Any:
    """A reference to the block of memory for `GIVEN`, as the caller takes it."""
    kernel = ctypes.cast(advance, ctypes.c_void_p).value  # type: ignore[arg-type]
    packed = LAYOUT.pack(*fill, kernel, *arguments)
    return ctypes.byref(ctypes.create_string_buffer(packed, LAYOUT.size))


@functools.cache
def find_caller() -> Callable[[Any], None]:
    """The function that calls a kernel, of a reference to the block; it runs without the GIL.

    It declares no arguments, so that ctypes passes the reference on without a conversion.
    """
    key = fingerprint([write_caller], "packed", cache.environment())
    place = address(key, lambda: native.object_code(write_caller()))
    return ctypes.CFUNCTYPE(None)(place)


def write_caller() -> str:
    """The function in LLVM IR."""
    lines = []
    given = []
    for i, kind in enumerate(GIVEN):
        type_ = TYPES.get(kind, "ptr")
        lines.append(f"%place{i} = getelementptr i64, ptr %packed, i64 {i}")
        lines.append(f"%held{i} = load {type_}, ptr %place{i}")
        given.append(f"{type_} %held{i}")
    return "\n".join(
        [
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            f"define void @{native.ENTRY}(ptr %packed) nounwind {{",
            *lines,
            f"call void @llvm.memcpy.p0.p0.i64({', '.join(given[:3])}, i1 false)",
            f"call void %held3({', '.join(given[4:])})",
            "ret void",
            "}",
        ]
    )
