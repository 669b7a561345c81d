"""The walk of statements: known choices are made and known loops run; others are written."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from typing import Any

from ..compiler.frontend.source import definition
from .expressions import Expressions
from .tree import For, If, Jump, Note, Return, Unwritable
from .values import as_expr, is_known


class Statements(Expressions):
    """Walks the statements of the function that is being written."""

    def walk(self, function: Any) -> None:
        """Walk the body of a function."""
        node = definition(function)
        if isinstance(node, ast.Lambda):
            self._return(self.value(node.body))
        else:
            self._walk_block(node.body)

    def _note(self, node: ast.stmt) -> None:
        """Write the comment before a statement of a function that is not written in place."""
        path = self.writing.frame.function.__code__.co_filename
        first = node.lineno
        while linecache.getline(path, first - 1).strip().startswith("#"):
            first -= 1
        for line in range(first, node.lineno) if not self.writing.frame.inline else ():
            self.writing.lines.append(Note(linecache.getline(path, line).strip("# \n")))

    def _walk_block(self, body: Sequence[ast.stmt]) -> bool:
        """Walk statements; return whether they end the function or the round of a loop."""
        for statement in body:
            self._note(statement)
            if self._walk_statement(statement):
                return True
        return False

    def _walk_statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=value):
                self.value(value)
            case ast.Return(value=value):
                assert value is not None
                self._return(self.value(value))
                return True
            case ast.Assign(targets=targets, value=value):
                hints = (
                    [t.id for t in targets[0].elts if isinstance(t, ast.Name)]
                    if isinstance(targets[0], ast.Tuple)
                    else []
                )
                found = self.value(value, hints)
                for target in reversed(targets):
                    self.writing.assign_to(target, found)
            case ast.AnnAssign(target=target, value=value):
                assert value is not None
                self.writing.assign_to(target, self.value(value))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                self.writing.assign(
                    name, self.operate(op, self.writing.frame.variables[name], self.value(value))
                )
            case ast.If():
                return self._walk_if(node)
            case ast.For(orelse=[_, *_]) | ast.While(orelse=[_, *_]):
                raise Unwritable("the else of a loop cannot be written")
            case ast.For():
                return self._walk_for(node)
            case ast.While():
                self._walk_while(node)
            case ast.Break() | ast.Continue():
                self.writing.lines.append(
                    Jump("break" if isinstance(node, ast.Break) else "continue")
                )
                return True
            case ast.Assert() | ast.Pass():
                pass
            case _:
                raise Unwritable(
                    f"{type(node).__name__} in {self.writing.frame.function.__qualname__} cannot be written"
                )
        return False

    def _return(self, value: Any) -> None:
        frame = self.writing.frame
        statement = None if frame.inline else Return([])
        frame.results.append((value, statement))
        if statement is not None:
            self.writing.lines.append(statement)

    def _walk_if(self, node: ast.If) -> bool:
        test = self.value(node.test)
        if is_known(test):
            return self._walk_block(node.body if test else node.orelse)
        frame = self.writing.frame
        stored = [list_stored(block) for block in (node.body, node.orelse)]
        always = [ends(block) for block in (node.body, node.orelse)]
        either = [n for s, end in zip(stored, always, strict=True) if not end for n in s]
        before = self.writing.begin_fixed(dict.fromkeys([*stored[0], *stored[1]]))
        for name in either:
            if (
                name not in frame.variables
                and name not in frame.fixed
                and all(name in s or end for s, end in zip(stored, always, strict=True))
            ):
                frame.fixed[name] = None
        known = dict(frame.variables)
        with self.writing.block() as body:
            body_ended = self._walk_block(node.body)
        after_body = frame.variables
        frame.variables = dict(known)
        with self.writing.block() as otherwise:
            otherwise_ended = self._walk_block(node.orelse)
        if otherwise_ended and not body_ended:
            frame.variables = after_body
        elif not body_ended:
            frame.variables = {
                k: v for k, v in frame.variables.items() if k in known or k in frame.fixed
            } | {k: v for k, v in frame.fixed.items() if v is not None}
        frame.fixed = before
        self.writing.lines.append(If(test, body, otherwise))
        return body_ended and otherwise_ended

    def _walk_for(self, node: ast.For) -> bool:
        counts = isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name)
        if counts and node.iter.func.id == "range" and len(node.iter.args) == 1:  # type: ignore[attr-defined]
            (count,) = (self.value(one) for one in node.iter.args)  # type: ignore[attr-defined]
            assert isinstance(node.target, ast.Name)
            at = self.writing.add_name(node.target.id.strip("_") or "i", int)
            before = self.writing.begin_fixed(list_stored(node.body))
            self.writing.frame.variables[node.target.id] = at
            with self.writing.block() as body:
                self._walk_block(node.body)
            self.writing.frame.fixed = before
            self.writing.lines.append(For(at, as_expr(count), body))
            return False
        for one in list(self.value(node.iter)):
            self.writing.assign_to(node.target, one)
            if self._walk_block(node.body):
                raise Unwritable("a loop over known values does not end early")
        return False

    def _walk_while(self, node: ast.While) -> None:
        before = self.writing.begin_fixed(list_stored(node.body))
        with self.writing.block() as lifted:
            test = self.value(node.test)
        with self.writing.block() as body:
            self._walk_block(node.body)
        self.writing.frame.fixed = before
        if lifted:
            raise Unwritable("the condition of a loop needs statements")
        self.writing.lines.append(For(None, as_expr(test), body))


def list_stored(body: Sequence[ast.stmt]) -> list[str]:
    """The variables that statements assign."""
    return list(
        dict.fromkeys(
            node.id
            for statement in body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
    )


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether statements end the function or the round of a loop."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Break | ast.Continue)
