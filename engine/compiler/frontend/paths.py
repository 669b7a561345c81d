"""Control flow: the variables of a function along its branches and loops.

A condition that is known while compiling chooses its branch at once. For a condition on a symbol,
both branches are walked with variables of their own; where they join, numbers that differ become
phi nodes.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ..lanes import Lanes, write_lanes
from .refusal import ChangedInLoop, NotCompiled
from .source import Definition, scope_of
from .structure import Torn, V, choose, leaves, lift, map_leaves, merge, structure_of
from .symbols import REALS, Content, Memory, Symbol
from .writer import Block, Phi, Writer

Edge = tuple[Block, dict[str, Any]]
"""The last block of a path, and its variables."""


class _Widened(Exception):
    """A variable is an integer before a loop and real in it, or has 64 bits before and 32 in it; or
    derivatives.
    """

    def __init__(self, name: str, change: Callable[[Any], Any]) -> None:
        self.name = name
        self.change = change


class Frame:
    """The frame of a call that is being walked.

    Attributes
    ----------
    program : the module under construction, which compiles calls.
    own : the local names of the function.
    variables : their values on the current path.
    around : the names of enclosing functions.
    returns : the ends of the paths that have returned, with the result under "".
    loops : for each open loop, the ends of the paths that leave it, and of those that continue it.
    filled : the object whose slots an `__init__` fills.
    branches : the number of open branches and loops that depend on symbols.
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
        self.program = program
        self.node = node
        self.path = path
        self.own = scope_of(node).names
        self.writer: Writer = program.writer
        self.names = names
        self.around = around
        self.variables = variables
        self.returns: list[Edge] = []
        self.loops: list[tuple[list[Edge], list[Edge]]] = []
        self.branches = 0
        self.filled: Any = None

    def __contains__(self, name: str) -> bool:
        return name in self.variables or name in self.own or name in self.around

    def __getitem__(self, name: str) -> Any:
        """Return the value of a name."""
        if name in self.variables:
            return check_usable(self.variables[name], name)
        if name in self.own:
            raise NotCompiled(f"{name} has no value on every path that leads here")
        for scope in (self.around, self.names, vars(builtins)):
            if name in scope:
                return check_usable(scope[name], name)
        raise NotCompiled(f"name '{name}' is not defined")

    def here(self) -> Edge:
        """Return the end of the current path."""
        return self.writer.block, self.variables

    # ------------------------------------------------------------------ branches

    def meet(self, edges: list[Edge]) -> bool:
        """Join these paths; return False if there are none."""
        if len(edges) < 2:
            if edges:
                self.writer.block, self.variables = edges[0]
            return bool(edges)
        blocks = [block for block, _ in edges]
        every = [variables for _, variables in edges]
        target = self.writer.new_block()
        for block in blocks:
            block.jump(target)
        self.writer.block = target
        shared = [name for name in every[0] if all(name in variables for variables in every)]
        self.variables = {
            name: merge(self.writer, [v[name] for v in every], blocks) for name in shared
        }
        return True

    def branch(self, condition: Symbol, yes: Callable[[], bool], no: Callable[[], bool]) -> bool:
        """Walk both paths of a branch, each of which returns whether it continues; return False if
        neither does.
        """
        writer = self.writer
        check_branch(condition)
        before = self.variables
        ways = [writer.new_block(), writer.new_block()]
        writer.block.end = f"br i1 {condition.name}, label %{ways[0].name}, label %{ways[1].name}"
        self.branches += 1
        edges = []
        for way, walk in zip(ways, (yes, no), strict=True):
            writer.block = way
            self.variables = dict(before)
            if walk():
                edges.append(self.here())
        self.branches -= 1
        return self.meet(edges)

    def either(self, condition: Symbol, yes: Callable[[], Any], no: Callable[[], Any]) -> Content:
        """Return the value of one of two expressions; only that one is evaluated, unless bodies side
        by side differ in which.
        """
        if condition.kind == "mask":
            return choose(self.writer, condition, yes(), no())

        def keep(path: Callable[[], Any]) -> Callable[[], bool]:
            def walk() -> bool:
                self.variables[""] = path()
                return True

            return walk

        self.branch(condition, keep(yes), keep(no))
        return check_usable(self.variables.pop(""), "the value")

    # ------------------------------------------------------------------ loops

    def round(self, walk: Callable[[], bool]) -> tuple[list[Edge], list[Edge]]:
        """Walk a loop's body once; return the ends of the paths that leave the loop, and of those
        that continue it.
        """
        self.loops.append(([], []))
        try:
            if walk():
                self.loops[-1][1].append(self.here())
        finally:
            ends = self.loops.pop()
        return ends

    def loop(
        self,
        changed: Iterable[str],
        more: Callable[[], Any],
        body: Callable[[], bool],
        otherwise: Callable[[], bool],
    ) -> bool:
        """Compile a loop that runs while `more()` is true; `changed` are the variables that its
        body assigns.
        """
        writer = self.writer
        changed = list(changed)
        before = dict(self.variables)
        begin = writer.block
        lines = len(writer.block.lines)
        blocks = len(writer.blocks)
        returns = len(self.returns)
        branches = self.branches
        while True:
            try:
                return self._walk_loop(changed, more, body, otherwise)
            except _Widened as widened:  # walk it anew with such a number
                writer.block = begin
                self.branches = branches
                del begin.lines[lines:], writer.blocks[blocks:], self.returns[returns:]
                before[widened.name] = widened.change(before[widened.name])
                self.variables = dict(before)
                lines = len(begin.lines)

    def _convert(self, kind: str, number: Any) -> Any:
        return number if isinstance(number, Memory) else self.writer.real(number, kind)

    def _walk_loop(
        self,
        changed: list[str],
        more: Callable[[], Any],
        body: Callable[[], bool],
        otherwise: Callable[[], bool],
    ) -> bool:
        writer = self.writer
        entry = self.writer.block
        head = self.writer.new_block()
        entry.jump(head)
        writer.block = head
        for name in changed:
            if isinstance(self.variables.get(name), Torn):
                del self.variables[name]
        opened = {
            name: self._open_variable(name, entry) for name in changed if name in self.variables
        }
        self.branches += 1
        condition = more()
        done = []
        if isinstance(condition, Symbol):
            check_branch(condition)
            inside = writer.new_block()
            outside = writer.new_block()
            writer.block.end = (
                f"br i1 {condition.name}, label %{inside.name}, label %{outside.name}"
            )
            done = [(outside, dict(self.variables))]
            writer.block = inside
        elif not condition:
            self.branches -= 1
            return otherwise()
        broken, again = self.round(body)
        if self.meet(again):
            for name, (before, phis) in opened.items():
                self._close_variable(name, before, phis)
            writer.block.jump(head)
        self.branches -= 1
        if self.meet(done):
            done = [self.here()] if otherwise() else []
        return self.meet(done + broken)

    def _open_variable(self, name: str, entry: Block) -> tuple[Any, list[Phi]]:
        """Give a variable's numbers phi nodes at the head of a loop; return its structure and the
        nodes.
        """
        writer = self.writer
        phis = list[Phi]()

        def open_number(number: Any) -> Content:
            if isinstance(number, Memory):
                return number
            phi = writer.phi(writer.common((number,)), writer.block)
            head = writer.block
            writer.block = entry
            phi.incoming.append((writer.operand(phi.kind, number), entry))
            writer.block = head
            phis.append(phi)
            return Symbol(writer, phi.kind, phi.name)

        before = self.variables[name]
        before = write_lanes(writer, before) if isinstance(before, Lanes) else before
        self.variables[name] = map_leaves(before, open_number)
        return structure_of(self.variables[name]), phis

    def _close_variable(self, name: str, before: Any, phis: list[Phi]) -> None:
        """Complete the phi nodes of a variable with its numbers after an iteration."""
        value = check_usable(self.variables.get(name), name)
        value = write_lanes(self.writer, value) if isinstance(value, Lanes) else value
        if structure_of(value) != before:
            raise ChangedInLoop(name)
        numbers = [leaf for leaf in leaves(value) if not isinstance(leaf, Memory)]
        if len(numbers) > len(phis):
            raise _Widened(name, lambda before: lift(before, value))
        for phi, number in zip(phis, numbers, strict=True):
            kind = self.writer.common((number,))
            if (phi.kind == "int" and kind in REALS) or (phi.kind == "real" and kind in REALS[1:]):
                raise _Widened(name, partial(map_leaves, change=partial(self._convert, kind)))
            phi.incoming.append((self.writer.operand(phi.kind, number), self.writer.block))


def check_branch(condition: Symbol) -> None:
    """Refuse a branch that bodies side by side would not all take."""
    if condition.kind == "mask":
        raise NotCompiled("bodies side by side cannot take different branches")


def check_usable(value: V, name: str) -> V:
    """Return the value of a name; refuse one whose kind differs from path to path."""
    if isinstance(value, Torn):
        raise NotCompiled(f"{name} {value.why}")
    return value
