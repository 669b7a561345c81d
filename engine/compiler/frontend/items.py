"""Items: the number at an index of a tuple, a value or memory."""

from __future__ import annotations

import math
from typing import Any

from ...algebra.values import Value
from .record import Record
from .refusal import NotCompiled
from .structure import leaves, map_leaves, structure_of
from .symbols import REALS, Content, Memory, Symbol
from .writer import describe_kind


def get_item(group: Any, at: Any, within: bool = False) -> Content:
    """Return the item at an index; for an unknown index, look it up in a table.

    Python raises beyond the ends; here reals are nan and integers 0. `within` promises that the
    index is valid.
    """
    if isinstance(group, Value | Symbol) or (
        isinstance(group, Record) and not hasattr(group, "__getitem__")
    ):
        parts = f"; its parts are {', '.join(group.__slots__)}" if isinstance(group, Value) else ""
        raise NotCompiled(f"a {describe_kind(group)} has no [ ]{parts}")
    if isinstance(group, dict) and not isinstance(at, Symbol) and at not in group:
        raise NotCompiled(f"there is no {at!r} in the dictionary")
    if not isinstance(at, Symbol) or isinstance(group, Memory | Record):
        return group[at]
    if not isinstance(group, tuple | list) or len({structure_of(one) for one in group}) != 1:
        raise NotCompiled(f"the place in a {describe_kind(group)} must be known while compiling")
    if at.kind in REALS:
        raise NotCompiled("a place is a whole number")
    writer = at.writer
    n = len(group)
    place = at
    if not within:
        place = writer.select(writer.comparison("lt", at, 0), writer.arithmetic("add", at, n), at)
        inside = writer.arithmetic(
            "and", writer.comparison("ge", place, 0), writer.comparison("lt", place, n)
        )
        place = writer.select(inside, place, n)
        if writer.guard is not None:
            writer.guard.note(inside ^ True)  # type: ignore[operator]
    columns = zip(*map(leaves, group), strict=True)
    found = (_looked_up(column, place) for column in columns)
    return map_leaves(group[0], lambda _: next(found))


BEYOND = {"real": math.nan, "single": math.nan, "int": 0, "bool": False}
"""The value beyond the end of a table."""


def _looked_up(column: tuple[Any, ...], place: Symbol) -> Any:
    writer = place.writer
    beyond: Any = BEYOND[writer.common(column)]
    if not any(isinstance(number, Symbol) for number in column):
        kind, address = writer.table((*column, beyond))
        return Memory(writer, kind, address)[place]
    found = beyond
    for i, number in enumerate(column):
        found = writer.select(writer.comparison("eq", place, i), number, found)
    return found
