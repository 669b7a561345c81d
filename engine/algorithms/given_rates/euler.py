"""EULER: one linear step of the quaternion, the update of Betaflight, and of Madgwick's and
Mahony's filters without their corrections.

The step is linear in q, so whether and how the quaternion is normalised changes its length alone:
the attitude of the unit quaternion is the same. A program that makes a matrix of a quaternion that
is too long has |q|² times a rotation. Normalised, the update turns by 2 atan(θ/2) instead of θ, as
the Cayley map does.

Read: Betaflight, commit 301d01ab, src/main/flight/imu.c, lines 300 to 321, whose rate is the mean
of the samples since the last update, or the output of a low-pass filter; Arduino's copy of
Madgwick's filter, commit 9a1cef9b, src/MadgwickAHRS.cpp, lines 165 to 169 and 213 to 224;
Stoffregen's copy of Mahony's filter, commit 7f687b9e, src/MahonyAHRS.cpp, lines 224 to 241; x-io's
Fusion, commit d69784c8, Fusion/FusionAhrs.c, lines 162 to 172. The last three compute 1/|q| from the
bits of the number: their quaternions differ from length 1 by 5·10⁻⁶ or less (Madgwick, Mahony) and
7·10⁻⁴ or less (Fusion), and their attitude is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...algebra import Quat
from ...text import bibtex, declares, keeps, loses, measures
from ...text.evidence import RATES, TURNTABLES
from ..core import Gyro, method
from .turns import RATE, RENORMALISE, promise_length, promise_rate


def promise(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The length comes back only where it is restored, and so does a step back."""
    found = promise_rate(chosen) | promise_length(chosen)
    reversible = bool(found["reversible"]) and chosen.get("renormalise") == "yes"
    return found | {"reversible": reversible}


@method(
    key="EULER",
    name="Euler's method on the quaternion",
    short="Quaternion Euler",
    variants={
        "betaflight": {"rate": "mean", "renormalise": "yes"},
        "madgwick": {"renormalise": "yes"},
        "mahony": {"renormalise": "yes"},
        "fusion": {"renormalise": "yes"},
    },
    family="Baseline",
    reference=bibtex("Betaflight2026", "Madgwick2010", "MahonyHamelPflimlin2008", "Fusion2026"),
    options=(RATE, RENORMALISE),
    **promise({}),
    given_options=promise,
    evidence=(
        loses("orthogonality"),
        measures("length over √(1 + θ²/4)", RATES, 1.0 - 1e-12, 1.0 + 1e-12),
        keeps(of="EULER(renormalise=yes)", orthogonality="always"),
        measures("ahead", TURNTABLES, -0.0834, -0.083, of="EULER(renormalise=yes)", dt=0.05),
        declares(of="EULER(rate=mean, renormalise=yes)", order=(2,)),
    ),
)
def step(gyro: Gyro, t: float, h: float, q: Quat, rate: Any, renormalise: Any) -> tuple[Quat]:
    r"""One linear step of the four numbers of the quaternion. Its [length is not conserved] unless
    it is restored.

    .. math::
        q_{n+1} = \nu\left(q_n + \tfrac12 q_n \otimes \theta\right), \quad \theta = h\,\omega \\
        \nu(q) = q, \quad \tfrac12 (3 - |q|^2)\, q \quad \text{or} \quad q / |q|

    - Each step adds a tangent, which is perpendicular to q, so |q| [grows by the factor
      √(1 + θ²/4)].
    - The step is linear in q. Normalising restores the length, so that [R stays a rotation]. It
      leaves the direction of q, so the attitude of the unit quaternion is the same without.
    - A unit quaternion turns by 2 atan(θ/2), so it [falls behind a fast rotation]. With the mean of
      the rate the order is [two] even so.
    """
    return (renormalise(q + 0.5 * (q @ rate(gyro, t, h))),)
