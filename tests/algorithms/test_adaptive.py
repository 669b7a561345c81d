"""SciPy's solvers by the same call: they meet their tolerance, stop at jumps, and end like any
other run.
"""

from __future__ import annotations

import importlib
import threading
from itertools import product

import numpy as np
import pytest
from covering import covering, first

import engine
from engine.text.formatting import show

SOLVERS = ["DOP853", "RK45", "RADAU", "LSODA"]


@pytest.mark.parametrize(
    ("solver", "key"),
    covering(product(SOLVERS, ["free", "slow-top", "magnet"]), by=lambda solver, key: (solver,)),
)
def test_the_error_follows_the_tolerance(solver, key):
    fine = engine.simulate(key, "RKMK(tableau=butcher6)", dt=0.005, duration=5.0, every=10)
    errors = []
    for rtol in (1e-5, 1e-8, 1e-11):
        run = engine.simulate(key, solver, duration=5.0, samples=100, rtol=rtol, atol=rtol / 100)
        np.testing.assert_allclose(run.t, fine.t, rtol=1e-15)
        errors.append(np.abs(run.R - fine.R).max())
    assert errors[0] > 20 * errors[1] > 400 * errors[2]
    assert errors[-1] < 1e-8
    assert run.cost.steps > 10 and (run.cost.torque_evaluations == 0) == (key == "free")
    assert run.extrema["orthogonality"].max >= run.orthogonality.max() > 1e-14


@pytest.mark.parametrize("solver", first(SOLVERS))
def test_the_book_s_jumps_are_stepped_on(solver):
    """A step across a jump would lose orders of accuracy, or need many small steps."""
    problem = engine.problem("book-toss", J=(5, 10, 6))
    width = problem.dt
    R = problem.R0
    Omega = problem.Omega0
    for torque, length in (((20.0, 0, 0), 2.0), ((0, 0.2 / width, 0), width), ((0, 0, 0), 0.95)):
        part = engine.Problem(
            J=problem.J,
            R0=R,
            Omega0=Omega,
            torque=engine.torque(lambda t, R, torque=torque: torque),
        )
        run = engine.simulate(
            part, "RKMK(tableau=butcher6)", dt=length / 2000, steps=2000, samples=1
        )
        R = run.R[-1]
        Omega = run.Omega[-1]
    run = engine.simulate(problem, solver, duration=3.0, samples=10, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(run.R[-1], R, atol=1e-8)
    np.testing.assert_allclose(run.Omega[-1], Omega, atol=1e-7)


@pytest.mark.parametrize("solver", SOLVERS)
def test_plain_python_agrees(solver, monkeypatch):
    given = {"duration": 1.0, "samples": 20}
    compiled = engine.simulate("slow-top", solver, **given)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = engine.simulate("slow-top", solver, **given)
    np.testing.assert_allclose(plain.R, compiled.R, atol=1e-9)
    np.testing.assert_allclose(plain.energy, compiled.energy, rtol=1e-9)
    assert not plain.provenance["compiled"]


def test_rows_by_samples_or_by_dt():
    assert len(engine.simulate("free", "DOP853")) == 1001
    assert len(engine.simulate("free", "DOP853", samples=7)) == 8
    by_dt = engine.simulate("free", "DOP853", dt=0.25, duration=2.0, every=2)
    np.testing.assert_array_equal(by_dt.t, [0, 0.5, 1.0, 1.5, 2.0])
    assert len(engine.simulate("free", "DOP853", duration=0.0)) == 1
    again = by_dt.rerun()
    np.testing.assert_array_equal(again.R, by_dt.R)
    coarse = by_dt.rerun(rtol=1e-3)
    assert (
        1e-5 > np.abs(coarse.R - by_dt.R).max() > 1e-9
        and coarse.method.label == "DOP853(rtol=0.001)"
    )


def test_a_full_inertia_and_the_caller_s_own_torque():
    Q = engine.Problem(R0=(0.3, -0.4, 0.8)).R0
    plain = engine.Problem(
        J=(1, 2, 2.5), Omega0=(0.3, 1, 0.2), torque=lambda t, R: 0.2 * R[:, 0] - R[:, 2] * t
    )
    turned = engine.Problem(
        J=Q @ plain.J @ Q.T,
        R0=Q.T,
        Omega0=Q @ plain.Omega0,
        torque=lambda t, R: 0.2 * (R @ Q)[:, 0] - (R @ Q)[:, 2] * t,
    )
    one, other = (
        engine.simulate(p, "DOP853", duration=3.0, samples=30, rtol=1e-11) for p in (plain, turned)
    )
    np.testing.assert_allclose(other.R @ Q, one.R, atol=1e-8)
    stepped = engine.simulate(plain, "RKMK", dt=0.002, duration=3.0, every=50)
    np.testing.assert_allclose(one.R, stepped.R, atol=1e-8)


@pytest.mark.exhaustive
def test_cancelling_and_progress():
    seen = []
    cancel = threading.Event()

    def progress(done, total):
        seen.append((done, total))
        if done > 2:
            cancel.set()

    run = engine.simulate(
        "magnet", "RADAU", rtol=1e-12, samples=5000, cancel=cancel, progress=progress
    )
    assert run.status == "cancelled" and "Cancelled" in run.message
    assert 2 < len(run) < 5001 and run.t[-1] < 10_000
    assert run.message.endswith(f"at t = {show(run.t[-1])}.")
    assert all(total == 5000 for _, total in seen) and [d for d, _ in seen] == sorted(
        d for d, _ in seen
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_torque_that_fails_ends_the_run(solver):
    def torque(t, R):
        if t > 1.0:
            raise RuntimeError("enough")
        return (0.1, 0.0, 0.2)

    run = engine.simulate(engine.Problem(torque=torque), solver, duration=3.0)
    assert run.status == "diverged" and "enough" in run.message
    assert (
        0.5 < run.t[-1] <= 1.0
        and np.isfinite(run.R).all()
        and run.failed_step == run.cost.steps + 1
    )


def test_saved_and_loaded(tmp_path):
    run = engine.simulate("slow-top", "LSODA", duration=1.0, samples=10, rtol=1e-7)
    again = engine.load(run.save(tmp_path / "run.npz"))
    np.testing.assert_array_equal(again.R, run.R)
    assert again.method.label == run.method.label and again.cost == run.cost
    for name, extrema in run.extrema.items():
        np.testing.assert_array_equal(again.extrema[name], extrema)


@pytest.mark.parametrize("given, why", [
    ({"rtol": 1e-20}, "rtol must be a number from 3·10⁻¹⁴ to 0.1"),
    ({"samples": 0}, "samples must be"),
    ({"duration": -1.0}, "duration must be"),
    ({"samples": 10**9}, "samples must be"),
    ({"energy_correction": True}, "follows each step of a given size"),
    ({"compose": "yoshida4"}, "no steps of a given size"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(given, why):
    with pytest.raises(ValueError, match=why):
        engine.simulate("free", "DOP853", **given)


def test_a_run_ends_after_so_many_steps_of_the_solver_s_own(monkeypatch):
    monkeypatch.setattr(importlib.import_module("engine.algorithms.adaptive"), "MOST_STEPS", 20)
    for problem in ("free", "dumbbells"):
        run = engine.simulate(problem, "DOP853", duration=100, samples=10_000)
        assert run.status == "no-solution" and 0 < run.t[-1] < 100
        assert "in 20 steps of its own, and takes no more in one run" in run.message
