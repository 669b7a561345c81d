"""Variables of a program while a function is written: their names, and assignments to them.

A variable of a function in Python holds a value of the walk: what is known, or expressions. An
expression that is more than a name becomes a variable of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Mat3, Vec3, Zero3
from ..algebra.values import Diag3, Quat, Vec4
from .tree import VALUES, Assign, Block, Expr, Field, Name, Return, Unwritable, read_names
from .values import NUMBERS, as_expr, flatten, is_atomic, kind_of, rebuild

SELVES = {Vec3: "v", Vec4: "v", Mat3: "m", Diag3: "d", Quat: "q"}
"""The names of a value in its own functions."""


@dataclass(eq=False)
class Frame:
    """A function that is being walked.

    Attributes
    ----------
    fixed : the variables of a branch or a loop, which stay where they are, and those that a branch
        begins.
    """

    function: Any
    variables: dict[str, Any]
    inline: bool = False
    fixed: dict[str, Any] = field(default_factory=dict)
    slots: dict[tuple[str, int, type], str] = field(default_factory=dict)
    results: list[tuple[Any, Return | None]] = field(default_factory=list)


@dataclass(eq=False)
class Writing:
    """A function that is being written: its statements, its frames, and the names that are taken."""

    lines: Block = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    taken: dict[str, type] = field(default_factory=dict)
    idle: dict[str, type] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)

    @property
    def frame(self) -> Frame:
        """The function that is being walked: this, or one that is written in place."""
        return self.frames[-1]

    def new_name(self, base: str, kind: type) -> str:
        """A name that no variable has."""
        name, i = base, 2
        while name in self.taken:
            name = f"{base}_{i}"
            i += 1
        self.taken[name] = kind
        return name

    def slot(self, base: str, kind: type, part: int = 0, fresh: bool = False) -> str:
        """The name of a variable of the function that is walked."""
        slots, of = self.frame.slots, base
        if fresh or (base, part, kind) not in slots:
            base = SELVES.get(kind, "e") if base == "self" else base
            wanted = base if part == 0 else f"{base}{part}"
            reused = next(
                (
                    n
                    for n in (wanted, *sorted(self.free))
                    if n in self.free and n.partition("_")[0] == wanted and self.taken[n] is kind
                ),
                None,
            )
            name = reused or self.new_name(wanted, kind)
            self.free.discard(name)
            self.idle.pop(name, None)
            if fresh:
                slots[f"{base} {name}", part, kind] = name
                return name
            slots[of, part, kind] = name
        return slots[of, part, kind]

    def release(self) -> None:
        """Free the names of functions written in place whose values are not needed any more."""
        bound = [
            x
            for frame in self.frames
            for v in frame.variables.values()
            for x in flatten(v)
            if isinstance(x, Expr)
        ]
        needed = read_names(bound)
        for name in [one for one in self.idle if one not in needed]:
            self.free.add(name)
            del self.idle[name]

    def emit(self, targets: list[Name], value: Expr) -> None:
        """Write an assignment, after copies of the values that other variables still need."""
        for target in targets:
            self.protect(target.name)
        self.lines.append(Assign(list(targets), value))

    def protect(self, name: str) -> None:
        """Copy the values that other variables need before this variable changes."""
        for frame in self.frames:
            for key, value in frame.variables.items():
                parts = flatten(value)
                own = [frame.slots.get((key, i, kind_of(x))) for i, x in enumerate(parts)]
                if not any(
                    isinstance(x, Expr) and name in read_names([x]) and name != o
                    for x, o in zip(parts, own, strict=True)
                ):
                    continue
                new = []
                for x, o in zip(parts, own, strict=True):
                    if isinstance(x, Expr) and name in read_names([x]) and name != o:
                        copy = Name(x.type, self.new_name(key, x.type))
                        self.lines.append(Assign([copy], x))
                        new.append(copy)
                    else:
                        new.append(x)
                frame.variables[key] = rebuild(value, new)

    def assign_to(self, target: ast.expr, value: Any) -> None:
        """Give the variables of a target their values."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
            return
        assert isinstance(target, ast.Tuple)
        values = list(value)
        starred = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
        if starred is not None:
            after = len(target.elts) - starred - 1
            values = [
                *values[:starred],
                tuple(values[starred : len(values) - after]),
                *values[len(values) - after :],
            ]
        names = [t.value if isinstance(t, ast.Starred) else t for t in target.elts]
        for i, (name, one) in enumerate(zip(names, values, strict=True)):
            if isinstance(name, ast.Tuple):
                self.assign_to(name, one)
                continue
            assert isinstance(name, ast.Name)
            key = name.id
            slots = self._slots_of(key, one)
            for j in range(i + 1, len(values)):
                values[j] = self._spill_if_read(slots, values[j], names[j])
            self.assign(key, one if i == 0 else values[i])

    def _slots_of(self, name: str, value: Any) -> set[str]:
        """The variables that an assignment to a name would write."""
        frame = self.frame
        if name in frame.fixed and frame.fixed[name] is not None:
            return read_names([x for x in flatten(frame.fixed[name]) if isinstance(x, Expr)])
        return {
            frame.slots[name, i, kind_of(x)]
            for i, x in enumerate(flatten(value))
            if isinstance(x, Expr) and not is_atomic(x) and (name, i, x.type) in frame.slots
        }

    def _spill_if_read(self, slots: set[str], value: Any, target: Any) -> Any:
        """The value, in variables of its own if it reads one of these."""
        base = target.id if isinstance(target, ast.Name) else "x"
        new = []
        for x in flatten(value):
            if isinstance(x, Expr) and slots & read_names([x]):
                copy = Name(x.type, self.new_name(base, x.type))
                self.lines.append(Assign([copy], x))
                x = copy
            new.append(x)
        return rebuild(value, new)

    def assign(self, name: str, value: Any) -> None:
        """Give a variable its value: a name of the program for what is computed, or in place."""
        frame = self.frame
        if name in frame.fixed:
            self._assign_in_place(name, value)
            return
        parts = flatten(value)
        for i, x in enumerate(parts):
            if isinstance(x, Expr) and (not is_atomic(x) or isinstance(x, Field)):
                part = i if isinstance(value, tuple | list) else 0
                target = Name(x.type, self.slot(name, x.type, part))
                for k, other in enumerate(parts):
                    if k != i:
                        parts[k] = self._spill_if_read({target.name}, other, ast.Name(name))
                self.emit([target], x)
                parts[i] = target
        frame.variables[name] = rebuild(value, parts)

    def _assign_in_place(self, name: str, value: Any) -> None:
        frame = self.frame
        slots = frame.fixed[name]
        parts = flatten(value)
        if slots is None:
            slots = self._fix(name, value)
            frame.fixed[name] = slots
        places = flatten(slots)
        if len(places) != len(parts):
            raise Unwritable(f"{name} in {frame.function.__qualname__} changes its shape")
        if isinstance(value, tuple | list):
            parts = [
                self._spill_if_read({p.name for p in places[:i]}, x, ast.Name(name))
                for i, x in enumerate(parts)
            ]
        for place, x in zip(places, parts, strict=True):
            if isinstance(place, Name):
                x = as_expr(x, place.type)
                if x.type is not place.type:
                    raise Unwritable(f"{name} in {frame.function.__qualname__} changes its type")
                if not (isinstance(x, Name) and x.name == place.name):
                    self.emit([place], x)
        frame.variables[name] = slots

    def _fix(self, name: str, value: Any) -> Any:
        """The variables of the program for a value."""
        nested = isinstance(value, tuple | list)
        kinds = [Vec3 if isinstance(x, Zero3) else kind_of(x) for x in flatten(value)]
        kept = [
            Name(kind, self.slot(name, kind, i + 1 if nested else 0))
            if kind in (*NUMBERS, *VALUES)
            else x
            for i, (kind, x) in enumerate(zip(kinds, flatten(value), strict=True))
        ]
        return rebuild(value, kept)

    def begin_fixed(self, names: Iterable[str]) -> dict[str, Any]:
        """Give the variables that a branch or a loop changes their places; return the earlier ones."""
        frame = self.frame
        before = dict(frame.fixed)
        for name in names:
            if name in frame.fixed or name not in frame.variables:
                continue
            value = frame.variables[name]
            slots = self._fix(name, value)
            for place, x in zip(flatten(slots), flatten(value), strict=True):
                if isinstance(place, Name) and not (isinstance(x, Name) and x.name == place.name):
                    self.emit([place], as_expr(x, place.type))
                elif isinstance(place, Name):
                    self.protect(place.name)
            frame.variables[name] = frame.fixed[name] = slots
        return before
