"""BLIEDF: the two-step backward differentiation formula on the group, of Wieloch and Arnold, for
one free body.

The rules are those of Hante's program BLieDF (src/BLieDF.F90, lines 1069–1370 and 1486, at commit
cde51fda), which has formulas of one and two steps; those of more steps need commutators. As there,
the first step is one of the backward Euler method. The program stops its Newton iterations at a
tolerance, this file at roundoff.
"""

from __future__ import annotations

from ..algebra import Mat3, Vec3, dexp_matrix, times_exp
from ..text import FREE, bibtex, declares, falls, loses
from .core import BODY_RATES, Body, angular_acceleration, method, newton, one_minus_spin


def start(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3, Vec3, Vec3, float]:
    """The first state, without a history: the first step does not weight it."""
    return R, Ω, Ω, Ω, 0.0


@method(
    key="BLIEDF",
    name="Backward differentiation for rotations",
    short="Backward differentiation",
    aliases=("Wieloch–Arnold",),
    family="Multistep",
    reference=bibtex("WielochArnold2021", "BLieDF2021"),
    start=start,
    order=(2, 2),
    implicit=True,
    self_starting=False,
    conserves=BODY_RATES,
    has_history="the velocity and the turn of the step before",
    evidence=(
        declares(order=(2, 2)),
        falls(FREE),
        falls(FREE),
        declares(order=(2, 2)),
        loses("pi", "pi_norm", "casimir"),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, Ω0: Vec3, D0: Vec3, w: float
) -> tuple[Mat3, Vec3, Vec3, Vec3, float]:
    r"""A two-step formula for stiff equations, [of second order], for velocities and turns. A free
    body's energy [falls].

    .. math::
        \tfrac32 \Omega_{n+1} - 2\Omega_n + \tfrac12 \Omega_{n-1} = h A_{n+1}, \quad
        J A_{n+1} = J\Omega_{n+1} \times \Omega_{n+1} + T_{n+1} \\
        \tfrac32 D_{n+1} - \tfrac12 D_n = \Omega_{n+1}, \quad R_{n+1} = R_n \exp(h D_{n+1})

    - The formula damps what turns fast in a step, as generalized-α does, so a free body's energy
      [falls].
    - It needs the turns of two steps. These do not commute, but their commutator is of third power
      in Δt, and the method is [of second order].
    - Velocities are differenced in the body's frame, so momentum [is not conserved].
    """
    # w is the weight of the history: 0 in the first step, then ⅓. D is the mean velocity in a step.
    Ω1 = newton(body, h, end_balance, Ω + 3.0 * w * (Ω - Ω0), t, R, Ω + w * (Ω - Ω0), D0, w)
    D = (1.0 - w) * Ω1 + w * D0
    return times_exp(R, h * D), Ω1, Ω, D, 1.0 / 3.0


def end_balance(
    body: Body, h: float, Ω1: Vec3, t: float, R: Mat3, known: Vec3, D0: Vec3, w: float
) -> tuple[Vec3, Mat3]:
    """Ω₁ − known − k A₁, where k = (1 − w) h, and its derivative by Ω₁."""
    k = (1.0 - w) * h
    v = k * Ω1 + (w * h) * D0
    R1 = times_exp(R, v)
    residual = Ω1 - known - k * angular_acceleration(body, body.torque(t + h, R1), Ω1)
    D = body.torque_tangent(t + h, R1, dexp_matrix(-v))
    return residual, one_minus_spin(body.ratios, k, Ω1) - (k**2 * body.Jinv) @ D
