"""The maps of so(3) and SO(3) to fifty digits, from their formulas, and samples to compare the
engine with.
"""

from __future__ import annotations

from functools import cache
from math import pi

import mpmath
import numpy as np
from covering import few

from engine.algebra import Mat3, Quat, Vec3

mp = mpmath.mp.clone()  # so that no other module's precision counts
mp.dps = 50
ULP = 2.0**-52
"""The unit in which errors are stated: the spacing of doubles just above 1."""


def exact(numbers):
    """Floats as a column of fifty digits."""
    return mp.matrix([mp.mpf(float(x)) for x in numbers])


def hat(v):
    x, y, z = v
    return mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def series(term, z):
    """Σ (−z)ᵏ term(k), z ≤ 1."""
    return sum((-z) ** k * term(k) for k in range(24))


def length(v):
    return mp.sqrt(sum(x * x for x in v))


def coefficients(v):
    """c₁ … c₄ of the rotation vector v."""
    n = length(v)
    z = n * n
    if n < 1:
        c1, c2, c3 = (series(lambda k, m=m: 1 / mp.factorial(2 * k + m), z) for m in (1, 2, 3))
        lag = series(
            lambda k: 1 / mp.factorial(2 * k + 3) - 2 / mp.factorial(2 * k + 4), z
        )  # (c₁ − 2c₂)/−θ²
        return c1, c2, c3, lag / (2 * c2)
    return (
        mp.sin(n) / n,
        (1 - mp.cos(n)) / z,
        (n - mp.sin(n)) / (n * z),
        (1 - n / 2 * mp.cot(n / 2)) / z,
    )


def rodrigues(v, a, b):
    return mp.eye(3) + a * hat(v) + b * hat(v) ** 2


def exp(v):
    c1, c2, _, _ = coefficients(v)
    return rodrigues(v, c1, c2)


def dexp(v):
    _, c2, c3, _ = coefficients(v)
    return rodrigues(v, c2, c3)


def dexpinv(v):
    return rodrigues(v, mp.mpf(-1) / 2, coefficients(v)[3])


def cay(v):
    return (mp.eye(3) - hat(v) / 2) ** -1 * (mp.eye(3) + hat(v) / 2)


def dcay(v):
    return (mp.eye(3) - hat(v) / 2) / (1 + length(v) ** 2 / 4)


def dcayinv(v):
    return dcay(v) ** -1


def quaternion(v):
    """The unit quaternion of exp(v)."""
    n = length(v)
    s = coefficients(v / 2)[0] / 2
    return mp.matrix([mp.cos(n / 2), *(s * v)])


def rate(f, v, w):
    """f(v)ᵀ d/ds f(v + s w) by central differences that are exact to some thirty digits."""
    s = mp.mpf(10) ** -16
    return f(v).T * (f(v + s * w) - f(v - s * w)) / (2 * s)


# ------------------------------------------------------------------------------------ comparing


def entry_error(computed, truth):
    """The largest error of an entry in ulp of the largest entry, or of 1 if that is larger: for
    rotations.
    """
    error = max(abs(mp.mpf(x) - y) for x, y in zip(computed, truth, strict=True))
    return float(error / max(1, *map(abs, truth)) / ULP)


def relative_error(computed, truth, scale=None):
    """The error of a vector, in ulp of its length (or of `scale`)."""
    error = length([mp.mpf(x) - y for x, y in zip(computed, truth, strict=True)])
    return float(error / (scale or length(truth)) / ULP)


def to_floats(m):
    """An exact matrix or quaternion in floats."""
    entries = [float(x) for x in m]
    return Mat3(*entries) if len(entries) == 9 else Quat(*entries)


# ------------------------------------------------------------------------------------ samples

NEAR_A_QUARTER = tuple(pi / 2 * (1 + s * 10.0**-k) for s in (-1, 1) for k in (2, 8, 15, 16))
LENGTHS = {
    "tiny": lambda rng: 10.0 ** rng.uniform(-300, -8),
    "small": lambda rng: 10.0 ** rng.uniform(-8, -1),
    "to a quarter": lambda rng: rng.uniform(0.1, pi / 2),
    "near a quarter": lambda rng: rng.choice(NEAR_A_QUARTER),
    "to a half": lambda rng: rng.uniform(pi / 2, pi),
    "near a half": lambda rng: pi - 10.0 ** rng.uniform(-15, -1),
    "to a whole": lambda rng: rng.uniform(pi, 6.0),
    "near a whole": lambda rng: 2 * pi - rng.choice([-1, 1]) * 10.0 ** rng.uniform(-8, -1),
    "beyond": lambda rng: rng.uniform(6.5, 12.0),
    "huge": lambda rng: rng.uniform(1e5, 1e6),
}
"""Lengths of the rotation vectors in turns, by name."""


@cache
def vectors(lengths, n=None):
    """Return rotation vectors along axes and diagonals, in any direction, and with components of
    all magnitudes.
    """
    n = n or few(60)
    rng = np.random.default_rng(0)
    directions = [
        np.array(d, dtype=float) for d in ((1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 1, 1), (1, -1, 0))
    ]
    directions += [rng.normal(size=3) for _ in range(n)]
    directions += [rng.normal(size=3) * 10.0 ** rng.uniform(-9, 0, size=3) for _ in range(n // 2)]
    return [Vec3(*(LENGTHS[lengths](rng) * d / np.linalg.norm(d)).tolist()) for d in directions]
