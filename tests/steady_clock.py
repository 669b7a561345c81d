"""Seconds of studies that are counted in steps, so that no disturbance of the machine decides which
method is faster, or slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from engine.studies.core import Executor


def count_steps(run: Any) -> float:
    """Return the seconds of a run whose steps take 100 ns each."""
    return 1e-7 * float(run.cost.steps)


@contextmanager
def steady_clock(time_run: Callable[[Any], float] = count_steps) -> Iterator[None]:
    """Let the runs of studies and claims take so many seconds."""
    simulate = Executor.simulate

    def run_steadily(*given: Any, **setting: Any) -> Any:
        run = simulate(*given, **setting)
        vars(run)["cost"] = replace(run.cost, seconds=time_run(run))
        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Executor, "simulate", run_steadily)
        yield
