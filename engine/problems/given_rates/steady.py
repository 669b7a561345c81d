"""Rates about an axis that stays: a constant rate, and a slew that starts and stops smoothly."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import pi, radians, sqrt
from typing import Any

import numpy as np

from ...algebra import Vec3
from ...parameters.parameter import Number, Parameter, Vector
from ...parameters.validation import Array
from ..field import Rate
from .given import Given, Solution, given_rates
from .rotations import turn_by


def constant_velocity(t: float, p: Any) -> Vec3:
    """The rate, which p is."""
    return Vec3(p[0], p[1], p[2])


def constant_turn(t: float, h: float, p: Any) -> Vec3:
    """The rate times h."""
    return h * Vec3(p[0], p[1], p[2])


CONSTANT = Rate("constant", constant_velocity, constant_turn)


def turn_steadily(rate: Array, t: Array) -> Array:
    """(n, 3, 3) the rotations by a constant rate."""
    return turn_by(t[:, None] * rate)


def solve_constant_rate(values: Mapping[str, Any]) -> Solution:
    """The rotations by this rate."""
    rate = np.array(values["omega"], dtype=float)
    return Solution(partial(turn_steadily, rate), float(np.linalg.norm(rate)))


@given_rates(
    key="constant-rate",
    name="Constant rate",
    group="Gyroscopes",
    place=3,
    summary="A turntable: the rate is constant, so that an exponential is exact at any step.",
    words="turntable calibration gyroscope scale",
    dt=0.01,
    duration=10.0,
    equations=r"\omega = \text{constant}, \quad R(t) = R_0 \exp(\omega t)",
    specific=(
        Parameter(
            "omega",
            Vector(1e9),
            "the angular velocity",
            (0.6, -0.9, 3.0),
            "rad/s",
            "Angular velocity ω",
        ),
    ),
    solve=solve_constant_rate,
)
def constant_rate(values: Mapping[str, Any], /) -> Given:
    """This rate."""
    return Given(CONSTANT, tuple(values["omega"]))


def part_of_slew(u: float) -> float:
    """10 u³ − 15 u⁴ + 6 u⁵, from 0 to 1 and constant beyond."""
    s = min(max(u, 0.0), 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def slew_velocity(t: float, p: Any) -> Vec3:
    """The rate along p, the rotation vector of the whole slew, behind which is its duration."""
    s = min(max(t / p[3], 0.0), 1.0)
    speed = 30.0 * s * s * (1.0 - s) * (1.0 - s) / p[3]
    return speed * Vec3(p[0], p[1], p[2])


def slew_turn(t: float, h: float, p: Any) -> Vec3:
    """The turn from t to t + h."""
    part = part_of_slew((t + h) / p[3]) - part_of_slew(t / p[3])
    return part * Vec3(p[0], p[1], p[2])


SLEW = Rate("slew", slew_velocity, slew_turn)


def turn_smoothly(whole: Array, length: float, t: Array) -> Array:
    """(n, 3, 3) the rotations by the parts of a slew."""
    s = np.clip(t / length, 0.0, 1.0)
    return turn_by((s**3 * (10.0 + s * (6.0 * s - 15.0)))[:, None] * whole)


def solve_slew(values: Mapping[str, Any]) -> Solution:
    """The rotations by the parts of this slew."""
    axis = np.array(values["about"], dtype=float)
    size, length = float(np.linalg.norm(axis)), values["length"]
    if size == 0.0:
        raise ValueError("the axis of a slew has a length")
    whole = radians(values["angle"]) * axis / size
    return Solution(partial(turn_smoothly, whole, length), 2.0 * float(abs(whole).sum()) / length)


@given_rates(
    key="slew",
    name="Slew",
    group="Gyroscopes",
    place=4,
    summary="A spacecraft or a camera turns about one axis by an angle, and starts and stops without a jerk.",
    words="spacecraft telescope gimbal camera manoeuvre rest",
    dt=0.01,
    duration=10.0,
    equations=r"""\omega = \alpha\, a\, \frac{30\, s^2 (1 - s)^2}{T}, \quad s = \frac tT, \quad
        R(t) = R_0 \exp\left(\alpha\, (10 s^3 - 15 s^4 + 6 s^5)\, a\right)""",
    specific=(
        Parameter(
            "angle",
            Number(-1e6, 1e6),
            "the angle α of the whole slew, in degrees",
            120.0,
            "°",
            "Angle α",
        ),
        Parameter("about", Vector(1e9), "the axis a in the body", (1.0, 2.0, 2.0), "", "Axis a"),
        Parameter(
            "length", Number(1e-9, 1e9), "the duration T of the slew", 8.0, "s", "Slew time T"
        ),
    ),
    solve=solve_slew,
)
def slew(values: Mapping[str, Any], /) -> Given:
    """The rates of this slew."""
    x, y, z = values["about"]
    whole = pi / 180.0 * values["angle"] / sqrt(x * x + y * y + z * z)
    return Given(SLEW, (whole * x, whole * y, whole * z, values["length"]))
