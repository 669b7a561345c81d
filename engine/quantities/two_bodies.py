"""Quantities of two bodies: their invariants, the orbit, and the rotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .conserved import CONSERVED
from .formulas import change, distance, itself, length
from .quantity import DEGREES, Quantity, quantity

ORBIT, ROTATION = "Orbit", "Rotation"


def _declare(
    key: str, title: str, symbol: str, function: Callable[..., float], *reads: str, **more: Any
) -> Quantity:
    return quantity(key=key, title=title, symbol=symbol, reads=reads, space="se3", **more)(function)


def _declare_momentum(key: str, title: str, letter: str) -> None:
    symbol = f"‖{letter} − {letter}₀‖"
    _declare(
        key,
        title,
        symbol,
        distance,
        key,
        f"{key}0",
        divisor=key,
        relative=f"{symbol} / ‖{letter}₀‖",
        groups=(CONSERVED,),
    )


def larger(x: float, y: float) -> float:
    """The larger of two numbers."""
    return max(x, y)


_declare(
    "energy",
    "Energy error",
    "ΔE",
    change,
    "energy",
    "energy0",
    divisor="energy",
    relative="ΔE / E₀",
    groups=(CONSERVED,),
    signed=True,
)
_declare_momentum("linear_momentum", "Linear momentum error", "p")
_declare_momentum("angular_momentum", "Angular momentum error", "π")
_declare(
    "orthogonality",
    "Orthogonality",
    "‖RᵀR − 1‖",
    larger,
    "orthogonality1",
    "orthogonality2",
    groups=(CONSERVED,),
)

_declare(
    "attitude",
    "Place error",
    "distance of body 1 from its place in the exact motion",
    distance,
    "x1",
    "x1_exact",
    groups=(),
)

_of_orbit: dict[str, Any] = {"groups": (ORBIT,), "error": False}
_declare("centres", "Distance of the centres", "‖x₁ − x₂‖", distance, "x1", "x2", **_of_orbit)
_declare(
    "nearest",
    "Nearest masses",
    "least distance of a mass of one from one of the other",
    itself,
    "distance",
    **_of_orbit,
)
_declare("speed", "Relative speed", "‖v₁ − v₂‖", distance, "v1", "v2", **_of_orbit)
_declare("energy-value", "Energy", "E", itself, "energy", **_of_orbit)

for _i in "12":
    _declare(
        f"Omega{_i}",
        f"Angular velocity of body {_i}",
        f"|Ω{'₁₂'[int(_i) - 1]}|",
        length,
        f"Omega{_i}",
        groups=(ROTATION,),
        error=False,
    )
for _i in "12":
    _declare(
        f"increment{_i}",
        f"Rotation of body {_i} per step",
        "angle, °",
        itself,
        f"increment{_i}",
        groups=(ROTATION,),
        error=False,
        factor=DEGREES,
        of_steps=True,
    )
