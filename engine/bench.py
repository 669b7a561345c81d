"""How fast the methods are on this machine: nanoseconds a step, with and without watching the invariants."""

from __future__ import annotations

import contextlib
import os
import platform
import statistics
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from .algorithms.method import Method
from .algorithms.method import find as find_method
from .algorithms.method import registered as all_methods
from .compiler import build
from .compiler.driver import drive
from .compiler.layout import OBSERVED_FORCED, OBSERVED_FREE
from .field import FREE
from .problems.problem import find as find_problem
from .simulate import memory_of, misfit, parts_of

PROBLEMS = ("free", "slow-top")
REPETITIONS = 7
SECONDS = 0.01
"""How long one repetition is made to take."""
LONGEST_RUN = 15_000
"""Steps from one start. Where a method damps, the numbers become subnormal some time after, and ten times as slow."""

Progress = Callable[[int, int], Any]


class Case(NamedTuple):
    """One thing to be timed."""

    method: Method
    problem: str
    tracked: bool


def bench(methods: Iterable[str | Method] | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """Time methods on a free body and on a top.

    All cases take turns, so that a disturbance of the machine hits all alike; the median of the turns is reported.
    A case is None where the method does not fit the problem, or has no solution to the end.
    """
    chosen = [find_method(method) for method in (all_methods() if methods is None else methods)]
    cases = [Case(method, problem, tracked) for method in chosen for problem in PROBLEMS for tracked in (False, True)]
    turns = REPETITIONS + 1
    ns: dict[Case, list[float]] = {case: [] for case in cases}
    steps: dict[Case, int] = {}
    for turn in range(turns):
        for i, case in enumerate(cases):
            if turn == 0:
                steps[case] = _steps_to_take(case)
            elif steps[case]:
                ns[case].append(_ns_per_step(case, steps[case]))
            if progress is not None:
                progress(turn * len(cases) + i + 1, turns * len(cases))
    table = [
        {
            "method": method.label,
            **{
                problem: {
                    word: statistics.median(times) if (times := ns[Case(method, problem, tracked)]) else None
                    for word, tracked in (("untracked", False), ("tracked", True))
                }
                for problem in PROBLEMS
            },
        }
        for method in chosen
    ]
    return {"unit": "ns/step", "repetitions": REPETITIONS, "machine": machine(), "methods": table}


def machine() -> dict[str, Any]:
    """What the numbers depend on besides the methods."""
    about = {"processor": processor(), "processors": os.cpu_count(), "system": platform.platform()}
    return {**about, "compiled": build.compiles(), "versions": versions()}


def versions() -> dict[str, str | None]:
    """The versions of this engine and of what it stands on; None for what is not installed."""
    found: dict[str, str | None] = {"polhode": None, "python": platform.python_version()}
    for name in ("polhode", "numpy", "numba", "llvmlite"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _ns_per_step(case: Case, steps: int) -> float:
    """So many steps, in several runs if they are too many for one."""
    runs = -(-steps // LONGEST_RUN)
    each = steps // runs
    return 1e9 * sum(_seconds(case, each) for _ in range(runs)) / (runs * each)


def _steps_to_take(case: Case) -> int:
    """How many steps fill a repetition, 0 if the case can not be run; compiles the kernel, too."""
    problem = find_problem(case.problem)
    if misfit(case.method, problem.action(problem.dt).field) is not None:
        return 0
    _seconds(case, 10)
    n = 100
    while True:
        seconds = _seconds(case, n)
        if seconds == 0.0:
            return 0
        if seconds > SECONDS / 10 or n == LONGEST_RUN:
            return max(1, round(n * SECONDS / seconds))
        n = min(4 * n, LONGEST_RUN)


def _seconds(case: Case, steps: int) -> float:
    """What some steps from the problem's initial state take; 0 if the method does not get that far."""
    problem = find_problem(case.problem)
    action = problem.action(problem.dt)
    parts = parts_of(case.method, action, case.tracked)
    compiled = build.compiles()
    observed = OBSERVED_FREE if action.field is FREE else OBSERVED_FORCED
    outcome = drive(
        build.compiled(parts) if compiled else build.plain(parts),
        compiled,
        *memory_of(problem, case.method, action),
        len(observed),
        problem.dt,
        steps,
        every=steps,
    )
    return outcome.seconds if outcome.state == "done" else 0.0
