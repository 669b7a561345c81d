"""ZHAO-WACHEM: the predictor–corrector of Zhao and van Wachem, whose turns are products of unit
quaternions.

It follows the code of QuaternionIntegrator.jl, whose text interchanges ¼ and ½ in the predictor's
velocities. The turn of the whole step is in space, by the velocity half way, which the attitude
half way carries to space.
"""

from __future__ import annotations

from ..algebra import Mat3, Vec3, exp, times_exp
from ..text import FREE, bibtex, declares, grows, loses
from .core import Body, angular_acceleration, particle_rule


@particle_rule(
    key="ZHAO-WACHEM",
    name="Zhao and van Wachem's predictor–corrector",
    short="Zhao–van Wachem",
    variants={"PCDM": {}},
    reference=bibtex("ZhaoVanWachem2013", "QuaternionIntegrator2023"),
    torque_evaluations=2,
    torque_of_velocity=True,
    evidence=(
        declares(implicit=False),
        grows(FREE),
        loses("energy", "pi", "pi_norm", "casimir"),
        grows(FREE),
        loses("pi", "pi_norm", "casimir"),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    r"""The explicit midpoint rule with two torques a step and [nothing to solve]. A free body's
    energy [grows], and [neither energy nor momentum is conserved].

    .. math::
        R_m = R_n \exp\left(\tfrac h2 \left(\Omega_n + \tfrac h4 A_n\right)\right), \quad
        \Omega_m = \Omega_n + \tfrac h2 A_n, \quad A_i = J^{-1}(J\Omega_i \times \Omega_i + T_i) \\
        R_{n+1} = \exp\left(h\,R_m \Omega_m\right) R_n, \quad \Omega_{n+1} = \Omega_n + h A_m

    - The velocity takes the explicit midpoint rule, and the body turns by the velocity in the
      middle.
    - Its explicit stages start from the beginning of the step, and a free body's energy [grows].
    - The velocity follows from rates in the body's frame, so momentum [is not conserved].
    """
    A = angular_acceleration(body, body.torque(t, R, Ω), Ω)
    Rm, Ωm = times_exp(R, h / 2 * (Ω + h / 4 * A)), Ω + h / 2 * A
    A = angular_acceleration(body, body.torque(t + h / 2, Rm, Ωm), Ωm)
    return exp(h * (Rm @ Ωm)) @ R, Ω + h * A
