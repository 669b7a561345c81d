"""Clocks that jump: the engine and the page must not rely on the time of day."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
from trials import Cases, at_random, trial

import engine
from engine.simulation.progress_bar import ProgressBar
from engine.studies import sweep

JUMPS = (-1e9, -86_400.0, -3_600.0, -1.0, 1.0, 3_600.0, 86_400.0, 1e9)


@contextmanager
def jumping(chance: random.Random) -> Iterator[None]:
    """Each reading of the time of day may jump by up to thirty years."""
    now = time.time
    ahead = [0.0]

    def jump() -> float:
        if chance.random() < 0.5:
            ahead[0] = chance.choice(JUMPS)
        return now() + ahead[0]

    with mock.patch.object(time, "time", jump):
        yield


@trial(
    "the time of day jumps during a run, a sweep with its progress, and a save", short=10, full=500
)
def clock_of_runs(folder: Path) -> Iterator[Cases]:
    over = {"dt": np.linspace(0.01, 0.1, 5)}
    once = sweep("free", "MR2", over=over, steps=5)
    run = engine.simulate("free", "MR2", steps=50)

    def check(chance: random.Random) -> None:
        reports: list[int] = []
        with jumping(chance):
            with ProgressBar("points", False) as bar:
                again = sweep(
                    "free",
                    "MR2",
                    over=over,
                    steps=5,
                    progress=lambda done, total: (reports.append(done), bar(done, total)),
                )
            path = engine.simulate("free", "MR2", steps=50).save(folder / "run.npz")
            loaded = engine.load(path)
        assert again.identical(once) and loaded.R.tobytes() == run.R.tobytes()
        assert reports == sorted(reports) and reports[-1] == once["status"].size

    yield at_random(check)
