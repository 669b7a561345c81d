"""DMV: the discrete Moser–Veselov equation between two half kicks; also RATTLE and the Lie group variational
integrator on SO(3), which are the same map.

E with E Jd − Jd Eᵀ = hat(h Π), Jd = tr(J)/2 − J, exists only while h |ω| ≤ 1, where sin θ = h |ω| for the angle θ
of E. Of its solutions the one that tends to 1 with h is meant: θ < π/2.
"""

from __future__ import annotations

from math import nan, pi
from typing import Any

from ..algebra import Mat3, Vec3, cross, dot, exp, exp_coefficients, gyroscopic_tangent, norm, outer
from .euler import with_momentum_and_torque
from .method import method
from .newton import newton


@method(
    key="DMV",
    name="Discrete Moser–Veselov",
    aliases=("RATTLE", "LGVI-SO3"),
    family="Variational",
    summary="Symplectic, reversible, keeps energy and momentum of the free body to roundoff; has no solution when a "
    "step turns the body too far.",
    equations=r"""
        \Pi^+ = \Pi_n + \tfrac{\Delta t}{2} T_n, \quad
        E J_d - J_d E^T = \Delta t\, \widehat{\Pi^+}, \quad J_d = \tfrac12 \mathrm{tr}(J) - J \\
        R_{n+1} = R_n E, \quad \Pi_{n+1} = E^T \Pi^+ + \tfrac{\Delta t}{2} T_{n+1}""",
    reference="""@article{MoserVeselov1991,
  author  = {Moser, J. and Veselov, A. P.},
  title   = {Discrete versions of some classical integrable systems and factorization of matrix polynomials},
  journal = {Communications in Mathematical Physics},
  volume  = {139}, pages = {217--243}, year = {1991}, doi = {10.1007/BF02352494}}""",
    start=with_momentum_and_torque,
    order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    symplectic=True,
    conserves={
        "orthogonality": "always",
        "gamma_norm": "always",
        "energy": "free",
        "pi": "free",
        "pi_norm": "free",
        "casimir": "free",
        "pi_e3": "always",
        "pi_chi": "symmetric tops",
    },
)
def step(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Kick, free step, kick."""
    Π = Π + h / 2 * T
    w = newton(body, h, moser_veselov, body.Jinv @ Π, Π)
    if abs(h) * norm(w) >= pi / 2:
        body.no_solution()
        w = w * nan
    E = exp(h * w)
    R = R @ E
    T = body.torque(t + h, R)
    return R, E.T @ Π + h / 2 * T, T


def moser_veselov(body: Any, h: float, w: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """c₁ Jw + h c₂ w × Jw − Π, which is the equation for E = exp(h w), and its derivative by w."""
    J = body.J
    Jw = J @ w
    gyro = cross(w, Jw)
    n2 = h * h * dot(w, w)
    c1, c2 = exp_coefficients(n2)
    d1, d2 = derivatives(n2, c1, c2)
    tangent = (
        J * c1 + (h * c2) * gyroscopic_tangent(J, w) + (h * h * d1) * outer(Jw, w) + (h * h * h * d2) * outer(gyro, w)
    )
    return c1 * Jw + (h * c2) * gyro - Π, tangent


def derivatives(n2: float, c1: float, c2: float) -> tuple[float, float]:
    """dc₁/dθ and dc₂/dθ over θ: (cos θ − c₁)/θ² and (c₁ − 2 c₂)/θ²; a tangent needs no more than eight digits."""
    if n2 < 1e-4:
        return -1.0 / 3.0 + n2 / 30.0, -1.0 / 12.0 + n2 / 180.0
    return (1.0 - c2 * n2 - c1) / n2, (c1 - 2.0 * c2) / n2
