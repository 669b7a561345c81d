"""Sources: from a function to its syntax tree in its file or notebook cell."""

from __future__ import annotations

import ast
import functools
import linecache
import sys
import threading
import types
from collections.abc import Iterator
from typing import NamedTuple

from .refusal import NotCompiled

Definition = ast.FunctionDef | ast.Lambda
EXECUTED = "<string>"
"""The file that Python names for what follows `-c`, and for any text that is executed."""
WHAT_IT_DOES = (
    "co_name",
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_argcount",
)


_parsing = threading.Lock()
"""Python 3.11 mixes up the depths of trees that two threads parse at the same time, and raises
SystemError.
"""


class NoSource(NotCompiled):
    """The error for a function whose source is missing."""


class SourceMissing(NoSource):
    """The error for a function typed into Python itself, or executed as text: its source cannot be
    read again.
    """


class _File(NamedTuple):
    """The code objects of the functions of a file, by their first lines, and its tree."""

    codes: dict[int, list[types.CodeType]]
    tree: ast.Module

    def has(self, code: types.CodeType) -> bool:
        """Return whether one of them is this function."""
        return any(_same(code, known) for known in self.codes.get(code.co_firstlineno, ()))


NOTHING = _File({}, ast.Module([], []))
"""What is known of a file whose text is missing."""


def definition(function: types.FunctionType) -> Definition:
    """Return the node that defines a function; refuse one whose source is missing or has changed
    since its import.
    """
    return _definition(function.__code__, function.__code__.co_filename)


@functools.cache
def _definition(code: types.CodeType, path: str) -> Definition:
    """Return the node of a function in a file, once for all its calls."""
    file = _files.get(path, NOTHING)
    for alone in (False, True):
        if not file.has(code):  # the file may have been edited, and imported again
            file = _files[path] = _list_functions(path, alone)
    found_there = file.has(code)
    if not file.codes or (path == EXECUTED and not found_there):
        raise SourceMissing(
            f"the source of {code.co_name} is not at hand; write it to a file or a notebook's cell"
        )
    if not found_there:
        raise NoSource(f"the source of {code.co_name} has changed since it was imported")
    for node in _functions_at(file.tree, code.co_firstlineno):
        if _is_of(node, code):
            return node
    raise NoSource(
        f"{code.co_name} is no plain function; what a def or a lambda defines can be compiled"
    )


def _functions_at(tree: ast.Module, line: int) -> Iterator[Definition]:
    """Yield the functions of a file that begin in a line, with their decorators."""
    around: list[ast.AST] = [tree]
    for node in around:  # which grows while it is gone through
        for part in ast.iter_child_nodes(node):
            begins = [*getattr(part, "decorator_list", ()), part]
            first = min([getattr(one, "lineno", line) for one in begins])
            if first <= line <= getattr(part, "end_lineno", line):
                around.append(part)
                if first == line and isinstance(part, Definition):
                    yield part


class Scope(NamedTuple):
    """The local names of a function: its parameters and the names that it assigns; and a statement
    that cannot be compiled.
    """

    names: frozenset[str]
    refused: ast.expr | ast.stmt | None


@functools.cache
def scope_of(node: Definition) -> Scope:
    """Return the names of a function, without those of nested functions; a `yield` or `global`
    changes all of it, reached or not.
    """
    takes = node.args
    parameters = (*takes.posonlyargs, *takes.args, *takes.kwonlyargs, takes.vararg, takes.kwarg)
    names = {parameter.arg for parameter in parameters if parameter is not None}
    refused = None
    todo: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
    for part in todo:  # which grows while it is gone through
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.FunctionDef):
            names.add(part.name)
        elif isinstance(part, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal):
            refused = refused or part
        elif not isinstance(part, ast.Lambda | ast.ListComp | ast.GeneratorExp):
            todo += ast.iter_child_nodes(part)
    return Scope(frozenset(names), refused)


def _same(a: types.CodeType, b: types.CodeType) -> bool:
    """Return whether two code objects do the same, wherever they were compiled."""
    if any(getattr(a, name) != getattr(b, name) for name in WHAT_IT_DOES) or len(
        a.co_consts
    ) != len(b.co_consts):
        return False
    return all(
        _same(x, y)
        if isinstance(x, types.CodeType) and isinstance(y, types.CodeType)
        else repr(x) == repr(y)
        for x, y in zip(a.co_consts, b.co_consts, strict=True)
    )


def _is_of(node: Definition, code: types.CodeType) -> bool:
    """Return whether a node is that of a function that begins in the same line; a line may have
    several lambdas.
    """
    if isinstance(node, ast.FunctionDef):
        return node.name == code.co_name
    body = node.body
    place = body.lineno, body.end_lineno, body.col_offset, body.end_col_offset
    return code.co_name == "<lambda>" and place in code.co_positions()


_files: dict[str, _File] = {}


def _list_functions(path: str, alone: bool) -> _File:
    """Return the functions of a file.

    A notebook compiles each statement of a cell alone, and Python compiles `np.cross(…)` otherwise
    if it sees the import of `np`.
    """
    text = _text(path)
    if not text:
        return NOTHING
    with _parsing:
        try:
            tree = ast.parse(text)
        except SyntaxError:  # the file has changed since: none of its functions is known
            tree = ast.parse("")
        parts = [ast.Module([part], []) for part in tree.body] if alone else []
        todo = [compile(part, path, "exec", dont_inherit=True) for part in parts or [tree]]
    file = _File({}, tree)
    for code in todo:  # which grows while it is gone through
        file.codes.setdefault(code.co_firstlineno, []).append(code)
        todo += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return file


def _text(path: str) -> str:
    """Return the text of a file, of a notebook's cell, or after `python -c`."""
    options = sys.orig_argv[1:-1]
    if path == EXECUTED and "-c" in options:
        return sys.orig_argv[sys.orig_argv.index("-c") + 1]
    linecache.checkcache(path)
    return "".join(linecache.getlines(path))
