"""The answer to "which rule is this?", as values and in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..algorithms.core import find_method
from ..parameters.validation import Array
from ..text.formatting import format_count, format_measured, join_words, show

STOPPED = "The search for its rule was stopped."
UNEVEN = "The times are uneven; rules are compared with equal steps only."
TOO_FEW = "There are too few rows of a turning body to compare rules with."
NONE = "No rule of the catalogue reproduces these rows to their rounding."
LISTED, SHOWN = 8, 3
"""How many possible and how many near rules a sentence lists."""


@dataclass(frozen=True)
class Near:
    """A rule near a trajectory: its name, and the root mean square of the angle in rad by which it
    misses the next row; the error of a velocity counts by the turn that it makes in a row.
    """

    name: str
    distance: float


@dataclass(frozen=True, eq=False)
class Matches:
    """The rules that reproduce a trajectory.

    Attributes
    ----------
    rules : names of one rule, as `engine.algorithm` takes them; empty if no rule reproduces it, or if
        several do that differ.
    possible : the rules that differ and that the file does not distinguish; empty if there is one, or none.
    nearest : other rules, the nearest first.
    precision : "double" or "single", the numbers with which it was computed; empty if the file does
        not show it.
    substeps : steps between two rows; 0 without a rule.
    numbers : the fitted damping and caps, each with its error.
    step : the time in s between two rows by which the rule reproduces it; nan without a rule.
    moments : (3,) the moments by which the rule reproduces it, in the scale of the given ones; None
        without a rule.
    moment_errors : (3,) the standard errors of moments that were fitted, of which the third is the
        unit; 0 of given ones.
    distance : that of the rule, as `Near` has it; nan without one.
    digits : how many digits of its own error a rule reproduces that leaves more than rounding; 0 if it
        leaves no more.
    sentences : the same in words.
    """

    rules: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    nearest: tuple[Near, ...] = ()
    precision: str = ""
    substeps: int = 0
    numbers: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    step: float = float("nan")
    moments: Array | None = None
    moment_errors: Array = field(default_factory=lambda: np.zeros(3))
    distance: float = float("nan")
    digits: int = 0
    sentences: tuple[str, ...] = ()


def describe_none(nearest: Sequence[Near]) -> tuple[str, ...]:
    """That no rule reproduces the file, and the nearest."""
    return (NONE, *describe_nearest(nearest))


def describe_stop(tried: int, count: int, nearest: Sequence[Near]) -> tuple[str, ...]:
    """That the search was stopped, after how many rules, and the nearest of them."""
    so_far = f"{tried} of {format_count(count, 'rule')} were compared with the rows."
    return (STOPPED, so_far, *describe_nearest(nearest))


def describe_nearest(nearest: Sequence[Near]) -> Iterator[str]:
    """Yield which other rules are nearest."""
    names = [
        write_in_words(near.name, f", {show(near.distance, 2)} rad per row")
        for near in nearest[:SHOWN]
    ]
    if names:
        are = "other is" if len(names) == 1 else "others are"
        yield f"The nearest {are} {join_words(names)}."


def shorten_numbers(name: str) -> str:
    """A name whose fitted numbers have the digits that people need: jolt(damping=0.00764)."""
    return re.sub(r"(?<==)\d*\.\d+(e-?\d+)?", lambda found: f"{float(found[0]):.4g}", name)


def write_in_words(name: str, more: str = "") -> str:
    """A rule by its name in words, with the one that `engine.algorithm` takes: Implicit Euler (NEWTON-1)."""
    return f"{find_method(name).short} ({shorten_numbers(name)}{more})"


def describe_possible(names: Sequence[str]) -> tuple[str, ...]:
    """That several rules remain."""
    some = [write_in_words(name) for name in names[:LISTED]]
    left = len(names) - len(some)
    others = f" and {format_count(left, 'other')}" if left else ""
    listed = ", ".join(some) + others if others else join_words(some)
    return (f"These rows do not show which of several rules made them. Possible are {listed}.",)


def describe_rule(found: Matches, dt: float) -> Iterator[str]:
    """Yield which rule reproduces a file with rows each dt, with its substeps, precision and numbers."""
    names = list(found.rules)
    same = f", which are the same here: {join_words(names)}" if len(names) > 1 else f": {names[0]}"
    with_names = ", with several names" if len(names) > 1 else ""
    rule = find_method(names[-1]).short
    yield f"The rows are reproduced by one rule, {rule}{with_names}{same}."
    if found.digits:
        yield (
            f"It leaves {format_measured(found.distance)} rad per row, more than rounding, as a tolerance or a small "
            f"constant of an engine does; its own error is reproduced to {found.digits} digits."
        )
    steps = "is one step" if found.substeps == 1 else f"are {found.substeps} steps"
    words = {"double": ", in 64 bits", "single": ", in 32 bits", "": ""}
    yield f"There {steps} between two rows{words[found.precision]}."
    if found.step != dt:
        change = found.step / dt - 1.0
        longer = "longer" if change > 0 else "shorter"
        yield (
            f"Its time between two rows is {found.step:.12g} s, which is {format_measured(abs(change))} of it "
            f"{longer} than the file's."
        )
    for name, (value, error) in found.numbers.items():
        yield f"Its {name} is {show(value)} ± {show(error, 1)}."
    yield from describe_nearest(found.nearest)
