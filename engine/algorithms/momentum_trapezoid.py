"""SW-C1, BBTRAP and BBTRAP-DEXP: implicit steps with a spatial balance of momentum and a turn by
the mean velocity.

SW-C1 is Simo and Wong's ALGO_C1 with the torque half way (any β/γ = ½ gives the same map). BBTRAP
takes the torques of both ends instead; without a torque the two are the same. BBTRAP-DEXP is the
Runge–Kutta–Munthe-Kaas method of the trapezoidal tableau, with dexp⁻¹, which breaks the symmetry.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..algebra import (
    Mat3,
    Vec3,
    cross,
    dexp_matrix,
    dexpinv,
    dexpinv_coefficient,
    dexpinv_matrix,
    dexpinv_slope,
    dot,
    exp,
    hat,
    outer,
    turn,
)
from ..text import FREE, TOPS, bibtex, declares, falls, keeps, loses, measures, times
from .core import MOMENTUM, Body, Torque, method, newton, start_with_torque, turn_and_kick

implicit_rule = partial(method, family="Midpoint", order=(2, 2), implicit=True)
"""Declares one of the three methods."""


@implicit_rule(
    key="SW-C1",
    name="Simo–Wong, conserving (ALGO_C1)",
    short="Conserving Simo–Wong",
    aliases=("SW-C", "ALGO_C1", "ALCO_C1", "SWC1", "simo_wong_algo_c1", "LSexp"),
    reference=bibtex("SimoWong1991"),
    reversible=True,
    conserves=MOMENTUM | {"energy": "free"},
    evidence=(
        keeps(energy="free", pi="free"),
        keeps(pi="free", pi_e3="always"),
        keeps(energy="free"),
        (keeps(pi_e3="always", energy="free"), measures("energy", TOPS, 1e-8, 1)),
    ),
)
def swc1(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""[Conserves energy and spatial momentum of the free body to roundoff], with the exponential
    map.

    .. math::
        R_{n+1} J\Omega_{n+1} - R_n J\Omega_n = h\,t(R_n \exp\tfrac12\Psi), \quad
        \Psi = \tfrac h2 (\Omega_n + \Omega_{n+1}), \quad R_{n+1} = R_n \exp\Psi

    - A free body turns about the mean of the velocities at both ends. The body momentum turns back
      by the same rotation, so momentum [stays in space].
    - A turn about the mean velocity changes Π at right angles to that velocity, which [costs no
      energy].
    - With a torque it takes the impulse half way through the step: [π·e₃ is still conserved, energy
      is not].
    """
    # The unknown is the mean velocity.
    ω = newton(body, h, mean_balance, body.Jinv @ Π, t, R, Π)
    half = exp(h / 2 * ω)
    T = body.torque(t + h / 2, R @ half)
    return R @ exp(h * ω), half.T @ (half.T @ Π + h * T)


def mean_balance(body: Body, h: float, ω: Vec3, t: float, R: Mat3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − ½ (Π + Π₁), and its derivative by ω."""
    k, v = h / 2, h / 2 * ω
    half = exp(v)
    dexp, turned = dexp_matrix(-v), half.T @ Π
    T = body.torque(t + k, R @ half)
    D = body.torque_tangent(t + k, R @ half, dexp)
    Π1 = half.T @ (turned + h * T)
    of_turn = (k * hat(Π1)) @ dexp + half.T @ ((k * hat(turned)) @ dexp + (h * k) * D)
    return body.J @ ω - 0.5 * (Π + Π1), body.J + -0.5 * of_turn


@implicit_rule(
    key="BBTRAP",
    name="Bottasso–Borri trapezoidal rule",
    short="Bottasso–Borri",
    aliases=("bb_rkmk_trap",),
    reference=bibtex("BottassoBorri1998"),
    start=start_with_torque,
    reversible=True,
    conserves=MOMENTUM | {"energy": "free"},
    evidence=(
        keeps(energy="free", pi="free"),
        (keeps(pi="free", energy="free"), times("attitude", "SW-C1", FREE, 0.999, 1.001)),
        (keeps(pi_e3="always"), measures("energy", TOPS, 1e-8, 1)),
    ),
)
def bbtrap(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""SW-C1 with the torques of both ends: it [conserves energy and momentum of the free body to
    roundoff].

    .. math::
        \Psi = \tfrac h2 (\Omega_n + \Omega_{n+1}), \quad R_{n+1} = R_n \exp\Psi, \quad
        \Pi_{n+1} = \exp(-\Psi)(\Pi_n + \tfrac h2 T_n) + \tfrac h2 T_{n+1}

    - On the free body it is SW-C1: a turn about the mean velocity [changes neither spatial
      momentum nor energy].
    - With a torque it takes half of the impulse at either end of the step, which [conserves π·e₃
      but not energy].
    - Δt by the mean velocity is not quite the rotation vector, which leaves an error of phase of
      second order.
    """
    # The unknown is the new velocity.
    Ω = body.Jinv @ Π
    Π = Π + h / 2 * T
    Ω1 = newton(body, h, end_balance, Ω, t, R, Π, Ω)
    E = turn(h / 2 * (Ω + Ω1))
    return turn_and_kick(body, t, h, R, Π, E)


def end_balance(
    body: Body, h: float, Ω1: Vec3, t: float, R: Mat3, Π: Vec3, Ω: Vec3
) -> tuple[Vec3, Mat3]:
    """JΩ₁ − exp(−Ψ) Π − h/2 T₁ with Ψ = h/2 (Ω + Ω₁), and its derivative by Ω₁."""
    k, v = h / 2, h / 2 * (Ω + Ω1)
    E = turn(v)
    dexp, turned = dexp_matrix(-v), E.T @ Π
    D = body.torque_tangent(t + h, R @ E, dexp)
    residual = body.J @ Ω1 - turned - k * body.torque(t + h, R @ E)
    return residual, body.J + (-(k * hat(turned)) @ dexp - k**2 * D)


@implicit_rule(
    key="BBTRAP-DEXP",
    name="Runge–Kutta–Munthe-Kaas, trapezoidal",
    short="Trapezoidal Munthe-Kaas",
    aliases=("bb_rkmk_trap_wdexp", "RKMK-TRAP", "BBTRAPWD"),
    reference=bibtex("BottassoBorri1998"),
    start=start_with_torque,
    conserves=MOMENTUM,
    evidence=(
        (keeps(pi="free"), loses("energy")),
        declares(reversible=False),
        falls((*FREE, "slow-top", "fast-top")),
        (declares(reversible=False), keeps(pi="free", pi_e3="always")),
    ),
)
def bbtrap_dexp(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Any]:
    r"""The trapezoidal tableau in the Lie algebra: it [conserves momentum, but not energy], and is
    [not reversible].

    .. math::
        \Psi = \tfrac h2 \left(\Omega_n + \mathrm{dexp}^{-1}_{-\Psi} \Omega_{n+1}\right), \quad
        R_{n+1} = R_n \exp\Psi, \quad \Pi_{n+1} = \exp(-\Psi)(\Pi_n + \tfrac h2 T_n) + \tfrac h2 T_{n+1}

    - It maps the velocity at the end to the Lie algebra by dexp⁻¹.
    - The axis of the turn is then no longer the mean velocity. On free bodies and on fast and slow
      tops energy [is lost, slowly and for good].
    - The two ends of the step enter differently, so the step is not reversible and the losses add
      up. Momentum still turns with the body, and [is conserved].
    """
    # The unknown is Ψ/h.
    Ω = body.Jinv @ Π
    Π = Π + h / 2 * T
    ω = newton(body, h, algebra_balance, Ω, t, R, Π, Ω)
    E = exp(h * ω)
    return turn_and_kick(body, t, h, R, Π, E)


def algebra_balance(
    body: Body, h: float, ω: Vec3, t: float, R: Mat3, Π: Vec3, Ω: Vec3
) -> tuple[Vec3, Mat3]:
    """2ω − Ω − dexp⁻¹(−Ψ) Ω₁ with Ψ = hω, and its derivative by ω."""
    k, v = h / 2, h * ω
    E = exp(v)
    dexp, turned = dexp_matrix(-v), E.T @ Π
    T = body.torque(t + h, R @ E)
    D = body.torque_tangent(t + h, R @ E, dexp)
    Ω1 = body.Jinv @ (turned + k * T)
    dΩ1 = body.Jinv @ ((h * hat(turned)) @ dexp + (k * h) * D)
    two = Mat3(2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0)
    c = dexpinv_coefficient(dot(v, v))
    slope = dexpinv_slope(dot(v, v), c)
    twice = cross(v, Ω1)
    by_turn = 0.5 * hat(Ω1) + (
        c * (hat(twice) + hat(v) @ hat(Ω1)) - slope * outer(cross(v, twice), v)
    )
    return 2 * ω - Ω - dexpinv(-v, Ω1), two - dexpinv_matrix(-v) @ dΩ1 + h * by_turn
