"""GLSL, of version 4.3, as a compute shader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...algebra import Diag3, Mat3, Quat, Vec3
from ..language import ATOM, Language
from ..tree import Binary, Expr, Unary, Unwritable
from .c import C

AXES = "xyz"
OF_32_BITS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "pow")
"""The functions that have numbers of 32 bits alone."""


class Glsl(C):
    key, title, suffix = "glsl", "GLSL", ".glsl"
    first_lines, heads = (), Language.heads
    example_lines = (
        "layout(local_size_x = 1) in;",
        "layout(std430, binding = 0) buffer Result {{ {real} result[12]; }};",
    )
    struct, unread = "struct {name} {{ {fields} }};", ""
    numbers = "{}lf", "{}"
    nothing = "{real}(uintBitsToFloat(0x7fc00000u))", "{real}(uintBitsToFloat(0x7f800000u))"
    calls = "{}", "{}"
    functions = {"atan2": "atan", "int": "int({})", "float": "{real}({})"}
    out, wrote, passed = "out {} {}", "{}", "{}"
    run = (("void main() {",), ("}",))
    natives = {
        "cross": ("cross({}, {})", ATOM), "norm": ("length({})", ATOM), "dot": ("dot({}, {})", ATOM),
        "outer": ("outerProduct({}, {})", ATOM), "Mat3.T": ("transpose({})", ATOM),
    }  # fmt: skip
    fields = {
        Mat3: {f"{a}{b}": f"[{j}][{i}]" for i, a in enumerate(AXES) for j, b in enumerate(AXES)}
    }

    def kind(self, kind: type) -> str:
        name = {Vec3: "vec3", Diag3: "vec3", Mat3: "mat3", Quat: "vec4"}.get(kind)
        if name is None:
            return "bool" if kind is bool else super().kind(kind)
        return name if self.single else f"d{name}"

    def call_number(self, name: str, given: Sequence[Expr]) -> tuple[str, int]:
        if not self.single and name in OF_32_BITS:
            raise Unwritable(f"GLSL has no {name} of 64 bits; choose precision=single")
        return super().call_number(name, given)

    def is_native(self, x: Unary | Binary) -> bool:
        if isinstance(x, Unary):
            return True
        kinds = {x.left.type, x.right.type}
        return (
            x.left.type is not Quat or x.op != "@"
            if Diag3 not in kinds
            else kinds in ({Diag3, float}, {Diag3, Vec3}, {Diag3})
        )

    def make(self, kind: type, given: Sequence[str]) -> str:
        order = {Mat3: (0, 3, 6, 1, 4, 7, 2, 5, 8), Quat: (1, 2, 3, 0)}.get(kind, range(len(given)))
        return f"{self.kind(kind)}({', '.join(given[i] for i in order)})"

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        if self.kind(kind) == kind.__name__:
            yield from super().structure(kind, fields)

    def comment(self, words: Sequence[str]) -> Iterator[str]:
        yield from () if self.alone else ("#version 430",)
        yield from super().comment(words)

    def print(self, values: Sequence[str]) -> Iterator[str]:
        yield from (f"result[{i}] = {value};" for i, value in enumerate(values))
