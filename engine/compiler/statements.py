"""What a statement does; each tells whether what follows it is reached on the path that is being walked."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from .expressions import Inner, assign, changeable, item, items, operated, truth_of, value_of
from .paths import Edge, Frame
from .refusal import NotCompiled, calls_itself, not_in_the_subset
from .symbols import Symbol
from .values import leaves, make

LONG = 4
"""A loop over so many constants or more goes through a table; one over fewer is written out."""
COUNTER = "the counter of line {}, column {}"


class Range:
    """A range whose limits are known only when the program runs."""

    def __init__(self, *limits: Any) -> None:
        self.start, self.stop, self.step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1)[:3]

    def __iter__(self) -> Any:
        raise NotCompiled("how many numbers there are is known only when the program runs; a for over the range can")


def follow(statements: list[ast.stmt], frame: Frame) -> bool:
    """Walk statements; False if no path leads to what follows them."""
    for statement in statements:
        try:
            if not walk(statement, frame):
                return False
        except NotCompiled as refused:
            refused.within(frame.path, statement)
            raise
        except RecursionError as error:
            raise calls_itself() from error
        except Exception as error:
            said = NotCompiled(" ".join(str(error).split()) or type(error).__name__)  # Python's own words
            said.within(frame.path, statement)
            raise said from error
    return True


def walk(node: ast.AST, frame: Frame) -> bool:
    """Walk a statement."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign(value=None):
            pass  # a docstring, say
        case ast.Expr():
            value_of(node.value, frame)
        case ast.Assign():
            value = value_of(node.value, frame)
            for target in node.targets:
                assign(target, value, frame)
        case ast.AnnAssign():
            assign(node.target, value_of(node.value, frame), frame)  # type: ignore[arg-type]
        case ast.AugAssign():
            _augment(node, frame)
        case ast.Assert():
            held = truth_of(node.test, frame)
            if isinstance(held, Symbol):
                raise NotCompiled("an assertion on what is known only when the program runs cannot be compiled")
            assert held, "an assertion does not hold"
        case ast.FunctionDef():
            if node.decorator_list:
                raise NotCompiled("a decorated function within a function cannot be compiled")
            frame.variables[node.name] = Inner(node, frame)
        case ast.If():
            held = truth_of(node.test, frame)
            if not isinstance(held, Symbol):
                return follow(node.body if held else node.orelse, frame)
            return frame.branch(held, lambda: follow(node.body, frame), lambda: follow(node.orelse, frame))
        case ast.While():
            return frame.loop(
                assigned_in(node),
                lambda: truth_of(node.test, frame),
                lambda: follow(node.body, frame),
                lambda: follow(node.orelse, frame),
            )
        case ast.For():
            return _for(node, frame)
        case ast.Break():
            frame.loops[-1][0].append(frame.here())
            return False
        case ast.Continue():
            frame.loops[-1][1].append(frame.here())
            return False
        case ast.Return():
            result = None if node.value is None else value_of(node.value, frame)
            frame.returns.append((frame.writer.block, {"": result}))
            return False
        case _:
            raise not_in_the_subset(node)
    return True


def _augment(node: ast.AugAssign, frame: Frame) -> None:
    """A change of a name or of a number in memory, as by `+=`."""
    target = node.target
    if isinstance(target, ast.Subscript):
        group, at = changeable(value_of(target.value, frame)), value_of(target.slice, frame)
        group[at] = operated(type(node.op), group[at], value_of(node.value, frame))
    elif isinstance(target, ast.Name):
        before = frame[target.id]
        if isinstance(before, list):
            raise NotCompiled("a list cannot grow in compiled code; a tuple can be made longer: items + (x,)")
        frame.variables[target.id] = operated(type(node.op), before, value_of(node.value, frame))
    else:
        raise NotCompiled("an attribute cannot be changed; make another value")


def _for(node: ast.For, frame: Frame) -> bool:
    """A loop over a range or a table counts when the program runs; over all else it is written out."""
    through = value_of(node.iter, frame)
    if isinstance(through, range | Range):
        return _counted(node, through, None, frame)
    if isinstance(through, tuple) and len(through) >= LONG and _alike_constants(through):
        return _counted(node, range(len(through)), through, frame)
    left: list[Edge] = []
    for one in items(through):

        def body(one: Any = one) -> bool:
            assign(node.target, one, frame)
            return follow(node.body, frame)

        broken, again = frame.round(body)
        left += broken
        if not frame.meet(again):
            return frame.meet(left)
    return frame.meet(([frame.here()] if follow(node.orelse, frame) else []) + left)


def _alike_constants(group: tuple[Any, ...]) -> bool:
    numbers = all(isinstance(leaf, float) for leaf in leaves(group)) and any(True for _ in leaves(group))
    return numbers and len({make(one) for one in group}) == 1


def _counted(node: ast.For, limits: Any, group: tuple[Any, ...] | None, frame: Frame) -> bool:
    """A loop that counts, and takes its items from a table if it has some."""
    if not isinstance(limits.step, int) or limits.step == 0:
        raise NotCompiled("the step of a range must be known while compiling, and not 0")
    counter = COUNTER.format(node.lineno, node.col_offset)
    frame.variables[counter] = limits.start

    def more() -> Any:
        return frame[counter] < limits.stop if limits.step > 0 else frame[counter] > limits.stop

    def body() -> bool:
        count = frame[counter]
        assign(node.target, count if group is None else item(group, count, within=True), frame)
        frame.variables[counter] = count + limits.step
        return follow(node.body, frame)

    return frame.loop((*assigned_in(node), counter), more, body, lambda: follow(node.orelse, frame))


@cache
def assigned_in(loop: ast.For | ast.While) -> tuple[str, ...]:
    """The names that a loop gives values to, with those that a loop in it counts by."""
    found: dict[str, None] = {}
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif isinstance(node, ast.For) and node is not loop:
            found[COUNTER.format(node.lineno, node.col_offset)] = None
    return tuple(found)
