"""Compilation of a function with everything it calls: calls are inlined, or emitted once if
rare.
"""

from __future__ import annotations

import ast
import functools
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

from ...algebra.rarely_called import RARELY_CALLED
from ...algebra.values import Value
from ..native import ENTRY, register_size
from ..series import Series
from .builtins import AS_IN_PYTHON, Builtins, has_symbols
from .expressions import Inner, evaluate
from .paths import Frame, check_usable
from .record import Record
from .refusal import NotCompiled, calls_itself, no_function, not_in_the_subset
from .source import Definition, definition, scope_of
from .statements import follow
from .structure import is_function, leaves, map_leaves, parts, structure_of
from .symbols import Content, Memory, Symbol
from .writer import Writer, describe_kind

DEEPEST = 60
"""The depth of calls beyond which a function counts as recursive."""

Signature = tuple[str, ...]
"""The kinds of a C function's arguments: "real", "int", or pointers to them, "real*" and "int*"."""


def text_of(
    function: Callable[..., object],
    signature: Signature,
    returns: str | None = None,
    fused: bool = True,
    register: int | None = None,
) -> str:
    """Return the LLVM IR of a function and everything it calls; `returns` is the kind of its
    result, and `register` how many numbers a register holds, by default that of this processor.
    """
    program = Program(Writer(fused, register_size() if register is None else register))
    writer = program.writer
    writer.block = writer.new_block()
    arguments: list[Any] = []
    parameters = []
    for i, kind in enumerate(signature):
        name = f"%argument{i}"
        if kind.endswith("*"):
            arguments.append(Memory(writer, kind[:-1], name))
            parameters.append(f"ptr noalias {name}")
        else:
            arguments.append(Symbol(writer, kind, name))
            parameters.append(f"{writer.types[kind]} {name}")
    result = program.call(function, arguments, {})
    writer.block.end = f"ret {writer.typed(returns, result)}" if returns else "ret void"
    writer.finish(
        f"{writer.types[returns] if returns else 'void'} @{ENTRY}({', '.join(parameters)})"
    )
    return writer.text()


class Program:
    """The module under construction; its calls lead from one function to all others."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._meanings = Builtins(writer, self.call)
        self._written: dict[Any, tuple[str, Any]] = {}
        self._keep: list[Any] = []  # objects that are compared by identity must stay alive
        self._depth = 0

    def call(self, function: Any, arguments: Sequence[Any], named: dict[str, Any]) -> Content:
        """Compile a call, and return its result."""
        if isinstance(function, types.MethodType):
            function, arguments = function.__func__, [function.__self__, *arguments]
        if isinstance(function, functools.partial):
            return self.call(function.func, [*function.args, *arguments], function.keywords | named)
        if hasattr(function, "__wrapped__") and not is_function(function):  # functools.cache, say
            function = function.__wrapped__
        meaning = self._meanings.of(function)
        if meaning is not None and named.keys() == {"dtype"}:
            arguments = [*arguments, named["dtype"]]
            named = {}
        if meaning is not None and named:
            raise NotCompiled(
                f"{function.__name__} does not take {', '.join(named)} in compiled code"
            )
        if meaning is not None and (found := meaning(*arguments)) is not NotImplemented:
            return found
        if isinstance(function, Inner):
            return self._inner(function, arguments, named)
        if not callable(function):
            raise NotCompiled(f"a {describe_kind(function)} cannot be called")
        if is_function(function):
            if f"{function.__module__}.".startswith("numpy."):
                raise _no_meaning(function)
            return self._function(function, arguments, named)
        if isinstance(function, type) and issubclass(function, Record):
            made = object.__new__(function)
            fill = function.__init__
            assert is_function(fill)
            self._function(fill, [made, *arguments], named, fills=made)
            return made
        own = type(function).__dict__.get("__call__")
        if is_function(own):
            return self._function(own, [function, *arguments], named)
        if not _as_in_python(function, arguments):
            raise _no_meaning(function)
        return function(*arguments, **named)

    # ------------------------------------------------------------------ functions written in Python

    def _inner(self, inner: Inner, arguments: Sequence[Any], named: dict[str, Any]) -> Any:
        outer = inner.frame
        variables = bind_arguments(
            inner.node.args, inner.defaults, inner.named_defaults, arguments, named
        )
        return self._walked(Frame(self, inner.node, outer.path, outer.names, outer, variables))

    def _function(
        self,
        function: types.FunctionType,
        arguments: Sequence[Any],
        named: dict[str, Any],
        fills: Any = None,
    ) -> Any:
        node = definition(function)
        defaults = function.__defaults__ or ()
        named_defaults = function.__kwdefaults__ or {}
        variables = bind_arguments(node.args, defaults, named_defaults, arguments, named)
        inlined = self.writer.guard is not None  # which notes what happens in one function
        if (
            function in RARELY_CALLED
            and not inlined
            and not any(
                isinstance(thing, Inner | Series) for thing in _things(tuple(variables.values()))
            )
        ):
            return self._out_of_line(function, variables)
        frame = self._frame(function, node, variables)
        frame.filled = fills
        return self._walked(frame)

    def _frame(
        self, function: types.FunctionType, node: Definition, variables: dict[str, Any]
    ) -> Frame:
        """Return the frame of a call that has not been walked yet."""
        code = function.__code__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        around = {name: cell.cell_contents for name, cell in cells}
        return Frame(self, node, code.co_filename, function.__globals__, around, variables)

    def _walked(self, frame: Frame) -> Any:
        """Walk a function's body inline, and return its result."""
        node = frame.node
        if (refused := scope_of(node).refused) is not None:
            error = not_in_the_subset(refused)
            error.within(frame.path, refused)
            raise error
        self._depth += 1
        if self._depth > DEEPEST:
            raise calls_itself()
        if isinstance(node, ast.Lambda):
            value = evaluate(node.body, frame)
            frame.returns.append((self.writer.block, {"": value}))
        elif follow(node.body, frame):
            frame.returns.append((self.writer.block, {"": None}))
        self._depth -= 1
        if not frame.meet(frame.returns):
            raise NotCompiled("no path returns")
        return check_usable(frame.variables[""], "what is returned")

    def _out_of_line(self, function: types.FunctionType, variables: dict[str, Any]) -> Any:
        """Call a rarely called function, which is emitted once for arguments of the same
        structure.
        """
        writer = self.writer
        arguments = tuple(variables.values())
        key = function, structure_of(arguments, exactly=True)
        if key not in self._written:
            self._written[key] = self._write(function, variables)
            self._keep.append(variables)
        head, like = self._written[key]
        given = (
            f"ptr {leaf.place(0)}" if isinstance(leaf, Memory) else writer.typed(leaf.kind, leaf)
            for leaf in leaves(arguments)
            if isinstance(leaf, Symbol | Memory)
        )
        call = f"call {head}({', '.join(given)})"
        numbers = [leaf for leaf in leaves(like) if isinstance(leaf, Symbol)]
        if not numbers:
            writer.line(call)
            return like
        made = writer.emit(call)
        kinds = self._struct(numbers)
        taken = iter(
            [
                writer.symbol(number.kind, f"extractvalue {kinds} {made}, {i}")
                for i, number in enumerate(numbers)
            ]
        )
        return map_leaves(like, lambda leaf: next(taken) if isinstance(leaf, Symbol) else leaf)

    def _write(self, function: types.FunctionType, variables: dict[str, Any]) -> tuple[str, Any]:
        """Emit a separate function; return the head of its calls, and its result."""
        writer = self.writer
        parameters = list[str]()
        outer = writer.block, writer.blocks, writer.rooms
        writer.blocks = []
        writer.rooms = []
        writer.block = writer.new_block()

        def parameter(x: Any) -> Content:
            if isinstance(x, Memory):
                parameters.append(f"ptr {(name := writer.fresh('%a'))}")
                return Memory(writer, x.kind, name, 0, x.stride, x.length)
            if not isinstance(x, Symbol):
                return x
            parameters.append(f"{writer.types[x.kind]} {(name := writer.fresh('%a'))}")
            return Symbol(writer, x.kind, name)

        own = {name: map_leaves(value, parameter) for name, value in variables.items()}
        result = self._walked(self._frame(function, definition(function), own))
        if any(isinstance(leaf, Memory) for leaf in leaves(result)):
            raise NotCompiled(
                "memory cannot be returned by a function that is marked as rarely called"
            )
        numbers = [leaf for leaf in leaves(result) if isinstance(leaf, Symbol)]
        kinds = self._struct(numbers)
        whole = "undef"
        for i, number in enumerate(numbers):
            whole = writer.emit(
                f"insertvalue {kinds} {whole}, {writer.typed(number.kind, number)}, {i}"
            )
        writer.block.end = f"ret {kinds} {whole}" if numbers else "ret void"
        name = writer.fresh(f"@{function.__name__}.")
        writer.finish(f"internal fastcc {kinds} {name}({', '.join(parameters)}) noinline")
        writer.block, writer.blocks, writer.rooms = outer
        return f"fastcc {kinds} {name}", result

    def _struct(self, numbers: Sequence[Symbol]) -> str:
        """Return LLVM's type for several numbers."""
        return (
            f"{{ {', '.join(self.writer.types[number.kind] for number in numbers)} }}"
            if numbers
            else "void"
        )


def bind_arguments(
    takes: ast.arguments,
    defaults: Sequence[Any],
    named_defaults: dict[str, Any],
    arguments: Sequence[Any],
    named: dict[str, Any],
) -> dict[str, Any]:
    """Return the values of a function's parameters for a call."""
    names = [parameter.arg for parameter in (*takes.posonlyargs, *takes.args)]
    if len(arguments) > len(names) and takes.vararg is None:
        raise NotCompiled(f"{len(arguments)} arguments are given where {len(names)} are taken")
    given = dict(zip(names, arguments, strict=False))
    if twice := sorted(given.keys() & named.keys()):
        raise NotCompiled(f"{', '.join(twice)} is given twice")
    only = [parameter.arg for parameter in takes.kwonlyargs]
    if takes.kwarg is not None or (strange := sorted(named.keys() - {*names, *only})):
        raise NotCompiled(
            "** among the parameters cannot be compiled"
            if takes.kwarg
            else f"{strange[0]} is not taken"
        )
    known = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) | named_defaults
    variables = known | given | named
    if missing := [name for name in (*names, *only) if name not in variables]:
        raise NotCompiled(f"no value is given for {', '.join(missing)}")
    if takes.vararg is not None:
        variables[takes.vararg.arg] = tuple(arguments[len(names) :])
    return variables


def _things(value: Any) -> list[Any]:
    """Return everything in a value that is not a number."""
    pieces = parts(value)
    return [value] if pieces is None else [thing for piece in pieces for thing in _things(piece)]


def _as_in_python(function: Any, arguments: Sequence[Any]) -> bool:
    """Return whether Python itself can call a built-in function or a class with these arguments."""
    if isinstance(function, type):
        return issubclass(function, Value) or function in AS_IN_PYTHON or hasattr(function, "_make")
    owner = getattr(function, "__self__", None)
    if isinstance(owner, str | tuple | dict):  # a method of theirs
        return not (
            isinstance(owner, dict) and function.__name__ not in ("get", "keys", "values", "items")
        )
    if isinstance(owner, types.ModuleType) and owner is math:
        return not has_symbols(*arguments)
    return function in AS_IN_PYTHON


def _no_meaning(function: Any) -> NotCompiled:
    """Return the error for a call that cannot be compiled."""
    name = getattr(function, "__name__", f"a {describe_kind(function)}")
    owner = getattr(function, "__self__", None)
    module = str(getattr(function, "__module__", "") or "")
    if isinstance(owner, list):
        return NotCompiled(
            "a list cannot be changed in compiled code; a tuple can be made longer: items + (x,)"
        )
    if module.partition(".")[0] == "numpy" or type(function).__module__ == "numpy":
        instead = f"; math.{name} does the same for a number" if hasattr(math, name) else ""
        return NotCompiled(f"NumPy's {name} cannot be compiled here{instead}")
    if isinstance(function, type) and issubclass(function, BaseException):
        return NotCompiled("compiled code raises nothing: return nan instead")
    if isinstance(function, type):
        return NotCompiled(
            f"a {name} cannot be made in compiled code; a tuple can, or a value of engine.algebra"
        )
    return no_function(name)
