"""What is plotted and told of one body: what methods keep, how it moves, how far from the exact motion it is.

Nothing here knows how it is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter

import numpy as np

from engine.checks import Array
from engine.field import Integral
from engine.onebody import Run
from engine.wording import in_digits, short

from .ledger import (
    DRIFT,
    ENERGY,
    NEWTON,
    NO_ROTATION,
    SPEED,
    Ledger,
    LedgerCell,
    LedgerColumn,
    costs,
    deviation,
    energies,
    of_singles,
    roundoff,
    told,
)
from .quantities import (
    ORTHOGONALITY,
    PLOTS,
    Curve,
    Group,
    Quantity,
    departure,
    energy,
    length,
    vector_departure,
)
from .results import Ran, Results, scale

# ------------------------------------------------------------------------------------------------- the plots

INVARIANTS = {
    "pi_e3": ("Momentum about the vertical", "Δ(π·e₃)", "Δ(π·e₃) / π₀·e₃"),
    "pi_chi": ("Momentum about the body's axis", "Δ(π·χ)", "Δ(π·χ) / π₀·χ₀"),
    "casimir": ("Casimir", "Δ|Π|²", "Δ|Π|² / |Π₀|²"),
    "gamma_norm": ("Length of Γ = Rᵀe₃", "Δ|Γ|", "Δ|Γ| / |Γ₀|"),
}


def of_invariant(name: str, results: Results) -> Quantity:
    """By how much one of `INVARIANTS` has left its first value."""
    return departure(*INVARIANTS[name], name, results)


def further(results: Results) -> list[Quantity]:
    """By how much they have left their first values."""
    return [
        departure(one.title, *one.changes, one.key, results, f"The change of {one.words}.")
        for one in kept_integrals(results)
    ]


def kept_integrals(results: Results) -> list[Integral]:
    """The further integrals that the motion keeps."""
    problem = results.problem
    return [one for one in problem.integrals if one.key in problem.invariants]


def momentum(results: Results) -> Quantity:
    """How far the momentum in space has gone from where it began."""
    whole = float(np.linalg.norm(results.problem.R0 @ results.problem.Pi0))
    return vector_departure("Momentum error", "π", "pi", whole)


def _against_exact(title: str, symbol: str, name: str, unit: str = "", part: str = "") -> Quantity:
    """One of the errors against the exact motion."""
    return Quantity(
        title,
        f"{symbol}{', ' * bool(unit)}{unit}",
        lambda line: where_known(line.error.t, getattr(line.error, name)) if line.error is not None else None,
        part=part,
    )


def where_known(t: Array, error: Array) -> Curve | None:
    """The longest stretch in which the error is known; None if it is nowhere."""
    ends = np.flatnonzero(np.diff(np.isfinite(error), prepend=False, append=False)).reshape(-1, 2)
    if not len(ends):
        return None
    first, last = ends[np.diff(ends, axis=1).argmax()]
    return t[first:last], error[first:last]


ATTITUDE = _against_exact("Attitude error", "angle to the exact solution", "attitude", "rad", "attitude")
BODY_MOMENTUM = _against_exact("Body momentum error", "‖Π − Πₑₓ‖", "Pi")
SPACE_MOMENTUM = _against_exact("Momentum error", "‖π − πₑₓ‖", "pi")
SPECTRAL = _against_exact("Attitude error, spectral norm", "‖R − Rₑₓ‖₂", "spectral")
INCREMENT = Quantity(
    "Rotation per step",
    "angle of one step, °",
    lambda line: (line.run.t[1:], np.degrees(line.run.increment[1:])),
    error=False,
)


def all_kept(results: Results) -> list[Quantity]:
    """What the problem keeps, and the errors against the exact motion; the attitude error is the last."""
    has = results.problem.invariants
    found = [energy(results)] if "energy" in has else []
    found += further(results)
    found += [momentum(results)] if "pi" in has else []
    found += [of_invariant(name, results) for name in ("pi_e3", "pi_chi", "casimir") if name in has]
    found += [SPACE_MOMENTUM] if "pi" not in has and (results.exact is not None or results.awaited) else []
    found += [of_invariant("gamma_norm", results)] if "gamma_norm" in has else []
    return [*found, ORTHOGONALITY, SPECTRAL, BODY_MOMENTUM, ATTITUDE]


def kept(results: Results) -> list[Quantity]:
    """What the problem keeps, three of it at most, and the attitude error."""
    *found, last = all_kept(results)
    return [*found[: PLOTS - 1], last]


def motion(results: Results, vector: str) -> list[Quantity]:
    """Ω or Π in the body, by component, and its length."""
    exact = results.exact
    name, attribute = {"Ω": ("Angular velocity", "Omega"), "Π": ("Body momentum", "Pi")}[vector]

    def seen(title: str, symbol: str, take: Callable[[Array], Array]) -> Quantity:
        return Quantity(
            title,
            symbol,
            lambda line: (line.run.t, take(getattr(line.run, attribute))),
            exact=None if exact is None else (exact.t, take(getattr(exact, attribute))),
            error=False,
        )

    axes = [
        seen(f"{name} {vector}{'₁₂₃'[i]}", f"about body axis {i + 1}", itemgetter((slice(None), i))) for i in range(3)
    ]
    return [*axes, seen(f"{name} |{vector}|", "its length", length)]


def attitude(results: Results) -> list[Quantity]:
    """The attitude error, and the error of the momentum in space by component."""
    steady = "pi" in results.problem.invariants
    whole = float(np.linalg.norm(results.problem.R0 @ results.problem.Pi0))
    relative = steady and whole == scale(whole)

    def component(i: int) -> Quantity:
        symbol = f"π{'₁₂₃'[i]}"

        def curve(line: Ran) -> Curve | None:
            run = line.run
            if steady:
                return run.t, run.pi[:, i] - run.pi[0, i]
            error = line.error
            if error is None:
                return None
            away = run.pi[error.rows, i] - error.against.pi[error.there, i]
            return where_known(error.t, np.where(np.isnan(error.pi), np.nan, away))

        return Quantity(
            f"Spatial momentum error, axis {i + 1}",
            f"Δ{symbol}" if steady else f"{symbol} − {symbol}ₑₓ",
            curve,
            relative=f"Δ{symbol} / ‖π₀‖" if relative else "",
            whole=whole if relative else None,
            signed=True,
        )

    return [ATTITUDE, component(0), component(1), component(2)]


GROUPS = {
    "What is kept": Group(lambda results, vector: kept(results)),
    "Motion": Group(motion, ("vector",)),
    "Attitude": Group(lambda results, vector: attitude(results)),
    "Steps": Group(lambda results, vector: [ORTHOGONALITY, INCREMENT, SPECTRAL, BODY_MOMENTUM], ("axis",)),
}

# ------------------------------------------------------------------------------------------------- the ledger

FREE_MOMENTUM = LedgerColumn("momentum", "max\n|Δπ|/|π₀|")
VERTICAL_MOMENTUM = LedgerColumn("momentum", "max\n|Δ(π·e₃)|")
NO_MOMENTUM = LedgerColumn("momentum", "max\n|Δπ|")
OTHERS = (
    LedgerColumn("attitude", "attitude\nerror"),
    NO_ROTATION,
    LedgerColumn("torques", "torques\na step"),
    NEWTON,
    SPEED,
)


def columns(results: Results) -> tuple[LedgerColumn, ...]:
    """The columns; which momentum there is to keep is a matter of the problem."""
    kept = results.problem.invariants
    momentum = FREE_MOMENTUM if "pi" in kept else VERTICAL_MOMENTUM if "pi_e3" in kept else NO_MOMENTUM
    further = (
        LedgerColumn(one.key, f"max\n|Δ{one.symbol}|", f"The largest change of {one.words}.")
        for one in kept_integrals(results)
    )
    return (ENERGY, DRIFT, momentum, *further, *OTHERS)


def cells(one: Ran, results: Results) -> dict[str, LedgerCell]:
    """A method's numbers, by the keys of the columns."""
    run, kept = one.run, results.problem.invariants
    found: dict[str, LedgerCell] = {}
    if "energy" in kept:
        found |= energies(run)
    else:
        found["energy"] = found["drift"] = LedgerCell(None, "–", "The torque changes the energy here")
    if "pi" in kept:
        found["momentum"] = told(deviation(run, "pi") / scale(float(np.linalg.norm(run.pi[0]))), roundoff(run))
    elif "pi_e3" in kept:
        largest = float(np.linalg.norm(run.pi, axis=1).max())  # what its roundoff is relative to
        found["momentum"] = told(deviation(run, "pi_e3"), roundoff(run) * max(largest, 1.0))
    for integral in kept_integrals(results):
        found[integral.key] = told(
            deviation(run, integral.key), roundoff(run) * max(abs(run.first(integral.key)), 1.0)
        )
    if one.error is not None and one.error.rows[-1] == len(run) - 1:
        off = float(one.error.attitude[-1])
        about = f"{in_digits(math.degrees(off), 3)}° at t = {short(one.error.t[-1], 6)}"
        found["attitude"] = (
            LedgerCell(None, "–", one.error.message)
            if math.isnan(off)
            else replace(told(off, roundoff(run)), about=about)
        )
    elif results.no_exact:
        found["attitude"] = LedgerCell(None, "…" if results.awaited else "–", results.no_exact)
    found["orthogonality"] = told(float(run.extrema["orthogonality"].max), roundoff(run))
    if run.method.single:
        keys = {"momentum": "pi" if "pi" in kept else "pi_e3"}
        found = {key: of_singles(cell, is_promised(run, keys.get(key, key))) for key, cell in found.items()}
    return found | costs(run)


def is_promised(run: Run, quantity: str) -> bool:
    """Whether the method declares that it keeps a quantity on this motion."""
    kept = run.problem.invariants
    needs = {"always": (), "free": ("pi",), "tops": ("pi_e3",), "symmetric tops": ("pi_e3", "pi_chi")}
    declared = run.method.conserves.get(quantity)
    free = "pi" in run.problem.invariants
    return declared is not None and (free or set(needs[declared]) <= set(kept))


def kept_here(results: Results) -> list[tuple[str, str]]:
    """What a problem keeps, of what the ledger tells: the keys of the cells, and in words."""
    kept = results.problem.invariants
    found = [("energy", "energy")] if "energy" in kept else []
    found += [("momentum", "momentum" if "pi" in kept else "π·e₃")] if {"pi", "pi_e3"} & set(kept) else []
    return [*found, *((one.key, one.name) for one in kept_integrals(results))]


LEDGER = Ledger(columns, cells, kept_here)
