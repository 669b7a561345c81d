"""States of two dumbbells in quadruple precision, by DOP853; run as a script to record them anew.

Numbers have the 113 bits of quadruple precision. Hairer's coefficients have 30 digits, which are
read from SciPy's source. The equations are those of the attraction itself, mass by mass, in space.
"""

from __future__ import annotations

import ast
import inspect
import json
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
from scipy.integrate._ivp import dop853_coefficients

import engine

FILE = Path(__file__).with_suffix(".json")
CASES = {"DB2": 3.0, "DB4": 1.0}
"""The problems, and the times of their states; these take some minutes, a quarter with gmpy2."""
TOLERANCE, LOOSE = 1e-20, 1e-18
"""The tolerances of two runs, of which the first is recorded."""
Numbers = Any
"""An array of numbers of 113 bits."""

mpmath.mp.prec = 113


def read_coefficients() -> SimpleNamespace:
    """Hairer's coefficients, with all digits."""
    source = inspect.getsource(dop853_coefficients)

    class Digits(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            if not isinstance(node.value, float):
                return node
            digits = ast.Constant(ast.get_source_segment(source, node))
            return ast.Call(ast.Name("number", ast.Load()), [digits], [])

    tree = ast.parse(source)
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import)]
    zeros = lambda shape: np.full(shape, mpmath.mpf(0))  # noqa: E731
    names = {"np": SimpleNamespace(array=np.array, zeros=zeros), "number": mpmath.mpf}
    exec(compile(ast.fix_missing_locations(Digits().visit(tree)), FILE.stem, "exec"), names)
    return SimpleNamespace(**names)


def to_quadruple(values: Any) -> Numbers:
    """The same numbers with 113 bits."""
    return np.vectorize(mpmath.mpf, otypes=[object])(values)


def cross(a: Numbers, b: Numbers) -> Numbers:
    """a × b"""
    return np.array([a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)])


class Dumbbells:
    """The equations of motion: y has R1, R2, Ω1, Ω2, x1, x2, v1 and v2 in a row."""

    def __init__(self, problem: Any) -> None:
        self.G = mpmath.mpf(float(problem.G))
        bodies = problem.body1, problem.body2
        self.masses = [mpmath.mpf(float(body.mass)) for body in bodies]
        self.lengths = [mpmath.mpf(float(body.half_length)) for body in bodies]
        self.J = [to_quadruple(np.diag(body.J)) for body in bodies]
        x1, x2, v1, v2 = self._place(problem)
        parts = problem.R1.ravel(), problem.R2.ravel(), problem.Omega1, problem.Omega2
        self.start = np.concatenate([*map(to_quadruple, parts), x1, x2, v1, v2])

    def _place(self, problem: Any) -> list[Numbers]:
        X, V, drift = (to_quadruple(getattr(problem, name)) for name in ("X", "V", "drift"))
        share1, share2 = (mass / sum(self.masses) for mass in reversed(self.masses))
        return [share1 * X, -share2 * X, drift + share1 * V, drift - share2 * V]

    def rates(self, y: Numbers) -> Numbers:
        """dy/dt."""
        R = y[:9].reshape(3, 3), y[9:18].reshape(3, 3)
        Omega = y[18:21], y[21:24]
        x = y[24:27], y[27:30]
        force = to_quadruple(np.zeros(3))
        moments = [to_quadruple(np.zeros(3)), to_quadruple(np.zeros(3))]
        for signs in product((1, -1), repeat=2):
            arms = [sign * h * R_[:, 0] for sign, h, R_ in zip(signs, self.lengths, R, strict=True)]
            d = x[0] + arms[0] - x[1] - arms[1]
            pull = -self.G * self.masses[0] * self.masses[1] / 4 * d / mpmath.sqrt(d @ d) ** 3
            force = force + pull
            moments = [moments[0] + cross(arms[0], pull), moments[1] - cross(arms[1], pull)]
        turned = [(R_ @ hat(Ω)).ravel() for R_, Ω in zip(R, Omega, strict=True)]
        spun = [
            (cross(J * Ω, Ω) + R_.T @ moment) / J
            for J, Ω, R_, moment in zip(self.J, Omega, R, moments, strict=True)
        ]
        pulled = [force / self.masses[0], -force / self.masses[1]]
        return np.concatenate([*turned, *spun, y[30:36], *pulled])


def hat(Ω: Numbers) -> Numbers:
    """The matrix of Ω ×."""
    zero = mpmath.mpf(0)
    return np.array([[zero, -Ω[2], Ω[1]], [Ω[2], zero, -Ω[0]], [-Ω[1], Ω[0], zero]])


def integrate(bodies: Dumbbells, end: float, tolerance: float) -> tuple[Numbers, int]:
    """The state at the end and the number of steps, by DOP853 with Hairer's estimate of the error."""
    c = read_coefficients()
    A, B, E3, E5 = c.A[:12, :12], c.B, c.E3[:12], c.E5[:12]
    y, t, h, steps = bodies.start, mpmath.mpf(0), mpmath.mpf("1e-3"), 0
    while t < end:
        h = min(h, end - t)
        K = [bodies.rates(y)]
        for i in range(1, 12):
            K.append(bodies.rates(y + h * sum(A[i, j] * K[j] for j in range(i) if A[i, j])))
        error5, error3 = (
            max(abs(sum(E[i] * K[i] for i in range(12) if E[i]))) / tolerance for E in (E5, E3)
        )
        error = h * error5**2 / mpmath.sqrt(error5**2 + error3**2 / 100)
        if error <= 1:
            y = y + h * sum(B[i] * K[i] for i in range(12) if B[i])
            t, steps = t + h, steps + 1
        h *= min(6, max(mpmath.mpf(1) / 3, mpmath.mpf("0.9") * error ** (-mpmath.mpf(1) / 8)))
    return y, steps


def record() -> None:
    """Write the states with 20 digits, and how far those of the larger tolerance are from them."""
    ends: dict[str, tuple[int, ...]] = {
        "R1": (3, 3), "R2": (3, 3), "Omega1": (3,), "Omega2": (3,),
        "x1": (3,), "x2": (3,), "v1": (3,), "v2": (3,),
    }  # fmt: skip
    motions = {}
    for key, end in CASES.items():
        bodies = Dumbbells(engine.problem(key))
        y, steps = integrate(bodies, end, TOLERANCE)
        apart = float(max(abs(y - integrate(bodies, end, LOOSE)[0])))
        print(f"{key}: {steps} steps; with {LOOSE:g} it is {apart:.1g} away")
        parts = np.split(y, np.cumsum([np.prod(shape) for shape in ends.values()])[:-1])
        motions[key] = {"t": end, "steps": steps, "apart": apart} | {
            name: np.reshape([float(x) for x in part], shape).tolist()
            for (name, shape), part in zip(ends.items(), parts, strict=True)
        }
    source = f"DOP853 with numbers of 113 bits and a tolerance of {TOLERANCE:g}; by {Path(__file__).name}"
    FILE.write_text(json.dumps({"source": source, "motions": motions}, indent=1) + "\n")


if __name__ == "__main__":
    record()
