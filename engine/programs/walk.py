"""The walk of a method's functions: from their source, with the options known, to a typed syntax tree.

What is known before the program runs, such as options, coefficients and the functions that they
choose, is computed here; the rest becomes statements and typed expressions. Functions of methods are
written in place of their calls, except those that compute by components or return early; functions
of `engine.algebra` stay functions.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import types
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ..algebra import BodyAxis, Mat3, Vec3, Zero3, combination, exp, times_cay, times_exp, turn
from ..algebra.precision import ByPrecision
from ..algebra.rotations import cay
from ..algebra.values import AxisRot, Value
from ..algorithms.core.newton import follow_path
from ..compiler.frontend.compilation import bind_arguments
from ..compiler.frontend.source import definition
from ..kernels.one_body import BodyInField
from .statements import Statements
from .tidy import find_free, find_stem, name_results, tidy
from .tree import (
    UNNAMED,
    Assign,
    Body,
    Call,
    Const,
    Expr,
    Field,
    Function,
    Make,
    Name,
    Note,
    Return,
    Unary,
    Unwritable,
    all_expressions,
    all_statements,
    fields_of,
    get_field,
    summarise,
)  # fmt: skip
from .values import Bound, as_expr, describe, flatten, is_atomic, is_known, kind_of, rebuild
from .variables import Frame, Writing, name_parts

DEEPEST = 40
LONG = 3
"""Statements of a function that stays one."""
MOST_PASSED = 8
"""Values that a function takes or returns that stays one."""
MATH = {
    getattr(math, name): name
    for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "floor")
} | {abs: "abs", min: "min", max: "max"}
"""Functions of numbers that every language has."""
NAMES = {
    "__add__": "add", "__sub__": "subtract", "__mul__": "scale", "__truediv__": "divide",
    "__matmul__": "multiply", "__neg__": "negate", "T": "transpose", "inv": "inverse",
}  # fmt: skip
"""What the operators and properties of values are called in programs."""


def multiply_by_exp(R: Mat3, v: Vec3) -> Mat3:
    """R exp(v)."""
    return R @ exp(v)


def multiply_by_cay(R: Mat3, v: Vec3) -> Mat3:
    """R cay(v)."""
    return R @ cay(v)


def find_none(*_: Any) -> Vec3:
    """No solution."""
    return Vec3(math.nan, math.nan, math.nan)


def count_nothing(*_: Any) -> None:
    """What stands for the counts of a run, which programs do not have."""


INSTEAD: dict[Any, Callable[..., Any]] = {
    turn: exp,
    times_exp: multiply_by_exp,
    times_cay: multiply_by_cay,
    follow_path: find_none,
}
"""What stands for functions: shorter ones with the same results; and no solution for that which follows a
path where Newton's method fails.
"""


@dataclass(frozen=True)
class OwnTorque:
    """What the user fills in, and whether the torque depends on Ω."""

    of_velocity: bool
    own_axes = False
    by_pointer = False
    tangent = None


class Named(NamedTuple):
    """The name of a function that stays one, of its results, and what it does."""

    name: str
    results: tuple[str, ...] = ()
    doc: str = ""


class Written(NamedTuple):
    """A function of the program that is written from one in Python.

    Attributes
    ----------
    result : its result in Python, with names in the places of what is unknown.
    takes : which of the parts of the arguments it takes.
    inline : whether it is written in place of its calls.
    """

    function: Function
    result: Any
    takes: list[int]
    inline: bool


class Walker(Statements):
    """Writes functions of methods, each once for arguments of the same types and known values."""

    def __init__(
        self,
        single: bool,
        body: OwnTorque,
        held: bool,
        given: Mapping[str, Callable[..., Any]],
        names: Mapping[Any, Named] | None = None,
    ) -> None:
        super().__init__()
        self.single = single
        self.functions: list[Function] = []
        self._field = body
        self._held = held
        self._given = given
        self._names = names or {}
        self._written: dict[Any, Written] = {}
        self._keep: list[Any] = []
        self._own: dict[str, Written] = {}

    # ------------------------------------------------------------------ functions

    def write(self, function: Any, arguments: Sequence[Any], name: str = "") -> Written:
        """Write a function for such arguments. With a name, it returns all of its results, known or
        not.
        """
        key = function, describe(tuple(arguments)), name
        if key not in self._written:
            self._keep.append(arguments)
            if len(self._writing) > DEEPEST:
                raise Unwritable(f"{function.__qualname__} calls itself too often")
            self._written[key] = self._write(function, arguments, name)
        return self._written[key]

    def _write(self, function: Any, arguments: Sequence[Any], name: str) -> Written:
        writing = Writing()
        self._writing.append(writing)
        bound = self._bind(function, arguments)
        parameters: list[Name] = []
        variables: dict[str, Any] = {}
        frame = Frame(function, variables)
        further = name_further(function, arguments)
        for key, value in bound.items():
            known = further.get(key, ())
            names = [*known, *name_parts(key, value)[len(known) :]]
            parts = [
                writing.add_name(base, x.type) if isinstance(x, Expr) else x
                for base, x in zip(names, flatten(value), strict=False)
            ]
            parameters += [x for x in parts if isinstance(x, Name)]
            variables[key] = rebuild(value, parts)
        writing.frames.append(frame)
        self.walk(function)
        self._writing.pop()
        named = self._names.get(function, Named(name))
        made = Function(
            named.name or self._name_function(function, arguments),
            parameters,
            doc=named.doc or summarise(function),
            origin=function,
        )
        template = self._unify(frame, made, whole=bool(named.name))
        made.body = writing.lines
        if not frame.results:
            raise Unwritable(f"{function.__qualname__} returns nothing")
        takes = tidy(made)
        kinds = [one.type for one in made.parameters]
        if function.__name__ == "__mul__" and kinds[1:] == [float]:
            made.parameters.reverse()  # numbers come first
            takes.reverse()
        if named.results:
            made.result_names = [*named.results]
            name_results(made, named.results)
        nested = any(isinstance(one, tuple | list) for one in arguments)
        return Written(made, template, takes, goes_inline(made, template, nested))

    def _name_function(self, function: Any, arguments: Sequence[Any]) -> str:
        """Its name, with the values of an operator, or with the body axis that it is for."""
        name = function.__name__.strip("<>")
        of = [repr(one) for one in arguments if isinstance(one, BodyAxis)]
        if name.startswith("__"):
            kinds = dict.fromkeys(map(kind_of, arguments))
            of = [kind.__name__.lower() for kind in kinds if kind not in (float, int)]
        return "_".join([NAMES.get(name, name), *of])

    def _unify(self, frame: Frame, made: Function, whole: bool) -> Any:
        """Note the types of the results; return the result with its unknown parts as names."""
        shapes = [flatten(value) for value, _ in frame.results]
        if len({len(shape) for shape in shapes}) > 1:
            raise Unwritable(f"{made.name} returns now more and now less")
        template: list[Any] = []
        kept: list[int] = []
        for i, column in enumerate(zip(*shapes, strict=True)):
            known = all(not isinstance(x, Expr) for x in column)
            if not whole and known and len({describe(x) for x in column}) == 1:
                template.append(column[0])
                continue
            kinds = {kind_of(x) for x in column} - {Zero3} or {Vec3}
            kind = float if kinds == {float, int} else kinds.pop() if len(kinds) == 1 else None
            if kind is None:
                raise Unwritable(f"{made.name} returns one thing or another")
            named = next((find_stem(x.name) for x in column if isinstance(x, Name)), UNNAMED)
            template.append(Name(kind, named))
            made.results.append(kind)
            made.result_names.append(named)
            kept.append(i)
        for shape, (_, statement) in zip(shapes, frame.results, strict=True):
            if statement is not None:
                statement.values = [
                    as_expr(shape[i], kind) for i, kind in zip(kept, made.results, strict=True)
                ]
        return rebuild(frame.results[0][0], template)

    def call(self, function: Any, arguments: Sequence[Any], hints: Sequence[str] = ()) -> Any:
        """The result of a call."""
        function = INSTEAD.get(function, function)
        if function is combination:
            return self.combine(*arguments)
        arguments = [
            as_expr(one) if isinstance(one, Value) and not isinstance(one, Zero3 | AxisRot) else one
            for one in arguments
        ]
        of_algebra = function.__module__.startswith("engine.algebra")
        nested = any(isinstance(one, tuple | list) for one in arguments)
        if of_algebra and not nested:
            arguments = [
                as_expr(one, float) if isinstance(one, float) else one for one in arguments
            ]
        made, template, takes, inline = self.write(function, arguments)
        if inline and function not in self._names:
            return self._walk_inline(function, arguments)
        if made not in self.functions:
            if function not in self._names:
                taken = {*TOP_LEVEL, *OWN, *(one.name for one in self.functions)}
                made.name = find_free(made.name, taken)
            self.functions.append(made)
        if not made.results:
            return template
        given = [x for x in flatten(list(arguments)) if isinstance(x, Expr)]
        parts = tuple(as_expr(given[i], made.parameters[n].type) for n, i in enumerate(takes))
        value = Call(made.results[0], made, parts)
        found: list[Expr] = [value]
        if len(made.results) > 1:
            names = made.result_names
            if len(hints) == len(names):
                made.result_names = [
                    h if n == UNNAMED else n for n, h in zip(names, hints, strict=True)
                ]
                names = [*hints]
            targets = list(map(self.writing.add_name, names, made.results))
            self.writing.lines.append(Assign([*targets], value))
            found = [*targets]
        unknown = iter(found)
        return rebuild(
            template, [next(unknown) if isinstance(x, Name) else x for x in flatten(template)]
        )

    def _walk_inline(self, function: Any, arguments: Sequence[Any]) -> Any:
        frame = Frame(function, {}, inline=True)
        self.writing.frames.append(frame)
        often = find_used_often(function)
        for key, value in self._bind(function, arguments).items():
            frame.variables[key] = value
            short = all(is_atomic(x) for x in flatten(value) if isinstance(x, Expr))
            if key in often and not short:
                self.writing.assign(key, value)
        self.walk(function)
        self.writing.frames.pop()
        return frame.results[0][0]

    def _bind(
        self, function: Any, arguments: Sequence[Any], named: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The values of the parameters of a function, in their order."""
        takes = definition(function).args
        if named and takes.vararg is not None:
            raise Unwritable(f"{function.__name__} takes further arguments and some by name")
        bound = bind_arguments(takes, function.__defaults__ or (), {}, arguments, dict(named or {}))
        return {name: bound[name] for name in function.__code__.co_varnames if name in bound}

    # ------------------------------------------------------------------ what functions use

    def find_attribute(self, of: Any, name: str) -> Any:
        """An attribute of a value."""
        if not isinstance(of, Expr):
            return getattr(of, name)
        if of.type is Body:
            return self._of_body(of, name)
        found = inspect.getattr_static(of.type, name, None)
        if isinstance(found, property):
            return self.call(found.fget, [of])
        if isinstance(found, types.FunctionType):
            return Bound(found, of)
        return get_field(of, name)

    def _of_body(self, body: Expr, name: str) -> Any:
        if name in ("count_newton", "not_found", "no_solution", "count_uncorrected"):
            return partial(count_nothing)
        if name == "held" and not self._held:
            return None
        if name in fields_of(Body):
            return get_field(body, name)
        if name == "field":
            return self._field
        if name == "has_potential":
            return not self._held
        if name == "applied":
            return partial(self._call_own, "torque")
        if name in ("rate", "increment"):
            return partial(self._call_own, name)
        if name in OWN and not (self._held and name != "potential"):
            return partial(self._call_own, name)
        found = inspect.getattr_static(BodyInField, name, None)
        if not isinstance(found, types.FunctionType):
            raise Unwritable(f"it uses the body's {name}, which a program does not have")
        return Bound(found, body)

    def _call_own(self, name: str, *given: Any) -> Expr:
        """A call of a function that the user fills in."""
        kinds, result, doc = OWN[name]
        if name == "torque":
            kinds = kinds[: 3 if self._field.of_velocity else 2]
            given = (*given, Zero3())[: len(kinds)]
        if name not in self._own:
            parameters = [Name(kind, each) for each, kind in kinds]
            zero = as_expr(Zero3() if result is Vec3 else 0.0)
            empty = Function(name, parameters, [result], ["T"], [Return([zero])], doc, own=True)
            self._own[name] = (
                self.write(self._given[name], parameters, name)
                if name in self._given
                else Written(empty, zero, list(range(len(kinds))), inline=False)
            )
            self.functions.append(self._own[name].function)
        made, _, takes, _ = self._own[name]
        return Call(result, made, tuple(as_expr(given[i], kinds[i][1]) for i in takes))

    def call_any(
        self, function: Any, given: list[Any], named: dict[str, Any], hints: Sequence[str] = ()
    ) -> Any:
        """The result of a call of anything."""
        if isinstance(function, Bound):
            function, given = function.function, [function.of, *given]
        if isinstance(function, partial):
            return function(*given)
        if isinstance(function, types.MethodType):
            if isinstance(function.__self__, ByPrecision):
                return function.__self__.single if self.single else function.__self__.double
            function, given = function.__func__, [function.__self__, *given]
        if function is isinstance:
            return issubclass(kind_of(given[0]), given[1])
        if function is type:
            return kind_of(given[0])
        if isinstance(function, type) and issubclass(function, AxisRot):
            return self._matrix_of(function, given)
        if function in (tuple, list, zip, enumerate, len, reversed, sum):
            return function(*given, **named)
        if all(is_known(one) for one in given) and (
            function in MATH or not isinstance(function, types.FunctionType) or not given
        ):
            return function(*given, **named)
        if isinstance(function, type) and issubclass(function, Value):
            return Make(
                function,
                tuple(
                    as_expr(x, kind)
                    for x, kind in zip(given, fields_of(function).values(), strict=True)
                ),
            )
        if function in MATH:
            whole = all(kind_of(x) is int for x in given)
            kind = int if whole and function in (abs, min, max) else float
            return Call(kind, MATH[function], tuple(as_expr(x, kind) for x in given))
        if function in (float, int):
            return Call(function, function.__name__, (as_expr(given[0]),))
        if isinstance(function, types.FunctionType):
            if all(is_known(one) for one in given) and not any(
                isinstance(one, Body) for one in given
            ):
                return function(*given, **named)
            if named:
                given = [*self._bind(function, given, named).values()]
            return self.call(function, given, hints)
        raise Unwritable(f"{getattr(function, '__name__', function)} cannot be written")

    def _matrix_of(self, kind: type[AxisRot], given: list[Any]) -> Expr:
        """A turn about an axis as a matrix."""
        c, s = given
        a, b, o, u = as_expr(c, float), as_expr(s, float), Const(float, 0.0), Const(float, 1.0)
        n = as_expr(self.negate(ast.USub(), s), float)
        rows = {
            "TurnX": (u, o, o, o, a, n, o, b, a),
            "TurnY": (a, o, b, o, u, o, n, o, a),
            "TurnZ": (a, n, o, b, a, o, o, o, u),
        }
        return Make(Mat3, rows[kind.__name__])


TOP_LEVEL = ("start", "step", "frame", "main")
"""The names of functions that an example calls."""
OWN: dict[str, tuple[tuple[tuple[str, type], ...], type, str]] = {
    "torque": ((("t", float), ("R", Mat3), ("Ω", Vec3)), Vec3, "The torque in the body's axes; yours goes here."),
    "torque_rate": ((("t", float), ("R", Mat3), ("Ω", Vec3)), Vec3,
        "The rate of the torque in space, seen from the body; yours goes here."),
    "torque_rate2": (
        (("t", float), ("R", Mat3), ("Ω", Vec3), ("A", Vec3)), Vec3,
        "The second rate of the torque in space, seen from the body, where A = dΩ/dt; yours goes here.",
    ),
    "rate": ((("t", float),), Vec3, "The angular velocity in the body's axes; yours goes here."),
    "increment": (
        (("t", float), ("h", float)), Vec3,
        "The integral of the angular velocity from t to t + h; yours goes here.",
    ),
    "potential": ((("t", float), ("R", Mat3)), float, "The potential energy of the torque; yours goes here."),
}  # fmt: skip
"""The functions that the user fills in: parameters, result and description."""


def goes_inline(made: Function, template: Any, nested: bool) -> bool:
    """Whether a function is written in place of its calls; a long one is not, if it takes and returns
    few different values.
    """
    returns = [s for s in all_statements(made.body) if isinstance(s, Return)]
    if len(returns) != 1 or made.body[-1] is not returns[0]:
        return False
    if not made.results or (nested and made.algebra_name):
        return True
    if all(isinstance(one, Note | Return) for one in made.body) and all(
        is_atomic(x.of if isinstance(x, Unary) else x) for x in returns[0].values
    ):
        return True
    if made.algebra_name:
        return False
    parts = len(template) if isinstance(template, tuple | list) else 1
    names = [x.name for x in returns[0].values if isinstance(x, Name)]
    most = max(len(made.parameters), len(made.results))
    few = most <= MOST_PASSED and parts <= 2 and len({*names}) == len(names)
    if made.doc and few and len(made.body) > LONG:
        return False
    parameters = {one.name for one in made.parameters if one.type is not Body}
    by_component = sum(
        isinstance(x, Field) and isinstance(x.of, Name) and x.of.name in parameters
        for x in all_expressions(made.body)
    )
    return by_component < 3


@functools.cache
def find_used_often(function: Any) -> set[str]:
    """The variables of a function that it may use more than once."""
    nodes = [*ast.walk(definition(function))]
    repeats = any(isinstance(x, ast.For | ast.While | ast.comprehension) for x in nodes)
    uses = Counter(x.id for x in nodes if isinstance(x, ast.Name))
    return {name for name, n in uses.items() if n > 1 or repeats}


def name_further(function: Any, arguments: Sequence[Any]) -> dict[str, Sequence[str]]:
    """The names of further arguments, `*rest`, of the known function that takes them last."""
    further = definition(function).args.vararg
    taken = len(arguments) - function.__code__.co_argcount
    called = next((one for one in arguments if isinstance(one, types.FunctionType)), None)
    if further is None or called is None or called.__code__.co_argcount < taken:
        return {}
    names = called.__code__.co_varnames[: called.__code__.co_argcount]
    return {further.arg: names[len(names) - taken :]}
