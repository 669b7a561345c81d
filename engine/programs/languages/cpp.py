"""C++, from C++17 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..method_program import MethodProgram
from ..tree import Call, Expr, Function, Name
from .c import C


class Cpp(C):
    key, title, suffix = "cpp", "C++", ".cpp"
    overloaded = True
    kinds = {}
    functions = (
        {
            name: f"std::{name}({{}})"
            for name in (
                "sqrt",
                "sin",
                "cos",
                "tan",
                "asin",
                "acos",
                "atan",
                "floor",
                "abs",
                "isnan",
            )
        }
        | {name: f"std::{name}({{}}, {{}})" for name in ("atan2", "pow", "max", "min")}
        | {"int": "int({})", "float": "double({})"}
    )

    def call_name(self, name: str) -> str:
        text = self.functions.get(name, name + "({})")
        return f"{self.real}({{}})" if name == "float" else text

    def make(self, kind: type, given: Sequence[str]) -> str:
        return f"{self.kind(kind)}{{{', '.join(given)}}}"

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        (line,) = super().structure(kind, fields)
        yield f"struct {kind.__name__} {line[len('typedef struct ') : line.rindex('}') + 1]};"

    def signature(self, function: Function) -> str:
        name = (
            f"operator{self.operators.get(function.operator, function.operator)}"
            if function.operator
            else self.function_name(function)
        )
        given = [f"{self.kind(p.type)} {self.name(p.name)}" for p in self.ordered(function)]
        kinds = [self.kind(one) for one in function.results]
        result = kinds[0] if len(kinds) == 1 else f"std::tuple<{', '.join(kinds)}>"
        return f"static {result} {name}({', '.join(given)})"

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        if begins and all(t is not None for t in targets):
            yield f"auto [{', '.join(self.name(t.name) for t in targets if t is not None)}] = {self.write(value)};"
            return
        if begins:
            yield from (self.declare(t) + ";" for t in targets if t is not None)
        names = ["std::ignore" if t is None else self.name(t.name) for t in targets]
        yield f"std::tie({', '.join(names)}) = {self.write(value)};"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        written = [*map(self.write, values)]
        yield f"return {written[0]};" if len(values) == 1 else f"return {{{', '.join(written)}}};"

    def head(self, program: MethodProgram) -> Iterator[str]:
        yield from [
            "",
            "#include <algorithm>",
            "#include <cmath>",
            "#include <cstdio>",
            "#include <tuple>",
        ]

    def print(self, values: Sequence[str]) -> Iterator[str]:
        yield from (line.replace("printf", "std::printf", 1) for line in super().print(values))
