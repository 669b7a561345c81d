"""Symbols: numbers that are unknown until the program runs, in registers and in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from .refusal import NotCompiled

Content = object
"""What a name or an expression holds while compiling: a symbol, a constant, memory, or a value made
of them.
"""
REALS = ("real", "single", "lanes")
"""The kinds of real numbers: of 64 bits, of 32, and several of 64 side by side, one of each body."""

# `writer` is a `Writer` below, whose module imports this one.


class Symbol:
    """An unknown number: its kind ("real", "single", "int" or "bool", or "lanes", "wholes" or "mask",
    which are several side by side) and its name in LLVM IR.

    It has the arithmetic of a Python number. Each operation emits an instruction and returns a
    symbol.
    """

    __slots__ = ("kind", "name", "writer")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, writer: Any, kind: str, name: str) -> None:
        self.writer = writer
        self.kind = kind
        self.name = name

    def __bool__(self) -> bool:
        raise NotCompiled(
            "a condition is known only when the program runs, where Python needs it while compiling"
        )

    def __float__(self) -> float:
        raise NotCompiled(
            "a number is known only when the program runs, where Python needs it while compiling"
        )

    __int__ = __index__ = __float__  # type: ignore[assignment]

    def __neg__(self) -> Content:
        return self.writer.negative(self)

    def __pos__(self) -> Content:
        return self.writer.arithmetic("add", 0, self) if self.kind == "bool" else self

    def __abs__(self) -> Content:
        return self.writer.absolute(self)

    def __invert__(self) -> Content:
        if self.kind in REALS:
            raise TypeError
        return self.writer.arithmetic("xor", self, -1)


def _operator(instruction: str, compares: bool, swapped: bool) -> Callable[[Symbol, Any], Any]:
    def operate(self: Symbol, other: Any) -> Content:
        if not is_number(other):
            return NotImplemented  # a value, which knows what it is with a number
        operation = self.writer.comparison if compares else self.writer.arithmetic
        return operation(instruction, *((other, self) if swapped else (self, other)))

    return operate


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
):
    setattr(Symbol, f"__{_name}__", _operator(_name, compares=False, swapped=False))
    setattr(Symbol, f"__r{_name}__", _operator(_name, compares=False, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Symbol, f"__{_name}__", _operator(_name, compares=True, swapped=False))


def is_number(x: Any) -> bool:
    """Return whether this is a number, a constant or a symbol."""
    return isinstance(x, Symbol | float | int)


def apply(function: Callable[..., Any], *given: Any) -> Any:
    """Call a function of `math` with numbers; a power, an exponential and a logarithm take symbols
    too.
    """
    if function is math.pow:
        return given[0] ** given[1]
    if isinstance(given[0], Symbol) and function in (math.exp, math.log):
        return given[0].writer.intrinsic(function.__name__, *given)
    return function(*given)


class Memory:
    """Numbers of one kind behind a pointer, every `stride`-th from `start` on.

    A slice is a view that writes to the same memory.
    """

    __slots__ = ("kind", "length", "pointer", "start", "stride", "writer")

    def __init__(
        self,
        writer: Any,
        kind: str,
        pointer: str,
        start: Any = 0,
        stride: int = 1,
        length: int | None = None,
    ) -> None:
        self.writer = writer
        self.kind = kind
        self.pointer = pointer
        self.start = start
        self.stride = stride
        self.length = length

    def place(self, i: Any) -> str:
        """Return the name of the address of the number at this index."""
        if isinstance(i, int) and i < 0:
            i += len(self)
        return self.writer.address(self.kind, self.pointer, self.start + i * self.stride)

    def __len__(self) -> int:
        if not isinstance(self.length, int):
            raise NotCompiled("how many numbers there are is known only when the program runs")
        return self.length

    def __getitem__(self, i: Any) -> Any:
        if not isinstance(i, slice):
            return self.writer.load(self.kind, self.place(i))
        start = 0 if i.start is None else i.start
        step = 1 if i.step is None else i.step
        if any(isinstance(bound, int) and bound < 0 for bound in (start, step, i.stop)):
            raise NotCompiled("a slice of memory takes no negative places and no negative step")
        length = None if i.stop is None or step != 1 else i.stop - start
        return Memory(
            self.writer,
            self.kind,
            self.pointer,
            self.start + start * self.stride,
            self.stride * step,
            length,
        )

    def __setitem__(self, i: Any, value: Any) -> None:
        if isinstance(i, slice):
            raise NotCompiled("memory is written number by number")
        self.writer.store(self.kind, value, self.place(i))

    def __iter__(self) -> Iterator[Symbol]:
        return (self[i] for i in range(len(self)))
