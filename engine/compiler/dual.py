"""Dual numbers: a value with its derivatives in some directions, for forward-mode differentiation.

A function of dual numbers returns its value, and its derivatives by the chain rule. Components may
be dual numbers themselves, which gives second derivatives.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ..algebra.values import Value
from .frontend.record import Record


class Dual(Record):
    """A number x and its derivatives d; comparisons are of x alone."""

    __slots__ = ("d", "x")

    def __init__(self, x: Any, d: tuple[Any, ...]) -> None:
        self.x = x
        self.d = d

    def __neg__(self) -> Dual:
        return Dual(-self.x, tuple([-a for a in self.d]))

    def __abs__(self) -> Dual:
        sign = 1.0 - 2.0 * (value_of(self) < 0.0)
        return Dual(abs(self.x), tuple([sign * a for a in self.d]))

    def __add__(self, other: Any) -> Any:
        return _with(self, other, lambda a, b: a + b, lambda a, b: a)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _with(self, other, lambda a, b: a - b, lambda a, b: a)

    def __rsub__(self, other: Any) -> Any:
        return Dual(other - self.x, tuple([-a for a in self.d]))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Dual):
            return Dual(
                self.x * other.x,
                tuple([a * other.x + self.x * b for a, b in zip(self.d, other.d, strict=True)]),
            )
        return _with(self, other, lambda a, b: a * b, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Dual):
            q, r = self.x / other.x, 1.0 / other.x
            return Dual(q, tuple([(a - q * b) * r for a, b in zip(self.d, other.d, strict=True)]))
        return _with(self, other, lambda a, b: a / b, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        q = other / self.x
        slope = -q / self.x
        return Dual(q, tuple([slope * a for a in self.d]))

    def __pow__(self, n: Any) -> Any:
        slope = n * self.x ** (n - 1.0)
        return Dual(self.x**n, tuple([slope * a for a in self.d]))


def _with(a: Dual, b: Any, value: Callable[..., Any], slope: Callable[..., Any]) -> Any:
    """Apply an operation; of two dual numbers, to the derivatives too, and with a constant b,
    `slope`.
    """
    if isinstance(b, Dual):
        return Dual(value(a.x, b.x), tuple([value(p, q) for p, q in zip(a.d, b.d, strict=True)]))
    if isinstance(b, Value | Record):
        return NotImplemented
    return Dual(value(a.x, b), tuple([slope(p, b) for p in a.d]))


def _comparison(name: str) -> Callable[[Dual, Any], Any]:
    return lambda self, other: getattr(operator, name)(value_of(self), value_of(other))


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Dual, f"__{_name}__", _comparison(_name))


def value_of(x: Any) -> Any:
    """Return a number without derivatives."""
    return value_of(x.x) if isinstance(x, Dual) else x


def with_slopes(x: Any, slopes: tuple[Any, ...]) -> Any:
    """Return a number with its derivatives, to stand where a number does."""
    return Dual(x, slopes)


def derivative(x: Any, i: int = 0) -> Any:
    """Return the derivative of a number in a direction; that of a constant is 0."""
    return x.d[i] if isinstance(x, Dual) else 0.0


SLOPES: dict[str, Callable[..., Any]] = {
    "sqrt": lambda x: 0.5 / math.sqrt(x),
    "sin": lambda x: math.cos(x),
    "cos": lambda x: -math.sin(x),
    "exp": lambda x: math.exp(x),
    "log": lambda x: 1.0 / x,
    "tan": lambda x: 1.0 + math.tan(x) * math.tan(x),
    "asin": lambda x: 1.0 / math.sqrt(1.0 - x * x),
    "acos": lambda x: -1.0 / math.sqrt(1.0 - x * x),
    "atan": lambda x: 1.0 / (1.0 + x * x),
    "sinh": lambda x: math.cosh(x),
    "cosh": lambda x: math.sinh(x),
    "tanh": lambda x: 1.0 - math.tanh(x) * math.tanh(x),
    "fabs": lambda x: 1.0 - 2.0 * (value_of(x) < 0.0),
}
"""Derivatives of the functions of `math` with one argument."""


def differentiated(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `math` for dual numbers; `call` calls a function with arguments."""
    function = getattr(math, name, {"int": int, "bool": bool}.get(name))

    def of(*given: Any) -> Any:
        if not any(isinstance(x, Dual) for x in given):
            return NotImplemented
        if name == "atan2":
            y, x = given
            y0, x0 = (one.x if isinstance(one, Dual) else one for one in given)
            r2 = value_of(x) * value_of(x) + value_of(y) * value_of(y)
            return Dual(call(function, y0, x0), ((x0 / r2) * y - (y0 / r2) * x).d)
        if name in SLOPES:
            x = given[0]
            slope = call(SLOPES[name], given[0].x)
            return Dual(call(function, x.x), tuple([slope * a for a in x.d]))
        if name == "float":
            return given[0]
        return call(function, *map(value_of, given))

    return of
