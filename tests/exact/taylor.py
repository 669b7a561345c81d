"""The motion of a body in gravity or under a constant moment, to any number of digits.

Taylor series in fixed-point integers, which share no code with the engine. Run as a script, it
makes anew the data by which the estimates of reference runs are judged:

    python tests/exact/taylor.py > tests/data/chaotic_tops.json
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from operator import mul

import numpy as np


class Taylor:
    """Series of R (by rows) and Π for dR/dt = R hat(Ω), dΠ/dt = Π × Ω + Γ × w + m + Rᵀ n, with Ω =
    J⁻¹Π, Γ = Rᵀe3.

    Parameters
    ----------
    J, R0 : (3, 3), and Omega0 (3,): floats, which are taken to be exact.
    weight, in_body, in_space : (3,) w, m and n, of rational numbers.
    bits : behind the binary point; the order is a third of it.
    """

    def __init__(
        self, J, R0, Omega0, weight=(0, 0, 0), in_body=(0, 0, 0), in_space=(0, 0, 0), bits=112
    ):
        self.bits = bits
        self.order = bits // 3
        inertia = [[Fraction(float(x)) for x in row] for row in J]
        velocity = [Fraction(float(x)) for x in Omega0]
        self.inverse = [list(map(self.to_fixed, row)) for row in inverse_of(inertia)]
        self.w, self.m, self.n = (list(map(self.to_fixed, v)) for v in (weight, in_body, in_space))
        self.R = [[self.to_fixed(Fraction(float(x))) for x in row] for row in R0]
        self.Pi = [self.to_fixed(sum(map(mul, row, velocity))) for row in inertia]
        self.t = Fraction(0)

    def to_fixed(self, x):
        return round(Fraction(x) * 2**self.bits)

    def until(self, t):
        """R (3, 3) and Π (3,) at a later time, rounded to floats."""
        t = Fraction(float(t))
        while self.t < t:
            series = self.series()
            # The last two coefficients give the radius within which the series is accurate.
            last = [max(abs(part[-i]) for vector in series for part in vector) for i in (1, 2)]
            reach = min((1 / max(x, 1)) ** (1 / (self.order - i)) for i, x in enumerate(last))
            h = min(Fraction(reach), t - self.t)
            scaled = self.to_fixed(h)
            *self.R, self.Pi = [[self.horner(part, scaled) for part in vector] for vector in series]
            self.t += h
        as_floats = [[x / 2**self.bits for x in row] for row in (*self.R, self.Pi)]
        return np.array(as_floats[:3]), np.array(as_floats[3])

    def series(self):
        """The coefficients of the three rows of R and of Π: of each (3,) lists of integers, by
        component.
        """
        rows = [[[x] for x in row] for row in self.R]
        Pi = [[x] for x in self.Pi]
        Omega = [[], [], []]
        for k in range(self.order):
            for part, row in zip(Omega, self.inverse, strict=True):
                part.append(sum(map(mul, row, (x[k] for x in Pi))) >> self.bits)
            backwards = [part[::-1] for part in Omega]
            Γ, w = [x[k] for x in rows[2]], self.w
            torque = [
                Γ[1] * w[2] - Γ[2] * w[1],
                Γ[2] * w[0] - Γ[0] * w[2],
                Γ[0] * w[1] - Γ[1] * w[0],
            ]
            torque = [
                x + sum(row[i][k] * n for row, n in zip(rows, self.n, strict=True))
                for i, x in enumerate(torque)
            ]
            torque = [
                (x >> self.bits) + (m if k == 0 else 0) for x, m in zip(torque, self.m, strict=True)
            ]
            for vector, added in (*((row, (0, 0, 0)) for row in rows), (Pi, torque)):
                for part, x, y in zip(
                    vector, self.cross_term(vector, backwards), added, strict=True
                ):
                    part.append((x + y) // (k + 1))
        return [*rows, Pi]

    def cross_term(self, a, backwards):
        """The last coefficient of a × b, where the coefficients of b are in the order from last to
        first.
        """
        (a1, a2, a3) = a
        (b1, b2, b3) = backwards
        return [
            (sum(map(mul, p, s)) - sum(map(mul, q, r))) >> self.bits
            for p, s, q, r in ((a2, b3, a3, b2), (a3, b1, a1, b3), (a1, b2, a2, b1))
        ]

    def horner(self, coefficients, h):
        value = 0
        for c in reversed(coefficients):
            value = ((value * h) >> self.bits) + c
        return value


def inverse_of(J):
    """Return the inverse of a 3×3 matrix of fractions, by its adjugate."""
    (a, b, c), (d, e, f), (g, h, i) = J
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    adjoint = (
        (e * i - f * h, c * h - b * i, b * f - c * e),
        (f * g - d * i, a * i - c * g, c * d - a * f),
        (d * h - e * g, b * g - a * h, a * e - b * d),
    )
    return [[x / det for x in row] for row in adjoint]


CASES = 200
LONGEST = 150.0


def drawn(number):
    """A random body, its start, what acts on it, and a time: most are tops in gravity, from slow to
    fast.
    """
    draw = np.random.default_rng(number)
    a, b = draw.uniform(0.5, 3.0, 2)
    J = np.round((a, b, draw.uniform(abs(a - b) + 0.1, a + b)), 3)
    Q, _ = np.linalg.qr(draw.normal(size=(3, 3)))
    R0 = Q * np.sign(np.linalg.det(Q))
    Omega0 = np.round(draw.normal(size=3) * draw.choice((0.3, 1.0, 2.0)), 3)
    acts = ("weight", "in_body", "in_space")[max(0, number % 10 - 7)]
    strength = np.round(
        draw.normal(size=3) * (draw.choice((1.0, 4.0, 10.0)) if acts == "weight" else 0.2), 3
    )
    case = {"J": J, "R0": R0, "Omega0": Omega0, acts: strength}
    return {name: value.tolist() for name, value in case.items()}, round(
        draw.uniform(1.0, LONGEST), 2
    )


def solve(case, t, bits=112):
    """R and Π of a case at a time."""
    acting = {
        name: list(map(Fraction, value))
        for name, value in case.items()
        if name not in ("J", "R0", "Omega0")
    }
    return Taylor(np.diag(case["J"]), case["R0"], case["Omega0"], **acting, bits=bits).until(t)


if __name__ == "__main__":
    report = "Taylor series of 37 terms in fixed-point arithmetic of 112 binary places, by tests/exact/taylor.py"
    found = []
    for number in range(CASES):
        case, t = drawn(number)
        R, Pi = solve(case, t)
        found.append(case | {"t": t, "R": R.tolist(), "Pi": Pi.tolist()})
        print(number, t, file=sys.stderr, flush=True)
    print(json.dumps({"how": report, "cases": found}))
