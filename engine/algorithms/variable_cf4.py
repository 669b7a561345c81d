"""CF43: CF4 with steps that it chooses, by a solution of order three from the same stages.

The velocity and the torque at the end of a step, with which the next one begins, make a fifth
stage. It takes the place of the fourth one in the two exponentials of CF4's end and in its impulse,
and leaves order three: it is at the same time as the fourth one, and the classical conditions for
the weights 1/6, 1/3, 1/3, 0, 1/6 hold. The rotation vector of R̂ᵀR, by which the two solutions
differ, is (K₄ − K₅)/6 up to terms two orders higher. This pair is the project's own; it is not one
of those that Curry and Owren published.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, exp, log, norm
from ..text import FREE, TOPS, bibtex, keeps, loses, measures, times
from .cf4 import find_stages
from .core import Body, Torque
from .rkmk_adaptive import Ends, Scheme, adaptive, end_turn, find_forced_rates, gather


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
    error = 1.0 / 6.0 * gather(K4 - h * Ω1, h * (T4 - E @ T1))
    return E, R1, Π1, T1, norm(A) + norm(B), [error], (Ω, T, E, p, Ω1, T1)


def describe(body: Body, t: float, h: float, latest: float, R: Mat3, Π: Vec3, kept: Any) -> Ends:
    """The rotation vector and the impulse of a step, and their rates at its ends."""
    Ω, T, E, p, Ω1, T1 = kept
    Ψ = log(E)
    return gather(Ψ, p - Π), gather(Ω, T), find_forced_rates(Ψ, Ω1, E, T1), ()


@adaptive(
    key="CF43",
    name="Commutator-free of order 4, adaptive",
    reference=bibtex("CelledoniMarthinsenOwren2003", "CelledoniCokajLeoneMurariOwren2022"),
    equations=r"""
        R_{n+1} = R_n e^{A(K_4)} e^{B(K_4)}, \quad \hat R_{n+1} = R_n e^{A(K_5)} e^{B(K_5)}, \quad
        A(K) = \tfrac{1}{12} (3K_1 + 2K_2 + 2K_3 - K), \quad B(K) = \tfrac{1}{12} (-K_1 + 2K_2 + 2K_3 + 3K) \\
        \log(\hat R_{n+1}^T R_{n+1}) \approx \tfrac16 (K_4 - K_5), \quad K_i = h\,\Omega_i, \quad
        \Omega_5 = \Omega_{n+1}""",
    evidence=(
        times("evaluations", "RKMK54(rtol=1e-6)", TOPS, 1.7, 2.1, of="CF43(rtol=1e-6)"),
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        loses("energy"),
        measures("energy", FREE, 100, of="CF43(rtol=1e-6)", over="CF43(rtol=1e-9)"),
    ),
)
def cf43() -> Scheme:
    """CF4 with an estimate of order three: with rtol = 10⁻⁶ it evaluates the torque of the
    slow, the fast and the Lagrange top [{} times] as often as RKMK54.

    - A second solution, of order three, has the velocity at the end of the step in place of the
      fourth stage's. The rotation vector from one to the other and the difference of the impulses
      show how long a step may be.
    - A step multiplies rotations, so R [remains a rotation], and impulses add up in space, so
      momentum is [conserved].
    - Energy [is not conserved]: a free body's error with rtol = 10⁻⁹ is [less than a hundredth of
      that with 10⁻⁶].
    """
    return Scheme(4, attempt, describe, end_turn)
