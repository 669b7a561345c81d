"""Tidying of a function: no variable that is not read, names of the source where they are free, and
declarations where variables begin.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
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
    _join_variables(function)
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
        fixed = {*names, *(one.name for one in function.parameters)}
        if not isinstance(value, Name) or value.name in fixed:
            continue
        kinds = _kinds(function)
        free = kinds.get(name, value.type) is value.type
        if free and name not in _find_conflicts(function)[value.name]:
            _rename(function, {value.name: name})
    _drop_copies(function.body)


def drop_unused_parameters(function: Function) -> list[int]:
    """Drop the parameters that are not read; return the places of those that stay."""
    read = {name for s in all_statements(function.body) for name in read_names(expressions_of(s))}
    kept = [i for i, one in enumerate(function.parameters) if one.name in read]
    function.parameters = [function.parameters[i] for i in kept]
    return kept


# -------------------------------------------------------------------------------------------------
# joining variables

SEVERAL = 3
Conflicts = defaultdict[str, set[str]]
"""The variables that live at one time with each."""


def _join_variables(function: Function) -> None:
    """Make one variable of those whose names differ by the number, where they do not live at one
    time; then number the others anew.
    """
    kinds = _kinds(function)
    conflicts = _find_conflicts(function)
    parameters = {one.name for one in function.parameters}
    joined = {name: name for name in kinds}

    def join(name: str, to: str) -> None:
        name, to = joined[name], joined[to]
        if name in parameters:
            name, to = to, name
        if (
            name == to
            or name in parameters
            or to in conflicts[name]
            or kinds[name] is not kinds[to]
        ):
            return
        joined.update({one: to for one, its in joined.items() if its == name})
        for other in conflicts.pop(name):
            conflicts[other].add(to)
            conflicts[to].add(other)

    families: dict[tuple[str, type], list[str]] = {}
    for name in sorted(kinds, key=_number):
        families.setdefault((find_stem(name), kinds[name]), []).append(name)
    for family in families.values():
        groups: list[list[str]] = []
        for name in family:
            own = next((g for g in groups if not conflicts[joined[name]] & {*g}), [])
            own.append(joined[name])
            if len(own) == 1:
                groups.append(own)
        if len(groups) <= SEVERAL:  # else each has a number, as stages have
            for first, *others in groups:
                for name in others:
                    join(name, first)
    numbered = {name: name for name in parameters}
    for name in kinds:
        if joined[name] not in numbered:
            numbered[joined[name]] = find_free(find_stem(joined[name]), set(numbered.values()))
    _rename(function, {name: numbered[joined[name]] for name in kinds})


def find_free(name: str, taken: Collection[str]) -> str:
    """A name, with a number if it is taken."""
    names = (name, *(f"{name}_{i}" for i in range(2, len(taken) + 3)))
    return next(one for one in names if one not in taken)


def find_stem(name: str) -> str:
    """A name without its number."""
    stem, _, number = name.rpartition("_")
    return stem if number.isdigit() and stem else name


def _number(name: str) -> int:
    return int(name.removeprefix(find_stem(name)).strip("_") or 1)


def _kinds(function: Function) -> dict[str, type]:
    """The variables of a function in the order of their beginnings, with their types."""
    found = {one.name: one.type for one in function.parameters}
    for statement in all_statements(function.body):
        if isinstance(statement, Assign):
            found |= {t.name: t.type for t in statement.targets if t is not None}
        elif isinstance(statement, For) and statement.at is not None and statement.at.name != "_":
            found[statement.at.name] = int
    return found


def _find_conflicts(function: Function) -> Conflicts:
    """The variables that live at one time with each."""
    conflicts: Conflicts = defaultdict(set)
    live = _pass(function.body, set(), set(), set(), conflicts)
    names = {one.name for one in function.parameters}
    for name in names:
        _note_conflicts(name, live | names, conflicts)
    return conflicts


def _note_conflicts(name: str, others: set[str], conflicts: Conflicts) -> None:
    for other in others - {name}:
        conflicts[name].add(other)
        conflicts[other].add(name)


def _pass(
    block: Block, after: set[str], at_break: set[str], at_continue: set[str], conflicts: Conflicts
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
                    _pass(one, live, at_break, at_continue, conflicts) for one in (body, otherwise)
                ]
                live = sides[0] | sides[1] | read_names([test])
            case For(at=at, count=count, body=body):
                end = set(live)
                ahead = end | read_names([count])
                for _ in range(3):
                    ahead = ahead | _pass(body, ahead, end, ahead, conflicts)
                if at is not None:
                    _note_conflicts(at.name, ahead, conflicts)
                live = ahead - ({at.name} if at is not None else set())
            case Assign(targets=targets, value=value):
                names = [t.name for t in targets if t is not None]
                copied = value.name if isinstance(value, Name) else ""
                for name in names:
                    _note_conflicts(name, (live | {*names}) - {copied}, conflicts)
                live = (live - {*names}) | read_names([value])
            case _:
                live = live | read_names(expressions_of(statement))
    return live


def _rename(function: Function, names: Mapping[str, str]) -> None:
    nodes: list[Expr | None] = [*function.parameters]
    for statement in all_statements(function.body):
        nodes += [x for e in expressions_of(statement) for x in e.walk()]
        if isinstance(statement, Assign):
            nodes += statement.targets
        elif isinstance(statement, For):
            nodes.append(statement.at)
    for node in {id(one): one for one in nodes}.values():
        if isinstance(node, Name):
            node.name = names.get(node.name, node.name)


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
            later = (
                _pass(rest, set(), set(), set(), defaultdict(set)) if nested else _names_of(rest)
            )
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
