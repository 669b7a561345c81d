"""Changes of what a motion conserves: energy, momentum, Casimirs, integrals; and orthogonality."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..algebra import Diag3, Mat3, Vec3
from ..algorithms.core.method import Method
from ..problems.field import Integral
from ..problems.problem import Problem
from .formulas import change, distance, itself
from .quantity import Quantity, quantity

CONSERVED = "What is kept"
"""The group of plots with invariants and errors."""
STEPS = "Steps"


def _declare_change(
    name: str, title: str, symbol: str, function: Callable[..., float] = change, **more: Any
) -> Quantity:
    """Declare the change of an invariant since the start; of a vector, its length."""
    relative = f"{symbol} / {more.pop('start')}"
    return quantity(
        key=name,
        title=title,
        symbol=symbol,
        relative=relative,
        reads=(name, f"{name}0"),
        divisor=name,
        groups=(CONSERVED,),
        conserved=name,
        signed=function is change,
        **more,
    )(function)


energy = _declare_change("energy", "Energy error", "ΔE", start="E₀")
_declare_change("pi", "Momentum error", "‖π − π₀‖", distance, start="‖π₀‖")
_declare_change("pi_e3", "Momentum about the vertical", "Δ(π·e₃)", start="π₀·e₃")
_declare_change("pi_chi", "Momentum about the body's axis", "Δ(π·χ)", start="π₀·χ₀")
_declare_change("casimir", "Casimir", "Δ|Π|²", start="|Π₀|²")
momentum_error = quantity(
    key="momentum-error",
    title="Momentum error",
    symbol="‖π − πₑₓ‖",
    reads=("pi", "pi_exact"),
    groups=(CONSERVED,),
    changing="pi",
)(distance)
_declare_change("gamma_norm", "Length of Γ = Rᵀe₃", "Δ|Γ|", start="|Γ₀|")
orthogonality = quantity(
    key="orthogonality",
    title="Orthogonality",
    symbol="‖RᵀR − 1‖",
    reads=("orthogonality",),
    groups=(CONSERVED, STEPS),
)(itself)


def list_integrals(integrals: Sequence[Integral]) -> Iterator[Quantity]:
    """The changes of the integrals of a problem's motion."""
    for one in integrals:
        symbol, relative = one.changes
        yield Quantity(
            key=one.key,
            title=one.title,
            symbol=symbol,
            relative=relative,
            function=change,
            reads=(one.key, f"{one.key}0"),
            divisor=one.key,
            groups=(CONSERVED,),
            conserved=one.key,
            signed=True,
            means=f"The change of {one.words}.",
        )


def list_modified(problem: Problem, methods: Sequence[Method]) -> Iterator[Quantity]:
    """The changes of a free body's energy and Casimir over the divisor with which the first method
    that declares one conserves both.
    """
    method = next((one for one in methods if one.promises.divisor), None)
    if method is None or "pi" not in problem.invariants or problem.torque is not None:
        return
    for name, title, symbol in (
        ("energy", "Modified energy", "E"),
        ("casimir", "Modified Casimir", "|Π|²"),
    ):
        difference = f"Δ({symbol}/D)"
        yield Quantity(
            key=f"modified-{name}",
            title=title,
            symbol=difference,
            relative=f"{difference} / {symbol}₀",
            function=_divide(method.promises.divisor),
            reads=(name, f"{name}0", "Ω", "Ω0", "J", "axes", "dt"),
            divisor=name,
            groups=(CONSERVED,),
            signed=True,
            means=f"The change of {symbol}/D, which {method.key} conserves; D = 1 + O(Δt²), see its equations.",
        )


def _divide(divisor: Any) -> Callable[..., float]:
    """The change of a number over the divisor of a method."""

    def change_over(
        x: float, x0: float, Ω: Vec3, Ω0: Vec3, J: Mat3, axes: Mat3, dt: float
    ) -> float:
        inertia = axes.T @ J @ axes
        moments = Diag3(inertia.xx, inertia.yy, inertia.zz)
        now = divisor(moments, axes.T @ Ω, dt)
        start = divisor(moments, axes.T @ Ω0, dt)
        return x / now - x0 / start

    return change_over
