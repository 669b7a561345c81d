"""Independently computed final states, and the figures of Buss and of Krysl and Endres."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from covering import covering, first

import engine

DATA = Path(__file__).parents[1] / "data"
STATES = json.loads((DATA / "final_states.json").read_text())


@pytest.mark.parametrize(
    "state",
    covering(STATES, by=lambda s: (s["problem"], engine.algorithm(s["method"]).family)),
    ids=lambda s: f"{s['problem']}-{s['method']}-{s['dt']}",
)
def test_final_state(state):
    run = engine.simulate(state["problem"], state["method"], dt=state["dt"], steps=state["steps"])
    assert run.status == "done"
    assert np.abs(run.R[-1].ravel() - state["R"]).max() <= state["tol"]
    if "Omega" in state:
        assert np.abs(run.Omega[-1] - state["Omega"]).max() <= state["tol"]
    if "energy" in state:
        assert run.energy[-1] == pytest.approx(state["energy"], abs=100 * state["tol"])
    if "energy_before" in state:
        assert run.energy[-2] == pytest.approx(state["energy_before"], abs=100 * state["tol"])


@pytest.mark.parametrize("solver", ["cayley", "quaternion"])
@pytest.mark.parametrize(
    "state",
    first([s for s in STATES if s["method"] == "DMV"]),
    ids=lambda s: f"{s['problem']}-{s['dt']}",
)
def test_final_state_of_dmv_by_another_solver(state, solver):
    test_final_state(state | {"method": f"DMV(solver={solver})"})


def test_the_energy_of_buss_begins_where_the_paper_says():
    run = engine.simulate("prism", "BUSS1", steps=0)
    assert run.energy[0] == pytest.approx(1560 / 19, rel=1e-15)
    assert np.linalg.norm(run.problem.Pi0) == pytest.approx(3.0, rel=1e-15)


@pytest.mark.parametrize("dt", [4.0, 2.0, 1.0, 0.5])
def test_the_exact_invariant_of_nmb(dt):
    """E + h²/8 A·JA is kept to roundoff, since NMB's half-step velocities obey the midpoint rule
    (free body).
    """
    run = engine.simulate("free", "NMB", dt=dt, duration=100.0)
    A = np.linalg.solve(run.problem.J, np.cross(run.Pi, run.Omega).T).T
    invariant = run.energy + dt**2 / 8 * np.einsum("ni,ij,nj->n", A, run.problem.J, A)
    assert np.ptp(invariant) <= 2e-15
    assert np.ptp(run.energy) > 1e-3 * run.energy[0]  # which the energy itself is not


@pytest.mark.exhaustive
def test_two_hundred_million_steps_stay_in_their_band():
    """A fiftieth of Buss's run with his largest step: MR's energy stays within the range of the
    whole run.
    """
    for axes, low, high in (("123", 75.1238, 82.1053), ("231", 82.1053, 82.1281)):
        run = engine.simulate("prism", f"MR2(axes={axes})", dt=0.02, steps=4_000_000, samples=1000)
        energy = run.extrema["energy"]
        assert low - 1e-3 <= energy.min < energy.max <= high + 1e-3
