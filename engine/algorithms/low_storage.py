"""LOW-STORAGE: Runge–Kutta schemes of low storage, as methods on the group.

Williamson's schemes keep two quantities in place of all slopes: the state and one increment.
Bazavov found that on a group they have the order that they have for vectors: he proves it for three
stages and order three, and supports it by examples for more. Lüscher's method of lattice gauge
theory, written with all slopes, is one of them. The increment of the attitude is in the body's
frame and that of spatial momentum, as in CG3 and CF4.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, times_exp
from ..text import FREE, bibtex, declares, keeps, measures, typically
from .core import LOW_STORAGE, MOMENTUM, Body, Torque, method, offer, promise_tableau

SCHEMES = {key: ((s.A, s.B, s.c), s.name) for key, s in LOW_STORAGE.items()}


@method(
    key="LOW-STORAGE",
    name="Commutator-free with low storage",
    short="Low-storage Runge–Kutta",
    aliases=("Bazavov", "LSCFRK"),
    family="Runge–Kutta on the group",
    reference=bibtex("Bazavov2022", "BazavovChuna2021"),
    options=(offer("tableau", "the low-storage Runge–Kutta scheme", "Scheme", SCHEMES),),
    order=(4, 4),
    torque_evaluations=5,
    torque_of_velocity=True,
    conserves=MOMENTUM,
    given_options=promise_tableau,
    evidence=(
        declares(order=(4, 4)),
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        (declares(order=(4, 4)), declares(of="LOW-STORAGE(tableau=yan)", order=(5, 5))),
        typically("attitude", "LOW-STORAGE", 7, of="CF4"),
        (declares(reversible=False), measures("|drift|", FREE, 1e-10, 1)),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, π: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    r"""Explicit and [of fourth order] with five stages: each turns the body by an increment that
    replaces the one before.

    .. math::
        \theta_i = A_i\, \theta_{i-1} + h\,\Omega_i, \quad I_i = A_i\, I_{i-1} + h\,t_i, \quad A_1 = 0, \quad
        \Omega_i = J^{-1} R_{i-1}^T \pi_{i-1} \\
        R_i = R_{i-1} \exp(B_i \theta_i), \quad \pi_i = \pi_{i-1} + B_i I_i, \quad
        R_0 = R_n,\; \pi_0 = \pi_n

    - It stores one increment besides the state, whatever the number of stages, and computes one
      exponential for each stage.
    - The step is a product of turns, so R [remains a rotation], and impulses add up in space, so
      momentum [is conserved].
    - Schemes in this form have the same order for turns as for vectors. Carpenter and Kennedy's has
      [order four, and Yan's order five].
    - It takes five torques a step, and CF4 four. In 400 steps of 0.05 rad CF4's attitude error is
      [{} times] as large in the median of random bodies.
    - It is not reversible, and a free body's energy [drifts].
    """
    A, B, c = tableau
    θ, impulse = find_rates(body, t, h, R, π)
    R, π = times_exp(R, B[0] * θ), π + B[0] * impulse
    for Ai, Bi, ci in zip(A[1:], B[1:], c[1:], strict=True):
        hΩ, ht = find_rates(body, t + ci * h, h, R, π)
        θ, impulse = Ai * θ + hΩ, Ai * impulse + ht
        R, π = times_exp(R, Bi * θ), π + Bi * impulse
    return R, π


def find_rates(body: Body, t: float, h: float, R: Mat3, π: Vec3) -> tuple[Vec3, Torque]:
    """h times the velocity in the body's frame, and h times the torque in space."""
    Ω = body.Jinv @ (R.T @ π)
    return h * Ω, h * (R @ body.torque(t, R, Ω))
