"""HSTAGM: Hulbert's staggered explicit method, after the appendix of Krysl and Endres.

Two interleaved tracks, at whole and at half steps, turn with each other's angular velocity: the
explicit two-step midpoint rule with step h/2, whose parasitic root −1 makes it blow up on the slow
top. The first acceleration takes the torque in the body's frame, R₀ᵀ t₀ (the paper prints t₀, which
is the same for its data).
"""

from __future__ import annotations

from ..algebra import Mat3, Vec3, exp
from ..text import FREE, bibtex, keeps, measures, swings
from .core import MOMENTUM, Body, angular_acceleration, method


def start(body: Body, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3, Mat3, Vec3]:
    """Both tracks: the given state, and one half a step later."""
    A = angular_acceleration(body, body.torque(t, R), Ω)
    θ = h / 2 * Ω + h * h / 8 * A
    Π, E, half = body.J @ Ω, exp(θ), exp(θ / 2)
    Tq = body.torque(t + h / 4, R @ half)
    return R, Π, R @ E, E.T @ (Π + h / 2 * (half @ Tq))


@method(
    key="HSTAGM",
    name="Hulbert's staggered momentum method",
    short="Staggered momentum",
    family="Explicit",
    reference=bibtex("Hulbert1992"),
    start=start,
    order=(2, 2),
    torque_evaluations=2,
    self_starting=False,
    reversible="on both tracks",
    conserves=MOMENTUM,
    has_history="a second track",
    evidence=(
        keeps(pi="free", pi_e3="always"),
        measures("energy", ("slow-top",), 100, dt=0.05),
        keeps(pi="free", pi_e3="always"),
        swings(FREE),
        measures("energy", ("slow-top",), 100, dt=0.05),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, Rh: Mat3, Πh: Vec3
) -> tuple[Mat3, Vec3, Mat3, Vec3]:
    r"""Explicit, on two interleaved tracks. It [conserves spatial momentum], and [blows up on the
    slow top].

    .. math::
        R_{n+1} = R_n \exp(\Delta t\,\Omega_{n+1/2}), \quad \pi_{n+1} = \pi_n + \Delta t\, t_{n+1/2} \\
        R_{n+3/2} = R_{n+1/2} \exp(\Delta t\,\Omega_{n+1}), \quad \pi_{n+3/2} = \pi_{n+1/2} + \Delta t\, t_{n+1}

    - Two tracks, half a step apart, each turn with the other's velocity, and the impulses are added
      in space: momentum [is conserved].
    - The tracks are not coupled, and a difference between them changes its sign in each half step.
    - On free bodies it stays small, and energy [swings]. On the slow top it [grows until the tracks
      part and the energy blows up].
    """
    t_half = body.spatial_torque(t + h / 2, Rh)
    E = exp(h * (body.Jinv @ Πh))
    R0, R = R, R @ E
    Π = E.T @ (Π + h * (R0.T @ t_half))
    T = body.torque(t + h, R)
    E = exp(h * (body.Jinv @ Π))
    Rh0, Rh = Rh, Rh @ E
    return R, Π, Rh, E.T @ (Πh + h * (Rh0.T @ (R @ T)))
