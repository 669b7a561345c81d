"""Time to the attitude at the end of seven motions: `TAYLOR` against heyoka.

``python -m benchmarks.tops`` finds, for each problem and target, the loosest tolerance with which
each brings the final attitude to within the target, and then times their calls in turn, within one
process. heyoka integrates two formulations, the quaternion and Ω, or two rows of R and Ω; the table
shows the faster. It needs ``pip install heyoka``.

The motions and their references are those of `motions`.

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
from importlib.util import find_spec
from typing import Any

import numpy as np

import engine
from engine.compiler.lanes import COUNT
from engine.kernels.batch import Batch
from engine.parameters.validation import Array
from engine.simulation import find_action, prepare_kernel
from engine.studies.ensemble import draw_starts

from ._table import host, table, write_json
from .motions import (
    TASKS,
    Formulation,
    Task,
    attitude_error,
    find_attitude,
    list_formulations,
    prepare_heyoka,
    reference,
    write_system,
)

TARGETS = (1e-6, 1e-8, 1e-10, 1e-12)
TOLERANCES = [10 ** (-3 - k / 8) for k in range(85)]
MEMBERS, SPREAD = 64 * COUNT, 0.1
"""The starts of an ensemble, and their spread about the problem's own."""
FINEST = 1e-18
"""The tolerance of an ensemble's reference."""


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
    task: Task, form: Formulation, R0: Array, Omega0: Array
) -> tuple[Solve, Callable[[Any], Array]]:
    """heyoka's batch mode, eight starts at once."""
    import heyoka as hy

    system = write_system(form, hy)
    starts = np.array([form.begin(R, Omega) for R, Omega in zip(R0, Omega0, strict=True)])

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

    return solve, lambda states: np.array([find_attitude(state) for state in states])


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
        for form in list_formulations(task):
            solvers[f"heyoka, {form.name}"] = (prepare_heyoka(form, task.end), find_attitude)
    tolerances = {}
    wanted = reference(task)
    for name, (solve, final) in solvers.items():

        def error(tol: float, solve: Solve = solve, final: Any = final) -> float:
            return attitude_error(final(solve(tol)), wanted)

        tolerance = find_tolerance(error, target)
        if tolerance is not None:
            tolerances[name] = tolerance
    solves = {name: solve for name, (solve, _) in solvers.items()}
    return {"problem": task.key, "target": target} | time_in_turn(solves, tolerances, rounds, 20)


def measure_ensemble(task: Task, target: float, rounds: int) -> dict[str, Any]:
    """The medians of both for each of many starts, of heyoka's formulations."""
    R0, Omega0 = draw_starts(task.problem, MEMBERS, SPREAD, 0)
    solvers = {"TAYLOR": our_ensemble(task, R0, Omega0)}
    for form in list_formulations(task):
        solvers[f"heyoka, {form.name}"] = heyoka_ensemble(task, form, R0, Omega0)
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
