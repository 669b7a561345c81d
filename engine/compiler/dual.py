"""Dual numbers: a value with its derivatives in some directions, for forward-mode differentiation.

A function of dual numbers returns its value, and its derivatives by the chain rule. Components may
be dual numbers themselves, which gives second derivatives.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import cast

from ..algebra.values import Value
from .frontend.record import Record


class Dual(Record):
    """A number x and its derivatives d; comparisons are of x alone."""

    __slots__ = ("d", "x")

    def __init__(self, x: Number, d: tuple[Number, ...]) -> None:
        self.x = x
        self.d = d

    def __neg__(self) -> Dual:
        return Dual(-self.x, tuple([-a for a in self.d]))

    def __abs__(self) -> Dual:
        sign = 1.0 - 2.0 * (value_of(self) < 0.0)
        return Dual(cast(Number, abs(self.x)), tuple([sign * a for a in self.d]))

    def __add__(self, other: Number) -> Dual:
        return _with(self, other, lambda a, b: a + b, lambda a, b: a)

    __radd__ = __add__

    def __sub__(self, other: Number) -> Dual:
        return _with(self, other, lambda a, b: a - b, lambda a, b: a)

    def __rsub__(self, other: Number) -> Dual:
        return Dual(other - self.x, tuple([-a for a in self.d]))

    def __mul__(self, other: Number) -> Dual:
        if isinstance(other, Dual):
            return Dual(
                self.x * other.x,
                tuple([a * other.x + self.x * b for a, b in zip(self.d, other.d, strict=True)]),
            )
        return _with(self, other, lambda a, b: a * b, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Dual:
        if isinstance(other, Dual):
            q, r = self.x / other.x, 1.0 / other.x
            return Dual(q, tuple([(a - q * b) * r for a, b in zip(self.d, other.d, strict=True)]))
        return _with(self, other, lambda a, b: a / b, lambda a, b: a / b)

    def __rtruediv__(self, other: Number) -> Dual:
        q = other / self.x
        slope = -q / self.x
        return Dual(q, tuple([slope * a for a in self.d]))

    def __pow__(self, n: float) -> Dual:
        slope = n * self.x ** (n - 1.0)
        return Dual(self.x**n, tuple([slope * a for a in self.d]))


Number = float | Dual
"""A number, perhaps with derivatives; while compiling, symbols stand for floats."""
Operation = Callable[[Number, Number], Number]


def _with(a: Dual, b: Number, value: Operation, slope: Operation) -> Dual:
    """Apply an operation; of two dual numbers, to the derivatives too, and with a constant b,
    `slope`.
    """
    if isinstance(b, Dual):
        return Dual(value(a.x, b.x), tuple([value(p, q) for p, q in zip(a.d, b.d, strict=True)]))
    if isinstance(b, Value | Record):
        return NotImplemented
    return Dual(value(a.x, b), tuple([slope(p, b) for p in a.d]))


def _comparison(name: str) -> Callable[[Dual, Number], bool]:
    return lambda self, other: getattr(operator, name)(value_of(self), value_of(other))


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Dual, f"__{_name}__", _comparison(_name))


def value_of(x: Number) -> float:
    """Return a number without derivatives."""
    return value_of(x.x) if isinstance(x, Dual) else x


def with_slopes(x: Number, slopes: tuple[Number, ...]) -> float:
    """Return a number with its derivatives, to stand where a number does."""
    return cast(float, Dual(x, slopes))


def derivative(x: Number, i: int = 0) -> float:
    """Return the derivative of a number in a direction; that of a constant is 0."""
    return cast(float, x.d[i]) if isinstance(x, Dual) else 0.0


SLOPES: dict[str, Callable[[float], float]] = {
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


def differentiated(name: str, call: Callable[..., Number]) -> Callable[..., Number]:
    """Return a function of `math` for dual numbers; `call` calls a function with arguments."""
    own = {"int": int, "bool": bool, "float": float}
    function: Callable[..., float] = own.get(name) or getattr(math, name)

    def of(*given: Number) -> Number:
        if not any(isinstance(x, Dual) for x in given):
            return NotImplemented
        if name == "atan2":
            y, x = given
            y0, x0 = (one.x if isinstance(one, Dual) else one for one in given)
            r2 = value_of(x) * value_of(x) + value_of(y) * value_of(y)
            slope = (x0 / r2) * y - (y0 / r2) * x
            assert isinstance(slope, Dual)
            return Dual(call(function, y0, x0), slope.d)
        x = given[0]
        if name in SLOPES and isinstance(x, Dual):
            slope = call(SLOPES[name], x.x)
            return Dual(call(function, x.x), tuple([slope * a for a in x.d]))
        if name == "float":
            return given[0]
        return call(function, *map(value_of, given))

    return of
