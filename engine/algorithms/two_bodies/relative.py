"""LGVI in relative coordinates: body 1 seen from body 2, and body 2 in space.

The paper solves for F = R F1 Rᵀ in the frame of body 2. Here F1 is computed in body 1's own frame,
where its inertia is diagonal, and R⁺ = F2ᵀ (R F1). Forming F first would multiply by RᵀR, so that
each step would triple |RᵀR − 1|, and roundoff would grow to order one in 33 steps.
"""

from __future__ import annotations

from typing import Any

from ...algebra import Gravity, Mat3, Vec3, cross
from ..core.body import Bodies
from .implicit import momentum_after, nonstandard

Hamiltonian = tuple[Mat3, Mat3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Gravity]


def start_hamiltonian(
    bodies: Bodies, t: float, h: float, R1: Mat3, R2: Mat3, Ω1: Vec3, Ω2: Vec3, x1: Vec3, x2: Vec3, v1: Vec3,
    v2: Vec3, solver: Any,
) -> Hamiltonian:  # fmt: skip
    """The first state: R, R2, X, Γ = m V, Π = J_R Ω = R J1 Ω1, Π2, x2, γ2 and the gravity there."""
    R, X = R2.T @ R1, R2.T @ (x1 - x2)
    Γ = bodies.m * (R2.T @ (v1 - v2))
    return (
        R,
        R2,
        X,
        Γ,
        R @ (bodies.J1 @ Ω1),
        bodies.J2 @ Ω2,
        x2,
        bodies.m2 * v2,
        bodies.gravity(X, R),
    )


def hamiltonian(
    bodies: Bodies, t: float, h: float, R: Mat3, R2: Mat3, X: Vec3, Γ: Vec3, Π: Vec3, Π2: Vec3, x2: Vec3, γ2: Vec3,
    g: Gravity, solver: Any,
) -> Hamiltonian:  # fmt: skip
    r"""Symplectic: it [conserves both momenta and the rotations to roundoff], and its
    energy [swings without drift]. It takes one force and two small implicit equations a step.

    .. math::
        \Gamma^+ = \Gamma_n - \tfrac h2 U_{X,n}, \quad \Pi^+ = \Pi_n - \tfrac h2 M_n, \quad
        \Pi_2^+ = \Pi_{2,n} + \tfrac h2 (X \times U_X + M)_n \\
        h\,(R_n^T \Pi^+)^\wedge = F_1 J_{d1} - J_{d1} F_1^T, \quad
        h\,(\Pi_2^+)^\wedge = F_2 J_{d2} - J_{d2} F_2^T \\
        X_{n+1} = F_2^T \left(X_n + \tfrac hm \Gamma^+\right), \quad R_{n+1} = F_2^T R_n F_1, \quad
        R_{2,n+1} = R_{2,n} F_2 \\
        \Gamma_{n+1} = F_2^T \Gamma^+ - \tfrac h2 U_{X,n+1}, \quad \Pi_{n+1} = F_2^T \Pi^+ - \tfrac h2 M_{n+1} \\
        \Pi_{2,n+1} = F_2^T \Pi_2^+ + \tfrac h2 (X \times U_X + M)_{n+1}

    - It follows from a principle of least action in discrete time. Each attitude is the one before
      it, multiplied by a rotation. So R₁ and R₂ [stay rotations, and the map is symplectic].
    - That discrete action changes neither with a shift nor with a turn of both bodies together. So
      [both total momenta are conserved to roundoff], at any step for which there is a solution.
    - Energy [is not conserved but swings]. The force is needed [once a step], and the turn of each
      body follows from three equations that Newton's method solves.
    """
    # Equations (83) to (92): half a kick, the turns and the drift, half a kick at their end.
    m, m2 = bodies.m, bodies.m2
    Γ = Γ - h / 2 * g.U_X
    Π = Π - h / 2 * g.M
    Π2 = Π2 + h / 2 * (cross(X, g.U_X) + g.M)
    γ2 = γ2 + h / 2 * (R2 @ g.U_X)  # (91) and (92) print R for R2

    F1 = solver(bodies, h, bodies.J1inv, R.T @ Π)
    F2 = solver(bodies, h, bodies.J2inv, Π2)

    X = F2.T @ (X + h / m * Γ)
    x2 = x2 + h / m2 * γ2
    R, R2 = F2.T @ (R @ F1), R2 @ F2
    Γ, Π, Π2 = F2.T @ Γ, F2.T @ Π, F2.T @ Π2

    g = bodies.gravity(X, R)
    Γ = Γ - h / 2 * g.U_X
    Π = Π - h / 2 * g.M
    Π2 = Π2 + h / 2 * (cross(X, g.U_X) + g.M)
    γ2 = γ2 + h / 2 * (R2 @ g.U_X)
    return R, R2, X, Γ, Π, Π2, x2, γ2, g


def view_hamiltonian(bodies: Bodies, S: tuple[Any, ...]) -> tuple[Any, ...]:
    """Both bodies in space."""
    R, R2, X, Γ, Π, Π2, x2, γ2, g = S
    v2 = γ2 * (1.0 / bodies.m2)
    v1 = v2 + R2 @ (Γ * (1.0 / bodies.m))
    return R2 @ R, R2, bodies.J1inv @ (R.T @ Π), bodies.J2inv @ Π2, x2 + R2 @ X, x2, v1, v2, g


Lagrangian = tuple[Mat3, Mat3, Mat3, Mat3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Gravity]


def start_lagrangian(
    bodies: Bodies, t: float, h: float, R1: Mat3, R2: Mat3, Ω1: Vec3, Ω2: Vec3, x1: Vec3, x2: Vec3, v1: Vec3,
    v2: Vec3, solver: Any,
) -> Lagrangian:  # fmt: skip
    """The first state, with the step that leads to it by the discrete Legendre transform."""
    R, X = R2.T @ R1, R2.T @ (x1 - x2)
    V = R2.T @ (v1 - v2)
    Π1, Π2 = bodies.J1 @ Ω1, bodies.J2 @ Ω2
    g = bodies.gravity(X, R)
    # From its end a step F looks like the step Fᵀ with the momentum reversed.
    F1 = solver(bodies, h, bodies.J1inv, -(Π1 + h / 2 * (R.T @ g.M))).T
    F2 = solver(bodies, h, bodies.J2inv, -(Π2 - h / 2 * (cross(X, g.U_X) + g.M))).T
    X_before = F2 @ (X - h * (V + h / (2.0 * bodies.m) * g.U_X))
    x2_before = x2 - h * (v2 - h / (2.0 * bodies.m2) * (R2 @ g.U_X))
    return R, R2, F1, F2, X, X_before, x2, x2_before, V, v2, Π1, Π2, g


def lagrangian(
    bodies: Bodies, t: float, h: float, R: Mat3, R2: Mat3, F1: Mat3, F2: Mat3, X: Vec3, X_before: Vec3,
    x2: Vec3, x2_before: Vec3, V: Vec3, v2: Vec3, Π1: Vec3, Π2: Vec3, g: Gravity, solver: Any,
) -> Lagrangian:  # fmt: skip
    """Equations (77) to (82); V, v2, Π1 and Π2 are for observation, by the discrete Legendre
    transform.
    """
    m, m2 = bodies.m, bodies.m2
    moment = cross(X, g.U_X) + g.M  # (79) prints X × U_X without its S( )
    # F2ᵀ (F2 Jd − Jd F2ᵀ) F2 = Jd F2 − F2ᵀ Jd, and for body 1 the same in its own frame.
    hΠ1 = momentum_after(nonstandard(bodies.J1), F1) - h**2 * (R.T @ g.M)
    hΠ2 = momentum_after(nonstandard(bodies.J2), F2) + h**2 * moment
    past = F2.T @ X_before
    F1 = solver(bodies, h, bodies.J1inv, hΠ1 * (1.0 / h))
    F2 = solver(bodies, h, bodies.J2inv, hΠ2 * (1.0 / h))

    X, X_before = F2.T @ (2.0 * X - past - h**2 / m * g.U_X), X
    x2, x2_before = 2.0 * x2 - x2_before + h**2 / m2 * (R2 @ g.U_X), x2  # (82) prints R for R2
    R, R2 = F2.T @ (R @ F1), R2 @ F2

    g = bodies.gravity(X, R)
    V = (X - F2.T @ X_before) * (1.0 / h) - h / (2.0 * m) * g.U_X
    v2 = (x2 - x2_before) * (1.0 / h) + h / (2.0 * m2) * (R2 @ g.U_X)
    Π1 = momentum_after(nonstandard(bodies.J1), F1) * (1.0 / h) - h / 2 * (R.T @ g.M)
    Π2 = momentum_after(nonstandard(bodies.J2), F2) * (1.0 / h) + h / 2 * (cross(X, g.U_X) + g.M)
    return R, R2, F1, F2, X, X_before, x2, x2_before, V, v2, Π1, Π2, g


def view_lagrangian(bodies: Bodies, S: tuple[Any, ...]) -> tuple[Any, ...]:
    """Both bodies in space."""
    R, R2, _, _, X, _, x2, _, V, v2, Π1, Π2, g = S
    return R2 @ R, R2, bodies.J1inv @ Π1, bodies.J2inv @ Π2, x2 + R2 @ X, x2, v2 + R2 @ V, v2, g
