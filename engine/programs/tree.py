"""The typed syntax tree of a program: expressions, statements and functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from ..algebra import Diag3, Exponential, Mat3, Quat, Vec3
from ..algebra.values import Value, Vec4


class Unwritable(ValueError):
    """Raised for what no program can be written for, with the reason."""


class Body(Value):
    """The body of a program, with the energy to be restored and the torque that is held, if any."""

    __slots__ = ("J", "Jinv", "ratios", "energy", "held")  # noqa: RUF023 - the order of the fields

    def __init__(self, J: Diag3, Jinv: Diag3, ratios: Diag3, energy: float, held: Vec3) -> None:
        super().__init__(J, Jinv, ratios, energy, held)  # type: ignore[arg-type]


VALUES: tuple[type[Value], ...] = (Vec3, Vec4, Diag3, Mat3, Quat, Exponential, Body)
"""The values of programs besides numbers, each after those that it may hold."""


UNNAMED = "result"
"""The name of a result that has no other."""

_FIELDS: dict[type, dict[str, type]] = {}


def fields_of(kind: type) -> dict[str, type]:
    """The names and types of the fields of a value."""
    if kind not in _FIELDS:
        hints = get_type_hints(kind.__init__)  # type: ignore[misc]
        _FIELDS[kind] = {
            name: Vec3 if hints[name] not in (float, *VALUES) else hints[name]
            for name in kind.__slots__  # type: ignore[attr-defined]
        }
    return _FIELDS[kind]


@dataclass(eq=False)
class Expr:
    """An expression of a type: float, int, bool or a value."""

    type: type

    def parts(self) -> tuple[Expr, ...]:
        """The expressions in it."""
        found: list[Any] = []
        for value in vars(self).values():
            found += value if isinstance(value, tuple) else [value]
        return tuple(x for x in found if isinstance(x, Expr))

    def walk(self) -> Iterator[Expr]:
        """Itself and all expressions in it."""
        yield self
        for part in self.parts():
            yield from part.walk()

    def __iter__(self) -> Iterator[Expr]:
        """The components of a value."""
        if not (isinstance(self.type, type) and issubclass(self.type, Value)):
            raise Unwritable(f"a {self.type.__name__} has no components")
        return iter([get_field(self, name) for name in fields_of(self.type)])


@dataclass(eq=False)
class Name(Expr):
    """A variable."""

    name: str


@dataclass(eq=False)
class Const(Expr):
    """A number."""

    value: Any


@dataclass(eq=False)
class Unary(Expr):
    """An operator `-` or `not`; of a value, with the function that defines it."""

    op: str
    of: Expr
    function: Function | None = None


@dataclass(eq=False)
class Binary(Expr):
    """An operator between two expressions; of values, with the function that defines it."""

    op: str
    left: Expr
    right: Expr
    function: Function | None = None


@dataclass(eq=False)
class Select(Expr):
    """One of two, by a condition."""

    test: Expr
    yes: Expr
    no: Expr


@dataclass(eq=False)
class Field(Expr):
    """A component of a value."""

    of: Expr
    name: str


@dataclass(eq=False)
class Make(Expr):
    """A value of its components."""

    given: tuple[Expr, ...]


@dataclass(eq=False)
class Call(Expr):
    """A call of a function of the program, or of the language by its name."""

    function: Function | str
    given: tuple[Expr, ...]


@dataclass(eq=False)
class Assign:
    """Variables get the results of an expression; None where a result is not used."""

    targets: list[Name | None]
    value: Expr


@dataclass(eq=False)
class If:
    """One of two blocks, by a condition."""

    test: Expr
    body: Block
    otherwise: Block


@dataclass(eq=False)
class For:
    """A block for each whole number from 0 to below `count`; while `count` is true if it is a
    condition.
    """

    at: Name | None
    count: Expr
    body: Block


@dataclass(eq=False)
class Jump:
    """`break` or `continue`."""

    word: str


@dataclass(eq=False)
class Return:
    """The results of a function."""

    values: list[Expr]


@dataclass(eq=False)
class Note:
    """A comment of one line."""

    text: str


@dataclass(eq=False)
class Print:
    """Numbers on one line of output."""

    values: list[Expr]


Statement = Assign | If | For | Jump | Return | Note | Print
Block = list[Statement]


@dataclass(eq=False)
class Function:
    """A function of a program.

    Attributes
    ----------
    origin : the Python function that it is written from; its operator if it has one.
    own : whether the user fills it in.
    """

    name: str
    parameters: list[Name] = field(default_factory=list)
    results: list[type] = field(default_factory=list)
    result_names: list[str] = field(default_factory=list)
    body: Block = field(default_factory=list)
    doc: str = ""
    origin: Callable[..., Any] | None = None
    operator: str = ""
    own: bool = False

    @property
    def algebra_name(self) -> str:
        """The name of the function of `engine.algebra` that it is written from; empty of others."""
        of_algebra = getattr(self.origin, "__module__", "").startswith("engine.algebra")
        return getattr(self.origin, "__qualname__", "") if of_algebra else ""


def get_field(of: Expr, name: str) -> Expr:
    """A component; of a value that is put together here, that part itself."""
    kinds = fields_of(of.type)
    if name not in kinds:
        raise Unwritable(f"a {of.type.__name__} has no {name}")
    if isinstance(of, Make):
        return of.given[list(kinds).index(name)]
    return Field(kinds[name], of, name)


def expressions_of(statement: Statement) -> list[Expr]:
    """The expressions of a statement itself, without those of its blocks."""
    match statement:
        case Assign(value=value):
            return [value]
        case If(test=test):
            return [test]
        case For(count=count):
            return [count]
        case Return(values=values) | Print(values=values):
            return values
    return []


def blocks_of(statement: Statement) -> list[Block]:
    """The blocks of a statement."""
    match statement:
        case If(body=body, otherwise=otherwise):
            return [body, otherwise]
        case For(body=body):
            return [body]
    return []


def all_statements(block: Block) -> Iterator[Statement]:
    """The statements of a block and of the blocks in it."""
    for statement in block:
        yield statement
        for inner in blocks_of(statement):
            yield from all_statements(inner)


def list_expressions(block: Block) -> list[Expr]:
    """The expressions of the statements of a block, without those in them."""
    return [x for statement in all_statements(block) for x in expressions_of(statement)]


def all_expressions(block: Block) -> Iterator[Expr]:
    """The expressions of a block."""
    for one in list_expressions(block):
        yield from one.walk()


def read_names(expressions: Sequence[Expr]) -> set[str]:
    """The variables in these."""
    return {x.name for e in expressions for x in e.walk() if isinstance(x, Name)}


def find_read(block: Block) -> set[str]:
    """The variables that a block reads."""
    return read_names(list_expressions(block))


def list_targets(block: Block) -> list[Name]:
    """The variables that a block assigns, each once."""
    found = {
        target.name: target
        for one in all_statements(block)
        if isinstance(one, Assign)
        for target in one.targets
        if target is not None
    }
    return list(found.values())


def summarise(function: Any) -> str:
    """The first paragraph of a docstring."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
