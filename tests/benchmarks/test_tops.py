"""The benchmark of seven motions: its references, and that its table is printed."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from benchmarks import tops


@pytest.mark.parametrize("task", tops.TASKS[1:3] + tops.TASKS[5:], ids=lambda task: task.key)
def test_the_reference_is_the_motion(task):
    """Over a part of the time, against the engine's own series and its method of order eight."""
    short = tops.Task(task.key, 1.0, task.pulse)
    for method in ("TAYLOR", "RKMK853"):
        run = engine.simulate(
            short.problem, method, duration=1.0, rtol=1e-13, atol=1e-13, samples=1
        )
        np.testing.assert_allclose(run.R[-1], tops.reference(short), atol=1e-12)


def test_the_table_is_printed(capsys):
    pytest.importorskip("mpmath")
    tops.main(["--problems", "kovalevskaya-top", "--rounds", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith("kovalevskaya-top")]) == 4
