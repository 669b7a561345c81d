"""Kick, free step, kick: half of the torque's impulse before and half after a step of the free body.

KDK is the notes' unnamed Cayley scheme and Kobilarov, Crane and Desbrun's Lie–Newmark method; VLV adds the term that
makes it variational. With the exponential VLV has the balance of DART's variational integrator, which is there for
chains of revolute joints. Krysl's LIEMID-E1, -E2 and -EA put LIEMID between impulses: all of the impulse before it,
all after it, or the two in turn.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, cay, cross, dexp_matrix, dexpinv, dot, gyroscopic_tangent, hat, outer, turn
from ..algebra.rotations import dexpinv_coefficient
from ..spec import OneOf, Parameter
from ..told import FREE, REGULAR, keeps, swings, times, told
from .euler import with_momentum_and_torque
from .method import MOMENTUM, method
from .midpoint_pairs import KRYSL
from .newton import newton
from .sources import DART


@method(
    key="KDK",
    name="Kick, Cayley drift, kick",
    aliases=("AKW-KDK", "Kobilarov"),
    family="Variational",
    summary=told(
        "AKW's free step between half kicks: explicit in the torque, [keeps the free body's energy and momentum].",
        keeps(energy="free", pi="free"),
    ),
    equations=r"""
        \Pi^+ = \Pi_n + \tfrac h2 T_n, \quad J\omega - \tfrac h2 J\omega \times \omega = \Pi^+ \\
        R_{n+1} = R_n\, \mathrm{cay}(h\omega), \quad
        \Pi_{n+1} = J\omega + \tfrac h2 J\omega \times \omega + \tfrac h2 T_{n+1}""",
    reference="""@article{KobilarovCraneDesbrun2009,
  author  = {Kobilarov, Marin and Crane, Keenan and Desbrun, Mathieu},
  title   = {{Lie} group integrators for animation and control of vehicles},
  journal = {ACM Transactions on Graphics},
  volume  = {28}, pages = {16:1--16:14}, year = {2009}, doi = {10.1145/1516522.1516527}}""",
    start=with_momentum_and_torque,
    order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    conserves=MOMENTUM | {"energy": "free", "pi_chi": "symmetric tops"},
)
def kdk(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """One step; ω is the angular velocity between its ends."""
    Π = Π + h / 2 * T
    ω = newton(body, h, drift_balance, body.Jinv @ Π, Π)
    R = R @ cay(h * ω)
    T = body.torque(t + h, R)
    return R, body.J @ ω + h / 2 * cross(body.J @ ω, ω) + h / 2 * T, T


def drift_balance(body: Any, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − h/2 Jω × ω − Π, and its derivative by ω."""
    J = body.J
    return J @ ω - h / 2 * cross(J @ ω, ω) - Π, J + h / 2 * gyroscopic_tangent(J, ω)


def by_cayley(body: Any, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The variational free step with the Cayley map."""
    ω = newton(body, h, cayley_balance, body.Jinv @ Π, Π)
    Jω = body.J @ ω
    return R @ cay(h * ω), Jω + h / 2 * cross(Jω, ω) + (h**2 / 4 * dot(ω, Jω)) * ω


def by_exponential(body: Any, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The variational free step with the exponential."""
    E = turn(h * newton(body, h, exponential_balance, body.Jinv @ Π, Π))
    return R @ E, E.T @ Π


@method(
    key="VLV",
    name="Variational Lie–Verlet",
    aliases=("incrso3_vlv",),
    variants={"dart-variational": {"map": "exp"}},
    family="Variational",
    summary=told(
        "Symplectic by construction, with the Cayley map; in a steady spin it takes [four times DMV's steps at "
        "least]. Energy [swings without drift], on the asymmetric top as well.",
        times("largest turn", "DMV", FREE, 3.9),
        (*swings(REGULAR), *swings(("asymmetric-top",), dt=0.05, steps=1_000_000)),
    ),
    equations=r"""
        J\omega - \tfrac h2 J\omega \times \omega + \tfrac{h^2}{4} (\omega \cdot J\omega)\,\omega = \Pi^+, \quad
        R_{n+1} = R_n\, \mathrm{cay}(h\omega) \\
        \Pi^- = J\omega + \tfrac h2 J\omega \times \omega + \tfrac{h^2}{4} (\omega \cdot J\omega)\,\omega""",
    reference="""@article{BouRabeeMarsden2009,
  author  = {Bou-Rabee, Nawaf and Marsden, Jerrold E.},
  title   = {{Hamilton--Pontryagin} integrators on {Lie} groups part {I}: introduction and structure-preserving
             properties},
  journal = {Foundations of Computational Mathematics},
  volume  = {9}, pages = {197--219}, year = {2009}, doi = {10.1007/s10208-008-9030-4}}
"""
    + DART,
    options=(
        Parameter(
            "map",
            OneOf({"cay": by_cayley, "exp": by_exponential}, {"cay": "Cayley", "exp": "exponential"}),
            "the map by which the velocity turns the body: Cayley's, or the exponential, as in DART",
            "cay",
            label="How the velocity turns the body",
        ),
    ),
    start=with_momentum_and_torque,
    order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    symplectic=True,
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
)
def vlv(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any, map: Any) -> tuple[Mat3, Vec3, Any]:
    """One step."""
    R, Π = map(body, h, R, Π + h / 2 * T)
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T


def exponential_balance(body: Any, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """dexp⁻¹ of −hω on Jω, less Π: Jω − h/2 Jω × ω + h²c ω × (ω × Jω) − Π; and its derivative by ω."""
    J, v = body.J, h * ω
    Jv, n2 = J @ v, dot(v, v)
    c = dexpinv_coefficient(n2)
    bend = 1.0 / 720.0 + n2 * (1.0 / 15120.0 + n2 * (1.0 / 403200.0 + n2 / 11975040.0))  # of c, by n2
    along = c * dot(v, Jv)
    of_square = (outer(v, Jv) - outer(Jv, v)) * (2.0 * c) + outer(cross(v, cross(v, Jv)), v) * (2.0 * bend)
    tangent = J * (1.0 - c * n2) + (h / 2 * gyroscopic_tangent(J, ω) + of_square)
    tangent = tangent + Mat3(along, 0.0, 0.0, 0.0, along, 0.0, 0.0, 0.0, along)
    return dexpinv(-v, J @ ω) - Π, tangent


def cayley_balance(body: Any, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − h/2 Jω × ω + h²/4 (ω·Jω) ω − Π, and its derivative by ω."""
    J = body.J
    Jω = J @ ω
    twice = h**2 / 4 * dot(ω, Jω)
    of_square = outer(ω, Jω) * (h**2 / 2)
    tangent = J + (h / 2 * gyroscopic_tangent(J, ω) + of_square)
    tangent = tangent + Mat3(twice, 0.0, 0.0, 0.0, twice, 0.0, 0.0, 0.0, twice)
    return Jω - h / 2 * cross(Jω, ω) + twice * ω - Π, tangent


def lie_midpoint(body: Any, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """LIEMID's free step: JΨ = h exp(−Ψ/2) Π, then R exp(Ψ) and exp(−Ψ) Π."""
    ω = newton(body, h, lie_midpoint_balance, body.Jinv @ Π, Π)
    E = turn(h * ω)
    return R @ E, E.T @ Π


def lie_midpoint_balance(body: Any, h: float, ω: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jω − exp(−h/2 ω) Π, and its derivative by ω."""
    v = h / 2 * ω
    turned = turn(v).T @ Π
    return body.J @ ω - turned, body.J + -(h / 2 * hat(turned)) @ dexp_matrix(-v)


@method(
    key="LIEMID-E1",
    name="Midpoint Lie rule after the impulse",
    aliases=("LIEMIDE", "LIEMID[E1]"),
    family="Variational",
    summary="The whole impulse at the start of the step: first order, the half of LIEMID-EA.",
    equations=r"\Pi^+ = \Pi_n + h T_n, \quad (R_{n+1}, \Pi_{n+1}) = \mathrm{LIEMID}_h(R_n, \Pi^+)",
    reference=KRYSL,
    order=(1, 1),
    free_order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible="free",
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
)
def e1(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """One step."""
    return lie_midpoint(body, h, R, Π + h * body.torque(t, R))


@method(
    key="LIEMID-E2",
    name="Midpoint Lie rule before the impulse",
    aliases=("LIEMID[E2]",),
    family="Variational",
    summary="The whole impulse at the end of the step: the adjoint of LIEMID-E1.",
    equations=r"(R_{n+1}, \Pi^-) = \mathrm{LIEMID}_h(R_n, \Pi_n), \quad \Pi_{n+1} = \Pi^- + h T_{n+1}",
    reference=KRYSL,
    order=(1, 1),
    free_order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible="free",
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
)
def e2(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """One step."""
    R, Π = lie_midpoint(body, h, R, Π)
    return R, Π + h * body.torque(t + h, R)


@method(
    key="LIEMID-EA",
    name="Midpoint Lie rule, impulses in turn",
    aliases=("LIEMIDEA", "LIEMID[EA]", "liemid_Newmark"),
    family="Variational",
    summary=told(
        "LIEMID-E1 and -E2 over half steps: second order, time-symmetric, [keeps momentum].",
        keeps(pi="free", pi_e3="always"),
    ),
    equations=r"\mathrm{E2}(\tfrac h2) \circ \mathrm{E1}(\tfrac h2)",
    reference=KRYSL,
    start=with_momentum_and_torque,
    order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    conserves=MOMENTUM | {"pi_chi": "symmetric tops"},
)
def ea(body: Any, t: float, h: float, R: Mat3, Π: Vec3, T: Any) -> tuple[Mat3, Vec3, Any]:
    """One step: kick, two free half steps, kick."""
    R, Π = lie_midpoint(body, h / 2, R, Π + h / 2 * T)
    R, Π = lie_midpoint(body, h / 2, R, Π)
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T
