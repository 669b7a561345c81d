"""Two bodies as a step function sees them: their masses and inertia, and how they attract each other.

`Bodies` is the plain Python form. `compiled.py` gives the compiler a structure with the same attributes.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Diag3, Gravity, Mat3, Vec3
from ..field import Attraction
from .layout import (
    NEWTON_ITERATIONS,
    NO_SOLUTION,
    NOT_FOUND,
    PAIR_INERTIA,
    PAIR_MASSES,
    PARAMETERS,
    TORQUE_EVALUATIONS,
    UNSOLVED,
)


class Bodies:
    """Two rigid bodies, each in principal axes about its centre of mass, that attract each other.

    Attributes
    ----------
    m1, m2, m : their masses, and the reduced mass m1 m2/(m1 + m2).
    J1, J2, J1inv, J2inv : Diag3, principal inertia and its inverse.
    """

    __slots__ = ("J1", "J1inv", "J2", "J2inv", "attraction", "ledger", "m", "m1", "m2", "p")

    def __init__(self, parameters: Any, ledger: Any, attraction: Attraction) -> None:
        self.m1, self.m2 = (float(mass) for mass in parameters[PAIR_MASSES : PAIR_MASSES + 2])
        self.m = self.m1 * self.m2 / (self.m1 + self.m2)
        self.J1, self.J2 = (Diag3(*map(float, parameters[at : at + 3])) for at in (PAIR_INERTIA, PAIR_INERTIA + 3))
        self.J1inv, self.J2inv = self.J1.inv, self.J2.inv
        self.attraction, self.p, self.ledger = attraction, parameters[PARAMETERS:], ledger

    def gravity(self, X: Vec3, R: Mat3) -> Gravity:
        """Force, moment and potential where X and R are the place and the attitude of body 1, seen from body 2."""
        self.ledger[TORQUE_EVALUATIONS] += 1
        return self.attraction.gravity(X, R, self.p)

    def count_newton(self, iterations: int) -> None:
        """Note what an implicit step cost."""
        self.ledger[NEWTON_ITERATIONS] += iterations

    def not_found(self) -> None:
        """Note that no solution of this step was found; the method then returns nan."""
        self.ledger[UNSOLVED] = NOT_FOUND

    def no_solution(self) -> None:
        """Note that this step is known to have no solution; the method then returns nan."""
        self.ledger[UNSOLVED] = NO_SOLUTION
