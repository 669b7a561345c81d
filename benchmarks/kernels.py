"""Nanoseconds per step: the engine's kernels against the project's own C, in one process.

    python -m benchmarks.kernels [--quick] [--json FILE]

Four tables, like against like: (a) kernels alone on both sides, without tracking or storing, for
fourteen methods, on a free body and on a heavy top; (b) a long run of MR2 on Buss's prism; both
sides track every invariant at every step; (c) the engine's additional cost of storing a row each
`every` steps; (d) LGVI on two dumbbells, kernels alone on both sides.

Runs alternate, and each ratio is the median of the ratios of neighbouring runs. The C is plain
hand-written code, compiled by gcc -O3 -march=native. The engine's advantage on MR2, MR4 and SW is
mostly its polynomial sine and cosine in place of calls of the C library.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import engine
from engine.kernels import build, make_parts
from engine.kernels.driver import ReadyKernel, drive
from engine.kernels.layout import (
    LEDGER,
    OBSERVED_FORCED,
    OBSERVED_FREE,
    PARAMETERS,
    ROW_OBSERVED,
    STATE,
)
from engine.problems import Problem
from engine.problems.field import FREE
from engine.simulation import two_bodies as pair
from engine.simulation.one_body import fill_memory

from . import reference
from ._table import host, table, write_json

METHODS = tuple(reference.FUNCTIONS)
CASES = {"free": ("free", 0.5), "top": ("slow-top", 0.01)}


class EngineKernel:
    """One of the engine's kernels with its memory, ready to be timed."""

    def __init__(self, problem: Problem, method: str, h: float, tracked: bool) -> None:
        integrator = engine.algorithm(method)
        action = problem.action(h)
        advance = build.compile_kernel(make_parts(integrator, action.field, tracked))
        assert advance is not None
        self.advance = advance
        self.h = h
        self.parameters, self.initial = fill_memory(problem, action)
        self.observed = len(OBSERVED_FREE if action.field is FREE else OBSERVED_FORCED)

    def run(self, steps: int, every: int | None = None) -> tuple[float, Any]:
        """Return the seconds for `n` steps from the initial state, and the last row."""
        width = ROW_OBSERVED + self.observed
        state = np.zeros(STATE)
        ledger = np.zeros(LEDGER, dtype=np.int64)
        state[:12] = self.initial
        rows = np.zeros((steps // every + 2 if every else 2, width))
        last = np.zeros(width)
        stop = np.zeros(1, dtype=np.int64)
        extrema = np.concatenate([np.full(self.observed, np.inf), np.full(self.observed, -np.inf)])
        memory = (state, self.parameters, ledger, stop, rows, last, extrema)
        pointers = [array.ctypes.data for array in memory]
        begun = time.perf_counter()
        self.advance(*pointers, self.h, steps, every or 2 * steps)
        return time.perf_counter() - begun, last


class CKernel:
    """One of the reference's functions with its memory, ready to be timed."""

    def __init__(
        self,
        c: reference.Reference,
        case: str,
        problem: Problem,
        method: str,
        h: float,
        tracked: bool,
    ) -> None:
        self.h = h
        self.tracked = tracked
        arguments: list[Any] = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_int64]
        arguments += [ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p] if tracked else []
        self.function = ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(c.address(method, case, tracked))
        self.initial = np.concatenate([problem.R0.ravel(), problem.Omega0])
        self.parameters = np.array([*np.diag(problem.J), problem.values.get("Mgl", 0.0)])
        self.observed = len(reference.INVARIANTS[case])

    def run(self, steps: int, every: int | None = None) -> tuple[float, Any]:
        """Return the seconds for `n` steps from the initial state, and the last R and Ω."""
        state = self.initial.copy()
        rows = np.zeros((steps // every + 1 if every else 1, 12 + self.observed))
        extrema = np.zeros((2, self.observed))
        more = (every or 0, rows.ctypes.data, extrema.ctypes.data) if self.tracked else ()
        begun = time.perf_counter()
        self.function(state.ctypes.data, self.parameters.ctypes.data, self.h, steps, *more)
        return time.perf_counter() - begun, state


def seconds_of(kernel: EngineKernel | CKernel, steps: int, every: int | None = None) -> float:
    """Time one run."""
    return kernel.run(steps, every)[0]


def alternate(runs: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each contestant in each round, after one round to warm up; every other round goes
    backwards.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for i in range(rounds + 1):
        for name in list(runs) if i % 2 else list(runs)[::-1]:
            taken = runs[name]()
            if i:
                seconds[name].append(taken)
    return seconds


def ratio(seconds: dict[str, list[float]], this: str, that: str) -> float:
    """The median of the ratios of neighbouring runs."""
    return statistics.median(a / b for a, b in zip(seconds[this], seconds[that], strict=True))


def kernels_alone(c: reference.Reference, steps: int, rounds: int) -> list[dict[str, Any]]:
    """(a) Every method, free and forced."""
    results = []
    for method in METHODS:
        for case, (key, h) in CASES.items():
            problem = engine.problem(key, engine.Problem)
            ours = EngineKernel(problem, method, h, tracked=False)
            theirs = CKernel(c, case, problem, method, h, tracked=False)
            agree(method, case, ours.run(100)[1], theirs.run(100)[1])
            runs = {
                "engine": partial(seconds_of, ours, steps),
                "C": partial(seconds_of, theirs, steps),
            }
            seconds = alternate(runs, rounds)
            ns = {name: 1e9 * statistics.median(s) / steps for name, s in seconds.items()}
            results.append(
                {"method": method, "case": case, **ns, "ratio": ratio(seconds, "engine", "C")}
            )
    return results


def agree(method: str, case: str, row: Any, state: Any) -> None:
    """Check that both sides compute the same."""
    if not np.allclose(row[:12], state[:12], atol=1e-9):
        apart = np.abs(row[:12] - state[:12]).max()
        raise RuntimeError(f"{method} on {case}: the engine and the C disagree by {apart:.2g}")


def long_run(c: reference.Reference, steps: int, rounds: int) -> dict[str, Any]:
    """(b) MR2 at Buss's h = 0.020, with every invariant tracked; both sides store a thousand
    rows.
    """
    problem = engine.problem("prism", engine.Problem)
    h = 0.02
    every = steps // 1000
    ours = EngineKernel(problem, "MR2", h, tracked=True)
    theirs = CKernel(c, "free", problem, "MR2", h, tracked=True)
    runs = {
        "engine": partial(seconds_of, ours, steps, every),
        "C": partial(seconds_of, theirs, steps, every),
    }
    seconds = alternate(runs, rounds)
    medians = {name: statistics.median(s) for name, s in seconds.items()}
    return {"steps": steps, **medians, "ratio": ratio(seconds, "engine", "C")}


def recording(steps: int, rounds: int) -> list[dict[str, Any]]:
    """(c) The cost of storing rows in addition to tracking."""
    results = []
    for method in ("MR2", "NMB", "RKMK"):
        for key, h in CASES.values():
            kernel = EngineKernel(engine.problem(key, engine.Problem), method, h, tracked=True)
            intervals: dict[str, int | None] = {"none": None, "100": 100, "10": 10, "1": 1}
            runs = {
                name: partial(seconds_of, kernel, steps, every) for name, every in intervals.items()
            }
            seconds = alternate(runs, rounds)
            ratios = {name: ratio(seconds, name, "none") for name in intervals}
            results.append({"method": method, "problem": key, **ratios})
    return results


def two_bodies(c: reference.TwoBodyReference, steps: int, rounds: int) -> list[dict[str, Any]]:
    """(d) LGVI on the dumbbells DB4, by both solvers."""
    problem = engine.problem("DB4", engine.twobody.TwoBodies)
    results = []
    head, given = pair.fill_memory(problem)
    parameters = np.concatenate([head[:8], head[PARAMETERS:]])
    for solver in reference.SOLVERS:
        kernel = pair.prepare_kernel(
            problem, engine.algorithm("LGVI", solver=solver), True, tracked=False
        )

        def ours(n: int, kernel: ReadyKernel = kernel) -> tuple[float, Any]:
            begun = time.perf_counter()
            end = drive(kernel, problem.dt, n, 2 * n).rows[-1, :36]
            return time.perf_counter() - begun, end

        def theirs(n: int, solver: str = solver) -> tuple[float, Any]:
            begun = time.perf_counter()
            _, end = c.run(solver, given, parameters, problem.dt, n)
            return time.perf_counter() - begun, end

        if not np.allclose(ours(500)[1], theirs(500)[1], atol=1e-11):
            raise RuntimeError(f"LGVI with {solver}: the engine and the C disagree")
        runs = {
            "engine": lambda ours=ours: ours(steps)[0],
            "C": lambda theirs=theirs: theirs(steps)[0],
        }
        seconds = alternate(runs, rounds)
        ns = {name: 1e9 * statistics.median(s) / steps for name, s in seconds.items()}
        results.append({"solver": solver, **ns, "ratio": ratio(seconds, "engine", "C")})
    return results


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run whose figures mean little"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures with host and versions")
    parser.add_argument("--only", choices=("a", "b", "c", "d"), help="one table only")
    chosen = parser.parse_args(arguments)
    c = reference.load()
    steps, rounds = (2_000, 3) if chosen.quick else (200_000, 15)
    results: dict[str, Any] = {"host": host(), "compiler": c.compiler_version, "flags": c.flags}
    if chosen.only in (None, "a"):
        results["kernels"] = measured = kernels_alone(c, steps, rounds)
        print(f"(a) ns/step, kernels alone; C: {c.compiler_version} {' '.join(c.flags)}")
        rows = [
            (r["method"], r["case"], *(f"{r[k]:.1f}" for k in ("engine", "C")), f"{r['ratio']:.2f}")
            for r in measured
        ]
        print(table(("method", "body", "engine", "C", "ratio"), rows), end="\n\n")
    if chosen.only in (None, "b"):
        results["long run"] = r = long_run(
            c, 200_000 if chosen.quick else 200_000_000, 1 if chosen.quick else 2
        )
        print(f"(b) {r['steps']:,} steps of MR2, h = 0.020, every invariant watched")
        row = tuple(f"{r[k]:.3f}" for k in ("engine", "C", "ratio"))
        print(table(("engine s", "C s", "ratio"), [row]), end="\n\n")
    if chosen.only in (None, "c"):
        results["recording"] = measured = recording(steps, rounds)
        print("(c) time with a row stored each k steps, over watching alone")
        rows = [
            (r["method"], r["problem"], *(f"{r[k]:.3f}" for k in ("100", "10", "1")))
            for r in measured
        ]
        print(table(("method", "problem", "k = 100", "k = 10", "k = 1"), rows))
    if chosen.only in (None, "d"):
        results["two bodies"] = measured = two_bodies(reference.load_two_bodies(), steps, rounds)
        print("\n(d) ns/step of LGVI on two dumbbells, kernels alone")
        rows = [
            (r["solver"], *(f"{r[k]:.1f}" for k in ("engine", "C")), f"{r['ratio']:.2f}")
            for r in measured
        ]
        print(table(("solver", "engine", "C", "ratio"), rows))
    if chosen.json:
        write_json(chosen.json, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
