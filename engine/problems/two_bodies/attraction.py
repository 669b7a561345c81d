"""Mutual gravity of two bodies: two dumbbells in closed form, or any number of point masses.

U = −Σ G m m′/|d| over the pairs of a mass of body 1 and one of body 2, where d = X + R ρ₁ − ρ₂
points from the mass of body 2 to that of body 1. Then ∂U/∂X = Σ G m m′ d/|d|³ and M = Σ G m m′ (R
ρ₁) × d/|d|³.

Point masses can meet; nothing softens the attraction, and `Gravity.near` reports how near they are.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from ...algebra import Gravity, Mat3, Vec3, cross, dot, gravity
from ...compiler.lanes import Lanes, lane, lanes, spread
from ..field import Attraction, MassPairs


def between_dumbbells(X: Vec3, R: Mat3, p: Any) -> Gravity:
    """The gravity of two pairs of equal masses on the bodies' first axes; p is G m1 m2/4, l1/2 and
    l2/2.

    The paper prints d = X + ρ₂ + R ρ₁, which is the same sum.
    """
    k, b = p[0], Vec3(p[2], 0.0, 0.0)
    a = p[1] * Vec3(R.xx, R.yx, R.zx)
    forwards = X + a
    backwards = X - a
    d1, d2, d3, d4 = forwards - b, forwards + b, backwards - b, backwards + b
    s1, s2, s3, s4 = dot(d1, d1), dot(d2, d2), dot(d3, d3), dot(d4, d4)
    r1, r2, r3, r4 = 1.0 / sqrt(s1), 1.0 / sqrt(s2), 1.0 / sqrt(s3), 1.0 / sqrt(s4)
    f1 = (k * r1 * r1 * r1) * d1 + (k * r2 * r2 * r2) * d2
    f2 = (k * r3 * r3 * r3) * d3 + (k * r4 * r4 * r4) * d4
    near = min(min(s1, s2), min(s3, s4))
    return gravity(-k * (r1 + r2 + r3 + r4), f1 + f2, cross(a, f1 - f2), near)


PAIRS = 4
"""Of a mass of one dumbbell and one of the other."""
SIGNS1 = (1.0, 1.0, -1.0, -1.0)
SIGNS2 = (1.0, -1.0, 1.0, -1.0)
"""The masses of bodies 1 and 2 in the four pairs, on which half of each axis they are."""


def separate_dumbbells(x: Vec3, axis1: Vec3, axis2: Vec3, p: Any) -> tuple[Lanes, Lanes]:
    """From the masses of body 2 to those of body 1: x and y of the pairs, and twice z."""
    half1 = lanes([p[1] * sign for sign in (*SIGNS1, *SIGNS1)])
    half2 = lanes([-p[2] * sign for sign in (*SIGNS2, *SIGNS2)])
    return (
        lanes((x.x,) * PAIRS + (x.y,) * PAIRS)
        + lanes((axis1.x,) * PAIRS + (axis1.y,) * PAIRS) * half1
        + lanes((axis2.x,) * PAIRS + (axis2.y,) * PAIRS) * half2,
        spread(x.z) + axis1.z * half1 + axis2.z * half2,
    )


def sum_dumbbell_pulls(xy: Lanes, zz: Lanes, p: Any) -> tuple[Vec3, Vec3, Vec3]:
    """The force on body 1, and l1/2 and l2/2 times the part of it that turns each body."""
    whole = -p[0]
    forces = [
        [whole * lane(along, first + i) for i in range(PAIRS)]
        for along, first in ((xy, 0), (xy, PAIRS), (zz, 0))
    ]
    return (
        Vec3(*[(f1 + f2) + (f3 + f4) for f1, f2, f3, f4 in forces]),
        Vec3(*[p[1] * ((f1 + f2) - (f3 + f4)) for f1, f2, f3, f4 in forces]),
        Vec3(*[p[2] * ((f2 - f1) + (f4 - f3)) for f1, f2, f3, f4 in forces]),
    )


def between_masses(X: Vec3, R: Mat3, p: Any) -> Gravity:
    """The gravity of point masses; p is G, their numbers in both bodies, and each mass with its
    position.
    """
    G, n1, n2 = p[0], int(p[1]), int(p[2])
    U = 0.0
    force = Vec3(0.0, 0.0, 0.0)
    moment = Vec3(0.0, 0.0, 0.0)
    near = inf
    second = 3 + 4 * n1
    for i in range(3, second, 4):
        a = R @ Vec3(p[i + 1], p[i + 2], p[i + 3])
        place = X + a
        here = 0.0
        pull = Vec3(0.0, 0.0, 0.0)
        for j in range(second, second + 4 * n2, 4):
            d = place - Vec3(p[j + 1], p[j + 2], p[j + 3])
            square = dot(d, d)
            r = 1.0 / sqrt(square)
            here += p[j] * r
            pull = pull + (p[j] * r * r * r) * d
            near = min(near, square)
        k = G * p[i]
        U -= k * here
        force = force + k * pull
        moment = moment + k * cross(a, pull)
    return gravity(U, force, moment, near)


DUMBBELLS = Attraction(
    "dumbbells", between_dumbbells, MassPairs(separate_dumbbells, sum_dumbbell_pulls)
)
MASSES = Attraction("masses", between_masses)
