"""Quantities that are plotted against time, and their groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

import engine.quantities
from engine.exact import has_exact
from engine.parameters.validation import Array

from .results import EXACT_LABEL, Line, Results, RunLine

Curve = tuple[Array, Array]
"""Times and values."""

PLOTS = 4
"""The number of plots of a group."""
AT_FIRST = 2
"""The number of them that are open at first; a click opens another."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity as the plots of some results show it, with a curve for each method.

    Attributes
    ----------
    declared : the engine's declaration.
    whole : the divisor of the relative value; None if there is none.
    exact : the curve of the exact motion, if it has one of its own.
    between : its words if it compares methods with one another.
    """

    declared: engine.quantities.Quantity
    whole: float | None = None
    exact: Curve | None = None
    between: engine.quantities.Between | None = None

    title = property(lambda self: (self.between or self.declared).title)
    symbol = property(lambda self: (self.between or self.declared).symbol)
    error = property(lambda self: self.declared.error)
    against_exact = property(lambda self: self.declared.against_exact)
    means = property(lambda self: (self.between or self.declared).means)

    def formula(self, log: bool, relative: bool) -> str:
        """The label of its axis."""
        one = self.declared
        text = one.relative if relative and self.whole is not None else self.symbol
        return f"|{text}|" if log and one.error and one.signed else text

    def values(self, line: Line | None, relative: bool) -> Curve | None:
        """The curve of a method, divided by `whole` if it is relative."""
        one = self.declared
        if not isinstance(line, RunLine):
            return None
        if one.against_exact:
            if line.error is None:
                return None
            curve = line.error.t, line.error.known_values(one)
            return longest_known_part(*curve) if one.error else curve
        first = int(one.of_steps)
        return line.run.t[first:], one.values(line.run, relative=relative)[first:]


def bind(declared: engine.quantities.Quantity, results: Results) -> Quantity:
    """A quantity for these results."""
    run = next((line.run for line in results.runs), None)
    whole = declared.find_divisor(run) if run is not None else None
    exact = results.exact
    curve = None
    if exact is not None and declared.exact is not None:
        curve = exact.t, np.full(len(exact.t), declared.exact)
    elif exact is not None and declared.has_exact:
        curve = exact.t, declared.values(exact, problem=results.problem)
    between = None if has_exact(results.problem) else declared.between
    return Quantity(declared, whole, curve, between)


def list_quantities(results: Results, group: str, vector: str = "") -> list[Quantity]:
    """The quantities of a group for these results, in the order of plots; of those with a vector,
    those of Ω or Π.
    """
    methods = [line.run.method for line in results.runs if line.run.method is not None]
    return [
        bind(one, results)
        for one in engine.quantities.list_quantities(results.problem, methods)
        if group in one.groups and one.vector in ("", vector)
    ]


def longest_known_part(t: Array, error: Array) -> Curve | None:
    """The longest part of a curve in which the error is known; None if it is known nowhere."""
    ends = np.flatnonzero(np.diff(np.isfinite(error), prepend=False, append=False)).reshape(-1, 2)
    if not len(ends):
        return None
    first, last = ends[np.diff(ends, axis=1).argmax()]
    return t[first:last], error[first:last]


class Group(NamedTuple):
    """Quantities that are shown together.

    quantities : lists them for some results and a vector, Ω or Π.
    switches : the options of their plots.
    leading : the keys of those whose plots are open before others; then the order decides.
    """

    quantities: Callable[[Results, str], list[Quantity]]
    switches: tuple[str, ...] = ("axis", "errors")
    leading: tuple[str, ...] = ()

    def list_open(self, quantities: list[Quantity]) -> list[Quantity]:
        """Those of these quantities whose plots are open at first."""
        keys = [one.declared.key for one in quantities]
        leading = [key for key in self.leading if key in keys]
        first = [*leading, *(key for key in keys if key not in leading)][:AT_FIRST]
        return [one for one in quantities if one.declared.key in first]


def make_group(name: str, *switches: str, leading: tuple[str, ...] = ()) -> Group:
    """The group with the quantities that name it, as many as there are plots."""
    return Group(
        lambda results, vector: list_quantities(results, name, vector)[:PLOTS], switches, leading
    )


def add_own_groups(groups: Mapping[str, Group], space: str) -> dict[str, Group]:
    """The groups with those that other quantities name."""
    own = {
        name: make_group(name, "axis", "errors")
        for name in engine.quantities.list_own_groups(space)
    }
    return {**groups, **own}


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
