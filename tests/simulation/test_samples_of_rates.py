"""Rates from samples, of a recording or a sensor: what methods read of them, and which fit."""

from __future__ import annotations

import re
from math import pi, radians
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.parameters.validation import Array
from engine.problems.given_rates.coning import find_attitudes
from engine.problems.given_rates.samples import Samples, make_samples
from engine.simulation.given_rates import find_samples

CONE, PULSATION = radians(2.0), 2.0 * pi * 50.0
START = (CONE, 0.0, 0.0)


def measure_coning(t: Array) -> Array:
    """(n, 3) the rates of the problem `coning` at times (n,)."""
    across = PULSATION * np.sin(CONE)
    columns = (-np.sin(PULSATION * t), np.cos(PULSATION * t), np.full_like(t, np.nan))
    found = across * np.stack(columns, axis=-1)
    found[:, 2] = PULSATION * (np.cos(CONE) - 1.0)
    return found


def integrate(rates: Array, t: Array) -> Array:
    """(n, 3) the angles of the intervals that end at each row, by trapezoids."""
    angles = np.zeros_like(rates)
    angles[1:] = 0.5 * np.diff(t)[:, None] * (rates[1:] + rates[:-1])
    return angles


def record(uneven: bool, integrated: bool) -> Samples:
    """Samples of coning at 2 kHz, whose times differ by up to a third of an interval if uneven."""
    t = 5e-4 * np.arange(201)
    if uneven:
        t = t + 1.5e-4 * np.random.default_rng(5).uniform(-1.0, 1.0, len(t))
        t = t - t[0]
    rates = measure_coning(t)
    return make_samples(t, integrate(rates, t) if integrated else rates, integrated)


@pytest.mark.parametrize("uneven", [False, True], ids=["even", "uneven"])
@pytest.mark.parametrize("integrated", [False, True], ids=["rates", "angles"])
def test_a_recording_has_its_own_steps(uneven: bool, integrated: bool) -> None:
    samples = record(uneven, integrated)
    problem = engine.Problem(rate=samples, R0=START)
    run = engine.simulate(problem, "EXP(rate=mean)")
    assert run.status == "done" and len(run) == len(samples)
    np.testing.assert_allclose(run.t, samples.t, atol=1e-12)
    turns = integrate(samples.rates, samples.t) if not integrated else samples.values
    np.testing.assert_allclose(run.increment[1:], np.linalg.norm(turns[1:], axis=1), rtol=1e-9)
    away = np.linalg.norm(run.R - find_attitudes(CONE, PULSATION, run.t), axis=(1, 2))
    assert away.max() < 1e-3
    with pytest.raises(ValueError, match="a recording has no exact motion"):
        engine.error(run)


def test_a_step_of_several_rows_reads_those_within_it() -> None:
    samples = record(uneven=True, integrated=False)
    problem = engine.Problem(rate=samples, R0=START)
    run = engine.simulate(problem, "RK4-QUAT", dt=2 * problem.dt)
    np.testing.assert_allclose(run.t, samples.t[::2], atol=1e-12)
    np.testing.assert_allclose(run.Omega, samples.values[::2], atol=1e-12)
    away = np.linalg.norm(run.R - find_attitudes(CONE, PULSATION, run.t), axis=(1, 2))
    assert away.max() < 0.01


def test_a_recording_is_saved_with_its_run(tmp_path: Path) -> None:
    problem = engine.Problem(rate=record(uneven=True, integrated=True), R0=START)
    run = engine.simulate(problem, "EXP(rate=mean)")
    again = engine.load(run.save(tmp_path / "run.npz"))
    np.testing.assert_array_equal(again.t, run.t)
    np.testing.assert_array_equal(again.rerun().R, run.R)


def test_a_sensor_without_faults_gives_the_rates_of_its_times() -> None:
    ideal = engine.problem("coning", sensor="sampled", bits=0)
    assert ideal.label == "coning(sensor=sampled)" and engine.problem(ideal.label).sensor
    run = engine.simulate(ideal, "RK4-QUAT", dt=0.002, steps=50)
    like = engine.simulate("coning", "RK4-QUAT", dt=0.002, steps=50)
    np.testing.assert_allclose(run.R, like.R, atol=1e-14)
    angles = engine.simulate(ideal.replace(sensor="integrated"), "EXP(rate=mean)", steps=50)
    like = engine.simulate("coning", "EXP(rate=mean)", steps=50)
    np.testing.assert_allclose(angles.R, like.R, atol=1e-14)
    np.testing.assert_allclose(
        engine.error(angles).attitude, engine.error(like).attitude, atol=1e-13
    )


@pytest.mark.parametrize("plain", ["0", "1"])
def test_each_fault_of_a_sensor_is_in_its_samples(
    plain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLHODE_PLAIN", plain)
    ideal = engine.problem("coning", sensor="sampled", bits=0)
    n = 400
    end = (n - 1) / 1000.0
    t = 1e-3 * np.arange(n)
    true = measure_coning(t)

    def off(**changes: object) -> Array:
        found = find_samples(ideal.replace(**changes), end)
        assert len(found) == n
        return found.values - true

    np.testing.assert_allclose(off(), 0.0, atol=1e-12)
    np.testing.assert_allclose(
        off(bias=(0.1, 0.0, -0.2)), np.tile((0.1, 0, -0.2), (n, 1)), atol=1e-12
    )
    step = 2 * radians(2000) / 2**12
    rounded = np.abs(off(bits=12))
    assert 0.4 * step < rounded.max() <= step / 2
    assert np.abs(off(range=5.0) + true).max() == 5.0
    noise = off(noise=0.01)
    assert noise.std() == pytest.approx(0.01 * np.sqrt(1000.0), rel=0.05)
    np.testing.assert_array_equal(noise, off(noise=0.01))
    assert np.abs(noise - off(noise=0.01, seed=2)).max() > 0.1
    lag = off(delay=(0.0, 0.003, 0.0))
    np.testing.assert_allclose(lag[:, 1], measure_coning(t - 0.003)[:, 1] - true[:, 1], atol=1e-12)
    np.testing.assert_allclose(lag[:, 0], 0.0, atol=1e-12)
    angles = find_samples(ideal.replace(sensor="integrated", noise=0.01), end).values
    still = find_samples(ideal.replace(sensor="integrated"), end).values
    assert (angles - still).std() == pytest.approx(0.01 * np.sqrt(1e-3), rel=0.05)


@pytest.mark.parametrize("sensor", ["sampled", "integrated"])
def test_a_run_states_what_the_range_of_its_sensor_clips(sensor: str) -> None:
    problem = engine.problem("coning", sensor=sensor, sample_rate=1000, bits=0)
    assert engine.simulate(problem, "EXP", dt=0.001, duration=0.1).message == ""
    clipped = problem.replace(range=10.5)
    run = engine.simulate(clipped, "EXP", dt=0.001, duration=0.1)
    rows = np.abs(find_samples(problem, 0.1).rates[:, :2]) > 10.5
    count = int(rows.any(axis=1).sum())
    assert 0 < count < 101
    assert run.message == (
        f"The sensor's range of ±10.5 clips {count} of 101 samples, about x and y."
    )


def test_rounding_is_to_nearest_and_has_no_bias() -> None:
    given = np.random.default_rng(3).uniform(-5.0, 5.0, (100_000, 3))
    sensor = engine.problem("coning", sensor="sampled", bits=10).sensor
    assert sensor is not None
    measured = sensor.measure(given)
    error = measured.values - given
    assert measured.step == pytest.approx(2 * radians(2000) / 2**10)
    assert np.abs(error).max() <= 0.5000001 * measured.step
    assert np.abs(error.mean(axis=0)).max() < 4 * measured.step / np.sqrt(12 * len(given))
    np.testing.assert_allclose(measured.shift, error.mean(axis=0), atol=1e-15)


def test_a_run_states_the_bias_of_rounding_without_noise() -> None:
    """Coning turns about its axis at a constant rate, which each sample rounds by the same."""
    problem = engine.problem("coning", sensor="sampled")
    run, ideal = (
        engine.simulate(one, "EXP(rate=mean)") for one in (problem, problem.replace(bits=0))
    )
    assert ideal.messages == ()
    (words,) = run.messages
    said = re.search(r"16 bits, steps of (.+) °/s, adds a bias of (.+) °/h\. Noise", words)
    assert said is not None
    drifts = [engine.error(one).drift for one in (run, ideal)]
    step, bias = map(float, said.groups())
    assert step == pytest.approx(4000 / 2**16, rel=0.05)
    assert bias == pytest.approx(np.linalg.norm(drifts[0] - drifts[1]), rel=0.05)
    noise = radians(step / 2) * np.sqrt(0.001)
    assert engine.simulate(problem.replace(noise=noise), "EXP(rate=mean)").messages == ()


def test_a_longer_run_has_the_same_noise() -> None:
    problem = engine.problem("coning", sensor="sampled", noise=0.01)
    short, long = (find_samples(problem, end).values for end in (0.1, 0.5))
    np.testing.assert_array_equal(long[: len(short)], short)


def test_a_step_that_fits_no_samples_becomes_one_that_does() -> None:
    problem = engine.problem("coning", sensor="sampled", sample_rate=300)
    assert problem.dt == 1 / 300 and problem.replace(sample_rate=3000).dt == pytest.approx(1 / 300)


@pytest.mark.parametrize(
    "label, dt, words",
    [
        ("RK4-QUAT", 0.001, "a multiple of 2 intervals; this step spans 1 interval"),
        ("RK4-QUAT", 0.003, "this step spans 3 intervals"),
        ("EXP(rate=mean)", 0.0015, "spans 1.5"),
        ("EXP(rate=mean)", 0.0001, "spans 0.1"),
        ("RKMK853", 0.001, "asks for rates at times of its own"),
        ("EXP(rate=mean)*yoshida4", 0.001, "between samples"),
    ],
)
def test_methods_that_do_not_fit_are_refused(label: str, dt: float, words: str) -> None:
    problem = engine.problem("coning", sensor="sampled")
    with pytest.raises(ValueError, match=words):
        engine.simulate(problem, label, dt=dt, steps=1)
    assert engine.simulate(problem, "EXP(rate=mean)", dt=0.004, steps=1).status == "done"


def test_a_run_beyond_a_recording_is_refused() -> None:
    problem = engine.Problem(rate=record(uneven=False, integrated=False))
    with pytest.raises(ValueError, match=r"the samples end at t = 0\.1, and the run at t = 0\.2"):
        engine.simulate(problem, "EXP(rate=mean)", duration=0.2)
