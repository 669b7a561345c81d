"""Buss's Figures 3 to 7, which are tables, computed anew cell by cell, and his long run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..parameters.validation import Array
from ..studies.core.charts import Axes, Axis, Curve
from ..text.formatting import show
from . import buss
from .buss import Energies, Steps
from .claim import Bench, Claim, Value
from .figure import Cell, figure


def make_cell(claim: Claim, name: str, row: str, column: str, paper: str, value: Value) -> Cell:
    """A cell of the table, from a figure of the claim."""
    return Cell(row, column, paper, value, claim.paper[name].holds(value), claim.why.get(name, ""))


def to_array(values: Sequence[Any]) -> Array:
    """An array of the numbers, NaN for missing ones."""
    return np.array(
        [np.nan if value is None or value == np.inf else float(value) for value in values]
    )


# ----------------------------------------------------------------- Figure 3

WITH = {"": "without", "+E": "with energy correction"}
TIMED_STEPS = 50_000
TIMED_RUNS = 5


@figure(
    buss.figure_3,
    axes=(Axes(Axis("method", ticks=tuple(buss.FIGURE_3)), Axis("cost of a step")),),
    count=14 + 6,
)
def cost_table(bench: Bench) -> Iterator[Curve | Cell]:
    """Operations counted and weighted as in the text, and the least time of five runs of 50 000
    steps.
    """
    places = np.arange(len(buss.FIGURE_3), dtype=float)
    for i, ending in enumerate(WITH):
        column = WITH[ending]
        counted = [
            buss.find_cost(method + ending) / buss.find_cost("BUSS3+E") for method in buss.FIGURE_3
        ]
        for method, value in zip(buss.FIGURE_3, counted, strict=True):
            yield make_cell(
                buss.figure_3,
                method + ending,
                method,
                column,
                f"{buss.FIGURE_3[method][i]:.2f}",
                value,
            )
        printed = to_array([row[i] for row in buss.FIGURE_3.values()])
        yield Curve(f"paper, {column}", places, printed, paper=True, group=column)
        yield Curve(f"counted, {column}", places, np.array(counted), group=column)
    timed = time_methods(bench, [method + ending for method in buss.FIGURE_3 for ending in WITH])
    for ending in WITH:
        times = np.array([timed[method + ending] for method in buss.FIGURE_3]) / timed["BUSS3+E"]
        yield Curve(f"timed here, {WITH[ending]}", places, times, group=WITH[ending], timed=True)


def time_methods(bench: Bench, methods: Sequence[str]) -> dict[str, float]:
    """The least time in the kernel of several runs of the prism; the methods take turns, to be
    disturbed alike.
    """
    bench.prepare("prism", methods)
    least = dict.fromkeys(methods, np.inf)
    for _ in range(TIMED_RUNS):
        for method in methods:
            run = bench.simulate("prism", method, dt=0.001, steps=TIMED_STEPS, samples=1)
            least[method] = min(least[method], run.cost.seconds)
    return least


# ----------------------------------------------------------------- Figures 4 and 5


def draw_energies(
    bench: Bench, claim: Claim, table: Energies, columns: tuple[tuple[float, int], ...]
) -> Iterator[Curve | Cell]:
    """Each cell, and then each row as a curve by the step, beside the paper's."""
    measured: dict[str, Value] = {}
    printed = {
        buss.name_energy(method, h): (method, h, row[i])
        for method, row in table.items()
        for i, (h, _) in enumerate(columns)
    }
    for name, value in buss.measure_energies(bench, table, columns):
        method, h, energy = printed[name]
        measured[name] = value
        yield make_cell(claim, name, method, f"h = {h:g}", energy, value)
    steps = np.array([h for h, _ in columns])
    for method, row in table.items():
        yield Curve(method, steps, to_array([measured[buss.name_energy(method, h)] for h in steps]))
        yield Curve(f"{method}, paper", steps, to_array(row), paper=True, group=method)


BY_STEP = (Axes(Axis("h (s)", log=True), Axis("energy")),)


@figure(buss.figure_4, axes=BY_STEP, count=len(buss.FIGURE_4) * (len(buss.FIGURE_4_STEPS) + 2))
def small_steps(bench: Bench) -> Iterator[Curve | Cell]:
    """The energy after N − 1 steps of h."""
    return draw_energies(bench, buss.figure_4, buss.FIGURE_4, buss.FIGURE_4_STEPS)


@figure(buss.figure_5, axes=BY_STEP, count=len(buss.FIGURE_5) * (len(buss.FIGURE_5_STEPS) + 2))
def large_steps(bench: Bench) -> Iterator[Curve | Cell]:
    """The energy after N − 1 steps of h."""
    return draw_energies(bench, buss.figure_5, buss.FIGURE_5, buss.FIGURE_5_STEPS)


# ----------------------------------------------------------------- Figures 6 and 7


def name_goal(T: float, accuracy: float) -> str:
    """A column's title."""
    return f"T = {T:g}, {show(accuracy)} rad"


def draw_steps(
    bench: Bench, claim: Claim, table: Steps, columns: tuple[tuple[float, float, int], ...]
) -> Iterator[Curve | Cell]:
    """Each cell, and then each column as marks, beside the paper's; methods that failed have no
    mark.
    """
    measured: dict[str, Value] = {}
    printed = {
        buss.name_steps(method, T, accuracy): (method, name_goal(T, accuracy), row[i], most)
        for method, row in table.items()
        for i, (T, accuracy, most) in enumerate(columns)
    }
    for name, value in buss.measure_steps(bench, table, columns):
        method, column, steps, most = printed[name]
        measured[name] = value
        yield make_cell(
            claim, name, method, column, f"> {most}" if steps is None else str(steps), value
        )
    places = np.arange(len(table), dtype=float)
    for i, (T, accuracy, _) in enumerate(columns):
        found = to_array([measured[buss.name_steps(method, T, accuracy)] for method in table])
        yield Curve(name_goal(T, accuracy), places, found)
        printed_here = to_array([row[i] for row in table.values()])
        yield Curve(
            f"{name_goal(T, accuracy)}, paper",
            places,
            printed_here,
            paper=True,
            group=name_goal(T, accuracy),
        )


def list_methods(table: Steps) -> tuple[Axes, ...]:
    """The plot of a table of steps."""
    return (Axes(Axis("method", ticks=tuple(table)), Axis("steps needed", log=True)),)


@figure(
    buss.figure_6,
    axes=list_methods(buss.FIGURE_6),
    count=(len(buss.FIGURE_6) + 2) * len(buss.FIGURE_6_GOALS),
)
def accuracy(bench: Bench) -> Iterator[Curve | Cell]:
    """The number of steps after the last that fails, against a reference of sixth order."""
    return draw_steps(bench, buss.figure_6, buss.FIGURE_6, buss.FIGURE_6_GOALS)


@figure(
    buss.figure_7,
    axes=list_methods(buss.FIGURE_7),
    count=(len(buss.FIGURE_7) + 2) * len(buss.FIGURE_7_GOALS),
)
def high_accuracy(bench: Bench) -> Iterator[Curve | Cell]:
    """The number of steps after the last that fails, against a reference of sixth order."""
    return draw_steps(bench, buss.figure_7, buss.FIGURE_7, buss.FIGURE_7_GOALS)


# ----------------------------------------------------------------- the long run

SHOWN_OF_LONG_RUN = 2_000_000


@figure(
    buss.long_run,
    axes=(Axes(Axis("steps", log=True), Axis("least and largest energy so far")),),
    count=3 * len(buss.LONG_RUN_PRINTS),
)
def two_hundred_million(bench: Bench) -> Iterator[Curve]:
    """Two million steps, the extremes so far at 200 of them."""
    shown = np.unique(np.geomspace(1, SHOWN_OF_LONG_RUN, 200).astype(int))
    for method, energy in buss.LONG_RUN_PRINTS.items():
        run = bench.simulate("prism", method, dt=0.02, steps=SHOWN_OF_LONG_RUN, every=1)
        for name, so_far in (("least", np.minimum.accumulate), ("largest", np.maximum.accumulate)):
            yield Curve(
                f"{method}, {name}", shown.astype(float), so_far(run.energy)[shown], group=method
            )
        yield Curve(
            f"{method}, paper",
            np.array([float(buss.LONG_RUN)]),
            np.array([energy]),
            paper=True,
            group=method,
        )
