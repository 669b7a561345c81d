"""Functions that several quantities share."""

from __future__ import annotations

from math import atan2

from ..algebra import Mat3, Vec3, cross, dot, nearest_rotation, norm, trace


def itself(x: float) -> float:
    """x."""
    return x


def change(x: float, x0: float) -> float:
    """x − x₀."""
    return x - x0


def ratio(x: float, x0: float) -> float:
    """x / x₀."""
    return x / x0


def length(v: Vec3) -> float:
    """|v|."""
    return norm(v)


def distance(v: Vec3, w: Vec3) -> float:
    """|v − w|."""
    return norm(v - w)


def turn(v: Vec3, w: Vec3) -> float:
    """The angle between two vectors."""
    return atan2(norm(cross(v, w)), dot(v, w))


def product(v: Vec3, w: Vec3) -> float:
    """v·w."""
    return dot(v, w)


def momentum(J: Mat3, Ω: Vec3) -> float:
    """|J Ω|."""
    return norm(J @ Ω)


def angle_between(R: Mat3, S: Mat3) -> float:
    """The angle in radians between the rotation nearest to R and the rotation S, also if tiny."""
    turned = S.T @ nearest_rotation(R)
    skew = Vec3(turned.zy - turned.yz, turned.xz - turned.zx, turned.yx - turned.xy)
    return atan2(norm(skew), trace(turned) - 1.0)
