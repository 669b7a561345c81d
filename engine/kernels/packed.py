"""Calls of a kernel whose arguments stand in one block of memory, packed once.

ctypes converts the arguments of a function one by one at each call. A function in machine code that
takes the address of the block and calls the kernel with what stands there takes a quarter of that
time.
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
LAYOUT = struct.Struct("q" + "".join("d" if kind == "real" else "q" for kind in SIGNATURE))
"""The kernel's address and its arguments, eight bytes each."""


def pack_call(advance: Advance, *arguments: float) -> Any:
    """The block of memory for a compiled kernel and its arguments, addresses and numbers."""
    kernel = ctypes.cast(advance, ctypes.c_void_p).value  # type: ignore[arg-type]
    return ctypes.create_string_buffer(LAYOUT.pack(kernel, *arguments), LAYOUT.size)


@functools.cache
def find_caller() -> Callable[[int], None]:
    """The function that calls a kernel, of the address of the block; it runs without the GIL."""
    key = fingerprint([write_caller], "packed", cache.environment())
    place = address(key, lambda: native.object_code(write_caller()))
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(place)


def write_caller() -> str:
    """The function in LLVM IR."""
    lines = []
    given = []
    for i, kind in enumerate(("kernel*", *SIGNATURE)):
        type_ = TYPES.get(kind, "ptr")
        lines.append(f"%place{i} = getelementptr i64, ptr %packed, i64 {i}")
        lines.append(f"%held{i} = load {type_}, ptr %place{i}")
        given.append(f"{type_} %held{i}")
    return "\n".join(
        [
            f"define void @{native.ENTRY}(ptr %packed) nounwind {{",
            *lines,
            f"call void %held0({', '.join(given[1:])})",
            "ret void",
            "}",
        ]
    )
