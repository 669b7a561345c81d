"""Seven motions whose final attitude integrators compute: their equations and their references.

The references are Taylor series of order 40 in 40 decimals, by `recompute`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import engine
from engine.algebra import Mat3, quaternion_of
from engine.parameters.formula import Formula
from engine.parameters.validation import Array

ORDER, DIGITS = 40, 40

Rates = Callable[..., tuple[Any, ...]]
"""(t, *state) → the state's derivatives, for numbers, traced arrays or symbols."""


@dataclass(frozen=True)
class Task:
    """A motion: Euler's equations with the torque Γ × w, or `pulse` sin² t about the third axis."""

    key: str
    end: float
    pulse: float = 0.0

    @functools.cached_property
    def problem(self) -> engine.Problem:
        """The problem as the engine has it."""
        if self.pulse:
            torque = Formula(f"{self.pulse} * sin(t)^2 * e3", frame="body")
            return engine.Problem(J=(1.0, 2.0, 3.0), Omega0=(1.0, 0.0, 0.9), torque=torque)
        found = engine.problem(self.key)
        assert isinstance(found, engine.Problem)
        return found

    @property
    def weight(self) -> tuple[float, ...]:
        """w of the torque Γ × w in the body."""
        if self.pulse or self.key == "free":
            return (0.0, 0.0, 0.0)
        return tuple(map(float, self.problem.action(self.problem.dt).numbers[:3]))


TASKS = (
    Task("free", 100.0),
    Task("slow-top", 10.0),
    Task("fast-top", 10.0),
    Task("lagrange-top", 100.0),
    Task("kovalevskaya-top", 10.0),
    Task("asymmetric-top", 20.0),
    Task("sin² t", 20.0, pulse=1.0),
)


def recompute(task: Task, steps_per_second: float) -> Array:
    """The final R, from Taylor series of two rows of R, of Ω, and of sin² t = (1 − cos 2t)/2."""
    from mpmath import fdot, mp, mpf

    with mp.workdps(DIGITS):
        J = [mpf(float(task.problem.J[i, i])) for i in range(3)]
        w = list(map(mpf, task.weight))
        R0 = [[mpf(float(x)) for x in row] for row in task.problem.R0]
        state = [*R0[0], *R0[2], *map(mpf, map(float, task.problem.Omega0))]
        steps = math.ceil(task.end * steps_per_second)
        h = mpf(task.end) / steps
        for step in range(steps):
            series = [[x] for x in state]
            t = step * h
            for n in range(ORDER):

                def product(i: int, j: int, series: Any = series) -> Any:
                    return fdot(series[i], series[j][::-1])

                turned = [mp.cos(2 * t + n * mp.pi / 2) * mpf(2) ** n / mp.factorial(n)]
                gain = mpf(task.pulse) * ((1 if n == 0 else 0) - turned[0]) / 2
                x, y, z = (series[3 + i][n] for i in range(3))
                pull = (y * w[2] - z * w[1], z * w[0] - x * w[2], x * w[1] - y * w[0] + gain)
                rates = []
                for row in (0, 3):
                    for i, j in ((1, 2), (2, 0), (0, 1)):
                        rates.append(product(row + i, 6 + j) - product(row + j, 6 + i))
                for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
                    rates.append(((J[i] - J[j]) * product(6 + i, 6 + j) + pull[k]) / J[k])
                for one, rate in zip(series, rates, strict=True):
                    one.append(rate / (n + 1))
            state = [functools.reduce(lambda s, term: s * h + term, one[::-1]) for one in series]
        x, z = (np.array(state[i : i + 3], dtype=object) for i in (0, 3))
        return np.array([x, np.cross(z, x), z], dtype=float)


@functools.cache
def reference(task: Task) -> Array:
    """The final R, at a pace that leaves an error below 1e-15 on all seven."""
    pace = 6.0 + 1.5 * float(np.linalg.norm(task.problem.Omega0)) ** 0.8
    return recompute(task, pace)


def matrix(q: Any) -> Array:
    """The rotation matrix of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def find_attitude(final: Any) -> Array:
    """R of a final 3×3 attitude, of a state that begins with a quaternion, or of one of two rows of
    R and Ω.
    """
    found = np.asarray(final, dtype=float)
    if found.shape == (3, 3):
        return found
    if len(found) < 9:
        return matrix(found[:4])
    return np.array([found[:3], np.cross(found[3:6], found[:3]), found[3:6]])


def attitude_error(final: Any, wanted: Array) -> float:
    """The angle in rad from an attitude to a final one."""
    if not np.isfinite(np.asarray(final, dtype=float)).all():
        return math.inf
    # ‖R − R'‖ = 2√2 sin(θ/2), which is exact for small angles too; what is not a rotation is only
    # further away.
    distance = float(np.linalg.norm(find_attitude(final) - wanted))
    return 2 * math.asin(min(1.0, distance / math.sqrt(8)))


# ---------------------------------------------------------------------------------------------- the
# equations, in two formulations


@dataclass(frozen=True)
class Formulation:
    """The variables of a state, the state of an attitude and Ω, its start, and its rates for a sine
    of numbers, arrays or symbols.
    """

    name: str
    variables: tuple[str, ...]
    begin: Callable[[Array, Array], list[float]]
    start: Array
    rates: Callable[..., Rates]


def list_formulations(task: Task) -> tuple[Formulation, Formulation]:
    """The quaternion and Ω; and two rows of R, of which one is Γ, and Ω."""

    def make(
        name: str, variables: str, begin: Callable[[Array, Array], list[float]], rates: Any
    ) -> Formulation:
        start = np.array(begin(task.problem.R0, task.problem.Omega0))
        return Formulation(
            name, tuple(variables.split()), begin, start, functools.partial(rates, task)
        )

    return (
        make("quaternion", "w x y z a b c", begin_quaternion, quaternion_rates),
        make("rows", "x1 x2 x3 z1 z2 z3 a b c", begin_rows, row_rates),
    )


def begin_quaternion(R0: Array, Omega0: Array) -> list[float]:
    """The quaternion and Ω."""
    return [*quaternion_of(Mat3(*R0.ravel().tolist())), *Omega0]


def begin_rows(R0: Array, Omega0: Array) -> list[float]:
    """Two rows of R, and Ω."""
    return [*R0[0], *R0[2], *Omega0]


def euler_rates(task: Task, sin: Callable[[Any], Any]) -> Rates:
    """dΩ/dt of the time, Γ and Ω."""
    J1, J2, J3 = (float(task.problem.J[i, i]) for i in range(3))
    k1, k2, k3 = (J2 - J3) / J1, (J3 - J1) / J2, (J1 - J2) / J3
    w1, w2, w3 = task.weight
    u12, u13, u21 = w2 / J1, w3 / J1, w1 / J2
    u23, u31, u32 = w3 / J2, w1 / J3, w2 / J3
    pulse = task.pulse / J3

    def free(t: Any, x: Any, y: Any, z: Any, a: Any, b: Any, c: Any) -> Any:
        return k1 * b * c, k2 * c * a, k3 * a * b

    def pushed(t: Any, x: Any, y: Any, z: Any, a: Any, b: Any, c: Any) -> Any:
        s = sin(t)
        return k1 * b * c, k2 * c * a, k3 * a * b + pulse * s * s

    def heavy(t: Any, x: Any, y: Any, z: Any, a: Any, b: Any, c: Any) -> Any:
        return (
            k1 * b * c + u13 * y - u12 * z,
            k2 * c * a + u21 * z - u23 * x,
            k3 * a * b + u32 * x - u31 * y,
        )

    return pushed if task.pulse else heavy if any(task.weight) else free


def quaternion_rates(
    task: Task, sin: Callable[[Any], Any], compiled: Callable[[Any], Any] = lambda f: f
) -> Rates:
    """Of the quaternion and Ω; `compiled` is what a compiler makes of a function that it calls."""
    euler = compiled(euler_rates(task, sin))

    def rates(t: Any, w: Any, x: Any, y: Any, z: Any, a: Any, b: Any, c: Any) -> Any:
        A, B, C = euler(
            t,
            2 * (x * z - w * y),
            2 * (y * z + w * x),
            w * w - x * x - y * y + z * z,
            a,
            b,
            c,
        )
        return (
            0.5 * (-x * a - y * b - z * c),
            0.5 * (w * a + y * c - z * b),
            0.5 * (w * b + z * a - x * c),
            0.5 * (w * c + x * b - y * a),
            A,
            B,
            C,
        )

    return rates


def row_rates(
    task: Task, sin: Callable[[Any], Any], compiled: Callable[[Any], Any] = lambda f: f
) -> Rates:
    """Of two rows of R and Ω."""
    euler = compiled(euler_rates(task, sin))

    def rates(
        t: Any, x1: Any, x2: Any, x3: Any, z1: Any, z2: Any, z3: Any, a: Any, b: Any, c: Any
    ) -> Any:
        A, B, C = euler(t, z1, z2, z3, a, b, c)
        return (
            x2 * c - x3 * b,
            x3 * a - x1 * c,
            x1 * b - x2 * a,
            z2 * c - z3 * b,
            z3 * a - z1 * c,
            z1 * b - z2 * a,
            A,
            B,
            C,
        )

    return rates


def write_system(form: Formulation, hy: Any) -> list[Any]:
    """heyoka's equations of a formulation."""
    symbols = hy.make_vars(*form.variables)
    rates = form.rates(hy.sin)(hy.time, *symbols)
    return [(x, hy.expression(0.0) + rate) for x, rate in zip(symbols, rates, strict=True)]


def prepare_heyoka(form: Formulation, end: float) -> Callable[[float], Array]:
    """heyoka's state at the end, of the tolerance, with one adaptive integrator for each."""
    import heyoka as hy

    system = write_system(form, hy)

    @functools.cache
    def integrator(tolerance: float) -> Any:
        return hy.taylor_adaptive(system, form.start.copy(), tol=tolerance)

    def solve(tolerance: float) -> Array:
        ta = integrator(tolerance)
        ta.time = 0.0
        ta.state[:] = form.start
        ta.propagate_until(end)
        return np.asarray(ta.state)

    return solve
