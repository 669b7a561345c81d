"""Paths through a function: its variables, where they part at a branch, go round a loop, and meet again.

A condition that is known while compiling chooses its path at once. One on a symbol is a branch: both paths are
walked, each with variables of its own, and where they meet, the numbers that differ become phis.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from .refusal import ChangedInLoop, NotCompiled
from .source import Definition, scope_of
from .symbols import REALS, Memory, Symbol
from .values import Torn, leaves, make, mapped, merged
from .writer import Block, Phi, Writer

Edge = tuple[Block, dict[str, Any]]
"""The end of a path, and the variables there."""


class _Widened(Exception):
    """A variable is a whole number before a loop, and real in it, or of 64 bits, and of 32 in it."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind


class Frame:
    """A call that is being walked through.

    Attributes
    ----------
    program : what is being compiled, which knows what a call is.
    own : the names that are its own throughout.
    variables : what these hold, on the path that is being walked.
    around : the names of functions around it, where it has some.
    returns : the ends of the paths on which it has returned, with what they return under "".
    loops : of each loop that is being walked, the ends of the paths that leave it, and of those that begin anew.
    filled : the object that it fills the slots of, if it is an `__init__`.
    branches : how many branches and loops the program is in, as far as it depends on symbols.
    """

    def __init__(
        self,
        program: Any,
        node: Definition,
        path: str,
        names: Mapping[str, Any],
        around: Any,
        variables: dict[str, Any],
    ) -> None:
        self.program, self.node, self.path = program, node, path
        self.own = scope_of(node).names
        self.writer: Writer = program.writer
        self.names, self.around, self.variables = names, around, variables
        self.returns: list[Edge] = []
        self.loops: list[tuple[list[Edge], list[Edge]]] = []
        self.branches = 0
        self.filled: Any = None

    def __contains__(self, name: str) -> bool:
        return name in self.variables or name in self.own or name in self.around

    def __getitem__(self, name: str) -> Any:
        """What a name holds here."""
        if name in self.variables:
            return usable(self.variables[name], name)
        if name in self.own:
            raise NotCompiled(f"{name} has no value on every path that leads here")
        for scope in (self.around, self.names, vars(builtins)):
            if name in scope:
                return usable(scope[name], name)
        raise NotCompiled(f"name '{name}' is not defined")

    def here(self) -> Edge:
        """The end of the path that is being walked."""
        return self.writer.block, self.variables

    # ------------------------------------------------------------------ branches

    def meet(self, edges: list[Edge]) -> bool:
        """Go on where these paths meet; False if there are none."""
        if len(edges) < 2:
            if edges:
                self.writer.block, self.variables = edges[0]
            return bool(edges)
        blocks, every = [block for block, _ in edges], [variables for _, variables in edges]
        target = self.writer.new_block()
        for block in blocks:
            block.jump(target)
        self.writer.block = target
        shared = [name for name in every[0] if all(name in variables for variables in every)]
        self.variables = {name: merged(self.writer, [v[name] for v in every], blocks) for name in shared}
        return True

    def branch(self, condition: Symbol, yes: Callable[[], bool], no: Callable[[], bool]) -> bool:
        """Walk both paths of a branch, each of which tells whether it goes on; False if neither does."""
        writer, before = self.writer, self.variables
        ways = [writer.new_block(), writer.new_block()]
        writer.block.end = f"br i1 {condition.name}, label %{ways[0].name}, label %{ways[1].name}"
        self.branches += 1
        edges = []
        for way, walk in zip(ways, (yes, no), strict=True):
            writer.block, self.variables = way, dict(before)
            if walk():
                edges.append(self.here())
        self.branches -= 1
        return self.meet(edges)

    def either(self, condition: Symbol, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
        """What one of two expressions gives, of which only that one is evaluated."""

        def keep(path: Callable[[], Any]) -> Callable[[], bool]:
            def walk() -> bool:
                self.variables[""] = path()
                return True

            return walk

        self.branch(condition, keep(yes), keep(no))
        return usable(self.variables.pop(""), "the value")

    # ------------------------------------------------------------------ loops

    def round(self, walk: Callable[[], bool]) -> tuple[list[Edge], list[Edge]]:
        """Walk a loop's body once: the ends of the paths that leave the loop, and of those that begin anew."""
        self.loops.append(([], []))
        try:
            if walk():
                self.loops[-1][1].append(self.here())
        finally:
            ends = self.loops.pop()
        return ends

    def loop(
        self, changed: Iterable[str], more: Callable[[], Any], body: Callable[[], bool], otherwise: Callable[[], bool]
    ) -> bool:
        """Go round a loop while `more()` holds; `changed` are the variables that may be others after a round."""
        writer, changed, before = self.writer, list(changed), dict(self.variables)
        begin, lines, blocks, returns = writer.block, len(writer.block.lines), len(writer.blocks), len(self.returns)
        branches = self.branches
        while True:
            try:
                return self._looped(changed, more, body, otherwise)
            except _Widened as widened:  # walk it anew with such a number
                writer.block, self.branches = begin, branches
                del begin.lines[lines:], writer.blocks[blocks:], self.returns[returns:]
                before[widened.name] = mapped(before[widened.name], partial(self._converted, widened.kind))
                self.variables, lines = dict(before), len(begin.lines)

    def _converted(self, kind: str, number: Any) -> Any:
        return number if isinstance(number, Memory) else self.writer.real(number, kind)

    def _looped(
        self, changed: list[str], more: Callable[[], Any], body: Callable[[], bool], otherwise: Callable[[], bool]
    ) -> bool:
        writer, entry, head = self.writer, self.writer.block, self.writer.new_block()
        entry.jump(head)
        writer.block = head
        for name in changed:
            if isinstance(self.variables.get(name), Torn):
                del self.variables[name]
        opened = {name: self._opened(name, entry) for name in changed if name in self.variables}
        self.branches += 1
        condition, done = more(), []
        if isinstance(condition, Symbol):
            inside, outside = writer.new_block(), writer.new_block()
            writer.block.end = f"br i1 {condition.name}, label %{inside.name}, label %{outside.name}"
            done = [(outside, dict(self.variables))]
            writer.block = inside
        elif not condition:
            self.branches -= 1
            return otherwise()
        broken, again = self.round(body)
        if self.meet(again):
            for name, (before, phis) in opened.items():
                self._closed(name, before, phis)
            writer.block.jump(head)
        self.branches -= 1
        if self.meet(done):
            done = [self.here()] if otherwise() else []
        return self.meet(done + broken)

    def _opened(self, name: str, entry: Block) -> tuple[Any, list[Phi]]:
        """Let a variable's numbers be one before the loop, another after each round: its make, and these phis."""
        writer, phis = self.writer, list[Phi]()

        def open_(number: Any) -> Any:
            if isinstance(number, Memory):
                return number
            phi = writer.phi(writer.common((number,)), writer.block)
            head, writer.block = writer.block, entry
            phi.incoming.append((writer.operand(phi.kind, number), entry))
            writer.block = head
            phis.append(phi)
            return Symbol(writer, phi.kind, phi.name)

        self.variables[name] = mapped(self.variables[name], open_)
        return make(self.variables[name]), phis

    def _closed(self, name: str, before: Any, phis: list[Phi]) -> None:
        """Tell the phis of a variable what its numbers are after a round."""
        value = usable(self.variables.get(name), name)
        if make(value) != before:
            raise ChangedInLoop(name)
        numbers = (leaf for leaf in leaves(value) if not isinstance(leaf, Memory))
        for phi, number in zip(phis, numbers, strict=True):
            kind = self.writer.common((number,))
            if (phi.kind == "int" and kind in REALS) or (phi.kind, kind) == REALS:
                raise _Widened(name, kind)
            phi.incoming.append((self.writer.operand(phi.kind, number), self.writer.block))


def usable(value: Any, name: str) -> Any:
    """What a name holds; refused where that differs in kind from path to path."""
    if isinstance(value, Torn):
        raise NotCompiled(f"{name} {value.why}")
    return value
