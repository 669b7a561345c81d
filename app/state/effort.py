"""How long a choice takes: which choices a page computes before it answers."""

from __future__ import annotations

from dataclasses import replace

from engine.exact import estimate_effort, has_exact

from .choice import Choice
from .results import Results, compute, list_kernels

AT_ONCE = 150_000
"""Most steps, of all methods together, that are computed before the page answers."""
REFERENCE_EFFORT = 15
"""The approximate cost of a step of a reference run, in steps of a method."""


def is_short(choice: Choice, before: Results | None) -> bool:
    """Whether a choice takes less time than a person notices: few steps, and nothing to compile."""
    if (
        choice.adaptive
        or choice.effort > AT_ONCE
        or (not _is_compiled(choice, before) and any(list_kernels(choice)))
    ):
        return False
    return exact_is_short(choice)


def _is_compiled(choice: Choice, before: Results | None) -> bool:
    """Whether earlier results have used the same kernels: Δt and duration do not change them."""
    if before is None or before.cancelled or (has_exact(before.problem) and before.exact is None):
        return False
    return replace(before.choice, dt=choice.dt, duration=choice.duration) == choice


def exact_is_short(choice: Choice) -> bool:
    """Whether the exact motion takes less time than a person notices, once it is compiled."""
    return (
        REFERENCE_EFFORT * estimate_effort(choice.build_problem(), choice.duration, choice.dt)
        <= AT_ONCE
    )


def compute_at_once(choice: Choice) -> Results:
    """The results of a choice, without an exact motion that takes long; `ValueError`, if the runs
    take long.
    """
    of_runs, of_exact = list_kernels(choice)
    if of_runs or choice.effort > AT_ONCE:
        raise ValueError("the runs take long")
    return compute(choice, exact=not of_exact and exact_is_short(choice))
