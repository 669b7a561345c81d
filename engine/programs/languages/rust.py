"""Rust, edition 2021."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..language import Language
from ..tree import Expr, Function, Name

TRAITS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "@": "Mul"}


class Rust(Language):
    key, title, suffix = "rust", "Rust", ".rs"
    overloaded = True
    literal, named_parts = "{kind} {{ {parts} }}", True
    together, begin_several = "({})", "let "
    begins = "let {name}: {kind}", "let mut {name}: {kind}"
    choice = "if {test} {{ {yes} }} else {{ {no} }}"
    heads = {
        "if": "if {}", "while": "while {}", "for": "for {} in 0..{}",
        "function": "fn {name}({given}) -> {result}",
    }  # fmt: skip
    counter = "_"
    first_lines = ("#![allow(non_snake_case)]",)
    row = 'println!("{{}} {{}} {{}}", {}, {}, {});'
    run = (("fn main() {",), ("}",))
    reals, numbers = ("f64", "f32"), ("{}", "{}_f32")
    nothing = "{real}::NAN", "{real}::INFINITY"
    kinds = {int: "i32", bool: "bool"}
    functions = {
        **{name: f"{{}}.{name}()" for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "floor", "abs")},
        **{name: f"{{}}.{name}({{}})" for name in ("atan2", "max", "min")},
        "pow": "{}.powf({})", "isnan": "{}.is_nan()", "int": "{} as i32", "float": "{} as {real}",
    }  # fmt: skip

    _receiver = ""

    def name(self, name: str) -> str:
        return "self" if name == self._receiver else super().name(name)

    @property
    def access(self) -> str:
        """The word before what others may use."""
        return "pub " if self.alone else ""

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        yield "#[derive(Clone, Copy)]"
        inner = ", ".join(
            f"{self.access}{self.name(name)}: {self.kind(each)}" for name, each in fields.items()
        )
        yield f"{self.access}struct {kind.__name__} {{ {inner} }}"

    def assign(self, target: Name, value: str, begins: bool) -> str:
        text = super().assign(target, value, begins)
        plain = re.fullmatch(r"-?[\d.]+", value)  # a number, whose type is not seen
        return text if plain else text.replace(f": {self.kind(target.type)} = ", " = ", 1)

    def write_parameter(self, one: Name) -> str:
        return self.begin(one).removeprefix("let ")

    def target(self, target: Name, begins: bool) -> str:
        mutable = begins and self.changes(target.name)
        return f"{'mut ' if mutable else ''}{self.name(target.name)}"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        for line in super().give_back(values):
            yield line.removeprefix("return ").removesuffix(";") if self.at_end else line

    def signature(self, function: Function) -> str:
        return self.access + super().signature(function)

    def definition(self, function: Function) -> Iterator[str]:
        if not function.operator:
            yield from super().definition(function)
            return
        first, *others = function.parameters
        trait = TRAITS[function.operator] if others else "Neg"
        self.enter(function)
        yield from self.documented(function.doc)
        of = f"<{self.kind(others[0].type)}>" if others else ""
        yield f"impl std::ops::{trait}{of} for {self.kind(first.type)} {{"
        yield f"    type Output = {self.result(function)};"
        given = "".join(f", {self.name(p.name)}: {self.kind(p.type)}" for p in others)
        yield f"    fn {trait.lower()}(self{given}) -> {self.result(function)} {{"
        self._receiver = first.name
        yield from (f"    {line}" for line in self.inner(function.body))
        self._receiver = ""
        yield from ["    }", "}"]

    def ignore(self, names: Sequence[str]) -> Iterator[str]:
        yield f"let _ = ({', '.join(names)});"
