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
from .frontend.refusal import NotCompiled
from .frontend.symbols import apply


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

    def __pow__(self, exponent: Number) -> Dual:
        if isinstance(exponent, Dual):
            power = self.x**exponent.x
            of_base = exponent.x * self.x ** (exponent.x - 1.0)
            of_exponent = power * _logarithm(self.x)
            slopes = zip(self.d, exponent.d, strict=True)
            return Dual(power, tuple([of_base * a + of_exponent * b for a, b in slopes]))
        slope = exponent * self.x ** (exponent - 1.0)
        return Dual(self.x**exponent, tuple([slope * a for a in self.d]))

    def __rpow__(self, base: Number) -> Dual:
        power = base**self.x
        slope = power * _logarithm(base)
        return Dual(power, tuple([slope * a for a in self.d]))


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


def _logarithm(x: Number) -> Number:
    if isinstance(x, Dual):
        return Dual(_logarithm(x.x), tuple([a / x.x for a in x.d]))
    return cast(float, apply(math.log, x))


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
    "cbrt": lambda x: 1.0 / (3.0 * math.cbrt(x) * math.cbrt(x)),
    "expm1": lambda x: math.exp(x),
    "log1p": lambda x: 1.0 / (1.0 + x),
    "log2": lambda x: 1.0 / (math.log(2.0) * x),
    "log10": lambda x: 1.0 / (math.log(10.0) * x),
    "fabs": lambda x: 1.0 - 2.0 * (value_of(x) < 0.0),
}
"""Derivatives of the functions of `math` with one argument."""

SLOPES_OF_TWO: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "atan2": lambda y, x: (x / (x * x + y * y), -y / (x * x + y * y)),
    "fmod": lambda a, b: (1.0, -float(math.trunc(a / b))),
    "copysign": lambda a, b: (math.copysign(1.0, a) * math.copysign(1.0, b), 0.0),
}
"""Derivatives of functions with two arguments, with respect to each."""

WITHOUT_SLOPE = ("int", "bool", "floor", "ceil", "trunc", "isnan", "isfinite", "isinf")
"""Functions whose values are constant between jumps."""


def differentiated(name: str, call: Callable[..., Number]) -> Callable[..., Number]:
    """Return a function of `math` for dual numbers; `call` calls a function with arguments."""
    own = {"int": int, "bool": bool, "float": float}
    function: Callable[..., float] = own.get(name) or getattr(math, name)

    def of(*given: Number) -> Number:
        if not any(isinstance(x, Dual) for x in given):
            return NotImplemented
        if name == "pow":
            return given[0] ** given[1]
        if name in SLOPES_OF_TWO:
            a, b = given
            values = [one.x if isinstance(one, Dual) else one for one in given]
            of_a, of_b = cast(tuple[Number, Number], call(SLOPES_OF_TWO[name], *values))
            slope = of_a * a + of_b * b
            assert isinstance(slope, Dual)
            return Dual(call(function, *values), slope.d)
        x = given[0]
        if name in SLOPES and isinstance(x, Dual):
            slope = call(SLOPES[name], x.x)
            return Dual(call(function, x.x), tuple([slope * a for a in x.d]))
        if name == "float":
            return x
        if name in WITHOUT_SLOPE:
            return call(function, *map(value_of, given))
        raise NotCompiled(f"{name} has no derivative here")

    return of
