"""Expressions: Python evaluates them, with symbols for unknown numbers."""

from __future__ import annotations

import ast
import math
import operator
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...algebra.values import Value
from ..dual import value_of
from ..series import NoSeries, Series
from .arrays import Array, from_numpy, may_change
from .items import get_item
from .paths import Frame
from .record import Record
from .refusal import NotCompiled, not_in_the_subset
from .source import Definition
from .structure import leaves
from .symbols import Content, Memory, Symbol, is_number
from .writer import describe_kind

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
"""The function and the sign of each operator."""
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
    """A function or lambda defined within another, with its defaults."""

    def __init__(self, node: Definition, frame: Frame) -> None:
        self.node = node
        self.frame = frame
        self.defaults = tuple(evaluate(default, frame) for default in node.args.defaults)
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        self.named_defaults = {
            name.arg: evaluate(default, frame) for name, default in pairs if default is not None
        }


def evaluate(node: ast.AST, frame: Frame) -> Content:
    """Return the value of an expression in a frame."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return from_numpy(frame[node.id])
        case ast.Attribute():
            owner = evaluate(node.value, frame)
            found = getattr(type(owner), node.attr, None)
            if isinstance(found, property) and not isinstance(owner, Value | Array):
                return frame.program.call(found.fget, [owner], {})
            return from_numpy(read_attribute(owner, node.attr))
        case ast.Call():
            return _call(node, frame)
        case ast.BinOp():
            return apply_operator(
                type(node.op), evaluate(node.left, frame), evaluate(node.right, frame)
            )
        case ast.UnaryOp(op=ast.Not()):
            held = evaluate_truth(node.operand, frame)
            return held ^ True if isinstance(held, Symbol) else not held  # type: ignore[operator]
        case ast.UnaryOp():
            return apply_operator(type(node.op), evaluate(node.operand, frame))
        case ast.Compare():
            return _compared(
                evaluate(node.left, frame),
                list(zip(node.ops, node.comparators, strict=True)),
                frame,
            )
        case ast.BoolOp():
            return _first(node.values, isinstance(node.op, ast.And), frame)
        case ast.IfExp():
            held = evaluate_truth(node.test, frame)
            if not isinstance(held, Symbol):
                return evaluate(node.body if held else node.orelse, frame)
            return frame.either(
                held, lambda: evaluate(node.body, frame), lambda: evaluate(node.orelse, frame)
            )
        case ast.Tuple():
            return tuple(several(node.elts, frame))
        case ast.List():
            return list(several(node.elts, frame))
        case ast.Subscript():
            return get_item(evaluate(node.value, frame), evaluate(node.slice, frame))
        case ast.Slice():
            limits = (node.lower, node.upper, node.step)
            return slice(*(None if limit is None else evaluate(limit, frame) for limit in limits))
        case ast.Lambda():
            return Inner(node, frame)
        case ast.ListComp() | ast.GeneratorExp():
            return _comprehension(node, frame)
    raise not_in_the_subset(node)


def evaluate_truth(node: ast.AST, frame: Frame) -> Content:
    """Return whether an expression is true: a constant or a symbol."""
    return test_truth(evaluate(node, frame))


def test_truth(x: Any) -> Content:
    """Return whether a value is true: a constant or a symbol."""
    if isinstance(x, Memory | Value | Array):
        raise NotCompiled(f"a {describe_kind(x)} is neither true nor false; compare its numbers")
    return x.writer.truth(x) if isinstance(x, Symbol) else bool(x)


def read_attribute(owner: Any, name: str, *otherwise: Any) -> Content:
    """Return an attribute, as `getattr` does."""
    if isinstance(owner, Symbol | Memory):
        raise NotCompiled(f"a {describe_kind(owner)} has no {name} in compiled code")
    return getattr(owner, name, *otherwise)


def apply_operator(kind: type[ast.operator | ast.unaryop], *values: Any) -> Content:
    """Apply an operator to one value or two."""
    does, sign = OPERATORS[kind]
    try:
        return does(*values)
    except TypeError:
        group = " and ".join(f"a {describe_kind(value)}" for value in values)
        raise NotCompiled(f"{sign} has no meaning for {group}") from None


def _compared(left: Any, rest: list[tuple[ast.cmpop, ast.expr]], frame: Frame) -> Any:
    """Compile a chain of comparisons, which stops at the first that is false."""
    (how, node), *more = rest
    right = evaluate(node, frame)
    held = _comparison(type(how), left, right)
    if not more:
        return held
    if isinstance(held, Symbol):
        return frame.either(held, lambda: test_truth(_compared(right, more, frame)), lambda: False)
    return _compared(right, more, frame) if held else held


def _comparison(how: type[ast.cmpop], left: Any, right: Any) -> Any:
    if how in (ast.Is, ast.IsNot):
        if left is not None and right is not None and (_in_registers(left) or _in_registers(right)):
            raise NotCompiled(
                "`is` has no meaning for numbers and vectors in compiled code; use =="
            )
    elif how in (ast.In, ast.NotIn) and any(
        isinstance(leaf, Symbol) for leaf in (*leaves(left), *leaves(right))
    ):
        raise NotCompiled(
            "`in` needs numbers that are known while compiling; compare them one by one"
        )
    elif isinstance(left, Series) or isinstance(right, Series):
        raise NoSeries("a comparison")
    left, right = value_of(left), value_of(right)
    if (
        how not in (ast.Is, ast.IsNot, ast.In, ast.NotIn)
        and not (is_number(left) and is_number(right))
        and (_in_registers(left) or _in_registers(right))
    ):
        raise NotCompiled(
            f"a {describe_kind(left)} and a {describe_kind(right)} cannot be compared; compare their components"
        )
    return COMPARISONS[how](left, right)


def _in_registers(x: Any) -> bool:
    return (
        is_number(x)
        or isinstance(x, Value | Memory)
        or any(isinstance(leaf, Symbol) for leaf in leaves(x))
    )


def _first(nodes: list[ast.expr], every: bool, frame: Frame) -> Any:
    """Return the value of `a and b and …` or `a or b or …`: the first that decides it, or the
    last.
    """
    value = evaluate(nodes[0], frame)
    if len(nodes) == 1:
        return value
    held = test_truth(value)

    def rest() -> Content:
        return _first(nodes[1:], every, frame)

    if not isinstance(held, Symbol):
        return rest() if held is every else value
    return (
        frame.either(held, rest, lambda: value)
        if every
        else frame.either(held, lambda: value, rest)
    )


def several(nodes: list[ast.expr], frame: Frame) -> Iterator[Any]:
    """Return the values of several expressions, some of which may be starred."""
    for node in nodes:
        if isinstance(node, ast.Starred):
            yield from iterate(evaluate(node.value, frame))
        else:
            yield evaluate(node, frame)


def _comprehension(node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> list[Any]:
    """Compile a comprehension, whose own names are local to it."""
    names = {
        name.id
        for generator in node.generators
        for name in ast.walk(generator.target)
        if isinstance(name, ast.Name)
    }
    hidden = {name: frame.variables[name] for name in names if name in frame.variables}
    made = list(_comprehended(node.elt, node.generators, frame))
    frame.variables = {
        name: value for name, value in frame.variables.items() if name not in names
    } | hidden
    return made


def _comprehended(
    element: ast.expr, generators: list[ast.comprehension], frame: Frame
) -> Iterator[Any]:
    if not generators:
        yield evaluate(element, frame)
        return
    for one in iterate(evaluate(generators[0].iter, frame)):
        assign(generators[0].target, one, frame)
        held = [evaluate_truth(condition, frame) for condition in generators[0].ifs]
        if any(isinstance(condition, Symbol) for condition in held):
            raise NotCompiled("how long a comprehension becomes must be known while compiling")
        if all(held):
            yield from _comprehended(element, generators[1:], frame)


def iterate(group: Any) -> Iterator[Any]:
    """Return the items of an unrolled loop."""
    if is_number(group) or (
        isinstance(group, Record | types.FunctionType | None) and not isinstance(group, Array)
    ):
        raise NotCompiled(f"a {describe_kind(group)} cannot be gone through")
    return iter(group)


def _call(node: ast.Call, frame: Frame) -> Any:
    function = evaluate(node.func, frame)
    arguments = list(several(node.args, frame))
    named: dict[str, Any] = {}
    for keyword in node.keywords:
        given = evaluate(keyword.value, frame)
        if keyword.arg:
            named[keyword.arg] = given
        elif isinstance(given, dict):
            named |= given
        else:
            raise NotCompiled(f"a {describe_kind(given)} gives no arguments by name")
    return frame.program.call(function, arguments, named)


def assign(target: ast.expr, value: Any, frame: Frame) -> None:
    """Assign a value to a name, to the names of a tuple, or to a place in memory."""
    match target:
        case ast.Name():
            frame.variables[target.id] = value
        case ast.Tuple() | ast.List():
            _unpack(target.elts, list(iterate(value)), frame)
        case ast.Subscript():
            group = evaluate(target.value, frame)
            if isinstance(group, Array):
                change_array(target, group, evaluate(target.slice, frame), value, frame)
            else:
                check_changeable(group)[evaluate(target.slice, frame)] = value
        case ast.Attribute():
            owner = evaluate(target.value, frame)
            if owner is not frame.filled or frame.branches:
                raise NotCompiled(
                    f"{target.attr} of a {describe_kind(owner)} cannot be changed; make another"
                )
            object.__setattr__(owner, target.attr, value)
        case _:
            raise not_in_the_subset(target)


def check_array(name: str, frame: Frame) -> None:
    """Refuse to change an array to which something else may refer."""

    def is_module(name: str) -> bool:
        return frame.names.get(name) is np or frame.names.get(name) is math

    if not may_change(frame.node, name, is_module):
        raise NotCompiled(
            "an array can change in compiled code if NumPy has just made it, as np.zeros(3) does, "
            "and nothing else refers to it"
        )


def change_array(target: ast.Subscript, array: Array, at: Any, value: Any, frame: Frame) -> None:
    """Give a name the array with other numbers at an index."""
    name = target.value.id if isinstance(target.value, ast.Name) else ""
    check_array(name, frame)
    frame.variables[name] = array.replaced(at, value)


def check_changeable(group: Any) -> Memory:
    """Return memory whose numbers can change; refuse anything else."""
    if not isinstance(group, Memory):
        raise NotCompiled(f"a {describe_kind(group)} cannot be changed; make another")
    return group


def _unpack(targets: list[ast.expr], values: list[Any], frame: Frame) -> None:
    starred = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if starred and len(values) >= len(targets) - 1:
        i = starred[0]
        end = len(values) - (len(targets) - starred[0] - 1)
        values[i:end] = [values[i:end]]
    if len(values) != len(targets):
        raise NotCompiled(f"{len(values)} values cannot be unpacked to {len(targets)} names")
    for target, value in zip(targets, values, strict=True):
        assign(target.value if isinstance(target, ast.Starred) else target, value, frame)
