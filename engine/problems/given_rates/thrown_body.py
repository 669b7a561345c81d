"""The rates of a thrown body, as its own gyroscope measures them: Jacobi's elliptic functions, as
Fourier series.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, exp, pi, sin, sqrt
from typing import Any

import numpy as np

from ...algebra import Vec3
from ...parameters.parameter import Number, Parameter, Vector
from ...parameters.validation import Array
from ...text import bibtex
from ..field import Rate
from .given import Given, given_rates

HARMONICS = 64
"""The most harmonics of a series; the nome is then at most about 0.55."""
LARGEST_NOME = 0.55


def velocity(t: float, p: Any) -> Vec3:
    """The sums of harmonics: odd ones of two rates, even ones of the third, which p₂ says."""
    phase = p[0] * t
    about_odd, middle, about_even = 0.0, 0.0, p[1]
    c, s = cos(phase), sin(phase)
    c2, s2 = c * c - s * s, 2.0 * c * s
    ck, sk = c, s
    ce, se = 1.0, 0.0
    for i in range(3, 3 + 3 * HARMONICS, 3):
        ce, se = ce * c2 - se * s2, se * c2 + ce * s2
        about_odd += p[i] * ck
        middle += p[i + 1] * sk
        about_even += p[i + 2] * ce
        ck, sk = ck * c2 - sk * s2, sk * c2 + ck * s2
    if p[2] > 0.0:
        return Vec3(about_odd, middle, about_even)
    return Vec3(about_even, middle, about_odd)


THROWN = Rate("thrown body", velocity)


def find_quarter(m: float) -> float:
    """Jacobi's quarter period K(m), by the arithmetic-geometric mean."""
    a, b = 1.0, sqrt(1.0 - m)
    for _ in range(12):  # each doubles the digits
        a, b = 0.5 * (a + b), sqrt(a * b)
    return pi / (2.0 * a)


def find_series(J: Array, low: float, high: float) -> tuple[float, ...]:
    """The numbers of the rates of a body with ascending moments that turns at the start by `low`
    and `high` about its axes of the least and of the largest moment, and not about the middle one.
    """
    about_largest = J[0] * (J[0] - J[1]) * low**2 + J[2] * (J[2] - J[1]) * high**2 > 0.0
    first, middle, last = J if about_largest else J[::-1]
    odd, even = (low, high) if about_largest else (high, low)
    speed = even * sqrt(abs((last - middle) * (last - first) / (first * middle)))
    m = (first - middle) * first * odd**2 / ((middle - last) * last * even**2)
    K, K_ = find_quarter(m), find_quarter(1.0 - m) if m > 0.0 else np.inf
    nome = exp(-pi * K_ / K) if m > 0.0 else 0.0
    if nome > LARGEST_NOME:
        raise ValueError(
            "the body would rest on its middle axis for too long; turn it more about another"
        )
    n = np.arange(HARMONICS)
    root = nome ** (n + 0.5)
    size = 2.0 * pi / K
    across = sqrt(first * (last - first) / (middle * (last - middle))) * abs(odd)
    scale = size / sqrt(m) if m > 0.0 else 0.0
    series = np.stack(
        [
            odd * scale * root / (1.0 + nome ** (2 * n + 1)),
            np.sign(odd * even) * across * scale * root / (1.0 - nome ** (2 * n + 1)),
            even * size * nome ** (n + 1.0) / (1.0 + nome ** (2.0 * n + 2.0)),
        ],
        axis=1,
    )
    if m == 0.0:  # a symmetric body, or one that turns about one axis
        series[0] = odd, np.sign(odd * even) * across, 0.0
    phase = abs(speed) * pi / (2.0 * K)
    return phase, even * pi / (2.0 * K), 1.0 if about_largest else -1.0, *series.ravel().tolist()


@given_rates(
    key="thrown-body",
    name="A thrown phone",
    group="Gyroscopes",
    place=7,
    summary="A thrown phone turns freely; its gyroscope measures the motion of a free body that flips again and again.",
    words="phone throw toss tumble flip Dzhanibekov gyroscope free body",
    dt=0.01,
    duration=1.0,
    equations=r"""J\dot\omega = J\omega \times \omega, \quad
        (\omega_1, \omega_2, \omega_3) = (a_1\,\mathrm{cn}, a_2\,\mathrm{sn}, a_3\,\mathrm{dn})(\lambda t)""",
    reference=bibtex("CelledoniFassoSafstromZanna2008"),
    specific=(
        Parameter(
            "J",
            Vector(1e9),
            "moments of inertia, the least first",
            (0.2, 0.8, 1.0),
            "mass·length²",
            "Moments J₁ < J₂ < J₃",
        ),
        Parameter(
            "low",
            Number(-1e6, 1e6),
            "the rate about the axis of the least moment at the start",
            12.0,
            "rad/s",
            "Rate ω₁ at the start",
        ),
        Parameter(
            "high",
            Number(-1e6, 1e6),
            "the rate about the axis of the largest moment at the start",
            11.0,
            "rad/s",
            "Rate ω₃ at the start",
        ),
    ),
)
def thrown_body(values: Mapping[str, Any], /) -> Given:
    """The rates of this throw."""
    J = np.array(values["J"], dtype=float)
    if not 0.0 < J[0] <= J[1] <= J[2] <= J[0] + J[1] or J[0] == J[2]:
        raise ValueError(
            "the moments of a thrown body ascend from a positive one, and none exceeds the sum of the others"
        )
    if values["low"] == values["high"] == 0.0:
        raise ValueError("a thrown body turns about its first or its third axis")
    return Given(THROWN, find_series(J, values["low"], values["high"]))
