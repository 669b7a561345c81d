"""C#, from version 7 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..language import Language, Run
from ..tree import Block, Call, Function, Name
from .c import C


class CSharp(C):
    key, title, suffix = "csharp", "C#", ".cs"
    overloaded, nested, kinds = True, False, {}
    nothing = "{real}.NaN", "{real}.PositiveInfinity"
    calls = "Math.{}", "(float)Math.{}"
    functions = {
        **{name: name.capitalize() for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
        "floor": "Floor", "pow": "Pow", "abs": "Math.Abs({})", "max": "Math.Max({}, {})", "min": "Math.Min({}, {})",
        "isnan": "{real}.IsNaN({})", "float": "({real}){}", "int": "(int){}",
    }  # fmt: skip
    literal, together = "new {kind}({parts})", "({})"
    out, wrote, passed, forwarded = "out {} {}", "{}", "out {}", "out {}"
    most = 7  # not every compiler has longer tuples
    unread, unused, begin_several = "", "_", "var "
    first_lines: ClassVar[tuple[str, ...]] = ("using System;",)
    example_lines = ()
    heads = Language.heads | {"function": "public static {result} {name}({given})"}
    operator_name = "operator {}"
    row = 'Console.WriteLine(FormattableString.Invariant($"{{{}:R}} {{{}:R}} {{{}:R}}"));'
    run: ClassVar[Run] = (("    static void Main() {",), ("    }", "}"))

    def function_name(self, function: Function) -> str:
        return "".join(
            one[:1].upper() + one[1:] for one in super().function_name(function).split("_")
        )

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        named = [(self.name(name), self.kind(each)) for name, each in fields.items()]
        yield f"public struct {kind.__name__} {{"
        for each, names in self.group(fields).items():
            yield f"    public readonly {each} {', '.join(names)};"
        yield f"    public {kind.__name__}({', '.join(f'{each} {name}' for name, each in named)}) {{"
        yield from (f"        this.{name} = {name};" for name, _ in named)
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

    def main(self, block: Block) -> Iterator[str]:
        first, *inner, end, last = super().main(block)
        yield from [first, *(f"    {line}" if line else "" for line in inner), end, last]

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        if begins and len(targets) <= self.most and None in targets:
            for target in filter(None, targets):
                yield from self.declare(target)
            begins = False
        yield from super().assign_all(targets, value, begins)

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        name = "".join(one.capitalize() for one in self.method_name.split("_"))
        first = f"public static class {name} {{" if self.alone else "static class Program {"
        return [head, *types, [first], *functions, main or ["}"]]
