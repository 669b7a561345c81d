"""Scopes: where the variables of a function begin, and which of them change."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from .tidy import find_live
from .tree import (
    Assign,
    Block,
    For,
    Function,
    If,
    Name,
    blocks_of,
    find_read,
    list_targets,
)


@dataclass
class Scopes:
    """Where the variables of a function begin.

    Attributes
    ----------
    begins : the assignments, by `id`, that begin their variables.
    before : the variables that are declared before a statement, by its `id`.
    changing : the variables that get a value more than once.
    """

    begins: set[int] = field(default_factory=set)
    before: dict[int, list[Name]] = field(default_factory=dict)
    changing: set[tuple[int, str]] = field(default_factory=set)


def find_scopes(function: Function, nested: bool = True) -> Scopes:
    """Find where variables begin: in the block that needs them; in the outermost that names them if
    the language has no nested scopes.
    """
    scopes = Scopes()
    _find_in(function.body, {one.name for one in function.parameters}, nested, scopes)
    parameters = {one.name: (id(function), one.name) for one in function.parameters}
    counts = Counter(parameters.values()) + _count_assignments(function.body, parameters, scopes)
    scopes.changing = {variable for variable, n in counts.items() if n > 1}
    return scopes


def _find_in(block: Block, known: set[str], nested: bool, scopes: Scopes) -> None:
    known = set(known)
    for i, statement in enumerate(block):
        if isinstance(statement, Assign):
            targets = [t for t in statement.targets if t is not None]
            new = [t for t in targets if t.name not in known]
            if new and len(new) == len(targets):
                scopes.begins.add(id(statement))
            elif new:
                scopes.before[id(statement)] = new
            known |= {t.name for t in new}
        elif blocks_of(statement):
            rest = block[i + 1 :]
            later = (
                find_live(rest, set(), set(), set(), defaultdict(set))
                if nested
                else _names_of(rest)
            )
            new = [t for t in list_targets([statement]) if t.name not in known and t.name in later]
            if new:
                scopes.before[id(statement)] = new
            known |= {t.name for t in new}
            own = {statement.at.name} if isinstance(statement, For) and statement.at else set()
            for inner in blocks_of(statement):
                _find_in(inner, known | own, nested, scopes)


def _names_of(block: Block) -> set[str]:
    """The variables that a block reads or assigns."""
    return find_read(block) | {t.name for t in list_targets(block)}


Variable = tuple[int, str]
"""A variable by the `id` of the statement that begins it, or of the function, and its name."""


def _count_assignments(
    block: Block, known: dict[str, Variable], scopes: Scopes
) -> Counter[Variable]:
    """How often a path through a block assigns each variable; a loop more than once."""
    known = dict(known)
    counts: Counter[Variable] = Counter()
    for statement in block:
        known |= {t.name: (id(statement), t.name) for t in scopes.before.get(id(statement), [])}
        match statement:
            case Assign(targets=targets):
                names = [t.name for t in targets if t is not None]
                if id(statement) in scopes.begins:
                    known |= {name: (id(statement), name) for name in names}
                counts.update(known[name] for name in names)
            case If(body=body, otherwise=otherwise):
                counts += _count_assignments(body, known, scopes) | _count_assignments(
                    otherwise, known, scopes
                )
            case For(body=body):
                inner = _count_assignments(body, known, scopes)
                counts += inner + Counter([one for one in inner if one in known.values()])
    return counts
