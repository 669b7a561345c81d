"""`polhode bench`: nanoseconds per step on this machine, with and without tracking the invariants."""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..algorithms.core.method import Method, all_methods, find_method
from ..export.files import check_writable
from ..kernels import build, drive, is_cancelled
from ..problems.problem import Problem, find_problem
from ..simulation import describe_machine, format_versions, prepare_kernel, why_not
from .arguments import make_command, working
from .console import Style, as_json, table
from .outcome import end_measuring, save

PROBLEMS = ("free", "slow-top")
REPETITIONS = 7
SECONDS = 0.01
"""The length of one repetition."""
LONGEST_RUN = 15_000
"""Steps from one start. Numbers of a method that damps become subnormal some time later, and ten times as slow."""

Progress = Callable[[int, int], Any]


class TimedCase(NamedTuple):
    """One thing to time."""

    method: Method
    problem: str
    tracked: bool


def bench(
    methods: Iterable[str | Method] | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """Time methods on a free body and on a top; return the medians of the turns, and of complete ones if cancelled.

    All cases take turns, so that a disturbance of the machine affects all alike. A case is None if the method takes
    no steps of a given size, does not fit the problem, or does not reach the end.
    """
    named = all_methods() if methods is None else methods
    chosen = list(dict.fromkeys(find_method(method, space="so3") for method in named))
    cases = [TimedCase(m, problem, tracked) for m in chosen for problem in PROBLEMS for tracked in (False, True)]
    times = _time_cases(cases, progress, cancel)
    turns = min((len(found) for found in times.values() if found is not None), default=REPETITIONS)
    ns = {case: statistics.median(found[:turns]) if found and turns else None for case, found in times.items()}
    words = {"untracked": False, "tracked": True}
    rows = [
        {"method": m.label} | {p: {word: ns[TimedCase(m, p, on)] for word, on in words.items()} for p in PROBLEMS}
        for m in chosen
    ]
    return {"unit": "ns/step", "repetitions": turns, "machine": describe_machine(), "methods": rows}


def _time_cases(
    cases: list[TimedCase], progress: Progress | None, cancel: threading.Event | None
) -> dict[TimedCase, list[float] | None]:
    """Return nanoseconds per step of each case, in each turn; None if the case cannot be run."""
    steps: dict[TimedCase, int] = {}
    times: dict[TimedCase, list[float] | None] = {case: [] for case in cases}
    total, done = (REPETITIONS + 1) * len(cases), itertools.count(1)
    for turn in range(REPETITIONS + 1):
        for case in cases:
            if is_cancelled(cancel):
                return times
            found = times[case]
            if turn == 0:
                steps[case] = _choose_steps(case)
                if not steps[case]:
                    times[case] = None
            elif found is not None:
                found.append(_ns_per_step(case, steps[case]))
            if progress is not None:
                progress(next(done), total)
    return times


def format_table(result: Mapping[str, Any], style: Style) -> list[str]:
    """Return the lines of a table with what `bench` measured."""
    about = result["machine"]
    head = ["", *(f"{problem}{word}" for problem in PROBLEMS for word in ("", ", tracked"))]
    rows = [head]
    for row in result["methods"]:
        times = [row[problem][word] for problem in PROBLEMS for word in ("untracked", "tracked")]
        rows.append([row["method"], *("–" if ns is None else f"{ns:.1f}" for ns in times)])
    how = "" if about["compiled"] else ", plain Python because compiling is switched off, or llvmlite not installed"
    return [
        style.bold(f"ns per step, median of {result['repetitions']}{how}"),
        style.dim(f"{about['processor']}, {about['processors']} processors; {about['system']}"),
        style.dim(format_versions()),
        "",
        *table(rows, "<" + ">" * (len(head) - 1), style),
        "",
        style.dim("tracked: with every invariant tracked at every step, as in `polhode run`."),
    ]


def _ns_per_step(case: TimedCase, steps: int) -> float:
    """Time steps, in several runs if they are too many for one."""
    runs = -(-steps // LONGEST_RUN)
    each = steps // runs
    return 1e9 * sum(_seconds(case, each) for _ in range(runs)) / (runs * each)


def _choose_steps(case: TimedCase) -> int:
    """Return how many steps fill a repetition, 0 if the case cannot be run; compile the kernel, too."""
    problem = find_problem(case.problem, Problem)
    if case.method.step is None or why_not(problem, case.method, problem.dt) is not None:
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
    """Return the seconds of steps from the problem's initial state; 0 if the method does not get that far."""
    problem = find_problem(case.problem, Problem)
    kernel = prepare_kernel(problem, case.method, problem.action(problem.dt), build.compiles(), tracked=case.tracked)
    outcome = drive(kernel, problem.dt, steps, every=steps)
    return outcome.seconds if outcome.status == "done" else 0.0


def _run(args: argparse.Namespace) -> int:
    path = None if args.json is None else check_writable(args.json, (".json",))
    with working(args, "measurements", "preparing …") as (cancel, bar, received):
        result = bench(args.names or None, bar, cancel)
    code = save(path, lambda file: file.write_text(as_json(result), encoding="utf-8"))
    print("\n".join(format_table(result, Style(sys.stdout))))
    return end_measuring(received, code)


COMMANDS = make_command("bench", _run)
