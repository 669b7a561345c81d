"""Rigid bodies as gravity sees them: point masses that keep their places."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import cbrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...parameters.parameter import Number, Whole
from ...parameters.validation import (
    LARGEST,
    ROUNDOFF,
    Array,
    check_positive,
    check_reals,
)
from ...text.formatting import show
from ..mass_properties import check_inertia, count_windings, from_mesh, principal_axes

MOST_MASSES = 4000
"""The largest number for one body; the time of a step grows with the product of both bodies'
numbers.
"""


@dataclass(frozen=True, eq=False)
class Masses:
    """A rigid body of point masses, in axes of its own whose origin is the centre of mass.

    Parameters
    ----------
    masses : (n,) positive.
    positions : (n, 3) lengths; they are shifted to the centre of mass.
    J : inertia about it, 3×3 or three principal values (mass·length²); that of the point masses if
        it is not given, which then must not all lie on a line. A dumbbell's spheres have some of
        their own.
    radius : of a sphere about each mass, a length: two bodies whose spheres overlap would have met.
    """

    masses: Any
    positions: Any
    J: Any = None
    radius: float = 0.0

    def __post_init__(self) -> None:
        masses = check_reals(self.masses, "the masses must be positive numbers")
        places = check_reals(
            self.positions, "the positions of the masses must be rows of three numbers"
        )
        if (
            masses.ndim != 1
            or not 1 <= len(masses) <= MOST_MASSES
            or places.shape != (len(masses), 3)
        ):
            raise ValueError(
                f"a body has 1 to {MOST_MASSES} masses and as many positions, rows of three; "
                f"got shapes {masses.shape} and {places.shape}"
            )
        if not (np.isfinite(masses).all() and (masses > 0).all() and np.isfinite(places).all()):
            raise ValueError("the masses must be positive and finite, and their positions finite")
        centre = masses @ places / masses.sum()
        if (
            np.abs(centre).max() > ROUNDOFF * np.abs(places).max()
        ):  # else a body that was saved would creep
            places = places - centre
        second = (places.T * masses) @ places
        J = np.trace(second) * np.eye(3) - second if self.J is None else self.J
        try:
            J = check_inertia(J)
        except ValueError as error:
            on_a_line = "; the masses lie on a line, so say what J is" if self.J is None else ""
            raise ValueError(f"{error}{on_a_line}") from None
        for name, value in (("masses", masses), ("positions", places), ("J", J)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "radius", Number(0.0, LARGEST).check(self.radius, "radius"))

    def __repr__(self) -> str:
        return f"<body of {len(self.masses)} point masses, {show(self.mass)} in all>"

    @property
    def mass(self) -> float:
        """The total mass."""
        return float(self.masses.sum())

    @property
    def Jd(self) -> Array:
        """(3, 3) the nonstandard inertia ∫ρρᵀ dm = tr(J)/2 − J."""
        return 0.5 * np.trace(self.J) * np.eye(3) - self.J

    @functools.cached_property
    def principal(self) -> tuple[Array, Array]:
        """Principal moments, and the principal axes as the columns of a rotation; the identity for
        a diagonal J.
        """
        return principal_axes(self.J)

    @functools.cached_property
    def in_principal_axes(self) -> Array:
        """(n, 3) the positions, seen from the principal axes."""
        return self.positions @ self.principal[1]

    @property
    def half_length(self) -> float | None:
        """Half of the distance of a dumbbell's two equal masses on its first axis; None of any
        other body.
        """
        places = self.in_principal_axes
        if len(places) != 2 or self.masses[0] != self.masses[1]:
            return None
        size = float(np.abs(places).max())
        along = bool((np.abs(places[:, 1:]) <= ROUNDOFF * size).all())
        return abs(float(places[0, 0])) if along else None

    def to_json(self) -> dict[str, Any]:
        """The body as JSON."""
        return {
            "masses": self.masses.tolist(),
            "positions": self.positions.tolist(),
            "J": self.J.tolist(),
            "radius": self.radius,
        }


def as_masses(given: Masses | Mapping[str, Any]) -> Masses:
    """A body, given as one or by its masses and positions."""
    if isinstance(given, Masses):
        return given
    if isinstance(given, Mapping):
        return Masses(**given)
    raise ValueError(f"a body is an engine.twobody.Masses; got {type(given).__name__}")


SPHERE = 0.1
"""Radius of a dumbbell's spheres, over its length: such ones give the inertia of Lee's dumbbells to
two digits.
"""


def dumbbell(mass: float, length: float, J: ArrayLike | None = None) -> Masses:
    """Two equal spheres on a massless rod along the first axis.

    mass : of both. length : from centre to centre. J : the inertia, if not that of spheres of
        radius length/10.
    """
    m = check_positive(mass, "mass")
    length = check_positive(length, "length")
    own = 0.4 * m * (SPHERE * length) ** 2
    J = (own, own + m * length**2 / 4, own + m * length**2 / 4) if J is None else J
    ends = [(length / 2, 0.0, 0.0), (-length / 2, 0.0, 0.0)]
    return Masses((m / 2, m / 2), ends, J, SPHERE * length)


def fill(mesh: str | os.PathLike[str] | Any, mass: float, count: int = 200) -> Masses:
    """About `count` equal masses on a lattice inside a closed surface, with the inertia of the
    uniform solid.

    mesh : anything that `engine.body.from_mesh` takes. mass : of the whole.
    """
    solid = from_mesh(mesh, density=1.0)
    mass = check_positive(mass, "mass")
    count = Whole(1, MOST_MASSES // 2).check(count, "count")
    assert solid.mesh is not None
    corners = solid.mesh.vertices[solid.mesh.triangles]
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    cells = np.maximum(1, np.round((high - low) / cbrt(solid.mass / count))).astype(int)
    axes = [low[i] + (np.arange(n) + 0.5) * (high[i] - low[i]) / n for i, n in enumerate(cells)]
    lattice = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = lattice[[count_windings(point, corners) > 0.5 for point in lattice]]
    if len(inside) == 0:
        raise ValueError(
            f"no point of a lattice for {count} masses lies inside the surface; ask for more"
        )
    return Masses(np.full(len(inside), mass / len(inside)), inside, solid.J * (mass / solid.mass))
