"""The printer: it writes the syntax tree of a program in a language, by the language's table."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isinf, isnan
from typing import ClassVar

from ..algebra import Diag3, Mat3, Quat, Vec3
from ..algebra.values import Vec4
from ..text import read_toml
from .method_program import MethodProgram
from .scopes import Scopes, find_scopes
from .tree import (
    UNNAMED,
    VALUES,
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
    Jump,
    Make,
    Name,
    Note,
    Print,
    Return,
    Select,
    Statement,
    Unary,
    Unwritable,
    all_expressions,
    fields_of,
)  # fmt: skip

CHOICE, OR, AND, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(9)
"""How tightly operators bind."""
LEVELS = {"or": OR, "and": AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "@": PRODUCT}
WIDTH = 100
RESERVED = {key: frozenset(words.split()) for key, words in read_toml(__file__).items()}

Run = tuple[tuple[str, ...], tuple[str, ...]]
"""The lines before and after the example."""


class Language:
    """A language of programs: a table of how it writes types, operators and statements. The default
    is written like C.

    Attributes
    ----------
    key, title, suffix : its name in calls, its name, and the end of the names of its files.
    operators : the signs of operators.
    overloaded : whether functions of operators define these; otherwise they are called by name.
    natives : functions of `engine.algebra` that the language has, each with a template and how
        tightly that binds.
    calls, functions : the names of functions of numbers of 64 and 32 bits, as templates of their own
        names; and those with another name, or with a template that has places for what they take.
    kinds, fields : names of types, and how the components of a value are read.
    reals, numbers, nothing : the types of numbers of 64 and 32 bits, how they are written; not a
        number, and infinity.
    booleans, choice : false and true; one of two by a condition.
    end, open, close, broken, inside : the end of a statement, of the head of a block, of a block and
        of a line that goes on below; how many brackets are open where a line may be broken.
    nested : whether a block may name a variable that the block around it begins later.
    literal, named_parts : a value of its components, and whether these have their names there.
    together, kinds_together : several results, or the variables that get them; and their type.
    begins, parameter : a variable where it begins, if it stays and if it changes; a parameter.
    begin_several, ignored : the word before several variables that begin with their results, and what
        stands for no variable.
    power_sign : the sign of powers, if there is one.
    has_arrays : whether values are arrays, with their operators; those of quaternions are not.
    heads, counter : the heads of blocks and functions, and the name of a counter that is not read.
    operator_name : the name of a function that defines an operator.
    unread : the statement for a parameter of the user's functions, which their results do not need.
    first_lines, row, run : the lines at the start, what prints three numbers, and the lines before
        and after the example.
    example_lines : further lines at the start if there is an example.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    suffix: ClassVar[str]
    mark: ClassVar[str] = "//"
    unicode: ClassVar[bool] = False
    operators: ClassVar[dict[str, str]] = {"and": "&&", "or": "||", "@": "*", "not": "!"}
    overloaded: ClassVar[bool] = False
    natives: ClassVar[dict[str, tuple[str, int]]] = {}
    calls: ClassVar[tuple[str, str]] = ("{}", "{}")
    functions: ClassVar[dict[str, str]] = {}
    kinds: ClassVar[dict[type, str]] = {}
    fields: ClassVar[dict[type, dict[str, str]]] = {}
    reals: ClassVar[tuple[str, str]] = ("double", "float")
    numbers: ClassVar[tuple[str, str]] = ("{}", "{}f")
    nothing: ClassVar[tuple[str, str]] = ("NAN", "INFINITY")
    booleans: ClassVar[tuple[str, str]] = ("false", "true")
    choice: ClassVar[str] = "{test} ? {yes} : {no}"
    end: ClassVar[str] = ";"
    open: ClassVar[str] = " {"
    close: ClassVar[str] = "}"
    broken: ClassVar[str] = ""
    inside: ClassVar[int] = 0
    literal: ClassVar[str] = "{kind}({parts})"
    named_parts: ClassVar[bool] = False
    together: ClassVar[str] = "{}"
    begins: ClassVar[tuple[str, str]] = ("{kind} {name}", "{kind} {name}")
    parameter: ClassVar[str] = "{kind} {name}"
    begin_several: ClassVar[str] = ""
    ignored: ClassVar[str] = "_"
    power_sign: ClassVar[str] = ""
    has_arrays: ClassVar[bool] = False
    kinds_together: ClassVar[str] = "({})"
    heads: ClassVar[dict[str, str]] = {
        "if": "if ({})",
        "while": "while ({})",
        "for": "for (int {0} = 0; {0} < {1}; {0}++)",
        "function": "{result} {name}({given})",
    }
    operator_name: ClassVar[str] = "operator{}"
    unread: ClassVar[str] = ""
    counter: ClassVar[str] = "i"
    first_lines: ClassVar[tuple[str, ...]] = ()
    row: ClassVar[str] = ""
    run: ClassVar[Run] = ((), ())
    example_lines: ClassVar[tuple[str, ...]] = ()
    nested: ClassVar[bool] = True

    def __init__(self, single: bool) -> None:
        self.single = single
        self.real = self.reals[single]
        self._reserved = RESERVED.get(self.key, frozenset())
        self.named: set[str] = set()
        self._scopes = Scopes()
        self.function = Function("")
        self.at_end = False
        self._at = 0
        self.members: dict[type, list[str]] = {}
        self.needed: list[Function] = []
        self.called: list[Function] = []
        self.alone = False
        self.method_name = ""

    # ------------------------------------------------------------------ names and types

    def name(self, name: str) -> str:
        """A variable's name in the language."""
        text = name if self.unicode else spell(name)
        return f"{text}_" if text in self._reserved or text in self.named else text

    def function_name(self, function: Function) -> str:
        """A function's name in the language."""
        text = function.name if self.unicode else spell(function.name)
        return f"{text}_" if text in self._reserved else text

    def kind(self, kind: type) -> str:
        """A type's name in the language."""
        if kind is float:
            return self.real
        return self.kinds.get(kind, kind.__name__)

    # ------------------------------------------------------------------ expressions

    def write(self, x: Expr, level: int = CHOICE) -> str:
        """An expression, in brackets if its operator binds less tightly than `level`."""
        text, binds = self.expression(x)
        return f"({text})" if binds < level else text

    def expression(self, x: Expr) -> tuple[str, int]:
        """An expression, and how tightly its operator binds."""
        match x:
            case Name(name=name):
                return self.name(name), ATOM
            case Const():
                return self.constant(x)
            case (
                Unary(function=Function() as function) | Binary(function=Function() as function)
            ) if not (self.overloaded or self.is_native(x)):
                return self.call(function, x.parts()), ATOM
            case Unary(op=op, of=of):
                return self.operators.get(op, op) + self.write(of, SIGN), SIGN
            case Binary():
                return self.operation(x)
            case Select(test=test, yes=yes, no=no):
                return self.choose(*(self.write(one, OR) for one in (test, yes, no)))
            case Field(of=of, name=name):
                components = self.fields.get(of.type, {})
                return self.write(of, ATOM) + components.get(name, f".{name}"), ATOM
            case Make(type=kind, given=given):
                return self.make(kind, list(map(self.write, given))), ATOM
            case Call(function=str() as name, given=given):
                return self.call_number(name, given)
            case Call(function=Function() as function, given=given):
                if function.algebra_name in self.natives:
                    template, binds = self.natives[function.algebra_name]
                    inner = ATOM if template.startswith("{}") or binds < ATOM else CHOICE
                    return template.format(*(self.write(one, inner) for one in given)), binds
                return self.call(function, given), ATOM
        raise Unwritable(f"{self.title} has no {type(x).__name__}")

    def call_number(self, name: str, given: Sequence[Expr]) -> tuple[str, int]:
        """A call of a function of numbers; a method of its first argument in some languages."""
        template = self.functions.get(name, name)
        if "{}" not in template:
            places = ", ".join("{}" for _ in given)
            template = f"{self.calls[self.single].format(template)}({places})"
        first, *others = given
        written = self.write(first, ATOM if template[:3] in ("{}.", "{} ") else CHOICE)
        text = template.format(written, *map(self.write, others), real=self.real)
        return text, SIGN if template.startswith("{} ") else ATOM

    def operation(self, x: Binary) -> tuple[str, int]:
        """An operator between two expressions."""
        if x.op == "**":
            return self.power(x)
        if x.op == "!=" and self.write(x.left) == self.write(x.right):
            return self.call_number("isnan", [x.left])
        level = LEVELS.get(x.op, COMPARISON)
        sign = self.operators.get(x.op, x.op)
        return f"{self.write(x.left, level)} {sign} {self.write(x.right, level + 1)}", level

    def power(self, x: Binary) -> tuple[str, int]:
        """A power: a product if the exponent is a small number and the language has no sign."""
        if self.power_sign:
            return f"{self.write(x.left, ATOM)}{self.power_sign}{self.write(x.right, ATOM)}", POWER
        if isinstance(x.right, Const) and x.right.type is int:
            base = self.write(x.left, PRODUCT + 1)
            return " * ".join([base] * x.right.value), PRODUCT
        return self.call_number("pow", [x.left, x.right])

    def choose(self, test: str, yes: str, no: str) -> tuple[str, int]:
        """One of two expressions."""
        return self.choice.format(test=test, yes=yes, no=no), CHOICE

    def call(self, function: Function, given: Sequence[Expr]) -> str:
        """A call of a function of the program."""
        return f"{self.function_name(function)}({', '.join(map(self.write, given))})"

    def make(self, kind: type, given: Sequence[str]) -> str:
        """A value of its components."""
        parts = given
        if self.named_parts:
            pairs = zip(self.members[kind], given, strict=True)
            parts = [n if n == v else f"{n}: {v}" for n, v in pairs]
        return self.literal.format(kind=self.kind(kind), parts=", ".join(parts))

    def result(self, function: Function) -> str:
        """The type of the results of a function."""
        kinds = [self.kind(one) for one in function.results]
        return kinds[0] if len(kinds) == 1 else self.kinds_together.format(", ".join(kinds))

    def parameters(self, function: Function) -> str:
        """The parameters of a function."""
        return ", ".join(map(self.write_parameter, function.parameters))

    def write_parameter(self, one: Name) -> str:
        """A parameter."""
        return self.parameter.format(kind=self.kind(one.type), name=self.name(one.name))

    def outputs(self, function: Function) -> list[str]:
        """The names of the results of a function, where these have names."""
        names = [self.name(one) for one in function.result_names]
        numbered = [n if names.count(n) == 1 else f"{n}{i}" for i, n in enumerate(names, 1)]
        return [n if n.startswith(UNNAMED) else f"{n}_out" for n in numbered]

    def is_native(self, x: Unary | Binary) -> bool:
        """Whether the language has this operator of values."""
        return self.has_arrays and not (
            isinstance(x, Binary) and x.op == "@" and x.left.type is Quat
        )

    def needs(self, x: Expr) -> Function | None:
        """The function that an expression needs."""
        function = getattr(x, "function", None)
        if not isinstance(function, Function) or function.algebra_name in self.natives:
            return None
        return None if isinstance(x, Unary | Binary) and self.is_native(x) else function

    # ------------------------------------------------------------------ numbers

    def constant(self, x: Const) -> tuple[str, int]:
        """A number: as a fraction if it is the nearest number to one."""
        value = x.value
        if isinstance(value, bool):
            return self.booleans[value], ATOM
        if isinstance(value, int):
            return str(value), ATOM if value >= 0 else SIGN
        if isnan(value) or isinf(value):
            sign = "-" if value < 0.0 else ""
            return sign + self.nothing[isinf(value)].format(real=self.real), ATOM
        if len(repr(abs(value))) > 8:
            near = Fraction(value).limit_denominator(5040)
            if (
                near.numerator / near.denominator == value
                and near.denominator > 1
                and abs(near.numerator) < 5040
            ):
                return (
                    f"{self.number(float(near.numerator))} / {self.number(float(near.denominator))}",
                    PRODUCT,
                )
        return self.number(value), ATOM if value >= 0 else SIGN

    def number(self, value: float) -> str:
        """A real number."""
        return self.numbers[self.single].format(value)

    # ------------------------------------------------------------------ statements

    def lines(self, block: Block) -> Iterator[str]:
        """The lines of a block."""
        for statement in block:
            self.at_end = block is self.function.body
            self._at = id(statement)
            for target in self._scopes.before.get(id(statement), []):
                yield from self.declare(target)
            yield from self.statement(statement)

    def inner(self, block: Block) -> Iterator[str]:
        """The lines of a block within another."""
        for line in self.lines(block):
            yield f"    {line}" if line else ""

    def statement(self, statement: Statement) -> Iterator[str]:
        """The lines of a statement."""
        match statement:
            case Note(text=text):
                yield f"{self.mark} {text}"
            case Assign(targets=[Name() as target], value=value):
                yield (
                    self.assign(target, self.write(value), id(statement) in self._scopes.begins)
                    + self.end
                )
            case Assign(targets=targets, value=Call() as value):
                yield from self.assign_all(targets, value, id(statement) in self._scopes.begins)
            case Return(values=values):
                yield from self.give_back(values)
            case Jump(word=word):
                yield word + self.end
            case Print(values=values):
                yield from self.print(list(map(self.write, values)))
            case If(test=test, body=body, otherwise=otherwise):
                test_is = self.write(test) if body else self.write(Unary(bool, "not", test))
                yield self.heads["if"].format(test_is) + self.open
                yield from self.inner(body or otherwise)
                if body and otherwise:
                    yield (f"{self.close} else" if self.close == "}" else "else") + self.open
                    yield from self.inner(otherwise)
                yield from self.closing()
            case For(at=at, count=count, body=body):
                if at is None:
                    head = self.heads["while"].format(self.write(count))
                else:
                    name = self.counter if at.name == "_" else self.name(at.name)
                    head = self.heads["for"].format(name, self.write(count))
                yield head + self.open
                yield from self.inner(body)
                yield from self.closing()

    def closing(self) -> Iterator[str]:
        """The end of a block."""
        if self.close:
            yield self.close

    def assign(self, target: Name, value: str, begins: bool) -> str:
        """A variable gets a value."""
        return f"{self.begin(target) if begins else self.name(target.name)} = {value}"

    def begin(self, target: Name) -> str:
        """A variable where it begins."""
        template = self.begins[self.changes(target.name)]
        return template.format(kind=self.kind(target.type), name=self.name(target.name))

    def declare(self, target: Name) -> Iterator[str]:
        """A variable without a value."""
        begin = self.begin(target)
        if begin != self.name(target.name):
            yield begin + self.end

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        """Variables get the results of a call."""
        names = [self.ignored if t is None else self.target(t, begins) for t in targets]
        first = self.first_of(targets) if begins else ""
        yield f"{first}{self.together.format(', '.join(names))} = {self.write(value)}{self.end}"

    def target(self, target: Name, begins: bool) -> str:
        """One of several variables that get results."""
        return self.name(target.name)

    def first_of(self, targets: Sequence[Name | None]) -> str:
        """The word before several variables where they begin."""
        return self.begin_several

    def give_back(self, values: Sequence[Expr]) -> Iterator[str]:
        """The results of a function."""
        written = ", ".join(map(self.write, values))
        yield f"return {written if len(values) == 1 else self.together.format(written)}{self.end}"

    def print(self, values: Sequence[str]) -> Iterator[str]:
        """Write numbers to lines of output."""
        for i in range(0, len(values), 3):
            yield self.row.format(*values[i : i + 3])

    # ------------------------------------------------------------------ functions and programs

    def signature(self, function: Function) -> str:
        """The head of a function."""
        name = self.function_name(function)
        if self.overloaded and function.operator:
            sign = self.operators.get(function.operator, function.operator)
            name = self.operator_name.format(sign)
        return self.heads["function"].format(
            result=self.result(function), name=name, given=self.parameters(function)
        )

    def changes(self, name: str) -> bool:
        """Whether the variable that the present statement begins changes later."""
        return (self._at, name) in self._scopes.changing

    def documented(self, text: str) -> Iterator[str]:
        """A description before a function."""
        for line in textwrap.wrap(text, WIDTH - len(self.mark) - 1):
            yield f"{self.mark} {line}"

    def definition(self, function: Function) -> Iterator[str]:
        """A function."""
        self.enter(function)
        yield from self.documented(function.doc)
        yield self.signature(function) + self.open
        if function.own:
            yield from (
                f"    {line}"
                for line in self.ignore([self.name(p.name) for p in function.parameters])
            )
        yield from self.inner(function.body)
        yield from self.closing()

    def enter(self, function: Function) -> None:
        """Begin a function."""
        self.function = function
        self._scopes = find_scopes(function, self.nested)
        self._at = id(function)

    def ignore(self, names: Sequence[str]) -> Iterator[str]:
        """Statements for parameters that are not read."""
        yield from (self.unread.format(name) for name in names if self.unread)

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        """The type of a value."""
        return iter(())

    def head(self) -> list[str]:
        """The lines before the types."""
        lines = [*self.first_lines, *(() if self.alone else self.example_lines)]
        return ["", *(line.format(real=self.real) for line in lines)] if lines else []

    def main(self, block: Block) -> Iterator[str]:
        """The example."""
        before, after = self.run
        yield from before
        yield from self.inner(block) if before else self.lines(block)
        yield from after

    def whole(self, program: MethodProgram, words: Sequence[str], alone: bool = False) -> str:
        """The program, or its functions alone; `words` are lines for its comment at the start."""
        self.alone = alone
        self.method_name = re.sub(r"\W+", "_", program.method.key).lower()
        self.needed = functions = self.list_needed(program.main)
        called = [x.function for x in all_expressions(program.main) if isinstance(x, Call)]
        self.called = [one for one in functions if one in called or one.own]
        self.named = {self.function_name(one) for one in functions}
        blocks = [program.main, *(one.body for one in functions)]
        kinds = {x.type for block in blocks for x in all_expressions(block)} | {
            one.type for function in functions for one in function.parameters
        }
        fields = {
            kind: program.fields if kind is Body else fields_of(kind)
            for kind in VALUES
            if kind in kinds
        }
        self.members = {kind: [self.name(n) for n in named] for kind, named in fields.items()}
        main = Function("main", body=program.main)
        head = [*self.comment(words), *self.head()]
        types = [[*self.structure(kind, named)] for kind, named in fields.items()]
        written = [[*self.definition(one)] for one in functions]
        self.enter(main)
        example = [] if alone else [*self.main(program.main)]
        parts = self.arrange(head, types, written, example)
        return "\n\n".join("\n".join(map(self.fold, part)) for part in parts if part) + "\n"

    def fold(self, line: str) -> str:
        """A long line as several, broken in its outermost brackets after commas and before signs."""
        indent = len(line) - len(line.lstrip())
        parts = [line]
        while len(parts[-1]) > WIDTH and not line.lstrip().startswith(self.mark):
            opened = sum(map(count_opened, parts[:-1]))
            at = self._find_break(parts[-1], indent, self.inside - opened)
            if not at:
                break
            rest = " " * (indent + 4) + parts[-1][at:].lstrip()
            parts[-1:] = [parts[-1][:at] + self.broken, rest]
        return "\n".join(parts)

    def _find_break(self, line: str, indent: int, inside: int) -> int:
        """Where a line is broken: after a comma rather than before a sign; 0 for nowhere."""
        depth, found, best = 0, 0, (WIDTH, False)
        for i, sign in enumerate(line[: WIDTH - len(self.broken)]):
            depth += count_opened(sign)
            before_sign = line[i + 1 : i + 4] in (" + ", " - ")
            here = before_sign or line[i : i + 2] == ", "
            if here and i > indent + 20 and depth >= inside and (depth, before_sign) <= best:
                found, best = i + 1, (depth, before_sign)
        return found

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        """The parts of a program in their order."""
        return [head, *types, *functions, main]

    def comment(self, words: Sequence[str]) -> Iterator[str]:
        """A comment of several lines."""
        for word in words:
            yield from textwrap.wrap(
                word, WIDTH, initial_indent=f"{self.mark} ", subsequent_indent=f"{self.mark} "
            ) or [self.mark]

    def list_needed(self, main: Block) -> list[Function]:
        """The functions that a program calls, each after those that it calls."""
        found: list[Function] = []

        def visit(block: Block) -> None:
            for x in all_expressions(block):
                function = self.needs(x)
                if function is not None and function not in found:
                    visit(function.body)
                    found.append(function)

        visit(main)
        return found


def number_fields(first: int, open: str, close: str) -> dict[type, dict[str, str]]:
    """How components of arrays are read, whose numbers begin with the first."""
    axes = [*enumerate("xyz", first)]
    vectors: dict[type, dict[str, str]] = {
        kind: {name: f"{open}{i}{close}" for i, name in enumerate(fields_of(kind), first)}
        for kind in (Vec3, Vec4, Quat)
    }
    return vectors | {
        Diag3: {name: f"{open}{i}, {i}{close}" for i, name in axes},
        Mat3: {f"{a}{b}": f"{open}{i}, {j}{close}" for i, a in axes for j, b in axes},
    }


def count_opened(text: str) -> int:
    """How many more brackets a text opens than it closes."""
    return sum((sign in "([{") - (sign in ")]}") for sign in text)


def spell(name: str) -> str:
    """A name in ASCII."""
    text = "".join(one if one.isascii() else f"{_letter(one)}|" for one in name)
    return re.sub(r"\|(?=[\d_]|$)", "", text).replace("|", "_")


def _letter(one: str) -> str:
    words = unicodedata.name(one).lower().split()
    if "letter" not in words:
        return ""
    letter = words[words.index("letter") + 1]
    return letter.capitalize() if one.isupper() else letter
