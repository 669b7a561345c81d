"""Structured values: numbers combined to tuples and values, which are taken apart where paths
join.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard, TypeVar, cast

from ...algebra.values import Value
from ..dual import Dual, Number
from ..lanes import Lanes
from ..series import Series
from .record import Record
from .refusal import NotCompiled
from .symbols import Content, Memory, Symbol, is_number
from .writer import Block, Writer, describe_kind

V = TypeVar("V")
"""A structured value; what is made of it has the same structure."""


class Torn:
    """The value of a variable whose structure differs from path to path; using it is an error."""

    def __init__(self, why: str) -> None:
        self.why = why


def parts(value: Any) -> tuple[Any, ...] | None:
    """Return the parts of a value; None if it has none. Those of lanes are their vectors, which are
    unknown while compiling.
    """
    if isinstance(value, Lanes) and value.writer is not None:
        return tuple([Symbol(value.writer, "lanes", name) for name in value.content])
    if isinstance(value, Record):
        return tuple(getattr(value, name) for name in value.__slots__)
    return tuple(value) if isinstance(value, tuple | list | Value) else None


def rebuild(like: V, pieces: Iterable[Any]) -> V:
    """Return a value of the same type with other parts."""
    if isinstance(like, Lanes):
        return cast(V, Lanes(tuple([vector.name for vector in pieces]), like.writer))
    if isinstance(like, Record):
        made = object.__new__(type(like))
        for name, piece in zip(like.__slots__, pieces, strict=True):
            object.__setattr__(made, name, piece)
        return made
    if hasattr(like, "_make"):  # a named tuple
        return like._make(pieces)
    return type(like)(pieces) if isinstance(like, tuple | list) else type(like)(*pieces)


def leaves(value: Any) -> Iterator[Any]:
    """Yield the numbers and memory in a value."""
    if is_number(value) or isinstance(value, Memory):
        yield value
    for part in parts(value) or ():
        yield from leaves(part)


def has_series(value: Any) -> bool:
    """Return whether a value contains a series."""
    return isinstance(value, Series) or any(map(has_series, parts(value) or ()))


def map_leaves(value: V, change: Callable[[Any], Any]) -> V:
    """Return a value of the same structure with each number and memory changed."""
    if is_number(value) or isinstance(value, Memory):
        return change(value)
    pieces = parts(value)
    return (
        value if pieces is None else rebuild(value, [map_leaves(piece, change) for piece in pieces])
    )


def structure_of(value: Any, exactly: bool = False) -> Content:
    """Return what two values must share to replace each other; exactly: constants and kinds too."""
    if isinstance(value, Symbol):
        return value.kind if exactly else "number"
    if isinstance(value, Memory):
        start = value.start.name if isinstance(value.start, Symbol) else value.start
        return (
            "memory",
            value.kind,
            value.stride,
            value.length,
            None if exactly else (value.pointer, start),
        )
    if is_number(value):
        return repr(value) if exactly else "number"
    pieces = parts(value)
    if isinstance(value, Dual) and not exactly:
        return "number"
    if pieces is None:
        return value if isinstance(value, str | None) else id(value)
    return type(value), *(structure_of(piece, exactly) for piece in pieces)


def lift(value: Any, like: Any) -> Content:
    """Return a value with dual numbers, of derivatives 0, where `like` has them and it has
    constants or symbols.
    """
    if isinstance(like, Dual) and is_number(value):
        x, d = lift(value, like.x), tuple([lift(0.0, d) for d in like.d])
        return Dual(cast(Number, x), cast(tuple[Number, ...], d))
    ours = parts(value)
    theirs = parts(like)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return value
    return rebuild(value, [lift(one, other) for one, other in zip(ours, theirs, strict=True)])


def choose(writer: Writer, condition: Symbol, a: Any, b: Any) -> Any:
    """Return one of two structured values, number by number without a branch."""
    pieces = zip(leaves(lift(a, b)), leaves(lift(b, a)), strict=True)
    chosen = iter([writer.select(condition, one, other) for one, other in pieces])
    return map_leaves(lift(a, b), lambda _: next(chosen))


def strip(value: V) -> V:
    """Return a structured value whose numbers have no derivatives of the outer level."""
    if isinstance(value, Dual):
        return cast(V, value.x)
    pieces = parts(value)
    return value if pieces is None else rebuild(value, [strip(piece) for piece in pieces])


def merge(writer: Writer, values: list[Any], blocks: list[Block]) -> Content:
    """Return one of these values, each from its block; numbers that differ become phi nodes."""
    first = values[0]
    if all(value is first for value in values):
        return first
    if all(map(is_number, values)):
        if (
            not any(isinstance(value, Symbol) for value in values)
            and len({repr(value) for value in values}) == 1
        ):
            return first
        try:
            return _phi(writer, values, blocks)
        except NotCompiled as error:
            return Torn(f"cannot be used after paths meet: {error}")
    for like in values:
        if isinstance(like, Dual):
            values = [lift(value, like) for value in values]
    first = values[0]
    pieces = parts(first)
    if len({structure_of(value) for value in values}) == 1:
        if pieces is None:
            return first
        columns = zip(*(parts(value) or () for value in values), strict=True)
        return rebuild(first, [merge(writer, list(column), blocks) for column in columns])
    kinds = sorted({describe_kind(value) for value in values})
    return Torn(
        f"is {' or '.join(kinds) if len(kinds) > 1 else f'one {kinds[0]} or another'}, depending on the path"
    )


def _phi(writer: Writer, values: list[Any], blocks: list[Block]) -> Any:
    here = writer.block
    phi = writer.phi(writer.common(values), writer.block)
    for value, block in zip(values, blocks, strict=True):
        writer.block = block  # a conversion belongs where the number is from
        phi.incoming.append((writer.operand(phi.kind, value), block))
    writer.block = here
    return Symbol(writer, phi.kind, phi.name)


def is_function(x: Any) -> TypeGuard[types.FunctionType]:
    """Return whether this is a function written in Python."""
    return isinstance(x, types.FunctionType)
