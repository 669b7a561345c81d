"""Plots and ledger of two bodies: invariants of both together, the orbit, and the rotations."""

from __future__ import annotations

import numpy as np

from engine.quantities import CONSERVED

from .ledger import Ledger, LedgerCell, LedgerColumn, common_cells, deviation_cell
from .quantities import Quantity, list_quantities, make_group
from .results import Results, RunLine, scale_of

# -------------------------------------------------------------------------------------------------
# the plots


def main_invariants(results: Results) -> list[Quantity]:
    """Energy and both momenta, which every motion conserves, and the orthogonality of R₁ and R₂."""
    return list_quantities(results, CONSERVED)


GROUPS = {
    CONSERVED: make_group(CONSERVED, "axis", "errors"),
    "Orbit": make_group("Orbit"),
    "Rotation": make_group("Rotation"),
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
    with np.errstate(over="ignore"):  # of a run that blew up
        own = np.linalg.norm(first, axis=1).max()
        turning = np.linalg.norm(np.cross(run.x1, first), axis=1).max()
    π0 = scale_of(float(np.linalg.norm(run.first("angular_momentum"))))
    return common_cells(run) | {
        "linear": deviation_cell(run, "linear_momentum", own),
        "angular": deviation_cell(run, "angular_momentum", turning, π0),
    }


LEDGER = Ledger(lambda results: COLUMNS, fill_cells, lambda results: INVARIANTS, "forces\na step")
