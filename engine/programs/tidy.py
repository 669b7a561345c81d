"""Tidying of a function: no variable that is not read, and one variable where several do not live at
one time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from .tree import (
    Assign,
    Block,
    Body,
    Call,
    Expr,
    Field,
    For,
    Function,
    If,
    Jump,
    Make,
    Name,
    Return,
    all_statements,
    blocks_of,
    expressions_of,
    fields_of,
    find_read,
    get_field,
    list_expressions,
    read_names,
)  # fmt: skip


def drop_unread(block: Block) -> None:
    """Drop assignments of variables that no expression reads."""
    while _drop(block, find_read(block)):
        pass


def tidy(function: Function) -> list[int]:
    """Drop what is not read, and join variables whose values do not meet; return the places of the
    parameters that stay.
    """
    drop_unread(function.body)
    read = find_read(function.body)
    kept = [i for i, one in enumerate(function.parameters) if one.name in read]
    function.parameters = [function.parameters[i] for i in kept]
    _join_variables(function)
    _drop_copies(function.body)
    _return_calls(function.body)
    return kept


def _return_calls(block: Block) -> None:
    """Return the results of a call at once, where they are only returned."""
    for statement, last in pairwise(list(block)):
        match statement, last:
            case Assign(targets=targets, value=Call() as call), Return(values=values) if (
                len(targets) > 1
            ):
                names = [value.name if isinstance(value, Name) else "" for value in values]
                if names == [None if t is None else t.name for t in targets]:
                    last.values = [call]
                    block.remove(statement)
    for statement in block:
        for inner in blocks_of(statement):
            _return_calls(inner)


def _drop(block: Block, read: set[str]) -> bool:
    """Drop assignments whose targets are not read; return whether there were any."""
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


def drop_unread_fields(main: Block) -> dict[str, type]:
    """Drop the fields of the body that a program does not read; return the others."""
    kinds = fields_of(Body)
    read: set[str] = set()
    bodies: list[Make] = []
    functions: list[Function] = []
    todo = list_expressions(main)
    for x in todo:  # which grows while it is gone through
        function = getattr(x, "function", None)
        if isinstance(function, Function) and function not in functions:
            functions.append(function)
            todo += list_expressions(function.body)
        if isinstance(x, Field) and x.of.type is Body and x.name not in read:
            read.add(x.name)
            todo += [get_field(body, x.name) for body in bodies]
        if isinstance(x, Make) and x.type is Body:
            bodies.append(x)
            todo += [get_field(x, name) for name in read]
        else:
            todo += x.parts()
    for one in {id(body): body for body in bodies}.values():
        one.given = tuple(get_field(one, name) for name in kinds if name in read)
    return {name: kind for name, kind in kinds.items() if name in read}


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
    live = find_live(function.body, set(), set(), set(), conflicts)
    names = {one.name for one in function.parameters}
    for name in names:
        _note_conflicts(name, live | names, conflicts)
    return conflicts


def _note_conflicts(name: str, others: set[str], conflicts: Conflicts) -> None:
    for other in others - {name}:
        conflicts[name].add(other)
        conflicts[other].add(name)


def find_live(
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
                    find_live(one, live, at_break, at_continue, conflicts)
                    for one in (body, otherwise)
                ]
                live = sides[0] | sides[1] | read_names([test])
            case For(at=at, count=count, body=body):
                end = set(live)
                ahead = end | read_names([count])
                for _ in range(3):
                    ahead = ahead | find_live(body, ahead, end, ahead, conflicts)
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
