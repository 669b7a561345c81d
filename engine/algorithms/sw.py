"""SW: the explicit conserving algorithm of Simo and Wong, ALGO_C2.

The torques in the sum of momenta are spatial ones (Krysl and Endres's appendix writes them with a
capital T). A follows from step to step by a recursion with a root at −1, without damping, so that
an oscillation of A can grow. With A computed from the balance in each step, the method would drift.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, exp
from ..text import REGULAR, bibtex, declares, keeps, near, swings
from .core import MOMENTUM, Body, Torque, angular_acceleration, method


def start(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3, Vec3, Any]:
    """The first state; the acceleration follows from the balance."""
    T = body.torque(t, R)
    return R, body.J @ Ω, angular_acceleration(body, T, Ω), T


@method(
    key="SW",
    name="Explicit Simo–Wong (ALGO_C2)",
    short="Explicit Simo–Wong",
    aliases=("ALGO_C2", "SW-C2", "simo_wong_algo_c2", "incrso3_swc2"),
    family="Newmark",
    reference=bibtex("SimoWong1991"),
    start=start,
    order=(2, 2),
    torque_evaluations=1,
    self_starting=False,
    reversible="if it carries the acceleration A",
    conserves=MOMENTUM,
    has_history="an acceleration of its own",
    evidence=(
        declares(implicit=False),
        keeps(pi="free", pi_e3="always"),
        swings(REGULAR),
        keeps(pi="free", pi_e3="always"),
        swings(REGULAR),
        near("largest energy", 4.32, ("book-toss",), over="NMB", dt=0.05, steps=2000),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, A: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Vec3, Any]:
    r"""[Explicit, with nothing to solve]. It [conserves spatial momentum to roundoff], and on
    regular motions its energy [swings].

    .. math::
        R_{n+1} = R_n \exp\left(\Delta t\,\Omega_n + \tfrac{\Delta t^2}{2} A_n\right) \\
        R_{n+1} J \Omega_{n+1} = R_n J \Omega_n + \tfrac{\Delta t}{2} (t_n + t_{n+1}), \quad
        A_{n+1} = \tfrac{2}{\Delta t} (\Omega_{n+1} - \Omega_n) - A_n

    - It adds the impulse to the spatial momentum, so a free body's momentum [does not change].
    - Energy is not in its equations, and [swings] on regular motions.
    - Each acceleration follows from the one before, with a minus sign. So an error in it changes
      its sign in each step, and is not damped. On the book toss with Δt = 0.05 it [grows until the
      energy is {} times NMB's].
    """
    Ω0 = body.Jinv @ Π
    E = exp(h * Ω0 + h * h / 2 * A)
    R = R @ E
    T1 = body.torque(t + h, R)
    Π = E.T @ (Π + h / 2 * T) + h / 2 * T1
    return R, Π, 2 / h * (body.Jinv @ Π - Ω0) - A, T1
