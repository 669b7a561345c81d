"""The methods of a study: those named, or all that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...algorithms.core import FixedStep, Method, all_methods, find_method
from ...problems.problem import Problem
from ...simulation.one_body import why_not

Rule = Callable[[Method], str]
"""Why a study cannot use a method, in a sentence; empty if it can."""


def not_adaptive(m: Method) -> str:
    """Admit methods whose steps can be given."""
    return (
        f"{m.key} chooses its own steps; compare it by work and precision instead"
        if m.adaptive
        else ""
    )


def with_steps(m: Method) -> str:
    """Admit methods that take steps."""
    return not_adaptive(m) or (
        ""
        if isinstance(m, FixedStep)
        else f"{m.key} takes no steps of a given size, which this study needs"
    )


def fitting(
    problem: Problem,
    methods: str | Method | Sequence[str | Method] | None,
    rule: Rule = lambda m: "",
) -> tuple[list[Method], dict[str, str]]:
    """Return the named methods, by default all that fit but the exact motion; and why others do not
    fit.

    Raises
    ------
    ValueError
        For a named method that is unknown, does not fit the problem, or cannot be used by the
        study; and for none.
    """
    named = (
        all_methods()
        if methods is None
        else [methods]
        if isinstance(methods, str | Method)
        else methods
    )
    found = [find_method(m, space="so3") for m in named]
    left_out = {
        m.label: reason for m in found if (reason := rule(m) or why_not(problem, m, problem.dt))
    }
    if methods is None:
        left_out.setdefault("EXACT", "EXACT is the motion that others are measured against")
    if methods is not None and left_out:
        raise ValueError(next(iter(left_out.values())))
    chosen = [m for m in found if m.label not in left_out]
    if not chosen:
        raise ValueError("give at least one method")
    return chosen, left_out
