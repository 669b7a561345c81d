"""Numbers that a map can vary, and their usual ranges, by the parameters of problem and methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algorithms.core.method import Method
from ...parameters.parameter import Attitude, Inertia, Number, Parameter, Vector, Whole
from ...problems.problem import AnyProblem
from .axes import OF_A_RUN, SEED, STEPS, Range, parameters_of, title_of

POINTS = 60
"""Points along an axis, by default."""
OF_THE_OWN = {"dt": (0.5, 32.0), "duration": (0.1, 10.0), "steps": (0.1, 10.0)}
"""Usual ranges, logarithmic, as parts of the problem's own value."""
LEAST, MOST = 0.02, 2.0
"""The usual range of other numbers, as parts of their value where they are not varied."""
INNER = 0.05
"""The distance of moments of inertia from the bounds of possible bodies, as a part of the range
between these.
"""
TURN = 3.0
"""The usual range of components of a rotation vector to either side, in rad."""


@dataclass(frozen=True)
class Variable:
    """A number that can be varied.

    Attributes
    ----------
    name : as people write it: `dt`, `Omega0.z`.
    title, about : its label, and what it is, in words.
    kind : the allowed numbers.
    usual : the range that a map proposes.
    """

    name: str
    title: str
    about: str
    kind: Number | Whole
    usual: Range


def find_variables(problem: AnyProblem, methods: Sequence[Method]) -> dict[str, Variable]:
    """Return what can be varied, by name: parameters of a run first, then of the problem and of the
    methods.
    """
    every = parameters_of(problem, methods)
    own = _own_values(problem, methods)
    order = dict.fromkeys((*OF_A_RUN, *every))
    found = (
        one for name in order if every[name].matters(own) for one in _of(every[name], own[name])
    )
    return {one.name: one for one in found}


def _own_values(problem: AnyProblem, methods: Sequence[Method]) -> dict[str, Any]:
    """Return the values of all parameters where they are not varied."""
    of_methods: dict[str, Any] = {}
    for method in methods:
        of_methods = {
            one.name: method.chosen.get(one.name, one.default) for one in method.all_options
        } | of_methods
    of_run = {STEPS.name: round(problem.duration / problem.dt), SEED.name: 0}
    return of_methods | of_run | {name: problem.value(name) for name in problem.declarations}


def _of(parameter: Parameter, own: Any) -> Iterator[Variable]:
    """Yield a parameter that is a number, or the three components of one."""
    name = parameter.name
    kind = parameter.kind
    if isinstance(kind, Vector | Inertia | Attitude):
        high = kind.high if isinstance(kind, Vector) else Number.high
        numbers = Number(0.0 if isinstance(kind, Inertia) else -high, high)
        for i, (letter, usual) in enumerate(
            zip("xyz", _usual_of_components(kind, own), strict=True)
        ):
            yield Variable(
                f"{name}.{letter}", title_of(parameter, i), parameter.about, numbers, usual
            )
    elif isinstance(kind, Number | Whole):
        yield Variable(name, parameter.title, parameter.about, kind, _usual(name, kind, own))


def _usual(name: str, kind: Number | Whole, own: float) -> Range:
    """Return the usual range of a number, within its bounds."""
    low, high = (own * part for part in OF_THE_OWN.get(name, (LEAST, MOST))) if own else (0.0, 1.0)
    if isinstance(kind, Whole):
        low, high = max(1, round(low)), max(POINTS, round(high))
    low, high = (float(np.clip(end, kind.low, kind.high)) for end in (low, high))
    log = low > 0.0 and (name in OF_THE_OWN or kind.low > 0)
    return Range(
        low, high, min(POINTS, round(high - low) + 1) if isinstance(kind, Whole) else POINTS, log
    )


def _usual_of_components(kind: Vector | Inertia | Attitude, own: Any) -> Iterator[Range]:
    """Yield the usual ranges of components; of moments of inertia those that a body can have."""
    if isinstance(kind, Attitude):
        yield from [Range(-TURN, TURN, POINTS)] * 3
    elif isinstance(kind, Inertia):
        for i in range(3):
            one, other = np.delete(np.diag(own), i).tolist()
            low, high = abs(one - other), one + other
            inner = INNER * (high - low)
            yield Range(low + inner, high - inner, POINTS)
    else:
        largest = float(np.abs(own).max()) or 1.0
        for x in np.asarray(own).tolist():
            yield Range(LEAST * x, MOST * x, POINTS) if x else Range(-largest, largest, POINTS)
