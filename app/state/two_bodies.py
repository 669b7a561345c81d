"""Plots and ledger of two bodies: invariants of both together, the orbit, the rotations, and the
errors against the exact motion.
"""

from __future__ import annotations

from engine.problems import TwoBodies
from engine.quantities import CONSERVED

from .error_cells import ATTITUDE, fill_errors
from .ledger import ChangeColumn, Ledger, LedgerCell, change_cell, common_cells
from .quantities import PLOTS, Group, Quantity, list_quantities, make_group
from .results import Results, RunLine

# -------------------------------------------------------------------------------------------------
# the plots


def list_invariants(results: Results) -> list[Quantity]:
    """Energy and both momenta, which every motion conserves, the larger attitude error if the exact
    motion is known, and the orthogonality of R₁ and R₂.
    """
    is_compared = results.exact is not None or results.exact_is_pending
    found = list_quantities(results, CONSERVED)
    return [one for one in found if is_compared or not one.against_exact]


GROUPS = {
    CONSERVED: Group(
        lambda results, vector: list_invariants(results)[:PLOTS],
        leading=("energy", "attitude", "angular_momentum"),
    ),
    "Attitude and place": make_group("Attitude and place", "axis"),
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
    return common_cells(run) | momenta | fill_errors(one, results)


LEDGER = Ledger(
    list_changes,
    lambda results: [*list_changes(results.problem), ATTITUDE],
    fill_cells,
    lambda results: INVARIANTS,
    "forces\na step",
)
