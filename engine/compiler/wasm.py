"""WebAssembly: from LLVM IR to a module for browsers and Node.

For this target LLVM emits an object for a linker, which is already a module without exports. This
adds the export and removes what only a linker reads. A module has no memory and no data of its own.
"""

from __future__ import annotations

import functools
import importlib.metadata
import platform
from collections.abc import Iterator
from typing import Any

from . import native
from .frontend.builtins import C_LIBRARY, INTRINSICS, OF_TWO
from .frontend.refusal import NotCompiled

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+simd128"
"""What a browser needs: one of 2021, or of 2023 for vectors, which only numbers in lanes use."""

REGISTER = 2
"""How many numbers a register holds."""

EXPORTED = b"run"
"""The name of a module's exported function."""

SUPPLIED = {"__linear_memory", "__stack_pointer", *INTRINSICS, *OF_TWO, *C_LIBRARY}
"""The imports of a module: memory, the start of its stack, and functions of the C library."""

OF_A_LINKER, IMPORTS, FUNCTIONS, EXPORTS = 0, 2, 3, 7
"""Numbers of a module's sections."""
FUNCTION, MEMORY, GLOBAL = 0, 2, 3
"""Kinds of imports."""


def module(text: str) -> bytes:
    """Return a WebAssembly module that exports the function of this text as "run"."""
    return _exporting(native.made_for(_machine(), text))


@functools.cache
def environment() -> str:
    """Return what else a module depends on, like `cache.environment`."""
    return repr(
        (platform.python_version(), importlib.metadata.version("llvmlite"), TRIPLE, FEATURES)
    )


def _machine() -> Any:
    """Return LLVM's description of WebAssembly."""
    _every_target()
    target = native.llvm().Target.from_triple(TRIPLE)
    return target.create_target_machine(
        cpu="generic", features=FEATURES, opt=3, codemodel="default", reloc="static"
    )


@functools.cache
def _every_target() -> None:
    native.llvm().initialize_all_targets()
    native.llvm().initialize_all_asmprinters()


def _exporting(code: bytes) -> bytes:
    """Return an object with its last function exported, which calls the others."""
    made = [code[:8]]
    exported = False
    functions = 0
    for number, content in sections(code):
        if number == OF_A_LINKER:
            continue
        if number == IMPORTS:
            functions += sum(kind == FUNCTION for kind, _ in imports(content))
        if number == FUNCTIONS:
            functions += read_number(content, 0)[0]
        if number > EXPORTS and not exported:
            entry = bytes([len(EXPORTED)]) + EXPORTED + bytes([FUNCTION]) + _number(functions - 1)
            made.append(_section(EXPORTS, _number(1) + entry))
            exported = True
        made.append(_section(number, content))
    return b"".join(made)


def imports(content: bytes) -> list[tuple[int, str]]:
    """Return the kinds and names in a section of imports; refuse unknown ones."""
    count, at = read_number(content, 0)
    found = []
    for _ in range(count):
        _, at = _name(content, at)
        name, at = _name(content, at)
        kind = content[at]
        if name not in SUPPLIED:
            raise NotCompiled(
                f"{name.strip('_').replace('_', ' ')} is not to be had where there is no C library"
            )
        if kind == FUNCTION:
            _, at = read_number(content, at + 1)
        elif kind == MEMORY:
            limits = 1 + (content[at + 1] & 1)  # the least size, and the largest if there is one
            at += 2
            for _ in range(limits):
                _, at = read_number(content, at)
        elif kind == GLOBAL:
            at += 3
        found.append((kind, name))
    return found


def sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the content of each section of a module."""
    at = 8
    while at < len(code):
        size, begins = read_number(code, at + 1)
        yield code[at], code[begins : begins + size]
        at = begins + size


def read_number(code: bytes, at: int) -> tuple[int, int]:
    """Return the LEB128 number at a place, and the place after it."""
    value = shift = 0
    while True:
        byte = code[at]
        value |= (byte & 127) << shift
        at = at + 1
        shift = shift + 7
        if byte < 128:
            return value, at


def _name(code: bytes, at: int) -> tuple[str, int]:
    length, at = read_number(code, at)
    return code[at : at + length].decode(), at + length


def _number(value: int) -> bytes:
    """Encode an integer as LEB128."""
    low = value & 127
    rest = value >> 7
    return bytes([low | 128]) + _number(rest) if rest else bytes([low])


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + _number(len(content)) + content
