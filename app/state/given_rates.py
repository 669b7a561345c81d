"""Plots and ledger of an attitude with given rates: its error and its drift, what methods carry,
and the rates. Times are in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from engine.exact import has_exact
from engine.problems import GivenRates
from engine.quantities import CONSERVED
from engine.text.formatting import format_measured, format_step, join_words, show

from .error_cells import ATTITUDE, fill_errors
from .ledger import NOTHING, ChangeColumn, Ledger, LedgerCell, LedgerColumn, LedgerRow, cost_cells
from .quantities import PLOTS, Group, Quantity, list_quantities, make_group
from .results import Results, RunLine

# -------------------------------------------------------------------------------------------------
# the plots


def list_errors(results: Results) -> list[Quantity]:
    """The attitude error and the drift, if the methods are compared, and what they carry."""
    is_compared = results.exact is not None or results.exact_is_pending or results.compared_with
    found = list_quantities(results, CONSERVED)
    return [one for one in found if is_compared or not one.against_exact]


GROUPS = {
    CONSERVED: Group(
        lambda results, vector: list_errors(results)[:PLOTS],
        switches=("axis",),
        leading=("attitude", "drift"),
    ),
    "Attitude": make_group("Attitude", "axis"),
    "Motion": make_group("Motion"),
    "Steps": make_group("Steps", "axis"),
}


def narrate(results: Results) -> str:
    """How fast the body turns, and how far in an update."""
    problem: GivenRates = results.problem
    if not results.runs:
        return f"{problem.name}: no method here fits this step."
    motion = results.exact if results.exact is not None else results.runs[0].run
    speed = math.degrees(float(np.nanmax(np.linalg.norm(motion.Omega, axis=-1))))
    step = f"an update of {format_step(results.choice.dt)} s turns it by up to"
    return f"{problem.name}: {show(speed, 3)} °/s at most; {step} {show(speed * results.choice.dt, 2)}°."


# -------------------------------------------------------------------------------------------------
# the ledger

DRIFT = LedgerColumn(
    "drift",
    "drift\n°/h",
    "How fast the attitude error grows, in degrees an hour, if times are in seconds.",
)
LENGTH = LedgerColumn(
    "norm",
    "max\n|‖q‖ − 1|",
    "The largest change of the length of the quaternion that a method carries.",
)


DIFFERENCE = LedgerColumn(
    "difference",
    "attitude\ndifference",
    "The angle at the end from the attitude of the method of the highest order, in radians.",
)
PARTING = LedgerColumn(
    "parting",
    "parting\n°/h",
    "How fast the attitude difference grows, in degrees an hour.",
)
ITSELF = LedgerCell(None, "–", "The other methods are compared with this one.")


def list_columns(results: Results) -> list[LedgerColumn]:
    """The columns besides the common ones."""
    compared = [DIFFERENCE, PARTING] if results.compared_with else [ATTITUDE, DRIFT]
    return [*(compared if has_exact(results.problem) or results.compared_with else []), LENGTH]


def list_changes(problem: GivenRates) -> list[ChangeColumn]:
    """No columns: these motions conserve nothing but the orthogonality."""
    return []


def fill_cells(line: RunLine, results: Results) -> dict[str, LedgerCell]:
    """The cells of a method."""
    lengths = line.run.extrema["norm"]
    change = max(float(lengths.max) - 1.0, 1.0 - float(lengths.min))
    found = cost_cells(line.run)
    found[LENGTH.key] = LedgerCell(change, format_measured(change))
    if not has_exact(results.problem):
        return found | (compare_cells(line, results) if results.compared_with else {})
    found |= fill_errors(line, results)
    off = found.get(ATTITUDE.key, NOTHING)
    error: Any = line.error
    if error is not None and (off.value is not None or off.lost):
        drift = float(np.linalg.norm(error.drift))
        if math.isfinite(drift):
            found[DRIFT.key] = LedgerCell(drift, format_measured(drift), error.message or off.about)
    return found


def compare_cells(line: RunLine, results: Results) -> dict[str, LedgerCell]:
    """The cells of the difference of a method from the one that the others are compared with."""
    error: Any = line.error
    if error is None:
        own = ITSELF if line.label == results.compared_with else NOTHING
        return {DIFFERENCE.key: own, PARTING.key: own}
    values = {
        DIFFERENCE.key: float(error.attitude[-1]),
        PARTING.key: float(np.linalg.norm(error.drift)),
    }
    return {
        key: LedgerCell(value, format_measured(value), ranked=False)
        for key, value in values.items()
        if math.isfinite(value)
    }


def describe_drifts(rows: Sequence[LedgerRow]) -> Iterator[str]:
    """Say how fast each method drifts, or parts from the one that it is compared with."""
    of_all = [row.name for row in rows if row.cell(PARTING.key).about == ITSELF.about]
    away = f" from {of_all[0]}" if of_all else ""
    verb = "part" if of_all else "drift"
    cells = [(row.name, row.cell(PARTING.key if of_all else DRIFT.key)) for row in rows]
    said = [f"{name} by {cell.text} °/h" for name, cell in cells if cell.value is not None]
    if said:
        who = f"It {verb}s" if len(said) == 1 else f"They {verb}"
        yield f"{who}{away}: {join_words(said)}."


LEDGER = Ledger(
    list_changes,
    list_columns,
    fill_cells,
    lambda results: [("orthogonality", "orthogonality")],
    evaluations="rates\na step",
    iterates=False,
    leading=(),
    tell=describe_drifts,
)
