"""Quantities of two bodies: their invariants, the orbit, and the rotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algebra import Mat3, Vec3, norm
from .conserved import CONSERVED
from .formulas import angle_between, change, distance, itself, length
from .quantity import DEGREES, Quantity, quantity

ORBIT, ROTATION, AGAINST_EXACT = "Orbit", "Rotation", "Attitude and place"


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


def larger_angle(R: Mat3, R_exact: Mat3, S: Mat3, S_exact: Mat3) -> float:
    """The larger of two angles between attitudes."""
    return max(angle_between(R, R_exact), angle_between(S, S_exact))


def distance_apart(x: Vec3, y: Vec3, x_exact: Vec3, y_exact: Vec3) -> float:
    """|(x − y) − (x − y)_exact|."""
    return norm((x - y) - (x_exact - y_exact))


pair_attitude_error = _declare(
    "attitude",
    "Attitude error",
    "larger angle to the exact motion, rad",
    larger_angle,
    *("R1", "R1_exact", "R2", "R2_exact"),
    groups=(CONSERVED,),
)
pair_attitude_errors = [
    _declare(
        f"attitude{i}",
        f"Attitude error of body {i}",
        "angle to the exact motion, rad",
        angle_between,
        f"R{i}",
        f"R{i}_exact",
        groups=(AGAINST_EXACT,),
    )
    for i in (1, 2)
]
place_error = _declare(
    "place",
    "Place error",
    "‖x₁ − x₂ − (x₁ − x₂)ₑₓ‖",
    distance_apart,
    *("x1", "x2", "x1_exact", "x2_exact"),
    groups=(AGAINST_EXACT,),
)


def larger(x: float, y: float) -> float:
    """The larger of two numbers."""
    return max(x, y)


_declare(
    "orthogonality",
    "Orthogonality",
    "‖RᵀR − 1‖",
    larger,
    "orthogonality1",
    "orthogonality2",
    groups=(CONSERVED, AGAINST_EXACT),
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
