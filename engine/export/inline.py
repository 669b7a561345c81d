"""Inline a method's step: one function of a few statements, without calls to other functions of
methods.

A step calls functions that several methods share, and options that are functions. The inlined step
uses J, its inverse, `torque` and the functions of `engine.algebra`; `engine/export/program.py`
writes it as a program.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import FunctionType
from typing import Any

from .. import algebra
from ..algebra import BodyAxis, Mat3, Quat, Vec3, Weights, Zero3
from ..algebra.precision import Single
from ..algorithms.buss import polar
from ..algorithms.core import (
    CONVERGED,
    MOST_ITERATIONS,
    FixedStep,
    Method,
    angular_acceleration,
    newton,
    one_minus_spin,
    spin,
)
from ..algorithms.core.limits import clip_components
from ..algorithms.runge_kutta_entries import normalise
from ..compiler.frontend.expressions import COMPARISONS, OPERATORS

BODY = object()
"""In place of the body that a step moves."""


@dataclass(frozen=True)
class Known:
    """A value that is known before the step runs: a function, a constant, the body."""

    value: Any


Value = ast.expr | Known
"""The value of an expression; a tuple is an `ast.Tuple`, or known as a whole."""
Scope = dict[str, Value]

FORMULAS: dict[Any, tuple[str, str]] = {
    spin: ("ratios, v", "Jinv @ cross(J @ v, v)"),
    angular_acceleration: ("body, T, v", "Jinv @ (cross(J @ v, v) + T)"),
    one_minus_spin: ("ratios, k, v", "eye(3) - k * (Jinv @ (hat(J @ v) - hat(v) @ J))"),
    polar: ("ratios, v, w", "Jinv @ (cross(J @ v, w) + cross(J @ w, v)) / 2"),
    normalise: ("q", "q / norm(q)"),
    clip_components: ("v, most", "clip(v, -most, most)"),
    algebra.gyroscopic_tangent: ("J, v", "hat(v) @ J - hat(J @ v)"),
    algebra.times_exp: ("R, v", "R @ exp(v)"),
    algebra.times_cay: ("R, v", "R @ cay(v)"),
    algebra.turn: ("v", "exp(v)"),
    algebra.exp_about: ("axis, a", "exp(a * axis)"),
    algebra.cay_about: ("axis, a", "cay(a * axis)"),
}
"""Formulas of functions that compute by components; other functions of `algebra` stay calls."""
QUATERNIONS = ("Quat", "quaternion_of", "product")


class NotInlined(ValueError):
    """Raised for a step that cannot be inlined."""


@dataclass(frozen=True)
class InlinedFunction:
    """A function as statements: the names of its parameters, and the functions that it calls."""

    parameters: tuple[str, ...]
    body: tuple[ast.stmt, ...]
    calls: frozenset[str]


def find_free_names(part: InlinedFunction) -> set[str]:
    """The names that a function reads without assigning them."""
    module = ast.Module(list(part.body), [])
    return _find_names(module, ast.Load) - _find_names(module, ast.Store) - set(part.parameters)


def inline_step(method: Method) -> tuple[InlinedFunction, InlinedFunction | None]:
    """The step of a method with its options, and its start, which makes the first state; None if
    that is R and Ω.
    """
    if (
        not isinstance(method, FixedStep)
        or method.space != "so3"
        or method.composition
        or method.energy_correction
    ):
        raise NotInlined(f"{method.label} is more than one step, and cannot be inlined")
    given = method.step_arguments
    options = tuple(
        Known(option.meaning(value) if option.choices else value) for option, value in given
    )
    step = _inline_function(method.step, ("t", "h", *method.carries), options, method.single)
    if method.state.start is not None:
        return step, _inline_function(
            method.state.start, ("t", "h", "R", "Ω"), options, method.single
        )
    if method.carries == ("R", "Ω"):
        return step, None
    if method.carries == ("R", "Π"):
        first = ast.parse("return R, J @ Ω").body
        return step, InlinedFunction(("t", "h", "R", "Ω"), tuple(first), frozenset())
    raise NotInlined(f"{method.label} carries {', '.join(method.carries)}, which cannot be inlined")


@lru_cache(maxsize=128)
def _inline_function(
    function: Callable[..., Any],
    parameters: tuple[str, ...],
    options: tuple[Known, ...],
    single: bool,
) -> InlinedFunction:
    """The inlined function; callers must not change it."""
    try:
        return _Inliner(single).function(function, parameters, options)
    except NotInlined:
        raise
    except Exception as error:  # a plugin's method may have any form
        raise NotInlined(f"{function.__qualname__} cannot be inlined: {error}") from error


@cache
def _parse_function(function: Any) -> ast.FunctionDef:
    """The source of a function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    if found is None:
        raise NotInlined(f"{function.__qualname__} has no statements to inline")
    return found


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_name(name), list(arguments), [])


def _array(parts: Iterable[ast.expr]) -> ast.Call:
    return _call("array", ast.List(list(parts), ast.Load()))


def _find_names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, context)
    }


class _Inliner:
    """Inlines one function: collects its statements."""

    def __init__(self, single: bool) -> None:
        self._one = Single(1.0) if single else 1.0
        self._lines: list[ast.stmt] = []
        self._taken: set[str] = {"J", "Jinv", "torque"}
        self._bases: dict[str, str] = {}
        self._quaternions: set[str] = set()
        self._calls: set[str] = set()

    def function(
        self, function: Any, parameters: tuple[str, ...], options: Sequence[Known]
    ) -> InlinedFunction:
        """Inline a function of a body, of these parameters and of options."""
        tree = _parse_function(function)
        names = [argument.arg for argument in tree.args.args]
        scope: Scope = {name: _name(name) for name in names[1 : 1 + len(parameters)]}
        scope |= {names[0]: Known(BODY)} | dict(
            zip(names[1 + len(parameters) :], options, strict=False)
        )
        self._taken |= set(parameters)
        for argument in tree.args.args:
            self._note_quaternion(argument, argument.arg)
        result = self._inline_statements(tree.body, scope, function, outermost=True)
        self._lines.append(ast.Return(self._as_node(result)))
        lines = _tidy(self._lines, self._bases, parameters[2:])
        for line in lines:
            ast.fix_missing_locations(line)
        return InlinedFunction(parameters, tuple(lines), frozenset(self._calls))

    def _note_quaternion(self, argument: ast.arg, name: str) -> None:
        """Note that this name stands for a quaternion, if that is what the argument is."""
        if argument.annotation is not None and ast.unparse(argument.annotation) == "Quat":
            self._quaternions.add(name)

    # ------------------------------------------------------------------ statements

    def _inline_statements(
        self, body: Sequence[ast.stmt], scope: Scope, function: Any, outermost: bool = False
    ) -> Value | None:
        """Inline statements; return the value of the last."""
        for i, statement in enumerate(body):
            if isinstance(statement, ast.Expr):
                continue  # a docstring, or a note on the step's cost
            if isinstance(statement, ast.Return):
                assert statement.value is not None
                return self._evaluate(statement.value, scope, function)
            if isinstance(statement, ast.Assign):
                self._assign(
                    statement.targets[0],
                    self._evaluate(statement.value, scope, function),
                    scope,
                    outermost,
                )
            elif isinstance(statement, ast.For):
                self._inline_loop(statement, scope, function, outermost)
            elif isinstance(statement, ast.If) and "no_solution" in ast.unparse(statement):
                test = self._as_node(self._evaluate(statement.test, scope, function))
                refusal = ast.parse("raise ArithmeticError('the step has no solution')").body
                self._lines.append(ast.If(test, refusal, []))
            elif isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Return):
                return self._inline_choice(statement, body[i + 1 :], scope, function)
            else:
                raise NotInlined(
                    f"{type(statement).__name__} in {function.__qualname__} cannot be inlined"
                )
        return None

    def _inline_choice(
        self, first: ast.If, others: Sequence[ast.stmt], scope: Scope, function: Any
    ) -> Value:
        """The value of `if test: return yes`, followed by statements that return another value."""
        test = self._evaluate(first.test, scope, function)
        if isinstance(test, Known):
            return self._find_returned(first.body if test.value else others, scope, function)
        lines = len(self._lines)
        yes = self._as_node(self._find_returned(first.body, scope, function))
        no = self._as_node(self._find_returned(others, scope, function))
        if len(self._lines) > lines:
            raise NotInlined(
                f"If in {function.__qualname__} cannot be inlined, since only one of its sides may run"
            )
        return ast.IfExp(self._as_node(test), yes, no)

    def _find_returned(self, body: Sequence[ast.stmt], scope: Scope, function: Any) -> Value:
        result = self._inline_statements(body, scope, function)
        if result is None:
            raise NotInlined(f"{function.__qualname__} returns nothing")
        return result

    def _assign(self, target: ast.expr, value: Value, scope: Scope, outermost: bool) -> None:
        if isinstance(target, ast.Tuple):
            parts = self._take_apart(value)
            if outermost and not any(isinstance(part, Known | ast.Tuple) for part in parts):
                names = [self._name_target(each, outermost) for each in target.elts]
                values = [self._as_node(part) for part in parts]
                self._quaternions |= {
                    name for name, x in zip(names, values, strict=True) if self._is_quaternion(x)
                }
                self._lines.append(_make_assignment(list(zip(names, values, strict=True))))
                scope.update(
                    {
                        ast.unparse(each): _name(name)
                        for each, name in zip(target.elts, names, strict=True)
                    }
                )
                return
            for each, part in zip(target.elts, parts, strict=True):
                self._assign(each, part, scope, outermost)
            return
        assert isinstance(target, ast.Name)
        if isinstance(value, Known | ast.Tuple) or ast.unparse(value) in ("J", "Jinv"):
            scope[target.id] = value
            return
        scope[target.id] = self._assign_name(self._name_target(target, outermost), value)

    def _name_target(self, target: ast.expr, outermost: bool) -> str:
        """The name of a variable here: its own if it is free, or in the function itself."""
        assert isinstance(target, ast.Name)
        if outermost:
            self._taken.add(target.id)
            return target.id
        return self._find_free_name(target.id)

    def _find_free_name(self, base: str) -> str:
        name = base
        i = 1
        while name in self._taken:
            name = f"{base}_{i}"
            i = i + 1
        self._taken.add(name)
        if name != base:
            self._bases[name] = base
        return name

    def _assign_name(self, name: str, value: ast.expr) -> ast.Name:
        if self._is_quaternion(value):
            self._quaternions.add(name)
        self._lines.append(ast.Assign([ast.Name(name, ast.Store())], value, lineno=0))
        return _name(name)

    def _inline_loop(
        self, statement: ast.For, scope: Scope, function: Any, outermost: bool
    ) -> None:
        """Inline a loop; the variables that it changes have the same name before it."""
        changed = [
            name for name in _find_names(ast.Module(statement.body, []), ast.Store) if name in scope
        ]
        for name in changed:
            before = scope[name]
            scope[name] = self._assign_name(self._find_free_name(name), self._as_node(before))
        lines = self._lines
        self._lines = []
        inner = dict(scope)
        self._inline_statements(statement.body, inner, function, outermost)
        for name in changed:
            at = scope[name]
            last = self._lines[-1]
            assert isinstance(at, ast.Name) and isinstance(last, ast.Assign)
            last.targets = [ast.Name(at.id, ast.Store())]
        rounds = self._as_node(self._evaluate(statement.iter, scope, function))
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
            raise NotInlined(f"{value.value!r} cannot be inlined")
        if isinstance(value, ast.Tuple):
            return ast.Tuple([self._as_node(part) for part in value.elts], ast.Load())
        assert value is not None
        return copy.deepcopy(value)

    def _take_apart(self, value: Value) -> list[Value]:
        if isinstance(value, Known) and isinstance(value.value, tuple):
            return [Known(part) for part in value.value]
        if isinstance(value, ast.Tuple):
            return list(value.elts)
        raise NotInlined(f"{ast.unparse(self._as_node(value))} cannot be unpacked")

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

    def _evaluate(self, node: ast.expr, scope: Scope, function: Any) -> Value:
        """The value of an expression; its calls are inlined first."""

        def of(part: ast.expr) -> Value:
            return self._evaluate(part, scope, function)

        match node:
            case ast.Constant():
                return Known(node.value) if isinstance(node.value, int | float) else node
            case ast.Name():
                return scope[node.id] if node.id in scope else Known(_look_up(node.id, function))
            case ast.Tuple():
                return ast.Tuple([of(part) for part in node.elts], ast.Load())  # type: ignore[misc]
            case ast.Starred():
                return of(node.value)
            case ast.Attribute():
                return self._evaluate_attribute(of(node.value), node.attr)
            case ast.Subscript():
                parts = self._take_apart(of(node.value))
                i = of(node.slice)
                assert isinstance(i, Known)
                return parts[i.value]
            case ast.UnaryOp():
                operand = of(node.operand)
                if isinstance(operand, Known) and isinstance(node.op, ast.USub):
                    return Known(-operand.value)
                return ast.UnaryOp(node.op, self._as_node(operand))
            case ast.BinOp():
                return self._evaluate_arithmetic(node.op, of(node.left), of(node.right))
            case ast.Compare():
                left = of(node.left)
                others = [of(part) for part in node.comparators]
                if isinstance(left, Known) and isinstance(others[0], Known):
                    return Known(COMPARISONS[type(node.ops[0])](left.value, others[0].value))
                return ast.Compare(
                    self._as_node(left), node.ops, [self._as_node(part) for part in others]
                )
            case ast.BoolOp():
                return ast.BoolOp(node.op, [self._as_node(of(part)) for part in node.values])
            case ast.IfExp():
                chosen = of(node.test)
                if isinstance(chosen, Known):
                    return of(node.body if chosen.value else node.orelse)
                test, yes, no = (
                    self._as_node(part) for part in (chosen, of(node.body), of(node.orelse))
                )
                return ast.IfExp(test, yes, no)
            case ast.Call():
                return self._inline_call(
                    node, [of(argument) for argument in node.args], scope, function
                )
        raise NotInlined(f"{ast.unparse(node)} cannot be inlined")

    def _evaluate_attribute(self, of: Value, name: str) -> Value:
        if isinstance(of, Known):
            return _name(name) if of.value is BODY else Known(getattr(of.value, name))
        if name == "T":
            return ast.Attribute(self._as_node(of), "T", ast.Load())
        if not set(name) <= set("xyzw"):
            raise NotInlined(f".{name} cannot be inlined")
        entries = ["xyzw".index(letter) for letter in name]
        index = [ast.Constant(i) for i in entries]
        at = index[0] if len(index) == 1 else ast.Tuple(list(index), ast.Load())
        return ast.Subscript(self._as_node(of), at, ast.Load())

    def _evaluate_arithmetic(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, Known) and isinstance(right, Known):
            return Known(OPERATORS[type(op)][0](left.value, right.value))
        nothing = [
            isinstance(side, Known) and isinstance(side.value, Zero3) for side in (left, right)
        ]
        if any(nothing):
            return (
                Known(Zero3())
                if isinstance(op, ast.Mult | ast.MatMult)
                else right
                if nothing[0]
                else left
            )
        if isinstance(op, ast.Add) and all(
            isinstance(side, ast.Tuple)
            or (isinstance(side, Known) and isinstance(side.value, tuple))
            for side in (left, right)
        ):
            return ast.Tuple([*self._take_apart(left), *self._take_apart(right)], ast.Load())  # type: ignore[list-item]
        if isinstance(op, ast.Mult) and isinstance(left, Known) and left.value == 1.0:
            return right
        if isinstance(op, ast.MatMult) and self._is_quaternion(left):
            self._calls.add("product")
            return _call("product", self._as_node(left), self._as_node(right))
        return ast.BinOp(self._as_node(left), op, self._as_node(right))

    # ------------------------------------------------------------------ calls

    def _inline_call(
        self, node: ast.Call, given: list[Value], scope: Scope, function: Any
    ) -> Value:
        if isinstance(node.func, ast.Attribute):
            of = self._evaluate(node.func.value, scope, function)
            if isinstance(of, Known) and of.value is BODY and node.func.attr == "torque":
                self._calls.add("torque")
                return _call("torque", *(self._as_node(part) for part in given))
            if isinstance(of, Known) and isinstance(of.value, BodyAxis) and node.func.attr == "of":
                (v,) = given
                i = ast.Constant(of.value.index)
                at = (
                    ast.Tuple([i, i], ast.Load())
                    if ast.unparse(self._as_node(v)) in ("J", "Jinv")
                    else i
                )
                return ast.Subscript(self._as_node(v), at, ast.Load())
            raise NotInlined(f"{ast.unparse(node.func)} cannot be inlined")
        callee = self._evaluate(node.func, scope, function)
        if not isinstance(callee, Known):
            raise NotInlined(f"{ast.unparse(node)} cannot be inlined")
        pairs = list(zip(node.args, given, strict=True))
        starred = [
            self._take_apart(value) if isinstance(one, ast.Starred) else [value]
            for one, value in pairs
        ]
        return self._evaluate_call(callee.value, [value for values in starred for value in values])

    def _evaluate_call(self, called: Any, arguments: list[Value]) -> Value:
        name = getattr(called, "__name__", "")
        if called is newton:
            return self._inline_newton(arguments)
        if isinstance(called, FunctionType) and called in FORMULAS:
            parameters, formula = FORMULAS[called]
            names = [each.strip() for each in parameters.split(",")]
            tree = ast.parse(formula, mode="eval").body
            values: Scope = dict(zip(names, arguments, strict=True))
            for each in names:
                if _count_name(tree, each) > 1:
                    values[each] = self._name_value(each, values[each])
            return self._fill_formula(tree, values)
        if called is algebra.combination:
            return self._combine(arguments)
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
            return self._inline_body(called, arguments)
        if name == "sqrt" or getattr(called, "__module__", "").startswith(algebra.__name__):
            self._calls.add(name)
            if called is algebra.solve:
                arguments[0] = self._name_value("m", arguments[0])
            return _call(name, *(self._as_node(part) for part in arguments))
        raise NotInlined(f"{name or called!r} cannot be inlined")

    def _fill_formula(self, tree: ast.expr, values: Scope) -> ast.expr:
        self._calls |= {
            each.func.id
            for each in ast.walk(tree)
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
        }
        used = {
            name: self._as_node(value) for name, value in values.items() if _count_name(tree, name)
        }
        return _Filler(used).visit(copy.deepcopy(tree))

    def _combine(self, arguments: list[Value]) -> Value:
        weights, values = arguments
        assert isinstance(weights, Known) and isinstance(weights.value, Weights)
        total: Value | None = None
        for weight, part in zip(weights.value, self._take_apart(values), strict=True):
            if weight != 0.0:
                term = (
                    part
                    if weight == 1.0
                    else self._evaluate_arithmetic(ast.Mult(), _find_fraction(weight), part)
                )
                total = term if total is None else self._evaluate_arithmetic(ast.Add(), total, term)
        assert total is not None
        return total

    def _inline_body(self, called: FunctionType, arguments: list[Value]) -> Value:
        """Inline the body of a function; an argument that it reads more than once gets a name."""
        tree = _parse_function(called)
        names = [argument.arg for argument in tree.args.args]
        scope: Scope = {}
        for i, (name, value) in enumerate(zip(names, arguments, strict=False)):
            taken = sum(_count_name(statement, name) for statement in tree.body)
            simple = isinstance(value, Known | ast.Name) or taken < 2
            if isinstance(value, ast.Tuple):
                scope[name] = ast.Tuple(
                    [self._name_value(f"{name}{i + 1}", x) for i, x in enumerate(value.elts)],
                    ast.Load(),
                )
            else:
                scope[name] = value if simple else self._name_value(name, value)
            at = scope[name]
            if isinstance(at, ast.Name):
                self._note_quaternion(tree.args.args[i], at.id)
        return self._find_returned(tree.body, scope, called)

    def _name_value(self, name: str, value: Value) -> Any:
        """The value, with a name unless it is known or has one."""
        short = isinstance(value, Known | ast.Name)
        return (
            value if short else self._assign_name(self._find_free_name(name), self._as_node(value))
        )

    def _inline_newton(self, arguments: list[Value]) -> Value:
        """Inline Newton's method as a loop, which raises where it fails."""
        _, h, balance, guess, *given = arguments
        assert isinstance(balance, Known)
        called = balance.value
        tree = _parse_function(called)
        names = [argument.arg for argument in tree.args.args]
        h = self._name_value("h", h)
        given = [
            self._name_value(name, value) for name, value in zip(names[3:], given, strict=True)
        ]
        x = self._assign_name(self._find_free_name(names[2]), self._as_node(guess))
        lines = self._lines
        self._lines = []
        found = self._inline_body(called, [Known(BODY), h, x, *given])
        residual, tangent = (self._as_node(part) for part in self._take_apart(found))
        tangent = self._name_value("tangent", tangent)
        residual = self._name_value("residual", residual)
        change = self._find_free_name("change")
        self._assign_name(change, _call("solve", tangent, residual))
        self._assign_name(x.id, ast.BinOp(_name(x.id), ast.Sub(), _name(change)))
        test = ast.parse(
            f"if norm({change}) <= {CONVERGED.of(self._one)!r} * norm({x.id}):\n    break"
        ).body[0]
        self._lines.append(test)
        self._calls |= {"solve", "norm"}
        rounds = _call("range", ast.Constant(MOST_ITERATIONS))
        failed = ast.parse("raise ArithmeticError('Newton does not converge')").body
        loop = ast.For(ast.Name("_", ast.Store()), rounds, self._lines, failed, lineno=0)
        self._lines = [*lines, loop]
        return x


def _count_name(node: ast.AST, name: str) -> int:
    return sum(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _look_up(name: str, function: Callable[..., Any]) -> Any:
    """The value of a name in a function that is not one of its variables."""
    found = inspect.getclosurevars(function)
    for names in (found.nonlocals, function.__globals__, found.builtins):  # type: ignore[attr-defined]
        if name in names:
            return names[name]
    raise NotInlined(f"{name} has no value in {function.__qualname__}")


def _find_fraction(weight: float) -> Value:
    """A weight as a fraction if it is one of small numbers."""
    for below in (1, 2, 3, 4, 6, 8):
        above = round(weight * below)
        if abs(above / below - weight) < 1e-15:
            return Known(above) if below == 1 else ast.parse(f"{above} / {below}", mode="eval").body
    return Known(weight)


class _Filler(ast.NodeTransformer):
    """Replaces names by values, and drops sums and differences with zero, such as a torque that is
    zero.
    """

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.values[node.id]) if node.id in self.values else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        zero = ast.unparse(node.right) == "zeros(3)" and isinstance(node.op, ast.Add | ast.Sub)
        return node.left if zero else node


def _tidy(lines: list[ast.stmt], bases: dict[str, str], carried: Sequence[str]) -> list[ast.stmt]:
    """The lines with fewer names: those of the source where they are free, and none that is not
    read.
    """
    for name, base in bases.items():
        _reuse_name(lines, name, base)
    _name_results(lines, carried)
    for i in reversed(range(len(lines))):
        line = lines[i]
        if isinstance(line, ast.Assign):
            used = [
                (t, x)
                for t, x in _list_assignments(line)
                if t != ast.unparse(x) and _is_read(lines[i + 1 :], t)
            ]
            lines[i : i + 1] = [_make_assignment(used)] if used else []
    return lines


def _reuse_name(lines: list[ast.stmt], name: str, base: str) -> None:
    """Rename a variable to the one it is copied to, or to the name that the source has for it, if
    that is free.
    """
    at = [i for i, line in enumerate(lines) if name in _find_names(line, ast.Store)]
    if not at:
        return
    copied = next(
        (
            i
            for i, line in enumerate(lines)
            if isinstance(line, ast.Assign) and ast.unparse(line.value) == name
        ),
        None,
    )
    if copied is not None and not _is_read(lines[copied + 1 :], name):
        to = ast.unparse(lines[copied].targets[0])  # type: ignore[attr-defined]
        if not any(to in _find_names(line, ast.expr_context) for line in lines[at[0] + 1 : copied]):
            _rename(lines, name, to)
            return
    if not isinstance(lines[at[0]], ast.For) and not _is_read_beside(
        lines[at[0] + 1 :], base, name
    ):
        _rename(lines, name, base)


def _name_results(lines: list[ast.stmt], carried: Sequence[str]) -> None:
    """Give each result the name under which the method carries it, if the old value is not read any
    more.
    """
    results = lines[-1].value.elts if isinstance(lines[-1], ast.Return) else []  # type: ignore[union-attr]
    for name, value in zip(carried, results, strict=False):
        if not isinstance(value, ast.Name) or value.id in carried:
            continue
        at = next(
            (i for i, line in enumerate(lines) if value.id in _find_names(line, ast.Store)), None
        )
        if at is not None and not any(
            name in _find_names(line, ast.Load) for line in lines[at + 1 :]
        ):
            _rename(lines, value.id, name)


def _list_assignments(line: ast.Assign) -> list[tuple[str, ast.expr]]:
    """The names that a line assigns, with their values."""
    target = line.targets[0]
    value = line.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return [(ast.unparse(t), x) for t, x in zip(target.elts, value.elts, strict=True)]
    return [(ast.unparse(target), value)]


def _make_assignment(pairs: Sequence[tuple[str, ast.expr]]) -> ast.Assign:
    """A line that assigns these values to these names."""
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


def _is_read(lines: Sequence[ast.stmt], name: str) -> bool:
    """Whether the value that a name has before these lines is read in them."""
    for line in lines:
        if name in _find_names(line, ast.Load):
            return True
        if isinstance(line, ast.Assign) and name in _find_names(line, ast.Store):
            return False
    return False


def _is_read_beside(lines: Sequence[ast.stmt], base: str, name: str) -> bool:
    """Whether the old value of `base` is read, or `name` after `base` has a new one."""
    for i, line in enumerate(lines):
        if base in _find_names(line, ast.Load):
            return True
        if base in _find_names(line, ast.Store):
            return _is_read(lines[i + 1 :], name)
    return False
