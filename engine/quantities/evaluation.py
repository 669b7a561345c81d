"""Evaluation of quantities: a loop over the rows of a run, compiled for this machine or to
WebAssembly.

The inputs of a quantity lie in one block of memory. A table says where each of them begins, and how
far apart its rows are: 0 for what is the same in every row.
"""

from __future__ import annotations

import ctypes
import functools
import types
from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from ..compiler import cache
from ..compiler.addresses import address
from ..compiler.fingerprint import fingerprint
from ..kernels import compiles, matrix_at, vector_at
from ..parameters.validation import Array

SIZES = {"float": 1, "Vec3": 3, "Mat3": 9}
AXES = {"float": 0, "Vec3": 1, "Mat3": 2}
"""The numbers of a parameter and the axes of its array, by its annotation."""

# the table
RESULT = 0  # where the values go
SCALE = 1  # where the factor and the divisor of the values are, and their limit
INPUTS = 2  # for each parameter the place of its first row, and the distance of its rows

SIGNATURE = ("int", "int", "real*", "int*")
"""which function, how many rows; memory, table"""
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


class Formula(NamedTuple):
    """A function of numbers, vectors and matrices, with the kinds of its parameters."""

    function: Callable[..., float]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, function: Callable[..., float]) -> Formula:
        """The formula of an annotated function; `ValueError` if a kind is unknown."""
        assert isinstance(function, types.FunctionType)
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        found = (function.__annotations__.get(name, "float") for name in names)
        kinds = tuple(kind if isinstance(kind, str) else kind.__name__ for kind in found)
        for name, kind in zip(names, kinds, strict=True):
            if kind not in SIZES:
                raise ValueError(
                    f"{function.__name__}: {name} is a {', a '.join(SIZES)}; it cannot be a {kind}"
                )
        return cls(function, kinds)

    @property
    def key(self) -> str:
        """Identifies the formula in every process, by its code."""
        return _find_key(self)


@functools.cache
def _find_key(formula: Formula) -> str:
    return fingerprint([formula.function], repr(formula.kinds))[:12]


def _evaluate(which, n, memory, table):  # type: ignore[no-untyped-def]
    """Write the values of one of `FORMULAS` for n rows.

    From the first value on that does not lie within the limit, if there is one, values are nan.
    """
    factor = memory[table[SCALE]]
    divisor = memory[table[SCALE] + 1]
    limit = memory[table[SCALE] + 2]
    for i in range(n):
        value = nan
        for k, (function, kinds) in enumerate(FORMULAS):  # type: ignore[name-defined]  # noqa: F821
            if which == k:
                value = function(*_read_row(memory, table, i, kinds)) * factor / divisor
        if limit < inf and not abs(value) < limit:
            limit = 0.0
            value = nan
        memory[table[RESULT] + i] = value


def _read_row(memory: Any, table: Any, i: int, kinds: tuple[str, ...]) -> tuple[Any, ...]:
    values: tuple[Any, ...] = ()
    at = INPUTS
    for kind in kinds:
        place = table[at] + i * table[at + 1]
        if kind == "Mat3":
            values += (matrix_at(memory, place),)
        elif kind == "Vec3":
            values += (vector_at(memory, place),)
        else:
            values += (memory[place],)
        at += 2
    return values


def bind(formulas: Sequence[Formula]) -> types.FunctionType:
    """The loop for these formulas, as plain Python."""
    assert isinstance(_evaluate, types.FunctionType)
    return types.FunctionType(
        _evaluate.__code__, _evaluate.__globals__ | {"FORMULAS": tuple(formulas)}, "evaluate"
    )


def make_key(formulas: Sequence[Formula], environment: str) -> str:
    """The key of the compiled loop in the cache."""
    kinds = repr([formula.kinds for formula in formulas])
    functions = [formula.function for formula in formulas]
    return fingerprint([_evaluate, *functions], kinds, environment)


@functools.cache
def compile_formula(formula: Formula) -> Callable[..., None] | None:
    """The compiled loop for one formula, from the cache or compiled now; None if its source is
    missing.
    """
    from ..compiler.frontend.source import SourceMissing

    key = make_key([formula], cache.environment())
    try:
        return PROTOTYPE(address(key, lambda: make_object_code(formula)))
    except SourceMissing:
        return None


def make_object_code(formula: Formula) -> bytes:
    """The machine code of the loop for one formula."""
    from ..compiler import native  # imported when something is compiled, and not before

    return native.object_code(write_text([formula]))


def write_text(formulas: Sequence[Formula], fused: bool = True) -> str:
    """The compiled loop as LLVM IR; `ValueError` if a formula cannot be compiled."""
    from ..compiler.frontend import compilation
    from ..compiler.frontend.refusal import NotCompiled
    from ..compiler.frontend.source import SourceMissing

    try:
        return compilation.text_of(bind(formulas), SIGNATURE, fused=fused)
    except SourceMissing:
        raise
    except NotCompiled as refused:
        file = formulas[-1].function.__code__.co_filename
        raise ValueError(
            f"the quantity in {file} cannot be compiled: {refused.describe(file)}"
        ) from refused


def evaluate(
    formula: Formula,
    inputs: Sequence[Array],
    n: int,
    scale: tuple[float, float, float] = (1.0, 1.0, inf),
) -> Array:
    """(n,) the values of a formula; its inputs have n rows, or one value for every row.

    `scale` has the factor of the values, their divisor, and their limit.
    """
    parts = [np.zeros(n), np.array(scale), *map(np.ravel, inputs)]
    places = np.cumsum([0, *(part.size for part in parts)])
    table = np.zeros(INPUTS + 2 * len(inputs), dtype=np.int64)
    table[SCALE] = places[1]
    table[INPUTS::2] = places[2:-1]
    table[INPUTS + 1 :: 2] = [
        SIZES[kind] if np.ndim(values) > AXES[kind] else 0
        for values, kind in zip(inputs, formula.kinds, strict=True)
    ]
    memory = np.concatenate(parts)
    compiled = compile_formula(formula) if compiles() else None
    if compiled is not None:
        compiled(0, n, memory.ctypes.data, table.ctypes.data)
    else:
        with np.errstate(all="ignore"):
            bind([formula])(0, n, memory, table)
    return memory[:n]
