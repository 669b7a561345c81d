"""32-bit numbers in plain Python, and constants that follow the precision.

Python's floats have 64 bits, so each result is rounded. A sum, product, quotient or square root of
32-bit numbers computed with 64 bits and then rounded equals that of 32-bit arithmetic to the last
bit. Compiled code also computes other functions with 64 bits and rounds them.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_float
from typing import Any


class Single(float):
    """A 32-bit number; a 64-bit number that it meets in an operation is rounded first."""

    __slots__ = ()
    __hash__ = float.__hash__

    def __new__(cls, x: float) -> Single:
        """The nearest one."""
        return float.__new__(cls, c_float(x).value)


def _rounding(operation: Callable[..., Any], compares: bool) -> Callable[[Single, Any], Any]:
    def operate(self: Single, other: Any) -> Any:
        if not isinstance(other, float | int):
            return NotImplemented  # a value, which knows what it is with a number
        result = operation(self, c_float(other).value)
        return result if compares else Single(result)

    return operate


for _name in ("add", "sub", "mul", "truediv"):
    for _side in ("", "r"):
        setattr(
            Single,
            f"__{_side}{_name}__",
            _rounding(getattr(float, f"__{_side}{_name}__"), compares=False),
        )
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Single, f"__{_name}__", _rounding(getattr(float, f"__{_name}__"), compares=True))


def of_singles(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes with 64 bits, and rounds if one of its numbers has 32."""

    def compute(*given: Any) -> float:
        result = function(*given)
        return (
            Single(result) if isinstance(result, float) and any(map(is_single, given)) else result
        )

    return compute


for _name in ("neg", "pos", "abs", "pow", "rpow"):
    setattr(Single, f"__{_name}__", of_singles(getattr(float, f"__{_name}__")))


def is_single(x: float) -> bool:
    """Return whether a number has 32 bits."""
    return isinstance(x, Single)


class ByPrecision:
    """A constant, such as a tolerance, with one value for 64 bits and another for 32."""

    __slots__ = ("double", "single")

    def __init__(self, double: float, single: float) -> None:
        self.double, self.single = double, single

    def of(self, x: float) -> float:
        """The one for the precision of x."""
        return self.single if is_single(x) else self.double
