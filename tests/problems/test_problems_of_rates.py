"""Problems with given rates: each with an exact motion, closed turns, and rates that are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from covering import first

import engine
from engine.kernels.given_rates import NODES
from engine.problems.given_rates import GivenRates

PROBLEMS = engine.problems("rates")
REGISTERED = [problem for problem in PROBLEMS if not problem.custom]


@pytest.mark.parametrize("problem", first(PROBLEMS, 3), ids=lambda problem: problem.key)
def test_the_exact_motion_is_known_to_roundoff(problem: GivenRates) -> None:
    """By a closed form, or by a reference run; a run at a small tolerance agrees with it."""
    run = engine.simulate(problem, "RKMK853", rtol=1e-13, atol=0.0, samples=50)
    motion = engine.exact(problem, run.t)
    assert motion.estimate.attitude < 2e-13
    assert np.abs(run.R - motion.R).max() < 5e-13
    assert motion.horizon == run.t[-1]


@pytest.mark.parametrize("problem", REGISTERED, ids=lambda problem: problem.key)
def test_a_turn_is_the_integral_of_the_velocity(problem: GivenRates) -> None:
    rate, numbers, *_ = problem.rates
    if rate.turn is None:
        return
    for t, h in ((0.0, problem.dt), (0.31 * problem.duration, 3 * problem.dt)):
        nodes = [np.array([*rate.velocity(t + c * h, numbers)]) for c, _ in NODES]
        summed = h * sum(w * v for (_, w), v in zip(NODES, nodes, strict=True))
        np.testing.assert_allclose([*rate.turn(t, h, numbers)], summed, atol=1e-14)


@pytest.mark.parametrize(
    "J, low, high",
    [
        ((0.2, 0.8, 1.0), 12.0, 11.0),
        ((0.2, 0.8, 1.0), 12.0, 2.0),
        ((0.2, 0.8, 1.0), -3.0, 5.0),
        ((0.5, 0.5, 0.9), 3.0, 4.0),
        ((0.3, 0.9, 0.9), 3.0, 4.0),
        ((0.2, 0.8, 1.0), 0.0, 5.0),
        ((0.2, 0.8, 1.0), 4.0, 0.0),
    ],
)
def test_a_thrown_body_has_the_rates_of_the_free_body(
    J: tuple[float, ...], low: float, high: float
) -> None:
    thrown = engine.problem("thrown-body", J=J, low=low, high=high)
    run = engine.simulate(thrown, "RKMK853", samples=40, duration=2, rtol=1e-14, atol=0.0)
    free = engine.exact(engine.Problem(J=J, Omega0=(low, 0.0, high)), run.t)
    np.testing.assert_allclose(run.Omega, free.Omega, atol=2e-13)
    np.testing.assert_allclose(run.R, free.R, atol=2e-13)


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"J": (1.0, 0.5, 1.0)}, "ascend"),
        ({"J": (0.1, 0.2, 1.0)}, "none exceeds the sum"),
        ({"low": 0.0, "high": 0.0}, "turns about its first or its third axis"),
        ({"low": 10.32795558988, "high": 8.0}, "rest on its middle axis"),
    ],
)
def test_throws_that_are_none_are_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        engine.simulate(engine.problem("thrown-body", **changes), "EXP(rate=mean)", steps=1)


def test_random_rates_have_their_size_and_their_band() -> None:
    problem = engine.problem("random-rates", size=2.0, band=10.0)
    run = engine.simulate(problem, "EXP(rate=mean)", dt=0.005, duration=200.0)
    np.testing.assert_allclose(np.sqrt((run.Omega**2).mean(axis=0)), 2.0, rtol=0.05)
    spectrum = np.abs(np.fft.rfft(run.Omega[:-1] * np.hanning(len(run) - 1)[:, None], axis=0))
    frequencies = np.fft.rfftfreq(len(run) - 1, 0.005)
    assert spectrum[frequencies > 10.1].max() < 1e-4 * spectrum.max()
    other = engine.simulate(problem.replace(order=2), "EXP(rate=mean)", steps=5)
    assert np.abs(other.Omega - run.Omega[:6]).max() > 0.1


def test_a_slew_turns_by_its_angle_and_a_flip_once() -> None:
    slew = engine.exact("slew", [0.0, 8.0, 10.0]).R
    angle = np.degrees(np.arccos((np.trace(slew, axis1=1, axis2=2) - 1.0) / 2.0))
    np.testing.assert_allclose(angle, [0.0, 120.0, 120.0], atol=1e-6)
    run = engine.simulate(engine.problem("drone-flip", vibration=0.0), "EXP(rate=mean)")
    assert run.Omega[:, 0].sum() * run.dt == pytest.approx(2 * np.pi, rel=1e-3)
