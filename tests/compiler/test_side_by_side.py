"""Numbers of several bodies side by side: each is what it is alone, and nothing branches on them."""

from __future__ import annotations

import ctypes
import math
from array import array
from typing import Any

import pytest
from algebra.compiling import define_function

from engine.algebra.rarely_called import any_of
from engine.algebra.rotations import sincos_anywhere
from engine.compiler import native
from engine.compiler.frontend.compilation import text_of
from engine.compiler.frontend.refusal import NotCompiled
from engine.compiler.primitives import bits_of, real_of, side_by_side

PROGRAM = """
def function(memory):
    for i in range(0, 16, {width}):
        some = side_by_side(memory[i:], {width})
        x = some[0]
        {then}
        some[16] = {result}
"""
NAMES = {"math": math} | {
    f.__name__: f for f in (any_of, bits_of, real_of, side_by_side, sincos_anywhere)
}
NUMBERS = [0.1 * i - 0.7 for i in range(16)]
EXTREME = [math.nan, math.inf, -math.inf, 1e300, -1e300, 2.0**63, -(2.0**63), -0.0] * 2
LOOP = """while any_of(x < 1.0):
            x = x + 0.3 if x < 1.0 else x"""


def define(width: int, result: str, then: str = "pass") -> Any:
    """The function that computes sixteen results of sixteen numbers, some at once."""
    return define_function(PROGRAM.format(width=width, result=result, then=then), dict(NAMES))


def run(width: int, numbers: list[float], *what: str) -> list[float]:
    """What the compiled function computes."""
    code = native.object_code(text_of(define(width, *what), ("real*",), fused=False))
    engine, place = native.load_code(code)
    memory = (ctypes.c_double * 32)(*numbers)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(place)(memory)
    del engine
    return list(memory)[16:]


RESULTS = (
    "3 * x - 2.0 / (x + 5) + 1",
    "x if x > 0.2 else -x",
    "0.5 if 0.2 < x <= 0.6 else x",
    "1 if x > 0.2 and not x > 0.5 or x < -0.5 else 0",
    "(x, 2.0 * x)[1] if (x > 0.0) & (x < 0.5) else max(x, -0.3, 0.1 * x)",
    "min(0.3, x) + abs(x) - (-x)",
    "math.sqrt(x * x) + math.floor(7.0 * x)",
    "math.sin(3.0 * x) + math.tan(x) + math.atan2(x, 2.0)",
    "(x * x) ** 0.3",
    "int(3.7 * x) * 2 + 1",
    "real_of(int((bits_of(x * x) - 4607182418800017408) * -0.25) + 4607182418800017408)",
    "float(x)",
    "sincos_anywhere(30.0 * x)[0] - 3.0 * sincos_anywhere(300_000.0 * x)[1]",
)


@pytest.mark.parametrize("what", [(result,) for result in RESULTS] + [("x", LOOP)])
def test_each_number_is_what_it_is_alone(what: tuple[str, ...]) -> None:
    memory = array("d", NUMBERS + [0.0] * 16)
    define(1, *what)(memoryview(memory))
    for width in (1, 2, 4, 8):
        assert run(width, NUMBERS, *what) == memory[16:].tolist()


@pytest.mark.parametrize(
    "result",
    ["int(x)", "x if x == x else 1.0", "max(x, 0.0)", "abs(x)", "sincos_anywhere(x)[1]"],
)
def test_also_of_numbers_that_are_not_finite(result: str) -> None:
    eight, one = run(8, EXTREME, result), run(1, EXTREME, result)
    assert list(map(repr, eight)) == list(map(repr, one))


@pytest.mark.parametrize(
    ("then", "result"),
    [("if x > 0.0: x = 1.0", "x"), ("while x < 0.0: x = x + 1.0", "x"), ("pass", "some[int(x)]")],
)
def test_what_would_differ_from_body_to_body_is_refused(then: str, result: str) -> None:
    with pytest.raises(NotCompiled, match="bodies side by side"):
        text_of(define(8, result, then), ("real*",))


def test_plain_python_takes_one_number_at_a_time() -> None:
    with pytest.raises(ValueError, match="one number at a time"):
        define(8, "x")(memoryview(array("d", NUMBERS * 2)))
