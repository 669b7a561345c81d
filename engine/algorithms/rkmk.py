"""RKMK: the Runge–Kutta methods of Munthe-Kaas, for any explicit tableau.

Stage i turns the attitude at the start by Ψᵢ = h Σ aᵢⱼ Kⱼ, where Kⱼ = dexp⁻¹(−Ψⱼ) Ωⱼ, and the momentum is
summed as a vector in one frame, that of the body at the start of the step, so that a free body keeps π. (The notes'
picture writes T₍ₖ₎ inside the stage sum; it must be T₍ⱼ₎.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, Weights, combination, dexpinv, turn
from ..told import FREE, measured, told
from .crouch_grossman import first_stage
from .method import MOMENTUM, method
from .tableaux import Stage, choice_of_tableau, promised_by


def later_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """A later one, and the rest."""

    def slope(body: Any, t: float, h: float, R: Mat3, Π: Vec3, K: Any, T: Any) -> tuple[Any, Any]:
        Ψ = h * combination(row, K)
        E = turn(Ψ)
        Ω = body.Jinv @ (E.T @ (Π + h * combination(row, T)))
        return rest(body, t, h, R, Π, K + (dexpinv(-Ψ, Ω),), T + (E @ body.torque(t + c * h, R @ E, Ω),))

    return slope


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order and cost are the tableau's."""
    return promised_by(chosen.get("tableau", "rk4"))


@method(
    key="RKMK",
    name="Runge–Kutta–Munthe-Kaas",
    aliases=("MKRK",),
    family="Runge–Kutta on the group",
    summary=told(
        "A Runge–Kutta method in the Lie algebra: of its tableau's order, explicit, on the group; a free body's "
        "energy [drifts].",
        measured("|drift|", FREE, 1e-10, 1),
    ),
    equations=r"""
        \Psi_i = h \sum_j a_{ij} K_j, \quad K_i = \mathrm{dexp}^{-1}_{-\Psi_i}\, \Omega_i, \quad
        \Omega_i = J^{-1} R_i^T \pi_i \\
        R_i = R_n \exp \Psi_i, \quad \pi_i = \pi_n + h \sum_j a_{ij} t_j \\
        R_{n+1} = R_n \exp\Big(h \sum_i b_i K_i\Big), \quad \pi_{n+1} = \pi_n + h \sum_i b_i t_i""",
    reference="""@article{MuntheKaas1998,
  author  = {Munthe-Kaas, Hans},
  title   = {{Runge--Kutta} methods on {Lie} groups},
  journal = {BIT Numerical Mathematics},
  volume  = {38}, pages = {92--111}, year = {1998}, doi = {10.1007/BF02510919}}""",
    options=(choice_of_tableau(first_stage, later_stage, "rk4"),),
    order=(4, 4),
    torque_evaluations=4,
    torque_of_velocity=True,
    conserves=MOMENTUM,
    given_options=promises,
)
def step(body: Any, t: float, h: float, R: Mat3, Π: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    """One step: the stages give the turn Ψ and the momentum gained, both in the body's frame at the start."""
    Ψ, gained = tableau(body, t, h, R, Π)
    E = turn(Ψ)
    return R @ E, E.T @ (Π + gained)
