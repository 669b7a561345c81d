"""ZHANG: the implicit midpoint rule for the quaternion, which is explicit, because its equation is
linear.

The article's full text was not available. Its abstract has the centred implicit Euler scheme for the
constant rate, Cayley's formula for its step, and the extension to a rate that varies; the rate is taken
in the middle here, as that scheme takes it.
"""

from __future__ import annotations

from ...algebra import Quat, dot
from ...text import bibtex, declares, keeps, measures, times
from ...text.evidence import RATES, TURNTABLES
from ..core import Gyro, method
from .turns import ROTATION


@method(
    key="ZHANG",
    name="Symplectic update of the quaternion",
    short="Zhang",
    family="Midpoint",
    reference=bibtex("ZhangWangZhouXueMaNiu2018"),
    rates_at=(0.5,),
    order=(2,),
    torque_evaluations=1,
    reversible=True,
    conserves=ROTATION,
    evidence=(
        keeps(orthogonality="always"),
        measures("length error", RATES, 0.0, 1e-12),
        declares(reversible=True, order=(2,)),
        times("ahead", "EULER(renormalise=yes)", TURNTABLES, 0.24, 0.26, dt=0.05),
    ),
)
def step(gyro: Gyro, t: float, h: float, q: Quat) -> tuple[Quat]:
    r"""The implicit midpoint rule for the four numbers of the quaternion, solved by Cayley's formula:
    [its length is conserved].

    .. math::
        q_{n+1} = q_n + \tfrac h2\, \tfrac12 (q_n + q_{n+1}) \otimes \omega_{1/2} \\
        q_{n+1} = q_n \otimes \frac{1 + v}{1 - v}
        = q_n \otimes \frac{1 - |v|^2 + 2 v}{1 + |v|^2}, \quad v = \tfrac h4\, \omega_{1/2}

    - The rule conserves quadratic invariants, and |q|² is one. The quaternion's equation is
      linear, so four numbers follow from a formula.
    - Cayley's quotient [has length 1 for every v]. So the product is a unit quaternion without
      normalising.
    - It is [symmetric in time and of order two]. A rotation of θ in a step becomes 4 atan(θ/4). So a
      fast rotation [falls behind, by a quarter of what normalised Euler steps do].
    """
    v = h / 4 * gyro.rate(t + h / 2)
    square = dot(v, v)
    scale = 1.0 / (1.0 + square)
    twice = 2.0 * scale
    return (q @ Quat(scale * (1.0 - square), twice * v.x, twice * v.y, twice * v.z),)
