"""Built-in functions in compiled code: Python's own, those of `math`, and the primitives."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ...algebra.precision import is_single
from ...algebra.rarely_called import any_of
from .. import dual, lanes, primitives, series
from .arrays import Array, numpy_functions
from .expressions import read_attribute
from .refusal import NotCompiled, no_function
from .statements import Range
from .structure import choose, has_series, leaves, map_leaves, strip
from .symbols import REALS, Content, Memory, Symbol, is_number
from .writer import Writer, describe_kind

INTRINSICS = ("sqrt", "sin", "cos", "exp", "log", "fabs", "copysign")
OF_TWO = ("copysign", "atan2", "fmod", "pow")
C_LIBRARY = (
    "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "cbrt", "fmod", "expm1", "log1p", "log2", "log10",
)  # fmt: skip
"""Functions of `math`: LLVM's intrinsics, those with two arguments, those of the C library (whose
hypot differs from Python's).
"""

AS_IN_PYTHON = frozenset({
    abs, len, tuple, list, zip, enumerate, reversed, all, any, issubclass, sorted, float, int, bool,
    *(getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "matmul", "pow", "neg")),
})  # fmt: skip
"""Functions that work on symbols as on numbers."""

NATIVE = (
    series.unknown_series, series.time_series, series.extend, series.coefficient, series.coefficients,
    series.read_lanes,
    lanes.lanes, lanes.spread, lanes.choose_lanes, lanes.lane, lanes.get_lanes,
    lanes.get_twice, lanes.put_lanes,
)  # fmt: skip
"""Functions of this package that do with symbols what they do with numbers."""


def has_symbols(*values: Any) -> bool:
    """Return whether any number in these values is a symbol."""
    return any(isinstance(leaf, Symbol) for value in values for leaf in leaves(value))


class Builtins:
    """The functions with a special meaning; one that returns NotImplemented leaves the call to
    Python.
    """

    def __init__(self, writer: Writer, call: Callable[..., Any]) -> None:
        self._writer = writer
        self._call = call
        of_numbers: dict[str, Callable[..., Any]] = {
            **{name: functools.partial(writer.intrinsic, name) for name in INTRINSICS},
            **{name: functools.partial(writer.call, name) for name in C_LIBRARY},
            "pow": writer.power,
            "floor": lambda x: self._rounded("floor", x),
            "ceil": lambda x: self._rounded("ceil", x),
            "trunc": writer.whole,
            "isnan": lambda x: writer.comparison("ne", x, x),
            "isfinite": lambda x: writer.comparison("eq", x - x, 0.0),
            "isinf": lambda x: writer.comparison("eq", abs(x), math.inf),
        }
        self._table: dict[Any, Callable[..., Any]] = {
            **{
                getattr(math, name): self._of_numbers(name, meaning)
                for name, meaning in of_numbers.items()
            },
            float: self._of_numbers("float", writer.real),
            int: self._of_numbers("int", writer.whole),
            bool: self._of_numbers("bool", writer.truth),
            getattr: read_attribute,
            type: lambda x: TYPES[x.kind] if isinstance(x, Symbol) else type(x),
            isinstance: self._isinstance,
            range: self._range,
            max: functools.partial(self._most, max, operator.gt),
            min: functools.partial(self._most, min, operator.lt),
            sum: self._sum,
            map: lambda function, *groups: [
                call(function, list(given), {}) for given in zip(*groups, strict=False)
            ],
            is_single: lambda x: isinstance(x, Symbol) and x.kind == "single",
            primitives.single: functools.partial(self._in_precision, "single"),
            primitives.double: functools.partial(self._in_precision, "real"),
            **{function: function for function in (strip, dual.value_of, dual.derivative)},
            **{function: function for function in NATIVE},
            primitives.raised: self._raised,
            primitives.own_memory: lambda numbers: self._own(numbers, "int"),
            primitives.make_room: self._make_room,
            primitives.side_by_side: self._side_by_side,
            any_of: writer.any_of,
            primitives.bits_of: self._bits_of,
            primitives.real_of: self._real_of,
            primitives.guarded: self._guarded,
            primitives.torque_at: functools.partial(self._at, 3),
            primitives.potential_at: functools.partial(self._at, 1),
            primitives.small_array: Array,
            **numpy_functions(call),
        }

    def of(self, function: Any) -> Callable[..., Any] | None:
        """Return the meaning of a function, if it has one here."""
        try:
            return self._table.get(function)
        except TypeError:  # not hashable
            return None

    def _of_numbers(self, name: str, meaning: Callable[..., Any]) -> Callable[..., Any]:
        """Return the meaning for symbols; constants are computed while compiling."""
        takes = 2 if name in OF_TWO else 1
        of_duals = dual.differentiated(
            name, lambda function, *given: self._call(function, list(given), {})
        )

        of_series = series.expanded(
            name, lambda function, *given: self._call(function, list(given), {})
        )

        def of(*given: Any) -> Content:
            if (expanded := of_series(*given)) is not NotImplemented:
                return expanded
            if not has_symbols(*given):
                return NotImplemented
            if (found := of_duals(*given)) is not NotImplemented:
                return found
            if len(given) != takes or not all(map(is_number, given)):
                what = " and ".join(f"a {describe_kind(one)}" for one in given)
                raise NotCompiled(
                    f"{name} takes {('a number', 'two numbers')[takes - 1]} in compiled code, not {what}"
                )
            return meaning(*given)

        return of

    def _rounded(self, how: str, x: Any) -> Any:
        return self._writer.whole(self._writer.intrinsic(how, x) if x.kind in REALS else x)

    def _range(self, *limits: Any) -> Any:
        if not has_symbols(*limits):
            return range(*limits)
        if len(limits) > 3 or self._writer.common(limits) in REALS:
            raise NotCompiled("a range takes one to three whole numbers")
        return Range(*limits)

    def _isinstance(self, x: Any, types: Any) -> bool:
        return issubclass(TYPES[x.kind], types) if isinstance(x, Symbol) else isinstance(x, types)

    def _most(self, plain: Any, better: Any, *given: Any) -> Any:
        """Compute max or min as Python does: the first stays unless another is better, also where
        one is nan.
        """
        values = tuple(given[0]) if len(given) == 1 else given
        if any(isinstance(value, series.Series) for value in values):
            raise series.NoSeries(plain.__name__)
        if not has_symbols(values):
            return plain(values)
        best = values[0]
        for value in values[1:]:
            wins = better(value, best)
            if isinstance(wins, Symbol):
                best = choose(self._writer, wins, value, best)
            elif wins:
                best = value
        return best

    def _sum(self, values: Any, start: Any = 0) -> Any:
        values = list(values)
        if has_symbols(values, start):
            raise no_function("sum")
        return sum(values, start)

    # ------------------------------------------------------------------ primitives

    def _in_precision(self, kind: str, value: Any) -> Any:
        def converted(x: Any) -> Content:
            return self._writer.real(x, kind) if isinstance(x, Symbol) and x.kind in REALS else x

        return map_leaves(value, converted)

    def _raised(self, flag: Memory) -> Any:
        loaded = self._writer.symbol(
            "int", f"load atomic i64, ptr {flag.place(0)} monotonic, align 8"
        )
        return self._writer.comparison("ne", loaded, 0)

    def _own(self, numbers: Sequence[Any], kind: str) -> Memory:
        memory = Memory(
            self._writer, kind, self._writer.room(kind, len(numbers)), length=len(numbers)
        )
        for i, number in enumerate(numbers):
            memory[i] = number
        return memory

    def _make_room(self, n: int) -> Memory:
        memory = Memory(self._writer, "real", self._writer.room("real", n, lanes.WIDTH), length=n)
        memory[0] = math.nan
        return memory

    def _side_by_side(self, memory: Memory, count: int) -> Memory:
        if count == 1:
            return memory
        self._writer.put_side_by_side(count)
        return Memory(self._writer, "lanes", memory.pointer, memory.start, memory.stride)

    def _at(self, n: int, address: Symbol, t: Any, motion: Any) -> tuple[Any, ...]:
        """Call a C function that writes n reals, initially nan, and returns whether it failed."""
        pointer = self._writer.emit(f"inttoptr {self._writer.typed('int', address)} to ptr")
        given = self._own(list(motion), "real")
        out = self._own([math.nan] * n, "real")
        arguments = f"{self._writer.typed('real', t)}, ptr {given.pointer}, ptr {out.pointer}"
        failed = self._writer.symbol("int", f"call i64 {pointer}({arguments})")
        return *out, failed

    def _bits_of(self, x: Any) -> Any:
        return self._cast(x, {"real": "int", "lanes": "wholes"})

    def _real_of(self, bits: Any) -> Any:
        return self._cast(bits, {"int": "real", "wholes": "lanes"})

    def _cast(self, x: Symbol, to: dict[str, str]) -> Any:
        source = "real" if x.kind == "single" else x.kind  # which widens it
        kind = to[source]
        casted = f"bitcast {self._writer.typed(source, x)} to {self._writer.types[kind]}"
        return self._writer.symbol(kind, casted)

    def _guarded(self, function: Any, *arguments: Any) -> tuple[Any, Any]:
        if has_series(arguments):  # the nan of a series says that it has no values
            return self._call(function, list(arguments), {}), False
        with self._writer.guarding() as guard:
            result = self._call(function, list(arguments), {})
        return result, guard.failed()


TYPES = {"real": float, "single": float, "lanes": float, "int": int, "bool": bool}
"""Python's type for each kind of number."""
