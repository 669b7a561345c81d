"""What is declared of a method, as labels and values, and the source of a function; who shows it lays it out."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

from .algorithms.method import MOTIONS, QUANTITIES, Method
from .problems.problem import Posed
from .spaces import SPACES


def facts(method: Method) -> list[tuple[str, str]]:
    """What it is and does, in the order in which it is told; what it keeps and its options stand apart."""
    space = SPACES[method.space]
    order = method.order_in_words if method.order is None else space.order.format(*method.order)
    if method.free_order:
        order += "; on a free body {} and {}".format(*method.free_order)
    evaluations = "not told" if method.torque_evaluations is None else str(method.torque_evaluations)
    if method.torque_evaluations is None and (method.implicit or method.adaptive):
        evaluations = "as many as the solver needs"
    higher = ("", "", " and its second rate", " and its higher rates: free bodies only")[method.needs_rates]
    told = [
        ("Family", method.family),
        ("Moves", space.moves),
        ("Order", order),
        (f"{space.evaluates.capitalize()}s a step", evaluations),
        ("Each step", "solves an equation (implicit)" if method.implicit else "is explicit"),
        ("Starts by itself", yes(method.self_starting)),
        ("Reversible", yes(method.reversible)),
        ("Symplectic", yes(method.symplectic)),
        ("Energy correction", _correction(method)),
        ("Needs", f"the torque's rate of change{higher}" if method.needs_rates else ""),
        ("Torques", "of time, attitude and angular velocity" if method.torque_of_velocity else ""),
        ("Carries", method.has_history or ""),
    ]
    return [(label, value) for label, value in told if value]


WHERE_USED = {"Physics engines": "game engine", "Molecular dynamics and DEM": "molecules, grains"}
"""Where the rules of a family are met with."""


def sought(method: Method) -> str:
    """Ordinary words by which it is looked for, from what it declares."""
    kept = {"energy": "keeps energy", "pi": "keeps momentum"}
    words = [words for name, words in kept.items() if name in method.conserves]
    words += ["symplectic, energy without drift"] if method.symplectic else []
    words += ["reversible"] if method.reversible else []
    words += [WHERE_USED[method.family]] if method.family in WHERE_USED else []
    return ", ".join([*words, "implicit" if method.implicit else "explicit"])


def in_a_list(method: Method) -> tuple[str, ...]:
    """Its order, torques, kind of step and structure, each in a word; (yes) is under a condition."""
    return (
        method.order_in_words,
        "varies" if method.torque_evaluations is None else str(method.torque_evaluations),
        "implicit" if method.implicit else "explicit",
        "(yes)" if isinstance(method.reversible, str) else "yes" if method.reversible else "–",
        "yes" if method.symplectic else "–",
    )


def heading(method: Method) -> str:
    """The part of a list that it stands in."""
    return f"{SPACES[method.space].group}{method.family}"


def kept(method: Method) -> list[tuple[str, str, str]]:
    """What it keeps to roundoff: the name of each quantity, what that is, and when it is kept."""
    return [(name, QUANTITIES[name], MOTIONS[motion]) for name, motion in method.conserves.items()]


def kept_by_motion(problem: Posed) -> list[tuple[str, str]]:
    """What a problem's motion keeps: the name of each quantity, and what that is."""
    words = QUANTITIES | {one.key: one.words for one in problem.integrals}
    return [(name, words[name]) for name in problem.invariants]


def yes(value: object) -> str:
    """What a property says: yes, no, or yes under a condition."""
    return f"yes, {MOTIONS.get(value, value)}" if isinstance(value, str) else "yes" if value else "no"


def why_no_correction(method: Method) -> str | None:
    """Why the energy correction does not fit a method, or None."""
    try:
        method.with_energy_correction()
    except ValueError as refused:
        return str(refused)
    return None


def _correction(method: Method) -> str:
    if method.energy_correction:
        return "after each step"
    refused = why_no_correction(method)
    return (refused or f"fits free bodies: {method.key}+E").removeprefix("the energy correction ")


class Source(NamedTuple):
    """The text of a function below its declaration, the module that it stands in, and its first line there."""

    text: str
    module: str
    line: int

    @property
    def where(self) -> str:
        """The file, and the line."""
        return f"{self.module.replace('.', '/')}.py, line {self.line}"


def sources(method: Method) -> list[Source]:
    """Of its step, its rates, and what solves it in place of steps, as far as there are any."""
    found = [source(function) for function in (method.step, method.rates, method.solve) if function is not None]
    return [one for one in found if one is not None]


def source(function: Callable[..., Any]) -> Source | None:
    """Of a function, if it is there: what was typed into a shell is not."""
    function = getattr(function, "func", function)  # of a partial
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return None
    start = next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    return Source(textwrap.dedent("".join(lines[start:])), function.__module__, first + start)
