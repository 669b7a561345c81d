"""A drone's flip: a quick roll, with pitch and yaw that it couples in, and the vibration of motors."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, exp, pi, sin, sqrt
from typing import Any

from ...algebra import Vec3
from ...parameters.parameter import Number, Parameter
from ..field import Rate
from .given import Given, given_rates


def velocity(t: float, p: Any) -> Vec3:
    """A roll of one turn about the time p₀ within about p₁ before and after, and a vibration of size
    p₂ and pulsation p₃.
    """
    s = (t - p[0]) / p[1]
    bump = exp(-s * s)
    phase = p[3] * t
    return Vec3(
        2.0 * sqrt(pi) / p[1] * bump + p[2] * sin(phase),
        1.2 * s * bump + p[2] * cos(phase),
        0.6 * bump + 0.25 * p[2] * sin(2.0 * phase),
    )


FLIP = Rate("drone's flip", velocity)


@given_rates(
    key="drone-flip",
    name="A drone's flip",
    group="Gyroscopes",
    place=5,
    summary="A drone rolls once in half a second, pitches and yaws a little, and its motors vibrate.",
    words="quadcopter FPV acrobatics vibration motors",
    dt=0.001,
    duration=1.0,
    equations=r"""\omega = \left(\tfrac{2\sqrt\pi}T b + v \sin \nu t,\ \tfrac65 s\, b + v \cos \nu t,\;
        \tfrac35 b + \tfrac v4 \sin 2 \nu t\right), \quad b = e^{-s^2}, \quad s = \frac{t - t_0}T""",
    specific=(
        Parameter("middle", Number(0.0, 1e9), "the middle of the flip, t₀", 0.5, "s", "Middle t₀"),
        Parameter(
            "length",
            Number(1e-6, 1e9),
            "half its duration T, in which the rate falls to a third",
            0.12,
            "s",
            "Half its duration T",
        ),
        Parameter(
            "vibration",
            Number(0.0, 1e6),
            "the size v of the vibration",
            0.5,
            "rad/s",
            "Vibration v",
        ),
        Parameter(
            "frequency",
            Number(0.0, 1e9),
            "the frequency ν/2π of the vibration",
            80.0,
            "Hz",
            "Its frequency ν/2π",
        ),
    ),
)
def drone_flip(values: Mapping[str, Any], /) -> Given:
    """The rates of this flip."""
    own = (values["middle"], values["length"], values["vibration"])
    return Given(FLIP, (*own, 2.0 * pi * values["frequency"]))
