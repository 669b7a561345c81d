"""Time to the attitude at the end of seven motions: `TAYLOR` against heyoka.

``python -m benchmarks.tops`` finds, for each problem and target, the loosest tolerance with which
each brings the final attitude to within the target, and then times their calls in turn, within one
process. heyoka integrates two formulations, the quaternion and Ω, or two rows of R and Ω; the table
shows the faster. It needs ``pip install heyoka``.

The references are Taylor series of order 40 in 40 decimals, by `recompute`.
"""

from __future__ import annotations

import argparse
import functools
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

import engine
from engine.algebra import Mat3, quaternion_of
from engine.parameters.formula import Formula
from engine.parameters.validation import Array

from ._table import host, table, write_json
from .peers import matrix

TARGETS = (1e-6, 1e-8, 1e-10, 1e-12)
TOLERANCES = [10 ** (-3 - k / 8) for k in range(85)]
ORDER, DIGITS = 40, 40


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


def attitude_error(R: Array, task: Task) -> float:
    """The angle from the reference in radians."""
    distance = float(np.linalg.norm(np.asarray(R, float) - reference(task)))
    return 2 * math.asin(min(1.0, distance / math.sqrt(8)))


Solve = Callable[[float], Array]
"""Integrates with a tolerance, and returns what `final` makes an attitude of."""


def our_solver(task: Task) -> tuple[Solve, Callable[[Any], Array]]:
    """The public call of a prepared run."""
    velocity = tuple(map(float, task.problem.Omega0))

    @functools.cache
    def prepared(tolerance: float) -> Any:
        return engine.prepared(
            task.problem, "TAYLOR", duration=task.end, rtol=tolerance, atol=tolerance, samples=1
        )

    return lambda tolerance: prepared(tolerance)(Omega0=velocity), lambda run: run.R[-1]


def quaternion_system(task: Task, hy: Any) -> tuple[Any, Array, Callable[[Array], Array]]:
    """The quaternion and Ω, with Γ from the quaternion."""
    w, x, y, z, a, b, c = symbols = hy.make_vars(*"wxyzabc")
    Γ = (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z)
    rates = [
        0.5 * (-x * a - y * b - z * c),
        0.5 * (w * a + y * c - z * b),
        0.5 * (w * b + z * a - x * c),
        0.5 * (w * c + x * b - y * a),
        *euler(task, hy, (a, b, c), Γ),
    ]
    q = list(quaternion_of(Mat3(*task.problem.R0.ravel().tolist())))
    start = np.array([*q, *task.problem.Omega0])
    return list(zip(symbols, rates, strict=True)), start, lambda state: matrix(state[:4])


def rows_system(task: Task, hy: Any) -> tuple[Any, Array, Callable[[Array], Array]]:
    """Two rows of R, of which Γ is one, and Ω."""
    names = [f"{row}{i}" for row in "xz" for i in range(3)]
    *rows, a, b, c = symbols = hy.make_vars(*names, "a", "b", "c")
    x, Γ = rows[:3], rows[3:]

    def turn(v: Any) -> list[Any]:
        return [v[1] * c - v[2] * b, v[2] * a - v[0] * c, v[0] * b - v[1] * a]

    rates = [*turn(x), *turn(Γ), *euler(task, hy, (a, b, c), Γ)]
    R0 = task.problem.R0
    start = np.array([*R0[0], *R0[2], *task.problem.Omega0])

    def final(state: Array) -> Array:
        return np.array([state[:3], np.cross(state[3:6], state[:3]), state[3:6]])

    return list(zip(symbols, rates, strict=True)), start, final


def euler(task: Task, hy: Any, Ω: Any, Γ: Any) -> list[Any]:
    """J⁻¹ (JΩ × Ω + T), without the terms that vanish."""
    J = [float(task.problem.J[i, i]) for i in range(3)]
    w = task.weight
    rates = []
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        rate = ((J[i] - J[j]) / J[k]) * Ω[i] * Ω[j] if J[i] != J[j] else hy.expression(0.0)
        if w[j]:
            rate += (w[j] / J[k]) * Γ[i]
        if w[i]:
            rate -= (w[i] / J[k]) * Γ[j]
        rates.append(rate)
    if task.pulse:
        rates[2] += (task.pulse / J[2]) * hy.sin(hy.time) * hy.sin(hy.time)
    return rates


def heyoka_solver(task: Task, make: Any) -> tuple[Solve, Callable[[Any], Array]]:
    """heyoka's adaptive integrator, one for each tolerance."""
    import heyoka as hy

    system, start, final = make(task, hy)

    @functools.cache
    def integrator(tolerance: float) -> Any:
        return hy.taylor_adaptive(system, start.copy(), tol=tolerance)

    def solve(tolerance: float) -> Array:
        ta = integrator(tolerance)
        ta.time = 0.0
        ta.state[:] = start
        ta.propagate_until(task.end)
        return np.asarray(ta.state)

    return solve, final


def find_tolerance(task: Task, solve: Solve, final: Callable[[Any], Array], target: float) -> Any:
    """The loosest tolerance that reaches a target together with the next finer one; None if none
    does.
    """

    @functools.cache
    def reaches(i: int) -> bool:
        return attitude_error(final(solve(TOLERANCES[i])), task) <= target

    for i in range(len(TOLERANCES) - 1):
        if reaches(i) and reaches(i + 1):
            return TOLERANCES[i]
    return None


def measure(task: Task, target: float, rounds: int) -> dict[str, Any]:
    """The medians of both in alternation, of heyoka's faster formulation."""
    found: dict[str, Any] = {"problem": task.key, "target": target}
    timed = {}
    solvers = {"TAYLOR": our_solver(task)}
    if find_spec("heyoka") is not None:
        solvers["heyoka, quaternion"] = heyoka_solver(task, quaternion_system)
        solvers["heyoka, rows"] = heyoka_solver(task, rows_system)
    for name, (solve, final) in solvers.items():
        tolerance = find_tolerance(task, solve, final, target)
        if tolerance is not None:
            timed[name] = (functools.partial(solve, tolerance), tolerance)
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for k in range(rounds):
        for name in list(timed) if k % 2 == 0 else reversed(list(timed)):
            solve = timed[name][0]
            begun = time.perf_counter()
            for _ in range(20):
                solve()
            seconds[name].append((time.perf_counter() - begun) / 20)
    for name, values in seconds.items():
        found[name] = {"seconds": statistics.median(values), "tolerance": timed[name][1]}
    return found


def format_row(found: dict[str, Any]) -> list[str]:
    """A row of the table."""
    peers = {name: one["seconds"] for name, one in found.items() if name.startswith("heyoka")}
    own = found.get("TAYLOR", {}).get("seconds")
    best = min(peers, key=lambda name: peers[name], default=None)
    return [
        found["problem"],
        f"{found['target']:.0e}",
        "" if own is None else f"{1e6 * own:.1f}",
        "" if best is None else f"{1e6 * peers[best]:.1f}",
        "" if best is None else best.partition(", ")[2],
        "" if best is None or own is None else f"{peers[best] / own:.2f}",
    ]


HEADERS = ("problem", "error <", "µs, TAYLOR", "µs, heyoka", "formulation", "heyoka/TAYLOR")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tops", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument(
        "--rounds", type=int, default=51, help="rounds of 20 calls of each (default %(default)s)"
    )
    parser.add_argument(
        "--problems", nargs="+", default=[task.key for task in TASKS], help="only these"
    )
    given = parser.parse_args(arguments)
    found = [
        measure(task, target, given.rounds)
        for task in TASKS
        if task.key in given.problems
        for target in TARGETS
    ]
    print(table(HEADERS, [format_row(one) for one in found]))
    if given.json:
        write_json(given.json, {"host": host(("polhode", "numpy", "heyoka")), "results": found})


if __name__ == "__main__":
    main()
