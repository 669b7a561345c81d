"""JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..language import Language
from ..tree import Function, Name, Unwritable


class JavaScript(Language):
    key, title, suffix = "javascript", "JavaScript", ".js"
    unicode = True
    operators = {**Language.operators, "==": "===", "!=": "!=="}
    nothing = ("NaN", "Infinity")
    literal, named_parts = "{{ {parts} }}", True
    together, ignored = "[{}]", ""
    begins, parameter = ("const {name}", "let {name}"), "{name}"
    heads = Language.heads | {
        "for": "for (let {0} = 0; {0} < {1}; {0}++)",
        "function": "function {name}({given})",
    }
    example_lines = ('"use strict";',)
    row = "console.log({}, {}, {});"
    calls = "Math.{}", "Math.{}"
    functions = {"int": "trunc", "float": "{}", "isnan": "Number.isNaN({})"}

    def __init__(self, single: bool) -> None:
        if single:
            raise Unwritable("JavaScript has no numbers of 32 bits to compute with")
        super().__init__(single)

    def function_name(self, function: Function) -> str:
        first, *others = super().function_name(function).split("_")
        return first + "".join(one.capitalize() if one else "_" for one in others)

    def declare(self, target: Name) -> Iterator[str]:
        yield f"let {self.name(target.name)};"

    def first_of(self, targets: Sequence[Name | None]) -> str:
        return "let " if any(t and self.changes(t.name) for t in targets) else "const "

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        names = ", ".join(self.function_name(one) for one in self.called)
        return [head, *functions, main or [f"export {{ {names} }};"]]
