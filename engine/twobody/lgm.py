"""LGM: the method of Crouch and Grossman of order two, with the rotations by exponentials, all else by "
"midpoint."""

from __future__ import annotations

from typing import Any

from ..algebra import Gravity, Relative, exp, relative
from ..algorithms.crouch_grossman import CROUCH_GROSSMAN
from ..algorithms.method import method
from ..told import falls, keeps, loses, told
from .dumbbells import REFERENCE
from .problem import EQUATIONS
from .runge_kutta import State, rates, start, there, view


@method(
    key="LGM",
    name="Crouch–Grossman of order two",
    aliases=("Crouch-Grossman 2",),
    family="Runge–Kutta on the group",
    space="se3",
    summary=told(
        "The paper's Lie group method: the attitudes [stay rotations], but [energy and momenta are not kept], and "
        "in DB4 energy [drifts].",
        keeps(orthogonality="always"),
        loses("energy", "linear_momentum", "angular_momentum"),
        falls(("DB4",), steps=15_000),
    ),
    equations=EQUATIONS
    + r""" \\
        R_m = \exp\left(\tfrac h2 (\Omega - \Omega_2)_n\right) R_n, \quad
        R_{2,m} = R_{2,n} \exp\left(\tfrac h2 \Omega_{2,n}\right) \\
        R_{n+1} = \exp\left(h (\Omega - \Omega_2)_m\right) R_n, \quad
        R_{2,n+1} = R_{2,n} \exp\left(h\, \Omega_{2,m}\right), \quad \text{the rest by midpoint}""",
    reference=f"{REFERENCE}\n{CROUCH_GROSSMAN}",
    start=start,
    view=view,
    order=(2, 2),
    torque_evaluations=2,
    conserves={"orthogonality": "always"},
)
def step(bodies: Any, t: float, h: float, y: Relative, g: Gravity) -> State:
    """One step."""
    middle = moved(y, h / 2, rates(bodies, y, g), y)
    y = moved(y, h, rates(bodies, middle, there(bodies, middle)), middle)
    return y, there(bodies, y)


def moved(y: Relative, h: float, rate: Relative, turning: Relative) -> Relative:
    """y + h rate, but for the attitudes, which turn for h at the angular velocities of another state."""
    z = y + h * rate
    R = exp(h * (turning.Omega - turning.Omega2)) @ y.R
    return relative(z.X, z.V, R, z.Omega, z.Omega2, z.x2, z.v2, y.R2 @ exp(h * turning.Omega2))
