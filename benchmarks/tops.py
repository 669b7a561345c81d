"""Time to the attitude at the end of seven motions: `TAYLOR` against heyoka.

``python -m benchmarks.tops`` finds, for each problem and target, the loosest tolerance with which
each brings the final attitude to within the target, and then times their calls in turn, within one
process. heyoka integrates two formulations, the quaternion and Ω, or two rows of R and Ω; the table
shows the faster. It needs ``pip install heyoka``.

The references are Taylor series of order 40 in 40 decimals, by `recompute`.

With ``--ensemble`` both integrate many starts, eight at once, on one thread: an ensemble's kernel
against heyoka's batch mode, with eight lanes and its `fast_math`. Then the target is that of the
median error, and the reference is heyoka with the finest tolerance.
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
from engine.compiler.lanes import COUNT
from engine.kernels.batch import Batch
from engine.parameters.formula import Formula
from engine.parameters.validation import Array
from engine.simulation import find_action, prepare_kernel
from engine.studies.ensemble import draw_starts

from ._table import host, table, write_json
from .peers import matrix

TARGETS = (1e-6, 1e-8, 1e-10, 1e-12)
TOLERANCES = [10 ** (-3 - k / 8) for k in range(85)]
ORDER, DIGITS = 40, 40
MEMBERS, SPREAD = 64 * COUNT, 0.1
"""The starts of an ensemble, and their spread about the problem's own."""
FINEST = 1e-18
"""The tolerance of an ensemble's reference."""


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
Formulation = tuple[Any, Callable[[Array, Array], list[float]], Callable[[Array], Array]]
"""heyoka's equations, the state of an attitude and Ω, and the attitude of a state."""


def our_solver(task: Task) -> tuple[Solve, Callable[[Any], Array]]:
    """The public call of a prepared run."""
    velocity = tuple(map(float, task.problem.Omega0))

    @functools.cache
    def prepared(tolerance: float) -> Any:
        return engine.prepared(
            task.problem, "TAYLOR", duration=task.end, rtol=tolerance, atol=tolerance, samples=1
        )

    return lambda tolerance: prepared(tolerance)(Omega0=velocity), lambda run: run.R[-1]


def quaternion_system(task: Task, hy: Any) -> Formulation:
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

    def begin(R0: Array, Omega0: Array) -> list[float]:
        return [*quaternion_of(Mat3(*R0.ravel().tolist())), *Omega0]

    return list(zip(symbols, rates, strict=True)), begin, lambda state: matrix(state[:4])


def rows_system(task: Task, hy: Any) -> Formulation:
    """Two rows of R, of which Γ is one, and Ω."""
    names = [f"{row}{i}" for row in "xz" for i in range(3)]
    *rows, a, b, c = symbols = hy.make_vars(*names, "a", "b", "c")
    x, Γ = rows[:3], rows[3:]

    def turn(v: Any) -> list[Any]:
        return [v[1] * c - v[2] * b, v[2] * a - v[0] * c, v[0] * b - v[1] * a]

    rates = [*turn(x), *turn(Γ), *euler(task, hy, (a, b, c), Γ)]

    def begin(R0: Array, Omega0: Array) -> list[float]:
        return [*R0[0], *R0[2], *Omega0]

    def final(state: Array) -> Array:
        return np.array([state[:3], np.cross(state[3:6], state[:3]), state[3:6]])

    return list(zip(symbols, rates, strict=True)), begin, final


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

    system, begin, final = make(task, hy)
    start = np.array(begin(task.problem.R0, task.problem.Omega0))

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


def our_ensemble(task: Task, R0: Array, Omega0: Array) -> tuple[Solve, Callable[[Any], Array]]:
    """The kernel of an ensemble."""
    starts = np.concatenate([R0.reshape(-1, 9), Omega0], axis=1)

    @functools.cache
    def kernel(tolerance: float) -> Any:
        method = engine.algorithm("TAYLOR", rtol=tolerance, atol=tolerance)
        action, _ = find_action(task.problem, method, task.end)
        return prepare_kernel(task.problem, method, action, True, side_by_side=True)

    def solve(tolerance: float) -> Array:
        batch = Batch(kernel(tolerance), starts, task.end)
        batch.advance_here(1)
        return batch.state(0, 9)

    return solve, lambda rows: rows.reshape(-1, 3, 3)


def heyoka_ensemble(
    task: Task, make: Any, R0: Array, Omega0: Array
) -> tuple[Solve, Callable[[Any], Array]]:
    """heyoka's batch mode, eight starts at once."""
    import heyoka as hy

    system, begin, final = make(task, hy)
    starts = np.array([begin(R, Omega) for R, Omega in zip(R0, Omega0, strict=True)])

    @functools.cache
    def integrator(tolerance: float) -> Any:
        start = np.ascontiguousarray(starts[:COUNT].T)
        return hy.taylor_adaptive_batch(system, start, tol=tolerance, fast_math=True)

    def solve(tolerance: float) -> Array:
        ta = integrator(tolerance)
        found = np.empty_like(starts)
        for i in range(0, len(starts), COUNT):
            ta.set_time(0.0)
            ta.state[:] = starts[i : i + COUNT].T
            ta.propagate_until(task.end)
            found[i : i + COUNT] = ta.state.T
        return found

    return solve, lambda states: np.array([final(state) for state in states])


def find_tolerance(error: Callable[[float], float], target: float) -> float | None:
    """The loosest tolerance that reaches a target together with the next finer one; None if none
    does.
    """

    @functools.cache
    def reaches(i: int) -> bool:
        return error(TOLERANCES[i]) <= target

    for i in range(len(TOLERANCES) - 1):
        if reaches(i) and reaches(i + 1):
            return TOLERANCES[i]
    return None


def time_in_turn(
    solvers: dict[str, Solve], tolerances: dict[str, float], rounds: int, calls: int
) -> dict[str, Any]:
    """The medians of the seconds of processor time of a call, in alternation."""
    seconds: dict[str, list[float]] = {name: [] for name in tolerances}
    for k in range(rounds):
        for name in list(tolerances) if k % 2 == 0 else reversed(list(tolerances)):
            solve = functools.partial(solvers[name], tolerances[name])
            begun = time.thread_time()
            for _ in range(calls):
                solve()
            seconds[name].append((time.thread_time() - begun) / calls)
    return {
        name: {"seconds": statistics.median(values), "tolerance": tolerances[name]}
        for name, values in seconds.items()
    }


def measure(task: Task, target: float, rounds: int) -> dict[str, Any]:
    """The medians of both, of heyoka's formulations."""
    solvers = {"TAYLOR": our_solver(task)}
    if find_spec("heyoka") is not None:
        for name, make in FORMULATIONS.items():
            solvers[f"heyoka, {name}"] = heyoka_solver(task, make)
    tolerances = {}
    for name, (solve, final) in solvers.items():

        def error(tol: float, solve: Solve = solve, final: Any = final) -> float:
            return attitude_error(final(solve(tol)), task)

        tolerance = find_tolerance(error, target)
        if tolerance is not None:
            tolerances[name] = tolerance
    solves = {name: solve for name, (solve, _) in solvers.items()}
    return {"problem": task.key, "target": target} | time_in_turn(solves, tolerances, rounds, 20)


def measure_ensemble(task: Task, target: float, rounds: int) -> dict[str, Any]:
    """The medians of both for each of many starts, of heyoka's formulations."""
    R0, Omega0 = draw_starts(task.problem, MEMBERS, SPREAD, 0)
    solvers = {"TAYLOR": our_ensemble(task, R0, Omega0)}
    for name, make in FORMULATIONS.items():
        solvers[f"heyoka, {name}"] = heyoka_ensemble(task, make, R0, Omega0)
    solve, final = solvers["heyoka, rows"]
    exact = final(solve(FINEST))
    tolerances = {}
    for name, (solve, final) in solvers.items():

        def error(tol: float, solve: Solve = solve, final: Any = final) -> float:
            away = np.linalg.norm(final(solve(tol)) - exact, axis=(1, 2))
            return float(np.median(away)) / math.sqrt(2)

        tolerance = find_tolerance(error, target)
        if tolerance is not None:
            tolerances[name] = tolerance
    solves = {name: solve for name, (solve, _) in solvers.items()}
    timed = time_in_turn(solves, tolerances, rounds, 1)
    for one in timed.values():
        one["seconds"] /= MEMBERS
    return {"problem": task.key, "target": target} | timed


FORMULATIONS = {"quaternion": quaternion_system, "rows": rows_system}


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
        "--ensemble",
        action="store_true",
        help="many starts, eight at once, against heyoka's batches",
    )
    parser.add_argument(
        "--problems", nargs="+", default=[task.key for task in TASKS], help="only these"
    )
    given = parser.parse_args(arguments)
    found = [
        (measure_ensemble if given.ensemble else measure)(task, target, given.rounds)
        for task in TASKS
        if task.key in given.problems
        for target in TARGETS
    ]
    print(table(HEADERS, [format_row(one) for one in found]))
    if given.json:
        write_json(given.json, {"host": host(("polhode", "numpy", "heyoka")), "results": found})


if __name__ == "__main__":
    main()
