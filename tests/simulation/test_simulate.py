"""Time, thinning, extrema, how runs end, progress and cancelling, general inertia."""

from __future__ import annotations

import itertools
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from covering import few, first
from entered_files import list_entered_files
from hypothesis import given, settings
from hypothesis import strategies as st
from timeouts import TIMEOUT

import engine
from engine.kernels import compiles, driver
from engine.simulation.one_body import why_not


def test_the_first_row_is_the_given_state():
    problem = engine.problem("slow-top")
    run = engine.simulate(problem, "MR2", steps=10)
    assert run.t[0] == 0.0
    np.testing.assert_array_equal(run.R[0], problem.R0)
    np.testing.assert_allclose(run.Omega[0], problem.Omega0, rtol=1e-15)
    assert np.isnan(run.increment[0]) and np.isfinite(run.increment[1:]).all()


def test_times_are_multiples_of_the_step_and_not_summed_up():
    run = engine.simulate("free", "MR2", dt=0.1, steps=100_000, every=10_000)
    np.testing.assert_array_equal(run.t, np.arange(11) * 10_000 * 0.1)


@settings(max_examples=few(60))
@given(steps=st.integers(0, 400), every=st.integers(1, 150))
def test_thinning_keeps_the_same_states_and_the_last_one(steps, every):
    whole = engine.simulate("slow-top", "NMB", steps=steps)
    thinned = engine.simulate("slow-top", "NMB", steps=steps, every=every)
    kept = list(range(0, steps + 1, every)) + ([steps] if steps % every else [])
    np.testing.assert_array_equal(thinned.t, whole.t[kept])
    np.testing.assert_array_equal(thinned.R, whole.R[kept])
    np.testing.assert_array_equal(thinned.energy, whole.energy[kept])
    np.testing.assert_array_equal(thinned.increment, whole.increment[kept])
    for name, extrema in whole.extrema.items():
        np.testing.assert_array_equal(thinned.extrema[name], extrema, err_msg=name)


def test_extrema_are_those_of_every_step():
    run = engine.simulate("lagrange-top", "NMB", steps=5000)
    series = {"energy": run.energy, "pi": run.pi, "orthogonality": run.orthogonality} | dict(
        run.observed
    )
    assert set(series) == set(run.extrema)
    for name, values in series.items():
        np.testing.assert_array_equal(run.extrema[name].min, values.min(axis=0), err_msg=name)
        np.testing.assert_array_equal(run.extrema[name].max, values.max(axis=0), err_msg=name)
        np.testing.assert_array_equal(run.extrema[name].last, values[-1], err_msg=name)


def test_what_is_observed_is_what_it_is_called():
    run = engine.simulate("lagrange-top", "RK4-QUAT", dt=0.1, steps=50)
    J = run.problem.J
    chi = np.array([0, 0, 1.0])
    Pi = run.Omega @ J
    np.testing.assert_allclose(run.Pi, Pi, rtol=1e-14)
    np.testing.assert_allclose(run.pi, np.einsum("nij,nj->ni", run.R, Pi), rtol=1e-12, atol=1e-13)
    kinetic = 0.5 * np.einsum("ni,ni->n", run.Omega, Pi)
    np.testing.assert_allclose(
        run.energy, kinetic + run.problem.values["Mgl"] * run.R[:, 2, 2], rtol=1e-13
    )
    np.testing.assert_allclose(run.casimirs["pi_e3"], run.pi[:, 2], rtol=1e-13)
    np.testing.assert_allclose(run.casimirs["pi_chi"], Pi @ chi, rtol=1e-13)
    np.testing.assert_allclose(
        run.casimirs["gamma_norm"], np.linalg.norm(run.R[:, 2], axis=1), rtol=1e-13
    )
    np.testing.assert_allclose(run.observed["casimir"], (Pi**2).sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(run.observed["pi_norm"], np.linalg.norm(run.pi, axis=1), rtol=1e-13)
    defect = np.linalg.norm(run.R.transpose(0, 2, 1) @ run.R - np.eye(3), axis=(1, 2))
    np.testing.assert_allclose(run.orthogonality, defect, rtol=1e-9, atol=1e-15)
    assert defect.max() > 1e-6
    run = engine.simulate("lagrange-top", "NMB", dt=0.1, steps=50)
    increments = run.R[:-1].transpose(0, 2, 1) @ run.R[1:]
    angles = np.arccos(np.clip((np.trace(increments, axis1=1, axis2=2) - 1) / 2, -1, 1))
    np.testing.assert_allclose(run.increment[1:], angles, rtol=1e-9)


def test_samples_are_about_as_many_as_asked_for():
    for samples in (1, 7, 100, 999, 5000):
        run = engine.simulate("free", "MR2", steps=12_345, samples=samples)
        assert 0.5 * samples <= len(run) <= samples + 2
        assert run.t[-1] == 12_345 * run.dt


def test_a_long_run_is_thinned_with_a_message():
    run = engine.simulate("free", "MR2", dt=0.01, steps=1_000_000)
    assert len(run) == 100_001
    assert "stores each 10-th" in run.message


def test_a_duration_that_the_step_does_not_divide_ends_before_it():
    run = engine.simulate("free", "MR2", dt=0.3, duration=1.0)
    assert run.cost.steps == 3 and run.t[-1] == pytest.approx(0.9)
    assert "not a whole number of steps" in run.message
    assert engine.simulate("free", "MR2", dt=0.1, duration=0.3).cost.steps == 3
    assert not engine.simulate("free", "MR2", dt=0.1, duration=0.3).message


def test_memory_grows_with_what_is_kept():
    engine.simulate("free", "MR2", steps=10, samples=10)
    tracemalloc.start()
    engine.simulate("free", "MR2", dt=0.01, steps=5_000_000, samples=100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300_000


def test_no_solution_is_a_status():
    run = engine.simulate("free", "DMV", dt=1.1, duration=11.0)
    assert (run.status, run.failed_step, len(run)) == ("no-solution", 1, 1)
    assert "no solution in step 1" in run.message
    assert engine.simulate("free", "DMV", dt=1.0, duration=100.0).status == "done"


def test_how_a_run_ended_is_told_in_numbers_as_they_are_read():
    assert "10⁷ turns the body too far" in engine.simulate("free", "DMV", dt=1e7, steps=1).message


@pytest.mark.parametrize("every", [1, 7, 1000])
def test_a_solution_that_is_lost_on_the_way(every):
    """A body is spun up until a step turns it too far: the run ends at the last valid state, stored
    or not.
    """
    body = engine.problem(
        "custom(torque=body)", J=(1, 2, 2.5), Omega0=(0, 0, 0.1), moment=(0, 0, 0.05)
    )
    run = engine.simulate(body, "DMV", dt=0.5, duration=100.0, every=every)
    assert run.status == "no-solution" and run.failed_step > 20
    assert run.t[-1] == (run.failed_step - 1) * 0.5
    exact = 0.1 + 0.05 / 2.5 * run.t[-1]
    assert run.Omega[-1, 2] == pytest.approx(exact, rel=1e-12)
    assert run.Omega[-1, 2] * 0.5 <= 1.0 + 1e-12 < (exact + 0.01) * 0.5  # sin θ = h |ω|
    assert run.cost.steps == run.failed_step - 1
    whole = engine.simulate(body, "DMV", dt=0.5, steps=run.cost.steps)
    np.testing.assert_array_equal(run.R[-1], whole.R[-1])
    assert run.increment[-1] == whole.increment[-1]


def test_a_run_that_blows_up_keeps_what_was_finite():
    run = engine.simulate("free", "RK4-MATRIX", dt=5.0, steps=2000)
    assert run.status == "diverged" and np.isfinite(run.R).all() and np.isfinite(run.energy).all()
    assert run.t[-1] == (run.failed_step - 1) * 5.0
    assert f"step {run.failed_step}" in run.message


def test_no_step_at_all():
    run = engine.simulate("slow-top", "AKW", steps=0)
    assert len(run) == 1 and run.status == "done" and run.extrema["energy"].min == run.energy[0]


def test_progress_is_told_and_ends_at_the_end():
    reports = []
    engine.simulate(
        "free",
        "MR2",
        steps=3_000_000,
        samples=10,
        progress=lambda done, of: reports.append((done, of)),
    )
    assert len(reports) >= 2
    assert reports == sorted(reports) and reports[-1] == (3_000_000, 3_000_000)


def test_an_error_in_progress_reaches_the_caller():
    def fail(done, of):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        engine.simulate("free", "MR2", steps=1000, progress=fail)


@pytest.mark.parametrize("make", [engine.Cancellation, threading.Event])
def test_cancelling_from_another_thread(make):
    cancel = make()
    begun = threading.Event()

    def work():
        report = {"cancel": cancel, "progress": lambda done, of: begun.set()}
        return engine.simulate("free", "MR2", dt=0.01, steps=10**12, samples=10, **report)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(work)
        assert begun.wait(TIMEOUT)
        cancel.set()
        run = running.result(TIMEOUT)
    assert run.status == "cancelled" and 0 < run.cost.steps < 10**12
    assert run.t[-1] == run.cost.steps * 0.01 and "Cancelled after" in run.message
    assert np.isfinite(run.increment[-1])
    again = engine.simulate("free", "MR2", dt=0.01, steps=run.cost.steps, samples=1)
    np.testing.assert_array_equal(again.R[-1], run.R[-1])


def test_a_cancellation_can_be_used_again():
    cancel = engine.Cancellation()
    cancel.set()
    assert engine.simulate("free", "MR2", steps=1000, cancel=cancel).status == "cancelled"
    cancel.clear()
    assert engine.simulate("free", "MR2", steps=1000, cancel=cancel).status == "done"


def test_runs_on_six_threads_agree():
    methods = ["MR2", "NMB", "AKW", "DMV", "RKMK", "BUSS4"]
    alone = {m: engine.simulate("slow-top", m, steps=20_000).R[-1] for m in methods}
    found = {}
    barrier = threading.Barrier(len(methods))

    def work(i):
        barrier.wait()
        for m in methods[i:] + methods[:i]:
            found[i, m] = engine.simulate("slow-top", m, steps=20_000).R[-1]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(methods))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 36
    for (_, m), R in found.items():
        np.testing.assert_array_equal(R, alone[m])


def test_the_gil_is_released(monkeypatch):
    """Another thread ends an endless call of a kernel."""
    steps = 10**10
    monkeypatch.setattr(driver, "FIRST_BLOCK", {True: steps, False: steps})
    made = 0
    for attempt in itertools.count():  # until it has begun when it is ended
        cancel = engine.Cancellation()
        timer = threading.Timer(0.1 * 2**attempt, cancel.set)
        timer.start()
        made = engine.simulate(
            "free", "MR2", dt=0.01, steps=steps, samples=2, cancel=cancel
        ).cost.steps
        timer.join()
        if made:
            break
    assert made < steps


ROTATION = np.array(list(engine.Problem(R0=(0.3, -1.1, 0.7)).R0.ravel())).reshape(3, 3)


TURNED = ["free", "asymmetric-top", "slow-top", "soft-wall", "book-toss"]
"""Not the magnet: its potential refers to the body's axes, so turned axes give another problem."""


@pytest.mark.parametrize(("key", "method"), first([
    (key, method)
    for key in TURNED
    for method in ("NMB", "AKW", "DMV", "RKMK", "BUSS4", "RK4-QUAT")
    if why_not(engine.problem(key), engine.algorithm(method), 0.01) is None
], 10))  # fmt: skip
def test_a_body_in_axes_that_are_not_principal(key, method):
    """The same body described in turned axes moves the same way: R Q in place of R, Qᵀ Ω in place
    of Ω.
    """
    problem = engine.problem(key)
    Q = ROTATION
    if key in ("slow-top", "soft-wall"):
        # The body-fixed axis of these is e3, so the axes turn about it.
        c, s = np.cos(0.7), np.sin(0.7)
        Q = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    changes = {"J": Q.T @ problem.J @ Q, "R0": problem.R0 @ Q, "Omega0": Q.T @ problem.Omega0}
    if key == "asymmetric-top":
        changes["chi"] = Q.T @ problem.values["chi"]
    if key == "book-toss":
        problem = problem.replace(J=(5, 5.5, 1))
        changes["J"] = Q.T @ problem.J @ Q
    one = engine.simulate(problem, method, dt=0.01, steps=200)
    other = engine.simulate(problem.replace(**changes), method, dt=0.01, steps=200)
    np.testing.assert_allclose(other.R, one.R @ Q, atol=1e-11)
    np.testing.assert_allclose(other.Omega, one.Omega @ Q, atol=1e-11)
    np.testing.assert_allclose(other.energy, one.energy, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(other.pi, one.pi, atol=1e-10)


@pytest.mark.exhaustive
def test_a_caller_s_torque_in_axes_that_are_not_principal():
    def torque(t, R):
        return np.cross(R @ [0.3, 0.1, 1.0], [0, 0, -2.0])

    J = ROTATION.T @ np.diag([1.0, 2.0, 2.5]) @ ROTATION
    body = engine.Problem(J=J, Omega0=(0.3, 0.5, 1.0), torque=torque)
    reference = engine.problem(
        "custom", J=J, Omega0=(0.3, 0.5, 1.0), torque="gravity", Mgl=2.0, chi=(0.3, 0.1, 1.0)
    )
    one, other = (engine.simulate(p, "RKMK", dt=0.02, steps=100) for p in (body, reference))
    np.testing.assert_allclose(one.R, other.R, atol=1e-12)
    run = engine.simulate(body, "AKW", dt=0.02, steps=100)
    np.testing.assert_allclose(
        run.R, engine.simulate(reference, "AKW", dt=0.02, steps=100).R, atol=1e-11
    )


def test_mr2_splits_along_principal_axes_in_whatever_axes_it_is_asked():
    """Slightly turned axes keep the names of the principal ones, so MR2's answer is the same
    too.
    """
    problem = engine.problem("free")
    Q = engine.Problem(R0=(0.1, -0.2, 0.15)).R0
    turned = problem.replace(J=Q.T @ problem.J @ Q, R0=problem.R0 @ Q, Omega0=Q.T @ problem.Omega0)
    np.testing.assert_allclose(turned.principal[0], np.diag(problem.J), rtol=1e-13)
    one, other = (engine.simulate(p, "MR2(axes=231)", dt=0.1, steps=200) for p in (problem, turned))
    np.testing.assert_allclose(other.R, one.R @ Q, atol=1e-12)


@pytest.mark.skipif(not compiles(), reason="in plain Python a run also enters the method's files")
def test_a_repeated_run_passes_through_eight_files() -> None:
    """A reader can follow a run: request, problem, method, names and numbers, kernel, driver."""
    files = list_entered_files(lambda: engine.simulate("slow-top", "NMB", dt=0.01, duration=1))
    assert len(files) <= 8, files
