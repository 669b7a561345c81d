"""DMV and its kin: the discrete Moser–Veselov equation between kicks.

DMV is also RATTLE and the Lie group variational integrator on SO(3), which are the same map; the best reading of
Lewis and Simo's method (LS) is too. MLEOK kicks once, at the end. DMV4 and PDMV4 are of order four on the free body:
one by another time, the other by another inertia in each step, both made of the energy and the momentum.

E with E Jd − Jd Eᵀ = hat(h Π), Jd = tr(J)/2 − J, exists only while h |ω| ≤ 1, where sin θ = h |ω| for the angle θ
of E. Of its solutions the one that tends to 1 with h is meant: θ < π/2.
"""

from __future__ import annotations

from math import asin, nan, pi, sqrt
from typing import Any

from ..algebra import (
    Diag3,
    Mat3,
    Vec3,
    cross,
    dexp_matrix,
    dot,
    exp,
    exp_coefficients,
    gyroscopic_tangent,
    hat,
    norm,
    outer,
)
from .euler import with_momentum, with_momentum_and_torque
from .method import method
from .newton import newton

PROMISES = {
    "orthogonality": "always",
    "gamma_norm": "always",
    "energy": "free",
    "pi": "free",
    "pi_norm": "free",
    "casimir": "free",
    "pi_e3": "always",
    "pi_chi": "symmetric tops",
}


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
    conserves=PROMISES,
)
def step(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Kick, free step, kick."""
    Π = Π + h / 2 * T
    E = free_turn(body, h, body.J, Π)
    R = R @ E
    T = body.torque(t + h, R)
    return R, E.T @ Π + h / 2 * T, T


def free_turn(body: Any, h: float, J: Diag3, Π: Vec3) -> Mat3:
    """The E of the discrete Moser–Veselov equation for the inertia J."""
    w = newton(body, h, moser_veselov, J.inv @ Π, J, Π)
    if abs(h) * norm(w) >= pi / 2:
        body.no_solution()
        w = w * nan
    return exp(h * w)


def moser_veselov(body: Any, h: float, w: Vec3, J: Diag3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """c₁ Jw + h c₂ w × Jw − Π, which is the equation for E = exp(h w), and its derivative by w."""
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


@method(
    key="LS",
    name="Lewis–Simo",
    family="Variational",
    summary="The best reading of Lewis and Simo's conserving method, whose text was not at hand: equal to DMV.",
    equations=r"""
        \Pi^- = E^T \Pi^+, \quad w = \tfrac12 J^{-1}(\Pi^+ + \Pi^-), \quad
        E = \exp\left(\arcsin(h|w|)\, w/|w|\right)""",
    reference="""@article{LewisSimo1994,
  author  = {Lewis, D. and Simo, J. C.},
  title   = {Conserving algorithms for the dynamics of {Hamiltonian} systems on {Lie} groups},
  journal = {Journal of Nonlinear Science},
  volume  = {4}, pages = {253--299}, year = {1994}, doi = {10.1007/BF02430634}}""",
    start=with_momentum_and_torque,
    order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    symplectic=True,
    conserves=PROMISES,
)
def lewis_simo(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Kick, free step, kick."""
    Π = Π + h / 2 * T
    w = newton(body, h, mean_velocity, body.Jinv @ Π, Π)
    E = exp(arcsine_turn(h, w)[0] * w)
    R = R @ E
    T = body.torque(t + h, R)
    return R, E.T @ Π + h / 2 * T, T


def arcsine_turn(h: float, w: Vec3) -> tuple[float, float]:
    """g = asin(h|w|)/|w|, and dg/d|w| over |w|; beyond h|w| = 1 there is none, and nan."""
    s = abs(h) * norm(w)
    if s > 1.0:
        return nan, nan
    if s < 1e-3:
        return h * (1.0 + s * s / 6.0), h**3 / 3.0
    g = h * asin(s) / s
    return g, (h / sqrt(1.0 - s * s) - g) * (h * h) / (s * s)


def mean_velocity(body: Any, h: float, w: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jw − ½ (Π + Eᵀ Π), and its derivative by w."""
    g, slope = arcsine_turn(h, w)
    u = g * w
    turned = exp(u).T @ Π
    du = Mat3(g, 0.0, 0.0, 0.0, g, 0.0, 0.0, 0.0, g) + slope * outer(w, w)
    return body.J @ w - 0.5 * (Π + turned), body.J + -(0.5 * hat(turned)) @ (dexp_matrix(-u) @ du)


@method(
    key="MLEOK",
    name="Moser–Veselov with one kick",
    aliases=("mleok",),
    family="Variational",
    summary="DMV with the whole impulse at the end of the step: conjugate to DMV by half a kick, and first order.",
    equations=r"""
        E J_d - J_d E^T = h\, \widehat{\Pi_n}, \quad R_{n+1} = R_n E, \quad
        \Pi_{n+1} = E^T \Pi_n + h\, T_{n+1}""",
    reference="""@inproceedings{LeeLeokMcClamroch2005,
  author    = {Lee, Taeyoung and McClamroch, N. Harris and Leok, Melvin},
  title     = {A {Lie} group variational integrator for the attitude dynamics of a rigid body with applications to
               the {3D} pendulum},
  booktitle = {Proceedings of the IEEE Conference on Control Applications},
  pages     = {962--967}, year = {2005}, doi = {10.1109/CCA.2005.1507254}}""",
    start=with_momentum,
    order=(1, 1),
    free_order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    symplectic=True,
    conserves=PROMISES,
)
def mleok(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """Free step, kick."""
    E = free_turn(body, h, body.J, Π)
    R = R @ E
    return R, E.T @ Π + h * body.torque(t + h, R)


def corrections(body: Any, Π: Vec3) -> tuple[float, float]:
    """s and d of the fourth-order methods, from H = Π·J⁻¹Π/2 and C = |Π|²/2."""
    J = body.J
    H, C = 0.5 * dot(Π, body.Jinv @ Π), 0.5 * dot(Π, Π)
    det, tr = J.x * J.y * J.z, J.x + J.y + J.z
    s = tr / (6.0 * det) * C - (1.0 / J.x + 1.0 / J.y + 1.0 / J.z) / 3.0 * H
    return s, tr / (6.0 * det) * H - C / (3.0 * det)


@method(
    key="DMV4",
    name="Moser–Veselov of order four in the momentum",
    aliases=("McLachlan-Zanna",),
    family="Variational",
    summary="DMV in another time, h (1 + h² s): order four in the free body's momentum, two in its attitude.",
    equations=r"""\mathrm{DMV}\left(h\,(1 + h^2 s)\right), \quad
        s = \frac{\mathrm{tr}\,J}{6 \det J} C - \frac{\mathrm{tr}\,J^{-1}}{3} H""",
    reference="""@article{McLachlanZanna2005,
  author  = {McLachlan, Robert I. and Zanna, Antonella},
  title   = {The discrete {Moser--Veselov} algorithm for the free rigid body, revisited},
  journal = {Foundations of Computational Mathematics},
  volume  = {5}, pages = {87--123}, year = {2005}, doi = {10.1007/s10208-004-0118-6}}""",
    start=with_momentum_and_torque,
    order=(2, 2),
    free_order=(2, 4),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    conserves=PROMISES,
)
def dmv4(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Kick, free step in another time, kick."""
    Π = Π + h / 2 * T
    s, _ = corrections(body, Π)
    E = free_turn(body, h * (1.0 + h**2 * s), body.J, Π)
    R = R @ E
    T = body.torque(t + h, R)
    return R, E.T @ Π + h / 2 * T, T


@method(
    key="PDMV4",
    name="Preprocessed Moser–Veselov of order four",
    aliases=("Hairer-Vilmart",),
    family="Variational",
    summary="DMV with a modified inertia in each step: order four on the free body, energy and momentum kept.",
    equations=r"""
        \tilde J^{-1} = (1 + h^2 s)\, J^{-1} + h^2 d, \quad
        d = \frac{\mathrm{tr}\,J}{6 \det J} H - \frac{C}{3 \det J}""",
    reference="""@article{HairerVilmart2006,
  author  = {Hairer, Ernst and Vilmart, Gilles},
  title   = {Preprocessed discrete {Moser--Veselov} algorithm for the full dynamics of a rigid body},
  journal = {Journal of Physics A},
  volume  = {39}, pages = {13225--13235}, year = {2006}, doi = {10.1088/0305-4470/39/42/006}}""",
    start=with_momentum_and_torque,
    order=(2, 2),
    free_order=(4, 4),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    conserves=PROMISES,
)
def pdmv4(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """Kick, free step with another inertia, kick."""
    Π = Π + h / 2 * T
    s, d = corrections(body, Π)
    inverse, k, e = body.Jinv, 1.0 + h**2 * s, h**2 * d
    J = Diag3(k * inverse.x + e, k * inverse.y + e, k * inverse.z + e).inv
    E = free_turn(body, h, J, Π)
    R = R @ E
    T = body.torque(t + h, R)
    return R, E.T @ Π + h / 2 * T, T
