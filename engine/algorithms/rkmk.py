"""RKMK: the Runge–Kutta methods of Munthe-Kaas, for any explicit tableau.

Stage i turns the attitude at the start by Ψᵢ = h Σ aᵢⱼ Kⱼ, where Kⱼ = dexp⁻¹(−Ψⱼ) Ωⱼ, and the
momentum is summed as a vector in one frame, that of the body at the start of the step, which
conserves π of a free body. (The notes' picture prints T₍ₖ₎ inside the stage sum; it must be T₍ⱼ₎.)
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, Weights, combination, dexpinv, turn
from ..text import FREE, bibtex, declares, keeps, measures
from .core import MOMENTUM, Body, End, Stage, method, promise_tableau, tableau_option
from .crouch_grossman import make_first_stage


def make_later_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """A later stage, and then the rest."""

    def slope(body: Body, t: float, h: float, R: Mat3, Π: Vec3, K: Any, T: Any) -> End:
        Ψ = h * combination(row, K)
        E = turn(Ψ)
        Ω = body.Jinv @ (E.T @ (Π + h * combination(row, T)))
        return rest(
            body, t, h, R, Π, K + (dexpinv(-Ψ, Ω),), T + (E @ body.torque(t + c * h, R @ E, Ω),)
        )

    return slope


@method(
    key="RKMK",
    name="Runge–Kutta–Munthe-Kaas",
    short="Munthe-Kaas",
    aliases=("MKRK",),
    family="Runge–Kutta on the group",
    reference=bibtex("MuntheKaas1998"),
    options=(tableau_option(make_first_stage, make_later_stage, "rk4"),),
    order=(4, 4),
    torque_evaluations=4,
    torque_of_velocity=True,
    conserves=MOMENTUM,
    given_options=promise_tableau,
    evidence=(
        measures("|drift|", FREE, 1e-10, 1),
        declares(order=(4, 4)),
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        (declares(reversible=False), measures("|drift|", FREE, 1e-10, 1)),
        measures("|drift|", FREE, 0, 1e-4),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    r"""A Runge–Kutta method in the Lie algebra: of its tableau's order, explicit, and on the group.
    A free body's energy [drifts].

    .. math::
        \Psi_i = h \sum_j a_{ij} K_j, \quad K_i = \mathrm{dexp}^{-1}_{-\Psi_i}\, \Omega_i, \quad
        \Omega_i = J^{-1} R_i^T \pi_i \\
        R_i = R_n \exp \Psi_i, \quad \pi_i = \pi_n + h \sum_j a_{ij} t_j \\
        R_{n+1} = R_n \exp\Big(h \sum_i b_i K_i\Big), \quad \pi_{n+1} = \pi_n + h \sum_i b_i t_i

    - The rotation vector of the step lives in a flat space, where a Runge–Kutta method [has its
      full order]. Its rate is the velocity, corrected by commutators.
    - One exponential leads back to the group, so R [remains a rotation]. Momentum adds up impulses
      in space, so it is [conserved].
    - Explicit stages start from one end, so the step is not reversible. A free body's energy
      [drifts], in [200,000 steps of 0.05 rad by less than 10⁻⁴].
    """
    # The stages return the turn Ψ and the gain of momentum, in the body's frame at the start.
    Ψ, gained = tableau(body, t, h, R, Π)
    E = turn(Ψ)
    return R @ E, E.T @ (Π + gained)
