"""Values of a walk: known before the program runs, expressions of the program, and tuples of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..algebra import BodyAxis, Mat3, Vec3, Zero3
from ..algebra.values import Diag3, Quat, Value
from .tree import VALUES, Call, Const, Expr, Field, Make, Name, Unwritable, fields_of

NUMBERS = (float, int, bool)


@dataclass(frozen=True)
class Bound:
    """A method of a value or of the body."""

    function: Any
    of: Any


def flatten(value: Any) -> list[Any]:
    """The parts of nested tuples."""
    return (
        [x for part in value for x in flatten(part)] if isinstance(value, tuple | list) else [value]
    )


def rebuild(like: Any, parts: Iterable[Any]) -> Any:
    """The same value, or nested tuples, with other parts."""
    parts = iter(parts)

    def make(x: Any) -> Any:
        return tuple(make(y) for y in x) if isinstance(x, tuple | list) else next(parts)

    return make(like)


def is_known(value: Any) -> bool:
    """Whether a value is known before the program runs."""
    if isinstance(value, Bound):
        return is_known(value.of)
    return not any(isinstance(part, Expr) for part in flatten(value))


def is_number(value: Any) -> bool:
    """Whether this is a number, known or not."""
    return (value.type if isinstance(value, Expr) else type(value)) in NUMBERS


def is_atomic(value: Any) -> bool:
    """Whether an expression is a name, a number or a component of such."""
    return isinstance(value, Name | Const) or (isinstance(value, Field) and is_atomic(value.of))


def as_expr(value: Any, kind: type | None = None) -> Expr:
    """The expression of a known value; of an integer where a real number is wanted, that."""
    if isinstance(value, Expr):
        if kind is float and value.type is int:
            return (
                Const(float, float(value.value))
                if isinstance(value, Const)
                else Call(float, "float", (value,))
            )
        return value
    if isinstance(value, Zero3):
        zeros = {Mat3: 9, Diag3: 3, Quat: 4}.get(kind or Vec3, 3)
        return Make(kind or Vec3, tuple(Const(float, 0.0) for _ in range(zeros)))
    if isinstance(value, VALUES):
        kinds = fields_of(type(value)).values()
        return Make(type(value), tuple(map(as_expr, value, kinds)))
    if isinstance(value, NUMBERS):
        kind = float if kind is float and not isinstance(value, bool) else type(value)
        return Const(kind, kind(value))
    raise Unwritable(f"a {type(value).__name__} has no place in a program")


def kind_of(value: Any) -> type:
    """The type of a value, known or not."""
    return value.type if isinstance(value, Expr) else type(value)


def describe(value: Any) -> Any:
    """What tells a value from others: of an expression its type."""
    if isinstance(value, tuple | list):
        return tuple(map(describe, value))
    if isinstance(value, Expr):
        return value.type
    return (
        ("known", repr(value))
        if isinstance(value, int | float | str | Value | BodyAxis)
        else ("known", id(value))
    )


def find_common(x: Any, y: Any) -> type | None:
    """The type of one of two values; None if both are known to be the same."""
    if not isinstance(x, Expr) and not isinstance(y, Expr) and describe(x) == describe(y):
        return None
    kinds = {kind_of(x), kind_of(y)} - {Zero3}
    if kinds == {int, float}:
        return float
    if len(kinds) != 1:
        raise Unwritable("two sides of a choice differ in their types")
    return kinds.pop()
