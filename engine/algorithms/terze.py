"""TERZE: the Störmer–Verlet scheme of Terze and co-workers on the Lie group.

The formulas are right as printed once Ω is read as Rᵀ dR/dt; the text's Ω = dR/dt Rᵀ contradicts
both the body's frame and the update from the right, and read literally it has no order in R.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, turn
from ..text import FREE, bibtex, declares, grows, keeps
from .core import MOMENTUM, Body, Torque, method, start_with_torque, turn_and_kick


@method(
    key="TERZE",
    name="Lie group Störmer–Verlet",
    short="Störmer–Verlet",
    family="Explicit",
    reference=bibtex("Terze2015"),
    start=start_with_torque,
    order=(2, 2),
    torque_evaluations=1,
    conserves=MOMENTUM,
    evidence=(
        (declares(implicit=False), keeps(pi="free", pi_e3="always")),
        grows(FREE),
        keeps(pi="free", pi_e3="always"),
        (declares(reversible=False), grows(FREE)),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""[Explicit, with nothing to solve, and it conserves spatial momentum]. It is not symmetric,
    and a free body's energy [grows].

    .. math::
        Q = \Pi_n + \tfrac h2 T_n, \quad \Omega_{1/2} = J^{-1} \exp(-\tfrac h2 \Omega_n)\, Q \\
        R_{n+1} = R_n \exp(h\,\Omega_{1/2}), \quad \Pi_{n+1} = \exp(-h\,\Omega_{1/2})\, Q + \tfrac h2 T_{n+1}

    - The body turns by a velocity that is predicted by turning the momentum by half a step of the
      old velocity.
    - The momentum itself turns back by the rotation of the body, and is [conserved to roundoff].
    - The prediction starts from one end, so the step is not reversible. A free body's energy
      [creeps up] until the body spins about the axis for which it is largest.
    """
    Q = Π + h / 2 * T
    Ωh = body.Jinv @ (turn(h / 2 * (body.Jinv @ Π)).T @ Q)
    E = turn(h * Ωh)
    return turn_and_kick(body, t, h, R, Q, E)
