"""Final states that were computed independently, and the figures of Buss and of Krysl and Endres."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import engine

DATA = Path(__file__).parent / "data"
STATES = json.loads((DATA / "final_states.json").read_text())
FIGURE_5 = json.loads((DATA / "buss_figure_5.json").read_text())


@pytest.mark.parametrize("state", STATES, ids=lambda s: f"{s['problem']}-{s['method']}-{s['dt']}")
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
    "state", [s for s in STATES if s["method"] == "DMV"], ids=lambda s: f"{s['problem']}-{s['dt']}"
)
def test_final_state_of_dmv_by_another_solver(state, solver):
    test_final_state(state | {"method": f"DMV(solver={solver})"})


@pytest.mark.parametrize("method", FIGURE_5["energy"])
def test_figure_5_of_buss(method):
    """Energies as printed, which are those after one step fewer than the text says."""
    for h, steps, printed in zip(FIGURE_5["h"], FIGURE_5["steps"], FIGURE_5["energy"][method], strict=True):
        run = engine.simulate("prism", method, dt=h, steps=steps)
        last_digit = float(Decimal(1).scaleb(Decimal(printed).as_tuple().exponent))
        assert abs(run.energy[-2] - float(printed)) <= 0.6 * last_digit, (h, run.energy[-2])


def test_the_energy_of_buss_begins_where_the_paper_says():
    run = engine.simulate("prism", "BUSS1", steps=0)
    assert run.energy[0] == pytest.approx(1560 / 19, rel=1e-15)
    assert np.linalg.norm(run.problem.Pi0) == pytest.approx(3.0, rel=1e-15)


@pytest.mark.parametrize("dt", [4.0, 2.0, 1.0, 0.5])
def test_the_exact_invariant_of_nmb(dt):
    """E + h²/8 A·JA is kept to roundoff, since NMB's half-step velocities obey the midpoint rule (free body)."""
    run = engine.simulate("free", "NMB", dt=dt, duration=100.0)
    A = np.linalg.solve(run.problem.J, np.cross(run.Pi, run.Omega).T).T
    invariant = run.energy + dt**2 / 8 * np.einsum("ni,ij,nj->n", A, run.problem.J, A)
    assert np.ptp(invariant) <= 2e-15
    assert np.ptp(run.energy) > 1e-3 * run.energy[0]  # which the energy itself is not


def test_ranges_of_krysl_and_endres_figure_1():
    """Kinetic energy swings by so much, and by no more after a million steps."""
    start = engine.simulate("free", "NMB", steps=0).energy[0]
    assert start == pytest.approx(0.4706368101438201, rel=1e-15)
    for dt, percent in ((4.0, 13.59), (2.0, 4.261), (1.0, 1.144), (0.5, 0.2914)):
        run = engine.simulate("free", "NMB", dt=dt, duration=100.0)
        assert 100 * np.ptp(run.energy) / start == pytest.approx(percent, rel=2e-3)
    first = engine.simulate("free", "NMB", dt=0.5, steps=100_000, samples=10).extrema["energy"]
    whole = engine.simulate("free", "NMB", dt=0.5, steps=1_000_000, samples=10).extrema["energy"]
    assert whole.min == pytest.approx(first.min, rel=1e-8)
    assert whole.max == pytest.approx(first.max, rel=1e-8)


def test_rotation_per_step_of_figure_2():
    run = engine.simulate("free", "NMB", dt=1.0, duration=100.0)
    degrees = np.degrees(run.increment[1:])
    assert np.isnan(run.increment[0])
    assert (degrees.min(), degrees.max()) == pytest.approx((54.09, 55.50), abs=0.01)


def test_two_hundred_million_steps_stay_in_their_band():
    """A fiftieth of Buss's run, with his largest step: MR's energy stays between the figures of the whole of it."""
    for axes, low, high in (("123", 75.1238, 82.1053), ("231", 82.1053, 82.1281)):
        run = engine.simulate("prism", f"MR2(axes={axes})", dt=0.02, steps=4_000_000, samples=1000)
        energy = run.extrema["energy"]
        assert low - 1e-3 <= energy.min < energy.max <= high + 1e-3
