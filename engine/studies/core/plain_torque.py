"""An estimate of the time that a study takes with a torque in plain Python."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ...algorithms.core.method import Method
from ...kernels import is_compiled
from ...kernels.custom_torque import Compiled, potential, torque
from ...parameters.formula import Formula
from ...problems.problem import Problem
from ...simulation import simulate
from ...text.formatting import format_seconds

LONG = 10.0
"""Seconds of a study from which on it is announced."""
FEWEST = 16
"""Steps of the first run that is timed."""
ENOUGH = 0.02
"""Seconds of the last run that is timed."""


def announce_time(
    title: str, problem: Problem, methods: list[Method], count_steps: Callable[[Method], float]
) -> bool:
    """Warn of a study that takes long because the torque is plain Python, and return whether it
    does.

    The warning says how long the study takes if `engine.torque` compiles the torque.
    """
    if is_compiled(problem.torque, problem.acting_potential):
        return False
    steps = [count_steps(m) for m in methods]
    seconds = [_time_step(problem, m) for m in methods]
    whole = sum(n * time for n, time in zip(steps, seconds, strict=True))
    if whole < LONG:
        return False
    quick = _compile(problem)
    refusals = [
        function.refusal
        for function in (quick.torque, quick.potential)
        if isinstance(function, Compiled) and function.refusal
    ]
    if refusals:
        cure = f"engine.torque cannot compile it. {refusals[0]}"
    else:
        part = _time_step(quick, methods[0]) / seconds[0]
        cure = f"with engine.torque, which compiles it, about {format_seconds(part * whole)}"
    words = (
        f"{title} takes about {format_seconds(whole)}, because the torque is plain Python; {cure}"
    )
    warnings.warn(words, stacklevel=4)
    return True


def _compile(problem: Problem) -> Problem:
    """Return the problem with its own functions compiled."""
    changes: dict[str, Any] = {}
    if problem.torque is not None and not isinstance(problem.torque, Compiled | Formula):
        changes["torque"] = torque(problem.torque)
    if problem.potential is not None and not isinstance(problem.potential, Compiled | Formula):
        changes["potential"] = potential(problem.potential)
    return problem.replace(**changes)


def _time_step(problem: Problem, method: Method) -> float:
    """Return the least seconds of one step, of runs twice as long each until one is long enough."""
    steps = FEWEST
    least = math.inf
    while True:
        cost = simulate(problem, method, duration=steps * problem.dt, samples=1).cost
        least = min(least, cost.seconds / max(cost.steps, 1))
        if cost.seconds >= ENOUGH or cost.steps < steps:
            return least
        steps *= 2
