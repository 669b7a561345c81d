"""GAUSS: the variational Runge–Kutta–Munthe-Kaas methods with Gauss's coefficients, of orders 2, 4
and 6.

Bou-Rabee and Marsden, and Bogfjellmo and Marthinsen, derive symplectic Runge–Kutta methods on a
group from the action

    S = h Σ bᵢ L(Rᵢ, Ωᵢ),    Rᵢ = R exp θᵢ,    θᵢ = h Σ aᵢⱼ kⱼ,    Ωᵢ = dexp(−θᵢ) kᵢ,

which is stationary for all kᵢ with given ends. Here the coordinates θ are about the middle of the
step instead of its start, after Zanna, Engø and Munthe-Kaas; a step is then the same from both
ends. With one stage and without a torque it is VLV with the exponential.

The equations are solved for the kᵢ by Newton's method.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from ..algebra import (
    Diag3,
    Exponential,
    Mat3,
    Vec3,
    Zero3,
    cross,
    cross_columns,
    dexpinv_coefficient,
    dexpinv_slope,
    dot,
    exp,
    exponential,
    hat,
    outer,
    turn,
)
from ..text import REGULAR, bibtex, declares, keeps, measures, typically
from .core import MOMENTUM, Body, method, newton_for_stages, offer

U, V = sqrt(3.0), sqrt(15.0)
STAGES = offer(
    "stages",
    "the number of stages; the order is twice that",
    "Stages",
    {
        "2": (
            ((0.5, 0.5), (0.5 - U / 6, 0.5 + U / 6), ((0.0, -U / 6), (U / 6, 0.0))),
            "two: order 4",
        ),
        "1": (((1.0,), (0.5,), ((0.0,),)), "one: order 2"),
        "3": (
            (
                (5 / 18, 4 / 9, 5 / 18),
                (0.5 - V / 10, 0.5, 0.5 + V / 10),
                ((0.0, -V / 15, -V / 30), (V / 24, 0.0, -V / 24), (V / 30, V / 15, 0.0)),
            ),
            "three: order 6",
        ),
    },
    brief="stages {value}",
)
"""Weights b, nodes c and the matrix a − b/2 of each: Gauss's stages seen from the middle of the
step.
"""


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Twice as many orders as stages."""
    order = 2 * int(chosen.get("stages", STAGES.default))
    return {"order": (order, order)}


@method(
    key="GAUSS",
    name="Variational Gauss method for rotations",
    short="Variational Gauss",
    aliases=("Gauss-Legendre", "Bogfjellmo-Marthinsen"),
    family="Variational",
    reference=bibtex("BogfjellmoMarthinsen2016", "BouRabeeMarsden2009", "ZannaEngoMuntheKaas2001"),
    options=(STAGES,),
    order=(4, 4),
    implicit=True,
    reversible=True,
    symplectic=True,
    torque_of_velocity=True,
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
    given_options=promise,
    evidence=(
        (keeps(pi="free", pi_e3="always"), measures("|drift|", REGULAR, 0, 1e-9)),
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        (declares(order=(4, 4)), declares(of="GAUSS(stages=3)", order=(6, 6))),
        declares(reversible=True),
        typically("attitude", "GAUSS", 800, of="MR4"),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3, stages: Any) -> tuple[Mat3, Vec3]:
    r"""Symplectic and time-symmetric, of order two, four or six with one, two or three stages. It
    [conserves momentum, and on regular motions its energy does not drift].

    .. math::
        \psi = h \sum_i b_i k_i, \quad \theta_i = h \sum_j (a_{ij} - \tfrac12 b_j) k_j, \quad
        R_i = R_n\, e^{\psi/2} e^{\theta_i}, \quad I = h \sum_i b_i\, e^{\theta_i} T_i \\
        k_i = \mathrm{dexp}^{-1}_{-\theta_i} \Omega_i, \quad J\Omega_i = \mathrm{dexp}^{-1}_{\theta_i} p_i, \quad
        F_i = \frac{\partial}{\partial \theta_i} \left(\tfrac12 \Omega_i \cdot J\Omega_i - V(R_i)\right) \\
        p_i = \mathrm{dexp}_{-\psi} \Pi_n + \tfrac12 \mathrm{dexp}_{-\psi/2} I
        + h \sum_j (a_{ij} - \tfrac12 b_j) F_j \\
        R_{n+1} = R_n\, e^{\psi}, \quad \Pi_{n+1} = e^{-\psi} \Pi_n + e^{-\psi/2} I

    - It follows from a principle of least action whose paths are polynomials in coordinates of the
      group. So it [is symplectic and conserves momentum].
    - Gauss's nodes give [order four with two stages and six with three].
    - The coordinates are about the middle of the step, which makes it [reversible].
    - Newton's method solves its equations. Each iteration evaluates the torques of the stages and
      their derivatives. If it fails, it solves for a part of the step first. In steps of 0.05 rad
      MR4's attitude error is [{} times] that of two stages (median of random bodies).
    """
    K = newton_for_stages(
        body, h, balance, tuple([body.Jinv @ Π for _ in stages[0]]), t, R, Π, stages
    )
    ψ = add(h, stages[0], K)
    half = exp(0.5 * ψ)
    impulse = find_impulse(h, find_stages(body, h, K, t, R @ half, stages), stages)
    return R @ exp(ψ), turn(ψ).T @ Π + half.T @ impulse


def balance(
    body: Body, h: float, K: tuple[Vec3, ...], t: float, R: Mat3, Π: Vec3, stages: Any
) -> tuple[tuple[Vec3, ...], tuple[tuple[Mat3, ...], ...]]:
    """pᵢ of the kᵢ minus pᵢ of the sums, and the derivative by the kⱼ."""
    b, _, A = stages
    ψ = add(h, b, K)
    whole, half = exponential(-ψ), exponential(-0.5 * ψ)
    found = find_stages(body, h, K, t, R @ half.T.exp, stages)
    impulse = find_impulse(h, found, stages)
    common = whole.dexp_times(Π) + 0.5 * half.dexp_times(impulse)
    turning = 0.5 * half.dexp
    P, F, *slopes = zip(*[differentiate(body, turning, *one) for one in found], strict=True)
    residuals = tuple([p - common - add(h, row, F) for p, row in zip(P, A, strict=True)])

    by_ψ = whole.dexp_tangent(Π) + 0.25 * half.dexp_tangent(impulse)
    columns: tuple[Any, ...] = ()
    for j, weight in enumerate(b):
        dP, dF, dI = [follow(h, stages, j, of) for of in slopes]
        of_common = turning @ add(h, b, dI) - (h * weight) * by_ψ
        columns += (tuple([p - of_common - add(h, row, dF) for p, row in zip(dP, A, strict=True)]),)
    return residuals, tuple(zip(*columns, strict=True))


def find_stages(
    body: Body, h: float, K: tuple[Vec3, ...], t: float, Rm: Mat3, stages: Any
) -> tuple[tuple[Any, ...], ...]:
    """tᵢ, Rᵢ, θᵢ, kᵢ, exp θᵢ, Ωᵢ and Tᵢ of the stages, from the attitude half way."""
    _, c, A = stages
    found: tuple[Any, ...] = ()
    for ci, row, k in zip(c, A, K, strict=True):
        θ = exponential(add(h, row, K))
        E, Ω = θ.exp, θ.T.dexp_times(k)
        Ri = Rm @ E
        found += ((t + ci * h, Ri, θ, k, E, Ω, body.torque(t + ci * h, Ri, Ω)),)
    return found


def find_impulse(h: float, found: tuple[Any, ...], stages: Any) -> Any:
    """I."""
    return add(h, stages[0], tuple([E @ T for _, _, _, _, E, _, T in found]))


def differentiate(
    body: Body,
    turning: Mat3,
    t: float,
    R: Mat3,
    of_θ: Exponential,
    k: Vec3,
    E: Mat3,
    Ω: Vec3,
    T: Any,
) -> tuple[Any, ...]:
    """pᵢ and Fᵢ, and the derivatives of these and of exp(θᵢ) Tᵢ, each by ψ, θᵢ and kᵢ."""
    θ, JΩ = of_θ.v, body.J @ Ω
    p = of_θ.dexp_times(JΩ)
    W, B = of_θ.T.dexp, -of_θ.T.dexp_tangent(k)  # the derivatives of Ω by k and by θ
    p_k, p_θ = W.T @ (body.J @ W), W.T @ (body.J @ B) + of_θ.dexp_tangent(JΩ)
    F, F_θ = find_force(θ, p, Ω, p_θ, B)
    (T_ψ, T_W), V = body.torque_slopes(t, R, Ω, T, (E.T @ turning, W))
    T_θ, T_k = T_W + V @ B, V @ W
    F_ψ, F_T = W.T @ T_ψ, W.T @ T_θ
    return (
        p,
        F + of_θ.dexp_times(T),
        (Zero3(), p_θ, p_k),
        (F_ψ, F_θ + (of_θ.dexp_tangent(T) + F_T), p_θ.T + W.T @ T_k),
        (
            T_ψ + cross_columns(θ, F_ψ),
            T_θ + cross_columns(θ, F_T) - cross_columns(E @ T, W.T),
            E @ T_k,
        ),
    )


def find_force(θ: Vec3 | Zero3, p: Vec3, Ω: Vec3, p_θ: Mat3, Ω_θ: Mat3) -> tuple[Vec3, Mat3]:
    """The first and second derivative of ½ Ω·JΩ by θ, where Ω = dexp(−θ) k and p = dexp(θ) JΩ."""
    n2 = dot(θ, θ)
    c = dexpinv_coefficient(n2)
    slope, bend = dexpinv_slope(n2, c), 1.0 / 3780.0 + n2 / 50400.0
    if n2 > 1e-4:
        bend = (2.0 * c * c + (2.0 * n2 * c - 5.0) * slope) / n2  # twice the slope's derivative
    a, o, q = dot(θ, p), dot(θ, Ω), dot(p, Ω)
    u, v = a * Ω + o * p - 2.0 * q * θ, a * o - n2 * q
    s = 2.0 * c + slope * n2
    by_p = outer(θ, s * Ω) - outer(c * Ω + (slope * o) * θ, θ) - 0.5 * hat(Ω) + scalar(-c * o)
    by_Ω = outer(θ, s * p) - outer(c * p + (slope * a) * θ, θ) + 0.5 * hat(p) + scalar(-c * a)
    own = (
        outer(c * Ω, p)
        + outer(c * p, Ω)
        + outer(slope * u + (bend * v) * θ, θ)
        + outer(slope * θ, u)
    )
    of_θ = by_p @ p_θ + by_Ω @ Ω_θ - own + scalar(2.0 * c * q - slope * v)
    return 0.5 * cross(p, Ω) - c * u - (slope * v) * θ, of_θ


def scalar(x: float) -> Diag3:
    """x times the unit matrix."""
    return Diag3(x, x, x)


def follow(h: float, stages: Any, j: int, slopes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The derivatives of a quantity of each stage by kⱼ, from those by ψ, θᵢ and kᵢ."""
    b, _, A = stages
    return tuple(
        [
            add(h, (b[j], row[j]), (by_ψ, by_θ)) + (by_k if i == j else Zero3())
            for i, (row, (by_ψ, by_θ, by_k)) in enumerate(zip(A, slopes, strict=True))
        ]
    )


def add(h: float, weights: tuple[float, ...], values: tuple[Any, ...]) -> Any:
    """h times the weighted sum, without the terms of weight zero."""
    total: Any = Zero3()
    for weight, value in zip(weights, values, strict=True):
        if weight != 0.0:
            total = total + (h * weight) * value
    return total
