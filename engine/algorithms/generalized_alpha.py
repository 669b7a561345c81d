"""GEN-ALPHA: the generalized-α method on the group, of Brüls, Cardona and Arnold.

It is Newmark's method with its own acceleration a, which follows the body's with a lag that damps
what turns fast. For the spectral radius ρ at large steps choose α_m = (2ρ − 1)/(ρ + 1) and α_f =
ρ/(ρ + 1); the defaults have ρ = 9/11.

Chrono's ChTimestepperHHT solves J a₁ = (1 + α) f₁ − α f₀, with γ = ½ − α and β = (1 − α)²/4 and α =
−0.2 by default: α_m = 0 and α_f = −α here. It turns three times, as its Newmark does
(ChTimestepperHHT.cpp, lines 28 and 153, at commit 7689fbc0). Its steps have one size if step
control is off, as here.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, cross, gyroscopic_tangent
from ..parameters.parameter import Number, Parameter
from ..text import RANDOM, bibtex, declares, falls, loses
from .core import BODY_RATES, Body, angular_acceleration, method, newton
from .simo_vu_quoc import TURNS, velocity_gained


def start(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Mat3, Vec3, Vec3, Vec3]:
    """The first state; both accelerations follow from the balance."""
    A = angular_acceleration(body, body.torque(t, R), Ω)
    return R, Ω, A, A


@method(
    key="GEN-ALPHA",
    name="Generalized α for rotations",
    short="Generalized α",
    aliases=("Brüls–Cardona–Arnold", "lie-generalized-alpha"),
    variants={"chrono-hht": {"alpha_m": 0.0, "alpha_f": 0.2, "turns": "three"}},
    family="Newmark",
    reference=bibtex("BrulsCardonaArnold2012", "Chrono2026"),
    options=(
        Parameter(
            "alpha_m",
            Number(-1.0, 0.5),
            "weight α_m of the method's own acceleration at the start of the step",
            0.35,
            label="Weight α_m of its own old acceleration",
            brief="α_m = {value}",
        ),
        Parameter(
            "alpha_f",
            Number(0.0, 0.5),
            "weight α_f of the old one among the body's accelerations",
            0.45,
            label="Weight α_f of the body's old acceleration",
            brief="α_f = {value}",
        ),
        TURNS,
    ),
    start=start,
    order=(2, 2),
    implicit=True,
    self_starting=False,
    conserves=BODY_RATES,
    has_history="accelerations of its own",
    evidence=(
        declares(order=(2, 2)),
        falls(RANDOM, typical=True),
        declares(order=(2, 2)),
        declares(reversible=False),
        loses("pi", "pi_e3"),
    ),
)
def step(
    body: Body,
    t: float,
    h: float,
    R: Mat3,
    Ω: Vec3,
    a: Vec3,
    A: Vec3,
    alpha_m: float,
    alpha_f: float,
    turns: Any,
) -> tuple[Mat3, Vec3, Vec3, Vec3]:
    r"""Newmark's method with an acceleration that lags behind the body's: [second order], and it
    damps what turns fast in a step. Energy [falls] on most free bodies.

    .. math::
        \Theta = h\,\Omega_n + h^2\left[(\tfrac12 - \beta) a_n + \beta a_{n+1}\right], \quad
        R_{n+1} = R_n \exp\Theta, \quad \Omega_{n+1} = \Omega_n + h\left[(1 - \gamma) a_n + \gamma a_{n+1}\right] \\
        (1 - \alpha_m) a_{n+1} + \alpha_m a_n = (1 - \alpha_f) A_{n+1} + \alpha_f A_n, \quad
        J A_{n+1} = J\Omega_{n+1} \times \Omega_{n+1} + T_{n+1} \\
        \gamma = \tfrac12 + \alpha_f - \alpha_m, \quad \beta = \tfrac14 (\gamma + \tfrac12)^2

    - The acceleration that moves the body lags behind that of Euler's equations. This damps what
      turns fast in a step.
    - The weights γ and β are chosen so that the lag costs no order: the method is [of second
      order].
    - It is [not reversible], and its equations are written in the body's frame, so momentum is [not
      conserved].
    """
    # The unknown is the new velocity.
    γ = 0.5 + alpha_f - alpha_m
    β = 0.25 * (γ + 0.5) * (γ + 0.5)
    k = (1.0 - alpha_f) / (1.0 - alpha_m)
    lag = (h * γ / (1.0 - alpha_m)) * (alpha_m * a - alpha_f * A)
    Ω1 = newton(body, h, end_balance, Ω + h * A, t, R, Ω, a, lag, k, β, γ, turns)
    gain = velocity_gained(h, Ω, a, Ω1, γ)
    E, _ = turns(h, Ω, a, gain, β, γ)
    return R @ E, Ω1, gain / (h * γ), (gain + lag) / (h * γ * k)


def end_balance(
    body: Body, h: float, Ω1: Vec3, t: float, R: Mat3, Ω: Vec3, a: Vec3, lag: Vec3, k: float, β: float, γ: float,
    turns: Any,
) -> tuple[Vec3, Mat3]:  # fmt: skip
    """hγk (J A₁ − JΩ₁ × Ω₁ − T₁), and its derivative by Ω₁; hγk A₁ is hγ a₁ and the lag."""
    J = body.J
    gain = velocity_gained(h, Ω, a, Ω1, γ)
    E, dexp = turns(h, Ω, a, gain, β, γ)
    R1 = R @ E
    D = body.torque_tangent(t + h, R1, dexp)
    residual = J @ (gain + lag) - (h * γ * k) * (cross(J @ Ω1, Ω1) + body.torque(t + h, R1))
    return residual, J + ((h * γ * k) * gyroscopic_tangent(J, Ω1) - (h**2 * β * k) * D)
