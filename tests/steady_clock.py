"""Seconds of studies that are counted in steps, so that no disturbance of the machine decides which
method is faster, or slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from engine.studies.core import Executor

A_STEP = 1e-7
"""Seconds."""


@contextmanager
def steady_clock() -> Iterator[None]:
    """Let each step of a study's runs take 100 ns."""
    simulate = Executor.simulate

    def run_steadily(*given: Any, **setting: Any) -> Any:
        run = simulate(*given, **setting)
        vars(run)["cost"] = replace(run.cost, seconds=A_STEP * run.cost.steps)
        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Executor, "simulate", run_steadily)
        yield
