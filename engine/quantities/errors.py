"""Errors against the exact motion, and the rotation in a step."""

from __future__ import annotations

from ..algebra import Mat3, Vec3, norm
from ..algebra import spectral_norm as largest_singular_value
from .conserved import CONSERVED, STEPS
from .formulas import angle_between, change, itself
from .quantity import DEGREES, quantity

ATTITUDE = "Attitude"

quantity(
    key="increment",
    title="Rotation per step",
    symbol="angle of one step, °",
    reads=("increment",),
    groups=(STEPS,),
    error=False,
    factor=DEGREES,
    of_steps=True,
)(itself)


@quantity(
    key="spectral",
    title="Attitude error, spectral norm",
    symbol="‖R − Rₑₓ‖₂",
    groups=(CONSERVED, STEPS),
)
def spectral_error(R: Mat3, R_exact: Mat3) -> float:
    """‖R − R_exact‖₂, the largest singular value."""
    return largest_singular_value(R - R_exact)


@quantity(
    key="body-momentum",
    title="Body momentum error",
    symbol="‖Π − Πₑₓ‖",
    groups=(CONSERVED, STEPS),
)
def body_momentum_error(J: Mat3, Ω: Vec3, Ω_exact: Vec3) -> float:
    """|Π − Π_exact| in the body's frame."""
    return norm(J @ (Ω - Ω_exact))


attitude_error = quantity(
    key="attitude",
    title="Attitude error",
    symbol="angle to the exact motion, rad",
    reads=("R", "R_exact"),
    groups=(CONSERVED, ATTITUDE),
)(angle_between)


for _axis, _number, _index in zip("xyz", "123", "₁₂₃", strict=True):
    _title = f"Momentum error, axis {_number}"
    quantity(
        key=f"pi{_number}",
        title=_title,
        symbol=f"Δπ{_index}",
        relative=f"Δπ{_index} / ‖π₀‖",
        reads=(f"π.{_axis}", f"π0.{_axis}"),
        divisor="pi",
        groups=(ATTITUDE,),
        conserved="pi",
        signed=True,
    )(change)
    quantity(
        key=f"pi{_number}-error",
        title=_title,
        symbol=f"π{_index} − π{_index}ₑₓ",
        reads=(f"π.{_axis}", f"π_exact.{_axis}"),
        groups=(ATTITUDE,),
        changing="pi",
        signed=True,
    )(change)
