"""Plots and ledger of one body: invariants, the motion, and the errors against the exact motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from engine.exact import Errors
from engine.parameters.validation import Array
from engine.problems import Integral
from engine.simulation import Run
from engine.text.formatting import format_measured, show

from .ledger import (
    EXACT,
    PHASE_LOST,
    Ledger,
    LedgerCell,
    LedgerColumn,
    common_cells,
    deviation_cell,
    format_deviation,
)
from .quantities import (
    ORTHOGONALITY,
    PLOTS,
    Curve,
    Group,
    Quantity,
    departure,
    divisor_of,
    energy_departure,
    first_size,
    length,
    vector_departure,
)
from .results import Results, RunLine, roundoff, scale_of

# -------------------------------------------------------------------------------------------------
# the plots

INVARIANTS = {
    "pi_e3": ("Momentum about the vertical", "Δ(π·e₃)", "Δ(π·e₃) / π₀·e₃"),
    "pi_chi": ("Momentum about the body's axis", "Δ(π·χ)", "Δ(π·χ) / π₀·χ₀"),
    "casimir": ("Casimir", "Δ|Π|²", "Δ|Π|² / |Π₀|²"),
    "gamma_norm": ("Length of Γ = Rᵀe₃", "Δ|Γ|", "Δ|Γ| / |Γ₀|"),
}


def conserved_integrals(results: Results) -> list[Integral]:
    """The integrals besides energy and momentum that the motion conserves."""
    problem = results.problem
    return [one for one in problem.integrals if one.key in problem.invariants]


def _against_exact(title: str, symbol: str, name: str, part: str = "", *measure: str) -> Quantity:
    return Quantity(
        title,
        symbol,
        lambda line: (
            longest_known_part(line.error.t, getattr(line.error, name))
            if line.error is not None
            else None
        ),
        measure,
        part=part,
        against_exact=True,
    )


def longest_known_part(t: Array, error: Array) -> Curve | None:
    """The longest part of a curve in which the error is known; None if it is known nowhere."""
    ends = np.flatnonzero(np.diff(np.isfinite(error), prepend=False, append=False)).reshape(-1, 2)
    if not len(ends):
        return None
    first, last = ends[np.diff(ends, axis=1).argmax()]
    return t[first:last], error[first:last]


ATTITUDE = _against_exact(
    "Attitude error", "angle to the exact motion, rad", "attitude", "attitude", "error"
)
BODY_MOMENTUM = _against_exact("Body momentum error", "‖Π − Πₑₓ‖", "Pi", "", "distance", "Pi")
SPACE_MOMENTUM = _against_exact("Momentum error", "‖π − πₑₓ‖", "pi", "", "distance", "pi")
SPECTRAL = _against_exact("Attitude error, spectral norm", "‖R − Rₑₓ‖₂", "spectral", "", "spectral")
INCREMENT = Quantity(
    "Rotation per step",
    "angle of one step, °",
    lambda line: (line.run.t[1:], np.degrees(line.run.increment[1:])),
    error=False,
    measure=("angles", "increment"),
)


def list_invariants(results: Results) -> list[Quantity]:
    """What the motion conserves, and the errors against the exact motion; the attitude error is the
    last.
    """
    has = results.problem.invariants
    found = [energy_departure(results)] if "energy" in has else []
    found += [
        departure(one.title, *one.changes, one.key, results, f"The change of {one.words}.")
        for one in conserved_integrals(results)
    ]
    found += list_modified(results)
    found += [vector_departure("Momentum error", "π", "pi", results)] if "pi" in has else []
    found += [
        departure(*INVARIANTS[name], name, results)
        for name in ("pi_e3", "pi_chi", "casimir")
        if name in has
    ]
    found += (
        [SPACE_MOMENTUM]
        if "pi" not in has and (results.exact is not None or results.exact_is_pending)
        else []
    )
    found += (
        [departure(*INVARIANTS["gamma_norm"], "gamma_norm", results)] if "gamma_norm" in has else []
    )
    return [*found, ORTHOGONALITY, SPECTRAL, BODY_MOMENTUM, ATTITUDE]


def list_modified(results: Results) -> Iterator[Quantity]:
    """The energy and the Casimir over the divisor with which the first method that declares one
    conserves both.
    """
    method = next(
        (line.run.method for line in results.runs if line.run.method.divisor and results.is_free),
        None,
    )
    for name, title, symbol in (
        ("energy", "Modified energy", "E"),
        ("casimir", "Modified Casimir", "|Π|²"),
    ):
        if method is not None:
            means = f"The change of {symbol}/D, which {method.key} conserves; D = 1 + O(Δt²), see its equations."
            change = f"Δ({symbol}/D)"
            yield departure(
                title, change, f"{change} / {symbol}₀", name, results, means, modified_by=method
            )


def main_invariants(results: Results) -> list[Quantity]:
    """At most three invariants, and the attitude error."""
    *found, last = list_invariants(results)
    return [*found[: PLOTS - 1], last]


def motion_quantities(results: Results, vector: str) -> list[Quantity]:
    """The components of Ω or Π in the body, and its length."""
    exact = results.exact
    name, attribute = {"Ω": ("Angular velocity", "Omega"), "Π": ("Body momentum", "Pi")}[vector]

    def quantity(
        title: str, symbol: str, take: Callable[[Array], Array], *measure: Any
    ) -> Quantity:
        return Quantity(
            title,
            symbol,
            lambda line: (line.run.t, take(getattr(line.run, attribute))),
            exact=None if exact is None else (exact.t, take(getattr(exact, attribute))),
            error=False,
            measure=measure,
        )

    axes = [
        quantity(
            f"{name} {vector}{'₁₂₃'[i]}",
            f"about body axis {i + 1}",
            itemgetter((slice(None), i)),
            "component",
            attribute,
            i,
        )
        for i in range(3)
    ]
    return [*axes, quantity(f"{name} |{vector}|", "its length", length, "length", attribute)]


def attitude_quantities(results: Results) -> list[Quantity]:
    """The attitude error, and the errors of the components of π."""
    steady = "pi" in results.problem.invariants
    whole = divisor_of(first_size("pi", results)) if steady else None

    def component(i: int) -> Quantity:
        symbol = f"π{'₁₂₃'[i]}"

        def curve(line: RunLine) -> Curve | None:
            run = line.run
            if steady:
                return run.t, run.pi[:, i] - run.pi[0, i]
            error = line.error
            if error is None:
                return None
            away = run.pi[error.rows, i] - error.against.pi[error.reference_rows, i]
            return longest_known_part(error.t, np.where(np.isnan(error.pi), np.nan, away))

        return Quantity(
            f"Momentum error, axis {i + 1}",
            f"Δ{symbol}" if steady else f"{symbol} − {symbol}ₑₓ",
            curve,
            relative=f"Δ{symbol} / ‖π₀‖",
            whole=whole,
            signed=True,
            measure=("shift" if steady else "gap", "pi", i),
        )

    return [ATTITUDE, component(0), component(1), component(2)]


GROUPS = {
    "What is kept": Group(lambda results, vector: main_invariants(results)),
    "Motion": Group(motion_quantities, ("vector",)),
    "Attitude": Group(lambda results, vector: attitude_quantities(results)),
    "Steps": Group(
        lambda results, vector: [ORTHOGONALITY, INCREMENT, SPECTRAL, BODY_MOMENTUM], ("axis",)
    ),
}

# -------------------------------------------------------------------------------------------------
# the ledger


def list_columns(results: Results) -> Iterator[LedgerColumn]:
    """The columns of a body; that of momentum depends on what the motion conserves."""
    kept = results.problem.invariants
    momentum = "|Δπ|/|π₀|" if "pi" in kept else "|Δ(π·e₃)|" if "pi_e3" in kept else "|Δπ|"
    yield LedgerColumn("momentum", f"max\n{momentum}")
    if "pi_chi" in kept:
        yield LedgerColumn(
            "pi_chi", "max\n|Δ(π·χ)|", "The largest change of the momentum about the body's axis."
        )
    for one in conserved_integrals(results):
        yield LedgerColumn(one.key, f"max\n|Δ{one.symbol}|", f"The largest change of {one.words}.")
    yield LedgerColumn("attitude", "attitude\nerror")


def fill_cells(one: RunLine, results: Results) -> dict[str, LedgerCell]:
    """The cells of a method."""
    run = one.run
    kept = results.problem.invariants
    found = common_cells(run)
    largest = float(np.linalg.norm(run.pi, axis=1).max())  # what roundoff is relative to
    if "energy" not in kept:
        found["energy"] = found["drift"] = LedgerCell(
            None, "–", "The motion need not conserve the energy"
        )
    if "pi" in kept:
        found["momentum"] = deviation_cell(
            run, "pi", scale=scale_of(float(np.linalg.norm(run.pi[0])))
        )
    elif "pi_e3" in kept:
        found["momentum"] = deviation_cell(run, "pi_e3", largest)
    if "pi_chi" in kept:
        found["pi_chi"] = deviation_cell(run, "pi_chi", largest)
    for integral in conserved_integrals(results):
        found[integral.key] = deviation_cell(run, integral.key, abs(run.first(integral.key)))
    if one.error is not None and one.error.rows[-1] == len(run) - 1:
        found["attitude"] = attitude_cell(run, one.error)
    elif results.no_exact:
        found["attitude"] = LedgerCell(
            None, "…" if results.exact_is_pending else "–", results.no_exact
        )
    return found


def attitude_cell(run: Run, error: Errors) -> LedgerCell:
    """The attitude error at the end, unless it is unknown, or noise because the phase is lost."""
    off = float(error.attitude[-1])
    about = f"{format_measured(math.degrees(off), 3)}° at t = {show(error.t[-1], 6)}"
    if error.phase_lost >= 0:
        return LedgerCell(
            None, PHASE_LOST, f"{about}; from t = {show(error.phase_lost)} on this error is noise"
        )
    if math.isnan(off):
        return LedgerCell(None, "–", error.message)
    return replace(format_deviation(run, off, roundoff(run), run.method.key == EXACT), about=about)


def name_invariants(results: Results) -> list[tuple[str, str]]:
    """The columns and names of the invariants in the ledger."""
    kept = results.problem.invariants
    found = [("energy", "energy")] if "energy" in kept else []
    found += (
        [("momentum", "momentum" if "pi" in kept else "π·e₃")]
        if {"pi", "pi_e3"} & set(kept)
        else []
    )
    found += [("pi_chi", "π·χ")] if "pi_chi" in kept else []
    return [*found, *((one.key, one.name) for one in conserved_integrals(results))]


LEDGER = Ledger(list_columns, fill_cells, name_invariants)
