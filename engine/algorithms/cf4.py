"""CF4: the commutator-free method of Celledoni, Marthinsen and Owren, with two exponentials at the
end.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Turn, Vec3, exp, turn
from ..text import FREE, bibtex, declares, keeps, measures
from .core import MOMENTUM, Body, method


@method(
    key="CF4",
    name="Commutator-free, fourth order",
    short="Commutator-free 4",
    aliases=("commutator-free",),
    family="Runge–Kutta on the group",
    reference=bibtex("CelledoniMarthinsenOwren2003"),
    order=(4, 4),
    torque_evaluations=4,
    torque_of_velocity=True,
    conserves=MOMENTUM,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        (declares(reversible=False), measures("|drift|", FREE, 1e-10, 1)),
        measures("|drift|", FREE, 0, 1e-4),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""Of fourth order at the cost of the classical tableau: five exponentials and no dexp⁻¹.

    .. math::
        K_i = h\,\Omega_i, \quad R_2 = R_n e^{K_1/2}, \quad R_3 = R_n e^{K_2/2}, \quad R_4 = R_2 e^{K_3 - K_1/2} \\
        R_{n+1} = R_n e^{(3K_1 + 2K_2 + 2K_3 - K_4)/12} e^{(-K_1 + 2K_2 + 2K_3 + 3K_4)/12}

    - Its exponentials contain sums of the stages' velocities. Their order in the product replaces
      the commutators of a Runge–Kutta–Munthe-Kaas method.
    - The spatial momentum is a plain vector that adds up impulses, so a free body's is
      [conserved].
    - It is not reversible, so a free body's energy [drifts]. In 200,000 steps of 0.05 rad it
      changes [by less than 10⁻⁴].
    """
    Ω = body.Jinv @ Π
    A, B, p, _, _ = find_stages(body, t + h / 2, t + h, h, R, Π, h * Ω, body.torque(t, R, Ω))
    E = exp(A) @ exp(B)
    return R @ E, E.T @ p


def find_stages(
    body: Body, middle: float, end: float, h: float, R: Mat3, Π: Vec3, K1: Vec3, T1: Any
) -> tuple[Vec3, Vec3, Vec3, Vec3, Any]:
    """The two rotation vectors of a step, the momentum after it, and K and the torque of the fourth
    stage.

    Torques and momentum are in the body's frame at the start of the step.
    """
    E2 = turn(K1 / 2.0)
    K2, T2 = stage(body, middle, h, R, E2, Π + h / 2 * T1)
    K3, T3 = stage(body, middle, h, R, turn(K2 / 2.0), Π + h / 2 * T2)
    K4, T4 = stage(body, end, h, R, E2 @ exp(K3 - K1 / 2.0), Π + h * T3)
    A, B = (3 * K1 + 2 * K2 + 2 * K3 - K4) / 12.0, (2 * K2 - K1 + 2 * K3 + 3 * K4) / 12.0
    return A, B, Π + h / 6 * (T1 + 2 * T2 + 2 * T3 + T4), K4, T4


def stage(body: Body, t: float, h: float, R: Mat3, E: Mat3 | Turn, Π: Vec3) -> tuple[Vec3, Any]:
    """h times the velocity, and the torque, in the attitude R E; Π and torque are in the frame at
    the start.
    """
    Ω = body.Jinv @ (E.T @ Π)
    return h * Ω, E @ body.torque(t, R @ E, Ω)
