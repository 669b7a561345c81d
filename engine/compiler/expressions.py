"""What an expression is worth: Python evaluates it, on symbols where numbers are not known."""

from __future__ import annotations

import ast
import math
import operator
import types
from collections.abc import Iterator
from typing import Any

from ..algebra.values import Value
from .paths import Frame
from .record import Record
from .refusal import NotCompiled, not_in_the_subset
from .source import Definition
from .symbols import REALS, Memory, Symbol, is_number
from .values import leaves, make, mapped
from .writer import told

OPERATORS: dict[type[ast.operator | ast.unaryop], tuple[Any, str]] = {
    ast.Add: (operator.add, "+"),
    ast.Sub: (operator.sub, "-"),
    ast.Mult: (operator.mul, "*"),
    ast.Div: (operator.truediv, "/"),
    ast.MatMult: (operator.matmul, "@"),
    ast.FloorDiv: (operator.floordiv, "//"),
    ast.Mod: (operator.mod, "%"),
    ast.Pow: (operator.pow, "**"),
    ast.BitAnd: (operator.and_, "&"),
    ast.BitOr: (operator.or_, "|"),
    ast.BitXor: (operator.xor, "^"),
    ast.LShift: (operator.lshift, "<<"),
    ast.RShift: (operator.rshift, ">>"),
    ast.UAdd: (operator.pos, "+"),
    ast.USub: (operator.neg, "-"),
    ast.Invert: (operator.invert, "~"),
}
"""What each operator does, and how it is written."""
COMPARISONS: dict[type[ast.cmpop], Any] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, group: item in group,
    ast.NotIn: lambda item, group: item not in group,
}


class Inner:
    """A function or a lambda written within another, with the defaults that it was given there."""

    def __init__(self, node: Definition, frame: Frame) -> None:
        self.node, self.frame = node, frame
        self.defaults = tuple(value_of(default, frame) for default in node.args.defaults)
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        self.named_defaults = {name.arg: value_of(default, frame) for name, default in pairs if default is not None}


def value_of(node: ast.AST, frame: Frame) -> Any:
    """What an expression is worth in a frame."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return frame[node.id]
        case ast.Attribute():
            owner = value_of(node.value, frame)
            found = getattr(type(owner), node.attr, None)
            if isinstance(found, property) and not isinstance(owner, Value):
                return frame.program.call(found.fget, [owner], {})
            return attribute(owner, node.attr)
        case ast.Call():
            return _called(node, frame)
        case ast.BinOp():
            return operated(type(node.op), value_of(node.left, frame), value_of(node.right, frame))
        case ast.UnaryOp(op=ast.Not()):
            held = truth_of(node.operand, frame)
            return held ^ True if isinstance(held, Symbol) else not held  # type: ignore[operator]
        case ast.UnaryOp():
            return operated(type(node.op), value_of(node.operand, frame))
        case ast.Compare():
            return _compared(value_of(node.left, frame), list(zip(node.ops, node.comparators, strict=True)), frame)
        case ast.BoolOp():
            return _first(node.values, isinstance(node.op, ast.And), frame)
        case ast.IfExp():
            held = truth_of(node.test, frame)
            if not isinstance(held, Symbol):
                return value_of(node.body if held else node.orelse, frame)
            return frame.either(held, lambda: value_of(node.body, frame), lambda: value_of(node.orelse, frame))
        case ast.Tuple():
            return tuple(several(node.elts, frame))
        case ast.List():
            return list(several(node.elts, frame))
        case ast.Subscript():
            return item(value_of(node.value, frame), value_of(node.slice, frame))
        case ast.Slice():
            limits = (node.lower, node.upper, node.step)
            return slice(*(None if limit is None else value_of(limit, frame) for limit in limits))
        case ast.Lambda():
            return Inner(node, frame)
        case ast.ListComp() | ast.GeneratorExp():
            return _comprehension(node, frame)
    raise not_in_the_subset(node)


def truth_of(node: ast.AST, frame: Frame) -> Any:
    """Whether an expression holds: known, or a symbol."""
    return truth(value_of(node, frame))


def truth(x: Any) -> Any:
    """Whether a value counts as true: known, or a symbol."""
    if isinstance(x, Memory | Value):
        raise NotCompiled(f"a {told(x)} is neither true nor false; compare its numbers")
    return x.writer.truth(x) if isinstance(x, Symbol) else bool(x)


def attribute(owner: Any, name: str, *otherwise: Any) -> Any:
    """What `getattr` gives."""
    if isinstance(owner, Symbol | Memory):
        raise NotCompiled(f"a {told(owner)} has no {name} in compiled code")
    return getattr(owner, name, *otherwise)


def operated(kind: type[ast.operator | ast.unaryop], *values: Any) -> Any:
    """What an operator makes of one value or of two."""
    does, sign = OPERATORS[kind]
    try:
        return does(*values)
    except TypeError:
        group = " and ".join(f"a {told(value)}" for value in values)
        raise NotCompiled(f"{sign} has no meaning for {group}") from None


def _compared(left: Any, rest: list[tuple[ast.cmpop, ast.expr]], frame: Frame) -> Any:
    """A chain of comparisons: what follows one that does not hold is not evaluated."""
    (how, node), *more = rest
    right = value_of(node, frame)
    held = _comparison(type(how), left, right)
    if not more:
        return held
    if isinstance(held, Symbol):
        return frame.either(held, lambda: truth(_compared(right, more, frame)), lambda: False)
    return _compared(right, more, frame) if held else held


def _comparison(how: type[ast.cmpop], left: Any, right: Any) -> Any:
    if how in (ast.Is, ast.IsNot):
        if left is not None and right is not None and (_in_registers(left) or _in_registers(right)):
            raise NotCompiled("`is` has no meaning for numbers and vectors in compiled code; use ==")
    elif how in (ast.In, ast.NotIn):
        if any(isinstance(leaf, Symbol) for leaf in (*leaves(left), *leaves(right))):
            raise NotCompiled("`in` needs numbers that are known while compiling; compare them one by one")
    elif not (is_number(left) and is_number(right)) and (_in_registers(left) or _in_registers(right)):
        raise NotCompiled(f"a {told(left)} and a {told(right)} cannot be compared; compare their components")
    return COMPARISONS[how](left, right)


def _in_registers(x: Any) -> bool:
    return is_number(x) or isinstance(x, Value | Memory) or any(isinstance(leaf, Symbol) for leaf in leaves(x))


def _first(nodes: list[ast.expr], every: bool, frame: Frame) -> Any:
    """The value of `a and b and …` or `a or b or …`: of the first that decides it, or of the last."""
    value = value_of(nodes[0], frame)
    if len(nodes) == 1:
        return value
    held = truth(value)

    def rest() -> Any:
        return _first(nodes[1:], every, frame)

    if not isinstance(held, Symbol):
        return rest() if held is every else value
    return frame.either(held, rest, lambda: value) if every else frame.either(held, lambda: value, rest)


def several(nodes: list[ast.expr], frame: Frame) -> Iterator[Any]:
    """The values of several expressions, of which some may be starred."""
    for node in nodes:
        if isinstance(node, ast.Starred):
            yield from value_of(node.value, frame)
        else:
            yield value_of(node, frame)


def item(group: Any, at: Any, within: bool = False) -> Any:
    """The item at a place; where that is known only when the program runs, it is looked up in a table.

    Python raises beyond its ends; there the numbers are nan, or 0 if they are whole. `within`: it never is beyond.
    """
    if isinstance(group, Value | Symbol) or (isinstance(group, Record) and not hasattr(group, "__getitem__")):
        parts = f"; its parts are {', '.join(group.__slots__)}" if isinstance(group, Value) else ""
        raise NotCompiled(f"a {told(group)} has no [ ]{parts}")
    if isinstance(group, dict) and not isinstance(at, Symbol) and at not in group:
        raise NotCompiled(f"there is no {at!r} in the dictionary")
    if not isinstance(at, Symbol) or isinstance(group, Memory):
        return group[at]
    if not isinstance(group, tuple | list) or len({make(one) for one in group}) != 1:
        raise NotCompiled(f"the place in a {told(group)} must be known while compiling")
    if at.kind in REALS:
        raise NotCompiled("a place is a whole number")
    writer, n = at.writer, len(group)
    place = at
    if not within:
        place = writer.select(writer.comparison("lt", at, 0), writer.arithmetic("add", at, n), at)
        inside = writer.arithmetic("and", writer.comparison("ge", place, 0), writer.comparison("lt", place, n))
        place = writer.select(inside, place, n)
        if writer.guard is not None:
            writer.guard.note(inside ^ True)  # type: ignore[operator]
    columns = zip(*map(leaves, group), strict=True)
    found = (_looked_up(column, place) for column in columns)
    return mapped(group[0], lambda _: next(found))


BEYOND = {"real": math.nan, "single": math.nan, "int": 0, "bool": False}
"""What stands beyond the end of a table."""


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


def _comprehension(node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> list[Any]:
    """What a comprehension gives, whose own names are gone after it."""
    names = {
        name.id for generator in node.generators for name in ast.walk(generator.target) if isinstance(name, ast.Name)
    }
    hidden = {name: frame.variables[name] for name in names if name in frame.variables}
    made = list(_comprehended(node.elt, node.generators, frame))
    frame.variables = {name: value for name, value in frame.variables.items() if name not in names} | hidden
    return made


def _comprehended(element: ast.expr, generators: list[ast.comprehension], frame: Frame) -> Iterator[Any]:
    if not generators:
        yield value_of(element, frame)
        return
    for one in items(value_of(generators[0].iter, frame)):
        assign(generators[0].target, one, frame)
        held = [truth_of(condition, frame) for condition in generators[0].ifs]
        if any(isinstance(condition, Symbol) for condition in held):
            raise NotCompiled("how long a comprehension becomes must be known while compiling")
        if all(held):
            yield from _comprehended(element, generators[1:], frame)


def items(group: Any) -> Iterator[Any]:
    """What a loop that is unrolled goes through."""
    if is_number(group) or isinstance(group, Record | types.FunctionType | None):
        raise NotCompiled(f"a {told(group)} cannot be gone through")
    return iter(group)


def _called(node: ast.Call, frame: Frame) -> Any:
    function = value_of(node.func, frame)
    arguments = list(several(node.args, frame))
    named: dict[str, Any] = {}
    for keyword in node.keywords:
        given = value_of(keyword.value, frame)
        named |= {keyword.arg: given} if keyword.arg else given
    return frame.program.call(function, arguments, named)


def assign(target: ast.expr, value: Any, frame: Frame) -> None:
    """Give a value to a name, to the names of a tuple, or to a place in memory."""
    match target:
        case ast.Name():
            frame.variables[target.id] = value
        case ast.Tuple() | ast.List():
            _unpack(target.elts, list(items(value)), frame)
        case ast.Subscript():
            changeable(value_of(target.value, frame))[value_of(target.slice, frame)] = value
        case ast.Attribute():
            owner = value_of(target.value, frame)
            if owner is not frame.filled or frame.branches:
                raise NotCompiled(f"{target.attr} of a {told(owner)} cannot be changed; make another")
            object.__setattr__(owner, target.attr, value)
        case _:
            raise not_in_the_subset(target)


def changeable(group: Any) -> Memory:
    """Memory, in which numbers can be changed."""
    if not isinstance(group, Memory):
        raise NotCompiled(f"a {told(group)} cannot be changed; make another")
    return group


def _unpack(targets: list[ast.expr], values: list[Any], frame: Frame) -> None:
    starred = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if starred and len(values) >= len(targets) - 1:
        i, end = starred[0], len(values) - (len(targets) - starred[0] - 1)
        values[i:end] = [values[i:end]]
    if len(values) != len(targets):
        raise NotCompiled(f"{len(values)} values cannot be unpacked to {len(targets)} names")
    for target, value in zip(targets, values, strict=True):
        assign(target.value if isinstance(target, ast.Starred) else target, value, frame)
