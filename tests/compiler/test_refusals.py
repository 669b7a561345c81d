"""Refusals of the compiler: one sentence with the line, the word, and an alternative."""

from __future__ import annotations

import linecache
import re

import pytest
from algebra.compiling import define_function
from covering import first

import engine
from engine import plugins
from engine.compiler.frontend.compilation import text_of
from engine.compiler.frontend.refusal import NotCompiled

STEP = """\
import math
import numpy as np
import engine
from engine.algebra import Mat3, Vec3, dot, exp

HALVES = (0.5, 0.25)
NAMED = {{"a": 1.0}}
FLAG = False


class Thing:
    pass


def recursive(x):
    return x if x < 1.0 else recursive(x / 2.0)


def generator(x):
    yield x


async def later(x):
    return x


@engine.method(key="WRONG", order=(1, 1))
def step(body, t, h, R, Π):
    x = h * Π.x
{lines}
    return R @ exp(h * (body.Jinv @ Π)), Π
"""
"""The statement under test begins in this line."""
LINE = STEP[: STEP.index("{lines}")].count("\n") + 1

REFUSED = {
    "items = [1.0]; items.append(x)": "a list cannot be changed in compiled code; a tuple can be made longer",
    "items = [1.0]; items += [x]": "a list cannot grow in compiled code; a tuple can be made longer: items + (x,)",
    "items = [1.0]; items[0] = x": "a list cannot be changed; make another",
    "Π[0] = x": "a Vec3 cannot be changed; make another",
    "Π.x = x": "x of a Vec3 cannot be changed; make another",
    "Π.x += x": "an attribute cannot be changed; make another value",
    "body.energy = x": "energy of a BodyInField cannot be changed; make another",
    "a = 'x' + x": "+ has no meaning for a text and a real number",
    "a = f'{x}'": "an f-string cannot be compiled; there is no text in compiled code",
    "a = str(x)": "str cannot be made in compiled code",
    "try: a = 1 / x\n    except ZeroDivisionError: a = 0.0": "try cannot be compiled; compiled code raises nothing",
    "raise ValueError('no')": "raise cannot be compiled; compiled code raises nothing: return nan instead",
    "with open('file') as f: pass": "with cannot be compiled; there is nothing to enter or to leave",
    "a = recursive(x)": "a function that calls itself cannot be compiled; a loop can",
    "a = missing + x": "name 'missing' is not defined",
    "a = body.torqe(t, R)": "'BodyInField' object has no attribute 'torqe'",
    "a = Π.w": "'Vec3' object has no attribute 'w'",
    "a = x.real": "a real number has no real in compiled code",
    "if x > 0.0: a = 1.0\n    b = a": "a has no value on every path that leads here",
    "if x > 0.0: a = Π\n    else: a = 1.0\n    b = a * 2.0": "a is Vec3 or real number, depending on the path",
    "if x > 0.0: HALVES = 3.0\n    a = HALVES": "HALVES has no value on every path that leads here",
    "a = 1.0\n    while x > 0.0: a = Π": "a is one kind of thing before the loop and another after a round of it",
    "a = ()\n    while x > 0.0: a = a + (x,)": "a is one kind of thing before the loop and another after a round",
    "a = np.cross(Π, Π)": "NumPy's functions take numbers and arrays in compiled code, not a Vec3",
    "a = np.floor(x)": "NumPy's floor cannot be compiled here; math.floor does the same for a number",
    "a = np.linalg.inv(np.eye(3))": "NumPy's inv cannot be compiled here",
    "a = np.zeros(100)": "an array has up to 64 numbers, known while compiling",
    "a = np.ones(3) @ np.ones(2)": "@ of arrays of 3 and 2 numbers",
    "a = np.ones(3) + np.ones(2)": "arrays of 3 and 2 numbers do not fit",
    "a = np.array([x, x])[int(x) : ]": "the bounds of a slice of an array must be known while compiling",
    "a = np.ones(3)[x]": "a place is a whole number",
    "a = np.inner(np.eye(3), np.eye(3))": "np.inner and np.vdot take two vectors in compiled code; use @",
    "if np.ones(3) * x: a = 1.0": "a NumPy array is neither true nor false; compare its numbers",
    "a = np.ones(3) * x > 0.0": "a NumPy array and a real number cannot be compared; compare their components",
    "print(x)": "print cannot be called in compiled code; instead: a value that the method carries",
    "global FLAG\n    FLAG = True": "global cannot be compiled; a function can return what it changes",
    "def f():\n        nonlocal x\n        x = 1.0\n    f()": "nonlocal cannot be compiled; a function can return",
    "a = {'a': x}": "a dictionary cannot be compiled; a tuple, or a dictionary from outside the function, works",
    "a = {k: x for k in (1, 2)}": "a dictionary cannot be compiled",
    "a = {1, 2}": "a set cannot be compiled; a tuple works",
    "a = {k for k in (1, 2)}": "a set cannot be compiled; a tuple works",
    "a = generator(x)": "yield cannot be compiled; return a tuple instead",
    "if FLAG: yield x": "yield cannot be compiled; return a tuple instead",
    "a = later(x)": "later is no plain function; what a def or a lambda defines can be compiled",
    "class Other: pass": "class cannot be compiled; define the class outside the function",
    "import cmath": "import cannot be compiled; import at the top of the file",
    "from math import sin": "import cannot be compiled; import at the top of the file",
    "a = x is x": "`is` has no meaning for numbers and vectors in compiled code; use ==",
    "a = x in (1.0, 2.0)": "`in` needs numbers that are known while compiling; compare them one by one",
    "a = sum((x, x))": "sum cannot be called in compiled code; instead: a loop that adds one after",
    "a = int(x) ** 2": "** of whole numbers cannot be compiled; k * k, or float(k) ** 2, can",
    "a = x // 2.0": "// of real numbers cannot be compiled; math.floor(a / b) can",
    "a = x % 2.0": "% of real numbers cannot be compiled; math.fmod(a, b), which has the sign of a, can",
    "a = int(x) << 2": "<< cannot be compiled; a product with a power of two can",
    "a = x & 1.0": "& of real numbers cannot be compiled",
    "a = ~x": "~ has no meaning for a real number",
    "a = dot(Π)": "no value is given for b",
    "a = dot(Π, Π, Π)": "3 arguments are given where 2 are taken",
    "a = dot(Π, b=Π, c=Π)": "c is not taken",
    "a = dot(Π, a=Π)": "a is given twice",
    "a = math.sqrt(Π)": "sqrt takes a number in compiled code, not a Vec3",
    "a = math.log(x, 2.0)": "log takes a number in compiled code, not a real number and a real number",
    "a = math.hypot(x, x)": "hypot cannot be called in compiled code; instead: math.sqrt(x * x + y * y)",
    "a = round(x)": "round cannot be called in compiled code; instead: math.floor(x + 0.5)",
    "a = R[0, 0]": "a Mat3 has no [ ]; its parts are xx, xy, xz, yx, yy, yz, zx, zy, zz",
    "a = Π[0]": "a Vec3 has no [ ]; its parts are x, y, z",
    "a = HALVES[x]": "a place is a whole number",
    "a = NAMED['b']": "there is no 'b' in the dictionary",
    "a = HALVES[2]": "tuple index out of range",
    "a = (1.0, Π)[int(x)]": "the place in a tuple must be known while compiling",
    "if Π: a = 1.0": "a Vec3 is neither true nor false; compare its numbers",
    "assert x > 0.0": "an assertion on what is known only when the program runs cannot be compiled",
    "a = Π < Π": "a Vec3 and a Vec3 cannot be compared; compare their components",
    "a = (x, x) == (x, x)": "a tuple and a tuple cannot be compared; compare their components",
    "a = Π + x": "+ has no meaning for a Vec3 and a real number",
    "a = x @ x": "@ has no meaning for a real number and a real number",
    "a = x(3)": "a real number cannot be called",
    "a, b = x": "a real number cannot be gone through",
    "a, b = x, x, x": "3 values cannot be unpacked to 2 names",
    "for a in x: pass": "a real number cannot be gone through",
    "for a in range(x): pass": "a range takes one to three whole numbers",
    "for a in range(0, 9, int(x)): pass": "the step of a range must be known while compiling, and not 0",
    "for a in range(0, int(x), 0): pass": "the step of a range must be known while compiling, and not 0",
    "for a in enumerate(range(int(x))): pass": "how many numbers there are is known only when the program runs",
    "a = [k for k in (1.0, 2.0) if k < x]": "how long a comprehension becomes must be known while compiling",
    "a = Thing()": "a Thing cannot be made in compiled code; a tuple can, or a value of engine.algebra",
    "a = int(x) * 10**30": "a whole number of more than 64 bits cannot be compiled",
    "del x": "del cannot be compiled; names need not be deleted",
    "(a := x)": ":= cannot be compiled; assign on a line of its own",
    "match x:\n        case _: a = x": "match cannot be compiled; an if works",
    "@math.floor\n    def f(): pass": "a decorated function within a function cannot be compiled",
    "a = max((x, 1.0), key=abs)": "max does not take key in compiled code",
    "a = getattr(x, 'kind')": "a real number has no kind in compiled code",
    "a = 1 / 0": "division by zero",
    "a = sorted((x, 1.0))": "a condition is known only when the program runs, where Python needs it while compiling",
    "return R": "it has to return what it carries, (R, Π)",
    "return R, Π, x": "it has to return what it carries, (R, Π)",
    "return Π, R": "it has to return what it carries, (R, Π)",
    "return None": "it has to return what it carries, (R, Π)",
}  # fmt: skip


def step(lines, place="<wrong>"):
    """A method whose step has these lines."""
    text = STEP.format(lines="    " + lines)
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    names = {"__name__": "wrong"}
    exec(compile(text, place, "exec", dont_inherit=True), names)
    return engine.algorithm("WRONG")


@pytest.mark.parametrize("lines", first(REFUSED, 30))
def test_a_wrong_step_is_refused_in_a_sentence(lines):
    with plugins.for_a_while(), pytest.raises(ValueError) as refused:
        engine.simulate("slow-top", step(lines), steps=1)
    said = str(refused.value)
    assert REFUSED[lines] in said and "\n" not in said
    assert said.startswith("the step in <wrong> cannot be compiled: ")
    assert "Symbol" not in said and "Torn" not in said and "NotCompiled" not in said
    report = re.search(r"\(line (\d+): ", said)
    if "recursive" in lines or "generator" in lines:
        assert report is not None and int(report[1]) < LINE, "where those are defined"
    elif not lines.startswith("return"):
        assert report is not None and LINE <= int(report[1]) <= LINE + lines.count("\n"), said


@pytest.mark.parametrize("after", [STEP.format(lines="    a = 3.75"), "def half of it("])
def test_a_source_that_has_changed_since_it_was_imported(after, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(STEP.format(lines="    a = 3.5"), encoding="utf-8")
    with plugins.for_a_while():
        plugins.load(file)
        file.write_text(after, encoding="utf-8")
        with pytest.raises(
            ValueError, match="the source of step has changed since it was imported"
        ):
            engine.simulate("free", "WRONG", steps=1)


def test_a_step_without_a_source_runs_as_plain_python_and_says_so():
    names = {"__name__": "wrong"}
    with plugins.for_a_while():
        exec(
            compile(STEP.format(lines="    a = 4.5"), "<nowhere>", "exec", dont_inherit=True), names
        )
        run = engine.simulate("free", "WRONG", steps=1)
    assert run.status == "done" and not run.provenance["compiled"]


def test_what_is_not_for_a_step_is_refused_as_well():
    """Functions that no kernel has: with their own memory, or with a result."""
    for text, said in {
        "def f(m):\n return m[-1]": "known only when the program runs",
        "def f(m):\n return m[3:-1][0]": "takes no negative places and no negative step",
        "def f(m):\n return m[::-1][0]": "takes no negative places and no negative step",
        "def f(m):\n m[1:3] = (1.0, 2.0)": "memory is written number by number",
        "def f(m):\n for x in m: pass": "known only when the program runs",
        "def f(m):\n return 1.0 if m else 2.0": "is neither true nor false",
    }.items():
        with pytest.raises(NotCompiled, match=said):
            text_of(define_function(text, {}), ("real*",), "real" if "return" in text else None)
