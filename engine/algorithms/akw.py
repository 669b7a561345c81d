"""AKW: the implicit midpoint rule of Austin, Krishnaprasad and Wang, with the Cayley map.

With torque, the body torques of both ends are averaged as they are, without turning one into the frame of the
other, as in Krysl and Endres's figures. For a torque linear in Γ = Rᵀe3, which every heavy top has, that is the
implicit midpoint rule on (Π, Γ), since Γ₁ = cay(hω)ᵀ Γ₀ says Γ₁ − Γ₀ = h (Γ₀ + Γ₁)/2 × ω: energy, π·e3 and |Γ|
are quadratic and therefore kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan
from typing import Any

from ..algebra import Mat3, Vec3, cay, dcay_matrix, dexp_matrix, exp, norm, outer, rodrigues, times_cay
from ..spec import OneOf, Parameter
from ..told import FREE, keeps, measured, told
from .euler import one_minus_spin, spin
from .method import MOMENTUM, method
from .newton import newton


def at_both_ends(body: Any, t: float, h: float, R: Mat3, T0: Any, ω: Vec3) -> tuple[Any, Any]:
    """The mean of both ends' body torques, and 2/h times its derivative by ω."""
    R1 = times_cay(R, h * ω)
    T1 = body.torque(t + h, R1)
    return 0.5 * T0 + 0.5 * T1, body.torque_tangent(t + h, R1, dcay_matrix(h * ω))


def at_half_rotation(body: Any, t: float, h: float, R: Mat3, T0: Any, ω: Vec3) -> tuple[Any, Any]:
    """The torque at half the rotation, R exp(atan(|v|) v/|v|) with v = hω/2, and 2/h times its derivative by ω."""
    v = h / 2 * ω
    n = norm(v)
    f = atan(n) / n if n > 1e-4 else 1.0 - n * n / 3.0
    g = (1.0 / (1.0 + n * n) - f) / (n * n) if n > 1e-4 else -2.0 / 3.0
    u = f * v
    Rm = R @ exp(u)
    du = rodrigues(v, 0.0, 0.0) * f + g * outer(v, v)
    return body.torque(t + h / 2, Rm), body.torque_tangent(t + h / 2, Rm, dexp_matrix(-u) @ du)


def start(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, torque: Any) -> tuple[Mat3, Vec3, Any]:
    """The torque at the end of a step serves as the one at the start of the next."""
    return R, Ω, body.torque(t, R)


PROMISES = MOMENTUM | {"energy": "tops", "pi_e3": "tops", "pi_chi": "symmetric tops"}


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """At the half rotation it is no longer the midpoint rule on (Π, Γ), and keeps less of a top."""
    at_ends = chosen.get("torque", "ends") == "ends"
    return {"conserves": PROMISES if at_ends else PROMISES | {"energy": "free", "pi_e3": "free"}}


@method(
    key="AKW",
    name="Implicit midpoint rule with the Cayley map",
    aliases=("IMR", "IncrSO3_AKW", "AKWt"),
    family="Midpoint",
    summary=told(
        "[Keeps energy and momentum to roundoff, of the free body and of every heavy top]; the price is the "
        "Cayley map's error of phase, in a steady spin [x³/12 in a step of x radians].",
        keeps(energy="tops", pi="free", pi_e3="tops"),
        measured("ahead", FREE, -1 / 12, -1 / 12.1),
    ),
    equations=r"""
        \Pi_{n+1} - \Pi_n = \Delta t\,(J\omega \times \omega + T), \quad
        \omega = J^{-1} \tfrac12 (\Pi_n + \Pi_{n+1}) \\
        R_{n+1} = R_n\, \mathrm{cay}(\Delta t\,\omega), \quad
        T = \tfrac12 \left(R_n^T t_n + R_{n+1}^T t_{n+1}\right)""",
    reference="""@article{AustinKrishnaprasadWang1993,
  author  = {Austin, Mark A. and Krishnaprasad, P. S. and Wang, Li-Sheng},
  title   = {Almost {Poisson} integration of rigid body systems},
  journal = {Journal of Computational Physics},
  volume  = {107}, pages = {105--117}, year = {1993}, doi = {10.1006/jcph.1993.1128}}""",
    options=(
        Parameter(
            "torque",
            OneOf(
                {"ends": at_both_ends, "half": at_half_rotation},
                {"ends": "mean of both ends", "half": "at half the rotation"},
            ),
            "where the torque is taken: the mean of both ends, or at half the rotation",
            "ends",
            label="Where the torque is taken",
        ),
    ),
    start=start,
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves=PROMISES,
    given_options=promises,
)
def step(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, T: Any, torque: Any) -> tuple[Mat3, Vec3, Any]:
    """One step; ω is the angular velocity between its ends, T the torque at its start."""
    ω = newton(body, h, midpoint_balance, Ω, t, R, Ω, T, torque)
    R = R @ cay(h * ω)
    return R, 2 * ω - Ω, body.torque(t + h, R)


def midpoint_balance(
    body: Any, h: float, ω: Vec3, t: float, R: Mat3, Ω: Vec3, T: Any, torque: Any
) -> tuple[Vec3, Mat3]:
    """ω − Ω − h/2 J⁻¹ (Jω × ω + T), and its derivative by ω."""
    Tm, dTm = torque(body, t, h, R, T, ω)
    residual = (ω - Ω - h / 2 * spin(body.ratios, ω)) - (h / 2 * body.Jinv) @ Tm
    return residual, one_minus_spin(body.ratios, h / 2, ω) - (h**2 / 4 * body.Jinv) @ dTm
