"""Plots and ledger of two bodies: invariants of both together, the orbit, and the rotations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from engine.parameters.validation import Array

from .ledger import Ledger, LedgerCell, LedgerColumn, common_cells, deviation_cell
from .quantities import (
    ORTHOGONALITY,
    Curve,
    Group,
    Quantity,
    energy_departure,
    first_size,
    length,
    vector_departure,
)
from .results import Results, RunLine, scale_of

# -------------------------------------------------------------------------------------------------
# the plots


def main_invariants(results: Results) -> list[Quantity]:
    """Energy and both momenta, which every motion conserves, and the orthogonality of R₁ and R₂."""
    return [
        energy_departure(results),
        vector_departure("Linear momentum error", "p", "linear_momentum", results),
        vector_departure("Angular momentum error", "π", "angular_momentum", results),
        replace(ORTHOGONALITY, measure=("larger", "orthogonality1", "orthogonality2")),
    ]


def plain(
    title: str, symbol: str, series: Callable[[Any], Array], *measure: str, first: int = 0
) -> Quantity:
    """A quantity that is no error, from the row `first` on."""

    def curve(line: RunLine) -> Curve:
        return line.run.t[first:], series(line.run)[first:]

    return Quantity(title, symbol, curve, measure, error=False)


NEAREST = "least distance of a mass of one from one of the other"
ORBIT = [
    plain(
        "Distance of the centres",
        "‖x₁ − x₂‖",
        lambda run: length(run.x1 - run.x2),
        "between",
        "x1",
        "x2",
    ),
    plain("Nearest masses", NEAREST, attrgetter("distance"), "series", "distance"),
    plain(
        "Relative speed", "‖v₁ − v₂‖", lambda run: length(run.v1 - run.v2), "between", "v1", "v2"
    ),
    plain("Energy", "E", attrgetter("energy"), "series", "energy"),
]
STEP = "angle, °"
ROTATION = [
    plain("Angular velocity of body 1", "|Ω₁|", lambda run: length(run.Omega1), "length", "Omega1"),
    plain("Angular velocity of body 2", "|Ω₂|", lambda run: length(run.Omega2), "length", "Omega2"),
    plain(
        "Rotation of body 1 per step",
        STEP,
        lambda run: np.degrees(run.increment1),
        "angles",
        "increment1",
        first=1,
    ),
    plain(
        "Rotation of body 2 per step",
        STEP,
        lambda run: np.degrees(run.increment2),
        "angles",
        "increment2",
        first=1,
    ),
]

GROUPS = {
    "What is kept": Group(lambda results, vector: main_invariants(results)),
    "Orbit": Group(lambda results, vector: ORBIT, ()),
    "Rotation": Group(lambda results, vector: ROTATION, ()),
}

# -------------------------------------------------------------------------------------------------
# the ledger

COLUMNS = (LedgerColumn("linear", "max\n|Δp|"), LedgerColumn("angular", "max\n|Δπ|/|π₀|"))
INVARIANTS = [("energy", "energy"), ("linear", "linear momentum"), ("angular", "angular momentum")]
"""The columns and names of the invariants."""


def fill_cells(one: RunLine, results: Results) -> dict[str, LedgerCell]:
    """The cells of a method."""
    run = one.run
    # Roundoff is relative to the largest summand, body 1's own momenta.
    first = run.problem.body1.mass * run.v1
    own = length(first).max()
    turning = length(np.cross(run.x1, first)).max()
    π0 = scale_of(first_size("angular_momentum", results))
    return common_cells(run) | {
        "linear": deviation_cell(run, "linear_momentum", own),
        "angular": deviation_cell(run, "angular_momentum", turning, π0),
    }


LEDGER = Ledger(lambda results: COLUMNS, fill_cells, lambda results: INVARIANTS, "forces\na step")
