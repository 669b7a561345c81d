"""RK2, SRK and RKF78: Runge–Kutta methods on the 36 numbers of equations (40) to (48), as Lee's comparison has them.

Nothing keeps R and R2 rotations but SRK, whose implicit midpoint rule keeps every quadratic invariant.
"""

from __future__ import annotations

from math import nan
from typing import Any

from ..algebra import Gravity, Mat3, Relative, Vec3, cross, hat, relative, solve
from ..algorithms.method import method
from ..told import PAIRS, declares, keeps, loses, measured, told
from .dumbbells import REFERENCE
from .problem import EQUATIONS

State = tuple[Relative, Gravity]

HAIRER_LUBICH_WANNER = """@book{HairerLubichWanner2006,
  author    = {Hairer, Ernst and Lubich, Christian and Wanner, Gerhard},
  title     = {Geometric Numerical Integration},
  publisher = {Springer}, edition = {2}, year = {2006}, doi = {10.1007/3-540-30666-8}}"""
FEHLBERG = """@techreport{Fehlberg1968,
  author      = {Fehlberg, Erwin},
  title       = {Classical fifth-, sixth-, seventh-, and eighth-order {Runge--Kutta} formulas with stepsize control},
  institution = {NASA},
  number      = {TR R-287}, year = {1968}}"""


def start(
    bodies: Any, t: float, h: float, R1: Mat3, R2: Mat3, Ω1: Vec3, Ω2: Vec3, x1: Vec3, x2: Vec3, v1: Vec3, v2: Vec3
) -> State:
    """The 36 numbers, and the gravity there."""
    R, X = R2.T @ R1, R2.T @ (x1 - x2)
    return relative(X, R2.T @ (v1 - v2), R, R @ Ω1, Ω2, x2, v2, R2), bodies.gravity(X, R)


def view(bodies: Any, S: State) -> tuple[Any, ...]:
    """Both bodies in space."""
    y, g = S
    x1, v1 = y.x2 + y.R2 @ y.X, y.v2 + y.R2 @ y.V
    return y.R2 @ y.R, y.R2, y.R.T @ y.Omega, y.Omega2, x1, y.x2, v1, y.v2, g


def there(bodies: Any, y: Relative) -> Gravity:
    """The gravity in a state."""
    return bodies.gravity(y.X, y.R)  # type: ignore[no-any-return]


def rates(bodies: Any, y: Relative, g: Gravity) -> Relative:
    """Equations (40) to (48), solved for the rates; R is a rotation or not."""
    Ω, Ω2, m, m2 = y.Omega, y.Omega2, bodies.m, bodies.m2
    J_R = (y.R @ bodies.J1) @ y.R.T
    turning = solve(J_R, -(g.M + cross(Ω, J_R @ Ω)))
    moment = cross(y.X, g.U_X) + g.M
    return relative(
        y.V - cross(Ω2, y.X),
        -(g.U_X * (1.0 / m) + cross(Ω2, y.V)),
        hat(Ω - Ω2) @ y.R,
        turning - cross(Ω2, Ω),
        bodies.J2inv @ (moment - cross(Ω2, bodies.J2 @ Ω2)),
        y.v2,
        (1.0 / m2) * (y.R2 @ g.U_X),
        y.R2 @ hat(Ω2),
    )


@method(
    key="RK2",
    name="Explicit midpoint rule",
    aliases=("explicit midpoint", "RK"),
    family="Baseline",
    space="se3",
    summary=told(
        "The paper's RK, on its relative coordinates: [keeps nothing, and the attitudes leave the rotations].",
        loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
    ),
    equations=EQUATIONS + r" \\ y_m = y_n + \tfrac h2 f(y_n), \quad y_{n+1} = y_n + h f(y_m)",
    reference=f"{REFERENCE}\n{HAIRER_LUBICH_WANNER}",
    start=start,
    view=view,
    order=(2, 2),
    torque_evaluations=2,
)
def explicit_midpoint(bodies: Any, t: float, h: float, y: Relative, g: Gravity) -> State:
    """One step."""
    middle = y + h / 2 * rates(bodies, y, g)
    y = y + h * rates(bodies, middle, there(bodies, middle))
    return y, there(bodies, y)


MOST_SWEEPS = 100
CONVERGED = 2e-16
"""Size of a change of the midpoint, relative to it, that is none."""
ROUNDOFF = 1e-13
"""One that is roundoff if the next is no smaller."""


@method(
    key="SRK",
    name="Implicit midpoint rule",
    aliases=("implicit midpoint",),
    family="Baseline",
    space="se3",
    summary=told(
        "The paper's symplectic Runge–Kutta method, solved to roundoff: then it [keeps what is quadratic, "
        "rotations and linear momentum, though not the angular one].",
        (keeps(orthogonality="always", linear_momentum="always"), loses("angular_momentum")),
    ),
    equations=EQUATIONS + r" \\ y_m = y_n + \tfrac h2 f(y_m), \quad y_{n+1} = 2 y_m - y_n",
    reference=f"{REFERENCE}\n{HAIRER_LUBICH_WANNER}",
    start=start,
    view=view,
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves={"linear_momentum": "always", "orthogonality": "always"},
)
def implicit_midpoint(bodies: Any, t: float, h: float, y: Relative, g: Gravity) -> State:
    """One step, by fixed-point sweeps until the midpoint no longer moves.

    A single sweep is the explicit midpoint rule, to the digit. That the paper finds the orthogonality of both as bad,
    and their energies alike, is what a solver with a loose tolerance makes of this method.
    """
    middle = y + h / 2 * rates(bodies, y, g)
    size = change = middle.square
    sweeps, settled = 0, False
    while not settled and sweeps < MOST_SWEEPS:
        before, last = middle, change
        middle = y + h / 2 * rates(bodies, before, there(bodies, before))
        step = middle - before
        change = step.square
        settled = change <= CONVERGED**2 * size or last <= change <= ROUNDOFF**2 * size
        sweeps += 1
    bodies.count_newton(sweeps)
    if not settled:
        bodies.not_found()
        middle = middle * nan
    y = 2.0 * middle - y
    return y, there(bodies, y)


@method(
    key="RKF78",
    name="Fehlberg's Runge–Kutta of order eight",
    aliases=("RK78", "Fehlberg"),
    family="Baseline",
    space="se3",
    summary=told(
        "[Twelve forces a step], of a size that is given; at the paper's step energy is [within 10⁻¹²], though "
        "[nothing is kept by its structure].",
        declares(torque_evaluations=12),
        measured("energy", PAIRS, 0, 1e-12, steps=15_000),
        loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
    ),
    equations=EQUATIONS + r" \\ y_{n+1} = y_n + h \left(\tfrac{34}{105} k_6 + \tfrac{9}{35} (k_7 + k_8) + "
    r"\tfrac{9}{280} (k_9 + k_{10}) + \tfrac{41}{840} (k_{12} + k_{13})\right)",
    reference=FEHLBERG,
    start=start,
    view=view,
    order=(8, 8),
    torque_evaluations=12,
)
def fehlberg(bodies: Any, t: float, h: float, y: Relative, g: Gravity) -> State:
    """One step with the weights of order eight; k1 is at hand from the step before."""
    k1 = rates(bodies, y, g)
    k2 = stage(bodies, y + h * (2 / 27 * k1))
    k3 = stage(bodies, y + h * (1 / 36 * k1 + 1 / 12 * k2))
    k4 = stage(bodies, y + h * (1 / 24 * k1 + 1 / 8 * k3))
    k5 = stage(bodies, y + h * (5 / 12 * k1 - 25 / 16 * k3 + 25 / 16 * k4))
    k6 = stage(bodies, y + h * (1 / 20 * k1 + 1 / 4 * k4 + 1 / 5 * k5))
    k7 = stage(bodies, y + h * (-25 / 108 * k1 + 125 / 108 * k4 - 65 / 27 * k5 + 125 / 54 * k6))
    k8 = stage(bodies, y + h * (31 / 300 * k1 + 61 / 225 * k5 - 2 / 9 * k6 + 13 / 900 * k7))
    k9 = stage(bodies, y + h * (2.0 * k1 - 53 / 6 * k4 + 704 / 45 * k5 - 107 / 9 * k6 + 67 / 90 * k7 + 3.0 * k8))
    k10 = stage(
        bodies,
        y
        + h
        * (
            -91 / 108 * k1 + 23 / 108 * k4 - 976 / 135 * k5 + 311 / 54 * k6 - 19 / 60 * k7 + 17 / 6 * k8 - 1 / 12 * k9
        ),
    )
    # Of the last three stages the first serves the estimate of order seven alone, and is left out.
    k12 = stage(
        bodies,
        y + h * (3 / 205 * k1 - 6 / 41 * k6 - 3 / 205 * k7 - 3 / 41 * k8 + 3 / 41 * k9 + 6 / 41 * k10),
    )
    k13 = stage(
        bodies,
        y
        + h
        * (
            -1777 / 4100 * k1
            - 341 / 164 * k4
            + 4496 / 1025 * k5
            - 289 / 82 * k6
            + 2193 / 4100 * k7
            + 51 / 82 * k8
            + 33 / 164 * k9
            + 12 / 41 * k10
            + k12
        ),
    )
    y = y + h * (34 / 105 * k6 + 9 / 35 * (k7 + k8) + 9 / 280 * (k9 + k10) + 41 / 840 * (k12 + k13))
    return y, there(bodies, y)


def stage(bodies: Any, y: Relative) -> Relative:
    """The rates in a state, with the gravity there."""
    return rates(bodies, y, there(bodies, y))
