"""Functions with others in place of what they call: steps without their rare branches, and plain
ones for 32 bits.

The formulas of `engine.algebra` hold for turns that a step usually makes, and call the C library
beyond. A loop with such a call cannot become vector instructions. So bodies side by side make a
quick step first, in which the call is not there, and those whose state came out as nan make the
whole step.

Plain Python's functions of `math` return floats of 64 bits, which have to be rounded where 32 are
computed with.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types as pytypes
from collections.abc import Callable, Mapping
from typing import Any

from ..algebra import rotations
from ..algebra.precision import of_singles
from ..compiler import series
from ..compiler.fingerprint import names_of
from ..problems.field import Field


def nowhere(x: float) -> float:
    """Nan, in place of a coefficient."""
    return math.nan


def nowhere_both(x: float) -> tuple[float, float]:
    """Nan, in place of two coefficients."""
    return math.nan, math.nan


RARE: dict[Any, Any] = {
    rotations.sincos_far: nowhere_both,
    rotations.exp_coefficients_far: nowhere_both,
    rotations.dexp_coefficient_far: nowhere,
    rotations.dexpinv_coefficient_far: nowhere,
}
"""Branches that are rarely taken, and what stands for them in a quick step."""


class Replacing:
    """Makes of a function, or of a tuple or a field with functions, one that reaches others in
    place of some.

    What reaches none of these stays what it is. Of each function there is one copy for all kernels.
    """

    def __init__(self, instead: Mapping[Any, Any]) -> None:
        self._instead = instead
        self._made: dict[Any, Any] = {}

    def __call__(self, thing: Any) -> Any:
        """The same, with the others."""
        if type(thing) is tuple:
            changed = tuple(map(self, thing))
            return thing if all(a is b for a, b in zip(changed, thing, strict=True)) else changed
        if isinstance(thing, Field):
            parts = {part.name: getattr(thing, part.name) for part in dataclasses.fields(thing)}
            others = {name: new for name, part in parts.items() if (new := self(part)) is not part}
            return dataclasses.replace(thing, **others) if others else thing
        if not isinstance(thing, FUNCTIONS):
            return thing
        if thing in self._instead:
            return self._instead[thing]
        if isinstance(thing, pytypes.FunctionType) and thing not in self._made:
            self._made[thing] = thing  # what calls itself calls what it was
            self._made[thing] = self._copied(thing)
        return self._made.get(thing, thing)

    def _copied(self, function: pytypes.FunctionType) -> pytypes.FunctionType:
        changed = {
            name: new
            for name, used in names_of(function).items()
            if (new := self(used)) is not used
        }
        if not changed:
            return function
        cells = tuple(
            pytypes.CellType(changed.get(name, cell.cell_contents))
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            )
        )
        names = function.__globals__ | changed
        copied = pytypes.FunctionType(
            function.__code__, names, function.__name__, function.__defaults__, cells
        )
        copied.__module__ = function.__module__
        return copied


def expanding(name: str, function: Callable[..., float]) -> Callable[..., Any]:
    """A function of `math` that takes series as well."""
    of_series = series.expanded(name, lambda plain, *given: plain(*given))

    def either(*given: Any) -> Any:
        found = of_series(*given)
        return function(*given) if found is NotImplemented else found

    return either


FUNCTIONS = (pytypes.FunctionType, pytypes.BuiltinFunctionType, pytypes.ModuleType)
without_rare = Replacing(RARE)
"""Reaches nothing rare."""
in_singles = Replacing(
    {function: of_singles(function) for name, function in vars(math).items() if callable(function)}
)
"""Rounds what `math` gives, in plain Python."""


@functools.cache
def iterates(thing: Any) -> bool:
    """Whether a function, or one in a tuple, counts iterations or may find no solution.

    Such a step looks for a way out where something is not finite, and nan on the way could change
    its result.
    """
    if isinstance(thing, pytypes.FunctionType):
        ways_out = {"count_newton", "not_found", "no_solution"} & set(thing.__code__.co_names)
        return bool(ways_out) or any(
            iterates(used)
            for used in names_of(thing).values()
            if isinstance(used, pytypes.FunctionType)
        )
    return isinstance(thing, tuple) and any(iterates(part) for part in thing)


EXPANDING = {
    name: expanding(name, function)
    for name, function in vars(math).items()
    if name in series.FUNCTIONS
}
with_series = Replacing(
    {
        math: pytypes.SimpleNamespace(**(vars(math) | EXPANDING)),
        **{getattr(math, name): function for name, function in EXPANDING.items()},
    }
)
"""Gives what `math` gives of series too, in plain Python."""
