"""RKMK: the Runge–Kutta methods of Munthe-Kaas, for any explicit tableau.

Stage i turns the attitude at the start by Ψᵢ = h Σ aᵢⱼ Kⱼ, where Kⱼ = dexp⁻¹(−Ψⱼ) Ωⱼ, and the momentum is
summed as a vector in one frame, that of the body at the start of the step, so that a free body keeps π. (The notes'
picture writes T₍ₖ₎ inside the stage sum; it must be T₍ⱼ₎.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..algebra import Mat3, Vec3, Weights, combination, dexpinv, exp
from .euler import with_momentum
from .method import Choice, method


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge–Kutta tableau: rows of a, weights b; the nodes c are the sums of the rows."""

    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]

    @property
    def c(self) -> tuple[float, ...]:
        """The nodes."""
        return tuple(float(sum(row)) for row in self.a)


TABLEAUX = {
    "euler": Tableau(1, ((),), (1.0,)),
    "midpoint": Tableau(2, ((), (1 / 2,)), (0.0, 1.0)),
    "heun": Tableau(2, ((), (1.0,)), (1 / 2, 1 / 2)),
    "kutta3": Tableau(3, ((), (1 / 2,), (-1.0, 2.0)), (1 / 6, 2 / 3, 1 / 6)),
    "rk4": Tableau(4, ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    # Butcher's sixth-order tableau of seven stages.
    "butcher6": Tableau(
        6,
        (
            (),
            (1 / 3,),
            (0.0, 2 / 3),
            (1 / 12, 1 / 3, -1 / 12),
            (-1 / 16, 9 / 8, -3 / 16, -3 / 8),
            (0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2),
            (9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11),
        ),
        (11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120),
    ),
}


def stages(tableau: Tableau) -> Callable[..., Any]:
    """The stages of a tableau, chained: each appends its slope K and its torque to those before it."""
    chain = last_stage
    for row, c in reversed(list(zip(tableau.a, tableau.c, strict=True))):
        chain = preceded_by(stage(row, c) if row else first_stage, chain)
    b = Weights(tableau.b)

    def increments(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Any, Any]:
        K, T = chain(body, t, h, R, Π, (), ())
        return h * combination(b, K), h * combination(b, T)

    return increments


def first_stage(body: Any, t: float, h: float, R: Mat3, Π: Vec3, K: Any, T: Any) -> tuple[Any, Any]:
    """The slope at the start of the step."""
    return (body.Jinv @ Π,), (body.torque(t, R),)


def stage(row: tuple[float, ...], c: float) -> Callable[..., Any]:
    """A later stage."""
    weights = Weights(row)

    def slope(body: Any, t: float, h: float, R: Mat3, Π: Vec3, K: Any, T: Any) -> tuple[Any, Any]:
        Ψ = h * combination(weights, K)
        E = exp(Ψ)
        Ω = body.Jinv @ (E.T @ (Π + h * combination(weights, T)))
        return K + (dexpinv(-Ψ, Ω),), T + (E @ body.torque(t + c * h, R @ E),)

    return slope


def last_stage(body: Any, t: float, h: float, R: Mat3, Π: Vec3, K: Any, T: Any) -> tuple[Any, Any]:
    """After the last stage: the slopes and the torques, all in the body's frame at the start."""
    return K, T


def preceded_by(this: Callable[..., Any], rest: Callable[..., Any]) -> Callable[..., Any]:
    """One stage, then the rest of the chain."""

    def both(body: Any, t: float, h: float, R: Mat3, Π: Vec3, K: Any, T: Any) -> tuple[Any, Any]:
        K, T = this(body, t, h, R, Π, K, T)
        return rest(body, t, h, R, Π, K, T)

    return both


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order and cost are the tableau's."""
    tableau = TABLEAUX[chosen.get("tableau", "rk4")]
    return {"order": (tableau.order, tableau.order), "torque_evaluations": len(tableau.b)}


def start(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    """Attitude and momentum."""
    return with_momentum(body, t, h, R, Ω)


@method(
    key="RKMK",
    name="Runge–Kutta–Munthe-Kaas",
    aliases=("MKRK",),
    family="Runge–Kutta on the group",
    summary="A Runge–Kutta method in the Lie algebra: any order, explicit, on the group; energy drifts slowly.",
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
    options=(
        Choice(
            "tableau",
            "the Runge–Kutta tableau",
            {name: stages(tableau) for name, tableau in TABLEAUX.items()},
            "rk4",
        ),
    ),
    start=start,
    order=(4, 4),
    torque_evaluations=4,
    conserves={
        "orthogonality": "always",
        "gamma_norm": "always",
        "pi": "free",
        "pi_norm": "free",
        "casimir": "free",
        "pi_e3": "always",
    },
    given_options=promises,
)
def step(body: Any, t: float, h: float, R: Mat3, Π: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    """One step: the stages give the turn Ψ and the momentum gained, both in the body's frame at the start."""
    Ψ, gained = tableau(body, t, h, R, Π)
    E = exp(Ψ)
    return R @ E, E.T @ (Π + gained)
