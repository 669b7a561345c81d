"""JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..language import Language
from ..method_program import MethodProgram
from ..tree import Block, Call, Expr, Function, Name, Unwritable


class JavaScript(Language):
    key, title, suffix = "javascript", "JavaScript", ".js"
    unicode = True
    operators = {**Language.operators, "==": "===", "!=": "!=="}
    nothing = ("NaN", "Infinity")
    functions = {
        name: f"Math.{name}({{}})" for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "floor", "abs")
    } | {name: f"Math.{name}({{}}, {{}})" for name in ("atan2", "max", "min", "pow")} | {
        "int": "Math.trunc({})", "float": "{}", "isnan": "Number.isNaN({})",
    }  # fmt: skip

    def __init__(self, single: bool) -> None:
        if single:
            raise Unwritable("JavaScript has no numbers of 32 bits to compute with")
        super().__init__(single)

    def function_name(self, function: Function) -> str:
        first, *others = super().function_name(function).split("_")
        return first + "".join(one.capitalize() if one else "_" for one in others)

    def make(self, kind: type, given: Sequence[str]) -> str:
        parts = [
            n if n == v else f"{n}: {v}" for n, v in zip(self.members[kind], given, strict=True)
        ]
        return f"{{ {', '.join(parts)} }}"

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        return iter(())

    def assign(self, target: Name, value: str, begins: bool) -> str:
        return f"{self.let(target.name) if begins else ''}{self.name(target.name)} = {value}"

    def let(self, name: str) -> str:
        return "let " if self.changes(name) else "const "

    def declare(self, target: Name) -> str:
        return f"let {self.name(target.name)}"

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        names = ", ".join("" if t is None else self.name(t.name) for t in targets)
        many = any(t is not None and self.changes(t.name) for t in targets)
        yield f"{('let ' if many else 'const ') if begins else ''}[{names}] = {self.write(value)};"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        written = ", ".join(map(self.write, values))
        yield f"return {written};" if len(values) == 1 else f"return [{written}];"

    def loop(self, at: str, count: str) -> str:
        at = "i" if at == "_" else at
        return f"for (let {at} = 0; {at} < {count}; {at}++)"

    def signature(self, function: Function) -> str:
        given = ", ".join(self.name(p.name) for p in self.ordered(function))
        return f"function {self.function_name(function)}({given})"

    def head(self, program: MethodProgram) -> Iterator[str]:
        yield from ["", '"use strict";']

    def print(self, values: Sequence[str]) -> Iterator[str]:
        for i in range(0, len(values), 3):
            yield f"console.log({', '.join(values[i : i + 3])});"

    def main(self, block: Block) -> Iterator[str]:
        yield from self.lines(block)
