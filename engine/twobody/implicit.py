"""The implicit equation of every variational integrator here: F Jd − Jd Fᵀ = hat(h Π) for the turn F of one step.

Newton's method runs in the three coordinates of exp or of the Cayley map (Lee, Leok and McClamroch, section 3.3). It
stops when a correction is small against the solution. The paper's bound of 1e-15 on h Π itself, a number of about
1e-4, leaves relative errors of 1e-12, by which the four forms part: to 1e-5 after 15 000 steps, in place of 1e-7.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Diag3, Mat3, Vec3, cay, cross, dot, hat, outer, vee
from ..algorithms.dmv import by_exp, within
from ..algorithms.method import Choice
from ..algorithms.newton import newton


def by_cayley(bodies: Any, h: float, Jinv: Diag3, Π: Vec3) -> Mat3:
    """F = cay(h w), where w = J⁻¹Π to begin with."""
    w = newton(bodies, h, in_cayley, Jinv @ Π, Jinv.inv, Π)
    return cay(h * within(bodies, h, w, 2.0))


def in_cayley(bodies: Any, h: float, w: Vec3, J: Diag3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jw − Π − h/2 Π × w − h²/4 (Π·w) w, and its derivative by w. The paper's f is h w/2, and its G −h times this."""
    c = h * h / 4.0
    along = c * dot(Π, w)
    residual = J @ w - Π - h / 2 * cross(Π, w) - along * w
    return residual, J + -(h / 2 * hat(Π) + c * outer(w, Π) + Diag3(along, along, along))


SOLVER = Choice(
    "solver",
    "the coordinates in which Newton's method finds the turn of a step",
    {"exp": by_exp, "cayley": by_cayley},
    "exp",
)


def momentum_before(Jd: Diag3, F: Mat3) -> Vec3:
    """The vector of F Jd − Jd Fᵀ: h times the momentum with which the step began, after its kick."""
    return 2.0 * vee(F @ Jd)


def momentum_after(Jd: Diag3, F: Mat3) -> Vec3:
    """The vector of Jd F − Fᵀ Jd, which is Fᵀ times the other: h times that with which it ended, before its kick."""
    return 2.0 * vee(Jd @ F)


def nonstandard(J: Diag3) -> Diag3:
    """Jd = tr(J)/2 − J."""
    half = 0.5 * (J.x + J.y + J.z)
    return Diag3(half - J.x, half - J.y, half - J.z)
