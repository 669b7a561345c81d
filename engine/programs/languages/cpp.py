"""C++, from C++17 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..language import Language
from ..tree import Call, Expr, Function, Name
from .c import C

ONE = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "floor", "abs", "isnan")


class Cpp(C):
    key, title, suffix = "cpp", "C++", ".cpp"
    overloaded = True
    kinds = {}
    functions = {name: f"std::{name}({{}})" for name in ONE} | {
        name: f"std::{name}({{}}, {{}})" for name in ("atan2", "pow", "max", "min")
    }
    literal = "{kind}{{{parts}}}"
    together, kinds_together = "{{{}}}", "std::tuple<{}>"
    first_lines: ClassVar[tuple[str, ...]] = tuple(
        f"#include <{name}>" for name in ("algorithm", "cmath", "tuple")
    )
    example_lines: ClassVar[tuple[str, ...]] = ("#include <cstdio>",)
    around = ("namespace {} {{", "}}")
    access = "inline"
    row = 'std::printf("%.17g %.17g %.17g\\n", {});'

    def call_name(self, name: str) -> str:
        if name in ("int", "float"):
            return f"{'int' if name == 'int' else self.real}({{}})"
        return self.functions[name]

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        yield f"struct {kind.__name__} {{ {self.list_fields(fields)} }};"

    def signature(self, function: Function) -> str:
        name = (
            f"operator{self.sign(function)}" if function.operator else self.function_name(function)
        )
        return f"{self.access} {self.result(function)} {name}({self.parameters(function)})"

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        names = ["std::ignore" if t is None else self.name(t.name) for t in targets]
        if begins and None not in targets:
            yield f"auto [{', '.join(names)}] = {self.write(value)};"
            return
        for target in filter(None, targets if begins else ()):
            yield from self.declare(target)
        yield f"std::tie({', '.join(names)}) = {self.write(value)};"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        yield from Language.give_back(self, values)
