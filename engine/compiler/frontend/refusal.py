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
    """The error for code that cannot be compiled; `places` lists the statements outwards, call by
    call.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.places: list[Place] = []

    def within(self, path: str, node: ast.expr | ast.stmt) -> None:
        """Add a statement that contains the error."""
        text = ast.unparse(node).splitlines()[0]
        self.places.append(Place(path, node.lineno, text))

    def describe(self, path: str = "") -> str:
        """Return one sentence with the place in the named file, and where the error arose if that
        is elsewhere.
        """
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
        super().__init__(
            f"{name} is one kind of thing before the loop and another after a round of it"
        )
        self.name = name


def calls_itself() -> NotCompiled:
    """Return the error for recursion."""
    return NotCompiled("a function that calls itself cannot be compiled; a loop can")


SYNTAX = {
    "Try": (
        "try",
        "compiled code raises nothing: it goes on with inf and nan, which an if can test",
    ),
    "Raise": ("raise", "compiled code raises nothing: return nan instead"),
    "With": ("with", "there is nothing to enter or to leave in compiled code"),
    "Global": ("global", "a function can return what it changes"),
    "Nonlocal": ("nonlocal", "a function can return what it changes"),
    "Import": ("import", "import at the top of the file"),
    "ImportFrom": ("import", "import at the top of the file"),
    "ClassDef": ("class", "define the class outside the function"),
    "Delete": ("del", "names need not be deleted"),
    "Yield": ("yield", "return a tuple instead"),
    "YieldFrom": ("yield from", "return a tuple instead"),
    "Dict": ("a dictionary", "a tuple, or a dictionary from outside the function, works"),
    "DictComp": ("a dictionary", "a tuple, or a dictionary from outside the function, works"),
    "Set": ("a set", "a tuple works"),
    "SetComp": ("a set", "a tuple works"),
    "JoinedStr": ("an f-string", "there is no text in compiled code"),
    "NamedExpr": (":=", "assign on a line of its own"),
    "Match": ("match", "an if works"),
}
"""Kinds of statements and expressions outside the subset: the word for each, and what works
instead.
"""
OPERATIONS = {
    "// of real numbers": "math.floor(a / b)",
    "% of real numbers": "math.fmod(a, b), which has the sign of a,",
    "** of whole numbers": "k * k, or float(k) ** 2,",
    "<<": "a product with a power of two",
    ">>": "// by a power of two",
}
FUNCTIONS = {
    "sum": "a loop that adds one after the other; sum rounds in its own way in each version of Python",
    "round": "math.floor(x + 0.5)",
    "pow": "x ** y",
    "divmod": "(a // b, a % b)",
    "hypot": "math.sqrt(x * x + y * y)",
    "print": "a value that the method carries, and a look at it in plain Python",
}
"""What works instead of operations and functions."""


def no_operation(what: str) -> NotCompiled:
    """Return the error for an operation on such numbers."""
    instead = OPERATIONS.get(what)
    return NotCompiled(f"{what} cannot be compiled" + (f"; {instead} can" if instead else ""))


def no_function(name: str) -> NotCompiled:
    """Return the error for a function of this name."""
    instead = FUNCTIONS.get(name)
    return NotCompiled(
        f"{name} cannot be called in compiled code" + (f"; instead: {instead}" if instead else "")
    )


def not_in_the_subset(node: ast.AST) -> NotCompiled:
    """Return the error for a statement or expression outside the subset."""
    kind = type(node).__name__
    word, instead = SYNTAX.get(kind, (kind.lower(), ""))
    return NotCompiled(f"{word} cannot be compiled" + (f"; {instead}" if instead else ""))
