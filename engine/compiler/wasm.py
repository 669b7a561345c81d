"""LLVM's text to a WebAssembly module, which browsers and Node run.

What LLVM emits for this target is an object for a linker. It is a module already, but that it exports nothing: that
is put in here, and what only a linker reads is left out. A module has no memory and no data of its own.
"""

from __future__ import annotations

import functools
import importlib.metadata
import platform
from collections.abc import Iterator
from typing import Any

from . import native
from .meanings import C_LIBRARY, INTRINSICS, OF_TWO
from .refusal import NotCompiled

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint"
"""What browsers have had since 2021."""

EXPORTED = b"run"
"""The name under which a module's function is found."""

SUPPLIED = {"__linear_memory", "__stack_pointer", *INTRINSICS, *OF_TWO, *C_LIBRARY}
"""What a module may import of who runs it: memory, where its stack begins, and functions of the C library."""

OF_A_LINKER, IMPORTS, FUNCTIONS, EXPORTS = 0, 2, 3, 7
"""Numbers of sections of a module."""
FUNCTION, MEMORY, GLOBAL = 0, 2, 3
"""Kinds of what is imported."""


def module(text: str) -> bytes:
    """The function of a module's text, with all that it calls, as a WebAssembly module that exports it as "run"."""
    return _exporting(native.made_for(_machine(), text))


@functools.cache
def environment() -> str:
    """What else a module depends on, as `cache.environment` tells it of machine code."""
    return repr((platform.python_version(), importlib.metadata.version("llvmlite"), TRIPLE, FEATURES))


def _machine() -> Any:
    """LLVM's description of what runs WebAssembly."""
    _every_target()
    target = native.llvm().Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu="generic", features=FEATURES, opt=3, codemodel="default", reloc="static")


@functools.cache
def _every_target() -> None:
    native.llvm().initialize_all_targets()
    native.llvm().initialize_all_asmprinters()


def _exporting(code: bytes) -> bytes:
    """An object with its last function, the one that calls the others, exported."""
    made, exported = [code[:8]], False
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
    """The kinds and names in a section of imports; refused where nobody supplies them."""
    count, at = read_number(content, 0)
    found = []
    for _ in range(count):
        _, at = _name(content, at)
        name, at = _name(content, at)
        kind = content[at]
        if name not in SUPPLIED:
            raise NotCompiled(f"{name.strip('_').replace('_', ' ')} is not to be had where there is no C library")
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
    """The number and the content of each section of a module."""
    at = 8
    while at < len(code):
        size, begins = read_number(code, at + 1)
        yield code[at], code[begins : begins + size]
        at = begins + size


def read_number(code: bytes, at: int) -> tuple[int, int]:
    """The whole number at a place, seven bits in each byte, and the place behind it."""
    value = shift = 0
    while True:
        byte = code[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _name(code: bytes, at: int) -> tuple[str, int]:
    length, at = read_number(code, at)
    return code[at : at + length].decode(), at + length


def _number(value: int) -> bytes:
    """A whole number, seven bits in each byte, the lowest first."""
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _number(rest) if rest else bytes([low])


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + _number(len(content)) + content
