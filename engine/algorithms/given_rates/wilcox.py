"""WILCOX: the quaternion of an update as a series in the increment of the angle, without functions
of an angle, with the increment before.

The papers were not available; the series is that which later authors call the third-order algorithm of
Wilcox and of McKern. The cross product with the increment before is half of the correction that
`CONING(samples=1, before=yes)` adds to the rotation vector.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...algebra import Quat, Vec3, cross, dot
from ...text import bibtex, declares, loses
from ..core import Gyro, method, offer
from .coning import start_with_no_increment
from .turns import RENORMALISE, promise_length


def expand_once(θ: Vec3, before: Vec3) -> Quat:
    """1 + θ/2."""
    return Quat(1.0, 0.5 * θ.x, 0.5 * θ.y, 0.5 * θ.z)


def expand_twice(θ: Vec3, before: Vec3) -> Quat:
    """1 + θ/2 − |θ|²/8."""
    return Quat(1.0 - 0.125 * dot(θ, θ), 0.5 * θ.x, 0.5 * θ.y, 0.5 * θ.z)


def expand_thrice(θ: Vec3, before: Vec3) -> Quat:
    """1 + θ/2 − |θ|²/8 − |θ|² θ/48, and the product with the increment before."""
    square = dot(θ, θ)
    v = (0.5 - square / 48.0) * θ + (1.0 / 24.0) * cross(before, θ)
    return Quat(1.0 - 0.125 * square, v.x, v.y, v.z)


TERMS = offer(
    "terms",
    "the highest power of the increment",
    "Highest power",
    {
        "3": (expand_thrice, "third"),
        "2": (expand_twice, "second"),
        "1": (expand_once, "first"),
    },
    brief="power {value}",
)


def promise(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The third power has the third order, the others the second."""
    return {"order": (3 if chosen.get("terms", "3") == "3" else 2,)} | promise_length(chosen)


@method(
    key="WILCOX",
    name="Wilcox's series",
    short="Wilcox",
    family="Rotation vector",
    reference=bibtex("Wilcox1967", "McKern1968"),
    options=(TERMS, RENORMALISE),
    start=start_with_no_increment,
    increments=1,
    torque_evaluations=1,
    has_history="the increment before",
    of_one_step=True,
    **promise({}),
    given_options=promise,
    evidence=(declares(order=(3,)), loses("orthogonality")),
)
def step(
    gyro: Gyro, t: float, h: float, q: Quat, θ: Vec3, terms: Any, renormalise: Any
) -> tuple[Quat, Vec3]:
    r"""The series of the quaternion's exponential up to the third power: of order [three]. It has half
    of the coning correction from the increment before.

    .. math::
        q_{n+1} = q_n \otimes \left(1 - \tfrac18 |\theta_n|^2, \;
        \left(\tfrac12 - \tfrac1{48} |\theta_n|^2\right) \theta_n
        + \tfrac1{24}\, \theta_{n-1} \times \theta_n\right)

    - The powers of the increment are those of sine and cosine of half the angle. The computers of
      the time did not have these functions.
    - The series ends, and so the length of the quaternion [is not conserved].
    - With the first power alone it is EULER(rate=mean).
    """
    before, θ = θ, gyro.increment(t, h)
    return renormalise(q @ terms(θ, before)), θ
