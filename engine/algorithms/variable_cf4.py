"""CF43: CF4 with steps that it chooses, by a solution of order three from its stages and one more.

The velocity and the torque at the end of a step, with which the next one begins, make a fifth
stage. It takes the place of the fourth one in the two exponentials of CF4's end and in its impulse,
and leaves order three: it is at the same time as the fourth one, and the classical conditions for
the weights 1/6, 1/3, 1/3, 0, 1/6 hold. The rotation vector of R̂ᵀR, by which the two solutions
differ, is (K₄ − K₅)/6 up to terms two orders higher.

A torque of the time alone is the same at the fourth and the fifth stage, so the impulse of the
second solution has a further difference, which is of order four as well: at the first point of
Gauss's rule in the step, the torque less the derivative of the dense output. A free body does not
need it. This pair is the project's own; it is not one of those that Curry and Owren published.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, exp, log, norm
from ..text import FREE, TOPS, bibtex, keeps, loses, measures, times
from .cf4 import find_stages
from .core import Body, Torque
from .rkmk_adaptive import Ends, Scheme, adaptive, end_turn, find_forced_rates, find_rates, gather

GAUSS = 0.5 - sqrt(3.0) / 6.0
"""The first point of Gauss's rule with two points, as a part of the step."""


def attempt(
    body: Body, t: float, h: float, latest: float, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Any, ...]:
    """A step of CF4, and the difference of the two solutions."""
    Ω, end = body.Jinv @ Π, min(t + h, latest)
    A, B, p, K4, T4 = find_stages(body, min(t + h / 2, latest), end, h, R, Π, h * Ω, T)
    E = exp(A) @ exp(B)
    R1, Π1 = R @ E, E.T @ p
    Ω1 = body.Jinv @ Π1
    T1 = body.torque(end, R1, Ω1)
    ends = find_ends(Ω, T, E, p - Π, Ω1, T1)
    error = 1.0 / 6.0 * gather(K4 - h * Ω1, h * (T4 - E @ T1))
    if not isinstance(T, Zero3):
        error += gather(0.0 * Ω, find_defect(body, min(t + GAUSS * h, latest), h, R, Π, ends))
    return E, R1, Π1, T1, norm(A) + norm(B), [error], ends


def find_ends(Ω: Vec3, T: Any, E: Mat3, push: Vec3, Ω1: Vec3, T1: Torque) -> Ends:
    """The rotation vector and the impulse of a step, and their rates at its ends."""
    Ψ = log(E)
    return gather(Ψ, push), gather(Ω, T), find_forced_rates(Ψ, Ω1, E, T1), ()


def find_defect(body: Body, t: float, h: float, R: Mat3, Π: Vec3, ends: Ends) -> Vec3:
    """h times the torque at Gauss's point, less the derivative of the dense output's impulse."""
    gain, first, last, _ = ends
    value = GAUSS * GAUSS * (3.0 - 2.0 * GAUSS) * gain
    value += h / 6.0 * ((1.0 - GAUSS) * first - GAUSS * last)
    torque = find_rates(body, t, R, Π, value).push
    return h * torque - gain.push - sqrt(3.0) / 6.0 * h * (first.push - last.push)


def describe(body: Body, t: float, h: float, latest: float, R: Mat3, Π: Vec3, ends: Ends) -> Ends:
    """The rotation vector and the impulse of a step, and their rates at its ends."""
    return ends


@adaptive(
    key="CF43",
    name="Commutator-free of order 4, adaptive",
    short="Adaptive commutator-free",
    reference=bibtex("CelledoniMarthinsenOwren2003", "CelledoniCokajLeoneMurariOwren2022"),
    equations=r"""
        R_{n+1} = R_n e^{A(K_4)} e^{B(K_4)}, \quad \hat R_{n+1} = R_n e^{A(K_5)} e^{B(K_5)}, \quad
        A(K) = \tfrac{1}{12} (3K_1 + 2K_2 + 2K_3 - K), \quad B(K) = \tfrac{1}{12} (-K_1 + 2K_2 + 2K_3 + 3K) \\
        \log(\hat R_{n+1}^T R_{n+1}) \approx \tfrac16 (K_4 - K_5), \quad K_i = h\,\Omega_i, \quad
        \Omega_5 = \Omega_{n+1}""",
    evidence=(
        times("evaluations", "RKMK54(rtol=1e-6)", TOPS, 2.1, 2.6, of="CF43(rtol=1e-6)"),
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        loses("energy"),
        measures("energy", FREE, 100, of="CF43(rtol=1e-6)", over="CF43(rtol=1e-9)"),
    ),
)
def cf43() -> Scheme:
    """CF4 with an estimate of order three. With rtol = 10⁻⁶, it evaluates [{} times] RKMK54's
    torques on the slow, fast and Lagrange tops.

    - A second solution, of order three, has the velocity at the end of the step in place of the
      fourth stage's. The rotation vector from one to the other and the difference of the impulses
      show how long a step may be.
    - A fifth evaluation, within the step, makes the impulses differ also for a torque of the time
      alone.
    - A step multiplies rotations, so R [remains a rotation], and impulses add up in space, so
      momentum is [conserved].
    - Energy [is not conserved]: a free body's error with rtol = 10⁻⁹ is [less than a hundredth of
      that with 10⁻⁶].
    """
    return Scheme(4, attempt, describe, end_turn)
