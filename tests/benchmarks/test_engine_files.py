"""The rules of engines against the engines, as `python -m benchmarks.engines --record` ran them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.algorithms import PROGRAMS

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import engines as ran

ROOT = Path(__file__).parents[2]
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
RAN = json.loads(ran.STATES.read_text(encoding="utf-8"))
TRIAL = {trial.engine: trial for trial in ran.TRIALS}

BEYOND_ROUNDING = {
    "PyBullet": (1e-9, 1e-6),  # 0.04 with 32 bits
    "Simbody, Verlet": (1e-6, 3e-4),  # solved until the velocity changes by 1e-4 of itself
    "Simbody, Verlet, setAccuracy(1e-9)": (1e-11, 1e-9),
    "OpenSim, Verlet": (2e-4, 1e-2),  # Euler angles
}
"""Engines with 64 bits that differ from the rule by more than rounding, and by how much at most."""


def find_bounds(name):
    """Return the largest differences of an engine from its rule, after a step and after 600."""
    return (2e-5, 5e-3) if RAN[name]["bits"] == 32 else BEYOND_ROUNDING.get(name, (1e-12, 1e-12))


@pytest.mark.parametrize("name", RAN)
def test_a_rule_reproduces_the_engine_as_it_was_run(name):
    """One step from each row of its file, and 600 steps of 1/60 s to its final state, in the
    engine's own precision.
    """
    state = RAN[name]
    step, end = find_bounds(name)
    assert max(ran.compare_end(state["rule"], state["R"], state["Omega"])) < end
    R, Omega = ran.find_states(TRIAL[name], ran.read_rows(TRIAL[name]))
    assert max(ran.compare_step(state["rule"], R, Omega)) < step


def write_figure(value):
    """Return a number of one digit as the documentation has it."""
    figure, power = f"{value:.0e}".split("e")
    return f"{figure}·10{str(int(power)).translate(RAISED)}".removeprefix("1·")


def test_the_page_and_the_documentation_have_the_engines_that_were_run():
    text = (ROOT / "docs" / "how-to" / "engines.md").read_text(encoding="utf-8")
    report = {run.setting: run for program in PROGRAMS.values() for run in program.ran}
    assert report.keys() == RAN.keys()
    for name, state in RAN.items():
        one = report[name]
        assert (one.package, one.bits, one.rule) == tuple(
            state[key] for key in ("package", "bits", "rule")
        )
        figures = " | ".join(write_figure(value) for value in (one.R, one.Omega))
        assert f"| {name} | {one.package} | {one.bits} | `{one.rule}` | {figures} |" in text
        off = ran.compare_end(one.rule, np.array(state["R"]), np.array(state["Omega"]))
        if find_bounds(name)[1] > 1e-12:
            assert [f"{value:.0e}" for value in off] == [
                f"{value:.0e}" for value in (one.R, one.Omega)
            ]
        else:  # roundoff, which another processor does otherwise
            assert max(*off, one.R, one.Omega) <= 1e-12
