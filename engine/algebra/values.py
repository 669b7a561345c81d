"""Small values: vectors, matrices and turns about an axis.

Every operator is straight-line arithmetic on the components. In plain Python the components are
floats. The compiler runs these same methods once on symbols and records their arithmetic (see
`engine.compiler.frontend.symbols`), so each is defined once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self, overload


class Value:
    """A value with components, which its slots name in order."""

    __slots__: tuple[str, ...] = ()

    def __init__(self, *components: float) -> None:
        for name, component in zip(self.__slots__, components, strict=True):
            setattr(self, name, component)

    def __iter__(self) -> Iterator[float]:
        return iter([getattr(self, name) for name in self.__slots__])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self))})"


class Scaled(Value):
    """A value that a number multiplies, component by component."""

    __slots__ = ()

    def __mul__(self, factor: float) -> Self:
        if isinstance(factor, Value):
            return NotImplemented
        return type(self)(*[a * factor for a in self])

    __rmul__ = __mul__


class Summed(Scaled):
    """A value that is also added and subtracted component by component."""

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(*[a + b for a, b in zip(self, other, strict=True)])

    def __sub__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(*[a - b for a, b in zip(self, other, strict=True)])


class Vec3(Value):
    """A vector of three components."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: float, y: float, z: float) -> None:
        self.x, self.y, self.z = x, y, z

    def __add__(self, other: Vec3 | Zero3) -> Vec3:
        if type(other) is Zero3:
            return self
        if type(other) is not Vec3:
            return NotImplemented
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3 | Zero3) -> Vec3:
        if type(other) is Zero3:
            return self
        if type(other) is not Vec3:
            return NotImplemented
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, factor: float) -> Vec3:
        if isinstance(factor, Value):
            return NotImplemented
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Vec3:
        if isinstance(divisor, Value):
            return NotImplemented
        return Vec3(self.x / divisor, self.y / divisor, self.z / divisor)


class Vec4(Summed):
    """A vector of four components, of which three belong together."""

    __slots__ = ("x", "y", "z", "w")  # noqa: RUF023 - the order of the components

    def __init__(self, x: float, y: float, z: float, w: float) -> None:
        self.x, self.y, self.z, self.w = x, y, z, w

    @property
    def xyz(self) -> Vec3:
        """The first three."""
        return Vec3(self.x, self.y, self.z)

    @property
    def square(self) -> float:
        """The square of the length."""
        return self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w


class Mat3(Scaled):
    """A 3×3 matrix; its entries are named by row and column, so `zx` stands in row 3, column 1."""

    __slots__ = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")

    def __init__(
        self,
        xx: float,
        xy: float,
        xz: float,
        yx: float,
        yy: float,
        yz: float,
        zx: float,
        zy: float,
        zz: float,
    ) -> None:
        self.xx, self.xy, self.xz = xx, xy, xz
        self.yx, self.yy, self.yz = yx, yy, yz
        self.zx, self.zy, self.zz = zx, zy, zz

    @property
    def T(self) -> Mat3:
        """The transpose."""
        return Mat3(self.xx, self.yx, self.zx, self.xy, self.yy, self.zy, self.xz, self.yz, self.zz)

    def __add__(self, other: Mat3 | Diag3 | Zero3) -> Mat3:
        if type(other) is Zero3:
            return self
        if type(other) is Diag3:
            return other + self
        if type(other) is not Mat3:
            return NotImplemented
        return Mat3(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: Mat3 | Zero3) -> Mat3:
        if type(other) is Zero3:
            return self
        if type(other) is not Mat3:
            return NotImplemented
        return Mat3(*(a - b for a, b in zip(self, other, strict=True)))

    def __neg__(self) -> Mat3:
        return Mat3(*(-a for a in self))

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3 | Diag3 | AxisRot) -> Mat3: ...
    @overload
    def __matmul__(self, other: Zero3) -> Zero3: ...
    def __matmul__(self, other: Any) -> Any:
        if type(other) is Vec3:
            v = other
            return Vec3(
                self.xx * v.x + self.xy * v.y + self.xz * v.z,
                self.yx * v.x + self.yy * v.y + self.yz * v.z,
                self.zx * v.x + self.zy * v.y + self.zz * v.z,
            )
        if type(other) is Mat3:
            a = self @ Vec3(other.xx, other.yx, other.zx)
            b = self @ Vec3(other.xy, other.yy, other.zy)
            c = self @ Vec3(other.xz, other.yz, other.zz)
            return Mat3(a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z)
        if type(other) is Diag3:
            d = other
            return Mat3(
                self.xx * d.x, self.xy * d.y, self.xz * d.z,
                self.yx * d.x, self.yy * d.y, self.yz * d.z,
                self.zx * d.x, self.zy * d.y, self.zz * d.z,
            )  # fmt: skip
        if type(other) is Zero3:
            return other
        if isinstance(other, AxisRot):
            rows = (
                Vec3(self.xx, self.xy, self.xz),
                Vec3(self.yx, self.yy, self.yz),
                Vec3(self.zx, self.zy, self.zz),
            )
            return Mat3(*(entry for row in rows for entry in other.T @ row))
        return NotImplemented


class Diag3(Scaled):
    """A diagonal 3×3 matrix: the inertia in principal axes, and its inverse."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: float, y: float, z: float) -> None:
        self.x, self.y, self.z = x, y, z

    @property
    def inv(self) -> Diag3:
        """The inverse."""
        return Diag3(1.0 / self.x, 1.0 / self.y, 1.0 / self.z)

    def __add__(self, other: Mat3 | Zero3) -> Mat3:
        if type(other) not in (Mat3, Zero3):
            return NotImplemented
        m = other if isinstance(other, Mat3) else Mat3(*[0.0] * 9)
        return Mat3(m.xx + self.x, m.xy, m.xz, m.yx, m.yy + self.y, m.yz, m.zx, m.zy, m.zz + self.z)

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...
    @overload
    def __matmul__(self, other: Zero3) -> Zero3: ...
    def __matmul__(self, other: Any) -> Any:
        if type(other) is Vec3:
            return Vec3(self.x * other.x, self.y * other.y, self.z * other.z)
        if type(other) is Mat3:
            m = other
            return Mat3(
                self.x * m.xx, self.x * m.xy, self.x * m.xz,
                self.y * m.yx, self.y * m.yy, self.y * m.yz,
                self.z * m.zx, self.z * m.zy, self.z * m.zz,
            )  # fmt: skip
        if type(other) is Zero3:
            return other
        return NotImplemented


class AxisRot(Value):
    """A turn about one coordinate axis, with cosine `c` and sine `s`: cheaper than a full matrix.

    The axis is the type (`TurnX`, `TurnY`, `TurnZ`), so that compiled code has no branch on it.
    """

    __slots__ = ("c", "s")

    def __init__(self, c: float, s: float) -> None:
        self.c, self.s = c, s

    def __iter__(self) -> Iterator[float]:
        return iter((self.c, self.s))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(c={self.c!r}, s={self.s!r})"

    @property
    def T(self) -> Self:
        """The opposite turn."""
        return type(self)(self.c, -self.s)

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Zero3) -> Zero3: ...
    def __matmul__(self, other: Any) -> Any:
        if type(other) is Zero3:
            return other
        return self._turned(other) if type(other) is Vec3 else NotImplemented

    def _turned(self, v: Vec3) -> Vec3:
        """The vector turned; each axis has its own."""
        raise NotImplementedError


class TurnX(AxisRot):
    """A turn about the first axis."""

    __slots__ = ()

    def _turned(self, v: Vec3) -> Vec3:
        return Vec3(v.x, self.c * v.y - self.s * v.z, self.s * v.y + self.c * v.z)


class TurnY(AxisRot):
    """A turn about the second axis."""

    __slots__ = ()

    def _turned(self, v: Vec3) -> Vec3:
        return Vec3(self.s * v.z + self.c * v.x, v.y, self.c * v.z - self.s * v.x)


class TurnZ(AxisRot):
    """A turn about the third axis."""

    __slots__ = ()

    def _turned(self, v: Vec3) -> Vec3:
        return Vec3(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y, v.z)


class Zero3(Value):
    """Zero as a type: the torque of a free body, and that torque's derivative.

    Every term with it vanishes while compiling, so that a free body does not pay for a torque. It
    stands wherever a torque (a vector) or its derivative (a matrix) may, so that one text of a
    method serves both kinds of body: in place of a vector it is taken by every operator and
    function here.
    """

    __slots__ = ()

    @property
    def T(self) -> Zero3:
        """The transpose."""
        return self

    x = y = z = 0.0
    """The components of the vector."""

    @overload
    def __add__(self, other: Zero3) -> Zero3: ...
    @overload
    def __add__(self, other: Vec3) -> Vec3: ...
    @overload
    def __add__(self, other: Mat3 | Diag3) -> Mat3: ...
    def __add__(self, other: Any) -> Any:
        if type(other) is Diag3:
            return other + self
        return other if type(other) in (Vec3, Mat3, Zero3) else NotImplemented

    @overload
    def __sub__(self, other: Zero3) -> Zero3: ...
    @overload
    def __sub__(self, other: Vec3) -> Vec3: ...
    @overload
    def __sub__(self, other: Mat3) -> Mat3: ...
    def __sub__(self, other: Any) -> Any:
        return -other if type(other) in (Vec3, Mat3, Zero3) else NotImplemented

    def __neg__(self) -> Zero3:
        return self

    def __mul__(self, factor: float) -> Zero3:
        return NotImplemented if isinstance(factor, Value) else self

    __rmul__ = __mul__
    __truediv__ = __mul__

    def __matmul__(self, other: Vec3 | Mat3 | Diag3 | AxisRot | Zero3) -> Zero3:
        return self if isinstance(other, Vec3 | Mat3 | Diag3 | AxisRot | Zero3) else NotImplemented


class Quat(Summed):
    """A quaternion (w, x, y, z), scalar part first; of unit length where it stands for an
    attitude.
    """

    __slots__ = ("w", "x", "y", "z")

    def __init__(self, w: float, x: float, y: float, z: float) -> None:
        self.w, self.x, self.y, self.z = w, x, y, z

    @overload
    def __matmul__(self, other: Quat) -> Quat: ...
    @overload
    def __matmul__(self, other: Vec3 | Zero3) -> Quat: ...
    def __matmul__(self, other: Any) -> Quat:
        """Hamilton's product; a vector counts as the quaternion without a scalar part."""
        p, q = self, other
        if type(q) is Zero3:
            return Quat(0.0, 0.0, 0.0, 0.0)
        if type(q) is Vec3:
            return Quat(
                -p.x * q.x - p.y * q.y - p.z * q.z,
                p.w * q.x + p.y * q.z - p.z * q.y,
                p.w * q.y + p.z * q.x - p.x * q.z,
                p.w * q.z + p.x * q.y - p.y * q.x,
            )
        if type(q) is not Quat:
            return NotImplemented
        return Quat(
            p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
            p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
            p.w * q.y + p.y * q.w + p.z * q.x - p.x * q.z,
            p.w * q.z + p.z * q.w + p.x * q.y - p.y * q.x,
        )


TURNS = (TurnX, TurnY, TurnZ)


class BodyAxis:
    """One of the three body axes, as a type of its own, so that a method can be compiled for an
    order of axes.
    """

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __repr__(self) -> str:
        return f"e{self.index + 1}"

    def of(self, v: Vec3 | Diag3 | Zero3) -> float:
        """The component of `v` along this axis."""
        return (v.x, v.y, v.z)[self.index]

    def turn(self, c: float, s: float) -> AxisRot:
        """The turn about this axis whose cosine and sine are given."""
        return TURNS[self.index](c, s)


e1, e2, e3 = BodyAxis(0), BodyAxis(1), BodyAxis(2)


class Weights(tuple[float, ...]):
    """Constant weights of a sum, known while compiling: the terms of weight zero are not
    computed.
    """

    __slots__ = ()
