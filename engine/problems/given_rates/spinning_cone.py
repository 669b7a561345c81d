"""A body that spins about its axis, while the axis describes a cone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import pi, radians, sin
from typing import Any

import numpy as np

from ...parameters.parameter import Number, Parameter
from ...parameters.validation import Array
from ...text import bibtex
from .coning import CONE_PARAMETERS, CONING, find_attitudes, settle_on_cone
from .given import Given, Solution, given_rates
from .rotations import turn_by

SPIN = 5.0
"""Turns about the axis in a unit of time."""


def find_spinning_attitudes(cone: float, pulsation: float, spin: float, t: Array) -> Array:
    """(n, 3, 3) the attitudes on the cone, each turned about its third axis by the spin."""
    own = np.stack([np.zeros_like(t), np.zeros_like(t), spin * t], axis=-1)
    return find_attitudes(cone, pulsation, t) @ turn_by(own)


def solve_spinning_cone(values: Mapping[str, Any]) -> Solution:
    """The attitudes of this cone and spin."""
    cone, pulsation = radians(values["cone"]), 2.0 * pi * values["frequency"]
    spin = 2.0 * pi * values["spin"]
    find = partial(find_spinning_attitudes, cone, pulsation, spin)
    return Solution(find, pulsation * sin(cone) + abs(spin))


@given_rates(
    key="spinning-cone",
    name="Spinning cone",
    group="Gyroscopes",
    place=2,
    summary="A body spins about its axis, while the axis describes a cone, as a top or a shell in flight does.",
    words="gyroscope nutation precession projectile spin",
    R0=(radians(CONE_PARAMETERS[0].default), 0.0, 0.0),
    dt=0.001,
    duration=1.0,
    equations=r"""\omega = \left(-\Omega \sin\theta \sin(\Omega - s) t,\ \Omega \sin\theta \cos(\Omega - s) t,\;
        s - 2 \Omega \sin^2\tfrac\theta2\right)""",
    reference=bibtex("Miller1983"),
    specific=(
        *CONE_PARAMETERS,
        Parameter(
            "spin",
            Number(-1e9, 1e9),
            "the turns of the body about its axis in a unit of time, s/2π",
            SPIN,
            "Hz",
            "Spin s/2π",
        ),
    ),
    settle=settle_on_cone,
    solve=solve_spinning_cone,
)
def spinning_cone(values: Mapping[str, Any], /) -> Given:
    """The rates of this cone and spin."""
    cone, pulsation = pi / 180.0 * values["cone"], 2.0 * pi * values["frequency"]
    spin = 2.0 * pi * values["spin"]
    half = sin(0.5 * cone)
    about = spin - 2.0 * pulsation * half * half
    return Given(CONING, (pulsation * sin(cone), about, pulsation - spin))
