"""MATLAB, and GNU Octave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...algebra import Diag3, Mat3
from ..language import ATOM, PRODUCT, Language, number_fields
from ..tree import Expr, Function


class Matlab(Language):
    key, title, suffix = "matlab", "MATLAB", ".m"
    mark, open, close, end = "%", "", "end", ";"
    operators = {"and": "&&", "or": "||", "@": "*", "not": "~", "!=": "~="}
    numbers, nothing = ("{}", "single({})"), ("NaN", "Inf")
    broken = " ..."
    heads = {
        "if": "if {}", "while": "while {}", "for": "for {} = 0:{} - 1",
        "function": "function {result} = {name}({given})",
    }  # fmt: skip
    begins, parameter = ("{name}", "{name}"), "{name}"
    counter = "k"
    row = "fprintf('%.17g %.17g %.17g\\n', {}, {}, {});"
    run = (("function example()",), ("end",))
    chooses = False
    natives = {
        "cross": ("cross({}, {})", ATOM), "norm": ("norm({})", ATOM), "dot": ("dot({}, {})", ATOM),
        "trace": ("trace({})", ATOM), "solve": ("{} \\ {}", PRODUCT), "outer": ("{} * {}.'", PRODUCT),
        "Mat3.T": ("{}.'", ATOM), "Diag3.inv": ("inv({})", ATOM),
    }  # fmt: skip
    functions = {"float": "{}", "int": "fix"}
    fields = number_fields(1, "(", ")")
    power_sign, has_arrays, together, ignored = "^", True, "[{}]", "~"

    def choose(self, test: str, yes: str, no: str) -> tuple[str, int]:
        self.chooses = True
        return f"choose({test}, {yes}, {no})", ATOM

    def make(self, kind: type, given: Sequence[str]) -> str:
        if kind not in self.fields:
            pairs = [f"'{n}', {v}" for n, v in zip(self.members[kind], given, strict=True)]
            return f"struct({', '.join(pairs)})"
        if kind is Mat3:
            return f"[{'; '.join(', '.join(given[i : i + 3]) for i in (0, 3, 6))}]"
        return f"diag([{', '.join(given)}])" if kind is Diag3 else f"[{'; '.join(given)}]"

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        outputs = self.outputs(self.function)
        if len(values) < len(outputs):
            outputs = [f"[{', '.join(outputs)}]"]
        for name, value in zip(outputs, values, strict=True):
            yield f"{name} = {self.write(value)};"
        if not self.at_end:
            yield "return;"

    def result(self, function: Function) -> str:
        outputs = ", ".join(self.outputs(function))
        return outputs if len(function.results) == 1 else f"[{outputs}]"

    def parameters(self, function: Function) -> str:
        unread = ", ".join("~" for _ in function.parameters)
        return unread if function.own else super().parameters(function)

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
