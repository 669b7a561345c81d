"""DISCRETE-GRADIENT: SW-C1 with Gonzalez's discrete gradient in place of the torque, for any
potential.

Gonzalez's midpoint discrete gradient is the gradient half way, with the least correction after
which its work is the difference of the potential at both ends. Celledoni and Owren use such
gradients on Lie groups. The combination with Simo and Wong's step, in which that work is the change
of the kinetic energy, is ours.

If the torque has no component about the vertical, the correction has none either, and π·e3 is
conserved as well. A torque without a potential is not corrected, and the step is that of SW-C1.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Diag3, Mat3, Vec3, cross, dexp_matrix, dot, exp, hat, norm, outer
from ..algebra.precision import ByPrecision
from ..text import bibtex, declares, keeps, loses
from .core import MOMENTUM, Body, method, newton

UNIT = Diag3(1.0, 1.0, 1.0)
LEVEL = ByPrecision(1e-12, single=1e-4)
"""Part of a torque about the vertical that counts as none."""
STILL = ByPrecision(1e-6, single=1e-2)
"""A turn by less, in radians, is not corrected: roundoff in the potential would exceed the
correction.
"""


@method(
    key="DISCRETE-GRADIENT",
    name="Simo–Wong with a discrete gradient",
    short="Discrete gradient",
    aliases=("Gonzalez", "energy-momentum"),
    family="Midpoint",
    reference=bibtex("Gonzalez1996", "SimoWong1991", "CelledoniOwren2014"),
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves=MOMENTUM | {"energy": "always"},
    evidence=(
        keeps(energy="always", pi="free", pi_e3="always"),
        keeps(energy="always"),
        keeps(pi_e3="always"),
        (loses("pi_chi"), declares(symplectic=False)),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""[Conserves energy with every potential. A free body's momentum is conserved, and that about
    the vertical where the motion conserves it].

    .. math::
        R_{n+1} J\Omega_{n+1} - R_n J\Omega_n = h R_{1/2} (T_{1/2} + \mu u), \quad
        w = \tfrac12 (\Omega_n + \Omega_{n+1}), \quad R_{1/2} = R_n \exp \tfrac h2 w, \quad R_{n+1} = R_n \exp h w \\
        \mu = \frac{V(R_n) - V(R_{n+1}) - h\, T_{1/2} \cdot w}{h\, u \cdot u}, \quad
        u = w - (w \cdot \Gamma) \Gamma \text{ if } T_{1/2} \cdot \Gamma = 0, \text{ else } u = w, \quad
        \Gamma = R_{1/2}^T e_3

    - The body turns about the mean velocity, so the kinetic energy changes by the work of the
      torque half way. That work is near the change of the potential.
    - A correction along the velocity, of second order in Δt, supplies the missing work: energy [is
      conserved].
    - Where the torque has no component about the vertical, neither has the correction: the momentum
      about it [is conserved].
    - In return the step is not symplectic, and the momentum about a symmetric top's axis [is not
      conserved].
    """
    # The unknown is the mean velocity; the potential is that of the time half way.
    V = body.potential(t + h / 2, R)
    w = newton(body, h, mean_balance, body.Jinv @ Π, t + h / 2, R, Π, V)
    half = exp(h / 2 * w)
    T, _ = mean_torque(body, t + h / 2, h, R, w, V)
    return R @ exp(h * w), half.T @ (half.T @ Π + h * T)


def mean_balance(
    body: Body, h: float, w: Vec3, t: float, R: Mat3, Π: Vec3, V: float
) -> tuple[Vec3, Mat3]:
    """Jw − ½ (Π + Π₁), and its derivative by w."""
    k, v = h / 2, h / 2 * w
    half, dexp = exp(v), dexp_matrix(-v)
    turned = half.T @ Π
    T, D = mean_torque(body, t, h, R, w, V)
    Π1 = half.T @ (turned + h * T)
    of_turn = (k * hat(Π1)) @ dexp + half.T @ ((k * hat(turned)) @ dexp + h * D)
    return body.J @ w - 0.5 * (Π + Π1), body.J + -0.5 * of_turn


def mean_torque(body: Body, t: float, h: float, R: Mat3, w: Vec3, V: float) -> tuple[Any, Any]:
    """The torque half way with its correction, in the frame half way, and its derivative by w."""
    Rm, turns = R @ exp(h / 2 * w), h / 2 * dexp_matrix(-h / 2 * w)
    T, D = body.torque(t, Rm), body.torque_tangent(t, Rm, turns)
    if not body.has_potential:
        return T, D
    # The correction is along u, the velocity, or its part across the vertical n if the torque has
    # none along it.
    Γ = Vec3(Rm.zx, Rm.zy, Rm.zz)
    n = Γ * (1.0 if abs(dot(T, Γ)) <= LEVEL.of(h) * norm(T) else 0.0)
    u, along = w - dot(n, w) * n, dot(n, w)
    of_u = UNIT + -(outer(n, n) + (along * hat(n) + outer(n, cross(w, n))) @ turns)
    turned = h * h * dot(u, u)
    part = h / turned if turned > STILL.of(h) ** 2 else 0.0
    R1 = R @ exp(h * w)
    missing = part * (V - body.potential(t, R1) - h * dot(T, w))
    of_work = dexp_matrix(h * w) @ body.torque(t, R1) - T - D.T @ w
    of_missing = (part * h) * (of_work - (2.0 * missing) * (of_u.T @ u))
    return T + missing * u, D + (outer(u, of_missing) + missing * of_u)
