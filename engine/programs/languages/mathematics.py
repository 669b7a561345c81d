"""Pseudo-code: a step in mathematical notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...algebra import Diag3, Mat3, Quat, Vec3, exp_about
from ...algorithms.core import Method
from ..language import ATOM, CHOICE, COMPARISON, OR, PRODUCT, SIGN, SUM, Language
from ..method_program import Example, assemble
from ..tree import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Const,
    Expr,
    Field,
    For,
    Function,
    If,
    Name,
    Return,
    Statement,
    Unary,
    all_expressions,
    all_statements,
)  # fmt: skip
from ..walk import LONG

SUB = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
FRACTIONS = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/6": "⅙"}
AXES = {"x": "₁", "y": "₂", "z": "₃"}
NAMES = {"Jinv": "J⁻¹"}


class Mathematics(Language):
    key, title, suffix = "mathematics", "pseudo-code", ".txt"
    unicode, end, open, close = True, "", ":", ""
    heads = {"if": "if {}"}
    operators = {"-": "−", "<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}
    choice = "{yes} if {test}, else {no}"
    functions = {"sqrt": "√({})", "float": "{}", "abs": "|{}|"}
    fields = {
        Vec3: AXES,
        Diag3: {name: sign * 2 for name, sign in AXES.items()},
        Mat3: {a + b: AXES[a] + AXES[b] for a in AXES for b in AXES},
    }
    natives = {
        "cross": ("{} × {}", SUM), "dot": ("{} · {}", SUM), "norm": ("|{}|", ATOM), "hat": ("[{}]", ATOM),
        "outer": ("{} {}ᵀ", PRODUCT), "solve": ("{}⁻¹ {}", PRODUCT), "Mat3.T": ("{}ᵀ", ATOM),
        "Diag3.inv": ("{}⁻¹", ATOM), "full": ("{}", ATOM),
    }  # fmt: skip

    def is_native(self, x: Unary | Binary) -> bool:
        return True

    def name(self, name: str) -> str:
        name, _, again = name.partition("_") if name[-1].isdigit() else (name, "", "")
        plain = name.rstrip("0123456789")
        return (
            plain
            + name[len(plain) :].translate(SUB)
            + "′" * (int(again) - 1 if again.isdigit() else 0)
        )

    def expression(self, x: Expr) -> tuple[str, int]:
        match x:
            case Field(of=Expr(type=kind), name=name) if kind is Body:
                return NAMES.get(name, name), ATOM
            case Unary(op="-", of=of):
                return f"−{self.write(of, PRODUCT)}", PRODUCT
            case Unary(of=of):
                return f"not {self.write(of, SIGN)}", CHOICE
            case Call(function=Function(algebra_name="solve" | "outer" as known), given=given):
                template, binds = self.natives[known]
                levels = (ATOM, PRODUCT) if known == "solve" else (PRODUCT, ATOM)
                return template.format(*map(self.write, given, levels)), binds
        return super().expression(x)

    def call(self, function: Function, given: Sequence[Expr]) -> str:
        if function.origin is exp_about:
            return f"exp({self.write(given[0], PRODUCT)} {self.name(function.name[-2:])})"
        return super().call(function, [one for one in given if one.type is not Body])

    def make(self, kind: type, given: Sequence[str]) -> str:
        if kind in (Vec3, Mat3) and {*given} == {"0"}:
            return "0"
        if {*given} == {self.nothing[0]}:
            return "none, since there is no solution"
        return f"({given[0]}; {', '.join(given[1:])})" if kind is Quat else f"({', '.join(given)})"

    def operation(self, x: Binary) -> tuple[str, int]:
        left, right = x.left, x.right
        match x.op:
            case "+":
                return f"{self.write(left, SUM)} + {self.write(right, SUM)}", SUM
            case "/":
                quotient = f"{self.write(left, PRODUCT)}/{self.write(right, ATOM)}"
                return FRACTIONS.get(quotient, quotient), PRODUCT
            case "**":
                power = self.write(right, ATOM)
                return self.write(left, ATOM) + (
                    power.translate(POWERS) if power.isdigit() else f"^{power}"
                ), ATOM
            case "*" | "@":
                if left.type is Quat and x.op == "@":
                    return f"{self.write(left, ATOM)} ⊗ {self.write(right, ATOM)}", SUM
                return f"{self.write(left, PRODUCT)} {self.write(right, PRODUCT)}", PRODUCT
            case "and" | "or":
                return f"{self.write(left, COMPARISON)} {x.op} {self.write(right, COMPARISON)}", OR
        return super().operation(x)

    def number(self, value: float) -> str:
        return format(value, ".6g").replace("-", "−")

    def constant(self, x: Const) -> tuple[str, int]:
        text, binds = super().constant(x)
        text = text.replace(" / ", "/")
        return FRACTIONS.get(text, text), binds

    def statement(self, statement: Statement) -> Iterator[str]:
        match statement:
            case Assign(targets=targets, value=value):
                names = ", ".join("·" if t is None else self.name(t.name) for t in targets)
                if names != self.write(value):  # J, a field of the body
                    yield f"{names} ← {self.write(value)}"
            case Return(values=values):
                yield from self.results(values)
            case For(at=at, count=count, body=body):
                counted = "" if at is None or at.name == "_" else f" for {at.name} from 0"
                times = (
                    f"while {self.write(count)}"
                    if at is None
                    else f"{self.write(count)} times{counted}"
                )
                yield f"repeat {times}:"
                yield from self.inner(body)
            case If():
                yield from super().statement(statement)

    carried: tuple[str, ...] = ()

    def results(self, values: Sequence[Expr]) -> Iterator[str]:
        """The results of a function: of a step what it carries, where that is new."""
        if len(values) < len(self.carried):
            yield f"{', '.join(self.carried)} ← {self.write(values[0])}"
            return
        if not (self.carried and self.at_end):
            yield f"return {', '.join(map(self.write, values))}"
            return
        new = [
            (n, v)
            for n, v in zip(self.carried, values, strict=True)
            if not (isinstance(v, Name) and v.name == n)
        ]
        if new:
            yield f"{', '.join(self.name(n) for n, _ in new)} ← {', '.join(self.write(v) for _, v in new)}"

    def section(
        self, title: str, function: Function, carried: tuple[str, ...] = ()
    ) -> Iterator[str]:
        """A function below its title."""
        self.carried = carried
        self.enter(function)
        yield f"{title}:"
        yield from self.inner(function.body)
        yield ""


def write_pseudo_code(method: Method) -> str:
    """The step in mathematical notation, with the meaning of its functions; `Unwritable` as for
    `engine.program`.
    """
    built = assemble(method, Example())
    writer = Mathematics(method.single)
    functions = writer.list_needed(built.main)
    named = {one.name: one for one in functions}
    lines: list[str] = []
    if "start" in named:
        lines += writer.section("at the start, from R and Ω", named["start"], method.carries)
    step = built.single_step
    lines += writer.section("each step, of size h", step, method.carries)
    meanings: list[str] = []
    for one in list_called(writer, [step, *([named["start"]] if "start" in named else [])]):
        if one.algebra_name == "exp_about" or one.own:
            continue
        branches = any(isinstance(s, For | If) for s in all_statements(one.body))
        if one.algebra_name or not (branches or len(one.body) > LONG):
            meanings.append(f"{one.name}: {one.doc}")
        else:
            given = ", ".join(writer.name(p.name) for p in one.parameters if p.type is not Body)
            lines += writer.section(f"{one.name}({given})", one)
    n = method.substeps
    held = (
        [f"A frame Δt is {n} steps of h = Δt/{n}; the torque of its start is held in space."]
        if n > 1
        else []
    )
    held += ["Numbers have 32 bits."] if method.single else []
    return "\n".join([*lines, *held, *meanings]) + "\n"


def count_lines(method: Method) -> int:
    """The number of lines of its step, and of the loops that this calls."""
    text = write_pseudo_code(method)
    return sum(line.startswith("    ") for line in text.partition("each step")[2].splitlines())


def list_called(language: Language, functions: Sequence[Function]) -> list[Function]:
    """The functions that these call by name, and those that functions of methods call in turn."""
    found: list[Function] = []

    def visit(block: Block) -> None:
        for x in all_expressions(block):
            one = language.needs(x)
            if one is not None and one not in found and not isinstance(x, Unary | Binary):
                found.append(one)
                if not one.algebra_name:
                    visit(one.body)

    for function in functions:
        visit(function.body)
    return [one for one in found if one not in functions]
