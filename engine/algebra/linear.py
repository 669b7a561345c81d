"""Linear algebra on the small values: products, the hat map, and the solution of three
equations.
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any, Protocol, Self, TypeVar, overload

from .rarely_called import rarely_called
from .values import Diag3, Mat3, Vec3, Vec4, Weights, Zero3


class Weighable(Protocol):
    """A number, a vector or a matrix: what has a weighted sum."""

    def __rmul__(self, weight: float, /) -> Self: ...

    def __add__(self, other: Self, /) -> Self: ...


Summand = TypeVar("Summand", bound=Weighable)


def dot(a: Vec3 | Zero3, b: Vec3 | Zero3) -> float:
    """a · b"""
    if isinstance(a, Zero3) or isinstance(b, Zero3):
        return 0.0
    return a.x * b.x + a.y * b.y + a.z * b.z


@overload
def cross(a: Vec3, b: Vec3) -> Vec3: ...
@overload
def cross(a: Vec3 | Zero3, b: Zero3) -> Zero3: ...
@overload
def cross(a: Zero3, b: Vec3) -> Zero3: ...
def cross(a: Vec3 | Zero3, b: Vec3 | Zero3) -> Vec3 | Zero3:
    """a × b"""
    if isinstance(a, Zero3) or isinstance(b, Zero3):
        return Zero3()
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@overload
def hat(v: Vec3) -> Mat3: ...
@overload
def hat(v: Zero3) -> Zero3: ...
def hat(v: Vec3 | Zero3) -> Mat3 | Zero3:
    """The skew matrix with hat(v) w = v × w."""
    if isinstance(v, Zero3):
        return v
    return Mat3(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)


def cross_columns(v: Vec3 | Zero3, m: Mat3 | Zero3) -> Mat3 | Zero3:
    """hat(v) m, the product of v with each column."""
    if isinstance(v, Zero3) or isinstance(m, Zero3):
        return Zero3()
    x, y, z = v.x, v.y, v.z
    return Mat3(
        y * m.zx - z * m.yx, y * m.zy - z * m.yy, y * m.zz - z * m.yz,
        z * m.xx - x * m.zx, z * m.xy - x * m.zy, z * m.xz - x * m.zz,
        x * m.yx - y * m.xx, x * m.yy - y * m.xy, x * m.yz - y * m.xz,
    )  # fmt: skip


def vee(m: Mat3) -> Vec3:
    """The vector of the skew part of `m`: vee(hat(v)) = v."""
    return Vec3(0.5 * (m.zy - m.yz), 0.5 * (m.xz - m.zx), 0.5 * (m.yx - m.xy))


@overload
def outer(a: Vec3, b: Vec3) -> Mat3: ...
@overload
def outer(a: Zero3, b: Vec3 | Zero3) -> Zero3: ...
@overload
def outer(a: Vec3 | Zero3, b: Zero3) -> Zero3: ...
def outer(a: Vec3 | Zero3, b: Vec3 | Zero3) -> Mat3 | Zero3:
    """a bᵀ"""
    if isinstance(a, Zero3) or isinstance(b, Zero3):
        return Zero3()
    return Mat3(
        a.x * b.x,
        a.x * b.y,
        a.x * b.z,
        a.y * b.x,
        a.y * b.y,
        a.y * b.z,
        a.z * b.x,
        a.z * b.y,
        a.z * b.z,
    )


def trace(m: Mat3) -> float:
    """The sum of the diagonal."""
    return m.xx + m.yy + m.zz


def full(d: Diag3) -> Mat3:
    """A diagonal matrix written out."""
    return Mat3(d.x, 0.0, 0.0, 0.0, d.y, 0.0, 0.0, 0.0, d.z)


def gyroscopic_tangent(J: Diag3, w: Vec3 | Zero3) -> Mat3:
    """The derivative of w × J w by w: hat(w) J − hat(J w); its diagonal vanishes in principal
    axes.
    """
    a, b, c = J.z - J.y, J.x - J.z, J.y - J.x
    return Mat3(0.0, w.z * a, w.y * a, w.z * b, 0.0, w.x * b, w.y * c, w.x * c, 0.0)


def cofactor(m: Mat3) -> Mat3:
    """The matrix of cofactors, det(m) m⁻ᵀ."""
    row1, row2, row3 = Vec3(m.xx, m.xy, m.xz), Vec3(m.yx, m.yy, m.yz), Vec3(m.zx, m.zy, m.zz)
    c1, c2, c3 = cross(row2, row3), cross(row3, row1), cross(row1, row2)
    return Mat3(c1.x, c1.y, c1.z, c2.x, c2.y, c2.z, c3.x, c3.y, c3.z)


def dot_entries(a: Mat3, b: Mat3) -> float:
    """The sum of the products of the entries, tr(aᵀ b)."""
    return (
        (a.xx * b.xx + a.xy * b.xy + a.xz * b.xz)
        + (a.yx * b.yx + a.yy * b.yy + a.yz * b.yz)
        + (a.zx * b.zx + a.zy * b.zy + a.zz * b.zz)
    )


def solve(m: Mat3, b: Vec3 | Zero3) -> Vec3:
    """m⁻¹ b by Cramer's rule: to 2 ulp for a well-conditioned `m`, at worst to cond(m)² ulp.

    A singular matrix is a division by zero.
    """
    row1, row2, row3 = Vec3(m.xx, m.xy, m.xz), Vec3(m.yx, m.yy, m.yz), Vec3(m.zx, m.zy, m.zz)
    c1, c2, c3 = cross(row2, row3), cross(row3, row1), cross(row1, row2)
    return (c1 * b.x + c2 * b.y + c3 * b.z) * (1.0 / dot(row1, c1))


def solve_blocks(rows: tuple[tuple[Mat3, ...], ...], right: tuple[Vec3, ...]) -> tuple[Vec3, ...]:
    """The vectors xⱼ with Σⱼ rows[i][j] xⱼ = right[i], by elimination of blocks from the first on,
    which must not be singular.
    """
    minors = cofactor(rows[0][0])
    first = Vec3(rows[0][0].xx, rows[0][0].xy, rows[0][0].xz)
    inverse = minors.T * (1.0 / dot(first, Vec3(minors.xx, minors.xy, minors.xz)))
    x = inverse @ right[0]
    if len(right) == 1:
        return (x,)
    across = tuple([inverse @ block for block in rows[0][1:]])
    others = solve_blocks(
        tuple(
            [
                tuple([b - row[0] @ a for b, a in zip(row[1:], across, strict=True)])
                for row in rows[1:]
            ]
        ),
        tuple([b - row[0] @ x for row, b in zip(rows[1:], right[1:], strict=True)]),
    )
    for block, other in zip(across, others, strict=True):
        x = x - block @ other
    return (x, *others)


def least_change(m: Mat3, b: Vec3 | Zero3, r: Vec3 | Zero3) -> Vec4:
    """The shortest (v, w) of all with m v + w b = r."""
    k = solve(m @ m.T + outer(b, b), r)
    v = m.T @ k
    return Vec4(v.x, v.y, v.z, dot(b, k))


def null_vector(m: Mat3, b: Vec3 | Zero3) -> Vec4:
    """The (v, w) with m v + w b = 0, of length det(m mᵀ + b bᵀ)^½: w = det m, v = −det(m) m⁻¹ b."""
    minors = cofactor(m)
    v = minors.T @ b
    return Vec4(-v.x, -v.y, -v.z, m.xx * minors.xx + m.xy * minors.xy + m.xz * minors.xz)


def combination(weights: Weights, values: tuple[Summand, ...]) -> Summand:
    """The weighted sum of the values; one weight at least must not be zero."""
    total: Any = None
    for weight, value in zip(weights, values, strict=True):
        if weight != 0.0:
            total = weight * value if total is None else total + weight * value
    return total


def norm(v: Vec3 | Zero3) -> float:
    """The Euclidean length."""
    return sqrt(dot(v, v))


def norm_inf(v: Vec3 | Zero3) -> float:
    """The largest component in absolute value; a nan that is not the first may go unseen."""
    return max(abs(v.x), max(abs(v.y), abs(v.z)))


def orthonormalise(m: Mat3) -> Mat3:
    """The rotation nearest to `m` (Frobenius), without a singular value decomposition.

    Newton's iteration for the polar factor, X ← (μX + X⁻ᵀ/μ)/2, scaled by μ² = ‖X⁻¹‖/‖X‖ (Higham
    1986): near a rotation two rounds reach 2 ulp. A matrix far from one, with singular values σ₁ ≥
    σ₂ ≥ σ₃, takes six, and its nearest rotation is determined to 2σ₁/(σ₂ + σ₃) ulp. Where the
    determinant is not positive and finite, as of a reflection or a singular matrix, every entry is
    nan.
    """
    for _ in range(20):
        cofactors = cofactor(m)
        det = m.xx * cofactors.xx + m.xy * cofactors.xy + m.xz * cofactors.xz
        if not 0.0 < det < inf:
            return m * nan
        inverse = cofactors * (1.0 / det)
        scale = sqrt(sqrt(dot_entries(inverse, inverse)) / sqrt(dot_entries(m, m)))
        before, m = m, (scale * m + inverse * (1.0 / scale)) * 0.5
        if dot_entries(m - before, m - before) <= 1e-18:
            break
    return m


ON_THE_GROUP = 1e-22
"""The square of ‖RᵀR − 1‖ of a rotation, up to the roundoff of many steps."""


@rarely_called
def nearest_rotation(m: Mat3) -> Mat3:
    """The rotation nearest to `m` (Frobenius), also to a reflection and to a matrix of rank 2;
    `m` itself if it is a rotation.
    """
    square = m.T @ m
    away = Diag3(-1.0, -1.0, -1.0) + square
    if dot_entries(away, away) <= ON_THE_GROUP:
        return m
    # m = U diag(1, σ₂, σ₃) Vᵀ and its cofactors have the same axes. With d = det UVᵀ the stretches of
    # the sum are 1 + d σ₂σ₃, σ₂ + d σ₃ and σ₃ + d σ₂, of the signs 1, 1 and d: those of U diag(1, 1, d) Vᵀ.
    m = m * (1.0 / spectral_norm(m))
    return orthonormalise(m + cofactor(m))


def spectral_norm(m: Mat3) -> float:
    """The largest singular value, to a few ulp."""
    size = dot_entries(m, m)
    if not 0.0 < size < inf:
        return sqrt(size)
    square = (m.T @ m) * (1.0 / size)
    return sqrt(size * dot_entries(find_dominant(square), square))


@rarely_called
def find_dominant(m: Mat3) -> Mat3:
    """The projection onto the largest eigenvalues of a symmetric positive matrix, of trace 1, by
    repeated squaring.
    """
    for _ in range(60):
        before = m
        m = m @ m
        m = m * (1.0 / trace(m))
        if dot_entries(m - before, m - before) <= 1e-30:
            break
    return m
