"""The operators of the value types against NumPy, the rules of Zero3, and what is refused."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

from engine.algebra import (
    AxisRot,
    BodyAxis,
    Diag3,
    Mat3,
    Quat,
    TurnX,
    TurnY,
    TurnZ,
    Vec3,
    Zero3,
    e1,
    e2,
    e3,
    exp,
    full,
)

RNG = np.random.default_rng(0)


def numbers(n):
    return RNG.uniform(0.5, 1.5, n).tolist()


A, B, V, D, Q = (
    Mat3(*numbers(9)),
    Mat3(*numbers(9)),
    Vec3(*numbers(3)),
    Diag3(*numbers(3)),
    Quat(*numbers(4)),
)
TURNS = [turn(np.cos(0.7).item(), np.sin(0.7).item()) for turn in (TurnX, TurnY, TurnZ)]
AXES = (e1, e2, e3)
SAMPLES = [V, A, D, Q, *TURNS, Zero3(), 1.7]


def array(value):
    """The value as NumPy has it: matrices full, vectors as such."""
    if isinstance(value, float):
        return value
    if isinstance(value, AxisRot):
        c = value.c
        s = value.s
        one = (0.0, 0.0)
        return np.roll(
            [[1.0, *one], [0.0, c, -s], [0.0, s, c]], [TURNS_OF[type(value)]] * 2, (0, 1)
        )
    if isinstance(value, Diag3):
        return np.diag(list(value))
    entries = np.array(list(value))
    return entries.reshape(3, 3) if entries.size == 9 else entries


TURNS_OF = {TurnX: 0, TurnY: 1, TurnZ: 2}
OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul)


def outcome(op, a, b):
    try:
        return op(a, b)
    except TypeError:
        return None


def name_of(value):
    return type(value).__name__


@pytest.mark.parametrize("op", OPERATORS)
def test_operators_are_those_of_arrays(op):
    defined = 0
    for a, b in itertools.product(SAMPLES, repeat=2):
        result = outcome(op, a, b)
        if result is None or isinstance(result, Zero3) or {Quat, Zero3} & {type(a), type(b)}:
            continue
        defined += 1
        np.testing.assert_allclose(
            array(result), op(array(a), array(b)), 1e-15, 1e-15, err_msg=f"{a} {b}"
        )
    assert defined >= {"add": 5, "sub": 3, "mul": 7, "truediv": 2, "matmul": 11}[op.__name__]


@pytest.mark.parametrize("value", [V, A, D, Q])
def test_one_value(value):
    np.testing.assert_array_equal(list(2 * value), [2 * x for x in value])
    np.testing.assert_array_equal(list(value * np.float64(0.1)), [x * 0.1 for x in value])
    np.testing.assert_array_equal(list(np.float64(0.1) * value), [x * 0.1 for x in value])
    assert type(np.float64(0.1) * value) is type(value)
    assert eval(repr(value)) == value or tuple(eval(repr(value))) == tuple(value)


def test_signs_transposes_inverses():
    assert tuple(-V) == tuple(-1.0 * V)
    assert tuple(-A) == tuple(-1.0 * A)
    np.testing.assert_array_equal(array(A.T), array(A).T)
    np.testing.assert_allclose(array(D.inv), np.linalg.inv(array(D)), rtol=1e-15)
    np.testing.assert_array_equal(array(full(D)), array(D))


@pytest.mark.parametrize(("axis", "turn", "i"), [*zip(AXES, TURNS, range(3), strict=True)])
def test_turns_are_exponentials(axis, turn, i):
    R = exp(Vec3(*(0.7 * np.eye(3)[i]).tolist()))
    np.testing.assert_allclose(array(turn), array(R), rtol=0, atol=3e-16)
    np.testing.assert_allclose(list(turn @ V), list(R @ V), rtol=0, atol=1e-15)
    np.testing.assert_allclose(list(turn.T @ V), list(R.T @ V), rtol=0, atol=1e-15)
    np.testing.assert_allclose(list(A @ turn), list(A @ R), rtol=0, atol=1e-15)
    assert type(axis.turn(turn.c, turn.s)) is type(turn)
    assert axis.of(V) == tuple(V)[i]
    assert repr(axis) == f"e{i + 1}"
    assert isinstance(axis, BodyAxis)
    with pytest.raises(NotImplementedError):
        AxisRot(turn.c, turn.s) @ V


def test_quaternions():
    units = [Quat(*map(float, row)) for row in np.eye(4)]
    one, i, j, k = units
    for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
        assert tuple(a @ b) == tuple(c)
        assert tuple(b @ a) == tuple(c * -1)
        assert tuple(a @ a) == tuple(one * -1)
    assert tuple(Q @ one) == tuple(one @ Q) == tuple(Q)
    assert tuple(Q @ V) == tuple(Q @ Quat(0.0, *V))
    assert tuple(Q + Q - Q) == tuple(Q)
    assert abs(np.linalg.norm(list(Q @ Q)) - np.linalg.norm(list(Q)) ** 2) < 1e-14


# ------------------------------------------------------------------------------------ zero


STANDS_FOR = (Vec3(0.0, 0.0, 0.0), Mat3(*[0.0] * 9))
"""For a free body, Zero3 replaces the torque and the torque's derivative."""


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("other", SAMPLES, ids=name_of)
def test_zero_stands_wherever_a_torque_or_its_derivative_may(op, other):
    for swap in (False, True):
        results = [outcome(op, *((other, zero) if swap else (zero, other))) for zero in STANDS_FOR]
        found = outcome(op, *((other, Zero3()) if swap else (Zero3(), other)))
        if all(result is None for result in results):
            assert found is None
        elif not isinstance(found, Zero3):
            expected = next(result for result in results if result is not None)
            assert type(found) is type(expected)
            assert tuple(found) == tuple(expected)
        else:
            assert all(result is None or not any(result) for result in results)


def test_zero_alone():
    zero = Zero3()
    for value in (zero.T, -zero, zero * 2, zero / 2, zero + zero, zero - zero, zero @ zero):
        assert isinstance(value, Zero3)
    assert tuple(zero) == ()
    assert tuple(V + zero) == tuple(zero + V) == tuple(V - zero) == tuple(V)
    assert tuple(zero - V) == tuple(-V)
    assert tuple(zero - A) == tuple(-A)
    assert tuple(D + zero) == tuple(zero + D) == tuple(full(D))


# ------------------------------------------------------------------------------------ what is
# refused


@pytest.mark.parametrize("op", OPERATORS)
def test_all_that_is_not_defined_is_a_type_error(op):
    for a, b in itertools.product([*SAMPLES, e1, "text", None, (1.0, 2.0, 3.0)], repeat=2):
        try:
            result = op(a, b)
        except TypeError:
            continue
        if not isinstance(a, float | str | tuple) or not isinstance(b, float | str | tuple):
            assert type(result) in (Vec3, Mat3, Diag3, Quat, Zero3), (name_of(a), name_of(b))


REFUSED = [
    "V + A",
    "V * V",
    "A * A",
    "D + V",
    "1.0 + V",
    "V + 1.0",
    "V @ A",
    "Q @ A",
    "1.0 / V",
    "V / V",
    "D @ D",
]


@pytest.mark.parametrize("refused", REFUSED)
def test_some_that_one_might_try(refused):
    with pytest.raises(TypeError):
        eval(refused)
