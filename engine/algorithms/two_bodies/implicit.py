"""The implicit equation of the variational integrators: F Jd − Jd Fᵀ = hat(h Π) for the turn F of
one step.

Newton's method works in the three coordinates of exp or of the Cayley map (Lee, Leok and
McClamroch, section 3.4). It stops when a correction is small relative to the solution. The paper's
bound of 1e-15 on h Π, a number of about 1e-4, leaves relative errors of 1e-12, by which the four
forms differ: by 1e-5 after 15 000 steps, instead of 1e-7.
"""

from __future__ import annotations

from math import nan

from ...algebra import Diag3, Mat3, Vec3, cay, cross, dot, outer, vee
from ..core import Bodies, newton, offer
from ..dmv import require_solution, solve_by_exp


def solve_by_cayley(bodies: Bodies, h: float, Jinv: Diag3, Π: Vec3) -> Mat3:
    """F = (1 + f̂)(1 − f̂)⁻¹, with the start value f = h/2 J⁻¹Π."""
    g = h / 2 * Π
    return cay(
        2.0 * require_solution(bodies, newton(bodies, 1.0, cayley_balance, Jinv @ g, Jinv.inv, g))
    )


def cayley_balance(bodies: Bodies, part: float, f: Vec3, J: Diag3, g: Vec3) -> tuple[Vec3, Mat3]:
    """Jf − g − g × f − (g·f) f, and its derivative by f; the paper's G is −2 times this, its g
    twice this one.

    For a part of the step, g is that part of it. From a quarter turn on, |f| ≥ 1, nan.
    """
    g = part * g
    c = dot(g, f) if dot(f, f) < 1.0 else nan
    residual = J @ f - g - cross(g, f) - c * f
    rest = Mat3(
        J.x - c, g.z, -g.y, -g.z, J.y - c, g.x, g.y, -g.x, J.z - c
    )  # J − c − hat(g), without its zeros
    return residual, rest - outer(f, g)


SOLVER = offer(
    "solver",
    "the coordinates in which Newton's method finds the turn of a step",
    "Coordinates of the solver",
    {
        "exp": (solve_by_exp, "exponential"),
        "cayley": (solve_by_cayley, "Cayley"),
    },
)


def momentum_after(Jd: Diag3, F: Mat3) -> Vec3:
    """The vector of Jd F − Fᵀ Jd, Fᵀ times that of F Jd − Jd Fᵀ: h Π at the end of the turn."""
    return 2.0 * vee(Jd @ F)


def nonstandard(J: Diag3) -> Diag3:
    """Jd = tr(J)/2 − J."""
    half = 0.5 * (J.x + J.y + J.z)
    return Diag3(half - J.x, half - J.y, half - J.z)
