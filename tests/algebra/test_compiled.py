"""Machine code computes what plain Python does, of all that `engine.algebra` offers, and refuses what it refuses."""

from __future__ import annotations

import inspect
import itertools
import operator
import typing
from math import pi, prod

import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target

from engine import algebra
from engine.algebra import (
    Axis,
    Diag3,
    Gravity,
    Mat3,
    Quat,
    Relative,
    TurnX,
    TurnY,
    TurnZ,
    Vec3,
    Vec4,
    Weights,
    Zero3,
    exp,
)
from engine.compiler.compile import c_function
from engine.compiler.compiled import DOUBLES
from engine.compiler.lowering import AXIS_TYPES, VALUE_TYPES, alternatives

from .compiling import Case, both_ways, numbers_of
from .exact import ULP

RNG = np.random.default_rng(0)


def numbers(n):
    return RNG.uniform(-1, 1, n).tolist()


DIRECTIONS = [Vec3(*(d / np.linalg.norm(d)).tolist()) for d in RNG.normal(size=(9, 3))]
LENGTHS = (0.0, 1e-200, 1e-9, 0.1, pi / 2 - 1e-9, pi / 2 + 1e-9, 3.0, 5.0, 20.0)
NEAR_HALF_TURNS = [Vec3(3.0, 0.1, 0.2), Vec3(0.1, 3.0, 0.2), Vec3(-0.2, 0.1, 3.0)]  # a branch of quaternion_of each

SAMPLES = {
    float: [1e-300, 1e-20, 1e-9, 0.3, pi / 4, 0.8, 2.4, 2.5, 7.0],
    Vec3: [length * direction for length, direction in zip(LENGTHS, DIRECTIONS, strict=True)],
    Mat3: [exp(v) for v in (*NEAR_HALF_TURNS, *map(operator.mul, DIRECTIONS, (0, 1e-200, 1e-9, 0.5, 2, 3)))],
    Diag3: [Diag3(*RNG.uniform(0.5, 1, 3).tolist()) for _ in range(9)],
    Quat: [Quat(*(q / np.linalg.norm(q)).tolist()) for q in RNG.normal(size=(9, 4))],
    Vec4: [Vec4(*RNG.uniform(-1, 1, 4).tolist()) for _ in range(9)],
    Zero3: [Zero3()] * 9,
    Gravity: [Gravity(*RNG.uniform(0.5, 1, 8).tolist()) for _ in range(9)],
    Relative: [Relative(*RNG.uniform(-1, 1, 36).tolist()) for _ in range(9)],
    **{turn: [turn(*np.cos([a, a - pi / 2]).tolist()) for a in np.arange(9.0)] for turn in (TurnX, TurnY, TurnZ)},
}
"""Rotations stand for matrices, so that all functions of one are defined."""

WEIGHTS = Weights((0.5, 0.0, -2.0))


def samples(*kinds):
    """Tuples of arguments of these types; two of the same type get different samples."""
    return [tuple(SAMPLES[kind][(k + 4 * i) % 9] for i, kind in enumerate(kinds)) for k in range(9)]


def largest(numbers_in_it):
    return max(map(abs, numbers_in_it), default=1.0)


def agree(outcomes, within=2 * ULP):
    """To 2 ulp of the result or of the products that it may be the difference of."""
    for expression, arguments, plain, compiled in outcomes:
        scale = max(largest(plain), prod(largest(numbers_of(argument)) for argument in arguments))
        np.testing.assert_allclose(compiled, plain, rtol=0, atol=within * scale, err_msg=f"{expression} {arguments}")


# ------------------------------------------------------------------------------------ functions


def cases_of(name):
    """A public function with every combination of the types that its hints allow, of many zeros only some."""
    hints = typing.get_type_hints(getattr(algebra, name))
    hints.pop("return")
    if name == "combination":
        for kind in (Vec3, Mat3, Quat, Zero3):
            yield Case("combination(WEIGHTS, {})", [((a, b, c),) for a, b, c in samples(kind, kind, kind)])
        return
    for kinds in itertools.product(*map(alternatives, hints.values())):
        if 2 < kinds.count(Zero3) < sum(Zero3 in alternatives(hint) for hint in hints.values()):
            continue
        for axis in ("e1", "e2", "e3") if Axis in kinds else ("",):
            passed = [kind for kind in kinds if kind is not Axis]
            arguments = ", ".join(axis if kind is Axis else "{}" for kind in kinds)
            yield Case(f"{name}({arguments})", samples(*passed))


FUNCTIONS = sorted(name for name in algebra.__all__ if inspect.isfunction(getattr(algebra, name)))


SQUARED = ["least_change"]
"""What solves for a matrix like b bᵀ, whose condition is |b|²."""


def test_every_function_computes_the_same_compiled():
    """A new function is met here too, for its hints tell what it takes."""
    agree(both_ways([case for name in FUNCTIONS if name not in SQUARED for case in cases_of(name)], WEIGHTS=WEIGHTS))
    agree(both_ways([case for name in SQUARED for case in cases_of(name)]), within=2 * ULP * max(LENGTHS) ** 2)


def test_every_function_takes_zero_for_a_vector():
    """A method that may be handed a torque must not meet a function that does not know a free body's."""
    for name in FUNCTIONS:
        for parameter, hint in typing.get_type_hints(getattr(algebra, name)).items():
            if parameter != "return":
                assert (Vec3 in alternatives(hint)) == (Zero3 in alternatives(hint)), (name, parameter)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "@"])
def test_every_operator_takes_zero_for_a_vector(symbol):
    for kind in KINDS:
        assert not defined(symbol, kind, Vec3) or defined(symbol, kind, Zero3), kind
        assert not defined(symbol, Vec3, kind) or defined(symbol, Zero3, kind), kind


def test_everything_public_is_met_here():
    classes = {*SAMPLES, algebra.AxisRot, Axis, Weights}
    for name in algebra.__all__:
        thing = getattr(algebra, name)
        assert name in FUNCTIONS or thing in classes or isinstance(thing, Axis), name
    assert all(any(True for _ in cases_of(name)) for name in FUNCTIONS)


# ------------------------------------------------------------------------------------ operators

KINDS = [Vec3, Vec4, Mat3, Diag3, Quat, TurnX, TurnY, TurnZ, Zero3, Gravity, Relative, float]
OPERATORS = {
    "+": (operator.add, operator.iadd),
    "-": (operator.sub, operator.isub),
    "*": (operator.mul, operator.imul),
    "/": (operator.truediv, operator.itruediv),
    "@": (operator.matmul, operator.imatmul),
}
PAIRS = [pair for pair in itertools.product(KINDS, repeat=2) if pair != (float, float)]


def defined(symbol, left, right):
    try:
        OPERATORS[symbol][0](SAMPLES[left][4], SAMPLES[right][4])
    except TypeError:
        return False
    return True


def test_every_operator_computes_the_same_compiled():
    every = [(symbol, pair) for symbol in OPERATORS for pair in PAIRS if defined(symbol, *pair)]
    cases = [Case(f"{{}} {symbol} {{}}", samples(*pair)) for symbol, pair in every]
    assert len(cases) > 50
    agree(both_ways(cases))


def test_properties_and_methods_compute_the_same_compiled():
    cases = [Case("-{}", samples(kind)) for kind in (Vec3, Mat3, Zero3)]
    for kind in KINDS[:-1]:
        for name, member in inspect.getmembers(kind):
            if not name.startswith("_") and isinstance(member, property):
                cases.append(Case(f"{{}}.{name}", samples(kind)))
    for axis in ("e1", "e2", "e3"):
        cases += [Case(f"{axis}.of({{}})", samples(kind)) for kind in (Vec3, Diag3)]
        cases += [Case(f"{axis}.turn({{}}, {{}})", samples(float, float))]
    for whole in ("2 * {}", "{} * 2", "{} / 2"):
        cases.append(Case(whole, samples(Vec3)))
    assert {name for name in vars(Axis) if not name.startswith("_")} == {"index", "of", "turn"}
    sums = [case for case in cases if case.expression.endswith(".square")]  # products and sums are contracted
    agree(both_ways([case for case in cases if case not in sums]), within=0)
    agree(both_ways(sums))


TYPES = {kind: VALUE_TYPES.get(kind, types.float64) for kind in KINDS}
OTHERS = [AXIS_TYPES[0], types.unicode_type, types.none, types.UniTuple(types.float64, 3)]


def compiles(function, *arguments):
    """Whether Numba finds a meaning for a call with these types."""
    try:
        return cpu_target.typing_context.resolve_function_type(function, arguments, {}) is not None
    except TypingError:
        return False


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_compile_if_and_only_if_python_defines_them(symbol):
    cpu_target.typing_context.refresh()
    for left, right in PAIRS:
        for function in OPERATORS[symbol]:
            assert compiles(function, TYPES[left], TYPES[right]) == defined(symbol, left, right), (left, right)
    for kind, other in itertools.product(KINDS[:-1], OTHERS):
        assert not compiles(OPERATORS[symbol][0], TYPES[kind], other)
        assert not compiles(OPERATORS[symbol][0], other, TYPES[kind])


REFUSED = ["v + m", "v * v", "m * m", "v + 1.0", "d @ d", "q @ m", "1.0 / v", "-d", "dot(v, m)", "exp(m)"]


@pytest.mark.parametrize("refused", REFUSED)
def test_refused_in_both(refused):
    values = dict(zip("vmdq", (SAMPLES[kind][4] for kind in (Vec3, Mat3, Diag3, Quat)), strict=True))
    with pytest.raises((TypeError, AttributeError)):
        eval(refused, vars(algebra) | values)
    text = "\n ".join(
        ["def function(given, out):", "v = Vec3(given[0], given[1], given[2])", "m = exp(v)"]
        + ["d = Diag3(v.x, v.y, v.z)", "q = quaternion_of(m)", f"r = {refused}"]
    )
    namespace = dict(vars(algebra))
    exec(text, namespace)
    with pytest.raises(TypingError):
        c_function(namespace["function"], types.void(DOUBLES, DOUBLES))


# ------------------------------------------------------------------------------------ what is exact


def test_back_is_exactly_the_transpose_in_machine_code_too():
    """A fused multiply-add must not fall on one of two mirrored entries only."""
    vectors = [a * d for d in DIRECTIONS for a in (1e-9, 0.01, 0.1, 0.3, 0.7, 1.2, 2.0, 4.0)]
    functions = ("exp", "cay", "dexp_matrix", "dexpinv_matrix", "dcay_matrix")
    there, back = (
        [*both_ways([Case(f"{function}({{}})", [(sign * v,) for v in vectors]) for function in functions])]
        for sign in (1, -1)
    )
    assert len(there) == len(vectors) * len(functions)
    for forward, backward in zip(there, back, strict=True):
        assert np.array_equal(np.reshape(forward.compiled, (3, 3)).T, np.reshape(backward.compiled, (3, 3)))
