"""The make of what names hold: numbers, put together to tuples and values, which are taken apart where paths meet."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard

from ..algebra.values import Value
from .record import Record
from .refusal import NotCompiled
from .symbols import Memory, Symbol, is_number
from .writer import Block, Writer, told


class Torn:
    """Stands for a variable that has another make on each path; it is an error to use it."""

    def __init__(self, why: str) -> None:
        self.why = why


def parts(value: Any) -> tuple[Any, ...] | None:
    """What a value is put together from; None if it is in one piece."""
    if isinstance(value, Record):
        return tuple(getattr(value, name) for name in value.__slots__)
    return tuple(value) if isinstance(value, tuple | list | Value) else None


def rebuilt(like: Any, pieces: Iterable[Any]) -> Any:
    """A value of the same type, put together from other parts."""
    if isinstance(like, Record):
        made = object.__new__(type(like))
        for name, piece in zip(like.__slots__, pieces, strict=True):
            object.__setattr__(made, name, piece)
        return made
    if hasattr(like, "_make"):  # a named tuple
        return like._make(pieces)
    return type(like)(pieces) if isinstance(like, tuple | list) else type(like)(*pieces)


def leaves(value: Any) -> Iterator[Any]:
    """The numbers and memory in a value."""
    if is_number(value) or isinstance(value, Memory):
        yield value
    for part in parts(value) or ():
        yield from leaves(part)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value of the same make with each number and memory changed."""
    if is_number(value) or isinstance(value, Memory):
        return change(value)
    pieces = parts(value)
    return value if pieces is None else rebuilt(value, [mapped(piece, change) for piece in pieces])


def make(value: Any, exactly: bool = False) -> Any:
    """What two values must share so that one can stand in the other's place; exactly: constants and kinds too."""
    if isinstance(value, Symbol):
        return value.kind if exactly else "number"
    if isinstance(value, Memory):
        start = value.start.name if isinstance(value.start, Symbol) else value.start
        return "memory", value.kind, value.stride, value.length, None if exactly else (value.pointer, start)
    if is_number(value):
        return repr(value) if exactly else "number"
    pieces = parts(value)
    if pieces is None:
        return value if isinstance(value, str | None) else id(value)
    return type(value), *(make(piece, exactly) for piece in pieces)


def merged(writer: Writer, values: list[Any], blocks: list[Block]) -> Any:
    """One of these values, each of which comes from its block: the numbers that differ become phis."""
    first = values[0]
    if all(value is first for value in values):
        return first
    if all(map(is_number, values)):
        if not any(isinstance(value, Symbol) for value in values) and len({repr(value) for value in values}) == 1:
            return first
        try:
            return _phi(writer, values, blocks)
        except NotCompiled as error:
            return Torn(f"cannot be used after paths meet: {error}")
    pieces = parts(first)
    if len({make(value) for value in values}) == 1:
        if pieces is None:
            return first
        columns = zip(*(parts(value) or () for value in values), strict=True)
        return rebuilt(first, [merged(writer, list(column), blocks) for column in columns])
    kinds = sorted({told(value) for value in values})
    return Torn(f"is {' or '.join(kinds) if len(kinds) > 1 else f'one {kinds[0]} or another'}, depending on the path")


def _phi(writer: Writer, values: list[Any], blocks: list[Block]) -> Any:
    here, phi = writer.block, writer.phi(writer.common(values), writer.block)
    for value, block in zip(values, blocks, strict=True):
        writer.block = block  # a conversion belongs where the number is from
        phi.incoming.append((writer.operand(phi.kind, value), block))
    writer.block = here
    return Symbol(writer, phi.kind, phi.name)


def is_function(x: Any) -> TypeGuard[types.FunctionType]:
    """Whether this is a function written in Python."""
    return isinstance(x, types.FunctionType)
