"""AKW: the implicit midpoint rule of Austin, Krishnaprasad and Wang, with the Cayley map.

With a torque, the body torques of both ends are averaged without turning one into the frame of the
other, as in Krysl and Endres's figures. For a torque linear in Γ = Rᵀe3, as that of every heavy
top, this is the implicit midpoint rule for (Π, Γ), because Γ₁ = cay(hω)ᵀ Γ₀ means Γ₁ − Γ₀ = h (Γ₀ +
Γ₁)/2 × ω: energy, π·e3 and |Γ| are quadratic and therefore conserved.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan
from typing import Any

from ..algebra import (
    Mat3,
    Vec3,
    cay,
    dcay_matrix,
    dexp_matrix,
    exp,
    norm,
    outer,
    rodrigues,
    times_cay,
)
from ..text import FREE, bibtex, keeps, measures
from .core import (
    MOMENTUM,
    Body,
    Torque,
    method,
    newton,
    offer,
    one_minus_spin,
    spin,
    start_velocity_and_torque,
)


def average_ends(body: Body, t: float, h: float, R: Mat3, T0: Torque, ω: Vec3) -> tuple[Any, Any]:
    """The mean of the body torques of both ends, and 2/h times its derivative by ω."""
    R1 = times_cay(R, h * ω)
    T1 = body.torque(t + h, R1)
    return 0.5 * T0 + 0.5 * T1, body.torque_tangent(t + h, R1, dcay_matrix(h * ω))


def take_half_rotation(
    body: Body, t: float, h: float, R: Mat3, T0: Torque, ω: Vec3
) -> tuple[Any, Any]:
    """The torque at half the rotation, R exp(atan(|v|) v/|v|) with v = hω/2, and 2/h times its
    derivative by ω.
    """
    v = h / 2 * ω
    n = norm(v)
    f = atan(n) / n if n > 1e-4 else 1.0 - n * n / 3.0
    g = (1.0 / (1.0 + n * n) - f) / (n * n) if n > 1e-4 else -2.0 / 3.0
    u = f * v
    Rm = R @ exp(u)
    du = rodrigues(v, 0.0, 0.0) * f + g * outer(v, v)
    return body.torque(t + h / 2, Rm), body.torque_tangent(t + h / 2, Rm, dexp_matrix(-u) @ du)


PROMISES = MOMENTUM | {"energy": "tops", "pi_e3": "tops", "pi_chi": "symmetric tops"}


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the torque at half the rotation it is not the midpoint rule for (Π, Γ), and conserves
    less on tops.
    """
    at_ends = chosen.get("torque", "ends") == "ends"
    return {"conserves": PROMISES if at_ends else PROMISES | {"energy": "free", "pi_e3": "free"}}


@method(
    key="AKW",
    name="Implicit midpoint rule with the Cayley map",
    short="Implicit midpoint",
    aliases=("IMR", "IncrSO3_AKW", "AKWt"),
    family="Midpoint",
    reference=bibtex("AustinKrishnaprasadWang1993"),
    options=(
        offer(
            "torque",
            "where the torque is taken: the mean of both ends, or at half the rotation",
            "Where the torque is taken",
            {
                "ends": (average_ends, "mean of both ends"),
                "half": (take_half_rotation, "at half the rotation"),
            },
        ),
    ),
    start=start_velocity_and_torque,
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves=PROMISES,
    given_options=promise,
    evidence=(
        keeps(energy="tops", pi="free", pi_e3="tops"),
        measures("ahead", FREE, -1 / 12, -1 / 12.1),
        keeps(energy="tops", pi_e3="tops", casimir="free", gamma_norm="always"),
        keeps(energy="tops", pi_e3="tops", casimir="free", gamma_norm="always"),
        measures("ahead", FREE, -1 / 12, -1 / 12.1),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, T: Torque, torque: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""[Conserves energy and momentum of the free body and of heavy tops to roundoff]. In return
    the Cayley map has an error of phase, in a steady spin [x³/12 in a step of x radians].

    .. math::
        \Pi_{n+1} - \Pi_n = \Delta t\,(J\omega \times \omega + T), \quad
        \omega = J^{-1} \tfrac12 (\Pi_n + \Pi_{n+1}) \\
        R_{n+1} = R_n\, \mathrm{cay}(\Delta t\,\omega), \quad
        T = \tfrac12 \left(R_n^T t_n + R_{n+1}^T t_{n+1}\right)

    - With the Cayley map, the momentum Π and the vertical Γ obey the implicit midpoint rule. This
      rule [conserves every quadratic invariant].
    - Energy, Π·Γ and |Γ| of a heavy top and |Π| of a free body are quadratic, and so are [conserved
      to roundoff].
    - But the Cayley map turns by 2 atan(x/2) instead of x. In a steady spin the body lags behind
      [by about x³/12 in each step].
    """
    # Ω is the angular velocity between the step's ends, T the torque at the start of the step.
    ω = newton(body, h, midpoint_balance, Ω, t, R, Ω, T, torque)
    R = R @ cay(h * ω)
    return R, 2 * ω - Ω, body.torque(t + h, R)


def midpoint_balance(
    body: Body, h: float, ω: Vec3, t: float, R: Mat3, Ω: Vec3, T: Torque, torque: Any
) -> tuple[Vec3, Mat3]:
    """ω − Ω − h/2 J⁻¹ (Jω × ω + T), and its derivative by ω."""
    Tm, dTm = torque(body, t, h, R, T, ω)
    residual = (ω - Ω - h / 2 * spin(body.ratios, ω)) - (h / 2 * body.Jinv) @ Tm
    return residual, one_minus_spin(body.ratios, h / 2, ω) - (h**2 / 4 * body.Jinv) @ dTm
