"""RK4-AVG: Buss's Runge–Kutta method, the classical one with a mean of rotations at the end.

The stages turn the attitude in space. Buss's text averages quaternions; his tables, for large
steps, follow from the mean of rotation vectors. Either way the method treats rotations as vectors,
and the order is two.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3
from ..text import bibtex, keeps, typically
from .core import MOMENTUM, Body, method, offer
from .stages_in_space import average_quaternions, average_stages, average_vectors


@method(
    key="RK4-AVG",
    name="Buss's Runge–Kutta",
    short="Buss's Runge–Kutta",
    family="Baseline",
    reference=bibtex("Buss2000"),
    options=(
        offer(
            "mean",
            "what is averaged: rotation vectors, as in Buss's tables, or quaternions, as in his "
            "text",
            "What is averaged",
            {
                "vector": (average_vectors, "rotation vectors"),
                "quaternion": (average_quaternions, "quaternions"),
            },
        ),
    ),
    order=(2, 2),
    torque_evaluations=4,
    conserves=MOMENTUM,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        typically("energy", "RK4-AVG", 8, of="BUSS2"),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, π: Vec3, mean: Any) -> tuple[Mat3, Vec3]:
    r"""The classical Runge–Kutta method with the mean of four rotations: of order four for vectors,
    of order two here.

    .. math::
        \bar\omega = \tfrac16(\omega_1 + 2\omega_2 + 2\omega_3 + \omega_4), \; R_{n+1} = e^{h\bar\omega} R_n

    - It computes four velocities as the classical Runge–Kutta method does, and turns by their mean.
    - The mean of vectors omits the commutators of a moving axis, so order two remains.
    - Momentum [stays in space]. BUSS2 takes one velocity a step instead of four. Its energy error
      in steps of 0.05 rad is [{} times] as large in the median of random bodies.
    """
    return average_stages(body, t, h, R, π, mean)
