"""NMB and ELN: the explicit Newmark method in the body's frame, with the exponential and with the Cayley map.

P. Krysl and L. Endres, section 2.4. Their equation (43) prints Δt²/2 before its last term; it must be (Δt/2)²,
as in their Appendix B and in the tangent below.

The method "would appear symplectic", they write. It is reversible, but neither symplectic nor volume-preserving:
on the asymmetric top one step misses the symplectic form by 1.4e-3 at Δt = 0.1, by 1.8e-4 at 0.05 and by 2.2e-5 at
0.025, as Δt³, and the volume by a tenth of that. Its energy has no drift over a million steps on the free body; on
the asymmetric top the mean moves by some 3 %, several times what it swings.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, times_cay, times_exp
from ..told import FREE, REGULAR, loses, swings, times, told
from .euler import angular_acceleration, one_minus_spin, spin, with_acceleration
from .method import ON_THE_GROUP, method
from .newton import newton

SIMO_VU_QUOC = """@article{SimoVuQuoc1988,
  author  = {Simo, J. C. and Vu-Quoc, L.},
  title   = {On the dynamics in space of rods undergoing large motions---a geometrically exact approach},
  journal = {Computer Methods in Applied Mechanics and Engineering},
  volume  = {66}, pages = {125--161}, year = {1988}, doi = {10.1016/0045-7825(88)90073-4}}"""


@method(
    key="NMB",
    name="Explicit Newmark, body frame",
    aliases=("NMS", "rotint_nmb"),
    family="Newmark",
    summary=told(
        "Explicit in the attitude and the torque; the gyroscopic term is solved for. [Keeps neither energy nor "
        "momentum], yet on regular motions energy [swings without drift].",
        loses("energy", "pi", "pi_e3"),
        swings(REGULAR),
    ),
    equations=r"""
        R_{n+1} = R_n \exp\left(\Delta t\,\Omega_{n+1/2}\right), \quad
        \Omega_{n+1/2} = \Omega_n + \tfrac{\Delta t}{2} A_n \\
        J A_{n+1} + \Omega_{n+1} \times J \Omega_{n+1} = T_{n+1}, \quad
        \Omega_{n+1} = \Omega_{n+1/2} + \tfrac{\Delta t}{2} A_{n+1}""",
    reference="""@article{KryslEndres2005,
  author  = {Krysl, Petr and Endres, Lance},
  title   = {Explicit {Newmark}/{Verlet} algorithm for time integration of the rotational dynamics of rigid bodies},
  journal = {International Journal for Numerical Methods in Engineering},
  volume  = {62}, pages = {2154--2177}, year = {2005}, doi = {10.1002/nme.1272}}""",
    start=with_acceleration,
    order=(2, 2),
    torque_evaluations=1,
    reversible=True,
    conserves=ON_THE_GROUP | {"pi_chi": "symmetric tops"},
    has_history="the acceleration that belongs to its velocity",
)
def step(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """One step; A is the angular acceleration at its start."""
    Ωh = Ω + h / 2 * A
    return after_the_turn(body, t, h, times_exp(R, h * Ωh), Ωh, A)  # R exp(h Ωh)


def after_the_turn(body: Any, t: float, h: float, R: Mat3, Ωh: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """The balance of rates in the new attitude gives the new velocity and acceleration."""
    T = body.torque(t + h, R)
    Ω = newton(body, h, rate_balance, Ωh + h / 2 * A, Ωh, body.Jinv @ T)
    return R, Ω, angular_acceleration(body, T, Ω)


def rate_balance(body: Any, h: float, Ω: Vec3, Ωh: Vec3, A: Any) -> tuple[Vec3, Mat3]:
    """Ω − Ωh − h/2 J⁻¹ (JΩ × Ω + T) with A = J⁻¹T, and its derivative by Ω."""
    return Ω - Ωh - h / 2 * (spin(body.ratios, Ω) + A), one_minus_spin(body.ratios, h / 2, Ω)


@method(
    key="ELN",
    name="Explicit Lie–Newmark, Cayley map",
    aliases=("SVQ", "SVQ-VLN"),
    family="Newmark",
    summary=told(
        "NMB with the Cayley map: the free body's [energy is the same], its attitude after 400 steps of 0.05 rad [{} "
        "times] as far off.",
        times("energy", "NMB", FREE, 0.999, 1.001),
        times("attitude", "NMB", FREE, 1.6, 450),
    ),
    equations=r"""
        R_{n+1} = R_n\, \mathrm{cay}\left(\Delta t\,\Omega_{n+1/2}\right), \quad
        \Omega_{n+1/2} = \Omega_n + \tfrac{\Delta t}{2} A_n \\
        J A_{n+1} + \Omega_{n+1} \times J \Omega_{n+1} = T_{n+1}, \quad
        \Omega_{n+1} = \Omega_{n+1/2} + \tfrac{\Delta t}{2} A_{n+1}""",
    reference=SIMO_VU_QUOC,
    start=with_acceleration,
    order=(2, 2),
    torque_evaluations=1,
    reversible=True,
    conserves=ON_THE_GROUP | {"pi_chi": "symmetric tops"},
    has_history="the acceleration that belongs to its velocity",
)
def eln(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """One step; A is the angular acceleration at its start."""
    Ωh = Ω + h / 2 * A
    return after_the_turn(body, t, h, times_cay(R, h * Ωh), Ωh, A)
