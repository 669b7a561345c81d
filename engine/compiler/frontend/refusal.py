"""Errors of the front end: the file, the line, what cannot be compiled, and an alternative."""

from __future__ import annotations

import ast
from typing import NamedTuple


class Place(NamedTuple):
    """A statement that was being compiled."""

    path: str
    line: int
    statement: str


class NotCompiled(Exception):
    """The error for code that cannot be compiled; `places` lists the statements outwards, call by call."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.places: list[Place] = []

    def within(self, path: str, node: ast.expr | ast.stmt) -> None:
        """Add a statement that contains the error."""
        text = ast.unparse(node).splitlines()[0]
        self.places.append(Place(path, node.lineno, text))

    def describe(self, path: str = "") -> str:
        """Return one sentence with the place in the named file, and where the error arose if that is elsewhere."""
        own = next((place for place in self.places if place.path == path), None)
        first = self.places[0] if self.places else None
        said = str(self).rstrip(".")
        if own is not None:
            said += f" (line {own.line}: {own.statement})"
        if first is not None and (own is None or first.path != own.path):
            said += f" (in {first.path}, line {first.line}: {first.statement})"
        return said


class ChangedInLoop(NotCompiled):
    """The error for a variable whose kind differs before a loop and after an iteration."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is one kind of thing before the loop and another after a round of it")
        self.name = name


def calls_itself() -> NotCompiled:
    """Return the error for recursion."""
    return NotCompiled("a function that calls itself cannot be compiled; a loop can")


WORKS_INSTEAD = {
    ast.Try: "compiled code raises nothing: it goes on with inf and nan, which an if can test",
    ast.Raise: "compiled code raises nothing: return nan instead",
    ast.With: "there is nothing to enter or to leave in compiled code",
    ast.Global: "a function can return what it changes",
    ast.Nonlocal: "a function can return what it changes",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.ClassDef: "define the class outside the function",
    ast.Delete: "names need not be deleted",
    ast.Yield: "return a tuple instead",
    ast.YieldFrom: "return a tuple instead",
    ast.Dict: "a tuple, or a dictionary from outside the function, works",
    ast.DictComp: "a tuple, or a dictionary from outside the function, works",
    ast.Set: "a tuple works",
    ast.SetComp: "a tuple works",
    ast.JoinedStr: "there is no text in compiled code",
    ast.NamedExpr: "assign on a line of its own",
    ast.Match: "an if works",
}
"""Alternatives to statements outside the subset."""

CALLED = {
    ast.Try: "try",
    ast.With: "with",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.ClassDef: "class",
    ast.Delete: "del",
    ast.Dict: "a dictionary",
    ast.DictComp: "a dictionary",
    ast.Set: "a set",
    ast.SetComp: "a set",
    ast.JoinedStr: "an f-string",
    ast.NamedExpr: ":=",
    ast.YieldFrom: "yield from",
}


OPERATIONS_INSTEAD = {
    "// of real numbers": "math.floor(a / b)",
    "% of real numbers": "math.fmod(a, b), which has the sign of a,",
    "** of whole numbers": "k * k, or float(k) ** 2,",
    "<<": "a product with a power of two",
    ">>": "// by a power of two",
}
"""Alternatives to operations."""

FUNCTIONS_INSTEAD = {
    "sum": "a loop that adds one after the other; sum rounds in its own way in each version of Python",
    "round": "math.floor(x + 0.5)",
    "pow": "x ** y",
    "divmod": "(a // b, a % b)",
    "hypot": "math.sqrt(x * x + y * y)",
    "print": "a value that the method carries, and a look at it in plain Python",
}
"""Alternatives to functions."""


def no_operation(what: str) -> NotCompiled:
    """Return the error for an operation on such numbers."""
    instead = OPERATIONS_INSTEAD.get(what)
    return NotCompiled(f"{what} cannot be compiled" + (f"; {instead} can" if instead else ""))


def no_function(name: str) -> NotCompiled:
    """Return the error for a function of this name."""
    instead = FUNCTIONS_INSTEAD.get(name)
    return NotCompiled(f"{name} cannot be called in compiled code" + (f"; instead: {instead}" if instead else ""))


def not_in_the_subset(node: ast.AST) -> NotCompiled:
    """Return the error for a statement or expression outside the subset."""
    instead = WORKS_INSTEAD.get(type(node))
    return NotCompiled(f"{name_of(type(node))} cannot be compiled" + (f"; {instead}" if instead else ""))


def name_of(kind: type[ast.AST]) -> str:
    """Return the word for a kind of statement or expression."""
    return CALLED.get(kind, kind.__name__.lower())
