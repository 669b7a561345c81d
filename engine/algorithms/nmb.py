"""NMB and ELN: the explicit Newmark method in the body's frame, with the exponential and with the
Cayley map.

P. Krysl and L. Endres, section 2.4. Their equation (43) prints Δt²/2 before its last term; it must
be (Δt/2)², as in their Appendix B and in the tangent below.

They write that the method "would appear symplectic". It is reversible, but neither symplectic nor
volume-preserving: on the asymmetric top one step changes the symplectic form by 1.4e-3 at Δt = 0.1,
by 1.8e-4 at 0.05 and by 2.2e-5 at 0.025, as Δt³, and the volume by a tenth of that. Its energy does
not drift in a million steps on the free body; on the asymmetric top the mean moves by some 3 %,
several times the swing.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..algebra import Mat3, Vec3, times_cay, times_exp
from ..text import FREE, REGULAR, bibtex, loses, measures, swings, times, typically, wanders
from .core import BODY_RATES, Body, method, newton
from .core.euler import angular_acceleration, one_minus_spin, spin, start_with_acceleration

newmark = partial(
    method,
    family="Newmark",
    start=start_with_acceleration,
    order=(2, 2),
    torque_evaluations=1,
    reversible=True,
    conserves=BODY_RATES,
    has_history="its angular acceleration",
)
"""Declares a method of second order that carries the acceleration of Euler's equations."""


@newmark(
    key="NMB",
    name="Explicit Newmark, body frame",
    short="Explicit Newmark",
    aliases=("NMS", "rotint_nmb"),
    reference=bibtex("KryslEndres2005"),
    evidence=(
        loses("energy", "pi", "pi_e3"),
        swings(REGULAR),
        measures("half-step energy", FREE, 0, 1e-11),
        swings(FREE),
        loses("pi", "pi_e3"),
        swings(REGULAR),
        wanders(("asymmetric-top",), dt=0.05, steps=1_000_000),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    r"""Explicit in the attitude and the torque; an equation is solved for the gyroscopic term.
    [Conserves neither energy nor momentum], but on regular motions its energy [swings without
    drift].

    .. math::
        R_{n+1} = R_n \exp\left(\Delta t\,\Omega_{n+1/2}\right), \quad
        \Omega_{n+1/2} = \Omega_n + \tfrac{\Delta t}{2} A_n \\
        J A_{n+1} + \Omega_{n+1} \times J \Omega_{n+1} = T_{n+1}, \quad
        \Omega_{n+1} = \Omega_{n+1/2} + \tfrac{\Delta t}{2} A_{n+1}

    - On a free body its half-step velocities obey the implicit midpoint rule. Therefore it
      [conserves E + Δt²/8 A·JA], and E itself [swings] with the acceleration A.
    - It sums rates of momentum in the body's frame, not in space, so momentum is [not conserved].
    - The step is time-reversible, and where the motion is regular its energy [does not drift]. But
      it is not symplectic, and on the chaotic asymmetric top its energy [wanders].
    """
    # A is the angular acceleration at the start of the step.
    Ωh = Ω + h / 2 * A
    return finish_step(body, t, h, times_exp(R, h * Ωh), Ωh, A)  # R exp(h Ωh)


def finish_step(
    body: Body, t: float, h: float, R: Mat3, Ωh: Vec3, A: Vec3
) -> tuple[Mat3, Vec3, Vec3]:
    """Euler's equations in the new attitude give the new velocity and acceleration."""
    T = body.torque(t + h, R)
    Ω = newton(body, h, rate_balance, Ωh + h / 2 * A, Ωh, body.Jinv @ T)
    return R, Ω, angular_acceleration(body, T, Ω)


def rate_balance(body: Body, h: float, Ω: Vec3, Ωh: Vec3, A: Any) -> tuple[Vec3, Mat3]:
    """Ω − Ωh − h/2 J⁻¹ (JΩ × Ω + T) with A = J⁻¹T, and its derivative by Ω."""
    return Ω - Ωh - h / 2 * (spin(body.ratios, Ω) + A), one_minus_spin(body.ratios, h / 2, Ω)


@newmark(
    key="ELN",
    name="Explicit Lie–Newmark, Cayley map",
    short="Explicit Lie–Newmark",
    aliases=("SVQ", "SVQ-VLN"),
    reference=bibtex("SimoVuQuoc1988"),
    evidence=(
        times("energy", "NMB", FREE, 0.999, 1.001),
        typically("attitude", "NMB", 20),
        times("energy", "NMB", FREE, 0.999, 1.001),
        measures("ahead", FREE, -1 / 12, -1 / 12.1),
        typically("attitude", "NMB", 20),
    ),
)
def eln(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    r"""NMB with the Cayley map. On a free body its [energy is the same]. In steps of 0.05 rad its
    attitude error is [{} times] as large in the median of random bodies.

    .. math::
        R_{n+1} = R_n\, \mathrm{cay}\left(\Delta t\,\Omega_{n+1/2}\right), \quad
        \Omega_{n+1/2} = \Omega_n + \tfrac{\Delta t}{2} A_n \\
        J A_{n+1} + \Omega_{n+1} \times J \Omega_{n+1} = T_{n+1}, \quad
        \Omega_{n+1} = \Omega_{n+1/2} + \tfrac{\Delta t}{2} A_{n+1}

    - On a free body its velocities are those of NMB, and so is its [energy].
    - The Cayley map turns by 2 atan(|v|/2) instead of |v|, which [falls short by about |v|³/12].
    - This error of phase is the same in each step of a steady spin, so it adds up. In steps of 0.05
      rad the attitude error is [{} times] that of NMB in the median of random bodies.
    """
    # A is the angular acceleration at the start of the step.
    Ωh = Ω + h / 2 * A
    return finish_step(body, t, h, times_cay(R, h * Ωh), Ωh, A)


ENERGY_OF_NMB = (
    times("energy", "NMB", FREE, 0.999, 1.001),
    loses("energy", "pi", "pi_norm", "casimir"),
    times("energy", "NMB", FREE, 0.999, 1.001),
    loses("pi", "pi_norm", "casimir"),
)
"""Evidence for other turns with NMB's velocities: a free body's energy is that of NMB, and neither
energy nor momentum is conserved; as a summary, and again with the reasons.
"""
