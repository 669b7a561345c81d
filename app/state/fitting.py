"""Methods that fit a problem, and the nearest of them in place of those that do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import engine
from engine.algorithms import Method, name_methods
from engine.problems import AnyProblem
from engine.simulation import SYSTEMS
from engine.text.formatting import finish_sentence


def find_misfits(methods: Iterable[str], problem: AnyProblem) -> dict[str, str]:
    """The methods that cannot run on a problem with any Δt, with the reasons."""
    reasons = {label: _why_not(_find(label, problem), problem) for label in methods}
    return {label: reason for label, reason in reasons.items() if reason}


def replace_misfits(methods: Sequence[str], problem: AnyProblem) -> tuple[str, ...]:
    """The methods, with the nearest one that fits in place of each that does not.

    The nearest pair is made first, and no method is taken twice. A method for which none is left
    stays.
    """
    misfits = {label: _find(label, problem) for label in find_misfits(methods, problem)}
    if not misfits:
        return tuple(methods)
    chosen = {_find(label, problem).label for label in methods}
    fitting = {
        method.label: method
        for method in _list_candidates(problem.space, misfits.values())
        if method.label not in chosen and not _why_not(method, problem)
    }
    distances = {
        (label, other): measure_distance(misfit, method)
        for label, misfit in misfits.items()
        for other, method in fitting.items()
    }
    nearest: dict[str, str] = {}
    for label, other in sorted(distances, key=distances.__getitem__):
        if label not in nearest and other not in nearest.values():
            nearest[label] = other
    return tuple(nearest.get(label, label) for label in methods)


def describe_replacements(before: Sequence[str], after: Sequence[str], problem: AnyProblem) -> str:
    """A sentence on the methods that replace others because these do not fit a problem; empty if
    none does.
    """
    if len(before) != len(after):
        return ""
    misfits = find_misfits(before, problem)
    names = name_methods([*before, *after], space=problem.space)
    pairs = [
        f"{names[other]}{',' * (',' in names[other])} replaces {names[method]}"
        for method, other in zip(before, after, strict=True)
        if method in misfits and method != other
    ]
    return finish_sentence(f"{_explain(problem)}: {'; '.join(pairs)}") if pairs else ""


def _explain(problem: AnyProblem) -> str:
    """Why some methods do not fit a problem, in a few words."""
    if problem.interval is not None:
        return "Not every method fits these samples"
    return "This torque depends on Ω" if problem.of_velocity else "A torque acts"


def measure_distance(method: Method, other: Method) -> float:
    """How far the declared properties of another method are from those of a method.

    Family, explicit or implicit, symplectic, reversible and self-starting count one each, and the
    conserved quantities up to one. An order that is lost counts two, and one that is gained counts
    one.
    """
    mine, its = method.promises, other.promises
    kept, keeps = set(mine.conserves.items()), set(its.conserves.items())
    return (
        (method.family != other.family)
        + (mine.implicit != its.implicit)
        + (mine.symplectic and not its.symplectic)
        + (bool(mine.reversible) and not its.reversible)
        + (method.self_starting and not other.self_starting)
        + len(kept ^ keeps) / max(len(kept | keeps), 1)
        + _compare_orders(mine.order, its.order)
    )


STEPS_DIFFER = 10.0
"""The distance of a method that takes steps of one size from one that does not."""


def _compare_orders(order: tuple[int, ...] | None, other: tuple[int, ...] | None) -> float:
    if order is None or other is None:
        return STEPS_DIFFER * (order != other)
    gained = min(other) - min(order)
    return max(gained, -2 * gained)


def _find(label: str, problem: AnyProblem) -> Method:
    return engine.algorithm(label, space=problem.space)


def _why_not(method: Method, problem: AnyProblem) -> str | None:
    """Why a method fits at no Δt."""
    system = SYSTEMS[problem.space]
    fitting = system.find_fitting_dt(problem, [method], problem.dt)
    return system.why_not(problem, method, fitting)


def _list_candidates(space: str, misfits: Iterable[Method]) -> Iterator[Method]:
    """The misfits without composition and energy correction; then every method as it comes, and
    with each choice of an option that changes its order.
    """
    for misfit in misfits:
        yield engine.algorithm(misfit.key, space=space, **dict(misfit.chosen))
    for method in engine.algorithms(space):
        yield method
        for option in method.options:
            for choice in option.choices:
                chosen = method.with_options(**{option.name: choice})
                if chosen.order != method.order:
                    yield chosen
