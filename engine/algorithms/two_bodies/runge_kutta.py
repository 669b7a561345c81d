"""RK2, SRK and RKF78: Runge–Kutta methods for the 36 numbers of equations (40) to (48), as in Lee's
comparison.

Only SRK preserves the rotations R and R2: its implicit midpoint rule conserves every quadratic
invariant.
"""

from __future__ import annotations

from functools import partial
from math import nan
from typing import Any

from ...algebra import Gravity, Mat3, Relative, Vec3, cross, hat, relative, solve
from ...problems.two_bodies.pair import EQUATIONS
from ...text import PAIRS, bibtex, declares, falls, keeps, loses, measures, swings, times
from ..core import Bodies, method

State = tuple[Relative, Gravity]


def start(
    bodies: Bodies,
    t: float,
    h: float,
    R1: Mat3,
    R2: Mat3,
    Ω1: Vec3,
    Ω2: Vec3,
    x1: Vec3,
    x2: Vec3,
    v1: Vec3,
    v2: Vec3,
) -> State:
    """The first state: the 36 numbers, and the gravity there."""
    R, X = R2.T @ R1, R2.T @ (x1 - x2)
    return relative(X, R2.T @ (v1 - v2), R, R @ Ω1, Ω2, x2, v2, R2), bodies.gravity(X, R)


def view(bodies: Bodies, S: State) -> tuple[Any, ...]:
    """Both bodies in space."""
    y, g = S
    x1, v1 = y.x2 + y.R2 @ y.X, y.v2 + y.R2 @ y.V
    return y.R2 @ y.R, y.R2, y.R.T @ y.Omega, y.Omega2, x1, y.x2, v1, y.v2, g


def find_gravity(bodies: Bodies, y: Relative) -> Gravity:
    """The gravity in a state."""
    return bodies.gravity(y.X, y.R)


def rates(bodies: Bodies, y: Relative, g: Gravity) -> Relative:
    """Equations (40) to (48), solved for the rates, also where R is no rotation."""
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


runge_kutta = partial(method, family="Baseline", start=start, view=view)
"""Declares one of the three methods."""


@runge_kutta(
    key="RK2",
    name="Explicit midpoint rule",
    short="Explicit midpoint",
    aliases=("explicit midpoint", "RK"),
    equations=EQUATIONS + r" \\ y_m = y_n + \tfrac h2 f(y_n), \quad y_{n+1} = y_n + h f(y_m)",
    reference=bibtex("LeeLeokMcClamroch2007a", "HairerLubichWanner2006"),
    order=(2, 2),
    torque_evaluations=2,
    evidence=(
        loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
        (loses("orthogonality"), measures("orthogonality", PAIRS, 1e-6, 1, steps=15_000)),
        loses("energy", "linear_momentum", "angular_momentum"),
        (times("drift", "LGM", ("DB4",), 10.9, 10.9, steps=15_000), falls(("DB4",), steps=15_000)),
    ),
)
def explicit_midpoint(bodies: Bodies, t: float, h: float, y: Relative, g: Gravity) -> State:
    """The paper's RK, in its relative coordinates: it [conserves nothing, and the attitudes do not
    stay rotations].

    - It adds multiples of derivatives to the entries of R and R₂. A rotation plus a tangent is no
      rotation: [‖RᵀR − 1‖ grows] from the first step.
    - A matrix that is no rotation changes the distances between the masses of a body, and so the
      forces.
    - Energy and momenta are [not conserved]. In DB4 with h = 0.002, where the bodies tumble fast,
      energy [drifts one way, {} times] as fast as LGM's.
    """
    middle = y + h / 2 * rates(bodies, y, g)
    y = y + h * rates(bodies, middle, find_gravity(bodies, middle))
    return y, find_gravity(bodies, y)


MOST_SWEEPS = 100
CONVERGED = 2e-16
"""Relative size of a change of the midpoint that counts as zero."""
ROUNDOFF = 1e-13
"""Relative size of a change that is roundoff if the next one is no smaller."""


@runge_kutta(
    key="SRK",
    name="Implicit midpoint rule",
    short="Implicit midpoint",
    aliases=("implicit midpoint",),
    equations=EQUATIONS + r" \\ y_m = y_n + \tfrac h2 f(y_m), \quad y_{n+1} = 2 y_m - y_n",
    reference=bibtex("LeeLeokMcClamroch2007a", "HairerLubichWanner2006"),
    order=(2, 2),
    implicit=True,
    reversible=True,
    conserves={"linear_momentum": "always", "orthogonality": "always"},
    evidence=(
        (keeps(orthogonality="always", linear_momentum="always"), loses("angular_momentum")),
        keeps(orthogonality="always", linear_momentum="always"),
        loses("angular_momentum"),
        swings(PAIRS, steps=15_000),
        times("evaluations", "LGVI", PAIRS, 6.7, 10, steps=1000),
    ),
)
def implicit_midpoint(bodies: Bodies, t: float, h: float, y: Relative, g: Gravity) -> State:
    """The paper's symplectic Runge–Kutta method, solved to roundoff. It then [conserves rotations
    and linear momentum, which are quadratic, but not angular momentum].

    - The implicit midpoint rule [conserves whatever is quadratic] in the unknowns. RᵀR is
      quadratic, and so is the linear momentum, a product of R₂ and V.
    - Angular momentum is of higher degree in these variables and is [not conserved]. Energy is no
      polynomial, and [swings].
    - Fixed-point sweeps solve its equations to roundoff, and each evaluates a force. On DB1, DB2
      and DB4 with h = 0.002 it takes [{} times] LGVI's forces.
    """
    # By fixed-point sweeps until the midpoint no longer moves. A single sweep is exactly the
    # explicit midpoint rule. A solver with a loose tolerance would explain that the paper finds the
    # orthogonality of both equally bad and their energies alike.
    middle = y + h / 2 * rates(bodies, y, g)
    size = change = middle.square
    sweeps, settled = 0, False
    while not settled and sweeps < MOST_SWEEPS:
        before, last = middle, change
        middle = y + h / 2 * rates(bodies, before, find_gravity(bodies, before))
        step = middle - before
        change = step.square
        settled = change <= CONVERGED**2 * size or last <= change <= ROUNDOFF**2 * size
        sweeps += 1
    bodies.count_newton(sweeps)
    if not settled:
        bodies.not_found()
        middle = middle * nan
    y = 2.0 * middle - y
    return y, find_gravity(bodies, y)


@runge_kutta(
    key="RKF78",
    name="Fehlberg's Runge–Kutta of order eight",
    short="Runge–Kutta–Fehlberg",
    aliases=("RK78", "Fehlberg"),
    equations=EQUATIONS
    + r" \\ y_{n+1} = y_n + h \left(\tfrac{34}{105} k_6 + \tfrac{9}{35} (k_7 + k_8) + "
    r"\tfrac{9}{280} (k_9 + k_{10}) + \tfrac{41}{840} (k_{12} + k_{13})\right)",
    reference=bibtex("Fehlberg1968"),
    order=(8, 8),
    torque_evaluations=12,
    evidence=(
        declares(torque_evaluations=12),
        measures("energy", PAIRS, 0, 1e-12, steps=15_000),
        loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
        measures("energy", PAIRS, 0, 1e-12, steps=15_000),
        loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
        (
            measures("energy", ("DB2", "DB4"), 1e-9, 1, dt=0.02, steps=1500),
            measures("orthogonality", ("DB2", "DB4"), 1e-9, 1, dt=0.02, steps=1500),
        ),
        declares(torque_evaluations=12),
    ),
)
def fehlberg(bodies: Bodies, t: float, h: float, y: Relative, g: Gravity) -> State:
    """[Twelve forces a step], of a size that is given. At the paper's step energy is [within
    10⁻¹²], though its structure [conserves nothing].

    - Its order is eight: with the step of the paper, the error of a step is roundoff, and energy is
      [within 10⁻¹²].
    - Its structure [conserves nothing]: with h = 0.02, energy and RᵀR of DB2 and DB4 are off by
      [more than 10⁻⁹].
    - [Twelve forces a step] pay where forces are cheap, as between two dumbbells, and not where
      bodies have many masses.
    """
    # With the weights of order eight; the gravity of k1 is that of the step before.
    k1 = rates(bodies, y, g)
    k2 = stage(bodies, y + h * (2 / 27 * k1))
    k3 = stage(bodies, y + h * (1 / 36 * k1 + 1 / 12 * k2))
    k4 = stage(bodies, y + h * (1 / 24 * k1 + 1 / 8 * k3))
    k5 = stage(bodies, y + h * (5 / 12 * k1 - 25 / 16 * k3 + 25 / 16 * k4))
    k6 = stage(bodies, y + h * (1 / 20 * k1 + 1 / 4 * k4 + 1 / 5 * k5))
    k7 = stage(bodies, y + h * (-25 / 108 * k1 + 125 / 108 * k4 - 65 / 27 * k5 + 125 / 54 * k6))
    k8 = stage(bodies, y + h * (31 / 300 * k1 + 61 / 225 * k5 - 2 / 9 * k6 + 13 / 900 * k7))
    k9 = stage(
        bodies,
        y + h * (2.0 * k1 - 53 / 6 * k4 + 704 / 45 * k5 - 107 / 9 * k6 + 67 / 90 * k7 + 3.0 * k8),
    )
    k10 = stage(bodies, y + h * (-91 / 108 * k1 + 23 / 108 * k4 - 976 / 135 * k5 + 311 / 54 * k6 - 19 / 60 * k7
                                 + 17 / 6 * k8 - 1 / 12 * k9))  # fmt: skip
    # Of the last three stages the first serves the estimate of order seven alone, and is left out.
    k12 = stage(bodies, y + h * (3 / 205 * k1 - 6 / 41 * k6 - 3 / 205 * k7 - 3 / 41 * k8 + 3 / 41 * k9
                                 + 6 / 41 * k10))  # fmt: skip
    k13 = stage(bodies, y + h * (-1777 / 4100 * k1 - 341 / 164 * k4 + 4496 / 1025 * k5 - 289 / 82 * k6
                                 + 2193 / 4100 * k7 + 51 / 82 * k8 + 33 / 164 * k9 + 12 / 41 * k10
                                 + k12))  # fmt: skip
    y = y + h * (34 / 105 * k6 + 9 / 35 * (k7 + k8) + 9 / 280 * (k9 + k10) + 41 / 840 * (k12 + k13))
    return y, find_gravity(bodies, y)


def stage(bodies: Bodies, y: Relative) -> Relative:
    """The rates in a state, with the gravity there."""
    return rates(bodies, y, find_gravity(bodies, y))
