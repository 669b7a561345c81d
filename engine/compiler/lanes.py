"""Lanes: eight numbers side by side, with arithmetic number by number.

In plain Python they are eight floats. While compiling they are one vector of LLVM's for processors
whose registers hold eight numbers, and two vectors of four numbers for others. An instruction that
would make two equal vectors is written once. The numbers do not depend on the width.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .frontend.symbols import Memory, Symbol

COUNT = 8
HALF = COUNT // 2
WIDTH = 8 * COUNT
"""The bytes of eight numbers."""
Number = Any
"""A float, or a symbol while compiling."""


class Lanes:
    """Eight numbers: `content` are floats, or the names of the vectors that `writer` has
    written.
    """

    __slots__ = ("content", "writer")

    def __init__(self, content: tuple[Any, ...], writer: Any = None) -> None:
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

    @functools.cache
    def write(x: str, y: str) -> str:
        made: str = writer.emit(f"{name} {writer.flags}{writer.vector} {x}, {y}")
        return made

    return Lanes(tuple(map(write, _vectors(writer, a), _vectors(writer, b))), writer)


def _vectors(writer: Any, a: Lanes) -> tuple[str, ...]:
    """The names of the vectors, or constants."""
    if a.writer is not None:
        return a.content
    numbers = [writer.typed("real", x) for x in a.content]
    size = writer.beside
    return tuple([f"<{', '.join(numbers[i : i + size])}>" for i in range(0, COUNT, size)])


def lanes(numbers: Sequence[Number]) -> Lanes:
    """Put at most eight numbers in lanes; the others are 0."""
    numbers = [*numbers, *[0.0] * (COUNT - len(numbers))]
    writer = next((x.writer for x in numbers if isinstance(x, Symbol)), None)
    if writer is None:
        return Lanes(tuple(map(float, numbers)))
    constants = [0.0 if isinstance(x, Symbol) else float(x) for x in numbers]

    @functools.cache
    def insert(made: str, *given: str) -> str:
        for i, x in enumerate(given):
            if x:
                made = writer.emit(f"insertelement {writer.vector} {made}, {x}, i32 {i}")
        return made

    given = [writer.typed("real", x) if isinstance(x, Symbol) else "" for x in numbers]
    size = writer.beside
    vectors = _vectors(writer, Lanes(tuple(constants)))
    made = [insert(one, *given[size * k : size * (k + 1)]) for k, one in enumerate(vectors)]
    return Lanes(tuple(made), writer)


def spread(x: Number) -> Lanes:
    """Put one number in all lanes."""
    if not isinstance(x, Symbol):
        return Lanes((float(x),) * COUNT)
    one = lanes((x,))
    return choose_lanes(one, one, (0,) * COUNT)


def choose_lanes(a: Lanes, b: Lanes, which: Sequence[int]) -> Lanes:
    """Choose eight of sixteen numbers: 0 to 7 are those of a, 8 to 15 those of b."""
    writer = a.writer or b.writer
    if writer is None:
        both = (*a.content, *b.content)
        return Lanes(tuple([both[i] for i in which]))
    vectors = (*_vectors(writer, a), *_vectors(writer, b))
    size = writer.beside

    @functools.cache
    def shuffle(x: str, y: str, *mask: int) -> str:
        order = ", ".join(f"i32 {i}" for i in mask)
        operands = f"{writer.vector} {x}, {writer.vector} {y}, <{size} x i32> <{order}>"
        made: str = writer.emit(f"shufflevector {operands}")
        return made

    def gather(places: list[tuple[str, int]]) -> str:
        first, *others = dict.fromkeys([vector for vector, _ in places])
        made, known = first, [i for _, i in places]
        for other in others or [first]:  # its numbers, and those that are in place already
            mask = [
                size + i if one == other else k for k, (one, i) in zip(known, places, strict=True)
            ]
            made, known = shuffle(made, other, *mask), list(range(size))
        return made

    found = [divmod(i, size) for i in which]
    places = [(vectors[vector], i) for vector, i in found]
    return Lanes(tuple([gather(places[k : k + size]) for k in range(0, COUNT, size)]), writer)


def lane(a: Lanes, i: int) -> Number:
    """The number in a lane."""
    if a.writer is None:
        return a.content[i]
    vector, place = divmod(i, a.writer.beside)
    content = f"{a.writer.vector} {a.content[vector]}"
    return a.writer.symbol("real", f"extractelement {content}, i32 {place}")


def get_lanes(memory: Any, at: int) -> Lanes:
    """Read eight numbers from memory."""
    if not isinstance(memory, Memory):
        return Lanes(tuple(memory[at : at + COUNT]))
    writer = memory.writer
    places = [memory.place(at + i) for i in range(0, COUNT, writer.beside)]
    made = [writer.emit(f"load {writer.vector}, ptr {place}, align 8") for place in places]
    return Lanes(tuple(made), writer)


def put_lanes(memory: Any, at: int, a: Lanes) -> None:
    """Write the eight numbers to memory."""
    if a.writer is None:
        for i, x in enumerate(a.content):
            memory[at + i] = x
        return
    for k, vector in enumerate(a.content):
        place = memory.place(at + k * a.writer.beside)
        a.writer.line(f"store {a.writer.vector} {vector}, ptr {place}, align 8")


def get_twice(memory: Any, at: int) -> Lanes:
    """Read four numbers from memory, and put them in both halves."""
    if not isinstance(memory, Memory):
        return Lanes(tuple(memory[at : at + HALF]) * 2)
    writer = memory.writer
    half = writer.emit(f"load <{HALF} x double>, ptr {memory.place(at)}, align 8")
    if writer.beside == HALF:
        return Lanes((half, half), writer)
    operands = f"<{HALF} x double> {half}, <{HALF} x double> {half}"
    order = ", ".join(f"i32 {i}" for i in range(COUNT))
    return Lanes((writer.emit(f"shufflevector {operands}, <{COUNT} x i32> <{order}>"),), writer)


def write_lanes(writer: Any, a: Lanes) -> Lanes:
    """Turn constant lanes into vectors of the program, which a loop can change."""
    return Lanes(_vectors(writer, a), writer)
