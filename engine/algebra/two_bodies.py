"""Values for methods of two bodies: their attraction and their relative state."""

from __future__ import annotations

from typing import Any

from .values import Mat3, Summed, Value, Vec3, Zero3


class Gravity(Value):
    """The attraction of two bodies in the second body's frame (with Lee, Leok and McClamroch's
    names).

    U_X : Vec3, ∂U/∂X, the force on the second body.
    M : Vec3, Σ r × ∂U/∂r over the columns of R: −M turns the first body, X × U_X + M the second.
    U : the potential energy.
    near : the square of the least distance between a mass of the one and a mass of the other.
    """

    __slots__ = ("U", "force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z", "near")
    U: float
    force_x: float
    force_y: float
    force_z: float
    moment_x: float
    moment_y: float
    moment_z: float
    near: float

    def __repr__(self) -> str:
        return f"Gravity(U={self.U!r}, U_X={self.U_X!r}, M={self.M!r}, near={self.near!r})"

    @property
    def U_X(self) -> Vec3:
        """∂U/∂X."""
        return Vec3(self.force_x, self.force_y, self.force_z)

    @property
    def M(self) -> Vec3:
        """The moment M."""
        return Vec3(self.moment_x, self.moment_y, self.moment_z)


def gravity(U: float, U_X: Vec3 | Zero3, M: Vec3 | Zero3, near: float) -> Gravity:
    """Put together from its parts."""
    return Gravity(U, U_X.x, U_X.y, U_X.z, M.x, M.y, M.z, near)


PARTS = (("X", 3), ("V", 3), ("R", 9), ("Omega", 3), ("Omega2", 3), ("x2", 3), ("v2", 3), ("R2", 9))


def _vector_at(start: int) -> Any:
    def vector(state: Relative) -> Vec3:
        return Vec3(*list(state)[start : start + 3])

    return property(vector)


def _matrix_at(start: int) -> Any:
    def matrix(state: Relative) -> Mat3:
        return Mat3(*list(state)[start : start + 9])

    return property(matrix)


class Relative(Summed):
    """Two bodies seen from the second one's frame, or how fast that changes: 36 numbers that can be
    summed up.

    X, V : Vec3, R2ᵀ(x1 − x2) and R2ᵀ(v1 − v2).
    R, Omega : Mat3 and Vec3, R2ᵀR1 and R Ω1.
    Omega2, x2, v2, R2 : those of the second body: Ω2 in its frame, position and velocity in space,
        attitude.
    """

    __slots__ = tuple(f"{name}_{i}" for name, n in PARTS for i in range(n))

    X: Vec3 = _vector_at(0)
    V: Vec3 = _vector_at(3)
    R: Mat3 = _matrix_at(6)
    Omega: Vec3 = _vector_at(15)
    Omega2: Vec3 = _vector_at(18)
    x2: Vec3 = _vector_at(21)
    v2: Vec3 = _vector_at(24)
    R2: Mat3 = _matrix_at(27)

    @property
    def square(self) -> float:
        """The sum of the squares of the components."""
        total = 0.0
        for component in self:
            total = component * component + total
        return total


Vector = Vec3 | Zero3


def relative(
    X: Vector, V: Vector, R: Mat3, Omega: Vector, Omega2: Vector, x2: Vector, v2: Vector, R2: Mat3
) -> Relative:
    """Put together from its parts."""
    X, V, Omega, Omega2, x2, v2 = (Vec3(v.x, v.y, v.z) for v in (X, V, Omega, Omega2, x2, v2))
    return Relative(*X, *V, *R, *Omega, *Omega2, *x2, *v2, *R2)
