"""so(3) and SO(3): the exponential and Cayley maps, their inverses and their derivatives.

    exp(v)     = 1 + c₁ v̂ + c₂ v̂²         c₁ = sin θ/θ,  c₂ = (1 − cos θ)/θ²,  θ = |v|
    dexp(v)    = 1 + c₂ v̂ + c₃ v̂²         c₃ = (θ − sin θ)/θ³
    dexp⁻¹(v)  = 1 − ½ v̂ + c₄ v̂²          c₄ = (1 − (θ/2) cot(θ/2))/θ²
    cay(v)     = (1 − v̂/2)⁻¹ (1 + v̂/2)    the turn by 2 atan(θ/2), not by θ

All coefficients are functions of θ², hence even: a negative step takes the same branch as a
positive one, and exp(−v) is exactly exp(v)ᵀ. Up to a quarter turn they are polynomials in θ²,
without a square root, a division or a call.

The worst errors found against fifty digits, in ulp of 1 (2⁻⁵²), relative to the largest entry if
that exceeds 1:

                up to a quarter turn    beyond
    exp         2                       1.3 (1 + θ): θ itself is known to an ulp only
    dexp        1.1                     3.7
    dexp⁻¹      1.1                     1.9 (1 + θ/δ), with δ the distance to the nearest pole
    cay         1.4                     4.2

The poles of dexp⁻¹ are the whole turns. The bounds hold for 1e-300 < θ < 1e150; beyond that θ²
overflows, and nan or Python's ValueError comes out.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt
from typing import Any, TypeVar, overload

from .linear import cross, dot, hat, norm, outer
from .rarely_called import any_of, rarely_called
from .values import AxisRot, BodyAxis, Diag3, Mat3, Quat, Value, Vec3, Zero3

Vector = TypeVar("Vector", Vec3, Zero3)

QUARTER_TURN_SQUARED = 2.4674011002723395
"""(π/2)²: up to here the half angle lies within π/4, where the polynomials below hold."""


def sinc_near(z: float) -> float:
    """sin(x)/x for z = x², x ≤ π/4 (coefficients of fdlibm's sine; grouped by Estrin's scheme for
    speed).
    """
    w = z * z
    return 1.0 + z * (
        (-1.66666666666666324348e-01 + z * 8.33333333332248946124e-03)
        + w
        * (
            (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
            + w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
        )
    )


def cos_near(z: float) -> float:
    """cos(x) for z = x², x ≤ π/4 (coefficients of fdlibm's cosine)."""
    w = z * z
    return (1.0 - 0.5 * z) + w * (
        (4.16666666666666019037e-02 + z * -1.38888888888741095749e-03)
        + w
        * (
            (2.48015872894767294178e-05 + z * -2.75573143513906633035e-07)
            + w * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)
        )
    )


def cotangent_near(z: float) -> float:
    """(1 − x cot x)/(4x²) for z = 4x², x ≤ π/4: of degree nine by Chebyshev's polynomials, to 1.4
    ulp.
    """
    w = z * z
    return (
        (8.333333333333333e-02 + z * 1.3888888888888987e-03)
        + w * (3.3068783068652106e-05 + z * 8.267195773969477e-07)
        + (w * w)
        * (
            (2.0876755211854197e-08 + z * 5.284216820638776e-10)
            + w * (1.338010500030411e-11 + z * 3.4033111171261813e-13)
            + (w * w) * (8.129800680910335e-15 + z * 2.995339393676919e-16)
        )
    )


def bend_near(z: float) -> float:
    """(x − sin x)/x³ for z = x², x ≤ π/2: the series Σ (−1)ᵏ zᵏ/(2k+3)!."""
    w = z * z
    return (
        (1.0 / 6.0 - z * (1.0 / 120.0))
        + w * (1.0 / 5040.0 - z * (1.0 / 362880.0))
        + (w * w)
        * (
            (1.0 / 39916800.0 - z * (1.0 / 6227020800.0))
            + w * (1.0 / 1307674368000.0 - z * (1.0 / 355687428096000.0))
            + (w * w) * (1.0 / 121645100408832000.0 - z * (1.0 / 51090942171709440000.0))
        )
    )


@rarely_called
def sincos_far(x: float) -> tuple[float, float]:
    """sin x and cos x by the C library."""
    return sin(x), cos(x)


def sincos(x: float) -> tuple[float, float]:
    """sin x and cos x, to 0.8 ulp."""
    if abs(x) <= 0.785398163397448:
        z = x * x
        return x * sinc_near(z), cos_near(z)
    return sincos_far(x)


FAR = 1e5
"""Up to here a part of a quarter turn, times their number, has no more bits than a float."""
PER_QUARTER_TURN = 0.6366197723675814
QUARTER_TURN = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""π/2 in three parts, of which the first two have 33 bits (fdlibm)."""
ROUNDING = 6755399441055744.0
"""3·2⁵¹: after its addition and subtraction a number is whole."""


def sincos_anywhere(x: float) -> tuple[float, float]:
    """sin x and cos x, to 2.3 ulp: by the same operations for all x up to `FAR`, which bodies side by
    side make together.
    """
    turns = round_nearest(x * PER_QUARTER_TURN)
    first, second, third = QUARTER_TURN
    r = ((x - turns * first) - turns * second) - turns * third
    z = r * r
    near_sine = r * sinc_near(z)
    near_cosine = cos_near(z)
    turn = turns - 4.0 * round_nearest(0.25 * turns)
    odd = turn * turn == 1.0
    half = turn * turn == 4.0
    sine, cosine = (near_cosine, near_sine) if odd else (near_sine, near_cosine)
    sine = -sine if half | (turn == -1.0) else sine
    cosine = -cosine if half | (turn == 1.0) else cosine
    if any_of(abs(x) > FAR):
        far_sine, far_cosine = sincos_far(x)
        sine, cosine = (far_sine, far_cosine) if abs(x) > FAR else (sine, cosine)
    return sine, cosine


def round_nearest(x: float) -> float:
    """The nearest whole number, of numbers far below 2⁵¹."""
    return (x + ROUNDING) - ROUNDING


@rarely_called
def exp_coefficients_far(n2: float) -> tuple[float, float]:
    """c₁ and c₂ beyond a quarter turn; where c₂ cancels, near whole turns, it does not matter
    beside 1.
    """
    n = sqrt(n2)
    return sin(n) / n, (1.0 - cos(n)) / n2


def exp_coefficients(n2: float) -> tuple[float, float]:
    """c₁ and c₂ of the exponential for θ² = n2."""
    if n2 <= QUARTER_TURN_SQUARED:
        z = 0.25 * n2
        s = sinc_near(z)
        return s * cos_near(z), 0.5 * s * s
    return exp_coefficients_far(n2)


@rarely_called
def dexp_coefficient_far(n2: float) -> float:
    """c₃ beyond a quarter turn."""
    n = sqrt(n2)
    return (n - sin(n)) / (n * n2)


def dexp_coefficient(n2: float) -> float:
    """c₃ of the derivative of the exponential."""
    if n2 <= QUARTER_TURN_SQUARED:
        return bend_near(n2)
    return dexp_coefficient_far(n2)


@rarely_called
def dexpinv_coefficient_far(n2: float) -> float:
    """c₄ beyond a quarter turn. It has poles at whole turns, where dexp is singular; no float meets
    one exactly.
    """
    half = 0.5 * sqrt(n2)
    return (1.0 - half * cos(half) / sin(half)) / n2


def dexpinv_coefficient(n2: float) -> float:
    """c₄ of the inverse derivative."""
    if n2 <= QUARTER_TURN_SQUARED:
        return cotangent_near(n2)
    return dexpinv_coefficient_far(n2)


def dexpinv_slope(n2: float, c: float) -> float:
    """Twice the derivative of c₄, which is c, by θ² = n2."""
    return 1.0 / 360.0 + n2 / 7560.0 if n2 < 1e-4 else (0.25 - 3.0 * c + n2 * c * c) / n2


def rodrigues(v: Vec3 | Zero3, a: float, b: float) -> Mat3:
    """1 + a v̂ + b v̂²"""
    xx, yy, zz = b * v.x * v.x, b * v.y * v.y, b * v.z * v.z
    xy, xz, yz = b * v.x * v.y, b * v.x * v.z, b * v.y * v.z
    x, y, z = a * v.x, a * v.y, a * v.z
    return Mat3(
        1.0 - (yy + zz),
        xy - z,
        xz + y,
        xy + z,
        1.0 - (xx + zz),
        yz - x,
        xz - y,
        yz + x,
        1.0 - (xx + yy),
    )


def rodrigues_times(v: Vec3 | Zero3, a: float, b: float, w: Vector) -> Vector:
    """(1 + a v̂ + b v̂²) w without forming the matrix."""
    u = cross(v, w)
    return w + a * u + b * cross(v, u)


def times_rodrigues(R: Mat3, v: Vec3 | Zero3, a: float, b: float) -> Mat3:
    """R (1 + a v̂ + b v̂²), row by row."""
    x1, y1, z1 = Vec3(R.xx, R.xy, R.xz), Vec3(R.yx, R.yy, R.yz), Vec3(R.zx, R.zy, R.zz)
    x2, y2, z2 = cross(x1, v), cross(y1, v), cross(z1, v)
    x = x1 + (a * x2 + b * cross(x2, v))
    y = y1 + (a * y2 + b * cross(y2, v))
    z = z1 + (a * z2 + b * cross(z2, v))
    return Mat3(x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z)


def times_exp(R: Mat3, v: Vec3 | Zero3) -> Mat3:
    """R exp(v), row by row: a torque that needs one row only has it sooner than by the product."""
    a, b = exp_coefficients(dot(v, v))
    return times_rodrigues(R, v, a, b)


def times_cay(R: Mat3, v: Vec3 | Zero3) -> Mat3:
    """R cay(v), row by row."""
    a = 1.0 / (1.0 + 0.25 * dot(v, v))
    return times_rodrigues(R, v, a, 0.5 * a)


def exp(v: Vec3 | Zero3) -> Mat3:
    """The rotation about v by the angle |v| in radians (Rodrigues)."""
    a, b = exp_coefficients(dot(v, v))
    return rodrigues(v, a, b)


class Turn(Value):
    """exp(v) as v and its two coefficients: it turns a vector without the matrix, and a matrix by
    it.
    """

    __slots__ = ("x", "y", "z", "a", "b")  # noqa: RUF023 - the order of the components

    def __init__(self, x: float, y: float, z: float, a: float, b: float) -> None:
        self.x, self.y, self.z, self.a, self.b = x, y, z, a, b

    @property
    def vector(self) -> Vec3:
        """v."""
        return Vec3(self.x, self.y, self.z)

    @property
    def matrix(self) -> Mat3:
        """The rotation written out."""
        return rodrigues(self.vector, self.a, self.b)

    @property
    def T(self) -> Turn:
        """The opposite turn."""
        return Turn(-self.x, -self.y, -self.z, self.a, self.b)

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...
    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...
    def __matmul__(self, other: Any) -> Any:
        if type(other) is Mat3:
            return self.matrix @ other
        if type(other) not in (Vec3, Zero3):
            return NotImplemented
        return rodrigues_times(self.vector, self.a, self.b, other)

    def __rmatmul__(self, other: Mat3) -> Mat3:
        return other @ self.matrix if type(other) is Mat3 else NotImplemented


def turn(v: Vec3 | Zero3) -> Turn:
    """exp(v) for turning vectors: the momentum, for which the next step waits, is there sooner than
    by the matrix.
    """
    a, b = exp_coefficients(dot(v, v))
    return Turn(v.x, v.y, v.z, a, b)


def dexp(v: Vec3 | Zero3, w: Vector) -> Vector:
    """dexp(v) w: the spatial angular velocity of exp(v) when v changes at the rate w."""
    n2 = dot(v, v)
    _, b = exp_coefficients(n2)
    return rodrigues_times(v, b, dexp_coefficient(n2), w)


def dexp_matrix(v: Vec3 | Zero3) -> Mat3:
    """dexp(v) as a matrix, for tangents; the body's rate takes dexp(−v)."""
    n2 = dot(v, v)
    _, b = exp_coefficients(n2)
    return rodrigues(v, b, dexp_coefficient(n2))


class Exponential(Value):
    """v with the coefficients that exp(v), dexp(v) and the derivative of dexp(v) share."""

    __slots__ = ("v", "a", "b", "c", "b_slope", "c_slope")  # noqa: RUF023 - the order of the components

    def __init__(
        self, v: Vec3 | Zero3, a: float, b: float, c: float, b_slope: float, c_slope: float
    ) -> None:
        self.v, self.a, self.b, self.c = v, a, b, c
        self.b_slope, self.c_slope = b_slope, c_slope

    @property
    def T(self) -> Exponential:
        """That of −v."""
        return Exponential(-self.v, self.a, self.b, self.c, self.b_slope, self.c_slope)

    @property
    def exp(self) -> Mat3:
        """exp(v)."""
        return rodrigues(self.v, self.a, self.b)

    @property
    def dexp(self) -> Mat3:
        """dexp(v) as a matrix."""
        return rodrigues(self.v, self.b, self.c)

    def dexp_times(self, w: Vector) -> Vector:
        """dexp(v) w."""
        return rodrigues_times(self.v, self.b, self.c, w)

    @overload
    def dexp_tangent(self, w: Vec3) -> Mat3: ...
    @overload
    def dexp_tangent(self, w: Zero3) -> Zero3: ...
    def dexp_tangent(self, w: Vec3 | Zero3) -> Mat3 | Zero3:
        """The derivative of dexp(v) w by v."""
        if isinstance(w, Zero3):
            return w
        v = self.v
        u, along = cross(v, w), self.c * dot(v, w)
        of_v = self.b_slope * u + self.c_slope * cross(v, u) - self.c * w
        return Diag3(along, along, along) + (outer(of_v, v) - hat(self.b * w + self.c * u))


def exponential(v: Vec3 | Zero3) -> Exponential:
    """v with the coefficients of its exponential."""
    n2 = dot(v, v)
    a, b = exp_coefficients(n2)
    c = dexp_coefficient(n2)
    near = n2 < 1e-4  # (1 − c n2 − 2b)/n2 and (b − 3c)/n2 are twice the coefficients' derivatives
    b_slope = n2 / 180.0 - 1.0 / 12.0 if near else (1.0 - c * n2 - 2.0 * b) / n2
    c_slope = n2 / 1260.0 - 1.0 / 60.0 if near else (b - 3.0 * c) / n2
    return Exponential(v, a, b, c, b_slope, c_slope)


def dexpinv(v: Vec3 | Zero3, w: Vector) -> Vector:
    """dexp(v)⁻¹ w: the rate of v for which exp(v) turns with the spatial angular velocity w."""
    return rodrigues_times(v, -0.5, dexpinv_coefficient(dot(v, v)), w)


def dexpinv_matrix(v: Vec3 | Zero3) -> Mat3:
    """dexp(v)⁻¹ as a matrix."""
    return rodrigues(v, -0.5, dexpinv_coefficient(dot(v, v)))


def cay(v: Vec3 | Zero3) -> Mat3:
    """The Cayley map (1 − v̂/2)⁻¹ (1 + v̂/2): the rotation about v by 2 atan(|v|/2)."""
    a = 1.0 / (1.0 + 0.25 * dot(v, v))
    return rodrigues(v, a, 0.5 * a)


def cay_inverse(m: Mat3) -> Vec3:
    """The v with cay(v) = m, to (3 + |v|/5) ulp of its length; at half a turn there is none, and it
    divides by 0.
    """
    q = quaternion_of(m)
    return Vec3(q.x, q.y, q.z) * (2.0 / q.w)


def dcay_matrix(v: Vec3 | Zero3) -> Mat3:
    """The body's angular velocity of cay(v) per rate of v: (1 − v̂/2)/(1 + |v|²/4)."""
    a = 1.0 / (1.0 + 0.25 * dot(v, v))
    x, y, z = 0.5 * a * v.x, 0.5 * a * v.y, 0.5 * a * v.z
    return Mat3(a, z, -y, -z, a, x, y, -x, a)


def dcay(v: Vec3 | Zero3, w: Vector) -> Vector:
    """The body's angular velocity of cay(v) when v changes at the rate w."""
    return (w - 0.5 * cross(v, w)) * (1.0 / (1.0 + 0.25 * dot(v, v)))


def dcayinv(v: Vec3 | Zero3, w: Vector) -> Vector:
    """The rate of v for which cay(v) turns with the body's angular velocity w: (1 + v̂/2 + v vᵀ/4)
    w.
    """
    if isinstance(w, Zero3):
        return w
    return w + 0.5 * cross(v, w) + v * (0.25 * dot(v, w))


@rarely_called
def quaternion_of(m: Mat3) -> Quat:
    """The unit quaternion of a rotation, to 1.1 ulp, by Spurrier's rule: divide by the largest of
    the four.
    """
    t = m.xx + m.yy + m.zz
    if t >= m.xx and t >= m.yy and t >= m.zz:
        q = sqrt(1.0 + t)
        k = 0.5 / q
        return Quat(0.5 * q, k * (m.zy - m.yz), k * (m.xz - m.zx), k * (m.yx - m.xy))
    if m.xx >= m.yy and m.xx >= m.zz:
        q = sqrt(1.0 + m.xx - m.yy - m.zz)
        k = 0.5 / q
        return Quat(k * (m.zy - m.yz), 0.5 * q, k * (m.xy + m.yx), k * (m.xz + m.zx))
    if m.yy >= m.zz:
        q = sqrt(1.0 + m.yy - m.zz - m.xx)
        k = 0.5 / q
        return Quat(k * (m.xz - m.zx), k * (m.xy + m.yx), 0.5 * q, k * (m.yz + m.zy))
    q = sqrt(1.0 + m.zz - m.xx - m.yy)
    k = 0.5 / q
    return Quat(k * (m.yx - m.xy), k * (m.xz + m.zx), k * (m.yz + m.zy), 0.5 * q)


def rotation_of(q: Quat) -> Mat3:
    """The rotation of a unit quaternion, to 1.5 ulp; one of another length n gives n² times a
    rotation.
    """
    ww, xx, yy, zz = q.w * q.w, q.x * q.x, q.y * q.y, q.z * q.z
    xy, xz, yz = 2.0 * q.x * q.y, 2.0 * q.x * q.z, 2.0 * q.y * q.z
    wx, wy, wz = 2.0 * q.w * q.x, 2.0 * q.w * q.y, 2.0 * q.w * q.z
    return Mat3(
        ww + xx - yy - zz,
        xy - wz,
        xz + wy,
        xy + wz,
        ww - xx + yy - zz,
        yz - wx,
        xz - wy,
        yz + wx,
        ww - xx - yy + zz,
    )


@rarely_called
def quaternion_coefficients_far(n2: float) -> tuple[float, float]:
    """cos θ/2 and sin(θ/2)/θ beyond a quarter turn."""
    n = sqrt(n2)
    return cos(0.5 * n), sin(0.5 * n) / n


def quaternion_exp(v: Vec3 | Zero3) -> Quat:
    """The unit quaternion of exp(v), to 0.7 ulp up to a quarter turn, and to 0.35 (1 + θ) beyond."""
    n2 = dot(v, v)
    if n2 <= QUARTER_TURN_SQUARED:
        c, s = cos_near(0.25 * n2), 0.5 * sinc_near(0.25 * n2)
    else:
        c, s = quaternion_coefficients_far(n2)
    return Quat(c, s * v.x, s * v.y, s * v.z)


def quaternion_log(q: Quat) -> Vec3:
    """The rotation vector, of at most half a turn, of a unit quaternion: to 1.6 ulp of its
    length.
    """
    v = Vec3(q.x, q.y, q.z)
    w = q.w
    if w < 0.0:
        v, w = -v, -w
    n = norm(v)
    if n < 1e-8:
        return v * (2.0 / w)
    return v * (2.0 * atan2(n, w) / n)


@rarely_called
def log(m: Mat3) -> Vec3:
    """The rotation vector of a rotation, to 2.7 ulp of its length: the inverse of exp for angles up
    to π.

    Of the two vectors of a half turn it gives one, and within an ulp or so of it perhaps that of
    the other side.
    """
    return quaternion_log(quaternion_of(m))


@rarely_called
def angle(m: Mat3) -> float:
    """The rotation's angle in radians, 0 to π, to 2.4 ulp also of a small angle; one below 1e-154
    counts as none.
    """
    q = quaternion_of(m)
    return 2.0 * atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), abs(q.w))


def exp_about(axis: BodyAxis, a: float) -> AxisRot:
    """The turn by the angle a about a coordinate axis."""
    s, c = sincos(a)
    return axis.turn(c, s)


def cay_about(axis: BodyAxis, a: float) -> AxisRot:
    """The turn about a coordinate axis by 2 atan(a/2), rational in a."""
    k = 1.0 / (1.0 + 0.25 * a * a)
    return axis.turn((1.0 - 0.25 * a * a) * k, a * k)
