"""Tidying of a function: no variable that is not read, names of the source where they are free, and
declarations where variables begin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .tree import (
    Assign,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jump,
    Name,
    Return,
    all_statements,
    blocks_of,
    expressions_of,
    read_names,
)  # fmt: skip


def drop_unread(block: Block) -> None:
    """Drop assignments of variables that no expression reads."""
    while _drop_unread(block):
        pass


def tidy(function: Function) -> None:
    """Drop what is not read, and join variables whose values do not meet."""
    drop_unread(function.body)
    _join_names(function)
    _drop_copies(function.body)
    _return_calls(function.body)


def _return_calls(block: Block) -> None:
    """Return the results of a call at once, where they are only returned."""
    for statement, last in pairwise(list(block)):
        match statement, last:
            case Assign(targets=targets, value=Call() as call), Return(values=values) if (
                len(targets) > 1
            ):
                names = [value.name for value in values if isinstance(value, Name)]
                if names == [t.name for t in targets if t is not None] and len(names) == len(
                    values
                ):
                    last.values = [call]
                    block.remove(statement)
    for statement in block:
        for inner in blocks_of(statement):
            _return_calls(inner)


def _drop_unread(block: Block) -> bool:
    """Drop assignments whose targets no expression reads; return whether there were any."""
    read = {name for s in all_statements(block) for name in read_names(expressions_of(s))}
    return _drop(block, read)


def _drop(block: Block, read: set[str]) -> bool:
    changed = False
    for statement in list(block):
        if isinstance(statement, Assign):
            unread = [t is not None and t.name not in read for t in statement.targets]
            if all(u or t is None for u, t in zip(unread, statement.targets, strict=True)):
                block.remove(statement)
                changed = True
            elif any(unread):
                statement.targets = [
                    None if u else t for u, t in zip(unread, statement.targets, strict=True)
                ]
        elif isinstance(statement, If):
            changed |= any([_drop(one, read) for one in blocks_of(statement)])
            if not statement.body and not statement.otherwise:
                block.remove(statement)
                changed = True
        elif isinstance(statement, For):
            changed |= _drop(statement.body, read)
            if statement.at is not None and statement.at.name not in read:
                statement.at = Name(int, "_")
    return changed


def name_results(function: Function, names: Sequence[str]) -> None:
    """Give variables that a function returns the names of what they are, where these are free."""
    last = function.body[-1]
    if not isinstance(last, Return) or len(last.values) != len(names):
        return
    for value, name in zip(last.values, names, strict=True):
        if not isinstance(value, Name) or value.name in names:
            continue
        kinds = _kinds(function)
        if kinds.get(name, value.type) is value.type and frozenset(
            (value.name, name)
        ) not in _find_conflicts(function):
            _rename(function, value.name, name)
    _drop_copies(function.body)


def drop_unused_parameters(function: Function) -> list[int]:
    """Drop the parameters that are not read; return the places of those that stay."""
    read = {name for s in all_statements(function.body) for name in read_names(expressions_of(s))}
    kept = [i for i, one in enumerate(function.parameters) if one.name in read]
    function.parameters = [function.parameters[i] for i in kept]
    return kept


# -------------------------------------------------------------------------------------------------
# joining variables

Edges = set[frozenset[str]]


def _join_names(function: Function) -> None:
    """Give variables with a number the name without it, where the two do not live at one time."""
    while True:
        kinds = _kinds(function)
        edges = _find_conflicts(function)
        order = sorted(kinds, key=lambda name: (name.count("_"), name))
        found = next(
            (
                (name, base)
                for name in order
                for base in _bases(name, kinds)
                if kinds[name] is kinds[base] and frozenset((name, base)) not in edges
            ),
            None,
        )
        if found is None:
            break
        _rename(function, *found)


def _bases(name: str, kinds: dict[str, type]) -> list[str]:
    base, _, number = name.rpartition("_")
    if not number.isdigit() or not base:
        return []
    others = [base, *(f"{base}_{i}" for i in range(2, int(number)))]
    return [one for one in others if one in kinds and one != name]


def _kinds(function: Function) -> dict[str, type]:
    found = {one.name: one.type for one in function.parameters}
    for statement in all_statements(function.body):
        if isinstance(statement, Assign):
            found |= {t.name: t.type for t in statement.targets if t is not None}
        elif isinstance(statement, For) and statement.at is not None and statement.at.name != "_":
            found[statement.at.name] = int
    return found


def _find_conflicts(function: Function) -> Edges:
    """The pairs of variables that live at one time."""
    edges: Edges = set()
    live = _pass(function.body, set(), set(), set(), edges)
    names = [one.name for one in function.parameters]
    for name in names:
        edges |= {frozenset((name, other)) for other in {*live, *names} if other != name}
    return edges


def _pass(
    block: Block, after: set[str], at_break: set[str], at_continue: set[str], edges: Edges
) -> set[str]:
    """The variables that live before a block, by those after it."""
    live = set(after)
    for statement in reversed(block):
        match statement:
            case Return(values=values):
                live = read_names(values)
            case Jump(word=word):
                live = set(at_break if word == "break" else at_continue)
            case If(test=test, body=body, otherwise=otherwise):
                sides = [
                    _pass(one, live, at_break, at_continue, edges) for one in (body, otherwise)
                ]
                live = sides[0] | sides[1] | read_names([test])
            case For(at=at, count=count, body=body):
                end = set(live)
                ahead = end | read_names([count])
                for _ in range(3):
                    ahead = ahead | _pass(body, ahead, end, ahead, edges)
                if at is not None:
                    edges |= {frozenset((at.name, other)) for other in ahead if other != at.name}
                live = ahead - ({at.name} if at is not None else set())
            case Assign(targets=targets, value=value):
                names = [t.name for t in targets if t is not None]
                copied = value.name if isinstance(value, Name) else None
                for name in names:
                    others = (live | {*names}) - {name, copied}
                    edges |= {frozenset((name, other)) for other in others if other is not None}
                live = (live - {*names}) | read_names([value])
            case _:
                live = live | read_names(expressions_of(statement))
    return live


def _rename(function: Function, name: str, to: str) -> None:
    seen: set[int] = set()
    nodes: list[Expr] = [*function.parameters]
    for statement in all_statements(function.body):
        nodes += [x for e in expressions_of(statement) for x in e.walk()]
        if isinstance(statement, Assign):
            nodes += [t for t in statement.targets if t is not None]
        elif isinstance(statement, For) and statement.at is not None:
            nodes.append(statement.at)
    for node in nodes:
        if isinstance(node, Name) and node.name == name and id(node) not in seen:
            seen.add(id(node))
            node.name = to


def _drop_copies(block: Block) -> None:
    """Drop assignments of a variable to itself."""
    for statement in list(block):
        if isinstance(statement, Assign) and isinstance(statement.value, Name):
            (target,) = statement.targets
            if target is not None and target.name == statement.value.name:
                block.remove(statement)
        for inner in blocks_of(statement):
            _drop_copies(inner)


# -------------------------------------------------------------------------------------------------
# declarations


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
            later = _pass(rest, set(), set(), set(), set()) if nested else _names_of(rest)
            new = [t for t in _targets_of([statement]) if t.name not in known and t.name in later]
            if new:
                scopes.before[id(statement)] = new
            known |= {t.name for t in new}
            own = {statement.at.name} if isinstance(statement, For) and statement.at else set()
            for inner in blocks_of(statement):
                _find_in(inner, known | own, nested, scopes)


def _targets_of(block: Block) -> list[Name]:
    """The variables that a block assigns, each once."""
    found = {
        t.name: t
        for one in all_statements(block)
        if isinstance(one, Assign)
        for t in one.targets
        if t is not None
    }
    return list(found.values())


def _names_of(block: Block) -> set[str]:
    """The variables that a block reads or assigns."""
    read = {name for one in all_statements(block) for name in read_names(expressions_of(one))}
    return read | {t.name for t in _targets_of(block)}


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
