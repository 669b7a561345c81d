"""Which methods a study is carried out with: those that are named, or all that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..algorithms.method import Method, all_methods, find_method
from ..onebody import why_not
from ..problems.problem import Problem

Rule = Callable[[Method], str]
"""Why a study has no use for a method, in a sentence; empty if it has."""


def not_adaptive(m: Method) -> str:
    """Methods whose steps can be given."""
    return f"{m.key} chooses its own steps; compare it by work and precision instead" if m.adaptive else ""


def with_steps(m: Method) -> str:
    """Methods that go by steps."""
    return not_adaptive(m) or ("" if m.step else f"{m.key} takes no steps of a given size, and this goes by these")


def fitting(
    problem: Problem, methods: str | Method | Sequence[str | Method] | None, rule: Rule = lambda m: ""
) -> tuple[list[Method], dict[str, str]]:
    """The methods that are meant, at least one; if none is named all but the exact motion, and why some do not fit.

    Raises
    ------
    ValueError
        For one that is named and is not known, does not fit the problem, or is of no use to the study.
    """
    named = all_methods() if methods is None else [methods] if isinstance(methods, str | Method) else methods
    found = [find_method(m, space="so3") for m in named]
    left_out = {m.label: reason for m in found if (reason := rule(m) or why_not(problem, m, problem.dt))}
    if methods is None:
        left_out.setdefault("EXACT", "EXACT is the motion that others are measured against")
    if methods is not None and left_out:
        raise ValueError(next(iter(left_out.values())))
    chosen = [m for m in found if m.label not in left_out]
    if not chosen:
        raise ValueError("give at least one method")
    return chosen, left_out
