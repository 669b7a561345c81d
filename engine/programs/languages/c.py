"""C, from C11 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..language import Language, Run
from ..tree import Call, Expr, Function, Name


class C(Language):
    key, title, suffix = "c", "C", ".c"
    kinds = {bool: "int"}
    functions = {
        "abs": "fabs({})", "max": "fmax({}, {})", "min": "fmin({}, {})", "pow": "pow({}, {})", "atan2": "atan2({}, {})",
        "float": "(double){}", "int": "(int){}",
    }  # fmt: skip
    literal = "({kind}){{{parts}}}"
    first_lines: ClassVar[tuple[str, ...]] = ("#include <math.h>",)
    example_lines: ClassVar[tuple[str, ...]] = ("#include <stdio.h>",)
    access = "static inline"
    row = 'printf("%.17g %.17g %.17g\\n", {});'
    run: ClassVar[Run] = (("int main(void) {",), ("    return 0;", "}"))
    out, wrote, passed, forwarded = "{} *{}", "*{}", "&{}", "{}"
    unread: ClassVar[str] = ""
    """What takes a result that nothing reads, if it is no variable."""

    def call_name(self, name: str) -> str:
        text = super().call_name(name)
        if not self.single or name in ("int", "isnan"):
            return text
        return text.replace("double", "float") if name == "float" else text.replace("(", "f(", 1)

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        yield f"typedef struct {{ {self.list_fields(fields)} }} {kind.__name__};"

    def list_fields(self, fields: dict[str, type]) -> str:
        groups: dict[str, list[str]] = {}
        for name, each in fields.items():
            groups.setdefault(self.kind(each), []).append(self.name(name))
        return " ".join(f"{each} {', '.join(names)};" for each, names in groups.items())

    def signature(self, function: Function) -> str:
        name, given = self.function_name(function), self.parameters(function)
        if len(function.results) == 1:
            return f"{self.access} {self.result(function)} {name}({given})"
        outputs = zip(function.results, self.outputs(function), strict=True)
        added = ", ".join(self.out.format(self.kind(k), n) for k, n in outputs)
        return f"{self.access} void {name}({', '.join(filter(None, (given, added)))})"

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        assert isinstance(value.function, Function)
        names = [*map(self.write, value.given)]
        for i, (target, kind) in enumerate(zip(targets, value.function.results, strict=True)):
            if begins and target is not None:
                yield from self.declare(target)
            elif target is None and not self.unread:
                yield f"{self.kind(kind)} unused{i + 1};"
            unread = self.unread or f"unused{i + 1}"
            name = unread if target is None else self.name(target.name)
            names.append(self.passed.format(name))
        yield f"{self.function_name(value.function)}({', '.join(names)});"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        assert self.function is not None
        outputs = self.outputs(self.function)
        if len(outputs) == 1:
            yield from super().give_back(values)
            return
        if isinstance(values[0], Call) and len(values) == 1:
            passed = map(self.forwarded.format, outputs)
            given = ", ".join([*map(self.write, values[0].given), *passed])
            assert isinstance(values[0].function, Function)
            yield f"{self.function_name(values[0].function)}({given});"
        else:
            for name, value in zip(outputs, values, strict=True):
                yield f"{self.wrote.format(name)} = {self.write(value)};"
        if self.block_of_return is not self.function.body:
            yield "return;"

    def ignore(self, names: Sequence[str]) -> Iterator[str]:
        yield from (f"(void){name};" for name in names)
