"""Old run files: they load, name their versions, and can be rerun.

The files in `tests/data/saved` are of commit 0ada697; this file, run there as a script with the
folder, wrote them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine

SAVED = Path(__file__).parents[1] / "data" / "saved"

RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "body": (
        "free",
        "MR2(axes=231, trig=cayley)",
        {"J": (2, 3, 4), "R0": (1, 0, 0, 1), "Pi0": (1, 2, 3)},
    ),
    "top": ("slow-top", "SQ-M(beta=0.2)", {"Mgl": 12.5, "Omega0": (0, 0, 4)}),
    "top-of-its-parts": ("lagrange-top", "DMV*yoshida4", {"gravity": 15, "mass": 2}),
    "wall": ("soft-wall(sign=as-printed)", "RK4-AVG(mean=quaternion)", {}),
    "own": (
        "custom(torque=space)",
        "NMB",
        {"moment": (0.1, 0, 0.2), "J": [[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]]},
    ),
    "toss": ("book-toss", "AKW(torque=half)", {"td": 1.5, "kick": -0.3}),
    "adaptive": ("magnet", "DOP853(rtol=1e-9)", {"alpha": 0.25}),
    "corrected": ("prism", "BUSS3(tail=False)+E", {}),
    "dumbbells": (
        "dumbbells(case=DB1)",
        "LGVI(solver=cayley)",
        {"m1": 2, "R2": (0.1, 0, 0), "G": 0.3},
    ),
    "pair": ("two-bodies", "RK2", {"X": (1.6, 0, 0.1), "drift": (0.1, 0, 0)}),
}
"""The setting of each file: a problem, a method, and the changes to the problem."""


def make_run(problem: str, method: str, changes: dict[str, Any]) -> Any:
    """A short run; an adaptive method has no steps."""
    posed = engine.problem(problem).replace(**changes)
    adaptive = engine.algorithm(method, space=posed.space).adaptive
    return engine.simulate(
        posed, method, **({"duration": 1.0, "samples": 3} if adaptive else {"steps": 3})
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RUNS)
def test_a_run_saved_before_is_made_again(name):
    problem, method, changes = RUNS[name]
    then = engine.load(SAVED / f"{name}.csv")
    now = make_run(problem, method, changes)
    assert (then.problem.label, then.method.label, then.dt) == (
        now.problem.label,
        now.method.label,
        now.dt,
    )
    assert dict(then.problem.values) == dict(now.problem.values)
    for again in (now, then.rerun()):
        assert again.columns().keys() == then.columns().keys()
        for series, values in again.columns().items():
            np.testing.assert_allclose(
                values, then.columns()[series], rtol=1e-11, atol=1e-11, err_msg=series
            )


def test_a_parameter_that_came_later_has_its_default():
    report = engine.problem("slow-top", Mgl=12.5).to_json()
    del report["values"]["gravity"]
    assert engine.problem("slow-top").from_json(report).values["gravity"] == 9.81


if __name__ == "__main__":
    for name, run in RUNS.items():
        make_run(*run).save(Path(sys.argv[1]) / f"{name}.csv")
