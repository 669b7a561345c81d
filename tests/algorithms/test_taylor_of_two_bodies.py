"""TAYLOR for two bodies: its error against the tolerance, rows, invariants, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from covering import first

import engine

CASES = json.loads((Path(__file__).parents[1] / "data" / "two_bodies_113_bits.json").read_text())


def run(key, tolerance, **how):
    return engine.simulate(key, "TAYLOR", rtol=tolerance, atol=tolerance, **how)


@pytest.mark.parametrize("key", first(CASES["motions"]))
def test_the_error_is_near_the_tolerance(key):
    """Against states in quadruple precision; see tests/data/two_bodies_113_bits.py."""
    case = CASES["motions"][key]
    steps = []
    for tolerance in (1e-6, 1e-9, 1e-12, 1e-15):
        found = run(key, tolerance, duration=case["t"], samples=1)
        assert found.status == "done" and found.cost.rejected_steps == 0
        steps.append(found.cost.steps)
        for name in ("R1", "R2", "Omega1", "Omega2", "x1", "x2", "v1", "v2"):
            wanted = np.array(case[name])
            off = np.abs(getattr(found, name)[-1] - wanted).max()
            assert off < 200 * max(tolerance, 1e-15) * max(1.0, np.abs(wanted).max()), name
    assert steps == sorted(steps) and steps[-1] < 4 * steps[0]


def test_rows_do_not_change_the_steps():
    """Rows within a step are values of its polynomial, as accurate as the ends of steps."""
    one, many = (run("dumbbells", 1e-9, duration=4.0, samples=n) for n in (1, 512))
    for name in ("R1", "R2", "x1", "v2"):
        np.testing.assert_array_equal(getattr(many, name)[-1], getattr(one, name)[-1])
    assert many.cost.steps == one.cost.steps
    assert many.orthogonality.max() < 1e-14
    assert np.abs(many.energy - many.energy[0]).max() < 1e-7


def test_the_centre_of_mass_moves_uniformly():
    problem = engine.problem("dumbbells").replace(drift=(0.3, -0.2, 0.1))
    found = run(problem, 1e-6, duration=10.0, samples=20)
    np.testing.assert_allclose(
        found.linear_momentum, np.broadcast_to(found.linear_momentum[0], (21, 3)), atol=1e-14
    )
    m1, m2 = problem.body1.mass, problem.body2.mass
    centre = (m1 * found.x1 + m2 * found.x2) / (m1 + m2)
    np.testing.assert_allclose(centre, found.t[:, None] * problem.drift, atol=1e-13)


def test_bodies_of_point_masses_are_refused():
    masses = next(p for p in engine.problems("se3") if p.attraction.pairs is None)
    with pytest.raises(ValueError, match="which only two dumbbells have; use DOP853"):
        engine.simulate(masses, "TAYLOR", duration=1.0)


@pytest.mark.exhaustive
def test_compiled_and_plain_steps_agree(monkeypatch):
    compiled = run("dumbbells", 1e-9, duration=1.0, samples=4)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = run("dumbbells", 1e-9, duration=1.0, samples=4)
    assert plain.cost.steps == compiled.cost.steps
    np.testing.assert_allclose(plain.R1, compiled.R1, atol=1e-13)
    np.testing.assert_allclose(plain.x1, compiled.x1, atol=1e-13)
