"""C, from C11 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..language import Language
from ..method_program import MethodProgram
from ..tree import Block, Call, Expr, Function, Name


class C(Language):
    key, title, suffix = "c", "C", ".c"
    kinds = {bool: "int"}
    functions = {
        "abs": "fabs({})", "max": "fmax({}, {})", "min": "fmin({}, {})", "pow": "pow({}, {})", "atan2": "atan2({}, {})",
        "float": "(double){}", "int": "(int){}",
    }  # fmt: skip

    def call_name(self, name: str) -> str:
        text = super().call_name(name)
        if not self.single or name in ("int", "isnan"):
            return text
        return text.replace("double", "float") if name == "float" else text.replace("(", "f(", 1)

    def make(self, kind: type, given: Sequence[str]) -> str:
        return f"({self.kind(kind)}){{{', '.join(given)}}}"

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        groups: dict[str, list[str]] = {}
        for name, each in fields.items():
            groups.setdefault(self.kind(each), []).append(self.name(name))
        inner = " ".join(f"{each} {', '.join(names)};" for each, names in groups.items())
        yield f"typedef struct {{ {inner} }} {kind.__name__};"

    def signature(self, function: Function) -> str:
        given = [f"{self.kind(p.type)} {self.name(p.name)}" for p in self.ordered(function)]
        if len(function.results) == 1:
            return f"static {self.kind(function.results[0])} {self.function_name(function)}({', '.join(given)})"
        given += [
            self.parameter_out(k, n)
            for k, n in zip(function.results, self.outputs(function), strict=True)
        ]
        return f"static void {self.function_name(function)}({', '.join(given)})"

    def outputs(self, function: Function) -> list[str]:
        names = [self.name(one) for one in function.result_names]
        return [
            f"{n}_out" if names.count(n) == 1 else f"{n}{i + 1}_out" for i, n in enumerate(names)
        ]

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        assert isinstance(value.function, Function)
        if begins:
            yield from (self.declare(t) + ";" for t in targets if t is not None)
        unused = [
            (k, f"unused{i + 1}")
            for i, (t, k) in enumerate(zip(targets, value.function.results, strict=True))
            if t is None
        ]
        yield from (f"{self.kind(k)} {name};" for k, name in unused)
        spare = iter(name for _, name in unused)
        given = [
            *map(self.write, value.given),
            *(self.pass_out(next(spare) if t is None else self.name(t.name)) for t in targets),
        ]
        yield f"{self.function_name(value.function)}({', '.join(given)});"

    def parameter_out(self, kind: type, name: str) -> str:
        return f"{self.kind(kind)} *{name}"

    def write_out(self, name: str) -> str:
        return f"*{name}"

    def pass_out(self, name: str) -> str:
        return f"&{name}"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        assert self.function is not None
        if len(self.function.results) == 1:
            yield from super().give_back(values)
            return
        if len(values) == 1 and isinstance(values[0], Call):
            given = [*map(self.write, values[0].given), *self.outputs(self.function)]
            assert isinstance(values[0].function, Function)
            yield f"{self.function_name(values[0].function)}({', '.join(given)});"
            values = []
        for name, value in zip(self.outputs(self.function), values, strict=False):
            yield f"{self.write_out(name)} = {self.write(value)};"
        if self.block_of_return is not self.function.body:
            yield "return;"

    def ignore(self, names: Sequence[str]) -> Iterator[str]:
        yield from (f"(void){name};" for name in names)

    def head(self, program: MethodProgram) -> Iterator[str]:
        yield from ["", "#include <math.h>", "#include <stdio.h>"]

    def print(self, values: Sequence[str]) -> Iterator[str]:
        for i in range(0, len(values), 3):
            row = ", ".join(values[i : i + 3])
            yield f'printf("%.17g %.17g %.17g\\n", {row});'

    def main(self, block: Block) -> Iterator[str]:
        yield "int main(void) {"
        yield from self.inner(block)
        yield "    return 0;"
        yield "}"
