"""Moments of inertia from the rates of a throw, against bodies whose moments are known."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import engine
from engine.body import ThrownBody, from_rates
from engine.problems.given_rates.samples import Accelerations, make_samples
from engine.problems.given_rates.throw import find_flight

Array = NDArray[np.float64]

FLIGHT = 0.4
"""Seconds, of a phone that is thrown 20 cm high."""
RANGE = 2000 * np.pi / 180
ROUNDING = 0.1 * np.pi / 180
"""Of browsers."""
GRAVITY = 9.81


class Throw(NamedTuple):
    """A body, the rate with which it is thrown, and what its gyroscope shows."""

    J: Array
    Omega0: Array
    t: Array
    shown: Array


def throw_phone(
    seed: int,
    frequency: float = 100.0,
    noise: float = 0.01,
    bias: float = 0.05,
    scale: float = 0.01,
    limit: float = RANGE,
    rounding: float = ROUNDING,
) -> Throw:
    """Throw a body about the shape of a phone, whose sensor has errors of these standard
    deviations.
    """
    rng = np.random.default_rng(seed)
    a, b, c = np.array([72.0, 150.0, 8.0]) * (1 + 0.1 * rng.normal(size=3))
    Q = Rotation.from_rotvec(0.05 * rng.normal(size=3)).as_matrix()
    J = Q @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ Q.T
    J /= np.linalg.eigvalsh(J).max()
    direction = rng.normal(size=3)
    Omega0 = rng.uniform(6, 20) * direction / np.linalg.norm(direction)
    t = np.arange(round(FLIGHT * frequency)) / frequency
    motion = move(J, Omega0, t)
    errors = scale * rng.normal(size=(3, 3))
    shown = motion @ (np.eye(3) + (errors + errors.T) / 2) + bias * rng.normal(size=3)
    shown += noise * rng.normal(size=shown.shape)
    if rounding:
        shown = np.round(shown / rounding) * rounding
    return Throw(J, Omega0, t, np.clip(shown, -limit, limit))


def move(J: Array, Omega0: Array, t: Array) -> Array:
    """Return the rates of a free body by SciPy."""
    inverse = np.linalg.inv(J)
    found = solve_ivp(
        lambda _, rate: inverse @ np.cross(J @ rate, rate),
        (0, t[-1]), Omega0, method="DOP853", t_eval=t, rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    return found.y.T


def compare(thrown: Throw, fit: ThrownBody) -> tuple[Array, Array]:
    """Return the errors of the two smaller moments, and their estimates."""
    order = np.argsort(fit.moments)[:2]
    return np.abs(fit.moments[order] - np.linalg.eigvalsh(thrown.J)[:2]), fit.errors[order]


def test_without_errors_of_the_sensor_the_moments_and_axes_are_those_of_the_body() -> None:
    thrown = throw_phone(0, noise=0, bias=0, scale=0, rounding=0)
    fit = from_rates((thrown.t, thrown.shown))
    np.testing.assert_allclose(fit.J, thrown.J, atol=1e-4)
    np.testing.assert_allclose(fit.Omega0, thrown.Omega0, atol=1e-3)
    np.testing.assert_allclose(fit.axes.T @ fit.axes, np.eye(3), atol=1e-12)
    assert fit.misfit < 1e-4 and fit.remarks == () and fit.moments.max() == 1.0


@pytest.mark.parametrize("frequency", [100.0, pytest.param(200.0, marks=pytest.mark.exhaustive)])
def test_the_errors_of_throws_are_as_large_as_estimated(frequency: float) -> None:
    cases = [throw_phone(seed, frequency) for seed in range(4)]
    pairs = [compare(case, from_rates((case.t, case.shown))) for case in cases]
    errors, estimates = (np.array(values) for values in zip(*pairs, strict=True))
    assert np.median(errors) < 0.015 and np.median(estimates) < 0.02
    assert (errors < 3.5 * estimates).all()


@pytest.mark.exhaustive
@pytest.mark.parametrize("frequency", [100.0, 200.0])
def test_two_hundred_throws(frequency: float) -> None:
    cases = [throw_phone(seed, frequency) for seed in range(200)]
    pairs = [compare(case, from_rates((case.t, case.shown))) for case in cases]
    errors, estimates = (np.array(values) for values in zip(*pairs, strict=True))
    known = np.isfinite(estimates).all(axis=1)
    assert known.mean() > 0.98
    share = errors[known] / estimates[known]
    assert np.median(errors) < 0.008 and np.quantile(errors, 0.9) < 0.03
    assert 0.55 < np.mean(share < 1) < 0.9
    assert np.mean(share < 2) > 0.93


TURNS = Rotation.create_group("O").as_matrix()
"""The 24 ways to name the axes of a device, x, y and z or their opposites, right-handed."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_no_axis_is_preferred_and_numbers_of_32_bits_suffice(turn: Array, kind: type) -> None:
    """A throw in other axes has the same moments, about the turned axes, with the same errors."""
    thrown = throw_phone(5)
    fit = from_rates((thrown.t, thrown.shown))
    turned = from_rates(((thrown.t + 1.0).astype(kind), (thrown.shown @ turn.T).astype(kind)))
    near = 1e-6 if kind is np.float64 else 1e-3
    np.testing.assert_allclose(turned.J, turn @ fit.J @ turn.T, atol=near)
    np.testing.assert_allclose(np.sort(turned.moments), np.sort(fit.moments), atol=near)
    np.testing.assert_allclose(np.sort(turned.errors), np.sort(fit.errors), rtol=0.05, atol=1e-4)


def test_values_at_the_end_of_the_range_bound_the_motion() -> None:
    thrown = throw_phone(3, limit=np.inf)
    limit = float(np.quantile(np.abs(thrown.shown), 0.9))
    clipped = np.clip(thrown.shown, -limit, limit)
    fit = from_rates((thrown.t, clipped))
    errors, estimates = compare(thrown, fit)
    assert (errors < 3.5 * estimates).all() and estimates.max() < 0.1
    assert fit.remarks == (
        "12 of 120 values are at the end of the sensor's range, and only bound the motion",
    )


@pytest.mark.exhaustive
def test_a_wrong_value_is_found_and_not_used() -> None:
    thrown = throw_phone(4)
    shown = thrown.shown.copy()
    shown[11, 1] += 4.0
    fit = from_rates((thrown.t, shown))
    errors, estimates = compare(thrown, fit)
    assert (errors < 3.5 * estimates).all()
    assert any("are far from the motion of any free body" in remark for remark in fit.remarks)


def test_a_spin_about_one_axis_does_not_determine_the_moments() -> None:
    t = np.arange(40) / 100
    J = np.diag([0.8, 0.2, 1.0])
    shown = move(J, np.array([0.0, 0.0, 12.0]), t) + 0.01 * np.random.default_rng(1).normal(
        size=(40, 3)
    )
    fit = from_rates((t, shown))
    assert fit.errors.max() > 0.2
    assert "hardly determines the moments" in fit.remarks[0]


@pytest.mark.exhaustive
def test_rates_that_are_no_free_motion_are_refused() -> None:
    t = np.arange(60) / 100
    shown = 8 * np.sin(np.outer(t, [11.0, 17.0, 23.0]) + [0, 1, 2])
    with pytest.raises(ValueError, match="are not those of a free body"):
        from_rates((t, shown))


def test_flights_without_turns_or_with_few_rows_are_refused() -> None:
    t = np.arange(60) / 100
    shown = 8 * np.sin(np.outer(t, [11.0, 17.0, 23.0]) + [0, 1, 2])
    with pytest.raises(ValueError, match="hardly turns"):
        from_rates((t, 0.01 * shown))
    with pytest.raises(ValueError, match="needs 12 rows or more; there are 6"):
        from_rates((t, shown), part=(0, 0.05))
    with pytest.raises(ValueError, match="at most 1,000 rows; there are 1,200"):
        from_rates((np.arange(1200) / 100, np.tile(shown, (20, 1))))


PLACE = np.array([0.01, 0.05, 0.002])
"""Of the accelerometer from the centre of mass, in m: what it measures in flight is more than g."""


def record_throw(path: Path, seed: int = 0) -> Throw:
    """Write a recording as phyphox does: a second in the hand, the flight, and a second at rest."""
    thrown = throw_phone(seed)
    rng = np.random.default_rng(seed)
    t = np.arange(round((2 + FLIGHT) * 100)) / 100
    first = 100
    last = first + len(thrown.t)
    # The hand turns the phone up to the speed at which it leaves it.
    rise = np.clip((t[:first] - 0.7) / 0.3, 0, 1)[:, None] ** 2
    rates = np.concatenate([rise * thrown.Omega0, thrown.shown, np.zeros((len(t) - last, 3))])
    gains = np.gradient(rates, t, axis=0)
    forces = np.cross(gains, PLACE) + np.cross(rates, np.cross(rates, PLACE))
    hand = np.ones(len(t), bool)
    hand[first:last] = False
    forces[hand] += np.array([0.0, 0.3, GRAVITY])
    forces = np.round((forces + 0.05 * rng.normal(size=forces.shape)) / 0.1) * 0.1
    head = [
        f"{what} {axis} ({unit})"
        for what, unit in (("Gyroscope", "rad/s"), ("Acceleration", "m/s^2"))
        for axis in "xyz"
    ]
    rows = np.column_stack([t, rates, forces])
    np.savetxt(path, rows, "%.9g", ",", header=",".join(["Time (s)", *head]), comments="")
    return thrown


def test_the_accelerometer_finds_the_flight_wherever_it_is(tmp_path: Path) -> None:
    thrown = record_throw(tmp_path / "throw.csv")
    assert np.linalg.norm(np.cross(thrown.Omega0, np.cross(thrown.Omega0, PLACE))) > 5
    fit = engine.body.from_rates(tmp_path / "throw.csv")
    begin, end = fit.part
    assert 1.0 <= begin < 1.1 and 1.3 < end <= 1.4
    errors, estimates = compare(thrown, fit)
    assert (errors < 3.5 * estimates).all() and estimates.max() < 0.1


def test_without_a_flight_the_accelerometer_shows_none() -> None:
    t = np.arange(300) / 100
    rates = np.sin(np.outer(t, [3.0, 4.0, 5.0]))
    held = np.tile([0.0, 0.0, GRAVITY], (300, 1))
    with pytest.raises(ValueError, match="shows no free flight"):
        find_flight(make_samples(t, rates, accelerations=Accelerations(t, held)))
    assert find_flight(make_samples(t, rates)) is None


def test_the_result_is_a_body_whose_motion_is_the_recorded_one() -> None:
    thrown = throw_phone(5, noise=0.002, bias=0, scale=0)
    fit = from_rates((thrown.t, thrown.shown))
    problem = engine.Problem(J=fit.J, Omega0=fit.Omega0)
    run = engine.simulate(problem, "EXACT", dt=0.01, steps=len(thrown.t) - 1)
    assert np.abs(run.Omega - thrown.shown).max() < 0.2
