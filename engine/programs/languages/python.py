"""Python with NumPy."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ...algebra import Diag3, Mat3
from ..language import ATOM, PRODUCT, WIDTH, Language, number_fields
from ..tree import Block, Function


class Python(Language):
    key, title, suffix = "python", "Python", ".py"
    mark, unicode, end, open, close = "#", True, "", ":", ""
    operators = {"not": "not "}
    fields = number_fields(0, "[", "]")
    reals, numbers, nothing = ("float", "float"), ("{}", "{}"), ("np.nan", "np.inf")
    kinds = {int: "int", bool: "bool"} | dict.fromkeys(fields, "np.ndarray")
    booleans, choice = ("False", "True"), "{yes} if {test} else {no}"
    begins, parameter = ("{name}", "{name}"), "{name}"
    inside = 1
    heads = {
        "if": "if {}", "while": "while {}", "for": "for {} in range({})", "function": "def {name}({given})",
    }  # fmt: skip
    counter = "_"
    first_lines = ("from typing import NamedTuple", "", "import numpy as np")
    natives = {
        "cross": ("np.cross({}, {})", ATOM), "norm": ("np.linalg.norm({})", ATOM), "dot": ("{} @ {}", PRODUCT),
        "solve": ("np.linalg.solve({}, {})", ATOM), "outer": ("np.outer({}, {})", ATOM),
        "trace": ("np.trace({})", ATOM), "Mat3.T": ("{}.T", ATOM), "Diag3.inv": ("np.linalg.inv({})", ATOM),
    }  # fmt: skip
    calls = "np.{}", "np.{}"
    functions = {
        "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "abs": "abs({})",
        "max": "max({}, {})", "min": "min({}, {})", "float": "{}", "int": "int({})",
    }  # fmt: skip
    power_sign, has_arrays = "**", True

    def make(self, kind: type, given: Sequence[str]) -> str:
        if kind not in self.fields:
            return f"{kind.__name__}({', '.join(given)})"
        rows = [f"[{', '.join(given[i : i + 3])}]" for i in (0, 3, 6)] if kind is Mat3 else given
        array = f"np.array([{', '.join(rows)}]{', dtype=np.float32' if self.single else ''})"
        return f"np.diag({array})" if kind is Diag3 else array

    def documented(self, text: str) -> Iterator[str]:
        first, *others = textwrap.wrap(text, WIDTH - 10) or [""]
        if not others:
            yield f'    """{first}"""'
            return
        yield f'    """{first}'
        yield from (f"    {line}" for line in others)
        yield '    """'

    def definition(self, function: Function) -> Iterator[str]:
        yield ""
        self.enter(function)
        yield self.signature(function) + ":"
        yield from self.documented(function.doc)
        yield from self.inner(function.body)

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        if kind not in self.fields:
            yield from ["", f"class {kind.__name__}(NamedTuple):"]
            yield from (f"    {name}: {self.kind(each)}" for name, each in fields.items())

    def comment(self, words: Sequence[str]) -> Iterator[str]:
        first, *others = words
        yield f'"""{first}'
        for line in others:
            yield from textwrap.wrap(line, WIDTH) or [""]
        yield '"""'

    def print(self, values: Sequence[str]) -> Iterator[str]:
        yield "print(R, Ω)" if len(values) > 9 else "print(R)"

    def main(self, block: Block) -> Iterator[str]:
        yield ""
        yield from self.lines(block)
