"""Quantities that are plotted against time, and their groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from engine.parameters.validation import Array

from .results import EXACT_LABEL, Line, Results, RunLine, scale_of

Curve = tuple[Array, Array]
"""Times and values."""

PLOTS = 4
"""The number of plots of a group."""


@dataclass(frozen=True)
class Quantity:
    """A quantity that is plotted against time, with a curve for each method.

    Attributes
    ----------
    title : its name; the glossary explains it, unless `means` does.
    symbol, relative : its formula, and that of its relative value.
    curve : returns the times and values of a run, or None.
    measure : how a browser computes its curve: a kind of assets/js/controls/curve-values.js and its
        arguments.
    exact : the same of the exact motion, if that has a curve of its own.
    whole : the divisor of the relative value; None if there is none.
    error : whether it is a deviation, which a logarithmic axis shows best.
    signed : whether its values have signs, so that a logarithmic axis shows their magnitude.
    part : its name in an excerpt (`excerpt.PARTS`).
    against_exact : whether it is an error against the exact motion.
    """

    title: str
    symbol: str
    curve: Callable[[RunLine], Curve | None]
    measure: tuple[Any, ...]
    relative: str = ""
    exact: Curve | None = None
    whole: float | None = None
    error: bool = True
    signed: bool = False
    part: str = ""
    means: str = ""
    against_exact: bool = False

    def formula(self, log: bool, relative: bool) -> str:
        """The label of its axis."""
        text = self.relative if relative and self.whole is not None else self.symbol
        return f"|{text}|" if log and self.error and self.signed else text

    def values(self, line: Line | None, relative: bool) -> Curve | None:
        """The curve of a method, divided by `whole` if it is relative."""
        curve = self.curve(line) if isinstance(line, RunLine) else None
        if curve is None or not relative or self.whole is None:
            return curve
        return curve[0], curve[1] / self.whole


class Group(NamedTuple):
    """Quantities that are shown together.

    quantities : lists them for some results and a vector, Ω or Π.
    switches : the options of their plots.
    """

    quantities: Callable[[Results, str], list[Quantity]]
    switches: tuple[str, ...] = ("axis", "errors")


def departure(
    title: str,
    symbol: str,
    relative: str,
    name: str,
    results: Results,
    means: str = "",
    modified_by: Any = None,
) -> Quantity:
    """The change of a number since the start, or the length of a vector's, by its name in the run.

    With a method it is the change of the modified number that this method conserves.
    """

    def curve(line: RunLine) -> Curve:
        values = line.run.modified(name, modified_by) if modified_by else line.run.quantity(name)
        change = values - values[0]
        return line.run.t, change if change.ndim == 1 else length(change)

    whole = divisor_of(first_size(name, results))
    (measure, part) = ("modified", "") if modified_by else ("departure", name)
    return Quantity(
        title,
        symbol,
        curve,
        (measure, name),
        relative,
        whole=whole,
        signed=True,
        part=part,
        means=means,
    )


def vector_departure(title: str, letter: str, name: str, results: Results) -> Quantity:
    """The length of the change of a vector since the start, by its name in the run."""
    symbol = f"‖{letter} − {letter}₀‖"
    return replace(departure(title, symbol, f"{symbol} / ‖{letter}₀‖", name, results), signed=False)


def first_size(name: str, results: Results) -> float:
    """The magnitude of a number, or the length of a vector, at the start."""
    return next((float(np.linalg.norm(line.run.first(name))) for line in results.runs), 0.0)


def divisor_of(first: float) -> float | None:
    """The divisor of a relative change; None if the first value is nearly zero."""
    return first if first == scale_of(first) else None


def energy_departure(results: Results) -> Quantity:
    """The change of the energy since the start."""
    return departure("Energy error", "ΔE", "ΔE / E₀", "energy", results)


ORTHOGONALITY = Quantity(
    "Orthogonality",
    "‖RᵀR − 1‖",
    lambda line: (line.run.t, line.run.orthogonality),
    ("departure", "orthogonality"),
    part="orthogonality",
)


def length(v: Array) -> Array:
    """The lengths of vectors (n, 3); infinite where a run that blew up overflows."""
    with np.errstate(over="ignore"):
        lengths: Array = np.sqrt(np.square(v).sum(axis=1))
        return lengths


def tabulate(results: Results, quantity: Quantity, relative: bool) -> pd.DataFrame:
    """All stored values of a quantity by time, with a column for each method and for the exact
    motion.
    """
    curves = {line.label: quantity.values(line, relative) for line in results.runs}
    if quantity.exact is not None:
        curves[EXACT_LABEL] = quantity.exact
    columns = [
        pd.Series(c[1], index=c[0], name=label) for label, c in curves.items() if c is not None
    ]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    return frame.rename_axis("t").sort_index()
