"""Evaluate expressions on value types twice: as plain Python, and in one C function that the engine
compiles.
"""

from __future__ import annotations

import ctypes
import linecache
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from engine import algebra
from engine.compiler import native
from engine.compiler.frontend import compilation

_texts = count()
PROTOTYPE = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * 2)


class Case(NamedTuple):
    """An expression in which {} stands for an argument, and tuples of arguments to evaluate it
    for.
    """

    expression: str
    samples: Sequence[tuple[Any, ...]]


class Outcome(NamedTuple):
    """The numbers in the value of an expression."""

    expression: str
    arguments: tuple[Any, ...]
    plain: list[float]
    compiled: list[float]


def components(value: Any) -> list[str]:
    """Return how to reach the numbers in a float, a value or a tuple of them: ".x", "[0].x" …"""
    if isinstance(value, float):
        return [""]
    if isinstance(value, tuple):
        return [f"[{i}]{path}" for i, item in enumerate(value) for path in components(item)]
    cls = algebra.AxisRot if isinstance(value, algebra.AxisRot) else type(value)
    return [f".{name}{path}" for name in cls.__slots__ for path in components(getattr(value, name))]


def numbers_of(value: Any) -> list[float]:
    """The numbers in a float, a value or a tuple of them."""
    return [eval(f"value{path}", {"value": value}) for path in components(value)]


def build_value(value: Any, at: Iterator[int]) -> str:
    """Return the text that makes such a value from the next numbers in `given`."""
    if isinstance(value, float):
        return f"given[{next(at)}]"
    if isinstance(value, tuple):
        return f"({''.join(build_value(item, at) + ', ' for item in value)})"
    return f"{type(value).__name__}({', '.join(f'given[{next(at)}]' for _ in components(value))})"


def define_function(text: str, names: dict[str, Any]) -> Any:
    """Return the function that a text defines; its source is where the compiler looks for it."""
    path = f"<written {next(_texts)}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    before = set(names)
    exec(compile(text, path, "exec", dont_inherit=True), names)
    (name,) = set(names) - before - {"__builtins__"}
    return names[name]


def both_ways(cases: Sequence[Case], *, fused: bool = False, **names: Any) -> Iterator[Outcome]:
    """Every case by plain Python and by machine code: one function for all cases, run once for each
    sample.

    Expressions may use the names of `engine.algebra` and those given.
    """
    namespace = vars(algebra) | names

    def value(case: Case, k: int) -> Any:
        arguments = dict(zip("abcdefgh", case.samples[k % len(case.samples)], strict=False))
        return eval(case.expression.format(*arguments), namespace | arguments)

    lines = ["def batch(given, out):"]
    read = count()
    written = count()
    for i, case in enumerate(cases):
        lines.append(
            f" r{i} = {case.expression.format(*(build_value(argument, read) for argument in case.samples[0]))}"
        )
        lines += [f" out[{next(written)}] = r{i}{path}" for path in components(value(case, 0))]
    function = define_function("\n".join(lines), namespace)
    text = compilation.text_of(function, ("real*", "real*"), fused=fused)
    address = native.link(native.object_code(text))

    out = (ctypes.c_double * next(written))()
    for k in range(max(len(case.samples) for case in cases)):
        given = [x for case in cases for x in numbers_of(case.samples[k % len(case.samples)])]
        PROTOTYPE(address)((ctypes.c_double * len(given))(*given), out)
        at = 0
        for case in cases:
            plain = numbers_of(value(case, k))
            yield Outcome(
                case.expression,
                case.samples[k % len(case.samples)],
                plain,
                out[at : at + len(plain)],
            )
            at += len(plain)
