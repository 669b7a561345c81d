"""AB-QUAT: Adams–Bashforth formulas for the quaternion and the velocity, as JSBSim has them.

Read in src/models/FGPropagate.cpp, `Integrate` and `InitializeDerivatives`: a run begins as if the
rates had always been those at its start. So the first step is one of explicit Euler, and the order
is two at most. JSBSim's trapezoidal formula is the mean of the present rate and the one before. The
quaternion may instead turn by the velocity and the acceleration: by Buss's method of first order or
his augmented one of second order, or by local linearization. With explicit Euler for both it is
JSBSim's step as it comes, which RK-QUAT has without a history.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import (
    Quat,
    Vec3,
    Weights,
    combination,
    cross,
    dexp_coefficient,
    dot,
    exp_coefficients,
    quaternion_exp,
)
from ..text import FREE, bibtex, declares, grows, loses, typically
from .core import BODY_RATES, Body, angular_acceleration, method, offer
from .runge_kutta_entries import normalise, quaternion_rate, start_with_quaternion

Rates = tuple[Any, ...]
"""The present rate and the four before it, the latest first."""


def turn_by_rates(rate: Weights, h: float, q: Quat, dq: Rates, Ω: Vec3, A: Vec3) -> Quat:
    """The formula of the velocity, for the rates of the quaternion; then its length is restored."""
    return normalise(q + h * combination(rate, dq))


def turn_by_velocity(rate: Weights, h: float, q: Quat, dq: Rates, Ω: Vec3, A: Vec3) -> Quat:
    """The turn by the velocity: BUSS1's."""
    return q @ quaternion_exp(h * Ω)


def turn_augmented(rate: Weights, h: float, q: Quat, dq: Rates, Ω: Vec3, A: Vec3) -> Quat:
    """The turn by the velocity half a step ahead and a commutator: BUSS2-AUG's."""
    return q @ quaternion_exp(h * (Ω + h / 2 * A + h * h / 12 * cross(A, Ω)))


def turn_linearized(rate: Weights, h: float, q: Quat, dq: Rates, Ω: Vec3, A: Vec3) -> Quat:
    """The equation of the quaternion with the velocity Ω + s A, to first order in A."""
    v = h / 2 * Ω
    a = h * h / 2 * A
    square = dot(v, v)
    c1, c2 = exp_coefficients(square)
    c3 = dexp_coefficient(square)
    p = c1 * v + c2 * a + c3 * cross(v, a)
    return normalise(q @ Quat(1.0 - c2 * square - c3 * dot(v, a), p.x, p.y, p.z))


RATE = offer(
    "rate",
    "the formula for the velocity: Adams–Bashforth of two to five steps, the mean of the last two "
    "rates, or explicit Euler",
    "Formula for the velocity",
    {
        "ab2": ((1.5, -0.5, 0.0, 0.0, 0.0), "Adams–Bashforth, two steps"),
        "ab3": ((23 / 12, -16 / 12, 5 / 12, 0.0, 0.0), "Adams–Bashforth, three steps"),
        "ab4": ((55 / 24, -59 / 24, 37 / 24, -9 / 24, 0.0), "Adams–Bashforth, four steps"),
        "ab5": (
            (1901 / 720, -1387 / 360, 109 / 30, -637 / 360, 251 / 720),
            "Adams–Bashforth, five steps",
        ),
        "trapezoidal": ((0.5, 0.5, 0.0, 0.0, 0.0), "mean of the last two rates"),
        "euler": ((1.0, 0.0, 0.0, 0.0, 0.0), "explicit Euler"),
    },
    brief="velocity by {value}",
)
ATTITUDE = offer(
    "attitude",
    "how the quaternion advances: by the formula for the velocity, by a turn of Buss, or by local "
    "linearization",
    "Formula for the attitude",
    {
        "same": (turn_by_rates, "that for the velocity"),
        "buss1": (turn_by_velocity, "Buss, first order"),
        "buss2": (turn_augmented, "Buss, augmented second order"),
        "linear": (turn_linearized, "local linearization"),
    },
    brief="attitude by {value}",
)


def start(body: Body, t: float, h: float, R: Any, Ω: Vec3, *options: Any) -> tuple[Any, ...]:
    """The first state, as if the rates had always been those at its start."""
    q, _ = start_with_quaternion(body, t, h, R, Ω)
    dq = 0.5 * (q @ Ω)
    A = angular_acceleration(body, body.torque(t, R, Ω), Ω)
    return q, Ω, dq, dq, dq, dq, A, A, A, A


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The order is the lower one of both formulas."""
    is_second = (
        chosen.get("rate", "ab2").startswith("ab") and chosen.get("attitude", "same") != "buss1"
    )
    return {"order": (2, 2) if is_second else (1, 1)}


@method(
    key="AB-QUAT",
    name="Adams–Bashforth on the quaternion",
    short="Adams–Bashforth",
    family="Multistep",
    variants={
        "jsbsim-trapezoidal": {"rate": "trapezoidal"},
        "jsbsim-ab2": {},
        "jsbsim-ab3": {"rate": "ab3"},
        "jsbsim-ab4": {"rate": "ab4"},
        "jsbsim-ab5": {"rate": "ab5"},
        "jsbsim-buss1": {"rate": "euler", "attitude": "buss1"},
        "jsbsim-buss2": {"rate": "euler", "attitude": "buss2"},
        "jsbsim-linear": {"rate": "euler", "attitude": "linear"},
    },
    reference=bibtex("JSBSim2026", "Buss2000", "BarkerBowlesWilliams1973"),
    options=(RATE, ATTITUDE),
    start=start,
    order=(2, 2),
    torque_evaluations=1,
    torque_of_velocity=True,
    self_starting=False,
    has_history="the rates of the last four steps",
    of_one_step=True,
    conserves=BODY_RATES,
    given_options=promise,
    evidence=(
        declares(order=(2, 2)),
        grows(FREE),
        declares(of="AB-QUAT(rate=ab5)", order=(2, 2)),
        typically("attitude", "AB-QUAT(rate=ab3)", 90),
        declares(of="AB-QUAT(rate=trapezoidal)", order=(1, 1)),
        typically("attitude", "AB-QUAT(rate=euler)", 2, of="AB-QUAT(rate=trapezoidal)"),
        typically("attitude", "AB-QUAT(attitude=buss2)", 5),
        loses("pi", "pi_norm", "casimir"),
    ),
)
def step(
    body: Body, t: float, h: float, q: Quat, Ω: Vec3, dq1: Quat, dq2: Quat, dq3: Quat, dq4: Quat,
    A1: Vec3, A2: Vec3, A3: Vec3, A4: Vec3, rate: Weights, attitude: Any,
) -> tuple[Quat, Vec3, Quat, Quat, Quat, Quat, Vec3, Vec3, Vec3, Vec3]:  # fmt: skip
    r"""Sums of the last rates of quaternion and velocity, of [second order]. A free body's energy
    [grows].

    .. math::
        \Omega_{n+1} = \Omega_n + \tfrac h2 \left(3\dot\Omega_n - \dot\Omega_{n-1}\right), \quad
        q_{n+1} \propto q_n + \tfrac h2 \left(3\dot q_n - \dot q_{n-1}\right) \\
        J\dot\Omega = J\Omega \times \Omega + T, \quad \dot q = \tfrac12\, q \otimes \Omega

    - The first step is one of explicit Euler, and the later steps hand on its error. So three to
      five rates are [of second order], too. In steps of 0.05 rad the attitude error with two rates
      is [{} times] that with three (median of random bodies).
    - JSBSim's trapezoidal formula is the mean of the last two rates, which is half a step old. It is
      of [first order]. In steps of 0.05 rad its attitude error is [{} times] explicit Euler's
      (median of random bodies).
    - A turn by velocity and acceleration leaves the velocity as it is. In steps of 0.05 rad
      AB-QUAT's attitude error is [{} times] that with attitude=buss2 (median of random bodies).
      Momentum [is not conserved].
    """
    dq, A = quaternion_rate(body, t, q, Ω)
    q1 = attitude(rate, h, q, (dq, dq1, dq2, dq3, dq4), Ω, A)
    return (
        q1, Ω + h * combination(rate, (A, A1, A2, A3, A4)), dq, dq1, dq2, dq3, A, A1, A2, A3
    )  # fmt: skip
