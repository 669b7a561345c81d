"""A step without its rare branches: where one would be taken, it gives nan.

The formulas of `engine.algebra` hold for turns that a step usually makes, and call the C library beyond. A loop with
such a call cannot become vector instructions. So bodies side by side make a quick step first, in which the call is
not there, and those whose state came out as nan make the whole step.
"""

from __future__ import annotations

import functools
import math
import types as pytypes
from typing import Any

from ..algebra import rotations
from ..compiler.fingerprint import names_of


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
"""Branches that are seldom taken, and what stands for them in a quick step."""


def without_rare(thing: Any) -> Any:
    """A function, or a tuple with functions, that reaches nothing rare; itself if it does not anyway."""
    if isinstance(thing, tuple) and type(thing) is tuple:
        changed = tuple(without_rare(part) for part in thing)
        return thing if all(a is b for a, b in zip(changed, thing, strict=True)) else changed
    return _quick(thing) if isinstance(thing, pytypes.FunctionType) else thing


@functools.cache
def _quick(function: pytypes.FunctionType) -> pytypes.FunctionType:
    """The function with all that it calls made quick, one copy for all kernels."""
    if function in RARE:
        return RARE[function]
    changed = {name: new for name, used in names_of(function).items() if (new := without_rare(used)) is not used}
    if not changed:
        return function
    cells = tuple(
        pytypes.CellType(changed.get(name, cell.cell_contents))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    names = function.__globals__ | changed
    copied = pytypes.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
    copied.__module__ = function.__module__
    return copied


@functools.cache
def iterates(thing: Any) -> bool:
    """Whether a function, or one in a tuple, counts iterations or may find no solution.

    Such a step looks for a way out where something is not finite, and nan on the way could change its result.
    """
    if isinstance(thing, pytypes.FunctionType):
        ways_out = {"count_newton", "not_found", "no_solution"} & set(thing.__code__.co_names)
        return bool(ways_out) or any(
            iterates(used) for used in names_of(thing).values() if isinstance(used, pytypes.FunctionType)
        )
    return isinstance(thing, tuple) and any(iterates(part) for part in thing)
