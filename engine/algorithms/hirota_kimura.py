"""HIROTA-KIMURA: the discretization of Euler's equations by Hirota and Kimura, which is Kahan's
rule.

Kahan's rule replaces each product xy by the mean of x y₁ and x₁ y, where ₁ is the end of the step.
For Euler's equations the result is again integrable: Hirota and Kimura find two conserved
quantities and a solution by elliptic functions, Petrera and Suris two Poisson structures.

The turn is ours: the same rule for the quaternion's equation q̇ = ½ q Ω, with its length, which
does not matter, removed. A torque acts by half of its impulse at each end, as in Verlet's method.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Diag3, Mat3, Vec3, solve, times_cay
from ..text import FREE, bibtex, declares, loses, measures, swings
from .core import (
    BODY_RATES,
    Body,
    Torque,
    euler_ratios,
    method,
    one_minus_spin,
    start_velocity_and_torque,
)


def divisor(J: Diag3, Ω: Vec3, h: float) -> float:
    """The mean of 1 − h²/4 a₂a₃Ω₁², 1 − h²/4 a₃a₁Ω₂² and 1 − h²/4 a₁a₂Ω₃², whose ratios are
    constant.
    """
    a = euler_ratios(J)
    return 1 - h * h / 12 * (a.y * a.z * Ω.x * Ω.x + a.z * a.x * Ω.y * Ω.y + a.x * a.y * Ω.z * Ω.z)


@method(
    key="HIROTA-KIMURA",
    name="Hirota–Kimura, by Kahan's rule",
    short="Hirota–Kimura",
    aliases=("Kahan", "HK", "Kahan–Hirota–Kimura"),
    family="Explicit",
    reference=bibtex("HirotaKimura2000", "PetreraSuris2010"),
    start=start_velocity_and_torque,
    order=(2, 2),
    torque_evaluations=1,
    reversible=True,
    conserves=BODY_RATES,
    divisor=divisor,
    evidence=(
        declares(implicit=False),
        swings(FREE),
        (measures("modified energy", FREE, 0, 1e-11), measures("modified Casimir", FREE, 0, 1e-11)),
        swings(FREE),
        (declares(reversible=True), loses("energy", "pi", "pi_norm", "casimir")),
        measures("ahead", FREE, -1 / 48, -1 / 48.1),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""Integrable as Euler's equations are, and [without iteration]: one linear equation. A free
    body's energy [swings], and [a modified energy and |Π|² are conserved].

    .. math::
        \Omega^+ = \Omega_n + \tfrac h2 J^{-1} T_n, \quad
        J(\Omega^- - \Omega^+) = \tfrac h2 \left(J\Omega^+ \times \Omega^- + J\Omega^- \times \Omega^+\right) \\
        R_{n+1} = R_n\, \mathrm{cay}(\tfrac h2 \Omega^-)\, \mathrm{cay}(\tfrac h2 \Omega^+), \quad
        \Omega_{n+1} = \Omega^- + \tfrac h2 J^{-1} T_{n+1} \\
        \text{conserved if free:}\quad \frac{\Omega \cdot J\Omega}{D}, \quad \frac{|J\Omega|^2}{D}, \quad
        D = 1 - \tfrac{h^2}{12} (a_2 a_3 \Omega_1^2 + a_3 a_1 \Omega_2^2 + a_1 a_2 \Omega_3^2) \\
        a_1 = \tfrac{J_2 - J_3}{J_1},\; a_2 = \tfrac{J_3 - J_1}{J_2},\; a_3 = \tfrac{J_1 - J_2}{J_3}

    - Each product in Euler's equations becomes a mean of products of the two ends, which is linear
      in the new velocity. A free body has two conserved quantities near energy and |Π|², so that
      its energy [swings without drift].
    - The two ends enter alike, so the step [is reversible]. Momentum does not turn with the body,
      and is not conserved.
    - The quaternion's equation obeys the same rule, which makes two Cayley turns. In a steady spin
      the body lags behind [by about x³/48 in a step of x radians].
    """
    Ω = Ω + h / 2 * (body.Jinv @ T)
    Ω1 = solve(one_minus_spin(body.ratios, h / 2, Ω), Ω)
    R = times_cay(times_cay(R, h / 2 * Ω1), h / 2 * Ω)
    T = body.torque(t + h, R)
    return R, Ω1 + h / 2 * (body.Jinv @ T), T
