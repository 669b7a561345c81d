"""C#, from version 7 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..language import Language, Run
from ..tree import Block, Call, Expr, Function, Name
from .c import C

MOST_TOGETHER = 7
"""Results in a tuple; more are `out` parameters, since not every compiler has longer tuples."""


class CSharp(C):
    key, title, suffix = "csharp", "C#", ".cs"
    overloaded, nested, kinds = True, False, {}
    literal, together, pattern = "new {kind}({parts})", "({})", "({})"
    out, wrote, passed, forwarded = "out {} {}", "{}", "out {}", "out {}"
    unread = "_"
    first_lines: ClassVar[tuple[str, ...]] = ("using System;",)
    example_lines: ClassVar[tuple[str, ...]] = ("using System.Globalization;",)
    access = "public static"
    row = 'Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{{0:R}} {{1:R}} {{2:R}}", {}));'
    run: ClassVar[Run] = (("    static void Main() {",), ("    }", "}"))

    @property
    def nothing(self) -> tuple[str, str]:  # type: ignore[override]
        return f"{self.real}.NaN", f"{self.real}.PositiveInfinity"

    def call_name(self, name: str) -> str:
        if name in ("int", "float"):
            return f"({'int' if name == 'int' else self.real}){{}}"
        if name == "isnan":
            return f"{self.real}.IsNaN({{}})"
        two = name in ("atan2", "max", "min", "pow")
        text = f"Math.{name.capitalize()}({'{}, {}' if two else '{}'})"
        return f"(float){text}" if self.single and name not in ("abs", "max", "min") else text

    def function_name(self, function: Function) -> str:
        return "".join(
            one[:1].upper() + one[1:] for one in super().function_name(function).split("_")
        )

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        named = [(self.name(name), self.kind(each)) for name, each in fields.items()]
        yield f"public struct {kind.__name__} {{"
        groups: dict[str, list[str]] = {}
        for name, each in named:
            groups.setdefault(each, []).append(name)
        yield from (
            f"    public readonly {each} {', '.join(names)};" for each, names in groups.items()
        )
        yield f"    public {kind.__name__}({', '.join(f'{each} {name}' for name, each in named)}) {{"
        yield "        " + " ".join(f"this.{name} = {name};" for name, _ in named)
        yield "    }"
        for function in self.needed:
            if function.operator and self.owner(function) is kind:
                yield ""
                yield from (f"    {line}" for line in super().definition(function))
        yield "}"

    def owner(self, function: Function) -> type:
        return next(p.type for p in function.parameters if p.type is not float)

    def definition(self, function: Function) -> Iterator[str]:
        if not function.operator:
            yield from (f"    {line}" if line else "" for line in super().definition(function))

    def signature(self, function: Function) -> str:
        name = (
            f"operator {self.sign(function)}" if function.operator else self.function_name(function)
        )
        if len(function.results) > MOST_TOGETHER:
            return super().signature(function)
        return f"{self.access} {self.result(function)} {name}({self.parameters(function)})"

    def main(self, block: Block) -> Iterator[str]:
        first, *inner, end, last = super().main(block)
        yield from [first, *(f"    {line}" if line else "" for line in inner), end, last]

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        if len(targets) > MOST_TOGETHER:
            yield from super().assign_all(targets, value, begins)
            return
        if begins and any(t is None for t in targets):
            for t in filter(None, targets):
                yield from self.declare(t)
            begins = False
        yield from Language.assign_all(self, targets, value, begins)

    def first_of(self, targets: Sequence[Name | None]) -> str:
        return "var "

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        assert self.function is not None
        many = len(self.function.results) > MOST_TOGETHER
        yield from super().give_back(values) if many else Language.give_back(self, values)

    def ignore(self, names: Sequence[str]) -> Iterator[str]:
        return iter(())

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        name = "".join(one.capitalize() for one in self.method_name.split("_"))
        first = f"public static class {name} {{" if self.alone else "static class Program {"
        return [head, *types, [first], *functions, main or ["}"]]
