"""What is plotted against time: what each method keeps, how the body moves, how far it is from the exact motion.

Nothing here knows how it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .results import Line, Ran, Results, scale

Array = NDArray[np.float64]
Curve = tuple[Array, Array]
"""Times and values."""

PLOTS = 4
"""Quantities of each group."""


@dataclass(frozen=True)
class Quantity:
    """Something that is plotted against time, one curve for each method.

    Attributes
    ----------
    title, symbol : what it is called, and its formula, as it is and relative to what it starts from.
    curve : the times and values of a method's run; None where there is none.
    exact : the same of the exact motion, where that is a curve of its own.
    whole : what a relative deviation is relative to; None if it is not taken relative to anything.
    error : whether it is a deviation, best seen on a logarithmic axis; else it is drawn as it is.
    """

    title: str
    symbol: str
    curve: Callable[[Ran], Curve | None]
    relative: str = ""
    exact: Curve | None = None
    whole: float | None = None
    error: bool = True
    signed: bool = False

    def formula(self, log: bool, relative: bool) -> str:
        """Its formula, as the axis shows it."""
        text = self.relative if relative and self.relative else self.symbol
        return f"|{text}|" if log and self.error and self.signed else text

    def values(self, line: Line | None, relative: bool) -> Curve | None:
        """The curve of a method, relative or as it is."""
        curve = self.curve(line) if isinstance(line, Ran) else None
        if curve is None or not relative or self.whole is None:
            return curve
        return curve[0], curve[1] / self.whole


INVARIANTS = {
    "energy": ("Energy error", "ΔE", "ΔE / E₀"),
    "pi_e3": ("Momentum about the vertical", "Δ(π·e₃)", "Δ(π·e₃) / π₀·e₃"),
    "pi_chi": ("Momentum about the body's axis", "Δ(π·χ)", "Δ(π·χ) / π₀·χ₀"),
    "casimir": ("Casimir", "Δ|Π|²", "Δ|Π|² / |Π₀|²"),
    "gamma_norm": ("Length of Γ = Rᵀe₃", "Δ|Γ|", "Δ|Γ| / |Γ₀|"),
}


def _deviation(name: str, results: Results) -> Quantity:
    """By how much an invariant has left its first value."""

    def series(line: Ran) -> Array:
        return line.run.energy if name == "energy" else line.run.observed[name]

    title, symbol, relative = INVARIANTS[name]
    first = next((abs(float(series(line)[0])) for line in results.runs), 0.0)
    # A number that starts at nothing has nothing to be relative to.
    of_it = first == scale(first)
    return Quantity(
        title,
        symbol,
        lambda line: (line.run.t, series(line) - series(line)[0]),
        relative=relative if of_it else "",
        whole=first if of_it else None,
        signed=True,
    )


def _momentum(results: Results) -> Quantity:
    whole = float(np.linalg.norm(results.problem.R0 @ results.problem.Pi0))
    return Quantity(
        "Momentum error",
        "‖π − π₀‖",
        lambda line: (line.run.t, _length(line.run.pi - line.run.pi[0])),
        relative="‖π − π₀‖ / ‖π₀‖" if whole == scale(whole) else "",
        whole=whole if whole == scale(whole) else None,
    )


def _against_exact(title: str, symbol: str, name: str, unit: str = "") -> Quantity:
    """One of the errors against the exact motion."""
    return Quantity(
        title,
        f"{symbol}{', ' * bool(unit)}{unit}",
        lambda line: (line.error.t, getattr(line.error, name)) if line.error is not None else None,
    )


ATTITUDE = _against_exact("Attitude error", "angle to the exact solution", "attitude", "rad")
BODY_MOMENTUM = _against_exact("Body momentum error", "‖Π − Πₑₓ‖", "Pi")
SPACE_MOMENTUM = _against_exact("Momentum error", "‖π − πₑₓ‖", "pi")
SPECTRAL = _against_exact("Attitude error, spectral norm", "‖R − Rₑₓ‖₂", "spectral")
AGAINST_EXACT = (ATTITUDE, BODY_MOMENTUM, SPACE_MOMENTUM, SPECTRAL)
ORTHOGONALITY = Quantity("Orthogonality", "‖RᵀR − 1‖", lambda line: (line.run.t, line.run.orthogonality))
INCREMENT = Quantity(
    "Rotation per step",
    "angle of one step, °",
    lambda line: (line.run.t[1:], np.degrees(line.run.increment[1:])),
    error=False,
)


def kept(results: Results) -> list[Quantity]:
    """What the problem keeps, three of it at most, and the attitude error."""
    has = results.problem.invariants
    found = [_deviation("energy", results)] if "energy" in has else []
    found += [_momentum(results)] if "pi" in has else []
    found += [_deviation(name, results) for name in ("pi_e3", "pi_chi", "casimir") if name in has]
    found += [SPACE_MOMENTUM] if "pi" not in has and results.exact is not None else []
    found += [_deviation("gamma_norm", results)] if "gamma_norm" in has else []
    return [*(found + [ORTHOGONALITY, SPECTRAL, BODY_MOMENTUM])[: PLOTS - 1], ATTITUDE]


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
    return [*axes, seen(f"{name} |{vector}|", "its length", _length)]


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
            if results.exact is None:
                return None
            n = min(len(run.t), len(results.exact.t))
            same = np.abs(run.t[:n] - results.exact.t[:n]) < 1e-9 * run.dt
            return run.t[:n][same], (run.pi[:n, i] - results.exact.pi[:n, i])[same]

        return Quantity(
            f"Spatial momentum error, axis {i + 1}",
            f"Δ{symbol}" if steady else f"{symbol} − {symbol}ₑₓ",
            curve,
            relative=f"Δ{symbol} / ‖π₀‖" if relative else "",
            whole=whole if relative else None,
            signed=True,
        )

    return [ATTITUDE, component(0), component(1), component(2)]


GROUPS: dict[str, Callable[[Results, str], list[Quantity]]] = {
    "What is kept": lambda results, vector: kept(results),
    "Motion": motion,
    "Attitude": lambda results, vector: attitude(results),
    "Steps": lambda results, vector: [ORTHOGONALITY, INCREMENT, SPECTRAL, BODY_MOMENTUM],
}


def _length(v: Array) -> Array:
    return np.sqrt(np.square(v).sum(axis=1))


def table(results: Results, quantity: Quantity, relative: bool) -> pd.DataFrame:
    """All kept values of a quantity, a column for each method and for the exact motion, by time."""
    curves = {line.label: quantity.values(line, relative) for line in results.runs}
    if quantity.exact is not None:
        curves["exact"] = quantity.exact
    columns = [pd.Series(c[1], index=c[0], name=label) for label, c in curves.items() if c is not None]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    return frame.rename_axis("t").sort_index()
