"""Run a function of the compiled subset twice: as plain Python, and as unfused machine code."""

from __future__ import annotations

import ctypes
import math
from array import array
from collections.abc import Sequence
from typing import Any

from algebra.compiling import define_function

from engine.compiler import native
from engine.compiler.frontend import compilation

REAL, WHOLE, TRUTH = range(3)
ROOM = 16
"""The largest number of values in a result, and the size of the memory that a function receives."""

# Stores the numbers of a result and their types; runs plain and compiled, like the function.
WRAPPER = """
def entry({parameters}memory, reals, wholes, kinds):
    result = {name}({arguments})
    for i, x in enumerate(result if isinstance(result, tuple | list) else (result,)):
        if isinstance(x, bool):
            kinds[i], wholes[i] = 2, int(x)
        elif isinstance(x, int):
            kinds[i], wholes[i] = 1, x
        else:
            kinds[i], reals[i] = 0, x
"""


class BothWays:
    """A function, defined by text, in plain Python and compiled.

    takes : "real" or "int" of each of its arguments; a last one named `memory` gets sixteen real
        numbers to write to.
    """

    def __init__(self, text: str, takes: Sequence[str], **names: Any) -> None:
        self.plain = define_function(text, {"math": math} | names)
        given = [f"x{i}" for i in range(len(takes))]
        with_memory = "memory" in self.plain.__code__.co_varnames[: self.plain.__code__.co_argcount]
        wrapper = WRAPPER.format(
            parameters="".join(f"{name}, " for name in given),
            name=self.plain.__name__,
            arguments=", ".join([*given, *(["memory"] if with_memory else [])]),
        )
        self._entry = define_function(wrapper, {self.plain.__name__: self.plain})
        self.text = compilation.text_of(
            self._entry, (*takes, "real*", "real*", "int*", "int*"), fused=False
        )
        kinds = {"real": ctypes.c_double, "int": ctypes.c_int64}
        prototype = ctypes.CFUNCTYPE(None, *(kinds[kind] for kind in takes), *[ctypes.c_void_p] * 4)
        self._compiled = prototype(native.link(native.object_code(self.text)))

    def in_python(self, *given: float) -> list[Any]:
        """Return the result of plain Python, and the memory after it."""
        memory = memoryview(
            array("d", [0.5 * i for i in range(ROOM)])
        )  # a slice of which is no copy
        reals = [0.0] * ROOM
        wholes = [0] * ROOM
        kinds = [None] * ROOM
        self._entry(*given, memory, reals, wholes, kinds)
        return [*self._read(reals, wholes, kinds), *memory]

    def compiled(self, *given: float) -> list[Any]:
        """Return the result of machine code, and the memory after it."""
        memory = (ctypes.c_double * ROOM)(*(0.5 * i for i in range(ROOM)))
        reals = (ctypes.c_double * ROOM)()
        wholes = (ctypes.c_int64 * ROOM)()
        kinds = (ctypes.c_int64 * ROOM)(*[-1] * ROOM)
        self._compiled(*given, memory, reals, wholes, kinds)
        return [*self._read(reals, wholes, [None if kind < 0 else kind for kind in kinds]), *memory]

    @staticmethod
    def _read(reals: Any, wholes: Any, kinds: Any) -> list[Any]:
        held = {
            None: [None] * ROOM,
            REAL: reals,
            WHOLE: wholes,
            TRUTH: [whole == 1 for whole in wholes],
        }
        return [held[kind][i] for i, kind in enumerate(kinds)]


def same(plain: Any, compiled: Any) -> bool:
    """Compare bit for bit; an integer may have become a float on some path, and all nans are
    equal.
    """
    if plain is None or compiled is None or isinstance(plain, bool) != isinstance(compiled, bool):
        return plain is compiled
    if isinstance(plain, int) and isinstance(compiled, float):
        return plain == compiled
    if isinstance(plain, float) != isinstance(compiled, float):
        return False
    if isinstance(plain, float) and math.isnan(plain):
        return math.isnan(compiled)
    return bool(plain == compiled and math.copysign(1.0, plain) == math.copysign(1.0, compiled))


def agree(function: BothWays, *inputs: Sequence[float]) -> int:
    """Count the agreements; cases in which Python raises for lack of inf and nan are skipped."""
    compared = 0
    for given in inputs:
        try:
            plain = function.in_python(*given)
        except (ZeroDivisionError, OverflowError, ValueError):
            continue
        if any(isinstance(x, int) and not -(2**63) <= x < 2**63 for x in plain):
            continue  # whole numbers have 64 bits
        compiled = function.compiled(*given)
        assert all(map(same, plain, compiled)), f"{given}: {plain} in Python, {compiled} compiled"
        compared += 1
    return compared
