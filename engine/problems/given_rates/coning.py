"""Pure coning: the axis of a body describes a cone, and the body does not turn about it.

The test motion of strapdown algorithms: its rates have the constant size 2 Ω sin(θ/2), their mean is
not the rate of the attitude, and an update that takes the rates of a step for constant drifts about the
axis of the cone by Ω (1 − cos θ) less its own share.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import cos, pi, radians, sin
from typing import Any

import numpy as np

from ...algebra import Vec3
from ...parameters.parameter import Number, Parameter
from ...parameters.validation import Array
from ...text import bibtex
from ..field import Rate
from .given import Given, Solution, given_rates
from .rotations import turn_by

CONE, FREQUENCY = 2.0, 50.0
"""Half the opening of the cone in degrees, and its turns in a unit of time."""


def velocity(t: float, p: Any) -> Vec3:
    """A rate of size p₀ that turns in the plane of the first two axes with the pulsation p₂, and p₁
    about the third axis.
    """
    phase = p[2] * t
    return Vec3(-p[0] * sin(phase), p[0] * cos(phase), p[1])


def turn(t: float, h: float, p: Any) -> Vec3:
    """The integral of the rate from t to t + h."""
    half = 0.5 * p[2] * h
    middle = p[2] * (t + 0.5 * h)
    chord = p[0] * h * (sin(half) / half if half * half > 0.0 else 1.0)
    return Vec3(-chord * sin(middle), chord * cos(middle), p[1] * h)


CONING = Rate("coning", velocity, turn)


def find_attitudes(cone: float, pulsation: float, t: Array) -> Array:
    """(n, 3, 3) the turns by θ about axes (cos Ωt, sin Ωt, 0)."""
    phase = pulsation * t
    return turn_by(cone * np.stack([np.cos(phase), np.sin(phase), np.zeros_like(phase)], axis=-1))


def settle_on_cone(values: Mapping[str, Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A start on the cone, whose axis is then the vertical."""
    return {"R0": (radians(values["cone"]), 0.0, 0.0)} if "cone" in given else {}


def solve_coning(values: Mapping[str, Any]) -> Solution:
    """The attitudes of this cone."""
    cone, pulsation = radians(values["cone"]), 2.0 * pi * values["frequency"]
    return Solution(partial(find_attitudes, cone, pulsation), pulsation * sin(cone))


CONE_PARAMETERS = (
    Parameter(
        "cone",
        Number(1e-9, 90.0),
        "half the opening θ of the cone, in degrees",
        CONE,
        "°",
        "Cone θ, half its opening",
    ),
    Parameter(
        "frequency",
        Number(1e-9, 1e9),
        "how often the axis goes round the cone in a unit of time, Ω/2π",
        FREQUENCY,
        "Hz",
        "Frequency Ω/2π",
    ),
)


@given_rates(
    key="coning",
    name="Coning",
    group="Gyroscopes",
    place=1,
    summary="The axis of a body describes a cone, while the body does not turn about it: the classical test of "
    "attitude updates.",
    words="gyroscope IMU drone vibration strapdown drift",
    R0=(radians(CONE), 0.0, 0.0),
    dt=0.001,
    duration=1.0,
    equations=r"""\omega = \Omega \left(-\sin\theta \sin\Omega t,\ \sin\theta \cos\Omega t,\;
        -2 \sin^2\tfrac\theta2\right), \quad
        R(t) = \exp\left(\theta\,(\cos\Omega t, \sin\Omega t, 0)\right)""",
    reference=bibtex("Miller1983"),
    specific=CONE_PARAMETERS,
    settle=settle_on_cone,
    solve=solve_coning,
)
def coning(values: Mapping[str, Any], /) -> Given:
    """The rates of this cone."""
    cone, pulsation = pi / 180.0 * values["cone"], 2.0 * pi * values["frequency"]
    half = sin(0.5 * cone)
    return Given(CONING, (pulsation * sin(cone), -2.0 * pulsation * half * half, pulsation))
