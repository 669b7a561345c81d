"""Taylor series: a function of time by its coefficients, each computed when it is first needed.

Arithmetic with series and the functions of `math` make further series, whose coefficient of order n
follows from those of lower order. So a differential equation y' = f(y) is solved order by order:
the coefficients of f(y) up to order n give that of y of order n + 1.

A coefficient is a number, or a symbol while compiling. Values such as vectors and matrices may have
series as components, so a torque is written once.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..algebra.rotations import sincos_anywhere
from ..algebra.values import Value
from .frontend.record import Record
from .frontend.symbols import Symbol, apply
from .lanes import COUNT, Lanes, lane, lanes

Number = Any
"""A float, or a symbol while compiling."""


GROUPS = (Value, Record, np.ndarray)
"""What multiplies its own components by a series."""


class NoSeries(TypeError):
    """What is asked of a series has no series."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} has no Taylor series")


Terms = tuple[tuple["Unknown", Number], ...]
"""Unknown series with their factors."""


class Series:
    """A function of time; `known` are its coefficients so far, and `rule` gives that of an
    order.

    A constant and a sum of multiples of unknown series are `terms`, besides that constant; other
    series are None.
    """

    __slots__ = ("_rate", "_turn", "known", "rule", "side_by_side", "terms")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, known: list[Number], rule: Callable[[int], Number], terms: Terms | None = None
    ) -> None:
        self.known = known
        self.rule = rule
        self.terms = terms
        self.side_by_side: dict[Any, Lanes] = {}
        self._rate: Series | None = None
        self._turn: tuple[Series, Series] | None = None

    def __getitem__(self, n: int) -> Number:
        """The coefficient of order n."""
        while len(self.known) <= n:
            self.known.append(self.rule(len(self.known)))
        found = self.known[n]
        if isinstance(found, Later) and found.value is not None:
            found = self.known[n] = found.value
        return found

    @property
    def rate(self) -> Series:
        """The derivative."""
        if self._rate is None:
            self._rate = Series([], lambda n: (n + 1.0) * self[n + 1])
        return self._rate

    def __neg__(self) -> Series:
        return Series([], lambda n: -self[n], multiply_terms(self.terms, -1.0))

    def __add__(self, other: Any) -> Series:
        if isinstance(other, Series):
            return Series([], lambda n: add(self[n], other[n]), add_terms(self.terms, other.terms))
        if isinstance(other, GROUPS):
            return NotImplemented
        return Series([], lambda n: self[n] if n else self[0] + other, self.terms)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Series:
        if isinstance(other, Series):
            terms = add_terms(self.terms, multiply_terms(other.terms, -1.0))
            return Series([], lambda n: subtract(self[n], other[n]), terms)
        if isinstance(other, GROUPS):
            return NotImplemented
        return Series([], lambda n: self[n] if n else self[0] - other, self.terms)

    def __rsub__(self, other: Any) -> Series:
        terms = multiply_terms(self.terms, -1.0)
        return Series([], lambda n: -self[n] if n else other - self[0], terms)

    def __mul__(self, other: Any) -> Series:
        if isinstance(other, Series):
            return Series([], lambda n: convolve(self, other, n))
        if isinstance(other, GROUPS):
            return NotImplemented
        terms = multiply_terms(self.terms, other)
        return Series([], lambda n: multiply(self[n], other), terms)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Series:
        if isinstance(other, Series):
            return quotient(self, other)
        if isinstance(other, GROUPS):
            return NotImplemented
        return self * (1.0 / other)

    def __rtruediv__(self, other: Any) -> Series:
        return quotient(constant(other), self)

    def __pow__(self, exponent: Any) -> Series:
        return power(self, exponent, apply)

    def __rpow__(self, base: Any) -> Series:
        return power(base, self, apply)

    def __abs__(self) -> Series:
        raise NoSeries("abs")

    def _compare(self, other: Any) -> bool:
        raise NoSeries("a comparison")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compare  # type: ignore[assignment]
    __bool__ = __float__ = __int__ = lambda self: self._compare(None)


# ------------------------------------------------------------------ coefficients, of which many are
# the constant 0


def is_zero(x: Number) -> bool:
    """Return whether a coefficient is known to be 0."""
    return isinstance(x, float) and x == 0.0


def add(a: Number, b: Number) -> Number:
    """a + b"""
    return b if is_zero(a) else a if is_zero(b) else a + b


def subtract(a: Number, b: Number) -> Number:
    """a − b"""
    return a if is_zero(b) else -b if is_zero(a) else a - b


def multiply(a: Number, b: Number) -> Number:
    """a b"""
    return 0.0 if is_zero(a) or is_zero(b) else a * b


def convolve(a: Series, b: Series, n: int, first: int = 0, last: int = 0) -> Number:
    """The sum of aᵢ bⱼ over i + j = n, from i = `first` to j = `last`."""
    pairs = [(i, n - i) for i in range(first, n + 1 - last)]
    pairs = [(i, j) for i, j in pairs if not is_zero(a[i]) and not is_zero(b[j])]
    if len(pairs) >= SEVERAL and all(is_later(x) for i, j in pairs for x in (a[i], b[j])):
        return Products(a, b, pairs)
    return sum_pairs(a, b, pairs)


def sum_pairs(a: Series, b: Series, pairs: list[tuple[int, int]]) -> Number:
    """The sum of aᵢbⱼ over these pairs; of squares, the products that stand there twice once."""
    if a is b and all((j, i) in pairs for i, j in pairs):
        twice = functools.reduce(add, [a[i] * a[j] for i, j in pairs if i < j], 0.0)
        once = functools.reduce(add, [a[i] * a[j] for i, j in pairs if i == j], 0.0)
        return add(multiply(2.0, twice), once)
    return functools.reduce(add, [a[i] * b[j] for i, j in pairs], 0.0)


# ------------------------------------------------------------------ sums of products side by side
# in lanes, when all of an order is asked for

SEVERAL = 3
"""From so many products on, a sum waits for others; so many sums are computed side by side."""


class Later:
    """A number that is computed when `settle` is called: what an operator makes of others."""

    __slots__ = ("does", "given", "level", "value")

    def __init__(self, does: Callable[..., Number], *given: Number) -> None:
        self.does = does
        self.given = given
        self.value: Number | None = None
        self.level: int = max([x.level for x in given if isinstance(x, Later)], default=0)

    def __neg__(self) -> Later:
        return Later(operator.neg, self)

    def __add__(self, other: Number) -> Later:
        return Later(operator.add, self, other)

    def __radd__(self, other: Number) -> Later:
        return Later(operator.add, other, self)

    def __sub__(self, other: Number) -> Later:
        return Later(operator.sub, self, other)

    def __rsub__(self, other: Number) -> Later:
        return Later(operator.sub, other, self)

    def __mul__(self, other: Number) -> Later:
        return Later(operator.mul, self, other)

    __rmul__ = __mul__


class Products(Later):
    """A sum of products of the coefficients of two series. Those whose factors are known at the same
    time have the same level.
    """

    __slots__ = ("a", "b", "pairs")

    def __init__(self, a: Series, b: Series, pairs: list[tuple[int, int]]) -> None:
        super().__init__(sum_pairs, *[x for i, j in pairs for x in (a[i], b[j])])
        self.a = a
        self.b = b
        self.pairs = pairs
        self.level += 1


def is_later(x: Number) -> bool:
    """Return whether a number of one body is known only when the program runs."""
    return isinstance(x, Later) or (isinstance(x, Symbol) and x.kind == "real")


def settle(numbers: Sequence[Number]) -> list[Number]:
    """Compute numbers: sums of products whose factors are known at the same time side by side."""
    waiting: dict[Any, list[Products]] = {}
    seen: set[int] = set()

    def list_products(x: Number) -> None:
        if not isinstance(x, Later) or x.value is not None or id(x) in seen:
            return
        seen.add(id(x))
        for one in x.given:
            list_products(one)
        if isinstance(x, Products):
            waiting.setdefault((x.level, tuple(x.pairs)), []).append(x)

    for x in numbers:
        list_products(x)
    for _, together in sorted(waiting.items(), key=lambda item: item[0][0]):
        for k in range(0, len(together), COUNT):
            sum_together(together[k : k + COUNT])
    return [find_value(x) for x in numbers]


def find_value(x: Number) -> Number:
    """A number of which all sums of products are known."""
    if not isinstance(x, Later):
        return x
    if x.value is None:
        x.value = x.does(*[find_value(one) for one in x.given])
    return x.value


def sum_together(sums: list[Products]) -> None:
    """Compute several sums of the same pairs."""
    for x in sums:
        for one in x.given:
            find_value(one)
    if len(sums) < SEVERAL:
        for x in sums:
            x.value = sum_pairs(x.a, x.b, x.pairs)
        return
    first = put_side_by_side([x.a for x in sums], [i for i, _ in sums[0].pairs])
    second = put_side_by_side([x.b for x in sums], [j for _, j in sums[0].pairs])
    products = [a * b for a, b in zip(first, second, strict=True)]
    total = functools.reduce(operator.add, products[::2])
    if len(products) > 1:
        total = total + functools.reduce(operator.add, products[1::2])
    for k, x in enumerate(sums):
        x.value = lane(total, k)


def put_side_by_side(several: list[Series], orders: list[int]) -> list[Lanes]:
    """The coefficients of several series in lanes, for each of these orders."""
    known = several[0].side_by_side
    names = tuple(map(id, several))
    for n in orders:
        if (names, n) not in known:
            known[names, n] = lanes([one[n] for one in several])
    return [known[names, n] for n in orders]


def constant(x: Number) -> Series:
    """The series of a constant."""
    return Series([x], lambda n: 0.0, ())


def add_terms(a: Terms | None, b: Terms | None) -> Terms | None:
    """The terms of a sum."""
    return None if a is None or b is None else a + b


def multiply_terms(a: Terms | None, factor: Number) -> Terms | None:
    """The terms of a multiple."""
    return None if a is None else tuple([(one, multiply(own, factor)) for one, own in a])


def quotient(a: Series, b: Series) -> Series:
    """a/b, whose product with b is a."""
    inverse = 1.0 / b[0]
    found = Series([], lambda n: multiply(inverse, subtract(a[n], convolve(found, b, n, last=1))))
    return found


def integral(start: Number, rate: Callable[[Series], Series]) -> Series:
    """The series with this start and this rate, which is a function of it."""
    found = Series([start], lambda n: multiply(1.0 / n, rates[n - 1]))
    rates = rate(found)
    return found


# ------------------------------------------------------------------ functions of `math`

Call = Callable[..., Any]
"""Calls a function with numbers, or with symbols."""


def sqrt(a: Series, call: Call) -> Series:
    """√a, whose square is a."""
    root = call(math.sqrt, a[0])
    inverse = 0.5 / root
    found = Series(
        [root],
        lambda n: multiply(inverse, subtract(a[n], convolve(found, found, n, 1, 1))),
    )
    return found


def exp(a: Series, call: Call) -> Series:
    """eᵃ"""
    return integral(call(math.exp, a[0]), lambda y: a.rate * y)


def log(a: Series, call: Call) -> Series:
    """ln a"""
    return integral(call(math.log, a[0]), lambda y: a.rate / a)


def sin_and_cos(a: Series, call: Call) -> tuple[Series, Series]:
    """sin a and cos a, which are computed together, once."""
    if a._turn is None:
        sine, cosine = call(sincos_anywhere, a[0])
        a._turn = pair(a, sine, cosine, -1.0)
    return a._turn


def pair(a: Series, first: Number, second: Number, sign: float) -> tuple[Series, Series]:
    """The series y and z with y' = a' z and z' = ± a' y, and these starts."""
    y = Series([first], lambda n: multiply(1.0 / n, convolve(a.rate, z, n - 1)))
    z = Series([second], lambda n: multiply(sign / n, convolve(a.rate, y, n - 1)))
    return y, z


def sinh_and_cosh(a: Series, call: Call) -> tuple[Series, Series]:
    """sinh a and cosh a."""
    return pair(a, call(math.sinh, a[0]), call(math.cosh, a[0]), 1.0)


def tan(a: Series, call: Call) -> Series:
    """tan a"""
    return integral(call(math.tan, a[0]), lambda y: a.rate * (1.0 + y * y))


def atan(a: Series, call: Call) -> Series:
    """arctan a"""
    return integral(call(math.atan, a[0]), lambda y: a.rate / (1.0 + a * a))


def asin(a: Series, call: Call) -> Series:
    """arcsin a"""
    return integral(call(math.asin, a[0]), lambda y: a.rate / sqrt(1.0 - a * a, call))


def acos(a: Series, call: Call) -> Series:
    """arccos a"""
    return integral(call(math.acos, a[0]), lambda y: -a.rate / sqrt(1.0 - a * a, call))


def atan2(y: Any, x: Any, call: Call) -> Series:
    """The angle of (x, y); one of the two may be a number."""
    y, x = (one if isinstance(one, Series) else constant(one) for one in (y, x))
    return integral(
        call(math.atan2, y[0], x[0]), lambda _: (x * y.rate - y * x.rate) / (x * x + y * y)
    )


def tanh(a: Series, call: Call) -> Series:
    """tanh a"""
    return integral(call(math.tanh, a[0]), lambda y: a.rate * (1.0 - y * y))


LARGEST_PRODUCT = 16
"""The largest whole exponent for which a power is a product."""


def power(a: Any, b: Any, call: Call) -> Series:
    """aᵇ: a product where b is a small whole number, so that a may be 0."""
    if isinstance(b, Series):
        return exp(b * (log(a, call) if isinstance(a, Series) else call(math.log, a)), call)
    if isinstance(b, float | int) and b == 0:
        return constant(1.0)
    if isinstance(b, float | int) and b == int(b) and abs(b) <= LARGEST_PRODUCT:
        found = whole_power(a, abs(int(b)))
        return found if b > 0 else 1.0 / found
    return integral(call(math.pow, a[0], b), lambda y: b * (y * (a.rate / a)))


def whole_power(a: Series, n: int) -> Series:
    """aⁿ by squares."""
    if n == 1:
        return a
    half = whole_power(a, n // 2)
    return half * half * a if n % 2 else half * half


FUNCTIONS: dict[str, Callable[..., Series]] = {
    "sqrt": sqrt,
    "exp": exp,
    "log": log,
    "sin": lambda a, call: sin_and_cos(a, call)[0],
    "cos": lambda a, call: sin_and_cos(a, call)[1],
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "atan2": atan2,
    "sinh": lambda a, call: sinh_and_cosh(a, call)[0],
    "cosh": lambda a, call: sinh_and_cosh(a, call)[1],
    "tanh": tanh,
    "pow": power,
    "float": lambda a, call: a,
}
"""The functions that have series, with how to call a function of numbers as the last argument."""


def expanded(name: str, call: Call) -> Callable[..., Any]:
    """Return a function for series; of other arguments it returns NotImplemented."""

    def of(*given: Any) -> Any:
        if not any(isinstance(x, Series) for x in given):
            return NotImplemented
        if name not in FUNCTIONS:
            raise NoSeries(name)
        return FUNCTIONS[name](*given, call)

    return of


# ------------------------------------------------------------------ differential equations, which
# are solved order by order


class Unknown(Series):
    """A series of which the start is known; `extend` gives it the further coefficients."""

    __slots__ = ("further",)

    def __init__(self, start: Number) -> None:
        super().__init__([start], self._take, ((self, 1.0),))
        self.further: list[tuple[Any, int | None]] = []

    def _take(self, n: int) -> Number:
        content, place = self.further[n - 1]
        return content if place is None else lane(content, place)


def unknown_series(start: Number) -> Any:
    """A series of which the start is known; `extend` gives it the further coefficients."""
    return Unknown(start)


def time_series(t: Number) -> Any:
    """The time itself."""
    return Series([t, 1.0], lambda n: 0.0)


def extend(series: Any, coefficient: Any, place: int | None = None) -> None:
    """Give an unknown series its next coefficient: a number, or that in a place of lanes."""
    series.further.append((coefficient, place))


def read_lanes(components: Any, places: Any) -> tuple[tuple[tuple[int, ...], Lanes], ...] | None:
    """For three sums of multiples of unknown series, their coefficients as sums of products of
    lanes: in each half three, and the first of them again.

    Of each product the places of a factor among the lanes with the coefficients of the series
    `places`, and the other factor. Returns None if a component is not such a sum.
    """
    numbers = {id(one): i for i, one in enumerate(places)}
    rows = []
    for one in components:
        terms = one.terms if isinstance(one, Series) else ()
        if terms is None:
            return None
        factors: dict[int, Number] = {}
        for unknown, factor in terms:
            place = numbers[id(unknown)]
            factors[place] = add(factors.get(place, 0.0), factor)
        rows.append([(place, factor) for place, factor in factors.items() if not is_zero(factor)])
    found = []
    for k in range(max(map(len, rows))):
        product = [row[k] if k < len(row) else (0, 0.0) for row in rows]
        chosen, given = zip(*product, product[0], strict=True)
        found.append((chosen * 2, lanes(given * 2)))
    return tuple(found)


def coefficient(series: Any, n: int) -> Number:
    """The coefficient of order n of a series, or of a constant."""
    (found,) = coefficients((series,), n)
    return found


def coefficients(several: Sequence[Any], n: int) -> list[Number]:
    """Those of order n of several series or constants."""
    return settle(
        [one[n] if isinstance(one, Series) else one if n == 0 else 0.0 for one in several]
    )


def _method(name: str) -> Callable[[Series], Series]:
    return lambda self: FUNCTIONS[name](self, apply)


for _name in ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh"):
    setattr(Series, _name, _method(_name))  # NumPy calls these of an array's objects
