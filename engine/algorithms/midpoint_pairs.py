"""Krysl's pairs: IMID and TRAP, IMIDM and TRAPM; the midpoint and the trapezoidal rule on the group.

With F a forward and B a backward Euler step of h/2, IMID is F after B and TRAP is B after F, so the two are
conjugate; the same holds for IMIDM and TRAPM with steps that keep spatial momentum. IMIDM is the Runge–Kutta–
Munthe-Kaas method of the implicit midpoint rule, and without torque Krysl's LIEMID.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..algebra import Mat3, Vec3, cross, dexp_matrix, exp, gyroscopic_tangent, hat
from ..spec import Number, Parameter
from ..told import REGULAR, keeps, loses, swings, told
from .method import MOMENTUM, ON_THE_GROUP, method
from .newton import newton

KRYSL = """@article{Krysl2005,
  author  = {Krysl, Petr},
  title   = {Explicit momentum-conserving integrator for dynamics of rigid bodies approximating the midpoint {Lie}
             algorithm},
  journal = {International Journal for Numerical Methods in Engineering},
  volume  = {63}, pages = {2171--2193}, year = {2005}}"""

krysl = partial(method, family="Midpoint", reference=KRYSL, order=(2, 2), implicit=True, reversible=True)
"""Declares one of them: implicit all four, of second order and time-symmetric."""


@krysl(
    key="IMID",
    name="Implicit midpoint rule, exponential map",
    aliases=("dyneq_imid", "SW-M", "ALGO_1"),
    summary=told(
        "[Keeps energy and |Π| of the free body, but not the direction of its momentum].",
        (keeps(energy="free", casimir="free"), loses("pi")),
    ),
    equations=r"""
        \Pi_{n+1} = \Pi_n + h\,(J\omega \times \omega + T_{1/2}), \quad
        \omega = \tfrac12(\Omega_n + \Omega_{n+1}), \quad R_{n+1} = R_n \exp(h\omega)""",
    conserves=ON_THE_GROUP | {"energy": "free", "casimir": "free", "pi_norm": "free", "pi_chi": "symmetric tops"},
)
def imid(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """One step; the unknown is the velocity between its ends."""
    ω = newton(body, h, midpoint_balance, Ω, t, R, body.J @ Ω)
    return R @ exp(h * ω), 2 * ω - Ω


def midpoint_balance(body: Any, h: float, ω: Vec3, t: float, R: Mat3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − Π − h/2 (Jω × ω + T), and its derivative by ω."""
    J = body.J
    v = h / 2 * ω
    Rm = R @ exp(v)
    D = body.torque_tangent(t + h / 2, Rm, dexp_matrix(-v))
    residual = J @ ω - Π - h / 2 * (cross(J @ ω, ω) + body.torque(t + h / 2, Rm))
    return residual, J + (h / 2 * gyroscopic_tangent(J, ω) - h**2 / 4 * D)


@krysl(
    key="TRAP",
    name="Trapezoidal rule, two half turns",
    aliases=("dyneq_trap", "incrso3_trap"),
    summary=told(
        "The midpoint rule's conjugate: [neither energy nor momentum is kept], and energy [swings without drift] "
        "on regular motions.",
        loses("energy", "pi", "pi_e3", "casimir"),
        swings(REGULAR),
    ),
    equations=r"""
        R_{n+1} = R_n \exp(\tfrac h2 \Omega_n) \exp(\tfrac h2 \Omega_{n+1}), \quad
        J(\Omega_{n+1} - \Omega_n) = \tfrac h2 (\dot\Pi_n + \dot\Pi_{n+1})""",
    conserves=ON_THE_GROUP | {"pi_chi": "symmetric tops"},
)
def trap(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """One step; the unknown is the new velocity."""
    J = body.J
    Rh = R @ exp(h / 2 * Ω)
    begun = J @ Ω + h / 2 * (cross(J @ Ω, Ω) + body.torque(t, R))
    Ω1 = newton(body, h, end_balance, Ω, t, Rh, begun)
    return Rh @ exp(h / 2 * Ω1), Ω1


def end_balance(body: Any, h: float, Ω1: Vec3, t: float, Rh: Mat3, begun: Vec3) -> tuple[Vec3, Mat3]:
    """JΩ₁ − h/2 (JΩ₁ × Ω₁ + T₁) − what the start gives, and its derivative by Ω₁."""
    J = body.J
    v = h / 2 * Ω1
    R1 = Rh @ exp(v)
    D = body.torque_tangent(t + h, R1, dexp_matrix(-v))
    residual = J @ Ω1 - h / 2 * (cross(J @ Ω1, Ω1) + body.torque(t + h, R1)) - begun
    return residual, J + (h / 2 * gyroscopic_tangent(J, Ω1) - h**2 / 4 * D)


@krysl(
    key="IMIDM",
    name="Midpoint Lie rule for the momentum",
    aliases=("dyneq_imidm", "LIEMID", "LIEMID[I]"),
    summary=told(
        "The implicit midpoint rule on the group: [keeps spatial momentum], and energy [swings] on regular motions.",
        keeps(pi="free", pi_e3="always"),
        swings(REGULAR),
    ),
    equations=r"""
        J\omega = E\,\Pi_n + \tfrac h2 T_{1/2}, \quad \Pi_{n+1} = E\,(E\,\Pi_n + h\,T_{1/2}), \quad
        E = \exp(-\tfrac h2 \omega), \quad R_{n+1} = R_n \exp(h\omega)""",
    conserves=MOMENTUM,
)
def imidm(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """One step; the torque is taken in the frame half way."""
    ω = newton(body, h, midpoint_momentum, body.Jinv @ Π, t, R, Π)
    half = exp(h / 2 * ω)
    Tm = body.torque(t + h / 2, R @ half)
    return R @ exp(h * ω), half.T @ (half.T @ Π + h * Tm)


def midpoint_momentum(body: Any, h: float, ω: Vec3, t: float, R: Mat3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − E Π − h/2 T, E = exp(−h/2 ω), and its derivative by ω."""
    v = h / 2 * ω
    half = exp(v)
    turned, dexp = half.T @ Π, dexp_matrix(-v)
    D = body.torque_tangent(t + h / 2, R @ half, dexp)
    residual = body.J @ ω - turned - h / 2 * body.torque(t + h / 2, R @ half)
    return residual, body.J + (-(h / 2 * hat(turned)) @ dexp - h**2 / 4 * D)


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Second order and time-symmetric in the middle only."""
    middle = chosen.get("zeta", 0.5) == 0.5
    return {"order": (2, 2) if middle else (1, 1), "reversible": middle}


@krysl(
    key="TRAPM",
    name="Trapezoidal Lie rule for the momentum",
    aliases=("dyneq_trapm", "dyneq_trapm_zeta"),
    summary="IMIDM's conjugate; with zeta other than ½ a first-order method between forward and backward Euler.",
    equations=r"""
        \Pi_\zeta = \exp(-\zeta h \Omega_n)(\Pi_n + \zeta h T_n), \quad
        \Pi_{n+1} = \exp(-(1-\zeta) h \Omega_{n+1})\,\Pi_\zeta + (1-\zeta) h T_{n+1} \\
        R_{n+1} = R_n \exp(\zeta h \Omega_n) \exp((1-\zeta) h \Omega_{n+1})""",
    options=(
        Parameter(
            "zeta",
            Number(0.0, 1.0),
            "the part of the step made forward from its start",
            0.5,
            label="Part ζ of the step made forward",
        ),
    ),
    conserves=MOMENTUM,
    given_options=promises,
)
def trapm(body: Any, t: float, h: float, R: Mat3, Π: Vec3, zeta: float) -> tuple[Mat3, Vec3]:
    """One step; the unknown is the new velocity."""
    Ω = body.Jinv @ Π
    E = exp(zeta * h * Ω)
    Rh, Πh = R @ E, E.T @ (Π + zeta * h * body.torque(t, R))
    rest = 1.0 - zeta
    Ω1 = newton(body, h, end_momentum, Ω, t, Rh, Πh, rest)
    return Rh @ exp(rest * h * Ω1), body.J @ Ω1


def end_momentum(body: Any, h: float, Ω1: Vec3, t: float, Rh: Mat3, Πh: Vec3, rest: float) -> tuple[Vec3, Mat3]:
    """JΩ₁ − exp(−kΩ₁) Πₕ − k T₁ with k = (1 − ζ) h, and its derivative by Ω₁."""
    k = rest * h
    v = k * Ω1
    E = exp(v)
    turned, dexp = E.T @ Πh, dexp_matrix(-v)
    D = body.torque_tangent(t + h, Rh @ E, dexp)
    residual = body.J @ Ω1 - turned - k * body.torque(t + h, Rh @ E)
    return residual, body.J + (-(k * hat(turned)) @ dexp - k**2 * D)
