"""The walk of expressions: what is known is computed, the rest becomes typed expressions."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ..compiler.frontend.expressions import COMPARISONS, OPERATORS
from .tree import (
    Assign,
    Binary,
    Call,
    Const,
    Expr,
    Function,
    If,
    Select,
    Unary,
    Unwritable,
)  # fmt: skip
from .values import as_expr, find_common, flatten, is_atomic, is_known, is_number, kind_of, rebuild
from .variables import Writing

SIGNS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip
DUNDERS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "@": "matmul"}


class Expressions(ABC):
    """Walks expressions of the function that is being written."""

    def __init__(self) -> None:
        self._writing: list[Writing] = []

    @property
    def writing(self) -> Writing:
        """The function that is being written."""
        return self._writing[-1]

    @abstractmethod
    def call(self, function: Any, arguments: Sequence[Any], hints: Sequence[str] = ()) -> Any:
        """The result of a call of a function in Python."""

    @abstractmethod
    def call_any(
        self, function: Any, given: list[Any], named: dict[str, Any], hints: Sequence[str] = ()
    ) -> Any:
        """The result of a call of anything."""

    @abstractmethod
    def find_attribute(self, of: Any, name: str) -> Any:
        """An attribute of a value."""

    def value(self, node: ast.expr, hints: Sequence[str] = ()) -> Any:
        """The value of an expression; `hints` name the variables that get its parts."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._look_up(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return tuple(self._list(parts))
            case ast.Attribute(value=of, attr=name):
                return self.find_attribute(self.value(of), name)
            case ast.Subscript(value=of, slice=at):
                return self.value(of)[self.value(at)]
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(None if x is None else self.value(x) for x in (lower, upper, step)))
            case ast.UnaryOp(op=ast.UAdd(), operand=of):
                return self.value(of)
            case ast.UnaryOp(op=(ast.USub() | ast.Not()) as op, operand=of):
                return self.negate(op, self.value(of))
            case ast.BinOp(op=op, left=left, right=right):
                return self.operate(op, self.value(left), self.value(right))
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp(op=op, values=parts):
                return self._logic(op, parts)
            case ast.IfExp():
                return self._choose(node)
            case (
                ast.ListComp(generators=[loop], elt=part)
                | ast.GeneratorExp(generators=[loop], elt=part)
            ):
                return self._comprehend(loop, part)
            case ast.Lambda():
                raise Unwritable("a function within a function cannot be written")
            case ast.Call(func=called, args=given, keywords=named):
                function = self.value(called)
                values = self._list(given)
                return self.call_any(
                    function,
                    values,
                    {one.arg: self.value(one.value) for one in named if one.arg},
                    hints,
                )
        raise Unwritable(f"{ast.unparse(node)} cannot be written")

    def _list(self, nodes: Sequence[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for one in nodes:
            found += self.value(one.value) if isinstance(one, ast.Starred) else [self.value(one)]
        return found

    def _comprehend(self, loop: ast.comprehension, part: ast.expr) -> Any:
        frame = self.writing.frame
        outer = dict(frame.variables)
        found = []
        for one in list(self.value(loop.iter)):
            for target, value in pair(loop.target, one):
                frame.variables[target] = value
            if all(self.value(test) for test in loop.ifs):
                found.append(self.value(part))
        frame.variables = outer
        return tuple(found)

    def _look_up(self, name: str) -> Any:
        frame = self.writing.frame
        if name in frame.variables:
            return frame.variables[name]
        function = frame.function
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        if name in cells:
            return cells[name].cell_contents
        for names in (function.__globals__, vars(builtins)):
            if name in names:
                return names[name]
        raise Unwritable(f"{name} in {function.__qualname__} has no value on every path")

    def negate(self, op: ast.unaryop, of: Any) -> Any:
        """The result of an operator of one operand."""
        if is_known(of):
            return not of if isinstance(op, ast.Not) else -of
        if isinstance(op, ast.Not):
            return Unary(bool, "not", of)
        if is_number(of):
            return Unary(of.type, "-", of)
        found, made = self._call_operator("-", inspect.getattr_static(of.type, "__neg__"), [of])
        return Unary(found.type, "-", found.given[0], made) if made else found

    def operate(self, op: ast.operator, left: Any, right: Any) -> Any:
        """The result of an operator of two operands."""
        does, sign = OPERATORS[type(op)]
        if isinstance(left, tuple | list) or (is_known(left) and is_known(right)):
            return does(left, right)
        if sign not in (*DUNDERS, "**"):
            raise Unwritable(f"the operator {sign} cannot be written")
        if is_number(left) and is_number(right):
            return self._of_numbers(sign, left, right)
        function = inspect.getattr_static(kind_of(left), f"__{DUNDERS[sign]}__", None)
        if is_number(left):
            function = inspect.getattr_static(kind_of(right), f"__r{DUNDERS[sign]}__")
            left, right = right, left
        if sign == "*" and right == 1.0:
            return left
        right = float(right) if type(right) is int else right
        positive = negated(right) if hasattr(kind_of(left), "__sub__") else None
        if sign == "+" and positive is not None:
            return self.operate(ast.Sub(), left, positive)
        found, made = self._call_operator(sign, function, [left, right])
        if made is None:
            return found
        left, right = found.given
        return Binary(found.type, sign, left, right, made)

    def _call_operator(
        self, sign: str, function: Any, given: list[Any]
    ) -> tuple[Any, Function | None]:
        """The result of an operator of values, and its function if that is called."""
        found = self.call(function, given)
        made = found.function if isinstance(found, Call) else None
        if not isinstance(made, Function) or made.origin is not function:
            return found, None
        made.operator = sign
        return found, made

    def _of_numbers(self, sign: str, left: Any, right: Any) -> Any:
        if bool in (kind_of(left), kind_of(right)):
            one, zero = Const(float, 1.0), Const(float, 0.0)
            left, right = (
                Select(float, x, one, zero) if kind_of(x) is bool else x for x in (left, right)
            )
        known = [None if isinstance(x, Expr) else x for x in (left, right)]
        neutral = {"+": 0.0, "-": 0.0, "*": 1.0}.get(sign, math.nan)
        if known[0] == neutral and sign != "-":
            return right
        if known[1] == neutral:
            return left
        if sign == "*" and 0.0 in known:
            return 0.0
        if sign == "+" and (positive := negated(right)) is not None:
            sign, right = "-", positive
        whole = kind_of(left) is int and kind_of(right) is int and sign != "/"
        kind = int if whole else float
        if sign == "**" and isinstance(right, int):
            base = as_expr(left, kind)
            if not is_atomic(base):
                base = self.writing.keep("base", base)
            return Binary(kind, "**", base, Const(int, right))
        return Binary(kind, sign, as_expr(left, kind), as_expr(right, kind))

    def _compare(self, node: ast.Compare) -> Any:
        values = [self.value(one) for one in (node.left, *node.comparators)]
        found: Any = None
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            of_objects = isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn)
            if of_objects or (is_known(left) and is_known(right)):
                one: Any = COMPARISONS[type(op)](left, right)
            else:
                kind = int if kind_of(left) is int and kind_of(right) is int else float
                one = Binary(bool, SIGNS[type(op)], as_expr(left, kind), as_expr(right, kind))
            found = one if found is None else self._both("and", found, one)
        return found

    def _both(self, word: str, left: Any, right: Any) -> Any:
        if is_known(left):
            return right if bool(left) is (word == "and") else left
        if is_known(right):
            return left if bool(right) is (word == "and") else right
        return Binary(bool, word, left, right)

    def _logic(self, op: ast.boolop, parts: Sequence[ast.expr]) -> Any:
        word = SIGNS[type(op)]
        found = self.value(parts[0])
        for part in parts[1:]:
            if is_known(found) and bool(found) is (word == "or"):
                return found
            found = self._both(word, found, self.value(part))
        return found

    def _choose(self, node: ast.IfExp) -> Any:
        test = self.value(node.test)
        if is_known(test):
            return self.value(node.body if test else node.orelse)
        with self.writing.block() as body:
            yes = self.value(node.body)
        with self.writing.block() as otherwise:
            no = self.value(node.orelse)
        pairs = [(x, y, find_common(x, y)) for x, y in zip(flatten(yes), flatten(no), strict=True)]
        if not body and not otherwise:
            chosen = [
                x if kind is None else Select(kind, test, as_expr(x, kind), as_expr(y, kind))
                for x, y, kind in pairs
            ]
            return rebuild(yes, chosen)
        targets = [
            self.writing.add_name("chosen", kind) for _, _, kind in pairs if kind is not None
        ]
        for block, of in ((body, 0), (otherwise, 1)):
            found = [as_expr(one[of], one[2]) for one in pairs if one[2] is not None]
            block += [Assign([target], x) for target, x in zip(targets, found, strict=True)]
        self.writing.lines.append(If(test, body, otherwise))
        unknown: Any = iter(targets)
        return rebuild(yes, [x if kind is None else next(unknown) for x, _, kind in pairs])

    def combine(self, weights: Sequence[float], values: Sequence[Any]) -> Any:
        """The weighted sum, without the terms of weight zero."""
        total: Any = None
        for weight, value in zip(weights, values, strict=True):
            if weight != 0.0:
                term = self.operate(ast.Mult(), weight, value)
                total = term if total is None else self.operate(ast.Add(), total, term)
        return total


def negated(x: Any) -> Expr | None:
    """The expression without its sign, if it has one."""
    match x:
        case Unary(op="-", of=of):
            return of
        case Binary(op="*", left=Const(value=value) as k, right=right) if value < 0:
            left = Const(k.type, -value)
            return right if value == -1.0 else Binary(x.type, "*", left, right, x.function)
    return None


def pair(target: ast.expr, value: Any) -> list[tuple[str, Any]]:
    """The names of a target with their values."""
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    assert isinstance(target, ast.Tuple)
    return [one for t, v in zip(target.elts, list(value), strict=True) for one in pair(t, v)]
