"""Lanes: eight numbers in one vector register, with arithmetic number by number.

In plain Python they are eight floats. While compiling they are one vector of LLVM's, which becomes
one register of 512 bits, or several of the width that the processor has; the numbers do not depend
on it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .frontend.symbols import Memory, Symbol

COUNT = 8
WIDTH = 8 * COUNT
"""The bytes of a vector."""
VECTOR = f"<{COUNT} x double>"
Number = Any
"""A float, or a symbol while compiling."""


class Lanes:
    """Eight numbers: `content` are floats, or the name of a vector that `writer` has written."""

    __slots__ = ("content", "writer")

    def __init__(self, content: Any, writer: Any = None) -> None:
        self.content = content
        self.writer = writer

    def __add__(self, other: Lanes) -> Lanes:
        return _apply(operator.add, "fadd", self, other)

    def __sub__(self, other: Lanes) -> Lanes:
        return _apply(operator.sub, "fsub", self, other)

    def __mul__(self, other: Lanes | float) -> Lanes:
        if not isinstance(other, Lanes):
            other = spread(other)
        return _apply(operator.mul, "fmul", self, other)

    __rmul__ = __mul__

    def __neg__(self) -> Lanes:
        return -1.0 * self


def _apply(does: Callable[[float, float], float], name: str, a: Lanes, b: Lanes) -> Lanes:
    writer = a.writer or b.writer
    if writer is None:
        return Lanes(tuple(map(does, a.content, b.content)))
    operands = f"{_operand(writer, a)}, {_operand(writer, b)}"
    return Lanes(writer.emit(f"{name} {writer.flags}{VECTOR} {operands}"), writer)


def _operand(writer: Any, a: Lanes) -> str:
    if a.writer is not None:
        return str(a.content)
    return f"<{', '.join(writer.typed('real', x) for x in a.content)}>"


def lanes(numbers: Sequence[Number]) -> Lanes:
    """Put at most eight numbers in lanes; the others are 0."""
    numbers = [*numbers, *[0.0] * (COUNT - len(numbers))]
    symbols = {i: x for i, x in enumerate(numbers) if isinstance(x, Symbol)}
    made = Lanes(tuple([0.0 if i in symbols else float(x) for i, x in enumerate(numbers)]))
    for i, x in symbols.items():
        writer = x.writer
        made = Lanes(
            writer.emit(
                f"insertelement {VECTOR} {_operand(writer, made)}, {writer.typed('real', x)}, i32 {i}"
            ),
            writer,
        )
    return made


def spread(x: Number) -> Lanes:
    """Put one number in all lanes."""
    if not isinstance(x, Symbol):
        return Lanes((float(x),) * COUNT)
    return choose_lanes(lanes((x,)), lanes((x,)), (0,) * COUNT)


def choose_lanes(a: Lanes, b: Lanes, which: Sequence[int]) -> Lanes:
    """Choose eight of sixteen numbers: 0 to 7 are those of a, 8 to 15 those of b."""
    writer = a.writer or b.writer
    if writer is None:
        both = (*a.content, *b.content)
        return Lanes(tuple([both[i] for i in which]))
    mask = ", ".join(f"i32 {i}" for i in which)
    operands = f"{VECTOR} {_operand(writer, a)}, {VECTOR} {_operand(writer, b)}"
    return Lanes(writer.emit(f"shufflevector {operands}, <{COUNT} x i32> <{mask}>"), writer)


def lane(a: Lanes, i: int) -> Number:
    """The number in a lane."""
    if a.writer is None:
        return a.content[i]
    return a.writer.symbol("real", f"extractelement {VECTOR} {a.content}, i32 {i}")


def get_lanes(memory: Any, at: int) -> Lanes:
    """Read eight numbers from memory."""
    if not isinstance(memory, Memory):
        return Lanes(tuple(memory[at : at + COUNT]))
    writer = memory.writer
    return Lanes(writer.emit(f"load {VECTOR}, ptr {memory.place(at)}, align 8"), writer)


def put_lanes(memory: Any, at: int, a: Lanes) -> None:
    """Write the eight numbers to memory."""
    if a.writer is None:
        for i, x in enumerate(a.content):
            memory[at + i] = x
    else:
        a.writer.line(f"store {VECTOR} {a.content}, ptr {memory.place(at)}, align 8")


def sum_products(A: Sequence[Lanes], B: Sequence[Lanes]) -> Lanes:
    """The sum of AᵢBⱼ over i + j = n + 1 for i, j from 1 to n, the order of the last; in two sums,
    of which neither waits for the other, and with the latest at the end.
    """
    n = len(A) - 1
    pairs = sorted([(i, n + 1 - i) for i in range(1, n + 1)], key=max)
    sums = [
        functools.reduce(operator.add, [A[i] * B[j] for i, j in pairs[k::2]])
        for k in range(min(n, 2))
    ]
    return functools.reduce(operator.add, sums) if sums else spread(0.0)
