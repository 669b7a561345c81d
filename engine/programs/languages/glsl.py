"""GLSL, of version 4.3, as a compute shader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...algebra import Diag3, Mat3, Quat, Vec3
from ..language import ATOM
from ..tree import Binary, Function, Unary, Unwritable
from .c import C

AXES = "xyz"


class Glsl(C):
    key, title, suffix = "glsl", "GLSL", ".glsl"
    first_lines, access = (), ""
    out, wrote, passed = "out {} {}", "{}", "{}"
    run = (("void main() {",), ("}",))
    natives = {
        "cross": ("cross({}, {})", ATOM), "norm": ("length({})", ATOM), "dot": ("dot({}, {})", ATOM),
        "outer": ("outerProduct({}, {})", ATOM), "Mat3.T": ("transpose({})", ATOM),
    }  # fmt: skip
    functions = {
        "atan2": "atan({}, {})",
        "max": "max({}, {})",
        "min": "min({}, {})",
        "pow": "pow({}, {})",
        "int": "int({})",
    }
    fields = {
        Mat3: {f"{a}{b}": f"[{j}][{i}]" for i, a in enumerate(AXES) for j, b in enumerate(AXES)}
    }

    def __init__(self, single: bool) -> None:
        super().__init__(single)
        self.example_lines = (  # type: ignore[misc]
            "layout(local_size_x = 1) in;",
            f"layout(std430, binding = 0) buffer Result {{ {self.real} result[12]; }};",
        )
        self.nothing = (
            f"{self.real}(uintBitsToFloat(0x7fc00000u))",
            f"{self.real}(uintBitsToFloat(0x7f800000u))",
        )

    def kind(self, kind: type) -> str:
        name = {Vec3: "vec3", Diag3: "vec3", Mat3: "mat3", Quat: "vec4"}.get(kind)
        if name is None:
            return "bool" if kind is bool else super().kind(kind)
        return name if self.single else f"d{name}"

    def call_name(self, name: str) -> str:
        if not self.single and name in (
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "atan2",
            "pow",
        ):
            raise Unwritable(f"GLSL has no {name} of 64 bits; choose precision=single")
        return f"{self.real}({{}})" if name == "float" else self.functions.get(name, name + "({})")

    def number(self, value: float) -> str:
        return repr(value) + ("" if self.single else "lf")

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
            yield f"struct {kind.__name__} {{ {self.list_fields(fields)} }};"

    def signature(self, function: Function) -> str:
        return super().signature(function).lstrip()

    def ignore(self, names: Sequence[str]) -> Iterator[str]:
        return iter(())

    def comment(self, words: Sequence[str]) -> Iterator[str]:
        yield from () if self.alone else ("#version 430",)
        yield from super().comment(words)

    def print(self, values: Sequence[str]) -> Iterator[str]:
        yield from (f"result[{i}] = {value};" for i, value in enumerate(values))
