"""Taylor series: their coefficients against mpmath, near singular points too, and what has none."""

from __future__ import annotations

import ctypes
import math
import operator
import re

import mpmath
import numpy as np
import pytest

from engine.algebra import Mat3, Quat, Vec3, cross, dot
from engine.algorithms.taylor import POLYNOMIAL, find_step, sum_polynomial
from engine.compiler import native
from engine.compiler.frontend import compilation
from engine.compiler.lanes import (
    COUNT,
    choose_lanes,
    get_lanes,
    get_twice,
    lane,
    lanes,
    put_lanes,
    spread,
)
from engine.compiler.series import (
    FUNCTIONS,
    NoSeries,
    Series,
    coefficient,
    coefficients,
    constant,
    expanded,
    extend,
    read_lanes,
    time_series,
    unknown_series,
)

ORDER = 30
NEAR = 1e-4
"""How near a singular point a series begins."""


def plain(function, *given):
    return function(*given)


def evaluate(name, *given):
    return expanded(name, plain)(*given)


def along(coefficients):
    """The series of a polynomial."""
    return Series(list(coefficients), lambda n: 0.0)


INNER = (0.3, 0.7, -0.2, 0.1)
"""A polynomial that stands within functions; its first coefficient is replaced by the point."""

POINTS = {
    "sqrt": (1.3, NEAR),
    "exp": (0.4, -20.0),
    "log": (1.3, NEAR),
    "sin": (0.4, math.pi),
    "cos": (0.4, math.pi / 2),
    "tan": (0.4, math.pi / 2 - NEAR),
    "asin": (0.3, 1.0 - NEAR),
    "acos": (0.3, NEAR - 1.0),
    "atan": (0.4, 1e3),
    "sinh": (0.4, 0.0),
    "cosh": (0.4, 0.0),
    "tanh": (0.4, 5.0),
}
"""A regular point of each function, and one near a singular or a special one."""


def expand_by_mpmath(function, *polynomials):
    """The coefficients of a function of polynomials, from differences with 80 digits."""

    def of_time(s):
        return function(*[sum(mpmath.mpf(c) * s**i for i, c in enumerate(p)) for p in polynomials])

    with mpmath.workdps(80):
        return [mpmath.mpf(c) for c in mpmath.taylor(of_time, 0, ORDER, singular=False)]


def assert_equal(found, wanted, digits=1e-12):
    """Coefficients agree relative to themselves, or to a thousandth of what the radius of
    convergence allows.
    """
    first = abs(wanted[0])
    rates = [float(abs(c) / first) ** (1 / n) for n, c in enumerate(wanted) if n > 3 and first]
    rate = max([1.0, *rates])
    for n, value in enumerate(wanted):
        scale = max(abs(float(value)), 1e-3 * float(first or 1) * rate**n)
        assert abs(coefficient(found, n) - float(value)) <= digits * scale, n


@pytest.mark.parametrize("name, near", [(name, i) for name in POINTS for i in (0, 1)])
def test_functions_have_the_series_of_mpmath(name, near):
    point = POINTS[name][near]
    scale = NEAR if near and name in ("sqrt", "log", "tan", "asin", "acos") else 1.0
    inner = (point, *(c * scale for c in INNER[1:]))
    found = evaluate(name, along(inner))
    assert_equal(
        found, expand_by_mpmath(getattr(mpmath, name), inner), 1e-12 if scale == 1.0 else 1e-9
    )


@pytest.mark.parametrize("exponent", [2, 3, 7, -1, -4, 0.5, -1.5, 2.5])
def test_powers_have_the_series_of_mpmath(exponent):
    found = along(INNER) ** exponent
    wanted = expand_by_mpmath(lambda x: x ** mpmath.mpf(exponent), INNER)
    assert_equal(found, wanted, 1e-11)


def test_a_whole_power_may_begin_at_nothing():
    found = along((0.0, 1.0, 0.5)) ** 3
    np.testing.assert_allclose([found[n] for n in range(8)], [0, 0, 0, 1, 1.5, 0.75, 0.125, 0])
    one = along((0.0, 1.0, 0.5)) ** 0
    assert [one[n] for n in range(4)] == [1, 0, 0, 0]


@pytest.mark.parametrize("does", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_arithmetic_has_the_series_of_mpmath(does):
    other = (1.1, -0.4, 0.0, 0.3)
    assert_equal(does(along(INNER), along(other)), expand_by_mpmath(does, INNER, other))
    assert_equal(
        does(along(INNER), 1.7), expand_by_mpmath(lambda x: does(x, mpmath.mpf(1.7)), INNER)
    )
    assert_equal(
        does(1.7, along(INNER)), expand_by_mpmath(lambda x: does(mpmath.mpf(1.7), x), INNER)
    )


@pytest.mark.parametrize("y, x", [(0.4, 1.2), (0.4, -1.2), (NEAR, 2 * NEAR), (-1.0, 0.0)])
def test_the_angle_has_the_series_of_mpmath(y, x):
    scale = min(1.0, math.hypot(x, y))
    ys = (y, 0.3 * scale, 0.1 * scale)
    xs = (x, -0.2 * scale, 0.2 * scale)
    assert_equal(evaluate("atan2", along(ys), along(xs)), expand_by_mpmath(mpmath.atan2, ys, xs))


def test_values_have_series_as_components():
    """A torque is written once: the same text of vectors and matrices gives numbers and series."""

    def torque(t, R, v):
        q = Quat(1.0, 0.2, -0.1, 0.3) @ v
        return cross(R @ v, Vec3(q.x, q.y, q.z)) * (1.0 / (1.0 + dot(v, v))) + 0.3 * t * v

    t = time_series(0.2)
    entries = [along((0.1 * i - 0.3, 0.05 * i, 0.02)) for i in range(9)]
    vector = [along((0.3, 0.1 * i, -0.2)) for i in range(3)]
    found = torque(t, Mat3(*entries), Vec3(*vector))
    s = 0.01
    numbers = [
        [sum(one[n] * s**n for n in range(4)) for one in group] for group in (entries, vector)
    ]
    wanted = torque(0.2 + s, Mat3(*numbers[0]), Vec3(*numbers[1]))
    sums = [sum(one[n] * s**n for n in range(ORDER)) for one in found]
    np.testing.assert_allclose(sums, list(wanted), rtol=1e-14)


def test_sine_and_cosine_are_computed_together():
    angle = along(INNER)
    sine, cosine = evaluate("sin", angle), evaluate("cos", angle)
    assert evaluate("sin", angle) is sine and evaluate("cos", angle) is cosine


@pytest.mark.parametrize(
    "asked, name",
    [
        (abs, "abs"),
        (lambda x: x > 0.0, "a comparison"),
        (lambda x: 1.0 if x else 2.0, "a comparison"),
        (lambda x: evaluate("floor", x), "floor"),
        (lambda x: evaluate("fmod", x, 2.0), "fmod"),
    ],
)
def test_what_has_no_series_is_named(asked, name):
    with pytest.raises(NoSeries, match=f"^{name} has no Taylor series$"):
        asked(along(INNER))


def test_every_function_with_a_series_is_tested():
    assert set(POINTS) | {"atan2", "pow", "float"} == set(FUNCTIONS)


def test_lanes_compute_number_by_number():
    a, b = lanes((1.0, 2.0, 3.0)), lanes((0.5, -1.0, 2.0, 4.0))
    assert (a * b + a - spread(1.0)).content == (0.5, -1.0, 8.0, -1.0, -1.0, -1.0, -1.0, -1.0)
    chosen = choose_lanes(a, b, (2, 1, 0, 8, 9, 10, 11, 15))
    assert chosen.content == (3.0, 2.0, 1.0, 0.5, -1.0, 2.0, 4.0, 0.0) and lane(chosen, 3) == 0.5


@pytest.mark.parametrize("register", [8, 4])
def test_compiled_lanes_compute_what_plain_ones_do(register):
    """In one vector of eight numbers and in two of four: constants, insertion, any choice from two
    vectors, both halves alike, and sums in a loop that begin with constants.
    """

    def compute(given, out):
        a, b = get_lanes(given, 0), get_lanes(given, 8)
        chosen = choose_lanes(a, b, (15, 0, 8, 3, 4, 12, 1, 9))
        twice = get_twice(given, 4)
        mixed = lanes((given[3], 2.0, given[5], 0.5, given[3], 2.0, given[5])) * spread(given[1])
        total, other, last = spread(0.0), spread(1.0), chosen
        for i in range(int(given[16])):
            total, other = total + get_lanes(given, 2 * i) * chosen, other - total * 0.5
            last = spread(0.25)
        for i, one in enumerate((chosen, -twice, mixed + a, total, other, last)):
            put_lanes(out, 8 * i, one)
        out[48] = lane(chosen, 0) + lane(chosen, 7)

    given = np.append(np.random.default_rng(5).uniform(-1.0, 1.0, 16), 3.0)
    out, plain = np.zeros(49), np.zeros(49)
    text = compilation.text_of(compute, ("real*", "real*"), fused=False, register=register)
    assert f"<{register} x double>" in text and f"fmul <{12 - register} x double>" not in text
    address = native.link(native.object_code(text))
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(address)(given.ctypes.data, out.ctypes.data)
    compute(given.tolist(), plain)
    np.testing.assert_array_equal(out, plain)


def test_equal_halves_are_computed_once():
    def compute(given, out):
        a, b = get_lanes(given, 0), get_lanes(given, 8)
        first = choose_lanes(a, b, (2, 9, 0, 3) * 2)
        put_lanes(out, 0, first * get_twice(given, 4) + spread(given[1]))

    text = compilation.text_of(compute, ("real*", "real*"), register=4)
    assert text.count("fmul") == text.count("fadd") == 1


def test_a_kept_polynomial_is_summed_and_has_the_size_of_a_step():
    kept = (0, 2 * COUNT)
    stride = 3 * COUNT
    room = [0.0] * (POLYNOMIAL + 5 * stride)
    for n in range(5):
        for place, numbers in zip(kept, ((1.0 + n, 2.0), (3.0**-n, 4.0**-n)), strict=True):
            put_lanes(room, POLYNOMIAL + stride * n + place, lanes(numbers))
    room[1] = 4.0
    first, second = sum_polynomial(room, stride, kept, 0.5)
    assert first.content[:3] == (sum((1 + n) * 0.5**n for n in range(5)), 3.875, 0.0)
    assert second.content[:2] == pytest.approx(
        [sum(x**n for n in range(5)) for x in (1 / 6, 1 / 8)]
    )
    nothing, all_ = spread(0.0), spread(1e6)
    wanted = min(1e-3 ** (1 / n) / (9.0**-n + 16.0**-n) ** (0.5 / n) for n in (3, 4))
    found = [find_step(room, stride, kept, (3, 4), (nothing, all_), most) for most in (9.0, 0.1)]
    assert found[0] == pytest.approx(wanted, rel=0.06) and found[1] == 0.1


def test_sums_of_multiples_are_sums_of_products_of_lanes():
    """The further coefficients of a torque that is linear in the motion need no numbers."""
    a, b = ([unknown_series(0.1 * i + k) for i in range(3)] for k in (1.0, 2.0))
    linear = (2.0 * a[1] - b[0] / 4.0 + 3.0, 1.0 - (a[1] + b[2]), constant(5.0) - (-b[0]) + a[2])
    first, second = lanes((0.3, 0.7, -0.2)), lanes((1.5, 0.4, 0.9))
    for series, vector in ((a, first), (b, second)):
        for i, one in enumerate(series):
            extend(one, vector, i)
    found = lanes(())
    for places, factors in read_lanes(linear, (*a, *[None] * 5, *b)):
        found = found + choose_lanes(first, second, places) * factors
    wanted = [one[1] for one in linear]
    np.testing.assert_allclose(found.content, [*wanted, wanted[0]] * 2, rtol=1e-15)
    assert read_lanes((a[0] * a[0], a[1], a[2]), a) is None
    assert read_lanes((a[0], a[0] * time_series(0.0), a[2]), a) is None


def test_sums_of_products_are_computed_side_by_side():
    """Compiled, products of several series are vectors; their sums are those of plain Python."""

    def expand(given, out):
        a, b = (Vec3(*[unknown_series(given[3 * k + i]) for i in (0, 1, 2)]) for k in (0, 1))
        for n in (1, 2, 3, 4):
            for i, one in enumerate((*a, *b)):
                extend(one, given[6 * n + i])
        first = cross(a, b)
        found = cross(first, a) * (1.0 / dot(first, first))
        for i, x in enumerate(coefficients(tuple(found), 4)):
            out[i] = x

    text = compilation.text_of(expand, ("real*", "real*"), register=8)
    assert len(re.findall(r"fmul contract <8 x double>", text)) > 10
    given = np.random.default_rng(5).uniform(-1.0, 1.0, 30)
    out, plain = np.zeros(3), np.zeros(3)
    address = native.link(native.object_code(text))
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(address)(given.ctypes.data, out.ctypes.data)
    expand(given.tolist(), plain)
    np.testing.assert_allclose(out, plain, rtol=1e-12)
