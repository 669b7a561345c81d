"""C++, from C++17 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..language import Language, Run
from ..tree import Call, Name
from .c import C


class Cpp(C):
    key, title, suffix = "cpp", "C++", ".cpp"
    overloaded = True
    kinds = {}
    calls = "std::{}", "std::{}"
    functions = {"int": "int({})", "float": "{real}({})"}
    literal = "{kind}{{{parts}}}"
    together, kinds_together = "{{{}}}", "std::tuple<{}>"
    first_lines: ClassVar[tuple[str, ...]] = tuple(
        f"#include <{name}>" for name in ("algorithm", "cmath", "tuple")
    )
    example_lines: ClassVar[tuple[str, ...]] = ("#include <cstdio>",)
    heads = Language.heads | {"function": "inline {result} {name}({given})"}
    struct = "struct {name} {{ {fields} }};"
    run: ClassVar[Run] = (("int main() {",), ("    return 0;", "}"))
    most = 99
    row = 'std::printf("%.17g %.17g %.17g\\n", {}, {}, {});'

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        if self.alone:
            return [head, [f"namespace {self.method_name} {{"], *types, *functions, ["}"]]
        return super().arrange(head, types, functions, main)

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
