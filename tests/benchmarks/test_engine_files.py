"""The rules of engines against the engines, as `python -m benchmarks.engines --record` ran them."""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.algorithms import PROGRAMS

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import engines as ran

ROOT = Path(__file__).parents[2]
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
RAN = json.loads(ran.STATES.read_text(encoding="utf-8"))
TRIAL = {trial.engine: trial for trial in ran.TRIALS}

BEYOND_ROUNDING = {
    "PyBullet": (1e-9, 1e-6),  # 0.04 with 32 bits
    "Simbody, Verlet": (1e-6, 3e-4),  # solved until the velocity changes by 1e-4 of itself
    "Simbody, Verlet, setAccuracy(1e-9)": (1e-11, 1e-9),
    "OpenSim, Verlet": (2e-4, 1e-2),  # Euler angles
    "Brax, generalized": (1e-12, 1e-10),  # 1e-8 added to the speed
    "Basilisk": (1e-8, 1e-6),  # steps of whole nanoseconds
    "Exudyn, generalized α": (1e-8, 1e-7),  # solved to a tolerance of 1e-8
    "Genesis, precision 64": (1e-12, 1e-11),  # solved to 1e-13 of the momentum
    "JSBSim, Adams–Bashforth 4": (1e-10, 1e-12),  # a quaternion with a length within 1e-10 of one
    "JSBSim, Adams–Bashforth 5": (1e-9, 1e-12),
}
"""Engines with 64 bits that differ from the rule by more than rounding, and by how much at most."""


def find_bounds(name):
    """Return the largest differences of an engine from its rule, after a step and after 600."""
    return (2e-5, 5e-3) if RAN[name]["bits"] == 32 else BEYOND_ROUNDING.get(name, (1e-12, 1e-12))


@functools.cache
def compare(name):
    """Return the largest differences after one step from each row of an engine's file, or after all
    from the first, and those after 600 steps of 1/60 s to its final state, in its own precision.
    """
    state = RAN[name]
    R, Omega = ran.find_states(TRIAL[name], ran.read_rows(TRIAL[name]))
    step = max(ran.compare_step(state["rule"], R, Omega))
    end = ran.compare_end(state["rule"], np.array(state["R"]), np.array(state["Omega"]))
    return step, end


@pytest.mark.parametrize("name", RAN)
def test_a_rule_reproduces_the_engine_as_it_was_run(name):
    step, end = compare(name)
    most = find_bounds(name)
    assert step < most[0]
    assert max(end) < most[1]


def read_figure(text):
    """Return a number as the documentation has it, such as 2·10⁻⁵."""
    first, _, power = text.rpartition("10")
    return float(f"{first.strip('·') or 1}e{power.translate(PLAIN)}")


def test_the_page_and_the_documentation_have_the_engines_that_were_run():
    text = (ROOT / "docs" / "how-to" / "engines.md").read_text(encoding="utf-8")
    rows = {
        cells[0]: cells[1:]
        for line in text.splitlines()
        if len(cells := line.strip("| ").split(" | ")) == len(ran.HEADERS) - 1
    }
    report = {run.setting: run for program in PROGRAMS.values() for run in program.ran}
    assert report.keys() == RAN.keys()
    for name, state in RAN.items():
        one = report[name]
        assert (one.package, one.bits, one.rule) == tuple(
            state[key] for key in ("package", "bits", "rule")
        )
        assert rows[name][:3] == [one.package, str(one.bits), f"`{one.rule}`"]
        step, *end = map(read_figure, rows[name][3:])
        assert end == [one.R, one.Omega]
        found = compare(name)
        for value, written in zip((found[0], *found[1]), (step, *end), strict=True):
            if max(find_bounds(name)) > 1e-12 and written > 1e-12:
                assert float(f"{value:.0e}") == written, name
            else:  # roundoff, which another processor does otherwise
                assert max(value, written) <= 1e-12, name
