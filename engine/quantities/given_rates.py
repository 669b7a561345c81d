"""Quantities of an attitude with given rates: its errors, the length of what is carried, the rates."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from ..algebra import Mat3, log, nearest_rotation
from .conserved import CONSERVED, STEPS
from .errors import ATTITUDE
from .formulas import angle_between, itself, length
from .motion import MOTION
from .quantity import DEGREES, Between, Quantity, quantity

DEGREES_AN_HOUR = 3600.0 * DEGREES
"""The factor of radians in a second to degrees in an hour."""


def _declare(
    key: str, title: str, symbol: str, function: Callable[..., float], *reads: str, **more: Any
) -> Quantity:
    return quantity(key=key, title=title, symbol=symbol, reads=reads, space="rates", **more)(
        function
    )


def excess(x: float) -> float:
    """x − 1."""
    return x - 1.0


RIGHT_ANGLE = pi / 2
"""The largest error of which a drift is drawn. A larger one may be one of several turns, since
rotations differ by 180° at most.
"""
HUGE = 1e300
"""In place of the drift of a larger error: the curve ends there."""


def drift(R: Mat3, S: Mat3, t: float) -> float:
    """The angle between two rotations divided by the time; 0 at the start."""
    angle = angle_between(R, S)
    return HUGE if angle > RIGHT_ANGLE else angle / t if t > 0.0 else 0.0


def error_1(R: Mat3, S: Mat3) -> float:
    """The first component in space of the turn from S to R."""
    return log(nearest_rotation(R) @ S.T).x


def error_2(R: Mat3, S: Mat3) -> float:
    """The second one."""
    return log(nearest_rotation(R) @ S.T).y


def error_3(R: Mat3, S: Mat3) -> float:
    """The third one."""
    return log(nearest_rotation(R) @ S.T).z


_declare(
    "attitude",
    "Attitude error",
    "angle to the exact motion, rad",
    angle_between,
    "R",
    "R_exact",
    groups=(CONSERVED, ATTITUDE),
    between=Between(
        "Attitude difference",
        "angle between two methods, rad",
        "The angle between the attitude of a method and that of the method of the highest order.",
    ),
)
_declare(
    "drift",
    "Drift",
    "attitude error / time, °/h, up to 90°",
    drift,
    "R",
    "R_exact",
    "t",
    groups=(CONSERVED,),
    factor=DEGREES_AN_HOUR,
    limit=HUGE,
    means="The attitude error divided by the time, in degrees an hour. The curve ends where the error exceeds 90°: "
    "a rotation does not show whole turns. The table has the drift of the whole run.",
    between=Between(
        "Difference over time",
        "attitude difference / time, °/h, up to 90°",
        "The attitude difference divided by the time, in degrees an hour.",
    ),
)
_declare(
    "orthogonality",
    "Orthogonality",
    "‖RᵀR − 1‖",
    itself,
    "orthogonality",
    groups=(CONSERVED, STEPS),
)
_declare(
    "norm",
    "Length of the quaternion",
    "‖q‖ − 1",
    excess,
    "norm",
    groups=(CONSERVED, STEPS),
    signed=True,
    means="The length of the quaternion that a method carries, less 1; of a matrix ‖R‖/√3 − 1.",
)
error_components = tuple(
    _declare(
        f"error{i + 1}",
        f"Attitude error about axis {i + 1}",
        f"ε{'₁₂₃'[i]}, rad",
        one,
        "R",
        "R_exact",
        groups=(ATTITUDE,),
        signed=True,
        means="A component in space of the rotation vector from the exact attitude to the method's, of at most 180°.",
        between=Between(
            f"Attitude difference about axis {i + 1}",
            f"δ{'₁₂₃'[i]}, rad",
            "A component in space of the rotation vector from the attitude of the method of the highest order.",
        ),
    )
    for i, one in enumerate((error_1, error_2, error_3))
)
"""The rotation vector in space from the exact attitude to that of a run."""
for _axis, _number, _index in zip("xyz", "123", "₁₂₃", strict=True):
    _declare(
        f"Omega{_number}",
        f"Angular velocity ω{_index}",
        f"about body axis {_number}, rad/s",
        itself,
        f"Ω.{_axis}",
        groups=(MOTION,),
        error=False,
    )
_declare(
    "Omega", "Angular velocity |ω|", "its length, rad/s", length, "Ω", groups=(MOTION,), error=False
)
_declare(
    "increment",
    "Rotation per step",
    "angle of one step, °",
    itself,
    "increment",
    groups=(STEPS,),
    error=False,
    factor=DEGREES,
    of_steps=True,
)
