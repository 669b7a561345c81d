"""Problems of two bodies: two rigid bodies, how they start, and the gravity between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from ...parameters.parameter import Attitude, Number, Parameter, Vector
from ...parameters.validation import LARGEST, SMALLEST, Array
from ..field import Attraction
from ..problem import FASTEST, TIMES, AnyProblem
from .attraction import DUMBBELLS, MASSES
from .masses import as_masses

BODIES = ("body1", "body2")

FORCES_ALIKE = 40
"""Pairs of point masses whose gravity takes about as long as a step of one body."""

EQUATIONS = r"""
    \dot V + \Omega_2 \times V = -\tfrac1m U_X, \quad \dot X + \Omega_2 \times X = V, \quad
    m = \frac{m_1 m_2}{m_1 + m_2} \\
    (J_R \Omega)^{\cdot} + \Omega_2 \times J_R \Omega = -M, \quad
    J_2 \dot\Omega_2 + \Omega_2 \times J_2 \Omega_2 = X \times U_X + M \\
    \dot R = \hat\Omega R - \hat\Omega_2 R, \quad \dot R_2 = R_2 \hat\Omega_2, \quad
    \dot x_2 = v_2, \quad m_2 \dot v_2 = R_2 U_X \\
    X = R_2^T (x_1 - x_2), \quad R = R_2^T R_1, \quad \Omega = R\,\Omega_1, \quad J_R = R J_1 R^T, \quad
    U = -\sum \frac{G m_p m_q}{|X + R \rho_p - \rho_q|}"""


def place_bodies(
    shares: tuple[float, float], X: Any, V: Any, drift: Any
) -> tuple[Any, Any, Any, Any]:
    """x1, x2, v1 and v2 about the common centre of mass, from the place and velocity of body 1
    relative to body 2.
    """
    share1, share2 = shares
    return share1 * X, -(share2 * X), drift + share1 * V, drift - share2 * V


@dataclass(frozen=True, eq=False, repr=False)
class TwoBodies(AnyProblem):
    """Two rigid bodies under their mutual gravity, alone in space.

    Parameters
    ----------
    body1, body2 : what they are made of (`engine.twobody.dumbbell`, `fill`, or your own `Masses`).
    G : the constant of gravity.
    X, V : place and velocity of body 1 relative to body 2, in space at the start.
    R1, R2 : initial attitudes, body to space: 3×3, a rotation vector in radians, or a quaternion
        (w, x, y, z).
    Omega1, Omega2 : initial angular velocities, each in its body's frame.
    drift : velocity of the centre of mass, which starts at the origin; at rest by default.
    """

    space: ClassVar[str] = "se3"
    common: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "Omega1",
            Vector(FASTEST),
            "initial angular velocity of body 1, in its frame",
            unit="rad/time",
            label="Angular velocity Ω₁",
        ),
        Parameter(
            "Omega2",
            Vector(FASTEST),
            "initial angular velocity of body 2, in its frame",
            unit="rad/time",
            label="Angular velocity Ω₂",
        ),
        Parameter(
            "X",
            Vector(FASTEST),
            "place of body 1, from body 2, in space",
            unit="length",
            label="Place of body 1, from body 2",
        ),
        Parameter(
            "V",
            Vector(FASTEST),
            "velocity of body 1 less that of body 2, in space",
            unit="length/time",
            label="Velocity of body 1, from body 2",
        ),
        Parameter(
            "R1",
            Attitude(),
            "initial attitude of body 1: 3×3, rotation vector (rad) or quaternion (w, x, y, z)",
            label="Attitude R₁, a rotation vector",
        ),
        Parameter(
            "R2",
            Attitude(),
            "initial attitude of body 2",
            label="Attitude R₂, a rotation vector",
        ),
        Parameter(
            "G",
            Number(SMALLEST, LARGEST),
            "the constant of gravity",
            unit="length³/(mass·time²)",
            label="Constant of gravity G",
        ),
        Parameter(
            "drift",
            Vector(FASTEST),
            "velocity of the centre of mass of both",
            unit="length/time",
            label="Velocity of the centre of mass",
        ),
        *TIMES,
    )
    body1: Any = None
    body2: Any = None
    G: Any = 1.0
    X: Any = (1.0, 0.0, 0.0)
    V: Any = (0.0, 1.0, 0.0)
    R1: Any = (0.0, 0.0, 0.0)
    R2: Any = (0.0, 0.0, 0.0)
    Omega1: Any = (0.0, 0.0, 0.0)
    Omega2: Any = (0.0, 0.0, 0.0)
    drift: Any = (0.0, 0.0, 0.0)
    _: KW_ONLY
    dt: float = 0.002
    duration: float = 30.0
    key: str = "two-bodies"
    name: str = "Your own two bodies"
    equations: str = EQUATIONS
    invariants: tuple[str, ...] = ("energy", "linear_momentum", "angular_momentum")
    settle: Callable[..., dict[str, Any]] | None = None
    """(problem, changed values) → what follows from them for the bodies and the start."""

    def __post_init__(self) -> None:
        for name in BODIES:
            self._set(name, as_masses(getattr(self, name)))
        self._check(*self.common)
        if not self.nearest() > 0.0:
            raise ValueError(
                "at the start a mass of one body lies on a mass of the other; give another X"
            )

    def nearest(self) -> float:
        """The least distance between a mass of one body and one of the other, at the start."""
        first = self.X + self.body1.positions @ self.R1.T
        second = self.body2.positions @ self.R2.T
        return float(min(np.linalg.norm(second - place, axis=1).min() for place in first))

    @property
    def contact(self) -> float:
        """The distance between two masses at which the bodies touch, 0 if they have no size."""
        return float(self.body1.radius + self.body2.radius)

    @property
    def attraction(self) -> Attraction:
        """The kind of gravity, in closed form where that is known."""
        both = self.body1.half_length is not None and self.body2.half_length is not None
        return DUMBBELLS if both else MASSES

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The gravity."""
        return (self.attraction.gravity,)

    @property
    def force_effort(self) -> float:
        """The time of one evaluation of gravity, in steps of one body; 1 at least."""
        return max(1.0, len(self.body1.masses) * len(self.body2.masses) / FORCES_ALIKE)

    @property
    def strength(self) -> float:
        """The first of the gravity's numbers, for G = 1."""
        return float(self.body1.mass * self.body2.mass / 4) if self.attraction is DUMBBELLS else 1.0

    @property
    def numbers(self) -> Array:
        """The numbers of the gravity, as its function takes them."""
        if self.attraction is DUMBBELLS:
            return np.array(
                [self.G * self.strength, self.body1.half_length, self.body2.half_length]
            )
        rows = [
            np.column_stack([b.masses, b.in_principal_axes]).ravel()
            for b in (self.body1, self.body2)
        ]
        return np.concatenate([[self.G, len(self.body1.masses), len(self.body2.masses)], *rows])

    @property
    def shares(self) -> tuple[float, float]:
        """The distance of each body from the common centre of mass, as a part of the distance
        between the bodies.
        """
        m1, m2 = self.body1.mass, self.body2.mass
        return float(m2 / (m1 + m2)), float(m1 / (m1 + m2))

    @property
    def start(self) -> tuple[Array, Array, Array, Array]:
        """x1, x2, v1 and v2 in space, at the start."""
        x1, x2, v1, v2 = place_bodies(self.shares, self.X, self.V, self.drift)
        return x1, x2, v1, v2

    def falling_time(self, distance: float) -> float:
        """The time scale of a close approach, (d³/G(m1 + m2))^½; a step must be well below it."""
        return sqrt(distance**3 / (self.G * (self.body1.mass + self.body2.mass)))

    @property
    def extra_names(self) -> tuple[str, ...]:
        """What `replace` takes besides parameters."""
        return (*BODIES, "name")

    def replace(self, /, **changes: Any) -> TwoBodies:
        """A changed copy; `ValueError` with the reason for what does not exist or is unphysical."""
        given, rest = self._split_changes(changes)
        settled = self.settle(self, given) if self.settle is not None and given else {}
        values = dict(self.values) | given | settled.pop("values", {})
        return dataclasses.replace(self, **(settled | rest), values=values)

    def to_json(self) -> dict[str, Any]:
        """The problem as JSON."""
        return (
            {"space": self.space}
            | super().to_json()
            | {name: getattr(self, name).to_json() for name in BODIES}
        )

    def from_json(self, data: Mapping[str, Any]) -> TwoBodies:
        """The problem of this key that `to_json` has written."""
        names = ("name", *BODIES, *(p.name for p in self.common))
        return dataclasses.replace(
            self, **{name: data[name] for name in names}, values=data["values"]
        )
