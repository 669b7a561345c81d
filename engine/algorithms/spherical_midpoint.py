"""SPHERICAL-MIDPOINT: the spherical midpoint rule of McLachlan, Modin and Verdier for the body
momentum.

It is the classical midpoint rule with the slope at the midpoint's projection onto the sphere |Π|.
For a free body that is KDK's step over another time, h |Π|²/|m|², where m is the mean of the
momenta at both ends.

The papers move Π alone. The turn is ours: of all turns about the velocity of the mean momentum, the
one that takes Πₙ to Πₙ₊₁. A torque acts by half of its impulse at each end.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3, cay, cross, dot, gyroscopic_tangent, outer
from ..text import FREE, TOPS, bibtex, keeps, measures, swings
from .core import Body, Torque, newton
from .dmv import variational


@variational(
    key="SPHERICAL-MIDPOINT",
    name="Spherical midpoint rule",
    short="Spherical midpoint",
    aliases=("McLachlan-Modin-Verdier",),
    reference=bibtex("McLachlanModinVerdier2014", "McLachlanModinVerdier2017"),
    evidence=(
        keeps(energy="free", pi="free"),
        keeps(energy="free", casimir="free"),
        keeps(pi="free", pi_e3="always"),
        swings(TOPS),
        measures("ahead", FREE, -1 / 12, -1 / 12.1),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""On the sphere |Π| it is symplectic, and [conserves the free body's energy and momentum];
    with its attitude, it conserves the volume.

    .. math::
        \Pi^+ = \Pi_n + \tfrac h2 T_n, \quad
        \Pi^- - \Pi^+ = h\, X \times J^{-1} X, \quad X = |\Pi^+| \frac{\Pi^+ + \Pi^-}{|\Pi^+ + \Pi^-|} \\
        R_{n+1} = R_n\, \mathrm{cay}\left(\frac{2 |\Pi^+|}{|\Pi^+ + \Pi^-|}\, h J^{-1} X\right), \quad
        \Pi_{n+1} = \Pi^- + \tfrac h2 T_{n+1}

    - The momentum changes at right angles to the mean momentum and to its velocity. So a free
      body's |Π| and energy [are conserved].
    - The slope is that of a point of the sphere, which makes the map symplectic there. KDK takes it
      inside the sphere.
    - The body turns about the velocity of the mean momentum, and its momentum turns with it:
      momentum [stays in space]. The kicks do not know the potential, and a top's energy [swings].
    - The turn is by an arc tangent. In a steady spin the body lags behind [by x³/12 in a step of x
      radians].
    """
    # Kick, free step, kick.
    Π = Π + h / 2 * T
    w = newton(body, h, mean_balance, body.Jinv @ Π, Π)
    Jw = body.J @ w
    k, _ = time_on_sphere(h, Π, Jw)
    R = R @ cay(k * w)
    T = body.torque(t + h, R)
    return R, Jw + k / 2 * cross(Jw, w) + h / 2 * T, T


def mean_balance(body: Body, h: float, w: Vec3, Π: Vec3) -> tuple[Vec3, Mat3]:
    """Jw − k/2 Jw × w − Π with k = h |Π|²/|Jw|², and its derivative by w."""
    J = body.J
    Jw = J @ w
    k, slope = time_on_sphere(h, Π, Jw)
    gyro = cross(w, Jw)
    return Jw + k / 2 * gyro - Π, J + (
        k / 2 * gyroscopic_tangent(J, w) - slope * outer(gyro, J @ Jw)
    )


def time_on_sphere(h: float, Π: Vec3, m: Vec3) -> tuple[float, float]:
    """k = h |Π|²/|m|² and k/|m|² for the mean momentum m; at rest their limits h, and 0 for what is
    multiplied by m × Jm.
    """
    square = dot(m, m)
    k = h * dot(Π, Π) / square if square > 0.0 else h
    return k, k / square if square > 0.0 else 0.0
