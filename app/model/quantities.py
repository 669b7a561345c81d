"""What is plotted against time, in groups of quantities; nothing here knows how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from engine.checks import Array

from .results import Line, Ran, Results, scale

Curve = tuple[Array, Array]
"""Times and values."""

PLOTS = 4
"""Quantities of each group that a page begins with."""


@dataclass(frozen=True)
class Quantity:
    """Something that is plotted against time, one curve for each method.

    Attributes
    ----------
    title, symbol : what it is called, and its formula, as it is and relative to what it starts from.
    part : by which an excerpt asks for it (`excerpt.PARTS`), if it can.
    means : what it is, where the glossary does not have its title.
    curve : the times and values of a method's run; None where there is none.
    exact : the same of the exact motion, where that is a curve of its own.
    whole : what a relative deviation is relative to; None if it is not taken relative to anything.
    error : whether it is a deviation, best seen on a logarithmic axis; else it is drawn as it is.
    """

    title: str
    symbol: str
    curve: Callable[[Ran], Curve | None]
    relative: str = ""
    exact: Curve | None = None
    whole: float | None = None
    error: bool = True
    signed: bool = False
    part: str = ""
    means: str = ""

    def formula(self, log: bool, relative: bool) -> str:
        """Its formula, as the axis shows it."""
        text = self.relative if relative and self.relative else self.symbol
        return f"|{text}|" if log and self.error and self.signed else text

    def values(self, line: Line | None, relative: bool) -> Curve | None:
        """The curve of a method, relative or as it is."""
        curve = self.curve(line) if isinstance(line, Ran) else None
        if curve is None or not relative or self.whole is None:
            return curve
        return curve[0], curve[1] / self.whole


class Group(NamedTuple):
    """Quantities that are seen together.

    quantities : of some results and a vector, Ω or Π; `PLOTS` of them, or those of an excerpt.
    switches : what can be chosen of how they are drawn.
    """

    quantities: Callable[[Results, str], list[Quantity]]
    switches: tuple[str, ...] = ("axis", "errors")


def departure(title: str, symbol: str, relative: str, name: str, results: Results, means: str = "") -> Quantity:
    """By how much a number has left its first value; by the same name an excerpt asks for it."""
    first = next((abs(float(line.run.first(name))) for line in results.runs), 0.0)
    # A number that starts at nothing has nothing to be relative to.
    of_it = first == scale(first)
    return Quantity(
        title,
        symbol,
        lambda line: (line.run.t, series(line, name) - line.run.first(name)),
        relative=relative if of_it else "",
        whole=first if of_it else None,
        signed=True,
        part=name,
        means=means,
    )


def vector_departure(title: str, letter: str, name: str, whole: float) -> Quantity:
    """How far a vector of the length `whole` has gone from where it began, by its name in the run."""
    symbol = f"‖{letter} − {letter}₀‖"
    of_it = whole == scale(whole)
    return Quantity(
        title,
        symbol,
        lambda line: (line.run.t, length(series(line, name) - line.run.first(name))),
        relative=f"{symbol} / ‖{letter}₀‖" if of_it else "",
        whole=whole if of_it else None,
        part=name,
    )


def series(line: Ran, name: str) -> Array:
    """What was tracked of a run under this name."""
    run = line.run
    found: Array = run.motion[name] if name in run.motion else run.observed[name]
    return found


def energy(results: Results) -> Quantity:
    """By how much the energy has left its first value."""
    return departure("Energy error", "ΔE", "ΔE / E₀", "energy", results)


ORTHOGONALITY = Quantity(
    "Orthogonality", "‖RᵀR − 1‖", lambda line: (line.run.t, line.run.orthogonality), part="orthogonality"
)


def length(v: Array) -> Array:
    """Of each of (n, 3) vectors; infinite where a run that blew up has too large ones."""
    with np.errstate(over="ignore"):
        return np.sqrt(np.square(v).sum(axis=1))


def table(results: Results, quantity: Quantity, relative: bool) -> pd.DataFrame:
    """All kept values of a quantity, a column for each method and for the exact motion, by time."""
    curves = {line.label: quantity.values(line, relative) for line in results.runs}
    if quantity.exact is not None:
        curves["exact"] = quantity.exact
    columns = [pd.Series(c[1], index=c[0], name=label) for label, c in curves.items() if c is not None]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    return frame.rename_axis("t").sort_index()
