"""TERZE: the Störmer–Verlet scheme of Terze and co-workers on the Lie group.

The formulas are right as printed once Ω is read as Rᵀ dR/dt; the text's Ω = dR/dt Rᵀ contradicts both the body's
frame and the update from the right, and read literally it has no order in R.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, turn
from ..told import FREE, declares, grows, keeps, told
from .euler import with_momentum_and_torque
from .method import MOMENTUM, method


@method(
    key="TERZE",
    name="Lie group Störmer–Verlet",
    family="Explicit",
    summary=told(
        "[Explicit, nothing to solve, keeps spatial momentum]; not symmetric, and a free body's energy [grows].",
        (declares(implicit=False), keeps(pi="free", pi_e3="always")),
        grows(FREE),
    ),
    equations=r"""
        Q = \Pi_n + \tfrac h2 T_n, \quad \Omega_{1/2} = J^{-1} \exp(-\tfrac h2 \Omega_n)\, Q \\
        R_{n+1} = R_n \exp(h\,\Omega_{1/2}), \quad \Pi_{n+1} = \exp(-h\,\Omega_{1/2})\, Q + \tfrac h2 T_{n+1}""",
    reference="""@article{Terze2015,
  author    = {Terze, Zdravko and M{\\"u}ller, Andreas and Zlatar, Dario},
  title     = {An angular momentum and energy conserving {Lie}-group integration scheme for rigid body rotational
               dynamics originating from {St{\\"o}rmer--Verlet} algorithm},
  journal   = {Journal of Computational and Nonlinear Dynamics},
  volume    = {10}, pages = {051005}, year = {2015}, doi = {10.1115/1.4028671}}""",
    start=with_momentum_and_torque,
    order=(2, 2),
    torque_evaluations=1,
    conserves=MOMENTUM,
)
def step(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """One step."""
    Q = Π + h / 2 * T
    Ωh = body.Jinv @ (turn(h / 2 * (body.Jinv @ Π)).T @ Q)
    E = turn(h * Ωh)
    R = R @ E
    T = body.torque(t + h, R)
    return R, E.T @ Q + h / 2 * T, T
