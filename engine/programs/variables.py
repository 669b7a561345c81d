"""Variables of a program while a function is written: their names, and assignments to them.

A variable of a function in Python holds a value of the walk: what is known, names, or a tuple of
these. Each expression that it gets becomes a new variable of the program, except in branches and
loops: what these change has a place, which is assigned again. `tidy` joins variables afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Mat3, Vec3, Zero3
from ..algebra.values import Diag3, Quat, Vec4
from .tidy import find_free, find_stem
from .tree import (
    UNNAMED,
    VALUES,
    Assign,
    Block,
    Call,
    Const,
    Expr,
    Function,
    Name,
    Return,
    Unwritable,
)
from .values import NUMBERS, as_expr, flatten, kind_of, rebuild

STATES = ("state", "S")
"""The names of a whole state in functions."""
SELVES = {Vec3: "v", Vec4: "v", Mat3: "m", Diag3: "d", Quat: "q"}
"""The names of a value in its own functions."""


@dataclass(eq=False)
class Frame:
    """A function that is being walked.

    Attributes
    ----------
    fixed : the places of the variables that the present branch or loop changes; None where it
        begins them.
    """

    function: Any
    variables: dict[str, Any]
    inline: bool = False
    fixed: dict[str, Any] = field(default_factory=dict)
    results: list[tuple[Any, Return | None]] = field(default_factory=list)


@dataclass(eq=False)
class Writing:
    """A function that is being written: its statements, its frames, the names that are taken, and
    those of them that are places.
    """

    lines: Block = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)

    @property
    def frame(self) -> Frame:
        """The function that is being walked: this, or one that is written in place."""
        return self.frames[-1]

    @contextmanager
    def block(self) -> Iterator[Block]:
        """A block, of the statements that are written in this context."""
        outer, self.lines = self.lines, []
        yield self.lines
        self.lines = outer

    def add_name(self, base: str, kind: type) -> Name:
        """A new variable, with a number if the name is taken."""
        base = SELVES.get(kind, "e") if base == "self" else base
        name = find_free(base, self.taken)
        self.taken.add(name)
        return Name(kind, name)

    def keep(self, base: str, value: Any) -> Any:
        """A value that stays as it is when places change: its expressions in new variables."""
        kept = []
        for name, x in zip(name_parts(base, value), flatten(value), strict=True):
            if isinstance(x, Expr) and not self._lasts(x):
                target = self.add_name(name, x.type)
                self.lines.append(Assign([target], x))
                x = target
            kept.append(x)
        return rebuild(value, kept)

    def _lasts(self, x: Expr) -> bool:
        """Whether an expression is short and stays as it is."""
        return isinstance(x, Const) or (isinstance(x, Name) and x.name not in self.places)

    def assign_to(self, target: ast.expr, value: Any) -> None:
        """Give the variables of a target their values."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
            return
        assert isinstance(target, ast.Tuple)
        names = [t.value if isinstance(t, ast.Starred) else t for t in target.elts]
        values = list(value)
        for i, one in enumerate(target.elts):
            if isinstance(one, ast.Starred):
                end = len(values) - (len(names) - i - 1)
                values[i:end] = [tuple(values[i:end])]
        values = [
            self.keep(t.id, v) if isinstance(t, ast.Name) else v
            for t, v in zip(names, values, strict=True)
        ]
        for t, v in zip(names, values, strict=True):
            self.assign_to(t, v)

    def assign(self, name: str, value: Any) -> None:
        """Give a variable its value."""
        frame = self.frame
        if name not in frame.fixed:
            frame.variables[name] = self.keep(name, value)
            return
        if frame.fixed[name] is None:
            frame.fixed[name] = self._add_places(name, value)
        places = flatten(frame.fixed[name])
        parts = flatten(self.keep(name, value) if len(places) > 1 else value)
        if len(places) != len(parts):
            raise Unwritable(f"{name} in {frame.function.__qualname__} changes its shape")
        for place, x in zip(places, parts, strict=True):
            if isinstance(place, Name):
                x = as_expr(x, place.type)
                if x.type is not place.type:
                    raise Unwritable(f"{name} in {frame.function.__qualname__} changes its type")
                self.lines.append(Assign([place], x))
        frame.variables[name] = frame.fixed[name]

    def _add_places(self, name: str, value: Any) -> Any:
        """Places for a value."""
        parts = []
        for base, x in zip(name_parts(name, value), flatten(value), strict=True):
            kind = Vec3 if isinstance(x, Zero3) else kind_of(x)
            if kind in (*NUMBERS, *VALUES):
                x = self.add_name(base, kind)
                self.places.add(x.name)
            parts.append(x)
        return rebuild(value, parts)

    def begin_fixed(self, names: Iterable[str]) -> dict[str, Any]:
        """Give the variables that a branch or a loop changes their places; return the earlier ones."""
        frame = self.frame
        before = dict(frame.fixed)
        for name in names:
            if name in frame.variables and name not in frame.fixed:
                value = frame.variables[name]
                frame.fixed[name] = self._add_places(name, value)
                self.assign(name, value)
        return before


def name_result(x: Any) -> str:
    """The name of a variable, or of the result of a call."""
    if isinstance(x, Call) and isinstance(x.function, Function):
        return x.function.result_names[0]
    return x.name if isinstance(x, Name) else UNNAMED


def name_parts(base: str, value: Any) -> list[str]:
    """Names for the parts of a value: with numbers, if there are several; of a state their own."""
    if base in STATES:
        return [find_stem(name_result(x)) for x in flatten(value)]
    n = len(flatten(value))
    return [f"{base}{i + 1}" for i in range(n)] if n > 1 else [base] * n
