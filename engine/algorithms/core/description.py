"""The declaration of a method as labels and values, and the source of a function, for shell, page
and docs.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

from ...problems.problem import AnyProblem
from ...text.spaces import SPACES
from .method import Method
from .promises import EVERY_MOTION, MOTIONS, ON_THE_GROUP, QUANTITIES


def describe_method(method: Method) -> list[tuple[str, str]]:
    """Labels and values of the declaration, without conserved quantities and options."""
    space = SPACES[method.space]
    order = method.order_in_words if method.order is None else space.order.format(*method.order)
    promises = method.promises
    if promises.free_order:
        order += "; on a free body {} and {}".format(*promises.free_order)
    evaluations = (
        "not declared" if method.torque_evaluations is None else str(method.torque_evaluations)
    )
    if method.torque_evaluations is None and (method.implicit or method.adaptive):
        evaluations = "as many as the solver needs"
    higher = ("", "", " and its second rate", " and its higher rates: free bodies only")[
        promises.needs_rates
    ]
    needs = f"the torque's rate of change{higher}" if promises.needs_rates else ""
    if promises.needs_series:
        needs = "the torque's Taylor series"
    rows = [
        ("Family", method.family),
        ("Moves", space.moves),
        ("Order", order),
        (f"{space.evaluates.capitalize()}s a step", evaluations),
        ("Each step", "solves an equation (implicit)" if method.implicit else "is explicit"),
        ("Starts by itself", format_property(method.self_starting)),
        ("Reversible", format_property(method.reversible)),
        ("Symplectic", format_property(method.symplectic) if method.state.has_forces else ""),
        ("Energy correction", _describe_correction(method) if method.state.has_forces else ""),
        ("Reads", method.state.reads),
        ("Needs", needs),
        (
            "Torques",
            "of time, attitude and angular velocity" if promises.torque_of_velocity else "",
        ),
        ("Carries", promises.has_history or ""),
    ]
    return [(label, value) for label, value in rows if value]


WHERE_USED = {"Physics engines": "game engine", "Molecular dynamics and DEM": "molecules, grains"}
"""Where the rules of a family are used."""


def list_search_words(method: Method) -> str:
    """Ordinary words that find the method, from its declaration."""
    conserved = {"energy": "keeps energy", "pi": "keeps momentum"}
    words = [words for name, words in conserved.items() if name in method.conserves]
    words += ["symplectic, energy without drift"] if method.symplectic else []
    words += ["reversible"] if method.reversible else []
    words += [WHERE_USED[method.family]] if method.family in WHERE_USED else []
    return ", ".join([*words, "implicit" if method.implicit else "explicit"])


def list_cells(method: Method) -> tuple[str, ...]:
    """Order, torques, kind of step and structure, a word for each; (yes) holds under a
    condition.
    """
    return (
        method.order_in_words,
        "varies" if method.torque_evaluations is None else str(method.torque_evaluations),
        "implicit" if method.implicit else "explicit",
        "(yes)" if isinstance(method.reversible, str) else "yes" if method.reversible else "–",
        "yes" if method.symplectic else "–",
    )


def find_heading(method: Method) -> str:
    """The heading of its group in a list."""
    return f"{SPACES[method.space].group}{method.family}"


def describe_conserved(method: Method) -> list[tuple[str, str, str]]:
    """The quantities that it conserves to roundoff: the name of each, its description, and when."""
    return [
        (
            name,
            QUANTITIES[name],
            EVERY_MOTION if ON_THE_GROUP.get(name) == motion else MOTIONS[motion],
        )
        for name, motion in method.conserves.items()
    ]


def describe_invariants(problem: AnyProblem) -> list[tuple[str, str]]:
    """The quantities that a problem's motion conserves: the name of each, and its description."""
    words = QUANTITIES | {one.key: one.words for one in problem.integrals}
    return [(name, words[name]) for name in problem.invariants]


def format_property(value: object) -> str:
    """A property in words: yes, no, or yes under a condition."""
    return (
        f"yes, {MOTIONS.get(value, value)}" if isinstance(value, str) else "yes" if value else "no"
    )


def explain_no_correction(method: Method) -> str | None:
    """The reason why a method takes no energy correction, or None."""
    try:
        method.with_energy_correction()
    except ValueError as refused:
        return str(refused)
    return None


def _describe_correction(method: Method) -> str:
    if method.energy_correction:
        return "after each step"
    refused = explain_no_correction(method)
    return (refused or f"fits free bodies: {method.key}+E").removeprefix("the energy correction ")


class Source(NamedTuple):
    """The text of a function below its decorator, its module, and its first line there."""

    text: str
    module: str
    line: int

    @property
    def where(self) -> str:
        """The file, and the line."""
        return f"{self.module.replace('.', '/')}.py, line {self.line}"


def find_sources(method: Method) -> list[Source]:
    """The sources of the functions that move the body."""
    found = [find_source(function) for function in method.functions]
    return [one for one in found if one is not None]


def find_source(function: Callable[..., Any]) -> Source | None:
    """The source of a function; None for one that was typed into a shell."""
    function = getattr(function, "func", function)  # of a partial
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return None
    start = next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    return Source(textwrap.dedent("".join(lines[start:])), function.__module__, first + start)
