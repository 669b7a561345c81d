"""Statements: each returns whether the current path continues after it."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from .arrays import Array
from .expressions import (
    Inner,
    apply_operator,
    assign,
    change_array,
    check_array,
    check_changeable,
    evaluate,
    evaluate_truth,
    iterate,
)
from .items import get_item
from .paths import Edge, Frame
from .refusal import NotCompiled, calls_itself, not_in_the_subset
from .structure import leaves, structure_of
from .symbols import Content, Symbol

LONG = 4
"""A loop over at least so many constants uses a table; a shorter one is unrolled."""
COUNTER = "the counter of line {}, column {}"


class Range:
    """A range with limits that are symbols."""

    def __init__(self, *limits: Any) -> None:
        self.start, self.stop, self.step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1)[:3]

    def __iter__(self) -> Any:
        raise NotCompiled(
            "how many numbers there are is known only when the program runs; a for over the range can"
        )


def follow(statements: list[ast.stmt], frame: Frame) -> bool:
    """Walk statements; return False if no path continues after them."""
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
            said = NotCompiled(
                " ".join(str(error).split()) or type(error).__name__
            )  # Python's own words
            said.within(frame.path, statement)
            raise said from error
    return True


def walk(node: ast.AST, frame: Frame) -> bool:
    """Walk a statement."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign(value=None):
            pass  # a docstring, say
        case ast.Expr():
            evaluate(node.value, frame)
        case ast.Assign():
            value = evaluate(node.value, frame)
            for target in node.targets:
                assign(target, value, frame)
        case ast.AnnAssign():
            assign(node.target, evaluate(node.value, frame), frame)  # type: ignore[arg-type]
        case ast.AugAssign():
            _augment(node, frame)
        case ast.Assert():
            held = evaluate_truth(node.test, frame)
            if isinstance(held, Symbol):
                raise NotCompiled(
                    "an assertion on what is known only when the program runs cannot be compiled"
                )
            assert held, "an assertion does not hold"
        case ast.FunctionDef():
            if node.decorator_list:
                raise NotCompiled("a decorated function within a function cannot be compiled")
            frame.variables[node.name] = Inner(node, frame)
        case ast.If():
            held = evaluate_truth(node.test, frame)
            if not isinstance(held, Symbol):
                return follow(node.body if held else node.orelse, frame)
            return frame.branch(
                held, lambda: follow(node.body, frame), lambda: follow(node.orelse, frame)
            )
        case ast.While():
            return frame.loop(
                (*assigned_names(node), *changed_arrays(node, frame)),
                lambda: evaluate_truth(node.test, frame),
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
            result = None if node.value is None else evaluate(node.value, frame)
            frame.returns.append((frame.writer.block, {"": result}))
            return False
        case _:
            raise not_in_the_subset(node)
    return True


def _augment(node: ast.AugAssign, frame: Frame) -> None:
    """Walk an augmented assignment, such as `+=`, to a name or to a number in memory."""
    target = node.target
    if isinstance(target, ast.Subscript):
        group = evaluate(target.value, frame)
        at = evaluate(target.slice, frame)
        changed = apply_operator(type(node.op), get_item(group, at), evaluate(node.value, frame))
        if isinstance(group, Array):
            change_array(target, group, at, changed, frame)
        else:
            check_changeable(group)[at] = changed
    elif isinstance(target, ast.Name):
        before = frame[target.id]
        if isinstance(before, list):
            raise NotCompiled(
                "a list cannot grow in compiled code; a tuple can be made longer: items + (x,)"
            )
        if isinstance(before, Array):
            check_array(target.id, frame)
        frame.variables[target.id] = apply_operator(
            type(node.op), before, evaluate(node.value, frame)
        )
    else:
        raise NotCompiled("an attribute cannot be changed; make another value")


def _for(node: ast.For, frame: Frame) -> bool:
    """Walk a loop: over a range or a table it counts at run time, over anything else it is
    unrolled.
    """
    through = evaluate(node.iter, frame)
    if isinstance(through, range | Range):
        return _count_loop(node, through, None, frame)
    if isinstance(through, tuple) and len(through) >= LONG and _alike_constants(through):
        return _count_loop(node, range(len(through)), through, frame)
    left: list[Edge] = []
    for one in iterate(through):

        def body(one: Any = one) -> bool:
            assign(node.target, one, frame)
            return follow(node.body, frame)

        broken, again = frame.round(body)
        left += broken
        if not frame.meet(again):
            return frame.meet(left)
    return frame.meet(([frame.here()] if follow(node.orelse, frame) else []) + left)


def _alike_constants(group: tuple[Any, ...]) -> bool:
    numbers = all(isinstance(leaf, float) for leaf in leaves(group)) and any(
        True for _ in leaves(group)
    )
    return numbers and len({structure_of(one) for one in group}) == 1


def _count_loop(node: ast.For, limits: Any, group: tuple[Any, ...] | None, frame: Frame) -> bool:
    """Walk a counting loop, which takes its items from a table if it has one."""
    if not isinstance(limits.step, int) or limits.step == 0:
        raise NotCompiled("the step of a range must be known while compiling, and not 0")
    counter = COUNTER.format(node.lineno, node.col_offset)
    frame.variables[counter] = limits.start

    def more() -> Content:
        return frame[counter] < limits.stop if limits.step > 0 else frame[counter] > limits.stop

    def body() -> bool:
        count = frame[counter]
        assign(node.target, count if group is None else get_item(group, count, within=True), frame)
        frame.variables[counter] = count + limits.step
        return follow(node.body, frame)

    return frame.loop(
        (*assigned_names(node), *changed_arrays(node, frame), counter),
        more,
        body,
        lambda: follow(node.orelse, frame),
    )


@cache
def assigned_names(loop: ast.For | ast.While) -> tuple[str, ...]:
    """Return the names that a loop assigns, with the counters of loops within it."""
    found: dict[str, None] = {}
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif isinstance(node, ast.For) and node is not loop:
            found[COUNTER.format(node.lineno, node.col_offset)] = None
    return tuple(found)


def changed_arrays(loop: ast.For | ast.While, frame: Frame) -> tuple[str, ...]:
    """Return the names of the arrays of which a loop changes numbers."""
    found = {
        node.value.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
    }
    own = found.difference(assigned_names(loop))
    return tuple(sorted(name for name in own if isinstance(frame.variables.get(name), Array)))
