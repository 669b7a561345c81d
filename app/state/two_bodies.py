"""Plots and ledger of two bodies: invariants of both together, the orbit, and the rotations."""

from __future__ import annotations

from engine.problems import TwoBodies
from engine.quantities import CONSERVED

from .ledger import ChangeColumn, Ledger, LedgerCell, change_cell, common_cells
from .quantities import Quantity, list_quantities, make_group
from .results import Results, RunLine

# -------------------------------------------------------------------------------------------------
# the plots


def main_invariants(results: Results) -> list[Quantity]:
    """Energy and both momenta, which every motion conserves, and the orthogonality of R₁ and R₂."""
    return list_quantities(results, CONSERVED)


GROUPS = {
    CONSERVED: make_group(CONSERVED, "axis", "errors", leading=("energy", "angular_momentum")),
    "Orbit": make_group("Orbit"),
    "Rotation": make_group("Rotation"),
}


def narrate(_: Results) -> str:
    """What moves and how."""
    return "Two bodies attract each other: the momentum that one gains, the other loses."


# -------------------------------------------------------------------------------------------------
# the ledger

INVARIANTS = [("energy", "energy"), ("linear", "linear momentum"), ("angular", "angular momentum")]
"""The columns and names of the invariants."""


def list_changes(problem: TwoBodies) -> list[ChangeColumn]:
    """The columns of both momenta; roundoff is relative to the largest summand, body 1's own."""
    mass = problem.body1.mass
    return [
        ChangeColumn("linear", "max\n|Δp|", of="linear_momentum", sizes=("v1",), factor=mass),
        ChangeColumn(
            "angular",
            "max\n|Δπ|/|π₀|",
            of="angular_momentum",
            relative=True,
            sizes=("x1", "v1"),
            factor=mass,
        ),
    ]


def fill_cells(one: RunLine, results: Results) -> dict[str, LedgerCell]:
    """The cells of a method."""
    run = one.run
    momenta = {column.key: change_cell(run, column) for column in list_changes(run.problem)}
    return common_cells(run) | momenta


LEDGER = Ledger(
    list_changes,
    lambda results: list_changes(results.problem),
    fill_cells,
    lambda results: INVARIANTS,
    "forces\na step",
)
