"""The overhead of a sweep: against a loop of `simulate`, against the kernel alone, and on Dask.

    python -m benchmarks.sweeps [--page] [--quick] [--json FILE]

A grid over the step, a moment of inertia and the spin of a free body, MR2 for 200 steps, its
largest energy error. All sides take turns. The loop covers part of the points, and its time is
scaled; the kernel's time is that of an ensemble with the same number of steps on one thread,
divided by the processors. Processes and the Dask cluster have two workers, and starting them is not
timed. A second table has maps of the attitude error over two parameters, with NMB or MR2 runs to t
= 5. `--page` adds the measurements of `python -m benchmarks.page map`: the time to a map's first
picture, and the latency of the page meanwhile.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

import engine
from engine.studies import sweep
from engine.studies.core.errors_at_end import energy_error
from engine.studies.ensemble import ensemble

from . import page
from ._table import host, table, write_json

METHOD = "MR2"
STEPS = 200
LOOPED = 2000
"""Points of the loop of `simulate`."""
WORKERS = 2


def over(n: int) -> dict[str, Any]:
    """A grid of n³ points."""
    return {
        "dt": np.geomspace(1e-3, 0.1, n),
        "J.x": np.linspace(0.9, 1.1, n),
        "Omega0.z": np.linspace(1.0, 5.0, n),
    }


def time_loop(n: int) -> float:
    """Seconds of a loop of `simulate` over all points, from some of them."""
    axes = list(over(n).values())
    body = engine.problem("free", engine.Problem)
    some = np.random.default_rng(1).integers(0, n, (min(LOOPED, n**3), 3))
    begun = time.perf_counter()
    for i, j, k in some:
        J = body.J.copy()
        Omega = body.Omega0.copy()
        J[0, 0] = axes[1][j]
        Omega[2] = axes[2][k]
        point = body.replace(J=J, Omega0=Omega)
        energy_error(engine.simulate(point, METHOD, dt=float(axes[0][i]), steps=STEPS, samples=1))
    return (time.perf_counter() - begun) * n**3 / len(some)


def in_kernels(n: int) -> float:
    """Return the seconds of all steps in kernels, on all processors."""
    found = ensemble(
        "free", METHOD, members=1024, dt=0.01, duration=0.01 * STEPS, samples=1, workers=1
    )
    return found.ns_per_step * 1e-9 * n**3 * STEPS / (os.cpu_count() or 1)


def swept(n: int, executor: Any = None) -> float:
    """Seconds of the sweep."""
    begun = time.perf_counter()
    data = sweep("free", METHOD, over=over(n), steps=STEPS, executor=executor)
    seconds = time.perf_counter() - begun
    if (data["status"] != 0).any():
        raise SystemExit("not every point ran to its end")
    return seconds


STEP = {"dt": (0.01, 1.0)}
SPIN = {"Omega0.z": (1.0, 5.0)}
INERTIA = {"J.x": (0.8, 1.2)}
MAPS = {
    "free, step and spin": ("free", "NMB", STEP | SPIN),
    "free, step and inertia": ("free", "NMB", STEP | INERTIA),
    "free, inertia and spin": ("free", "NMB", INERTIA | SPIN),
    "slow top, step and spin": ("slow-top", "NMB", STEP | {"Omega0.z": (1.0, 50.0)}),
    "Lagrange's top, step and inertia": ("lagrange-top", "MR2", STEP | INERTIA),
}
"""Problem, method, and the varied parameter with its range; the last needs reference runs."""


def time_map(n: int, problem: str, method: str, over: Mapping[str, tuple[float, float]]) -> float:
    """Seconds of a map of n² points of the attitude error."""
    begun = time.perf_counter()
    axes = {
        name: (np.geomspace if name == "dt" else np.linspace)(*ends, n)
        for name, ends in over.items()
    }
    sweep(problem, method, over=axes, measure="attitude", duration=5)
    return time.perf_counter() - begun


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sweeps", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default %(default)s)")
    parser.add_argument(
        "--side", type=int, default=100, help="points along each axis (default %(default)s)"
    )
    parser.add_argument(
        "--page", action="store_true", help="the page's part of it as well, which needs playwright"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run: few points, without a cluster"
    )
    given = parser.parse_args(arguments)
    n, rounds = (8, 1) if given.quick else (given.side, given.rounds)
    with ExitStack() as stack:
        sides: dict[str, Callable[[], float]] = {
            "a loop of simulate": lambda: time_loop(n),
            "in kernels alone": lambda: in_kernels(n),
            "sweep, threads": lambda: swept(n),
        }
        if not given.quick:
            from dask.distributed import Client, LocalCluster

            pool = stack.enter_context(
                ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn"))
            )
            cluster = stack.enter_context(
                LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None)
            )
            client = stack.enter_context(Client(cluster))
            sides |= {
                "sweep, processes": lambda: swept(n, pool),
                "sweep, Dask": lambda: swept(n, client),
            }
        sides |= {f"map of {name}": partial(time_map, n, *asked) for name, asked in MAPS.items()}
        times: dict[str, list[float]] = {name: [] for name in sides}
        for i in range(rounds + 1):  # the first is to warm up
            for name, side in sides.items():
                seconds = side()
                if i or given.quick:
                    times[name].append(seconds)
    medians = {name: statistics.median(found) for name, found in times.items()}
    unit = medians["sweep, threads"]
    maps = [[name, f"{medians.pop(f'map of {name}'):.2f}"] for name in MAPS]
    rows = [[name, f"{seconds:.2f}", f"{seconds / unit:.2f}"] for name, seconds in medians.items()]
    print(table((f"{n**3:,} runs of {STEPS} steps", "s", "by threads"), rows))
    print(table((f"{n**2:,} runs, attitude error", "s"), maps))
    if given.json:
        write_json(given.json, {"host": host(), "points": n**3, "steps": STEPS, "seconds": times})
    if given.page:
        page.main(["map", "--changes", "40", *["--quick"] * given.quick])


if __name__ == "__main__":
    main()
