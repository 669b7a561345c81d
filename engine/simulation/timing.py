"""Nanoseconds per step of methods, on a free body and on a top."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..algorithms.core import FixedStep, Method
from ..kernels import compiles, drive, is_cancelled
from ..problems.problem import Problem, find_problem
from .one_body import prepare_kernel, why_not

TIMED_PROBLEMS = ("free", "slow-top")
REPETITIONS = 9
COMPILED_STEPS, PLAIN_STEPS = 10_000, 50
"""Steps of one run. In much longer runs numbers of a method that damps become subnormal, and ten
times as slow.
"""


class TimedCase(NamedTuple):
    """One thing to time."""

    method: Method
    problem: str
    tracked: bool = True
    """Whether every invariant is tracked at every step."""

    def can_run(self) -> bool:
        """Whether the method takes steps of a given size, and fits the problem."""
        problem = find_problem(self.problem, Problem)
        steps = isinstance(self.method, FixedStep)
        return steps and why_not(problem, self.method, problem.dt) is None

    def time(self, steps: int) -> float | None:
        """Return nanoseconds per step from the problem's initial state; None if the run does not
        reach its end.
        """
        problem = find_problem(self.problem, Problem)
        action = problem.action(problem.dt)
        kernel = prepare_kernel(problem, self.method, action, compiles(), tracked=self.tracked)
        outcome = drive(kernel, problem.dt, steps, every=steps)
        return 1e9 * outcome.seconds / steps if outcome.status == "done" else None


def time_cases(
    cases: Iterable[TimedCase],
    progress: Callable[[int, int], Any] | None = None,
    cancel: threading.Event | None = None,
) -> dict[TimedCase, list[float]]:
    """Return the nanoseconds per step of each case that can run, in each complete turn; none if its
    run fails.

    All take turns, so that a disturbance of the machine affects all alike.
    """
    times: dict[TimedCase, list[float]] = {case: [] for case in cases if case.can_run()}
    steps = COMPILED_STEPS if compiles() else PLAIN_STEPS
    done = 0
    total = (REPETITIONS + 1) * len(times)
    for turn, case in itertools.product(range(REPETITIONS + 1), times):
        if is_cancelled(cancel):
            break
        ns = case.time(steps)
        if turn and ns is not None:  # the first turn compiles and warms up
            times[case].append(ns)
        done += 1
        if progress is not None:
            progress(done, total)
    turns = max(0, done // max(1, len(times)) - 1)
    return {case: found[:turns] for case, found in times.items()}
