"""The meaning of compiled Python: small functions, compared with Python bit for bit for many
arguments.
"""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from covering import few
from hypothesis import given, reject, settings

from engine.algebra.rarely_called import rarely_called
from engine.compiler.frontend.record import Record
from engine.compiler.frontend.refusal import NotCompiled

from .both import BothWays, agree
from .programs import programs

NAN = math.nan
INF = math.inf
REALS = (0.0, -0.0, 1.0, -1.5, 2.5, 3.0, 1e-310, 7e15, -1e300, INF, -INF, NAN)
WHOLES = (0, 1, -1, 2, -3, 7, -7, 10, 2**30)
SMALL = (0, 1, 2, 3, 5, -1, -4)
ARGUMENTS = {"x": REALS, "y": REALS, "i": WHOLES, "j": WHOLES, "n": SMALL, "m": SMALL}
"""Return the values with which a parameter of this name is tested."""


def twice(x, by=2.0, *, plus=0.0):
    return by * x + plus


def early(x):
    if x > 2.0:
        return 1.0
    for k in range(3):
        if x < -k:
            return float(k)
    return x


@rarely_called
def rarely(x, n):
    if n > 2:
        return x * 2.0, n + 1
    return x, n - 1


@rarely_called
def writes(memory, at, x):
    memory[at] = x


def adder(by):
    return lambda x: x + by


class Pair(Record):
    __slots__ = ("first", "second")

    def __init__(self, first, second):
        self.first = first
        self.second = first + second

    @property
    def total(self):
        return self.first + self.second

    def scale(self, by):
        return Pair(self.first * by, self.second)


NAMES = {
    "twice": twice, "early": early, "rarely": rarely, "writes": writes, "Pair": Pair, "plus_one": adder(1.0),
    "TABLE": (0.5, -1.5, 2.5, 4.0), "WHOLE_TABLE": (3, 1, 4, 1, 5), "PAIRS": ((1.0, 2.0), (3.0, 4.0), (5.0, -0.0)),
    "SCALE": 3.0, "WORDS": {"a": 1.0, "b": 2.0},
}  # fmt: skip

FUNCTIONS = {
    "division and remainder": "(i, j):\n return i // j, i % j, (i + 3) // -3, i % -3, i // 5, i % 5, i // -1, i % -1",
    "true division": "(i, j):\n return i / j, i / 3, 7 / j",
    "signs": "(x, i):\n return -x, +x, abs(x), -i, +i, abs(i), ~i, 0.0 * x, -(x > 0.0), +(x > 0.0), ~(x > 0.0)",
    "arithmetic": """(x, y, i):
 return x + y, x - y, x * y, x + i, i - x, i * x, x / 3, i + 1, i * i, i - 7, x * True""",
    "bits": "(i, j):\n return i & j, i | j, i ^ j, (i > 0) & (j > 0), (i > 0) | (j > 1), (i > 0) ^ True, (i > 0) & j",
    "truth values": """(x, i):
 return x > 0.0, not x, not i, bool(x), bool(i), (x > 0.0) + (i > 0), (x > 0) == (i > 0)""",
    "comparisons": "(x, y):\n return x < y, x <= y, x > y, x >= y, x == y, x != y, x == 1, 2 < y, not x < y",
    "comparisons of whole numbers": """(i, j):
 return i < j, i <= j, i > j, i >= j, i == j, i != j, i < 2.5, i == 7.0""",
    "chains": "(x, y, i):\n return x < y < 3.0, 0 <= i < 5, x < 1.0 < y != x, x == x == x, 1 < 2 < i",
    "a chain ends early": """(x, y, memory):
    def noted(at, value):
        memory[at] = value
        return value
    held = noted(0, x) < noted(1, y) < noted(2, 3.0) < noted(3, 4.0)
    return held""",
    "and, or": """(x, y, i):
 return x and y, x or y, i and 5, i or 7, x and y and 2.5, x or y or 1.5, x and y or -1.0""",
    "and, or of known values": """(x):
 return 0 or x, 1 and x, None or x, (1.0 and 2.0) + x, (0.0 or 3.0) * x, True and x""",
    "and, or end early": """(x, y, memory):
    def noted(at, value):
        memory[at] = 9.0
        return value
    return noted(0, x) and noted(1, y), noted(2, x) or noted(3, y)""",
    "conditional expressions": """(x, y, i):
 return x if x < y else y, 1 if x else 2, *((x, i) if i > 1 else (y, 3)), 5.0 if 1 else x""",
    "conditional expressions in one another": """(x, y):
 return x if x > 1 else (y if y > 0 else 0.5) if x < y else -x""",
    "arguments": """(x, y):
 return twice(x), twice(x, y), twice(x, plus=y), twice(by=x, x=y), twice(*(x, y), **{}) if 0 else x""",
    "defaults are those of the definition": """(x):
    y = 1.0
    def f(a, b=y, *rest, c=2.0 * y):
        return a + b + c, rest
    y = 5.0
    first, none = f(x)
    second, two = f(x, x, 3.0, 4.0, c=0.0)
    return first, second, len(none), *two""",
    "closures see what a name holds when they are called": """(x, n):
    by = 2.0
    def f(a):
        return a * by
    before = f(x)
    by = 3.0
    if n > 1:
        by = x
    return before, f(x), plus_one(x)""",
    "early returns": "(x):\n return early(x), early(-x), early(2.0 * x)",
    "returns on all paths": """(x, n):
 if x > 0:
  if n: return x, 1
  return -x, 2
 elif n > 2: return 0.0, n
 return 1.5, 4""",
    "branches": """(x, y, n):
    if x < y:
        a = x
        b = 1
    elif n == 2:
        a, b = y, 2
    else:
        a, b = 0, 3
        if n:
            a = 0.25
    return a, b""",
    "while, else": """(n, x):
    k = 0
    while k < n:
        k += 1
        if k == 3 and x > 0.0:
            break
        x = x + 1.0
    else:
        x = -x
    return k, x""",
    "for, else": """(n, x):
    for k in range(n):
        if x > k:
            continue
        if k == 2:
            break
        x = x + 0.5
    else:
        x = x * 2.0
    return x""",
    "for, else, written out": """(x):
    y = 0.0
    for a, b in ((1.0, 2), (3.0, 4), (5.0, 6)):
        if x > a:
            continue
        y = y + b
        if x < 0.0:
            break
    else:
        y = y + 100.0
    return y""",
    "while True": "(n, x):\n k = 0\n while True:\n  if k >= n: break\n  k += 1\n  x = x * 0.5 + k\n return x, k",
    "a return within loops": """(n, m, x):
    for a in range(n):
        for b in range(m):
            if a * b == 2:
                return x, a, b
        x = x + a
    return x, -1, -1""",
    "from a whole number to a real one": """(n, m, x):
    total, product = 0, 1
    for a in range(n):
        for b in range(m):
            total = total + x * b
            product *= 2
        if x > 1.0:
            product = product + a
    return total, product""",
    "a real one in the inner loop alone": """(n, m):
 t = 0
 for a in range(n):
  s = 0
  for b in range(m): s += 0.5
  t += s
 return t""",
    "ranges": """(n, m):
 s = 0
 for k in range(n, m): s = 3 * s + k
 for k in range(m, -5, -2): s = 3 * s + k
 for k in range(1, n + 5, 3): s += k
 return s""",
    "a range is what it was at first": """(n):
 s = 0
 for k in range(n):
  n = n - 1
  k = k + 10
  s = s * 2 + k
 return s, n""",
    "the variable after its loop": "(n, x):\n k = -7\n for k in range(n): x = x + k\n return k, x",
    "the variable after known rounds": "(x):\n for k in (1.0, 2.0, 3.0): x = x + k\n return x, k",
    "unpacking": """(x, y):
 a, *b, c = x, y, 1.0, 2.0
 *d, e = b
 (f, g), h = (x, 1), y
 a, c = c, a
 return a, c, len(b), *b, *d, e, f, g, h""",
    "assignments to several names": """(x, memory):
 a = b = memory[0] = x + 1.0
 c: float = a
 a += 1
 return a, b, c""",
    "comprehensions": """(x, y):
 k = 5.0
 s = [k * x for k in (1.0, 2.0)]
 t = tuple(a * b for a in (x, y) for b in (2.0, 3.0) if b > 2.0)
 return k, *s, *t, *[i for i in range(5) if i % 2]""",
    "lambdas": """(x, y):
 f, g = lambda a: a + 1.0, lambda a, b=y: a * b
 return f(x), g(x), g(x, 2.0), (lambda: 3.5)()""",
    "functions in functions": """(x, n):
    def outer(a):
        def inner(b):
            return b + a + x
        return inner(a) * 2.0
    def apply(f, a):
        return f(a)
    return outer(x), apply(outer, 1.5), apply(lambda a: a * n, x)""",
    "memory": """(n, x, memory):
    memory[1] = x
    memory[n + 5] += 1.0
    part = memory[2:6]
    for i, a in enumerate(part):
        memory[i] = a * 2.0
    for k in range(3):
        memory[k + 7] = memory[k] + x
    return part[1], memory[11 - 1], len(part)""",
    "tables": """(n, x):
 k = n % 4
 return TABLE[k], TABLE[k - 4], WHOLE_TABLE[k], *PAIRS[k - 3 if k else -1], (x, 2.0, x * x, 4.0)[k], TABLE[-1]""",
    "loops over tables": """(x):
 for a in TABLE: x = x * 0.5 + a
 for a, b in PAIRS: x = x * b + a
 for a in WHOLE_TABLE: x += a
 return x""",
    "least and largest": """(x, y):
 return min(x, y), max(x, y), max(0.0, x), min(x, 1.0), max((x, y, 2.0)), min(y, x, -1.0), max(y, 1)""",
    "least and largest of whole numbers": "(i, j):\n return min(i, j), max(i, j, 3), max(-i, 0), min((i, j))",
    "roundings": "(x):\n return int(x), math.floor(x), math.ceil(x), math.trunc(x)",
    "conversions": """(x, i):
 return (
     float(i), int(i), float(x), int(x > 0.0), float(x > 0.0), bool(i), math.floor(i), math.ceil(i),
     float(3), int(2.5), float('inf')
 )""",
    "kinds": """(x, i):
 return (
     isinstance(x, float), isinstance(i, int), isinstance(i, float), isinstance(x > 0, int), type(x) is
     float, type(i) is float, isinstance((x,), tuple)
 )""",
    "kept or not": "(x):\n return x is None, x is not None, None is None",
    "functions of math": """(x):
 return (
     math.sin(x), math.cos(x), math.tan(x), math.atan(x), math.tanh(x), math.fabs(x), math.cbrt(x),
     math.isnan(x), math.isinf(x), math.isfinite(x)
 )""",
    "functions that grow": "(x):\n return math.exp(x), math.expm1(x), math.sinh(x), math.cosh(x)",
    "roots and logarithms": "(x):\n return math.sqrt(x), math.log(x), math.log2(x), math.log10(x), math.log1p(x)",
    "inverse functions": "(x, y):\n return math.asin(x), math.acos(x), math.atan2(x, y)",
    "functions of two numbers": "(x, y):\n return math.copysign(x, y), math.copysign(1, x), math.fmod(x, y)",
    "powers": "(x):\n return x ** 2, x ** 3, x ** 0.5 if x > 0.0 else 0.0, x ** -1, math.pow(x, 3), x ** 0",
    "powers of known numbers": """(i, x):
 return 2 ** 3 * x, i ** 2.0, 2 ** x if x < 9.0 else 0.0, (1 << 4) + i, 7 // 2 + i""",
    "what is rarely called": """(x, n, memory):
 writes(memory, n + 5, x)
 a, b = rarely(x, n)
 c, d = rarely(a, b)
 return a, b, c, d, *rarely(1.5, n)""",
    "records": """(x, y):
 p = Pair(x, y)
 q = p.scale(2.0)
 r = p if x < y else q
 return p.first, p.second, p.total, q.total, r.first, r.total""",
    "records in loops": """(x, n):
 p = Pair(x, 1.0)
 for k in range(n): p = p.scale(0.5)
 return p.first, p.second""",
    "words": """(x):
 return WORDS['a'] + x, WORDS.get('c', x), 'a' == 'a', len('abc'), 'b' in WORDS, WORDS['a' if 1 else 'b']""",
    "tuples": "(x, y):\n t = (x, 1) + (y,) * 2\n u = t[1:]\n return *t, *u, *reversed(t), len(t), t[-1]",
    "zip and map": """(x, y):
 return (
     *[a + b for a, b in zip((x, y), (1.0, 2.0))], *map(lambda a: a * 2.0, (x, y)), *[i * a for i, a in
     enumerate((x, y))]
 )""",
    "known conditions": """(x):
 a = 1.0 if SCALE > 2.0 else None
 if SCALE < 2.0: return a + None
 assert SCALE == 3.0
 return a * x, SCALE""",
}  # fmt: skip


def inputs(names):
    """Return all combinations of the parameters' values."""
    return list(itertools.product(*(ARGUMENTS[name] for name in names)))


def test_a_number_that_is_the_same_on_both_paths_stays_known():
    text = """def choose(x, y):
 if x > y:
  k, a = SCALE, x
 else:
  k, a = twice(1.5), -x
 return a, k"""
    both = BothWays(text, ("real", "real"), **NAMES)
    assert both.text.count(" phi ") == 1, "that of the other number"


@pytest.mark.filterwarnings(
    "ignore:Bitwise inversion '~' on bool:DeprecationWarning"
)  # from Python 3.12 on
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_small_function_does_the_same(name):
    text = FUNCTIONS[name]
    takes = [one.strip() for one in text[1 : text.index(")")].split(",")]
    takes = [one for one in takes if one != "memory"]
    function = BothWays(
        f"def function{text}", ["real" if one in "xy" else "int" for one in takes], **NAMES
    )
    assert agree(function, *inputs(takes)) > len(inputs(takes)) // 10


RNG = random.Random(0)
AT_RANDOM = [
    (RNG.choice(REALS), RNG.uniform(-4, 4), RNG.randint(-9, 9), RNG.randint(-9, 9))
    for _ in range(12)
]


@pytest.mark.exhaustive
@settings(max_examples=few(300))
@given(programs())
def test_any_function_does_the_same(text):
    """Skip cases in which Python raises or needs integers of more than 64 bits."""
    try:
        function = BothWays(text, ("real", "real", "int", "int"))
    except NotCompiled as refused:
        assert "by zero" in str(refused), refused  # of known numbers, which raises in Python too
        reject()
    agree(function, *AT_RANDOM)


# ------------------------------------------------------------------------------------ what Python
# would raise for


LEAST, MOST = -(2**63), 2**63 - 1


def test_numbers_that_python_raises_for_go_on():
    """Division by zero and overflow give inf and nan; whole numbers end at 64 bits; beyond a table
    there is nan.
    """
    reals = BothWays(
        "def f(x, y):\n return x / y, x * 1e308, math.exp(x), math.sqrt(-x), math.log(-x)",
        ("real", "real"),
    )
    assert reals.compiled(1000.0, 0.0)[:3] == [INF, INF, INF] and all(
        map(math.isnan, reals.compiled(5.0, 1.0)[3:5])
    )
    whole = BothWays(
        "def f(x):\n return int(x), math.floor(x), math.ceil(x), math.trunc(x)", ("real",)
    )
    assert whole.compiled(1e300)[:4] == [MOST] * 4 and whole.compiled(-INF)[:4] == [LEAST] * 4
    assert whole.compiled(NAN)[:4] == [0] * 4
    divided = BothWays("def f(i, j):\n return i // j, i % j, i // -1, i % -1", ("int", "int"))
    assert divided.compiled(LEAST, -1)[:4] == [LEAST, 0, LEAST, 0], (
        "the processor has no result, and would stop"
    )
    assert divided.compiled(7, 0)[:2] == [7, 0]
    table = BothWays(
        "def f(i, x):\n return TABLE[i], WHOLE_TABLE[i], (x, 1.0)[i]", ("int", "real"), **NAMES
    )
    for beyond in (-6, 5, LEAST, MOST):
        first, second, third = table.compiled(beyond, 2.0)[:3]
        assert math.isnan(first) and second == 0 and math.isnan(third)


def test_a_name_that_a_function_gives_a_value_to_is_its_own():
    """Python raises where it has none yet, and never looks for one outside."""
    for text in (
        "def f(x):\n if x > 0.0: SCALE = x\n return SCALE",
        "def f(x):\n def g():\n  y = SCALE\n  SCALE = 2.0\n  return y\n return g()",
        "def f(x):\n def g(SCALE): return lambda: SCALE\n return g(x)()",
        "def f(x):\n if x > 0.0: SCALE = x\n return (lambda: SCALE)()",
    ):
        with pytest.raises(NotCompiled, match="SCALE has no value on every path"):
            BothWays(text, ("real",), **NAMES)


def test_constants_of_numpy_are_numbers():
    function = BothWays(
        "def f(x):\n return x * A[0], A[1] if x > 0.0 else 2.0", ("real",), A=np.array([0.5, 1.5])
    )
    assert agree(function, (1.0,), (-3.0,)) == 2
