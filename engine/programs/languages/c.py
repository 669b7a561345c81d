"""C, from C11 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..language import Language, Run
from ..tree import Call, Expr, Function, Name


class C(Language):
    key, title, suffix = "c", "C", ".c"
    kinds = {bool: "int"}
    calls = "{}", "{}f"
    functions = {
        "abs": "fabs", "max": "fmax", "min": "fmin", "float": "({real}){}", "int": "(int){}",
        "isnan": "isnan({})",
    }  # fmt: skip
    literal = "({kind}){{{parts}}}"
    first_lines: ClassVar[tuple[str, ...]] = ("#include <math.h>",)
    example_lines: ClassVar[tuple[str, ...]] = ("#include <stdio.h>",)
    heads = Language.heads | {"function": "static inline {result} {name}({given})"}
    struct: ClassVar[str] = "typedef struct {{ {fields} }} {name};"
    unread = "(void){};"
    row = 'printf("%.17g %.17g %.17g\\n", {}, {}, {});'
    run: ClassVar[Run] = (("int main(void) {",), ("    return 0;", "}"))
    most: ClassVar[int] = 1
    """The most results that a function returns; more are written where its last parameters say."""
    out, wrote, passed, forwarded = "{} *{}", "*{}", "&{}", "{}"
    unused: ClassVar[str] = ""
    """What takes a result that nothing reads, if it is no variable."""

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        inner = " ".join(
            f"{each} {', '.join(names)};" for each, names in self.group(fields).items()
        )
        yield self.struct.format(name=kind.__name__, fields=inner)

    def group(self, fields: dict[str, type]) -> dict[str, list[str]]:
        """The names of fields by their types."""
        groups: dict[str, list[str]] = {}
        for name, each in fields.items():
            groups.setdefault(self.kind(each), []).append(self.name(name))
        return groups

    def result(self, function: Function) -> str:
        return super().result(function) if len(function.results) <= self.most else "void"

    def parameters(self, function: Function) -> str:
        given = super().parameters(function)
        if len(function.results) <= self.most:
            return given
        outputs = zip(function.results, self.outputs(function), strict=True)
        added = ", ".join(self.out.format(self.kind(k), n) for k, n in outputs)
        return f"{given}, {added}" if given else added

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        if len(targets) <= self.most:
            yield from super().assign_all(targets, value, begins)
            return
        assert isinstance(value.function, Function)
        names = [*map(self.write, value.given)]
        for i, (target, kind) in enumerate(zip(targets, value.function.results, strict=True)):
            if begins and target is not None:
                yield from self.declare(target)
            elif target is None and not self.unused:
                yield f"{self.kind(kind)} unused{i + 1};"
            unused = self.unused or f"unused{i + 1}"
            name = unused if target is None else self.name(target.name)
            names.append(self.passed.format(name))
        yield f"{self.function_name(value.function)}({', '.join(names)});"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        outputs = self.outputs(self.function)
        if len(outputs) <= self.most:
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
        if not self.at_end:
            yield "return;"
