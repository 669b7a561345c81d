"""SQ-M and SVQ-TLN: Simo and Vu-Quoc's Newmark method with the rate balance at the end of the step
(ALGO_0).

β = 0, γ = ½ is NMB; the default ¼, ½ is the trapezoidal rule in the body's rates. SVQ-TLN is the
same with the Cayley map. (The notes print SVQ-TLN's Jacobian as −J − h/2 [hat(Jw) + hat(w) J]; it
is −J − h/2 [hat(w) J − hat(Jw)], and their trace terms are the torque derivative of their magnet
alone.)

With the defaults it is the step of Chrono's ChTimestepperTrapezoidal. Chrono's ChTimestepperNewmark
has β = 0.3 and γ = 0.6 by default, and turns three times: `X + V * dt + A * … + Anew * …` goes from
left to right, and each sum of a state and an increment is a product with an exponential
(src/chrono/timestepper/ChTimestepperImplicit.cpp, line 974, and src/chrono/physics/ChBody.cpp,
lines 152–158, at commit 7689fbc0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, cay, cross, dcay_matrix, dexp_matrix, exp, gyroscopic_tangent
from ..parameters.parameter import Number, Parameter
from ..text import FREE, REGULAR, bibtex, declares, keeps, loses, swings
from .core import ON_THE_GROUP, Body, method, newton, offer
from .nmb import newmark


def turn_once(
    h: float, Ω: Vec3, A: Vec3, gain: Vec3, beta: float, gamma: float
) -> tuple[Mat3, Mat3]:
    """The turn by Θ = h Ω + h² [(½ − β) A + β A₁], and dexp of Θ, which changes with A₁; `gain` is
    hγ A₁.
    """
    Θ = h * Ω + (h**2 * (0.5 - beta)) * A + (h * beta / gamma) * gain
    return exp(Θ), dexp_matrix(-Θ)


def turn_three_times(
    h: float, Ω: Vec3, A: Vec3, gain: Vec3, beta: float, gamma: float
) -> tuple[Mat3, Mat3]:
    """The turns by the three terms of Θ, one after the other, and dexp of the last."""
    last = (h * beta / gamma) * gain
    return exp(h * Ω) @ exp((h**2 * (0.5 - beta)) * A) @ exp(last), dexp_matrix(-last)


TURNS = offer(
    "turns",
    "whether the body turns once, by the sum of the velocity's and accelerations' parts, or by "
    "each in turn, as in Chrono",
    "How the body turns",
    {
        "one": (turn_once, "once, by their sum"),
        "three": (turn_three_times, "by each in turn"),
    },
)


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Second order for γ = ½ only, and then time-symmetric if it turns once."""
    second = chosen.get("gamma", 0.5) == 0.5
    return {
        "order": (2, 2) if second else (1, 1),
        "reversible": second and chosen.get("turns", "one") == "one",
    }


@newmark(
    key="SQ-M",
    name="Simo–Vu-Quoc Newmark, momentum balance in rate form",
    short="Simo–Vu-Quoc",
    aliases=("ALGO_0",),
    variants={
        "chrono-trapezoidal": {},
        "chrono-newmark": {"beta": 0.3, "gamma": 0.6, "turns": "three"},
    },
    reference=bibtex("SimoVuQuoc1988"),
    options=(
        Parameter(
            "beta",
            Number(0.0, 0.5),
            "weight of the new acceleration in the rotation",
            0.25,
            label="Weight β of the new acceleration, in the rotation",
            brief="β = {value}",
        ),
        Parameter(
            "gamma",
            Number(0.1, 1.0),
            "weight of the new acceleration in the velocity; ½ for second order",
            0.5,
            label="Weight γ of the new acceleration, in the velocity",
            brief="γ = {value}",
        ),
        TURNS,
    ),
    torque_evaluations=None,
    implicit=True,
    given_options=promise,
    evidence=(loses("pi", "pi_e3"), (declares(reversible=True), *swings(REGULAR))),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3, beta: float, gamma: float, turns: Any
) -> tuple[Mat3, Vec3, Vec3]:
    r"""Newmark's method on the group, with Euler's equations at the end of the step.

    .. math::
        \Theta = h\,\Omega_n + h^2\left[(\tfrac12 - \beta) A_n + \beta A_{n+1}\right], \quad
        R_{n+1} = R_n \exp\Theta \\
        \Omega_{n+1} = \Omega_n + h\left[(1 - \gamma) A_n + \gamma A_{n+1}\right], \quad
        J A_{n+1} - J\Omega_{n+1} \times \Omega_{n+1} = T_{n+1}

    - The mean of the accelerations at both ends advances attitude and velocity. The acceleration at
      the end obeys Euler's equations there.
    - These equations are written in the body's frame, so spatial momentum is [not conserved].
    - Both ends of the step enter in the same way, so it is reversible. On regular motions its
      energy [swings without drift].
    """
    # The unknown is the new velocity.
    Ω1 = newton(body, h, end_balance, Ω + h * A, t, R, Ω, A, beta, gamma, turns)
    gain = velocity_gained(h, Ω, A, Ω1, gamma)
    E, _ = turns(h, Ω, A, gain, beta, gamma)
    return R @ E, Ω1, gain / (h * gamma)


def velocity_gained(h: float, Ω: Vec3, A: Vec3, Ω1: Vec3, gamma: float) -> Vec3:
    """hγ A₁ from Ω₁ = Ω + h [(1 − γ) A + γ A₁]"""
    return Ω1 - Ω - (h * (1.0 - gamma)) * A


def end_balance(
    body: Body,
    h: float,
    Ω1: Vec3,
    t: float,
    R: Mat3,
    Ω: Vec3,
    A: Vec3,
    beta: float,
    gamma: float,
    turns: Any,
) -> tuple[Vec3, Mat3]:
    """hγ (J A₁ − JΩ₁ × Ω₁ − T₁), and its derivative by Ω₁."""
    J = body.J
    gain = velocity_gained(h, Ω, A, Ω1, gamma)
    E, dexp = turns(h, Ω, A, gain, beta, gamma)
    R1 = R @ E
    D = body.torque_tangent(t + h, R1, dexp)
    residual = J @ gain - (h * gamma) * (cross(J @ Ω1, Ω1) + body.torque(t + h, R1))
    return residual, J + ((h * gamma) * gyroscopic_tangent(J, Ω1) - (h**2 * beta) * D)


@method(
    key="SVQ-TLN",
    name="Trapezoidal Lie–Newmark",
    short="Trapezoidal Lie–Newmark",
    aliases=("TLN",),
    family="Newmark",
    reference=bibtex("SimoVuQuoc1988"),
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves=ON_THE_GROUP | dict.fromkeys(("energy", "pi_e3", "pi_chi"), "symmetric tops"),
    evidence=(
        (
            keeps(energy="symmetric tops", pi_e3="symmetric tops"),
            keeps(of="AKW", energy="tops", pi_e3="tops"),
        ),
        swings(FREE),
    ),
)
def tln(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    r"""The trapezoidal rule for the body's rates, with the Cayley map.

    .. math::
        R_{n+1} = R_n\, \mathrm{cay}\left(\tfrac h2 (\Omega_n + \Omega_{n+1})\right), \quad
        J(\Omega_{n+1} - \Omega_n) = \tfrac h2 \left(\dot\Pi_n + \dot\Pi_{n+1}\right), \quad
        \dot\Pi = J\Omega \times \Omega + T

    - It is the trapezoidal rule for the body's rates, and turns by the mean velocity with the
      Cayley map.
    - On a symmetric top Ω₃ is constant and the gyroscopic term is linear. The trapezoidal and the
      midpoint rule are then the same, so it [conserves energy and π·e₃], as AKW does.
    - On other bodies the mean of the squares is not the square of the mean, and a free body's
      energy [swings].
    """
    J = body.J
    Πh = J @ Ω + h / 2 * (cross(J @ Ω, Ω) + body.torque(t, R))
    Ω1 = newton(body, h, trapezoidal_balance, Ω, t, R, Ω, Πh)
    return R @ cay(h / 2 * (Ω + Ω1)), Ω1


def trapezoidal_balance(
    body: Body, h: float, Ω1: Vec3, t: float, R: Mat3, Ω: Vec3, Πh: Vec3
) -> tuple[Vec3, Mat3]:
    """JΩ₁ − h/2 (JΩ₁ × Ω₁ + T₁) − Πₕ, and its derivative by Ω₁; Πₕ is from the start of the
    step.
    """
    J = body.J
    v = h / 2 * (Ω + Ω1)
    R1 = R @ cay(v)
    D = body.torque_tangent(t + h, R1, dcay_matrix(v))
    residual = J @ Ω1 - h / 2 * (cross(J @ Ω1, Ω1) + body.torque(t + h, R1)) - Πh
    return residual, J + (h / 2 * gyroscopic_tangent(J, Ω1) - h**2 / 4 * D)
