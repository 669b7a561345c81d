"""Two bodies as a step sees them: masses, inertia and gravity; and their observed quantities."""

from __future__ import annotations

from typing import Any

from ..algebra import Diag3, Gravity, Mat3, Vec3, angle, cross, dot
from ..algebra.rarely_called import rarely_called
from ..compiler.lanes import Lanes
from ..problems.field import Attraction
from . import layout
from .ledger import Moved
from .memory import matrix_at, vector_at, write_values
from .one_body import skew_of_axes
from .system import System

AT_R1 = layout.TWO_BODIES.at["R1"]
AT_R2 = layout.TWO_BODIES.at["R2"]
READ = tuple(
    (matrix_at if name.startswith("R") else vector_at, at)
    for name, at in layout.TWO_BODIES.at.items()
)
"""How to read each part of a state, and where it begins."""


class Bodies(Moved):
    """Two rigid bodies that attract each other, each in principal axes about its centre of mass.

    Attributes
    ----------
    m1, m2, m : their masses, and the reduced mass m1 m2/(m1 + m2).
    J1, J2, J1inv, J2inv : Diag3, principal inertia and its inverse.
    """

    __slots__ = ("J1", "J1inv", "J2", "J2inv", "attraction", "end", "ledger", "m", "m1", "m2", "p")

    def __init__(self, parameters: Any, ledger: Any, attraction: Attraction) -> None:
        self.m1, self.m2 = (
            float(mass) for mass in parameters[layout.PAIR_MASSES : layout.PAIR_MASSES + 2]
        )
        self.m = self.m1 * self.m2 / (self.m1 + self.m2)
        self.J1, self.J2 = (
            Diag3(*map(float, parameters[at : at + 3]))
            for at in (layout.PAIR_INERTIA, layout.PAIR_INERTIA + 3)
        )
        self.J1inv = self.J1.inv
        self.J2inv = self.J2.inv
        self.attraction = attraction
        self.end = float(parameters[layout.STOPS])
        self.p = parameters[layout.PARAMETERS :]
        self.ledger = ledger

    def gravity(self, X: Vec3, R: Mat3) -> Gravity:
        """Force, moment and potential where X and R are the place and the attitude of body 1, seen
        from body 2.
        """
        self.ledger[layout.TORQUE_EVALUATIONS] += 1
        return self.attraction.gravity(X, R, self.p)

    def observe_gravity(self, X: Vec3, R: Mat3) -> Gravity:
        """The same for a view of a state, which is not counted."""
        return self.attraction.gravity(X, R, self.p)

    def separate(self, x: Vec3, axis1: Vec3, axis2: Vec3) -> tuple[Lanes, Lanes]:
        """The distances of the pairs of masses; see `MassPairs`."""
        assert self.attraction.pairs is not None
        return self.attraction.pairs.separate(x, axis1, axis2, self.p)

    def sum_pulls(self, xy: Lanes, zz: Lanes) -> tuple[Vec3, Vec3, Vec3]:
        """The force on body 1, and the parts of it that turn each body at its first axis."""
        assert self.attraction.pairs is not None
        return self.attraction.pairs.sum_pulls(xy, zz, self.p)

    def count_series(self) -> None:
        """Count a series of the gravity."""
        self.ledger[layout.TORQUE_EVALUATIONS] += 1

    def next_stop(self, t: float) -> tuple[float, float]:
        """The end of the run, twice: gravity has no jumps."""
        return self.end, self.end


# ----------------------------------------------------------------- what is given and observed


def read_pair(memory: Any, at: int) -> tuple[Any, ...]:
    """Read R1, R2, Ω1, Ω2, x1, x2, v1 and v2: attitudes and positions in space, angular velocities
    in the bodies.
    """
    return tuple([read(memory, at + place) for read, place in READ])


def both_attitudes(shown: tuple[Any, ...]) -> tuple[Mat3, Mat3]:
    """Return R1 and R2 of a view, which also has the gravity."""
    return shown[0], shown[1]


def observe_pair(bodies: Any, t: float, shown: tuple[Any, ...]) -> tuple[float, ...]:
    """Return energy, linear and angular momentum, ‖RᵀR − 1‖² of both, and the square of the
    smallest distance.

    Values that are not finite make the energy not finite, which the kernel checks.
    """
    R1, R2, Omega1, Omega2, x1, x2, v1, v2, g = shown
    Pi1, Pi2 = bodies.J1 @ Omega1, bodies.J2 @ Omega2
    p1, p2 = bodies.m1 * v1, bodies.m2 * v2
    p = p1 + p2
    L = cross(x1, p1) + cross(x2, p2) + R1 @ Pi1 + R2 @ Pi2
    energy = 0.5 * (dot(p1, v1) + dot(p2, v2) + dot(Pi1, Omega1) + dot(Pi2, Omega2)) + g.U
    return energy, p.x, p.y, p.z, L.x, L.y, L.z, skew_of_axes(R1), skew_of_axes(R2), g.near


@rarely_called
def put_pair_row(
    rows: Any, at: int, before: Any, shown: tuple[Any, ...], seen: tuple[float, ...]
) -> None:
    """Write one row; `before` holds both attitudes before the step, from which the increments are
    taken.
    """
    R1, R2, Omega1, Omega2, x1, x2, v1, v2, _ = shown
    increment1, increment2 = (
        angle(matrix_at(before, AT_R1).T @ R1),
        angle(matrix_at(before, AT_R2).T @ R2),
    )
    write_values(rows, at, (R1, R2, Omega1, Omega2, x1, x2, v1, v2, increment1, increment2, *seen))


SYSTEM = System(Bodies, read_pair, both_attitudes, observe_pair, put_pair_row, layout.TWO_BODIES)
"""Two bodies that attract each other."""
