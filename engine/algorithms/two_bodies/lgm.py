"""LGM: the method of Crouch and Grossman of order two, with exponentials for rotations and
midpoints for the rest.
"""

from __future__ import annotations

from ...algebra import Gravity, Relative, exp, relative
from ...problems.two_bodies.pair import EQUATIONS
from ...text import bibtex, declares, falls, keeps, loses
from ..core import Bodies, method
from .runge_kutta import State, find_gravity, rates, start, view


@method(
    key="LGM",
    name="Crouch–Grossman of order two",
    short="Crouch–Grossman 2",
    aliases=("Crouch-Grossman 2",),
    family="Runge–Kutta on the group",
    equations=EQUATIONS
    + r""" \\
        R_m = \exp\left(\tfrac h2 (\Omega - \Omega_2)_n\right) R_n, \quad
        R_{2,m} = R_{2,n} \exp\left(\tfrac h2 \Omega_{2,n}\right) \\
        R_{n+1} = \exp\left(h (\Omega - \Omega_2)_m\right) R_n, \quad
        R_{2,n+1} = R_{2,n} \exp\left(h\, \Omega_{2,m}\right), \quad \text{the rest by midpoint}""",
    reference=bibtex("LeeLeokMcClamroch2007a", "CrouchGrossman1993"),
    start=start,
    view=view,
    order=(2, 2),
    torque_evaluations=2,
    conserves={"orthogonality": "always"},
    evidence=(
        keeps(orthogonality="always"),
        loses("energy", "linear_momentum", "angular_momentum"),
        falls(("DB4",), steps=15_000),
        keeps(orthogonality="always"),
        (declares(reversible=False), falls(("DB4",), steps=15_000)),
        loses("angular_momentum"),
        loses("linear_momentum"),
    ),
)
def step(bodies: Bodies, t: float, h: float, y: Relative, g: Gravity) -> State:
    """The paper's Lie group method: the attitudes [stay rotations], but [energy and momenta are not
    conserved], and in DB4 energy [drifts].

    - Its stages turn the attitudes by exponentials, so R₁ and R₂ [stay rotations] to roundoff.
    - It follows from no variational principle and is not symmetric in time. Where the bodies tumble
      fast, as in DB4, energy [changes in one direction], and angular momentum is [not conserved].
    - The velocity of body 1 follows from V in the turning frame of body 2. [The stages do not
      conserve such a product: linear momentum is off as well].
    """
    middle = move(y, h / 2, rates(bodies, y, g), y)
    y = move(y, h, rates(bodies, middle, find_gravity(bodies, middle)), middle)
    return y, find_gravity(bodies, y)


def move(y: Relative, h: float, rate: Relative, turning: Relative) -> Relative:
    """y + h rate, except for the attitudes, which turn for h with the angular velocities of another
    state.
    """
    z = y + h * rate
    R = exp(h * (turning.Omega - turning.Omega2)) @ y.R
    return relative(z.X, z.V, R, z.Omega, z.Omega2, z.x2, z.v2, y.R2 @ exp(h * turning.Omega2))
