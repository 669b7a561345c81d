"""How fast the methods are on this machine: nanoseconds a step, with and without watching the invariants."""

from __future__ import annotations

import itertools
import statistics
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..algorithms.method import Method, all_methods, find_method
from ..cancelling import cancelled
from ..kernels import build
from ..kernels.driver import drive
from ..onebody.setting import setting_of, why_not
from ..problems.problem import find_problem
from ..provenance import machine, versions_line
from .console import Style, columns

PROBLEMS = ("free", "slow-top")
REPETITIONS = 7
SECONDS = 0.01
"""How long one repetition is made to take."""
LONGEST_RUN = 15_000
"""Steps from one start. Where a method damps, the numbers become subnormal some time after, and ten times as slow."""

Progress = Callable[[int, int], Any]


class TimedCase(NamedTuple):
    """One thing to be timed."""

    method: Method
    problem: str
    tracked: bool


def bench(
    methods: Iterable[str | Method] | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """Time methods on a free body and on a top.

    All cases take turns, so that a disturbance of the machine hits all alike; the median of the turns is reported,
    of those that were made in full if it was cancelled.
    A case is None where the method takes no steps of a given size, does not fit the problem, or has no solution to
    the end.
    """
    chosen = list(
        dict.fromkeys(find_method(method, space="so3") for method in (all_methods() if methods is None else methods))
    )
    cases = [
        TimedCase(method, problem, tracked) for method in chosen for problem in PROBLEMS for tracked in (False, True)
    ]
    times = _times(cases, progress, cancel)
    turns = min((len(found) for found in times.values() if found is not None), default=REPETITIONS)
    ns = {case: statistics.median(found[:turns]) if found and turns else None for case, found in times.items()}
    rows = [
        {"method": method.label}
        | {
            problem: {
                "untracked": ns[TimedCase(method, problem, False)],
                "tracked": ns[TimedCase(method, problem, True)],
            }
            for problem in PROBLEMS
        }
        for method in chosen
    ]
    return {"unit": "ns/step", "repetitions": turns, "machine": machine(), "methods": rows}


def _times(
    cases: list[TimedCase], progress: Progress | None, cancel: threading.Event | None
) -> dict[TimedCase, list[float] | None]:
    """Nanoseconds a step of each case, in each turn; None if the case cannot be run."""
    steps: dict[TimedCase, int] = {}
    times: dict[TimedCase, list[float] | None] = {case: [] for case in cases}
    total, done = (REPETITIONS + 1) * len(cases), itertools.count(1)
    for turn in range(REPETITIONS + 1):
        for case in cases:
            if cancelled(cancel):
                return times
            found = times[case]
            if turn == 0:
                steps[case] = _steps_to_take(case)
                if not steps[case]:
                    times[case] = None
            elif found is not None:
                found.append(_ns_per_step(case, steps[case]))
            if progress is not None:
                progress(next(done), total)
    return times


def table(result: Mapping[str, Any], style: Style) -> list[str]:
    """What `bench` found, to be read."""
    about = result["machine"]
    head = ["", *(f"{problem}{word}" for problem in PROBLEMS for word in ("", ", tracked"))]
    rows = [head]
    for row in result["methods"]:
        times = [row[problem][word] for problem in PROBLEMS for word in ("untracked", "tracked")]
        rows.append([row["method"], *("–" if ns is None else f"{ns:.1f}" for ns in times)])
    title, *lines = columns(rows, "<" + ">" * (len(head) - 1))
    how = "" if about["compiled"] else ", plain Python because compiling is switched off, or llvmlite not installed"
    return [
        style.bold(f"ns per step, median of {result['repetitions']}{how}"),
        style.dim(f"{about['processor']}, {about['processors']} processors; {about['system']}"),
        style.dim(versions_line()),
        "",
        style.dim(title),
        *lines,
        "",
        style.dim("tracked: with every invariant watched at every step, as in `polhode run`."),
    ]


def _ns_per_step(case: TimedCase, steps: int) -> float:
    """So many steps, in several runs if they are too many for one."""
    runs = -(-steps // LONGEST_RUN)
    each = steps // runs
    return 1e9 * sum(_seconds(case, each) for _ in range(runs)) / (runs * each)


def _steps_to_take(case: TimedCase) -> int:
    """How many steps fill a repetition, 0 if the case cannot be run; compiles the kernel, too."""
    problem = find_problem(case.problem)
    if case.method.solve is not None or why_not(problem, case.method, problem.dt) is not None:
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


def _seconds(case: TimedCase, steps: int) -> float:
    """What some steps from the problem's initial state take; 0 if the method does not get that far."""
    problem = find_problem(case.problem)
    setting = setting_of(problem, case.method, problem.action(problem.dt), build.compiles(), tracked=case.tracked)
    outcome = drive(setting, problem.dt, steps, every=steps)
    return outcome.seconds if outcome.state == "done" else 0.0
