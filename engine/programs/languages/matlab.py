"""MATLAB, and GNU Octave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...algebra import Diag3, Mat3
from ..language import ATOM, PRODUCT, Language, number_fields
from ..tree import (
    Expr,
    Function,
    Name,
    Select,
)  # fmt: skip


class Matlab(Language):
    key, title, suffix = "matlab", "MATLAB", ".m"
    mark, open, close, end = "%", "", "end", ";"
    operators = {"and": "&&", "or": "||", "@": "*", "not": "~", "!=": "~="}
    nothing = ("NaN", "Inf")
    broken = " ..."
    heads = {"if": "if {}", "while": "while {}", "for": "for {} = 0:{} - 1"}
    counter = "k"
    row = "fprintf('%.17g %.17g %.17g\\n', {});"
    run = (("function example()",), ("end",))
    chooses = False
    natives = {
        "cross": ("cross({}, {})", ATOM), "norm": ("norm({})", ATOM), "dot": ("dot({}, {})", ATOM),
        "trace": ("trace({})", ATOM), "solve": ("{} \\ {}", PRODUCT), "outer": ("{} * {}.'", PRODUCT),
        "Mat3.T": ("{}.'", ATOM), "Diag3.inv": ("inv({})", ATOM),
    }  # fmt: skip
    functions = {
        "max": "max({}, {})", "min": "min({}, {})", "atan2": "atan2({}, {})", "float": "{}", "int": "fix({})",
    }  # fmt: skip
    fields = number_fields(1, "(", ")")
    power_sign, has_arrays, pattern, ignored = "^", True, "[{}]", "~"

    def expression(self, x: Expr) -> tuple[str, int]:
        if isinstance(x, Select):
            self.chooses = True
            return f"choose({self.write(x.test)}, {self.write(x.yes)}, {self.write(x.no)})", ATOM
        return super().expression(x)

    def begin(self, target: Name) -> str:
        return self.name(target.name)

    def number(self, value: float) -> str:
        return f"single({value!r})" if self.single else repr(value)

    def make(self, kind: type, given: Sequence[str]) -> str:
        if kind not in self.fields:
            pairs = [f"'{n}', {v}" for n, v in zip(self.members[kind], given, strict=True)]
            return f"struct({', '.join(pairs)})"
        if kind is Mat3:
            return f"[{'; '.join(', '.join(given[i : i + 3]) for i in (0, 3, 6))}]"
        return f"diag([{', '.join(given)}])" if kind is Diag3 else f"[{'; '.join(given)}]"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        assert self.function is not None
        last = self.block_of_return is self.function.body
        outputs = self.outputs(self.function)
        if len(values) < len(outputs):
            outputs = [f"[{', '.join(outputs)}]"]
        for name, value in zip(outputs, values, strict=True):
            yield f"{name} = {self.write(value)};"
        if not last:
            yield "return;"

    def signature(self, function: Function) -> str:
        given = ", ".join("~" if function.own else self.name(p.name) for p in function.parameters)
        return f"function [{', '.join(self.outputs(function))}] = {self.function_name(function)}({given})"

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        choose = [
            "function [x] = choose(test, yes, no)",
            "    x = no;",
            "    if test",
            "        x = yes;",
        ]
        added = [[*choose, "    end", "end"]] if self.chooses else []
        names = [self.function_name(one) for one in self.called]
        handles = ", ".join(f"'{name}', @{name}" for name in names)
        first = [f"function rule = {self.method_name}()", f"    rule = struct({handles});", "end"]
        return [head, main or first, *functions, *added]
