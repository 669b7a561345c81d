"""DMV, LS, MLEOK and DMV4: the discrete Moser–Veselov equation between kicks.

DMV is the same map as RATTLE, as the Lie group variational integrator on SO(3), and as the best
reading of Lewis and Simo's method (LS). MLEOK kicks once, at the end. DMV4 is of order four in the
free body's momentum, by another time in each step; `preprocessed.py` has the methods with another
inertia.

Of the solutions E of E Jd − Jd Eᵀ = hat(h Π), Jd = tr(J)/2 − J, the methods take the one that tends
to 1 with h, while its angle θ is less than π/2: sin θ = h |ω|, where ω is the velocity between the
ends of the step. There is at most one, and θ grows with h: in 2 000 000 random bodies and turns of
θ ≤ π/2, h dθ/dh was at least 0.99 θ, and the derivative of the equation never singular. So once the
path from h = 0 reaches θ = π/2, no larger step has a solution.

Three coordinates of E are available: w with E = exp(h w) or with E = cay(h w) (Lee, Leok and
McClamroch), or the quaternion's vector part h w/2 (Hairer, Lubich and Wanner, Geometric Numerical
Integration, VII.5). They have the same largest step. Newton's method takes three to five rounds for
exp and for the quaternion; with the Cayley map, all numbers but one can be eliminated.
"""

from __future__ import annotations

from functools import partial
from math import asin, nan, sqrt
from typing import Any

from ..algebra import (
    Diag3,
    Mat3,
    Quat,
    Vec3,
    cay,
    cross,
    dexp_matrix,
    dot,
    exp,
    exp_coefficients,
    gyroscopic_tangent,
    hat,
    outer,
    rotation_of,
)
from ..algebra.precision import ByPrecision
from ..text import FREE, REGULAR, TOPS, bibtex, declares, keeps, measures, swings, times
from .core import (
    MOMENTUM,
    MOST_ITERATIONS,
    Body,
    Solving,
    Torque,
    method,
    newton,
    offer,
    start_with_torque,
    turn_and_kick,
)

PROMISES = MOMENTUM | {"energy": "free", "pi_chi": "symmetric tops"}
variational = partial(
    method,
    family="Variational",
    start=start_with_torque,
    order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    conserves=PROMISES,
)
"""Declares a method of half a kick, an implicit step of the free body, and half a kick."""

QUARTER_TURN_SQUARED = 2.4674011002723395
"""(π/2)²."""


def solve_by_exp(body: Solving, h: float, Jinv: Diag3, Π: Vec3) -> Mat3:
    """The E of the discrete Moser–Veselov equation for the inertia J, as exp(h w)."""
    return exp(h * require_solution(body, newton(body, h, exp_balance, Jinv @ Π, Jinv.inv, Π)))


def exp_balance(body: Solving, h: float, w: Vec3, J: Diag3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """c₁ Jw + h c₂ w × Jw − Π, and its derivative by w; nan from a quarter turn on."""
    Jw = J @ w
    gyro = cross(w, Jw)
    n2 = h * h * dot(w, w)
    c1, c2 = exp_coefficients(n2) if n2 < QUARTER_TURN_SQUARED else (nan, nan)
    d1, d2 = coefficient_slopes(n2, c1, c2)
    tangent = (
        J * c1
        + (h * c2) * gyroscopic_tangent(J, w)
        + (h * h * d1) * outer(Jw, w)
        + (h * h * h * d2) * outer(gyro, w)
    )
    return c1 * Jw + (h * c2) * gyro - Π, tangent


def coefficient_slopes(n2: float, c1: float, c2: float) -> tuple[float, float]:
    """dc₁/dθ and dc₂/dθ over θ: (cos θ − c₁)/θ² and (c₁ − 2 c₂)/θ²; a tangent needs eight digits at
    most.
    """
    if n2 < 1e-4:
        return -1.0 / 3.0 + n2 / 30.0, -1.0 / 12.0 + n2 / 180.0
    return (1.0 - c2 * n2 - c1) / n2, (c1 - 2.0 * c2) / n2


def solve_by_cayley(body: Body, h: float, Jinv: Diag3, Π: Vec3) -> Mat3:
    """The same E, as cay(h w), where Jw = Π + h/2 Π × w + h²/4 (Π·w) w."""
    E = cayley_turn(body, h, Jinv, Π, product_with_momentum(body, h, Jinv, Π))
    if E.xx != E.xx:
        body.no_solution()
    return E


def cayley_turn(body: Body, h: float, Jinv: Diag3, Π: Vec3, c: float) -> Mat3:
    """cay(h w) for c = h²/4 Π·w: then (J − c − h/2 hat(Π)) w = Π is linear, and has a closed
    solution.

    Numerator and denominator are multiplied by det J⁻¹, so that J⁻¹ is enough. From a quarter turn
    on, nan.
    """
    x, y, z = Jinv.x, Jinv.y, Jinv.z
    D = Diag3(1.0 - c * x, 1.0 - c * y, 1.0 - c * z)
    square = h * h / 4.0 * x * y * z * dot(Π, Π)
    adjoint = Diag3(x * D.y * D.z + square, y * D.z * D.x + square, z * D.x * D.y + square)
    minors = Diag3(y * z * D.x, z * x * D.y, x * y * D.z)
    gyro = Vec3(x * (z - y) * (Π.y * Π.z), y * (x - z) * (Π.z * Π.x), z * (y - x) * (Π.x * Π.y))
    w = (adjoint @ Π + h / 2 * gyro) * (1.0 / (D.x * D.y * D.z + h * h / 4.0 * dot(Π, minors @ Π)))
    if not h * h * dot(w, w) < 4.0:
        body.not_found()
        return cay(w * nan)
    return cay(h * w)


def product_with_momentum(body: Body, h: float, Jinv: Diag3, Π: Vec3) -> float:
    """The c = h²/4 Π·w of that w: with a = h²/4 |Π|² and the eₖ of J⁻¹, the smallest root of

        e₃ c⁴ − e₂ c³ + (e₁ + 2 e₃ a) c² − (1 + e₂ a) c + h²/4 Π·J⁻¹Π + e₃ a² = 0,

    by Halley's iteration from below. It is c = h²/4 Π·w for the w of `cayley_turn`, in which Π·JΠ
    cancels. The rest depends on the energy and on |Π|², so that c is the same in every step of a
    free body.
    """
    e1, e2, e3 = invariants(Jinv)
    a = h * h / 4.0 * dot(Π, Π)
    p0, p1, p2 = h * h / 4.0 * dot(Π, Jinv @ Π) + e3 * a * a, 1.0 + e2 * a, e1 + 2.0 * e3 * a
    c = p0 / p1
    for i in range(MOST_ITERATIONS):
        value = (((e3 * c - e2) * c + p2) * c - p1) * c + p0
        slope = ((4.0 * e3 * c - 3.0 * e2) * c + 2.0 * p2) * c - p1
        correction = value * slope / (slope * slope - value * ((6.0 * e3 * c - 3.0 * e2) * c + p2))
        c = c - correction
        if abs(correction) <= SMALL.of(h) * abs(c):
            body.count_newton(i + 1)
            return c
    body.count_newton(MOST_ITERATIONS)
    body.not_found()
    return nan


def invariants(d: Diag3) -> tuple[float, float, float]:
    """e₁, e₂ and e₃: the sum, the sum of the products of pairs, and the product of the three."""
    return d.x + d.y + d.z, d.x * d.y + d.y * d.z + d.z * d.x, d.x * d.y * d.z


def solve_by_quaternion(body: Body, h: float, Jinv: Diag3, Π: Vec3) -> Mat3:
    """The same E, of the quaternion (e₀, h w/2)."""
    w = require_solution(body, newton(body, h, quaternion_balance, Jinv @ Π, Jinv.inv, Π))
    e = h / 2 * w
    return rotation_of(Quat(scalar_part(h, w), e.x, e.y, e.z))


def quaternion_balance(body: Body, h: float, w: Vec3, J: Diag3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """e₀ Jw + h/2 w × Jw − Π, and its derivative by w."""
    e0, Jw = scalar_part(h, w), J @ w
    tangent = J * e0 + (h / 2 * gyroscopic_tangent(J, w) - (h * h / (4.0 * e0)) * outer(Jw, w))
    return e0 * Jw + h / 2 * cross(w, Jw) - Π, tangent


def scalar_part(h: float, w: Vec3) -> float:
    """e₀ = (1 − |h w/2|²)^½ of a unit quaternion; nan from a quarter turn on."""
    square = 1.0 - h * h / 4.0 * dot(w, w)
    return sqrt(square) if square > 0.5 else nan


def require_solution(body: Solving, w: Vec3) -> Vec3:
    """The w that Newton's method found; if it found none, there is none (see above)."""
    if w.x != w.x:
        body.no_solution()
    return w


SMALL = ByPrecision(1e-6, single=1e-3)
"""Relative size of a correction of c after which the next one is lost in roundoff: convergence is
cubic.
"""

SOLVER = offer(
    "solver",
    "how E is found: by Newton's method with exp or the quaternion, or by one scalar equation with "
    "the Cayley map. That is the fastest; the result and the largest step are the same",
    "Coordinates of the solver",
    {
        "exp": (solve_by_exp, "exponential"),
        "cayley": (solve_by_cayley, "Cayley"),
        "quaternion": (solve_by_quaternion, "quaternion"),
    },
)


@variational(
    key="DMV",
    name="Discrete Moser–Veselov",
    short="Moser–Veselov",
    aliases=("RATTLE", "LGVI-SO3"),
    reference=bibtex("MoserVeselov1991"),
    options=(SOLVER,),
    symplectic=True,
    evidence=(
        (declares(symplectic=True, reversible=True), keeps(energy="free", pi="free")),
        measures("largest turn", FREE, 0.999, 1.001),
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        keeps(energy="free"),
        measures("largest turn", FREE, 0.999, 1.001),
        measures("ahead", FREE, 1 / 6, 1 / 5.9),
        times("ahead", "AKW", FREE, -2.02, -1.98),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, solver: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""[Symplectic and reversible; conserves energy and momentum of the free body to roundoff]. In
    a steady spin it has no solution [beyond Δt |ω| = 1].

    .. math::
        \Pi^+ = \Pi_n + \tfrac{\Delta t}{2} T_n, \quad
        E J_d - J_d E^T = \Delta t\, \widehat{\Pi^+}, \quad J_d = \tfrac12 \mathrm{tr}(J) - J \\
        R_{n+1} = R_n E, \quad \Pi_{n+1} = E^T \Pi^+ + \tfrac{\Delta t}{2} T_{n+1}

    - It follows from a principle of least action in discrete time, and so it [is symplectic and
      conserves momentum]. It turns a free body about the mean velocity, which [conserves energy] as
      well.
    - In a steady spin the angle θ of that turn has sin θ = Δt |ω|. [Beyond Δt |ω| = 1 there is
      none], and the method has no solution.
    - An arc is longer than its sine, so the body runs ahead there by [about x³/6 in a step of x
      radians]. That is [twice as far] as AKW lags behind.
    """
    # Kick, free step, kick.
    Π = Π + h / 2 * T
    E = solver(body, h, body.Jinv, Π)
    return turn_and_kick(body, t, h, R, Π, E)


@variational(
    key="LS",
    name="Lewis–Simo",
    short="Lewis–Simo",
    aliases=("Lewis-Simo",),
    reference=bibtex("LewisSimo1994"),
    symplectic=True,
    evidence=(
        times("attitude", "DMV", REGULAR, 0.999, 1.001),
        (keeps(energy="free", pi="free"), keeps(of="BBTRAP", energy="free", pi="free")),
        declares(symplectic=True),
        measures("largest turn", FREE, 0.999, 1.001),
    ),
)
def lewis_simo(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Any]:
    r"""A reading of Lewis and Simo's conserving method, whose text was not available: [equal to
    DMV].

    .. math::
        \Pi^- = E^T \Pi^+, \quad w = \tfrac12 J^{-1}(\Pi^+ + \Pi^-), \quad
        E = \exp\left(\arcsin(h|w|)\, w/|w|\right)

    - The body turns about the mean velocity by the arc sine of Δt |ω|. This reading agrees with
      other papers, and it is DMV.
    - A turn about the mean velocity by any function of Δt |ω| [conserves energy and momentum] of
      the free body. With the arc sine the map is [symplectic].
    - It also has [DMV's limit, because no sine is larger than one].
    """
    # Kick, free step, kick.
    Π = Π + h / 2 * T
    w = require_solution(body, newton(body, h, mean_velocity_balance, body.Jinv @ Π, Π))
    E = exp(arcsine_turn(h, w)[0] * w)
    return turn_and_kick(body, t, h, R, Π, E)


def arcsine_turn(h: float, w: Vec3) -> tuple[float, float]:
    """g = asin(h|w|)/|w|, and dg/d|w| over |w|; from h|w| = 1 on, a quarter turn, nan."""
    s2 = h * h * dot(w, w)
    if not s2 < 1.0:
        return nan, nan
    if s2 < 1e-6:
        return h * (1.0 + s2 / 6.0), h**3 / 3.0
    s = sqrt(s2)
    g = h * asin(s) / s
    return g, (h / sqrt(1.0 - s2) - g) * (h * h) / s2


def mean_velocity_balance(body: Body, h: float, w: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jw − ½ (Π + Eᵀ Π), and its derivative by w."""
    g, slope = arcsine_turn(h, w)
    u = g * w
    turned = exp(u).T @ Π
    du = Mat3(g, 0.0, 0.0, 0.0, g, 0.0, 0.0, 0.0, g) + slope * outer(w, w)
    return body.J @ w - 0.5 * (Π + turned), body.J + -(0.5 * hat(turned)) @ (dexp_matrix(-u) @ du)


@method(
    key="MLEOK",
    name="Moser–Veselov with one kick",
    short="One-kick Moser–Veselov",
    aliases=("mleok",),
    family="Variational",
    reference=bibtex("LeeLeokMcClamroch2005"),
    order=(1, 1),
    free_order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    symplectic=True,
    reversible="free",
    conserves=PROMISES,
    evidence=((declares(symplectic=True), *swings(TOPS), *swings(TOPS, of="DMV")),),
)
def mleok(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    r"""DMV with the whole impulse at the end of the step: conjugate to DMV by half a kick, and of
    first order.

    .. math::
        E J_d - J_d E^T = h\, \widehat{\Pi_n}, \quad R_{n+1} = R_n E, \quad
        \Pi_{n+1} = E^T \Pi_n + h\, T_{n+1}

    - It is DMV with the whole impulse at the end of the step, instead of half of it at either end.
    - After half a kick its states are those of DMV. So it [is symplectic, and on tops its energy
      swings without drift].
    - The states that it reports are half a kick off, and so it is of first order wherever a torque
      acts.
    """
    # Free step, kick.
    E = solve_by_exp(body, h, body.Jinv, Π)
    R = R @ E
    return R, E.T @ Π + h * body.torque(t + h, R)


def slowdown(body: Body, Π: Vec3) -> float:
    """s, from H = Π·J⁻¹Π/2 and C = |Π|²/2."""
    J = body.J
    H, C = 0.5 * dot(Π, body.Jinv @ Π), 0.5 * dot(Π, Π)
    return (J.x + J.y + J.z) / (6.0 * J.x * J.y * J.z) * C - (
        1.0 / J.x + 1.0 / J.y + 1.0 / J.z
    ) / 3.0 * H


@variational(
    key="DMV4",
    name="Moser–Veselov of order four in the momentum",
    short="McLachlan–Zanna",
    aliases=("McLachlan-Zanna", "McLachlan & Zanna"),
    reference=bibtex("McLachlanZanna2005"),
    free_order=(2, 4),
    evidence=(keeps(energy="free", casimir="free"),),
)
def dmv4(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""DMV with a step that energy and momentum correct. On a free body it has order four in
    momentum and two in attitude.

    .. math::
        \mathrm{DMV}\left(h\,(1 + h^2 s)\right), \quad
        s = \frac{\mathrm{tr}\,J}{6 \det J} C - \frac{\mathrm{tr}\,J^{-1}}{3} H

    - DMV follows the correct curve of a free body's momentum at a slightly wrong pace.
    - A step of Δt (1 + Δt² s) corrects the pace to order four. The number s follows from the energy
      and |Π|, [which are conserved].
    - The attitude has a further error that another time does not remove: its order is two.
    """
    # Kick, free step in another time, kick.
    Π = Π + h / 2 * T
    s = slowdown(body, Π)
    E = solve_by_exp(body, h * (1.0 + h**2 * s), body.Jinv, Π)
    return turn_and_kick(body, t, h, R, Π, E)
