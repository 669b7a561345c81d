"""Plots and ledger of one body: invariants, the motion, and the errors against the exact motion."""

from __future__ import annotations

from collections.abc import Iterator

from engine.problems import Integral, Problem
from engine.quantities import CONSERVED

from .error_cells import ATTITUDE, fill_errors
from .ledger import ChangeColumn, Ledger, LedgerCell, LedgerColumn, change_cell, common_cells
from .quantities import PLOTS, Group, Quantity, list_quantities, make_group
from .results import Results, RunLine

# -------------------------------------------------------------------------------------------------
# the plots


def conserved_integrals(results: Results) -> list[Integral]:
    """The integrals besides energy and momentum that the motion conserves."""
    problem = results.problem
    return [one for one in problem.integrals if one.key in problem.invariants]


def list_invariants(results: Results) -> list[Quantity]:
    """What the motion conserves, and the errors against the exact motion; the attitude error is the
    last.
    """
    has_exact = results.exact is not None or results.exact_is_pending
    found = list_quantities(results, CONSERVED)
    return [one for one in found if has_exact or not one.declared.changing]


def main_invariants(results: Results) -> list[Quantity]:
    """At most three invariants, and the attitude error."""
    *found, last = list_invariants(results)
    return [*found[: PLOTS - 1], last]


GROUPS = {
    CONSERVED: Group(
        lambda results, vector: main_invariants(results), leading=("energy", "attitude")
    ),
    "Motion": make_group("Motion", "vector"),
    "Attitude": make_group("Attitude", "axis", "errors"),
    "Steps": make_group("Steps", "axis"),
}

# -------------------------------------------------------------------------------------------------
# the ledger


PI = ChangeColumn("momentum", "max\n|Δπ|/|π₀|", of="pi", relative=True)
PI_E3 = ChangeColumn("momentum", "max\n|Δ(π·e₃)|", of="pi_e3", sizes=("pi",))
PI_CHI = ChangeColumn(
    "pi_chi",
    "max\n|Δ(π·χ)|",
    "The largest change of the momentum about the body's axis.",
    of="pi_chi",
    sizes=("pi",),
)


def list_changes(problem: Problem) -> list[ChangeColumn]:
    """The columns of what motions of a body may conserve besides the energy."""
    integrals = [
        ChangeColumn(
            one.key,
            f"max\n|Δ{one.symbol}|",
            f"The largest change of {one.words}.",
            of=one.key,
            sizes=(one.key,),
        )
        for one in problem.integrals
    ]
    return [PI, PI_E3, PI_CHI, *integrals]


def list_columns(results: Results) -> Iterator[LedgerColumn]:
    """The columns of a body; that of momentum depends on what the motion conserves."""
    kept = results.problem.invariants
    found = [one for one in list_changes(results.problem) if one.of in kept]
    if PI in found:  # which includes its components
        found = [one for one in found if one is not PI_E3]
    elif PI_E3 not in found:
        yield LedgerColumn("momentum", "max\n|Δπ|")
    yield from found
    yield ATTITUDE


def fill_cells(one: RunLine, results: Results) -> dict[str, LedgerCell]:
    """The cells of a method."""
    run = one.run
    found = common_cells(run)
    if "energy" not in results.problem.invariants:
        found["energy"] = found["drift"] = LedgerCell(
            None, "–", "This motion does not conserve energy."
        )
    for column in list_columns(results):
        if isinstance(column, ChangeColumn):
            found[column.key] = change_cell(run, column)
    return found | fill_errors(one, results)


def name_invariants(results: Results) -> list[tuple[str, str]]:
    """The columns and names of the invariants in the ledger."""
    kept = results.problem.invariants
    found = [("energy", "energy")] if "energy" in kept else []
    found += (
        [("momentum", "momentum" if "pi" in kept else "momentum about the vertical")]
        if {"pi", "pi_e3"} & set(kept)
        else []
    )
    found += [("pi_chi", "momentum about the body's axis")] if "pi_chi" in kept else []
    return [*found, *((one.key, one.name) for one in conserved_integrals(results))]


LEDGER = Ledger(list_changes, list_columns, fill_cells, name_invariants)
