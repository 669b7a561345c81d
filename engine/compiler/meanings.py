"""What functions that are not written in Python mean in compiled code: Python's own, `math`'s, the primitives."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..algebra.precision import is_single
from . import primitives
from .expressions import attribute
from .refusal import NotCompiled, no_function
from .statements import Range
from .symbols import REALS, Memory, Symbol, is_number
from .values import leaves, mapped
from .writer import Writer, told

INTRINSICS = ("sqrt", "sin", "cos", "exp", "log", "fabs", "copysign")
OF_TWO = ("copysign", "atan2", "fmod", "pow")
C_LIBRARY = (
    "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "cbrt", "fmod", "expm1", "log1p", "log2", "log10",
)  # fmt: skip
"""Functions of `math` that are LLVM's own, that take two numbers, of the C library (whose hypot is not Python's)."""

AS_IN_PYTHON = frozenset({
    abs, len, tuple, list, zip, enumerate, reversed, all, any, issubclass, sorted, float, int, bool,
    *(getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "matmul", "neg")),
})  # fmt: skip
"""Functions that do with symbols what they do with numbers."""


def has_symbols(*values: Any) -> bool:
    """Whether any number in these is known only when the program runs."""
    return any(isinstance(leaf, Symbol) for value in values for leaf in leaves(value))


class Meanings:
    """The table of functions with a meaning of their own; one that returns NotImplemented leaves it to Python."""

    def __init__(self, writer: Writer, call: Callable[..., Any]) -> None:
        self._writer, self._call = writer, call
        of_numbers: dict[str, Callable[..., Any]] = {
            **{name: functools.partial(writer.intrinsic, name) for name in INTRINSICS},
            **{name: functools.partial(writer.called, name) for name in C_LIBRARY},
            "pow": writer.power,
            "floor": lambda x: self._rounded("floor", x),
            "ceil": lambda x: self._rounded("ceil", x),
            "trunc": writer.whole,
            "isnan": lambda x: writer.comparison("ne", x, x),
            "isfinite": lambda x: writer.comparison("eq", x - x, 0.0),
            "isinf": lambda x: writer.comparison("eq", abs(x), math.inf),
        }
        self._table: dict[Any, Callable[..., Any]] = {
            **{getattr(math, name): self._of_numbers(name, meaning) for name, meaning in of_numbers.items()},
            float: self._of_numbers("float", writer.real),
            int: self._of_numbers("int", writer.whole),
            bool: self._of_numbers("bool", writer.truth),
            getattr: attribute,
            type: lambda x: TYPES[x.kind] if isinstance(x, Symbol) else type(x),
            isinstance: self._isinstance,
            range: self._range,
            max: functools.partial(self._most, max, operator.gt),
            min: functools.partial(self._most, min, operator.lt),
            sum: self._sum,
            map: lambda function, *groups: [call(function, list(given), {}) for given in zip(*groups, strict=False)],
            is_single: lambda x: isinstance(x, Symbol) and x.kind == "single",
            primitives.single: functools.partial(self._in_precision, "single"),
            primitives.double: functools.partial(self._in_precision, "real"),
            primitives.raised: self._raised,
            primitives.own_memory: lambda numbers: self._own(numbers, "int"),
            primitives.bits_of: self._bits_of,
            primitives.guarded: self._guarded,
            primitives.torque_at: functools.partial(self._at, 3),
            primitives.potential_at: functools.partial(self._at, 1),
        }

    def of(self, function: Any) -> Callable[..., Any] | None:
        """What a function means here, if it is one of these."""
        try:
            return self._table.get(function)
        except TypeError:  # not hashable
            return None

    def _of_numbers(self, name: str, meaning: Callable[..., Any]) -> Callable[..., Any]:
        """The meaning for symbols; what is known is computed while compiling."""
        takes = 2 if name in OF_TWO else 1

        def of(*given: Any) -> Any:
            if not has_symbols(*given):
                return NotImplemented
            if len(given) != takes or not all(map(is_number, given)):
                what = " and ".join(f"a {told(one)}" for one in given)
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
        """As Python has it: the first stays unless another is better, also where one is nan."""
        values = tuple(given[0]) if len(given) == 1 else given
        if not has_symbols(values):
            return plain(values)
        best = values[0]
        for value in values[1:]:
            wins = better(value, best)
            if isinstance(wins, Symbol):
                best = self._writer.select(wins, value, best)
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
        def converted(x: Any) -> Any:
            return self._writer.real(x, kind) if isinstance(x, Symbol) and x.kind in REALS else x

        return mapped(value, converted)

    def _raised(self, flag: Memory) -> Any:
        loaded = self._writer.symbol("int", f"load atomic i64, ptr {flag.place(0)} monotonic, align 8")
        return self._writer.comparison("ne", loaded, 0)

    def _own(self, numbers: Sequence[Any], kind: str) -> Memory:
        memory = Memory(self._writer, kind, self._writer.room(kind, len(numbers)), length=len(numbers))
        for i, number in enumerate(numbers):
            memory[i] = number
        return memory

    def _at(self, n: int, address: Symbol, t: Any, motion: Any) -> tuple[Any, ...]:
        """Call a C function that writes n reals, which are nan until it does, and returns whether it failed."""
        pointer = self._writer.named(f"inttoptr {self._writer.typed('int', address)} to ptr")
        given, out = self._own(list(motion), "real"), self._own([math.nan] * n, "real")
        arguments = f"{self._writer.typed('real', t)}, ptr {given.pointer}, ptr {out.pointer}"
        failed = self._writer.symbol("int", f"call i64 {pointer}({arguments})")
        return *out, failed

    def _bits_of(self, x: Any) -> Any:
        return self._writer.symbol("int", f"bitcast {self._writer.typed('real', x)} to i64")

    def _guarded(self, function: Any, *arguments: Any) -> tuple[Any, Any]:
        with self._writer.guarding() as guard:
            result = self._call(function, list(arguments), {})
        return result, guard.failed()


TYPES = {"real": float, "single": float, "int": int, "bool": bool}
"""What Python has for each kind of number."""
