"""Time to the final attitudes of many starts: an ensemble of `TAYLOR` against heyoka's batch mode.

``python -m benchmarks.batches`` times each motion of `motions` as `benchmarks.peers` does, for 512
starts on one thread: an ensemble's kernel against heyoka with as many lanes as it recommends for the
processor and its `fast_math`, in both formulations. The error is the median of all final attitudes,
and the reference is heyoka with the finest tolerance. It needs ``pip install heyoka``.
"""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import engine
from engine.kernels.batch import Batch
from engine.parameters.validation import Array
from engine.simulation import find_action, prepare_kernel
from engine.studies.ensemble import draw_starts

from ._table import host, table, write_json
from .motions import TASKS, Formulation, Task, find_attitude, list_formulations, write_system
from .peers import HEADERS, TARGETS, Contestant, Scan, format_row, measure

MEMBERS, SPREAD = 512, 0.1
"""The starts, and their spread about the problem's own."""
FINEST = 1e-18
"""The tolerance of the reference."""
LIMIT = 10.0
"""Seconds that a call may take."""


def ours(task: Task, R0: Array, Omega0: Array) -> Contestant:
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

    return Contestant(
        "Polhode TAYLOR", "engine", "tolerance", solve, lambda rows: rows.reshape(-1, 3, 3)
    )


def heyoka(task: Task, R0: Array, Omega0: Array) -> Iterator[Contestant]:
    """heyoka's batch mode in each formulation."""
    import heyoka as hy

    lanes = hy.recommended_simd_size()

    def solver(form: Formulation) -> Callable[[float], Array]:
        system = write_system(form, hy)
        starts = np.array([form.begin(R, Omega) for R, Omega in zip(R0, Omega0, strict=True)])

        @functools.cache
        def integrator(tolerance: float) -> Any:
            start = np.ascontiguousarray(starts[:lanes].T)
            return hy.taylor_adaptive_batch(system, start, tol=tolerance, fast_math=True)

        def solve(tolerance: float) -> Array:
            ta = integrator(tolerance)
            found = np.empty_like(starts)
            for i in range(0, len(starts), lanes):
                ta.set_time(0.0)
                ta.state[:] = starts[i : i + lanes].T
                ta.propagate_until(task.end)
                found[i : i + lanes] = ta.state.T
            return found

        return solve

    def final(states: Array) -> Array:
        return np.array([find_attitude(state) for state in states])

    for form in list_formulations(task):
        yield Contestant(f"heyoka, {form.name}", "heyoka", "tolerance", solver(form), final)


def measure_starts(task: Task, targets: Sequence[float], rounds: int) -> list[dict[str, Any]]:
    """Return for each target what `measure` finds, for each of the starts."""
    R0, Omega0 = draw_starts(task.problem, MEMBERS, SPREAD, 0)
    peers = list(heyoka(task, R0, Omega0))
    exact = peers[-1].final(peers[-1].solve(FINEST))

    def median_error(attitudes: Array) -> float:
        away = np.linalg.norm(attitudes - exact, axis=(1, 2))
        return float(np.median(away)) / math.sqrt(2)

    own, *others = [Scan(one, LIMIT, median_error) for one in (ours(task, R0, Omega0), *peers)]
    found = [measure(task, target, [own], others, rounds) for target in targets]
    for result in (result for one in found for result in one["results"]):
        result["seconds"] /= MEMBERS
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.batches", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument(
        "--rounds", type=int, default=15, help="rounds over all contestants (default %(default)s)"
    )
    parser.add_argument(
        "--problems", nargs="+", default=[task.key for task in TASKS], help="only these"
    )
    parser.add_argument(
        "--targets", nargs="+", type=float, default=TARGETS, help="errors (default %(default)s)"
    )
    given = parser.parse_args(arguments)
    found = [
        measured
        for task in TASKS
        if task.key in given.problems
        for measured in measure_starts(task, given.targets, given.rounds)
    ]
    print(table(HEADERS, [row for measured in found for row in format_row(measured)]))
    if given.json:
        write_json(given.json, {"host": host(("polhode", "numpy", "heyoka")), "targets": found})


if __name__ == "__main__":
    main()
