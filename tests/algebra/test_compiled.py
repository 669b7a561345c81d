"""For every function of `engine.algebra`, machine code computes and refuses the same as plain
Python.
"""

from __future__ import annotations

import inspect
import itertools
import operator
import typing
from math import pi

import numpy as np
import pytest
from covering import first

from engine import algebra
from engine.algebra import (
    BodyAxis,
    Diag3,
    Exponential,
    Gravity,
    Mat3,
    Quat,
    Relative,
    Turn,
    TurnX,
    TurnY,
    TurnZ,
    Vec3,
    Vec4,
    Weights,
    Zero3,
    exp,
    turn,
)
from engine.compiler.frontend.compilation import text_of
from engine.compiler.frontend.refusal import NotCompiled

from .compiling import Case, both_ways, numbers_of
from .compiling import define_function as function_of

RNG = np.random.default_rng(0)


def numbers(n):
    return RNG.uniform(-1, 1, n).tolist()


DIRECTIONS = [Vec3(*(d / np.linalg.norm(d)).tolist()) for d in RNG.normal(size=(9, 3))]
LENGTHS = (0.0, 1e-200, 1e-9, 0.1, pi / 2 - 1e-9, pi / 2 + 1e-9, 3.0, 5.0, 20.0)
NEAR_HALF_TURNS = [
    Vec3(3.0, 0.1, 0.2),
    Vec3(0.1, 3.0, 0.2),
    Vec3(-0.2, 0.1, 3.0),
]  # a branch of quaternion_of each

SAMPLES = {
    float: [1e-300, 1e-20, 1e-9, 0.3, pi / 4, 0.8, 2.4, 2.5, 7.0],
    Vec3: [length * direction for length, direction in zip(LENGTHS, DIRECTIONS, strict=True)],
    Mat3: [
        exp(v)
        for v in (*NEAR_HALF_TURNS, *map(operator.mul, DIRECTIONS, (0, 1e-200, 1e-9, 0.5, 2, 3)))
    ],
    Diag3: [Diag3(*RNG.uniform(0.5, 1, 3).tolist()) for _ in range(9)],
    Quat: [Quat(*(q / np.linalg.norm(q)).tolist()) for q in RNG.normal(size=(9, 4))],
    Vec4: [Vec4(*RNG.uniform(-1, 1, 4).tolist()) for _ in range(9)],
    Zero3: [Zero3()] * 9,
    Gravity: [Gravity(*RNG.uniform(0.5, 1, 8).tolist()) for _ in range(9)],
    Relative: [Relative(*RNG.uniform(-1, 1, 36).tolist()) for _ in range(9)],
    Turn: [turn(length * direction) for length, direction in zip(LENGTHS, DIRECTIONS, strict=True)],
    **{
        about: [about(*np.cos([a, a - pi / 2]).tolist()) for a in np.arange(9.0)]
        for about in (TurnX, TurnY, TurnZ)
    },
}
"""Samples of matrices are rotations, so that every function of a matrix is defined."""

WEIGHTS = Weights((0.5, 0.0, -2.0))


def samples(*kinds):
    """Tuples of arguments of these types; two of the same type get different samples."""
    return [tuple(SAMPLES[kind][(k + 4 * i) % 9] for i, kind in enumerate(kinds)) for k in range(9)]


def alternatives(hint):
    """The types that an annotation allows: those of a union, or of a type variable."""
    return typing.get_args(hint) or getattr(hint, "__constraints__", ()) or (hint,)


def agree(outcomes):
    """Bit for bit, where no product and sum are fused."""
    for expression, arguments, plain, compiled in outcomes:
        np.testing.assert_array_equal(compiled, plain, err_msg=f"{expression} {arguments}")


# ------------------------------------------------------------------------------------ functions


def cases_of(name):
    """A public function with every combination of the types that its hints allow, of many zeros
    only some.
    """
    hints = typing.get_type_hints(getattr(algebra, name))
    hints.pop("return")
    if name == "combination":
        for kind in (Vec3, Mat3, Quat, Zero3):
            yield Case(
                "combination(WEIGHTS, {})", [((a, b, c),) for a, b, c in samples(kind, kind, kind)]
            )
        return
    for kinds in itertools.product(*map(alternatives, hints.values())):
        if 2 < kinds.count(Zero3) < sum(Zero3 in alternatives(hint) for hint in hints.values()):
            continue
        for axis in ("e1", "e2", "e3") if BodyAxis in kinds else ("",):
            passed = [kind for kind in kinds if kind is not BodyAxis]
            arguments = ", ".join(axis if kind is BodyAxis else "{}" for kind in kinds)
            yield Case(f"{name}({arguments})", samples(*passed))


PUBLIC = [
    name for name, thing in vars(algebra).items() if name[0] != "_" and not inspect.ismodule(thing)
]
FUNCTIONS = sorted(name for name in PUBLIC if inspect.isfunction(getattr(algebra, name)))


@pytest.mark.exhaustive
def test_every_function_computes_the_same_compiled():
    """The tests find new functions as well; their type hints give the arguments."""
    agree(both_ways([case for name in FUNCTIONS for case in cases_of(name)], WEIGHTS=WEIGHTS))


def test_every_function_takes_zero_for_a_vector():
    """Functions that accept a torque also accept the zero torque of a free body."""
    for name in FUNCTIONS:
        for parameter, hint in typing.get_type_hints(getattr(algebra, name)).items():
            kinds = set(alternatives(hint))
            if parameter != "return" and kinds & {Vec3, Zero3}:
                assert Zero3 in kinds and kinds & {Vec3, Mat3}, (name, parameter)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "@"])
def test_every_operator_takes_zero_for_a_vector(symbol):
    for kind in KINDS:
        assert not define_function(symbol, kind, Vec3) or define_function(symbol, kind, Zero3), kind
        assert not define_function(symbol, Vec3, kind) or define_function(symbol, Zero3, kind), kind


def test_everything_public_is_met_here():
    classes = {*SAMPLES, algebra.AxisRot, BodyAxis, Exponential, Weights}
    for name in PUBLIC:
        thing = getattr(algebra, name)
        assert name in FUNCTIONS or thing in classes or isinstance(thing, BodyAxis), name
    assert all(any(True for _ in cases_of(name)) for name in FUNCTIONS)


# ------------------------------------------------------------------------------------ operators

KINDS = [Vec3, Vec4, Mat3, Diag3, Quat, Turn, TurnX, TurnY, TurnZ, Zero3, Gravity, Relative, float]
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "@": operator.matmul,
}
PAIRS = [pair for pair in itertools.product(KINDS, repeat=2) if pair != (float, float)]


def define_function(symbol, left, right):
    try:
        OPERATORS[symbol](SAMPLES[left][4], SAMPLES[right][4])
    except TypeError:
        return False
    return True


@pytest.mark.exhaustive
def test_every_operator_computes_the_same_compiled():
    every = [
        (symbol, pair) for symbol in OPERATORS for pair in PAIRS if define_function(symbol, *pair)
    ]
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
    assert {name for name in vars(BodyAxis) if not name.startswith("_")} == {"index", "of", "turn"}
    agree(both_ways(cases))


OTHERS = ["e1", "'text'", "None", "(1.0, 2.0, 3.0)"]


def is_refused(expression, *kinds):
    """Return whether the compiler refuses an expression of values of these types."""
    read = iter(range(99))
    made = [
        f"given[{next(read)}]" if kind is float
        else f"{kind.__name__}({', '.join(f'given[{next(read)}]' for _ in numbers_of(SAMPLES[kind][0]))})"
        for kind in kinds
    ]  # fmt: skip
    function = function_of(
        f"def function(given):\n r = {expression.format(*made)}", dict(vars(algebra))
    )
    try:
        text_of(function, ("real*",))
    except NotCompiled:
        return True
    return False


@pytest.mark.parametrize("symbol", first(OPERATORS))
def test_operators_compile_if_and_only_if_python_defines_them(symbol):
    for left, right in PAIRS:
        assert is_refused(f"{{}} {symbol} {{}}", left, right) != define_function(
            symbol, left, right
        ), (left, right)
    for kind, other in itertools.product(KINDS[:-1], OTHERS):
        if kind is not Zero3:  # which takes anything for a number
            assert is_refused(f"{{}} {symbol} {other}", kind)
            assert is_refused(f"{other} {symbol} {{}}", kind)


REFUSED = [
    "v + m",
    "v * v",
    "m * m",
    "v + 1.0",
    "d @ d",
    "q @ m",
    "1.0 / v",
    "-d",
    "dot(v, m)",
    "exp(m)",
]


@pytest.mark.parametrize("expression", REFUSED)
def test_refused_in_both(expression):
    kinds = dict(zip("vmdq", (Vec3, Mat3, Diag3, Quat), strict=True))
    with pytest.raises((TypeError, AttributeError)):
        eval(expression, vars(algebra) | {name: SAMPLES[kind][4] for name, kind in kinds.items()})
    names = [name for name in kinds if name in expression.replace("dot", "").replace("exp", "")]
    spelled = expression.replace("dot", "D").replace("exp", "X")
    for name in names:
        spelled = spelled.replace(name, f"{{{list(kinds).index(name)}}}")
    assert is_refused(spelled.replace("D", "dot").replace("X", "exp"), *kinds.values())


# ------------------------------------------------------------------------------------ what is exact


def test_back_is_exactly_the_transpose_in_machine_code_too():
    """A fused multiply-add must not fall on one of two mirrored entries only."""
    vectors = [a * d for d in DIRECTIONS for a in (1e-9, 0.01, 0.1, 0.3, 0.7, 1.2, 2.0, 4.0)]
    functions = ("exp", "cay", "dexp_matrix", "dexpinv_matrix", "dcay_matrix")
    there, back = (
        [
            *both_ways(
                [
                    Case(f"{function}({{}})", [(sign * v,) for v in vectors])
                    for function in functions
                ],
                fused=True,
            )
        ]
        for sign in (1, -1)
    )
    assert len(there) == len(vectors) * len(functions)
    for forward, backward in zip(there, back, strict=True):
        assert np.array_equal(
            np.reshape(forward.compiled, (3, 3)).T, np.reshape(backward.compiled, (3, 3))
        )
