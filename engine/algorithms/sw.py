"""SW: the explicit conserving algorithm of Simo and Wong, ALGO_C2.

The torques in the momentum sum are spatial ones (Krysl and Endres's appendix writes them with a capital T). A is
carried from step to step by a recursion with a root at −1: undamped, so an oscillation of A can grow. Computing A
from the balance at each step instead would make a method that drifts.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, exp
from ..told import REGULAR, declares, keeps, swings, told
from .euler import angular_acceleration
from .method import MOMENTUM, method
from .momentum_trapezoid import SIMO_WONG


def start(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3, Vec3, Any]:
    """The first acceleration is the balance's."""
    T = body.torque(t, R)
    return R, body.J @ Ω, angular_acceleration(body, T, Ω), T


@method(
    key="SW",
    name="Explicit Simo–Wong (ALGO_C2)",
    aliases=("ALGO_C2", "SW-C2", "simo_wong_algo_c2", "incrso3_swc2"),
    family="Newmark",
    summary=told(
        "[Explicit, with nothing to solve]; [keeps spatial momentum to roundoff], lets energy [swing] on regular "
        "motions.",
        declares(implicit=False),
        keeps(pi="free", pi_e3="always"),
        swings(REGULAR),
    ),
    equations=r"""
        R_{n+1} = R_n \exp\left(\Delta t\,\Omega_n + \tfrac{\Delta t^2}{2} A_n\right) \\
        R_{n+1} J \Omega_{n+1} = R_n J \Omega_n + \tfrac{\Delta t}{2} (t_n + t_{n+1}), \quad
        A_{n+1} = \tfrac{2}{\Delta t} (\Omega_{n+1} - \Omega_n) - A_n""",
    reference=SIMO_WONG,
    start=start,
    order=(2, 2),
    torque_evaluations=1,
    self_starting=False,
    reversible="with A carried",
    conserves=MOMENTUM,
    has_history="an acceleration of its own",
)
def step(body: Any, t: float, h: float, R: Mat3, Π: Vec3, A: Vec3, T: Any) -> tuple[Mat3, Vec3, Vec3, Any]:
    """One step."""
    Ω0 = body.Jinv @ Π
    E = exp(h * Ω0 + h * h / 2 * A)
    R = R @ E
    T1 = body.torque(t + h, R)
    Π = E.T @ (Π + h / 2 * T) + h / 2 * T1
    return R, Π, 2 / h * (body.Jinv @ Π - Ω0) - A, T1
