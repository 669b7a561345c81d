"""The walk of a method's functions: from their source, with the options known, to a typed syntax tree.

What is known before the program runs, such as options, coefficients and the functions that they
choose, is computed here; the rest becomes statements and typed expressions. Functions of methods are
written in place of their calls, except those that compute by components or return early; functions
of `engine.algebra` stay functions.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import math
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..algebra import BodyAxis, Mat3, Vec3, Zero3, combination, exp, times_cay, times_exp, turn
from ..algebra.precision import ByPrecision
from ..algebra.rotations import cay
from ..algebra.values import AxisRot, Diag3, Quat, Value, Vec4
from ..algorithms.core.newton import follow_path
from ..compiler.frontend.expressions import COMPARISONS, OPERATORS
from ..compiler.frontend.source import definition
from ..kernels.one_body import BodyInField
from .tidy import drop_unused_parameters, tidy
from .tree import (
    VALUES,
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Const,
    Expr,
    Field,
    For,
    Function,
    If,
    Jump,
    Make,
    Name,
    Note,
    Return,
    Select,
    Unary,
    Unwritable,
    all_expressions,
    all_statements,
    fields_of,
    get_field,
    read_names,
    summarise,
)  # fmt: skip

DEEPEST = 40
NUMBERS = (float, int, bool)
MATH = {
    getattr(math, name): name
    for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "floor")
} | {abs: "abs", min: "min", max: "max"}
"""Functions of numbers that every language has."""
SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**", ast.FloorDiv: "//",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip
OPERATOR_NAMES = {
    "add": "add", "sub": "subtract", "mul": "scale", "truediv": "divide", "matmul": "multiply", "neg": "negate",
}  # fmt: skip
SELVES = {Vec3: "v", Vec4: "v", Mat3: "m", Diag3: "d", Quat: "q"}
"""The names of a value in its own functions."""
DUNDERS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "@": "matmul"}


def multiply_by_exp(R: Mat3, v: Vec3) -> Mat3:
    """R exp(v)."""
    return R @ exp(v)


def multiply_by_cay(R: Mat3, v: Vec3) -> Mat3:
    """R cay(v)."""
    return R @ cay(v)


def find_none(*_: Any) -> Vec3:
    """No solution."""
    return Vec3(math.nan, math.nan, math.nan)


INSTEAD: dict[Any, Callable[..., Any]] = {
    turn: exp,
    times_exp: multiply_by_exp,
    times_cay: multiply_by_cay,
    follow_path: find_none,
}
"""Functions in place of others that return the same sooner, and of one that follows a path where
Newton's method fails.
"""


@dataclass(frozen=True)
class OwnTorque:
    """What the user fills in, and whether the torque depends on Ω."""

    of_velocity: bool
    own_axes = False
    by_pointer = False
    tangent = None


@dataclass(frozen=True)
class Bound:
    """A method of a value or of the body."""

    function: Any
    of: Any


@dataclass(eq=False)
class Frame:
    """A function that is being walked.

    Attributes
    ----------
    fixed : the variables of a branch or a loop, which stay where they are, and those that a branch
        begins.
    """

    function: Any
    variables: dict[str, Any]
    inline: bool = False
    fixed: dict[str, Any] = field(default_factory=dict)
    slots: dict[tuple[str, int, type], str] = field(default_factory=dict)
    results: list[tuple[Any, Return | None]] = field(default_factory=list)


@dataclass(eq=False)
class Writing:
    """A function that is being written: its statements, its frames, and the names that are taken."""

    lines: Block = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    taken: dict[str, type] = field(default_factory=dict)
    idle: dict[str, type] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)


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


def is_written_from(function: Function | str, origin: Any) -> bool:
    """Whether a function of the program is written from this one."""
    return isinstance(function, Function) and function.origin is origin


def kind_of(value: Any) -> type:
    """The type of a value, known or not."""
    return value.type if isinstance(value, Expr) else type(value)


class Walker:
    """Writes functions of methods, each once for arguments of the same types and known values."""

    def __init__(
        self, single: bool, body: OwnTorque, held: bool, given: Mapping[str, Callable[..., Any]]
    ) -> None:
        self.single = single
        self.functions: list[Function] = []
        self._field = body
        self._held = held
        self._given = given
        self._written: dict[Any, tuple[Function, Any, list[int]]] = {}
        self._keep: list[Any] = []
        self._own: dict[str, Function] = {}
        self._own_takes: dict[str, list[int]] = {}
        self._writing: list[Writing] = []

    # ------------------------------------------------------------------ functions

    @property
    def _w(self) -> Writing:
        return self._writing[-1]

    @property
    def _frame(self) -> Frame:
        return self._w.frames[-1]

    def write(
        self, function: Any, arguments: Sequence[Any], name: str = ""
    ) -> tuple[Function, Any, list[int]]:
        """Write a function for such arguments; the function, its result with the places of what is
        unknown, and which of the parts of the arguments it takes. With a name, it returns all of
        its results, known or not.
        """
        key = function, self._describe(tuple(arguments)), name
        if key not in self._written:
            self._keep.append(arguments)
            if len(self._writing) > DEEPEST:
                raise Unwritable(f"{function.__qualname__} calls itself too often")
            self._written[key] = self._write(function, arguments, name)
        return self._written[key]

    def _describe(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return tuple(map(self._describe, value))
        if isinstance(value, Expr):
            return value.type
        return (
            ("known", repr(value))
            if isinstance(value, int | float | str | Value | BodyAxis)
            else ("known", id(value))
        )

    def _write(
        self, function: Any, arguments: Sequence[Any], name: str
    ) -> tuple[Function, Any, list[int]]:
        writing = Writing()
        self._writing.append(writing)
        bound = self._bind(function, arguments)
        parameters: list[Name] = []
        variables: dict[str, Any] = {}
        frame = Frame(function, variables)
        names = name_further(function, arguments)
        for key, value in bound.items():
            leaves = flatten(value)
            new: list[Any] = []
            for i, leaf in enumerate(leaves):
                if not isinstance(leaf, Expr):
                    new.append(leaf)
                    continue
                base = (
                    key
                    if not isinstance(value, tuple | list)
                    else names.get((key, i), f"{key}{i + 1}")
                )
                base = SELVES.get(leaf.type, "e") if base == "self" else base
                parameter = Name(leaf.type, self._new_name(base, leaf.type))
                if not isinstance(value, tuple | list):
                    frame.slots[key, 0, leaf.type] = parameter.name
                parameters.append(parameter)
                new.append(parameter)
            variables[key] = rebuild(value, new)
        writing.frames.append(frame)
        self._walk(function)
        self._writing.pop()
        made = Function(
            name or self._name_function(function, arguments),
            parameters,
            doc=summarise(function),
            origin=function,
        )
        template = self._unify(frame, made, whole=bool(name))
        made.body = writing.lines
        if not frame.results:
            raise Unwritable(f"{function.__qualname__} returns nothing")
        tidy(made)
        takes = drop_unused_parameters(made)
        return made, template, takes

    def _name_function(self, function: Any, arguments: Sequence[Any]) -> str:
        """Its name, with the body axis that it is for, or with the value that it belongs to."""
        name = getattr(function, "__name__", "function").strip("<>")
        axes = [repr(one) for one in arguments if isinstance(one, BodyAxis)]
        owner = getattr(function, "__qualname__", "").rpartition(".")[0]
        if name.startswith("__"):
            name = OPERATOR_NAMES[name.strip("_")]
            kinds = [kind_of(one).__name__.lower() for one in arguments]
            kinds = [kind for kind in kinds if kind not in ("float", "int")]
            return "_".join([name, *dict.fromkeys(kinds)])
        if owner in {kind.__name__ for kind in VALUES}:
            name = f"{ {'T': 'transpose', 'inv': 'inverse'}.get(name, name) }_{kind_of(arguments[0]).__name__.lower()}"
        return "_".join([name, *axes])

    def _unify(self, frame: Frame, made: Function, whole: bool) -> Any:
        """Note the types of the results; return the result with its unknown parts as names."""
        shapes = [flatten(value) for value, _ in frame.results]
        if len({len(shape) for shape in shapes}) > 1:
            raise Unwritable(f"{made.name} returns now more and now less")
        template: list[Any] = []
        kept: list[int] = []
        for i, column in enumerate(zip(*shapes, strict=True)):
            known = all(not isinstance(x, Expr) for x in column)
            if not whole and known and len({self._describe(x) for x in column}) == 1:
                template.append(column[0])
                continue
            kinds = {kind_of(x) for x in column} - {Zero3} or {Vec3}
            kind = float if kinds == {float, int} else kinds.pop() if len(kinds) == 1 else None
            if kind is None:
                raise Unwritable(f"{made.name} returns one thing or another")
            named = next((x.name for x in column if isinstance(x, Name)), "x")
            template.append(Name(kind, named))
            made.results.append(kind)
            made.result_names.append(named)
            kept.append(i)
        for shape, (_, statement) in zip(shapes, frame.results, strict=True):
            if statement is not None:
                statement.values = [
                    as_expr(shape[i], kind) for i, kind in zip(kept, made.results, strict=True)
                ]
        return (
            rebuild(frame.results[0][0], template)
            if isinstance(frame.results[0][0], tuple | list)
            else template[0]
        )

    def call(self, function: Any, arguments: Sequence[Any], hints: Sequence[str] = ()) -> Any:
        """The result of a call."""
        function = INSTEAD.get(function, function)
        if function is combination:
            return self._combine(*arguments)
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
        made, template, takes = self.write(function, arguments)
        if self._goes_inline(made, of_algebra, nested):
            return self._walk_inline(function, arguments)
        if made not in self.functions:
            made.name = self._find_free(made.name)
            self.functions.append(made)
        if not made.results:
            return template
        given = [x for x in flatten(list(arguments)) if isinstance(x, Expr)]
        parts = tuple(as_expr(given[i], made.parameters[n].type) for n, i in enumerate(takes))
        value = Call(made.results[0], made, parts)
        if len(made.results) == 1:
            return (
                rebuild(template, [value if isinstance(x, Name) else x for x in flatten(template)])
                if isinstance(template, tuple | list)
                else value
            )
        if len(hints) == len(made.results):
            made.result_names = [
                h if n == "x" else n for n, h in zip(made.result_names, hints, strict=True)
            ]
        names = [*hints] if len(hints) == len(made.results) else made.result_names
        targets = [
            Name(kind, self._slot(name, kind, fresh=not hints))
            for name, kind in zip(names, made.results, strict=True)
        ]
        self._emit(targets, value)
        unknown = iter(targets)
        return rebuild(
            template, [next(unknown) if isinstance(x, Name) else x for x in flatten(template)]
        )

    def _find_free(self, name: str) -> str:
        """The name of a function, with a number if another one has it."""
        names = {*TOP_LEVEL, *OWN, *(one.name for one in self.functions)}
        return next(
            one for one in (name, *(f"{name}_{i}" for i in range(2, 99))) if one not in names
        )

    def _note(self, node: ast.stmt) -> None:
        """Write the comment before a statement of a function that is not written in place."""
        path = self._frame.function.__code__.co_filename
        first = node.lineno
        while linecache.getline(path, first - 1).strip().startswith("#"):
            first -= 1
        for line in range(first, node.lineno) if not self._frame.inline else ():
            self._w.lines.append(Note(linecache.getline(path, line).strip("# \n")))

    def _goes_inline(self, made: Function, of_algebra: bool, nested: bool) -> bool:
        """Whether a function is written in place of its calls."""
        returns = [s for s in all_statements(made.body) if isinstance(s, Return)]
        if len(returns) != 1 or made.body[-1] is not returns[0]:
            return False
        if not made.results or (nested and of_algebra):
            return True
        if all(isinstance(one, Note | Return) for one in made.body) and all(
            is_atomic(x.of if isinstance(x, Unary) else x) for x in returns[0].values
        ):
            return True
        if of_algebra:
            return False
        parameters = {one.name for one in made.parameters if one.type is not Body}
        by_component = sum(
            isinstance(x, Field) and isinstance(x.of, Name) and x.of.name in parameters
            for x in all_expressions(made.body)
        )
        return by_component < 3

    def _walk_inline(self, function: Any, arguments: Sequence[Any]) -> Any:
        frame = Frame(function, {}, inline=True)
        bound = self._bind(function, arguments)
        node = definition(function)
        for key, value in bound.items():
            uses = sum(isinstance(x, ast.Name) and x.id == key for x in ast.walk(node))
            often = uses > 1 or any(
                isinstance(x, ast.For | ast.While | ast.comprehension) for x in ast.walk(node)
            )
            frame.variables[key] = value
            if often and not all(is_atomic(x) for x in flatten(value) if isinstance(x, Expr)):
                self._w.frames.append(frame)
                self._assign(key, value)
                self._w.frames.pop()
        self._w.frames.append(frame)
        self._walk(function)
        self._w.frames.pop()
        for name in frame.slots.values():
            self._w.idle[name] = self._w.taken[name]
        return frame.results[0][0]

    def _bind(self, function: Any, arguments: Sequence[Any]) -> dict[str, Any]:
        takes = definition(function).args
        names = [one.arg for one in (*takes.posonlyargs, *takes.args)]
        defaults = function.__defaults__ or ()
        bound = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        bound |= dict(zip(names, arguments, strict=False))
        if takes.vararg is not None:
            bound[takes.vararg.arg] = tuple(arguments[len(names) :])
        return {
            name: bound[name] for name in (*names, *([takes.vararg.arg] if takes.vararg else []))
        }

    def _walk(self, function: Any) -> None:
        node = definition(function)
        if isinstance(node, ast.Lambda):
            self._return(self._value(node.body))
        else:
            self._walk_block(node.body)

    # ------------------------------------------------------------------ names

    def _new_name(self, base: str, kind: type) -> str:
        name, i = base, 2
        while name in self._w.taken:
            name = f"{base}_{i}"
            i += 1
        self._w.taken[name] = kind
        return name

    def _slot(self, base: str, kind: type, part: int = 0, fresh: bool = False) -> str:
        """The name of a variable of the function that is walked."""
        slots, of = self._frame.slots, base
        if fresh or (base, part, kind) not in slots:
            w = self._w
            base = SELVES.get(kind, "e") if base == "self" else base
            wanted = base if part == 0 else f"{base}{part}"
            reused = next(
                (
                    n
                    for n in (wanted, *sorted(w.free))
                    if n in w.free and n.partition("_")[0] == wanted and w.taken[n] is kind
                ),
                None,
            )
            name = reused or self._new_name(wanted, kind)
            w.free.discard(name)
            w.idle.pop(name, None)
            if fresh:
                slots[f"{base} {name}", part, kind] = name
                return name
            slots[of, part, kind] = name
        return slots[of, part, kind]

    def _release(self) -> None:
        """Free the names of functions written in place whose values are not needed any more."""
        bound = [
            x
            for frame in self._w.frames
            for v in frame.variables.values()
            for x in flatten(v)
            if isinstance(x, Expr)
        ]
        needed = read_names(bound)
        for name in [one for one in self._w.idle if one not in needed]:
            self._w.free.add(name)
            del self._w.idle[name]

    def _emit(self, targets: list[Name], value: Expr) -> None:
        """Write an assignment, after copies of the values that other variables still need."""
        for target in targets:
            self._protect(target.name)
        self._w.lines.append(Assign(list(targets), value))

    def _protect(self, name: str) -> None:
        for frame in self._w.frames:
            for key, value in frame.variables.items():
                parts = flatten(value)
                own = [frame.slots.get((key, i, kind_of(x))) for i, x in enumerate(parts)]
                if not any(
                    isinstance(x, Expr) and name in read_names([x]) and name != o
                    for x, o in zip(parts, own, strict=True)
                ):
                    continue
                new = []
                for x, o in zip(parts, own, strict=True):
                    if isinstance(x, Expr) and name in read_names([x]) and name != o:
                        copy = Name(x.type, self._new_name(key, x.type))
                        self._w.lines.append(Assign([copy], x))
                        new.append(copy)
                    else:
                        new.append(x)
                frame.variables[key] = rebuild(value, new)

    # ------------------------------------------------------------------ statements

    def _walk_block(self, body: Sequence[ast.stmt]) -> bool:
        """Walk statements; return whether they end the function or the round of a loop."""
        for i, statement in enumerate(body):
            self._note(statement)
            if self._walk_statement(statement, body[i + 1 :]):
                return True
            if len(self._w.frames) == 1:
                self._release()
        return False

    def _walk_statement(self, node: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
        match node:
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=value):
                self._value(value)
            case ast.Return(value=value):
                assert value is not None
                self._return(self._value(value))
                return True
            case ast.Assign(targets=targets, value=value):
                hints = (
                    [t.id for t in targets[0].elts if isinstance(t, ast.Name)]
                    if isinstance(targets[0], ast.Tuple)
                    else []
                )
                found = self._value(value, hints)
                for target in reversed(targets):
                    self._assign_to(target, found)
            case ast.AnnAssign(target=target, value=value):
                assert value is not None
                self._assign_to(target, self._value(value))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                self._assign(
                    name, self._arithmetic(op, self._frame.variables[name], self._value(value))
                )
            case ast.If():
                return self._walk_if(node, rest)
            case ast.For():
                return self._walk_for(node)
            case ast.While():
                self._walk_while(node)
            case ast.Break() | ast.Continue():
                self._w.lines.append(Jump("break" if isinstance(node, ast.Break) else "continue"))
                return True
            case ast.Assert() | ast.Pass():
                pass
            case _:
                raise Unwritable(
                    f"{type(node).__name__} in {self._frame.function.__qualname__} cannot be written"
                )
        return False

    def _return(self, value: Any) -> None:
        frame = self._frame
        statement = None if frame.inline else Return([])
        frame.results.append((value, statement))
        if statement is not None:
            self._w.lines.append(statement)

    def _assign_to(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._assign(target.id, value)
            return
        assert isinstance(target, ast.Tuple)
        values = list(value)
        starred = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
        if starred is not None:
            after = len(target.elts) - starred - 1
            values = [
                *values[:starred],
                tuple(values[starred : len(values) - after]),
                *values[len(values) - after :],
            ]
        names = [t.value if isinstance(t, ast.Starred) else t for t in target.elts]
        for i, (name, one) in enumerate(zip(names, values, strict=True)):
            if isinstance(name, ast.Tuple):
                self._assign_to(name, one)
                continue
            assert isinstance(name, ast.Name)
            key = name.id
            slots = self._slots_of(key, one)
            for j in range(i + 1, len(values)):
                values[j] = self._spill_if_read(slots, values[j], names[j])
            self._assign(key, one if i == 0 else values[i])

    def _slots_of(self, name: str, value: Any) -> set[str]:
        """The variables that an assignment to a name would write."""
        frame = self._frame
        if name in frame.fixed and frame.fixed[name] is not None:
            return read_names([x for x in flatten(frame.fixed[name]) if isinstance(x, Expr)])
        return {
            frame.slots[name, i, kind_of(x)]
            for i, x in enumerate(flatten(value))
            if isinstance(x, Expr) and not is_atomic(x) and (name, i, x.type) in frame.slots
        }

    def _spill_if_read(self, slots: set[str], value: Any, target: Any) -> Any:
        """The value, in variables of its own if it reads one of these."""
        base = target.id if isinstance(target, ast.Name) else "x"
        new = []
        for x in flatten(value):
            if isinstance(x, Expr) and slots & read_names([x]):
                copy = Name(x.type, self._new_name(base, x.type))
                self._w.lines.append(Assign([copy], x))
                x = copy
            new.append(x)
        return rebuild(value, new)

    def _assign(self, name: str, value: Any) -> None:
        """Give a variable its value: a name of the program for what is computed, or in place."""
        frame = self._frame
        if name in frame.fixed:
            self._assign_in_place(name, value)
            return
        parts = flatten(value)
        for i, x in enumerate(parts):
            if isinstance(x, Expr) and (not is_atomic(x) or isinstance(x, Field)):
                part = i if isinstance(value, tuple | list) else 0
                target = Name(x.type, self._slot(name, x.type, part))
                for k, other in enumerate(parts):
                    if k != i:
                        parts[k] = self._spill_if_read({target.name}, other, ast.Name(name))
                self._emit([target], x)
                parts[i] = target
        frame.variables[name] = rebuild(value, parts)

    def _assign_in_place(self, name: str, value: Any) -> None:
        frame = self._frame
        slots = frame.fixed[name]
        parts = flatten(value)
        if slots is None:
            slots = self._fix(name, value)
            frame.fixed[name] = slots
        places = flatten(slots)
        if len(places) != len(parts):
            raise Unwritable(f"{name} in {frame.function.__qualname__} changes its shape")
        if isinstance(value, tuple | list):
            parts = [
                self._spill_if_read({p.name for p in places[:i]}, x, ast.Name(name))
                for i, x in enumerate(parts)
            ]
        for place, x in zip(places, parts, strict=True):
            if isinstance(place, Name):
                x = as_expr(x, place.type)
                if x.type is not place.type:
                    raise Unwritable(f"{name} in {frame.function.__qualname__} changes its type")
                if not (isinstance(x, Name) and x.name == place.name):
                    self._emit([place], x)
        frame.variables[name] = slots

    def _fix(self, name: str, value: Any) -> Any:
        """The variables of the program for a value."""
        nested = isinstance(value, tuple | list)
        kinds = [Vec3 if isinstance(x, Zero3) else kind_of(x) for x in flatten(value)]
        kept = [
            Name(kind, self._slot(name, kind, i + 1 if nested else 0))
            if kind in (*NUMBERS, *VALUES)
            else x
            for i, (kind, x) in enumerate(zip(kinds, flatten(value), strict=True))
        ]
        return rebuild(value, kept)

    def _begin_fixed(self, names: Iterable[str]) -> dict[str, Any]:
        """Give the variables that a branch or a loop changes their places; return the earlier ones."""
        frame = self._frame
        before = dict(frame.fixed)
        for name in names:
            if name in frame.fixed or name not in frame.variables:
                continue
            value = frame.variables[name]
            slots = self._fix(name, value)
            for place, x in zip(flatten(slots), flatten(value), strict=True):
                if isinstance(place, Name) and not (isinstance(x, Name) and x.name == place.name):
                    self._emit([place], as_expr(x, place.type))
                elif isinstance(place, Name):
                    self._protect(place.name)
            frame.variables[name] = frame.fixed[name] = slots
        return before

    def _block(self, body: Sequence[ast.stmt]) -> tuple[Block, bool]:
        """The statements of a block, and whether it ends what is around it."""
        outer = self._w.lines
        self._w.lines = []
        ended = self._walk_block(body)
        found = self._w.lines
        self._w.lines = outer
        return found, ended

    def _walk_if(self, node: ast.If, rest: Sequence[ast.stmt]) -> bool:
        test = self._value(node.test)
        if is_known(test):
            return self._walk_block(node.body if test else node.orelse)
        frame = self._frame
        stored = [list_stored(block) for block in (node.body, node.orelse)]
        always = [ends(block) for block in (node.body, node.orelse)]
        either = [n for s, end in zip(stored, always, strict=True) if not end for n in s]
        before = self._begin_fixed(dict.fromkeys([*stored[0], *stored[1]]))
        for name in either:
            if (
                name not in frame.variables
                and name not in frame.fixed
                and all(name in s or end for s, end in zip(stored, always, strict=True))
            ):
                frame.fixed[name] = None
        known = dict(frame.variables)
        body, body_ended = self._block(node.body)
        after_body = frame.variables
        frame.variables = dict(known)
        otherwise, otherwise_ended = self._block(node.orelse)
        if otherwise_ended and not body_ended:
            frame.variables = after_body
        elif not body_ended:
            frame.variables = {
                k: v for k, v in frame.variables.items() if k in known or k in frame.fixed
            } | {k: v for k, v in frame.fixed.items() if v is not None}
        frame.fixed = before
        self._w.lines.append(If(test, body, otherwise))
        return body_ended and otherwise_ended

    def _walk_for(self, node: ast.For) -> bool:
        counts = isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name)
        if counts and node.iter.func.id == "range" and len(node.iter.args) == 1:  # type: ignore[attr-defined]
            (count,) = (self._value(one) for one in node.iter.args)  # type: ignore[attr-defined]
            assert isinstance(node.target, ast.Name)
            at = Name(int, self._slot(node.target.id.strip("_") or "i", int, fresh=True))
            before = self._begin_fixed(list_stored(node.body))
            self._frame.variables[node.target.id] = at
            body, _ = self._block(node.body)
            self._frame.fixed = before
            self._w.lines.append(For(at, as_expr(count), body))
            return False
        for one in list(self._value(node.iter)):
            self._assign_to(node.target, one)
            if self._walk_block(node.body):
                raise Unwritable("a loop over known values does not end early")
        return False

    def _walk_while(self, node: ast.While) -> None:
        before = self._begin_fixed(list_stored(node.body))
        outer = self._w.lines
        self._w.lines = []
        test = self._value(node.test)
        lifted = self._w.lines
        self._w.lines = outer
        body, _ = self._block(node.body)
        self._frame.fixed = before
        if lifted:
            raise Unwritable("the condition of a loop needs statements")
        self._w.lines.append(For(None, as_expr(test), body))

    # ------------------------------------------------------------------ expressions

    def _value(self, node: ast.expr, hints: Sequence[str] = ()) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._look_up(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return tuple(self._list(parts))
            case ast.Attribute(value=of, attr=name):
                return self._attribute(self._value(of), name)
            case ast.Subscript(value=of, slice=at):
                return self._value(of)[self._value(at)]
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(None if x is None else self._value(x) for x in (lower, upper, step)))
            case ast.UnaryOp(op=op, operand=of):
                return self._unary(op, self._value(of))
            case ast.BinOp(op=op, left=left, right=right):
                return self._arithmetic(op, self._value(left), self._value(right))
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
                function = self._value(called)
                values = self._list(given)
                return self._call(
                    function,
                    values,
                    {one.arg: self._value(one.value) for one in named if one.arg},
                    hints,
                )
        raise Unwritable(f"{ast.unparse(node)} cannot be written")

    def _list(self, nodes: Sequence[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for one in nodes:
            found += self._value(one.value) if isinstance(one, ast.Starred) else [self._value(one)]
        return found

    def _comprehend(self, loop: ast.comprehension, part: ast.expr) -> Any:
        frame = self._frame
        outer = dict(frame.variables)
        found = []
        for one in list(self._value(loop.iter)):
            for target, value in pair(loop.target, one):
                frame.variables[target] = value
            if all(self._value(test) for test in loop.ifs):
                found.append(self._value(part))
        frame.variables = outer
        return tuple(found)

    def _look_up(self, name: str) -> Any:
        frame = self._frame
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

    def _attribute(self, of: Any, name: str) -> Any:
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
            return lambda *_: None
        if name in ("J", "Jinv", "ratios", "energy"):
            return get_field(body, name)
        if name == "held":
            return get_field(body, name) if self._held else None
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
        if name in self._given and name not in self._own:
            made, _, takes = self.write(
                self._given[name], [Name(kind, each) for each, kind in kinds], name
            )
            self._own[name], self._own_takes[name] = made, takes
            self.functions.append(made)
        elif name not in self._own:
            self._own_takes[name] = list(range(len(kinds)))
            parameters = [Name(kind, each) for each, kind in kinds]
            zero = as_expr(Zero3() if result is Vec3 else 0.0)
            self._own[name] = Function(
                name, parameters, [result], ["T"], [Return([zero])], doc, own=True
            )
            self.functions.append(self._own[name])
        arguments = tuple(as_expr(x, kind) for x, (_, kind) in zip(given, kinds, strict=True))
        return Call(result, self._own[name], tuple(arguments[i] for i in self._own_takes[name]))

    def _unary(self, op: ast.unaryop, of: Any) -> Any:
        if is_known(of):
            return OPERATORS[type(op)][0](of) if type(op) in OPERATORS else not of
        if isinstance(op, ast.Not):
            return Unary(bool, "not", of)
        if is_number(of):
            return Unary(of.type, "-", of)
        function = inspect.getattr_static(of.type, "__neg__")
        found = self.call(function, [of])
        if not isinstance(found, Call) or not is_written_from(found.function, function):
            return found
        assert isinstance(found.function, Function)
        found.function.operator = "-"
        return Unary(found.type, "-", found.given[0], found.function)

    def _arithmetic(self, op: ast.operator, left: Any, right: Any) -> Any:
        sign = SIGNS.get(type(op), "")
        if isinstance(left, tuple | list) or (is_known(left) and is_known(right)):
            return OPERATORS[type(op)][0](left, right)
        if is_number(left) and is_number(right):
            return self._of_numbers(sign, left, right)
        function = inspect.getattr_static(kind_of(left), f"__{DUNDERS[sign]}__", None)
        if is_number(left):
            function, left, right = (
                inspect.getattr_static(kind_of(right), f"__r{DUNDERS[sign]}__"),
                right,
                left,
            )
        if sign == "*" and right == 1.0:
            return left
        right = float(right) if type(right) is int else right
        found = self.call(function, [left, right])
        if not isinstance(found, Call) or not is_written_from(found.function, function):
            return found
        assert isinstance(found.function, Function)
        a, b = found.given
        if sign == "*" and b.type is float:
            a, b = b, a  # numbers come first
        found.function.operator = sign
        return Binary(found.type, sign, a, b, found.function)

    def _of_numbers(self, sign: str, left: Any, right: Any) -> Any:
        if bool in (kind_of(left), kind_of(right)):
            one, zero = Const(float, 1.0), Const(float, 0.0)
            left, right = (
                Select(float, x, one, zero) if kind_of(x) is bool else x for x in (left, right)
            )
        zeros = [not isinstance(x, Expr) and x == 0.0 for x in (left, right)]
        if (sign == "*" and not isinstance(left, Expr) and left == 1.0) or (
            sign == "+" and zeros[0]
        ):
            return right
        if (sign == "*" and not isinstance(right, Expr) and right == 1.0) or (
            sign in "+-" and zeros[1]
        ):
            return left
        if sign == "*" and any(zeros):
            return 0.0
        whole = kind_of(left) is int and kind_of(right) is int and sign != "/"
        kind = int if whole else float
        if sign == "**" and isinstance(right, int):
            base = as_expr(left, kind)
            if not is_atomic(base):
                base = Name(kind, self._slot("base", kind, fresh=True))
                self._emit([base], as_expr(left, kind))
            return Binary(kind, "**", base, Const(int, right))
        return Binary(kind, sign, as_expr(left, kind), as_expr(right, kind))

    def _compare(self, node: ast.Compare) -> Any:
        values = [self._value(one) for one in (node.left, *node.comparators)]
        found: Any = None
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            if isinstance(op, ast.Is | ast.IsNot):
                same = left is right or (isinstance(left, type) and left == right)
                one: Any = same if isinstance(op, ast.Is) else not same
            elif isinstance(op, ast.In | ast.NotIn):
                one = (left in right) is isinstance(op, ast.In)
            elif is_known(left) and is_known(right):
                one = COMPARISONS[type(op)](left, right)
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
        found = self._value(parts[0])
        for part in parts[1:]:
            if is_known(found) and bool(found) is (word == "or"):
                return found
            found = self._both(word, found, self._value(part))
        return found

    def _choose(self, node: ast.IfExp) -> Any:
        test = self._value(node.test)
        if is_known(test):
            return self._value(node.body if test else node.orelse)
        outer = self._w.lines
        sides = []
        for part in (node.body, node.orelse):
            self._w.lines = []
            value = self._value(part)
            sides.append((self._w.lines, value))
        self._w.lines = outer
        (body, yes), (otherwise, no) = sides
        pairs = [(x, y, self._common(x, y)) for x, y in zip(flatten(yes), flatten(no), strict=True)]
        if not body and not otherwise:
            chosen = [
                x if kind is None else Select(kind, test, as_expr(x, kind), as_expr(y, kind))
                for x, y, kind in pairs
            ]
            return rebuild(yes, chosen) if isinstance(yes, tuple) else chosen[0]
        targets = [
            Name(kind, self._slot("chosen", kind, fresh=True))
            for _, _, kind in pairs
            if kind is not None
        ]
        for block, of in ((body, 0), (otherwise, 1)):
            found = [as_expr(one[of], one[2]) for one in pairs if one[2] is not None]
            block += [Assign([target], x) for target, x in zip(targets, found, strict=True)]
        outer.append(If(test, body, otherwise))
        unknown: Any = iter(targets)
        chosen = [x if kind is None else next(unknown) for x, _, kind in pairs]
        return rebuild(yes, chosen) if isinstance(yes, tuple) else chosen[0]

    def _common(self, x: Any, y: Any) -> type | None:
        """The type of one of two values; None if both are known to be the same."""
        if (
            not isinstance(x, Expr)
            and not isinstance(y, Expr)
            and self._describe(x) == self._describe(y)
        ):
            return None
        kinds = {kind_of(x), kind_of(y)} - {Zero3}
        if kinds == {int, float}:
            return float
        if len(kinds) != 1:
            raise Unwritable("two sides of a choice differ in their types")
        return kinds.pop()

    def _combine(self, weights: Sequence[float], values: Sequence[Any]) -> Any:
        """The weighted sum, without the terms of weight zero."""
        total: Any = None
        for weight, value in zip(weights, values, strict=True):
            if weight != 0.0:
                term = self._arithmetic(ast.Mult(), weight, value)
                total = term if total is None else self._arithmetic(ast.Add(), total, term)
        return total

    # ------------------------------------------------------------------ calls

    def _call(
        self, function: Any, given: list[Any], named: dict[str, Any], hints: Sequence[str] = ()
    ) -> Any:
        if isinstance(function, Bound):
            return self.call(function.function, [function.of, *given], hints)
        if isinstance(function, partial) and function.func == self._call_own:
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
            if function.__name__ == "<lambda>" and function.__module__ == __name__:
                return function(*given)
            if all(is_known(one) for one in given) and not any(
                isinstance(one, Body) for one in given
            ):
                return function(*given, **named)
            return self.call(function, given, hints)
        raise Unwritable(f"{getattr(function, '__name__', function)} cannot be written")

    def _matrix_of(self, kind: type[AxisRot], given: list[Any]) -> Expr:
        """A turn about an axis as a matrix."""
        c, s = given
        a, b, o, u = as_expr(c, float), as_expr(s, float), Const(float, 0.0), Const(float, 1.0)
        n = as_expr(self._unary(ast.USub(), s), float)
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


def name_further(function: Any, arguments: Sequence[Any]) -> dict[tuple[str, int], str]:
    """The names of further arguments, `*rest`, of the known function that takes them last."""
    further = definition(function).args.vararg
    taken = len(arguments) - function.__code__.co_argcount
    called = next((one for one in arguments if isinstance(one, types.FunctionType)), None)
    if further is None or called is None or called.__code__.co_argcount < taken:
        return {}
    names = called.__code__.co_varnames[: called.__code__.co_argcount]
    return {(further.arg, i): name for i, name in enumerate(names[len(names) - taken :])}


def list_stored(body: Sequence[ast.stmt]) -> list[str]:
    """The variables that statements assign."""
    return list(
        dict.fromkeys(
            node.id
            for statement in body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
    )


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether statements end the function or the round of a loop."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Break | ast.Continue)


def pair(target: ast.expr, value: Any) -> list[tuple[str, Any]]:
    """The names of a target with their values."""
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    assert isinstance(target, ast.Tuple)
    return [one for t, v in zip(target.elts, list(value), strict=True) for one in pair(t, v)]
