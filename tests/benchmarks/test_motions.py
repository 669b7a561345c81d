"""The seven motions of the benchmark of peers: their references and their equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from covering import first

import engine
from benchmarks import motions


@pytest.mark.parametrize(
    "task", first(motions.TASKS[1:3] + motions.TASKS[5:], 2), ids=lambda task: task.key
)
def test_the_reference_is_the_motion(task):
    """Over a part of the time, against the engine's own series and its method of order eight."""
    short = motions.Task(task.key, 1.0, task.pulse)
    for method in ("TAYLOR", "RKMK853"):
        run = engine.simulate(
            short.problem, method, duration=1.0, rtol=1e-13, atol=1e-13, samples=1
        )
        np.testing.assert_allclose(run.R[-1], motions.reference(short), atol=1e-12)


@pytest.mark.parametrize("task", motions.TASKS, ids=lambda task: task.key)
def test_both_formulations_have_the_rates_of_the_motion(task):
    """The quaternion and two rows turn alike, and Omega changes as the engine's torque has it."""
    s = 1e-5
    states = []
    for form in motions.list_formulations(task):
        rates = form.rates(math.sin)
        ahead, behind = (
            form.start + sign * s * np.array(rates(0.3, *form.start)) for sign in (1, -1)
        )
        turned = motions.find_attitude(ahead) - motions.find_attitude(behind)
        states.append((turned / (2 * s), (ahead - behind)[-3:] / (2 * s)))
    for a, b in zip(*states, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6 * (1 + np.abs(a).max()))
    R, v = task.problem.R0, np.array(task.problem.Omega0)
    gamma = R.T[:, 2]
    torque = np.cross(gamma, task.weight) + (0.0, 0.0, task.pulse * math.sin(0.3) ** 2)
    gained = np.linalg.solve(task.problem.J, np.cross(task.problem.J @ v, v) + torque)
    np.testing.assert_allclose(states[0][1], gained, atol=1e-8 * (1 + np.abs(gained).max()))
