"""A method's step as one function: what it calls of the methods' modules is written out in place.

A step is spread over functions that several methods share, and over options that are functions. Here all of it comes
to a few statements in the names of the step, on J, its inverse and `torque`, which `engine/listing.py` writes.
"""

from __future__ import annotations

import ast
import copy
import inspect
import operator
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import FunctionType
from typing import Any

from . import algebra
from .algebra import BodyAxis, Mat3, Quat, Vec3, Weights, Zero3
from .algebra.precision import Single
from .algorithms.buss import polar
from .algorithms.euler import angular_acceleration, one_minus_spin, spin
from .algorithms.method import Method
from .algorithms.newton import CONVERGED, MOST_ITERATIONS, newton
from .algorithms.runge_kutta_entries import unit

BODY = object()
"""Stands for the body that a step moves."""


@dataclass(frozen=True)
class Known:
    """A value that is known before the step is made: a function, a constant, the body."""

    value: Any


Value = ast.expr | Known
"""What an expression comes to; a tuple is an `ast.Tuple`, or known as a whole."""
Scope = dict[str, Value]

WRITTEN: dict[Any, tuple[str, str]] = {
    spin: ("ratios, v", "Jinv @ cross(J @ v, v)"),
    angular_acceleration: ("body, T, v", "Jinv @ (cross(J @ v, v) + T)"),
    one_minus_spin: ("ratios, k, v", "eye(3) - k * (Jinv @ (hat(J @ v) - hat(v) @ J))"),
    polar: ("ratios, v, w", "Jinv @ (cross(J @ v, w) + cross(J @ w, v)) / 2"),
    unit: ("q", "q / norm(q)"),
    algebra.gyroscopic_tangent: ("J, v", "hat(v) @ J - hat(J @ v)"),
    algebra.times_exp: ("R, v", "R @ exp(v)"),
    algebra.times_cay: ("R, v", "R @ cay(v)"),
    algebra.turn: ("v", "exp(v)"),
    algebra.exp_about: ("axis, a", "exp(a * axis)"),
    algebra.cay_about: ("axis, a", "cay(a * axis)"),
}
"""Functions whose arithmetic goes by components, as formulas; those of `algebra` besides stay calls."""
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {ast.Gt: operator.gt, ast.Lt: operator.lt}
QUATERNIONS = ("Quat", "quaternion_of", "product")


class NotWritten(ValueError):
    """A step, or what it calls, that cannot be written out."""


@dataclass(frozen=True)
class Unfolded:
    """A function as statements: the names of its parameters, and what it calls besides arithmetic."""

    parameters: tuple[str, ...]
    body: tuple[ast.stmt, ...]
    calls: frozenset[str]


def names_of(part: Unfolded) -> set[str]:
    """The names that a function reads and does not give values itself."""
    module = ast.Module(list(part.body), [])
    return _names(module, ast.Load) - _names(module, ast.Store) - set(part.parameters)


def unfolded(method: Method) -> tuple[Unfolded, Unfolded | None]:
    """The step of a method with its options, and how its first state is made of R and Ω if that is not R and Ω."""
    if method.step is None or method.space != "so3" or method.composition or method.energy_correction:
        raise NotWritten(f"{method.label} is more than one step, and is not written out")
    given = method.given_to_step
    options = tuple(Known(option.meaning(value) if option.choices else value) for option, value in given)
    step = _of(method.step, ("t", "h", *method.carries), options, method.single)
    if method.start is not None:
        return step, _of(method.start, ("t", "h", "R", "Ω"), options, method.single)
    if method.carries == ("R", "Ω"):
        return step, None
    if method.carries == ("R", "Π"):
        first = ast.parse("return R, J @ Ω").body
        return step, Unfolded(("t", "h", "R", "Ω"), tuple(first), frozenset())
    raise NotWritten(f"{method.label} carries {', '.join(method.carries)}, and that is not written out")


@lru_cache(maxsize=128)
def _of(
    function: Callable[..., Any], parameters: tuple[str, ...], options: tuple[Known, ...], single: bool
) -> Unfolded:
    """A function written out, which nobody changes then."""
    try:
        return _Unfolding(single).function(function, parameters, options)
    except NotWritten:
        raise
    except Exception as error:  # a method of somebody else's may be of any form
        raise NotWritten(f"{function.__qualname__} is not written out: {error}") from error


@cache
def _tree(function: Any) -> ast.FunctionDef:
    """The source of a function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    if found is None:
        raise NotWritten(f"{function.__qualname__} has no statements to be written out")
    return found


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_name(name), list(arguments), [])


def _array(parts: Iterable[ast.expr]) -> ast.Call:
    return _call("array", ast.List(list(parts), ast.Load()))


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, context)}


class _Unfolding:
    """The statements that come of one function."""

    def __init__(self, single: bool) -> None:
        self._one = Single(1.0) if single else 1.0
        self._lines: list[ast.stmt] = []
        self._taken: set[str] = {"J", "Jinv", "torque"}
        self._bases: dict[str, str] = {}
        self._quaternions: set[str] = set()
        self._calls: set[str] = set()

    def function(self, function: Any, parameters: tuple[str, ...], options: Sequence[Known]) -> Unfolded:
        """All of a function of a body, of these parameters and of options."""
        tree = _tree(function)
        names = [argument.arg for argument in tree.args.args]
        scope: Scope = {name: _name(name) for name in names[1 : 1 + len(parameters)]}
        scope |= {names[0]: Known(BODY)} | dict(zip(names[1 + len(parameters) :], options, strict=False))
        self._taken |= set(parameters)
        self._annotated(tree)
        result = self._statements(tree.body, scope, function, outermost=True)
        self._lines.append(ast.Return(self._as_node(result)))
        lines = _tidied(self._lines, self._bases, parameters[2:])
        for line in lines:
            ast.fix_missing_locations(line)
        return Unfolded(parameters, tuple(lines), frozenset(self._calls))

    def _annotated(self, tree: ast.FunctionDef) -> None:
        for argument in tree.args.args:
            if argument.annotation is not None and ast.unparse(argument.annotation) == "Quat":
                self._quaternions.add(argument.arg)

    # ------------------------------------------------------------------ statements

    def _statements(
        self, body: Sequence[ast.stmt], scope: Scope, function: Any, outermost: bool = False
    ) -> Value | None:
        """Write out statements; what the last returns."""
        for statement in body:
            if isinstance(statement, ast.Expr):
                continue  # a docstring, or what is noted of the step
            if isinstance(statement, ast.Return):
                assert statement.value is not None
                return self._value(statement.value, scope, function)
            if isinstance(statement, ast.Assign):
                self._assign(statement.targets[0], self._value(statement.value, scope, function), scope, outermost)
            elif isinstance(statement, ast.For):
                self._loop(statement, scope, function, outermost)
            elif isinstance(statement, ast.If) and "no_solution" in ast.unparse(statement):
                test = self._as_node(self._value(statement.test, scope, function))
                refusal = ast.parse("raise ArithmeticError('the step has no solution')").body
                self._lines.append(ast.If(test, refusal, []))
            else:
                raise NotWritten(f"{type(statement).__name__} in {function.__qualname__} is not written out")
        return None

    def _assign(self, target: ast.expr, value: Value, scope: Scope, outermost: bool) -> None:
        if isinstance(target, ast.Tuple):
            parts = self._parts(value)
            if outermost and not any(isinstance(part, Known | ast.Tuple) for part in parts):
                names = [self._target(each, scope, outermost) for each in target.elts]
                values = [self._as_node(part) for part in parts]
                self._quaternions |= {name for name, x in zip(names, values, strict=True) if self._is_quaternion(x)}
                targets = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
                self._lines.append(ast.Assign([targets], ast.Tuple(values, ast.Load()), lineno=0))
                scope.update({ast.unparse(each): _name(name) for each, name in zip(target.elts, names, strict=True)})
                return
            for each, part in zip(target.elts, parts, strict=True):
                self._assign(each, part, scope, outermost)
            return
        assert isinstance(target, ast.Name)
        if isinstance(value, Known | ast.Tuple) or ast.unparse(value) in ("J", "Jinv"):
            scope[target.id] = value
            return
        scope[target.id] = self._put(self._target(target, scope, outermost), value)

    def _target(self, target: ast.expr, scope: Scope, outermost: bool) -> str:
        """The name that a variable has here: its own, if that is free or if this is the function itself."""
        assert isinstance(target, ast.Name)
        if outermost:
            self._taken.add(target.id)
            return target.id
        return self._fresh(target.id)

    def _fresh(self, base: str) -> str:
        name, i = base, 1
        while name in self._taken:
            name, i = f"{base}_{i}", i + 1
        self._taken.add(name)
        if name != base:
            self._bases[name] = base
        return name

    def _put(self, name: str, value: ast.expr) -> ast.Name:
        if self._is_quaternion(value):
            self._quaternions.add(name)
        self._lines.append(ast.Assign([ast.Name(name, ast.Store())], value, lineno=0))
        return _name(name)

    def _loop(self, statement: ast.For, scope: Scope, function: Any, outermost: bool) -> None:
        """So many rounds; what they change has its name before them."""
        changed = [name for name in _names(ast.Module(statement.body, []), ast.Store) if name in scope]
        for name in changed:
            before = scope[name]
            scope[name] = self._put(self._fresh(name), self._as_node(before))
        lines, self._lines = self._lines, []
        inner = dict(scope)
        self._statements(statement.body, inner, function, outermost)
        for name in changed:
            at, last = scope[name], self._lines[-1]
            assert isinstance(at, ast.Name) and isinstance(last, ast.Assign)
            last.targets = [ast.Name(at.id, ast.Store())]
        rounds = self._as_node(self._value(statement.iter, scope, function))
        loop = ast.For(ast.Name("_", ast.Store()), rounds, self._lines, [], lineno=0)
        self._lines = [*lines, loop]

    # ------------------------------------------------------------------ expressions

    def _as_node(self, value: Value | None) -> ast.expr:
        if isinstance(value, Known):
            if isinstance(value.value, Zero3):
                return _call("zeros", ast.Constant(3))
            if isinstance(value.value, int | float | str):
                return ast.Constant(value.value)
            if isinstance(value.value, BodyAxis):
                self._calls.add("e")
                return _name(repr(value.value))
            raise NotWritten(f"{value.value!r} is not written out")
        if isinstance(value, ast.Tuple):
            return ast.Tuple([self._as_node(part) for part in value.elts], ast.Load())
        assert value is not None
        return copy.deepcopy(value)

    def _parts(self, value: Value) -> list[Value]:
        if isinstance(value, Known) and isinstance(value.value, tuple):
            return [Known(part) for part in value.value]
        if isinstance(value, ast.Tuple):
            return list(value.elts)
        raise NotWritten(f"{ast.unparse(self._as_node(value))} is not taken apart")

    def _is_quaternion(self, node: Value) -> bool:
        if isinstance(node, Known):
            return isinstance(node.value, Quat)
        if isinstance(node, ast.Name):
            return node.id in self._quaternions
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id in QUATERNIONS
        if isinstance(node, ast.BinOp):
            return self._is_quaternion(node.left) or self._is_quaternion(node.right)
        return False

    def _value(self, node: ast.expr, scope: Scope, function: Any) -> Value:
        """What an expression comes to; calls are written out before."""

        def of(part: ast.expr) -> Value:
            return self._value(part, scope, function)

        match node:
            case ast.Constant():
                return Known(node.value) if isinstance(node.value, int | float) else node
            case ast.Name():
                return scope[node.id] if node.id in scope else Known(_looked_up(node.id, function))
            case ast.Tuple():
                return ast.Tuple([of(part) for part in node.elts], ast.Load())  # type: ignore[misc]
            case ast.Starred():
                return of(node.value)
            case ast.Attribute():
                return self._attribute(of(node.value), node.attr)
            case ast.Subscript():
                at, i = self._parts(of(node.value)), of(node.slice)
                assert isinstance(i, Known)
                return at[i.value]
            case ast.UnaryOp():
                operand = of(node.operand)
                if isinstance(operand, Known) and isinstance(node.op, ast.USub):
                    return Known(-operand.value)
                return ast.UnaryOp(node.op, self._as_node(operand))
            case ast.BinOp():
                return self._arithmetic(node.op, of(node.left), of(node.right))
            case ast.Compare():
                left, others = of(node.left), [of(part) for part in node.comparators]
                if isinstance(left, Known) and isinstance(others[0], Known):
                    return Known(COMPARED[type(node.ops[0])](left.value, others[0].value))
                return ast.Compare(self._as_node(left), node.ops, [self._as_node(part) for part in others])
            case ast.BoolOp():
                return ast.BoolOp(node.op, [self._as_node(of(part)) for part in node.values])
            case ast.IfExp():
                chosen = of(node.test)
                if isinstance(chosen, Known):
                    return of(node.body if chosen.value else node.orelse)
                test, yes, no = (self._as_node(part) for part in (chosen, of(node.body), of(node.orelse)))
                return ast.IfExp(test, yes, no)
            case ast.Call():
                return self._called(node, [of(argument) for argument in node.args], scope, function)
        raise NotWritten(f"{ast.unparse(node)} is not written out")

    def _attribute(self, of: Value, name: str) -> Value:
        if isinstance(of, Known):
            return _name(name) if of.value is BODY else Known(getattr(of.value, name))
        if name == "T":
            return ast.Attribute(self._as_node(of), "T", ast.Load())
        if not set(name) <= set("xyzw"):
            raise NotWritten(f".{name} is not written out")
        entries = ["xyzw".index(letter) for letter in name]
        index = [ast.Constant(i) for i in entries]
        at = index[0] if len(index) == 1 else ast.Tuple(list(index), ast.Load())
        return ast.Subscript(self._as_node(of), at, ast.Load())

    def _arithmetic(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, Known) and isinstance(right, Known):
            return Known(ARITHMETIC[type(op)](left.value, right.value))
        nothing = [isinstance(side, Known) and isinstance(side.value, Zero3) for side in (left, right)]
        if any(nothing):
            return Known(Zero3()) if isinstance(op, ast.Mult | ast.MatMult) else right if nothing[0] else left
        if isinstance(op, ast.Add) and all(
            isinstance(side, ast.Tuple) or (isinstance(side, Known) and isinstance(side.value, tuple))
            for side in (left, right)
        ):
            return ast.Tuple([*self._parts(left), *self._parts(right)], ast.Load())  # type: ignore[list-item]
        if isinstance(op, ast.Mult) and isinstance(left, Known) and left.value == 1.0:
            return right
        if isinstance(op, ast.MatMult) and self._is_quaternion(left):
            self._calls.add("product")
            return _call("product", self._as_node(left), self._as_node(right))
        return ast.BinOp(self._as_node(left), op, self._as_node(right))

    # ------------------------------------------------------------------ calls

    def _called(self, node: ast.Call, given: list[Value], scope: Scope, function: Any) -> Value:
        if isinstance(node.func, ast.Attribute):
            of = self._value(node.func.value, scope, function)
            if isinstance(of, Known) and of.value is BODY and node.func.attr == "torque":
                self._calls.add("torque")
                return _call("torque", *(self._as_node(part) for part in given))
            if isinstance(of, Known) and isinstance(of.value, BodyAxis) and node.func.attr == "of":
                (v,) = given
                i = ast.Constant(of.value.index)
                at = ast.Tuple([i, i], ast.Load()) if ast.unparse(self._as_node(v)) in ("J", "Jinv") else i
                return ast.Subscript(self._as_node(v), at, ast.Load())
            raise NotWritten(f"{ast.unparse(node.func)} is not written out")
        callee = self._value(node.func, scope, function)
        if not isinstance(callee, Known):
            raise NotWritten(f"{ast.unparse(node)} is not written out")
        return self._call_of(callee.value, given, _spread(node, given))

    def _call_of(self, called: Any, given: list[Value], arguments: list[Value]) -> Value:
        name = getattr(called, "__name__", "")
        if called is newton:
            return self._newton(arguments)
        if isinstance(called, FunctionType) and called in WRITTEN:
            parameters, formula = WRITTEN[called]
            names = [each.strip() for each in parameters.split(",")]
            tree = ast.parse(formula, mode="eval").body
            values: Scope = dict(zip(names, arguments, strict=True))
            for each in names:
                if _count(tree, each) > 1:
                    values[each] = self._short(each, values[each])
            return self._formula(tree, values)
        if called is algebra.combination:
            return self._sum(arguments)
        if called is Zero3:
            return Known(Zero3())
        if called is Vec3:
            return _array(self._as_node(part) for part in arguments)
        if called is Mat3:
            nine = [self._as_node(part) for part in arguments]
            return _array(ast.List(nine[i : i + 3], ast.Load()) for i in (0, 3, 6))
        if called is Quat:
            w, *v = (self._as_node(part) for part in arguments)
            self._calls.add("Quat")
            return _call("Quat", *v, w)
        if called is range:
            return _call("range", *(self._as_node(part) for part in arguments))
        if isinstance(called, FunctionType) and called.__module__.startswith("engine.algorithms"):
            return self._in_place(called, arguments)
        if name == "sqrt" or getattr(called, "__module__", "").startswith(algebra.__name__):
            self._calls.add(name)
            if called is algebra.solve:
                arguments[0] = self._short("m", arguments[0])
            return _call(name, *(self._as_node(part) for part in arguments))
        raise NotWritten(f"{name or called!r} is not written out")

    def _formula(self, tree: ast.expr, values: Scope) -> ast.expr:
        self._calls |= {
            each.func.id for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
        }

        def filled(node: ast.AST) -> Any:
            if isinstance(node, ast.Name) and node.id in values:
                return self._as_node(values[node.id])
            for field, part in ast.iter_fields(node):
                if isinstance(part, ast.AST):
                    setattr(node, field, filled(part))
                elif isinstance(part, list):
                    setattr(node, field, [filled(each) for each in part])
            return node

        made = filled(copy.deepcopy(tree))
        # What takes nothing away or adds nothing is left out, such as a torque that is none.
        return _without_nothing(made)

    def _sum(self, arguments: list[Value]) -> Value:
        weights, values = arguments
        assert isinstance(weights, Known) and isinstance(weights.value, Weights)
        total: Value | None = None
        for weight, part in zip(weights.value, self._parts(values), strict=True):
            if weight != 0.0:
                term = part if weight == 1.0 else self._arithmetic(ast.Mult(), _fraction(weight), part)
                total = term if total is None else self._arithmetic(ast.Add(), total, term)
        assert total is not None
        return total

    def _in_place(self, called: FunctionType, arguments: list[Value]) -> Value:
        """Write a function out here; what it takes has a name if it is more than one."""
        tree = _tree(called)
        names = [argument.arg for argument in tree.args.args]
        scope: Scope = {}
        for i, (name, value) in enumerate(zip(names, arguments, strict=False)):
            annotation = tree.args.args[i].annotation
            taken = sum(_count(statement, name) for statement in tree.body)
            simple = isinstance(value, Known | ast.Name) or taken < 2
            if isinstance(value, ast.Tuple):
                scope[name] = ast.Tuple(
                    [self._short(f"{name}{i + 1}", x) for i, x in enumerate(value.elts)], ast.Load()
                )
            else:
                scope[name] = value if simple else self._short(name, value)
            at = scope[name]
            if annotation is not None and ast.unparse(annotation) == "Quat" and isinstance(at, ast.Name):
                self._quaternions.add(at.id)
        result = self._statements(tree.body, scope, called)
        if result is None:
            raise NotWritten(f"{called.__qualname__} returns nothing")
        return result

    def _short(self, name: str, value: Value) -> Any:
        """The value, with a name if it has none."""
        short = isinstance(value, Known | ast.Name)
        return value if short else self._put(self._fresh(name), self._as_node(value))

    def _newton(self, arguments: list[Value]) -> Value:
        """Newton's method as a loop, which ends the program where it fails."""
        _, h, balance, guess, *given = arguments
        assert isinstance(balance, Known)
        called = balance.value
        tree = _tree(called)
        names = [argument.arg for argument in tree.args.args]
        h = self._short("h", h)
        given = [self._short(name, value) for name, value in zip(names[3:], given, strict=True)]
        x = self._put(self._fresh(names[2]), self._as_node(guess))
        lines, self._lines = self._lines, []
        found = self._in_place(called, [Known(BODY), h, x, *given])
        residual, tangent = (self._as_node(part) for part in self._parts(found))
        tangent, residual = self._short("tangent", tangent), self._short("residual", residual)
        change = self._fresh("change")
        self._put(change, _call("solve", tangent, residual))
        self._put(x.id, ast.BinOp(_name(x.id), ast.Sub(), _name(change)))
        test = ast.parse(f"if norm({change}) <= {CONVERGED.of(self._one)!r} * norm({x.id}):\n    break").body[0]
        self._lines.append(test)
        self._calls |= {"solve", "norm"}
        rounds = _call("range", ast.Constant(MOST_ITERATIONS))
        failed = ast.parse("raise ArithmeticError('Newton does not converge')").body
        loop = ast.For(ast.Name("_", ast.Store()), rounds, self._lines, failed, lineno=0)
        self._lines = [*lines, loop]
        return x


def _spread(node: ast.Call, given: list[Value]) -> list[Value]:
    """The arguments, with those of a starred one in their places."""
    found: list[Value] = []
    for argument, value in zip(node.args, given, strict=True):
        if isinstance(argument, ast.Starred):
            parts = value.value if isinstance(value, Known) else value.elts  # type: ignore[attr-defined]
            found += [Known(part) for part in parts] if isinstance(value, Known) else list(parts)
        else:
            found.append(value)
    return found


def _count(node: ast.AST, name: str) -> int:
    return sum(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _looked_up(name: str, function: Callable[..., Any]) -> Any:
    """What a name means in a function, besides its own variables."""
    found = inspect.getclosurevars(function)
    for names in (found.nonlocals, function.__globals__, found.builtins):  # type: ignore[attr-defined]
        if name in names:
            return names[name]
    raise NotWritten(f"{name} is not known in {function.__qualname__}")


def _fraction(weight: float) -> Value:
    """A weight as a fraction, where it is one of small numbers."""
    for below in (1, 2, 3, 4, 6, 8):
        above = round(weight * below)
        if abs(above / below - weight) < 1e-15:
            return Known(above) if below == 1 else ast.parse(f"{above} / {below}", mode="eval").body
    return Known(weight)


def _without_nothing(node: ast.expr) -> ast.expr:
    class Left(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> Any:
            self.generic_visit(node)
            nothing = ast.unparse(node.right) == "zeros(3)"
            return node.left if nothing and isinstance(node.op, ast.Add | ast.Sub) else node

    return Left().visit(node)  # type: ignore[no-any-return]


def _tidied(lines: list[ast.stmt], bases: dict[str, str], carried: Sequence[str]) -> list[ast.stmt]:
    """The lines with fewer names: those of the source where they are free, and none that nobody reads.

    What is handed on has the name that it is carried under, if that is not read any more.
    """
    for name, base in bases.items():
        at = [i for i, line in enumerate(lines) if name in _names(line, ast.Store)]
        if not at:
            continue
        copied = next((i for i, line in enumerate(lines) if _copies(line, name)), None)
        if copied is not None and not _is_read(lines[copied + 1 :], name):
            to = ast.unparse(lines[copied].targets[0])  # type: ignore[attr-defined]
            if not any(to in _names(line, ast.expr_context) for line in lines[at[0] + 1 : copied]):
                _rename(lines, name, to)
                continue
        if not isinstance(lines[at[0]], ast.For) and not _is_read_beside(lines[at[0] + 1 :], base, name):
            _rename(lines, name, base)
    handed_on = lines[-1].value.elts if isinstance(lines[-1], ast.Return) else []  # type: ignore[union-attr]
    for name, value in zip(carried, handed_on, strict=False):
        made = [
            i for i, line in enumerate(lines) if isinstance(value, ast.Name) and value.id in _names(line, ast.Store)
        ]
        if (
            made
            and value.id not in carried
            and not any(name in _names(line, ast.Load) for line in lines[made[0] + 1 :])
        ):
            _rename(lines, value.id, name)
    for i in reversed(range(len(lines))):
        line = lines[i]
        if isinstance(line, ast.Assign):
            pairs = [(t, x) for t, x in _pairs(line) if t != ast.unparse(x) and _is_read(lines[i + 1 :], t)]
            lines[i : i + 1] = [_assigning(pairs)] if pairs else []
    return lines


def _pairs(line: ast.Assign) -> list[tuple[str, ast.expr]]:
    """The names that a line gives values."""
    target, value = line.targets[0], line.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return [(ast.unparse(t), x) for t, x in zip(target.elts, value.elts, strict=True)]
    return [(ast.unparse(target), value)]


def _assigning(pairs: Sequence[tuple[str, ast.expr]]) -> ast.Assign:
    """The line that gives these names these values."""
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name, _ in pairs]
    values = [value for _, value in pairs]
    if len(pairs) == 1:
        return ast.Assign(targets, values[0], lineno=0)
    return ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(values, ast.Load()), lineno=0)


def _rename(lines: list[ast.stmt], name: str, to: str) -> None:
    for line in lines:
        for each in ast.walk(line):
            if isinstance(each, ast.Name) and each.id == name:
                each.id = to


def _copies(line: ast.stmt, name: str) -> bool:
    """Whether a line gives a name the value of another."""
    return isinstance(line, ast.Assign) and isinstance(line.value, ast.Name) and line.value.id == name


def _is_read(lines: Sequence[ast.stmt], name: str) -> bool:
    """Whether the value that a name has before these lines is read in them."""
    for line in lines:
        if name in _names(line, ast.Load):
            return True
        if isinstance(line, ast.Assign) and name in _names(line, ast.Store):
            return False
    return False


def _is_read_beside(lines: Sequence[ast.stmt], base: str, name: str) -> bool:
    """Whether a name's value from before is read, or `name` after the other has a new one."""
    for i, line in enumerate(lines):
        if base in _names(line, ast.Load):
            return True
        if base in _names(line, ast.Store):
            return _is_read(lines[i + 1 :], name)
    return False
