"""Rust, edition 2021."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..language import ATOM, CHOICE, SIGN, Language
from ..method_program import MethodProgram
from ..tree import Binary, Block, Call, Expr, Function, Name

TRAITS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "@": "Mul"}


class Rust(Language):
    key, title, suffix = "rust", "Rust", ".rs"
    mark = "//"
    overloaded = True
    operators = {**Language.operators, "not": "!"}
    reals = ("f64", "f32")
    kinds = {int: "i32", bool: "bool"}
    functions = {
        **{name: f"{{}}.{name}()" for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "floor", "abs")},
        **{name: f"{{}}.{name}({{}})" for name in ("atan2", "max", "min")},
        "pow": "{}.powf({})", "isnan": "{}.is_nan()", "int": "{} as i32",
    }  # fmt: skip

    @property
    def nothing(self) -> tuple[str, str]:  # type: ignore[override]
        return f"{self.real}::NAN", f"{self.real}::INFINITY"

    def number(self, value: float) -> str:
        return repr(value) + ("_f32" if self.single else "_f64" if False else "")

    def expression(self, x: Expr) -> tuple[str, int]:
        if isinstance(x, Call) and isinstance(x.function, str):
            template = (
                f"{{}} as {self.real}" if x.function == "float" else self.functions[x.function]
            )
            first, *others = x.given
            text = template.format(self.typed(first), *map(self.write, others))
            return (text, SIGN) if " as " in template else (text, ATOM)
        return super().expression(x)

    def typed(self, x: Expr) -> str:
        """The number whose method is called."""
        text = self.write(x, ATOM)
        return text

    def operation(self, x: Binary) -> tuple[str, int]:
        if x.op == "**" and x.right.type is not int:
            return f"{self.write(x.left, ATOM)}.powf({self.write(x.right)})", ATOM
        if x.op == "!=" and self.write(x.left) == self.write(x.right):
            return f"{self.write(x.left, ATOM)}.is_nan()", ATOM
        return super().operation(x)

    def choose(self, test: str, yes: str, no: str) -> tuple[str, int]:
        return f"if {test} {{ {yes} }} else {{ {no} }}", CHOICE

    def make(self, kind: type, given: Sequence[str]) -> str:
        names = self.members[kind]
        parts = [n if n == v else f"{n}: {v}" for n, v in zip(names, given, strict=True)]
        return f"{kind.__name__} {{ {', '.join(parts)} }}"

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        yield "#[derive(Clone, Copy)]"
        inner = ", ".join(f"{self.name(name)}: {self.kind(each)}" for name, each in fields.items())
        yield f"struct {kind.__name__} {{ {inner} }}"

    def assign(self, target: Name, value: str, begins: bool) -> str:
        return f"{self.let(target.name) if begins else ''}{self.name(target.name)} = {value}"

    def let(self, name: str) -> str:
        return "let mut " if self.changes(name) else "let "

    def declare(self, target: Name) -> str:
        return f"{self.let(target.name)}{self.name(target.name)}: {self.kind(target.type)}"

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        names = [
            "_"
            if t is None
            else ("mut " if begins and self.changes(t.name) else "") + self.name(t.name)
            for t in targets
        ]
        yield f"{'let ' if begins else ''}({', '.join(names)}) = {self.write(value)};"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        assert self.function is not None
        written = ", ".join(map(self.write, values))
        written = written if len(values) == 1 else f"({written})"
        yield written if self.block_of_return is self.function.body else f"return {written};"

    def branch(self, test: str) -> str:
        return f"if {test}"

    def loop(self, at: str, count: str) -> str:
        return f"for {at} in 0..{count}"

    def repeat(self, test: str) -> str:
        return f"while {test}"

    def signature(self, function: Function) -> str:
        given = ", ".join(
            f"{'mut ' if self.changes(p.name) else ''}{self.name(p.name)}: {self.kind(p.type)}"
            for p in function.parameters
        )
        kinds = [self.kind(one) for one in function.results]
        result = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
        return f"fn {self.function_name(function)}({given}) -> {result}"

    def definition(self, function: Function) -> Iterator[str]:
        if not function.operator:
            yield from super().definition(function)
            return
        first, *others = self.ordered(function)
        trait = TRAITS[function.operator] if others else "Neg"
        self.enter(function)
        yield from self.documented(function.doc)
        of = f"<{self.kind(others[0].type)}>" if others else ""
        yield f"impl std::ops::{trait}{of} for {self.kind(first.type)} {{"
        yield f"    type Output = {self.kind(function.results[0])};"
        given = "".join(f", {self.name(p.name)}: {self.kind(p.type)}" for p in others)
        yield f"    fn {trait.lower()}(self{given}) -> {self.kind(function.results[0])} {{"
        if first.name != "self":
            yield f"        let {self.name(first.name)} = self;"
        yield from (f"    {line}" for line in self.inner(function.body))
        yield from ["    }", "}"]

    def name(self, name: str) -> str:
        return "self" if name == "self" else super().name(name)

    def ignore(self, names: Sequence[str]) -> Iterator[str]:
        yield f"let _ = ({', '.join(names)});"

    def head(self, program: MethodProgram) -> Iterator[str]:
        yield from ["", "#![allow(non_snake_case)]"]

    def print(self, values: Sequence[str]) -> Iterator[str]:
        for i in range(0, len(values), 3):
            yield f'println!("{{}} {{}} {{}}", {", ".join(values[i : i + 3])});'

    def main(self, block: Block) -> Iterator[str]:
        yield "fn main() {"
        yield from self.inner(block)
        yield "}"
