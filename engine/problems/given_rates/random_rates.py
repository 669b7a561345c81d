"""Band-limited random rates: a sum of tones with random frequencies, amplitudes and phases."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin
from typing import Any

import numpy as np

from ...algebra import Vec3
from ...parameters.parameter import Number, Parameter, Whole
from ..field import Rate
from .given import Given, given_rates

TONES = 32
NUMBERS = 7
"""The numbers of a tone: its pulsation, and the amplitude and the phase of each axis."""


def velocity(t: float, p: Any) -> Vec3:
    """The sum of the tones."""
    found = Vec3(0.0, 0.0, 0.0)
    for i in range(0, NUMBERS * TONES, NUMBERS):
        phase = p[i] * t
        found = found + Vec3(
            p[i + 1] * cos(phase + p[i + 4]),
            p[i + 2] * cos(phase + p[i + 5]),
            p[i + 3] * cos(phase + p[i + 6]),
        )
    return found


def turn(t: float, h: float, p: Any) -> Vec3:
    """The integral of the tones from t to t + h."""
    found = Vec3(0.0, 0.0, 0.0)
    for i in range(0, NUMBERS * TONES, NUMBERS):
        half = 0.5 * p[i] * h
        middle = p[i] * (t + 0.5 * h)
        ratio = sin(half) / half if half * half > 0.0 else 1.0
        found = found + (h * ratio) * Vec3(
            p[i + 1] * cos(middle + p[i + 4]),
            p[i + 2] * cos(middle + p[i + 5]),
            p[i + 3] * cos(middle + p[i + 6]),
        )
    return found


RANDOM = Rate("random", velocity, turn)


@given_rates(
    key="random-rates",
    name="Random rates",
    group="Gyroscopes",
    place=6,
    summary="Rates without order up to a frequency, as those of a hand that shakes or of a rough road.",
    words="vibration noise shake handheld vehicle band-limited",
    dt=0.001,
    duration=2.0,
    equations=r"\omega_i(t) = \sum_{k=1}^{32} a_{ik} \cos(\nu_k t + \varphi_{ik}), \quad 0 < \nu_k < 2\pi B",
    specific=(
        Parameter(
            "size", Number(0.0, 1e6), "the root mean square of each rate", 3.0, "rad/s", "Size"
        ),
        Parameter("band", Number(1e-9, 1e9), "the highest frequency B", 20.0, "Hz", "Band B"),
        Parameter("order", Whole(0, 2**31), "which of the random motions", 1, "", "Which motion"),
    ),
)
def random_rates(values: Mapping[str, Any], /) -> Given:
    """The tones of this motion."""
    draw = np.random.default_rng(values["order"])
    tones = np.empty((TONES, NUMBERS))
    tones[:, 0] = 2.0 * pi * values["band"] * (np.arange(TONES) + draw.uniform(size=TONES)) / TONES
    amplitudes = draw.standard_normal((TONES, 3))
    tones[:, 1:4] = values["size"] * np.sqrt(2.0) * amplitudes / np.linalg.norm(amplitudes, axis=0)
    tones[:, 4:] = draw.uniform(0.0, 2.0 * pi, (TONES, 3))
    return Given(RANDOM, tuple(tones.ravel().tolist()))
