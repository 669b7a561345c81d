"""KB: the explicit scheme NEW2 of Koziara and Bićanić, called RIG_NEG in the code Solfec."""

from __future__ import annotations

from ..algebra import Mat3, Vec3, turn
from ..text import ALONG, RANDOM, bibtex, declares, falls, grows, keeps
from .core import MOMENTUM, Body, angular_acceleration, method


@method(
    key="KB",
    name="Koziara–Bićanić NEW2",
    short="Koziara–Bićanić",
    aliases=("kb_e", "NEW2", "RIG_NEG"),
    family="Explicit",
    reference=bibtex("KoziaraBicanic2010"),
    order=(2, 2),
    torque_evaluations=1,
    conserves=MOMENTUM,
    evidence=(
        keeps(pi="free", pi_e3="always"),
        grows(ALONG),
        falls(RANDOM, typical=True),
        keeps(pi="free", pi_e3="always"),
        (declares(reversible=False), falls(RANDOM, typical=True), falls(("slow-top", "fast-top"))),
        grows(ALONG),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""Two half turns and one torque half way: explicit, and it [conserves spatial momentum]. Most
    free bodies [lose energy]. One whose momentum points nearly along its axis of least inertia
    [gains it].

    .. math::
        D = \exp(\tfrac h2 \Omega_n), \quad \Omega_m = J^{-1}(D^T \Pi_n + \tfrac h2 T_m), \quad
        \Omega^* = \Omega_n + h J^{-1}(T_m + J\Omega_m \times \Omega_m) \\
        D_2 = \exp(\tfrac h2 \Omega^*), \quad R_{n+1} = R_n D D_2, \quad
        \Pi_{n+1} = D_2^T (D^T \Pi_n + h T_m)

    - The first half turn uses the velocity at the start of the step. The second uses a velocity
      predicted from the torque half way.
    - Momentum turns back with the body and receives its impulse in space, so it is [conserved].
    - It does not use the torque at the end, so it is not reversible and its energy error adds up.
      Most free bodies, and fast and slow tops, [lose energy]. A body whose momentum points nearly
      along its axis of least inertia [gains it].
    """
    Ω = body.Jinv @ Π
    D = turn(h / 2 * Ω)
    Rm, Πm = R @ D, D.T @ Π
    T = body.torque(t + h / 2, Rm)
    Ωm = body.Jinv @ (Πm + h / 2 * T)
    D2 = turn(h / 2 * (Ω + h * angular_acceleration(body, T, Ωm)))
    return Rm @ D2, D2.T @ (Πm + h * T)
