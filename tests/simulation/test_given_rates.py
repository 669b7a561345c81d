"""An attitude with given rates: what a step sees, runs, the exact motion, errors and files."""

from __future__ import annotations

import itertools
from math import cos, pi, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from covering import covering

import engine
from engine.algebra import Mat3, Vec3, exp
from engine.algorithms import FixedStep, describe_method
from engine.algorithms.core import Gyro
from engine.exact import given_rates

CONE, PULSATION = radians(2.0), 2.0 * pi * 50.0
METHODS = covering(engine.algorithms("rates"), by=lambda method: (method.carries, method.adaptive))


def measure_coning(t: float) -> tuple[float, float, float]:
    """The rates of the problem `coning`, written anew."""
    phase = PULSATION * t
    across = PULSATION * sin(CONE)
    return -across * sin(phase), across * cos(phase), PULSATION * (cos(CONE) - 1.0)


FORMULA = (
    "2*pi*50*sin(pi/90) * (-sin(100*pi*t), cos(100*pi*t), 0) + (0, 0, 100*pi*(cos(pi/90) - 1))"
)


@pytest.mark.parametrize(
    "rate",
    [measure_coning, engine.rate(measure_coning), FORMULA],
    ids=["plain", "compiled", "typed"],
)
def test_each_form_of_a_rate_makes_the_same_motion(rate: object) -> None:
    own = engine.Problem(rate=rate, R0=(CONE, 0.0, 0.0))
    assert isinstance(own, engine.GivenRates) and own.custom == "rate"
    for method in ("RK4-QUAT", "EXP(rate=mean)"):
        run = engine.simulate(own, method, dt=0.001, steps=100)
        assert run.message == ""
        like = engine.simulate("coning", method, dt=0.001, steps=100)
        np.testing.assert_allclose(run.R, like.R, atol=1e-12)
        np.testing.assert_allclose(run.Omega, like.Omega, atol=1e-9)
        assert run.cost.torque_evaluations == 100 * (run.method.torque_evaluations or 0)


def test_the_exact_attitudes_of_coning_have_its_rates() -> None:
    """Differences of the closed form, and a reference run that knows the rates alone."""
    problem = engine.problem("coning", cone=5.0, frequency=3.0, R0=(0.1, 0.2, 0.3))
    t = np.linspace(0.0, 1.0, 11)
    h = 1e-6
    before, after = (engine.exact(problem, t + side).R for side in (-h, h))
    turned = np.swapaxes(before, 1, 2) @ after
    measured = np.stack([turned[:, i, j] - turned[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))])
    run = engine.simulate(problem, "RK4-QUAT", dt=0.1, steps=10)
    np.testing.assert_allclose(measured.T / (4 * h), run.Omega, atol=1e-8)
    motion = engine.exact(problem, t)
    again = engine.exact(engine.Problem(rate=find_rate(problem)), t)
    joined = problem.R0 @ again.R
    assert motion.estimate.attitude < 1e-13 and again.estimate.attitude < 1e-12
    np.testing.assert_allclose(motion.R, joined, atol=again.estimate.attitude)


def find_rate(problem: engine.GivenRates):  # type: ignore[no-untyped-def]
    """The rate of a registered problem as a plain function."""
    rate, numbers, *_ = problem.rates
    return lambda t: tuple(rate.velocity(t, numbers))


@pytest.mark.parametrize(
    "key, frame, single",
    covering(itertools.product(("RK4-QUAT", "EXP(rate=mean)"), ("body", "space"), (False, True))),
)
def test_compiled_and_plain_kernels_agree(
    key: str, frame: str, single: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    for plain in ("0", "1"):
        monkeypatch.setenv("POLHODE_PLAIN", plain)
        problem = engine.problem("coning", frame=frame)
        precision = "single" if single else "double"
        runs.append(engine.simulate(problem, key, precision=precision, steps=20))
    atol = 1e-6 if single else 1e-14
    for name in ("R", "Omega", "norm"):
        np.testing.assert_allclose(getattr(runs[0], name), getattr(runs[1], name), atol=atol)


def test_in_space_a_constant_rate_turns_the_attitude_from_the_left() -> None:
    ω = (0.3, -0.2, 0.5)
    run = engine.simulate(engine.Problem(rate=lambda t: ω, R0=(1, 2, 3), frame="space"),
                          "EXP(rate=mean)", dt=0.1, steps=50)  # fmt: skip
    turn = np.reshape([*exp(Vec3(*(5.0 * x for x in ω)))], (3, 3))
    np.testing.assert_allclose(run.R[-1], turn @ run.R[0], atol=1e-14)
    np.testing.assert_allclose(run.Omega, np.einsum("nji,j->ni", run.R, ω), atol=1e-14)


def test_a_long_run_in_32_bits_has_the_rates_of_its_times() -> None:
    """A number of 32 bits could not tell the phase of 50 Hz after an hour."""
    start = 3600.0
    late = engine.Problem(
        rate=engine.rate(lambda t: measure_coning(t + 3600.0)), R0=(CONE, 0.0, 0.0)
    )
    assert np.float32(start) + np.float32(1e-4) == np.float32(start)
    short = engine.simulate(late, "EXP(rate=mean)", dt=0.001, steps=1000, precision="single")
    double = engine.simulate(late, "EXP(rate=mean)", dt=0.001, steps=1000)
    assert np.abs(short.R - double.R).max() < 1e-5


def step(gyro: Gyro, t: float, h: float, R: Mat3, turn: Vec3) -> tuple[Mat3, Vec3]:
    """A turn by the sum of two increments, which the next step has."""
    turn = gyro.increment(t, 0.5 * h) + gyro.increment(t + 0.5 * h, 0.5 * h)
    return R @ exp(turn), turn


def start(gyro: Gyro, t: float, h: float, R: Mat3) -> tuple[Mat3, Vec3]:
    """No turn before."""
    return R, Vec3(0.0, 0.0, 0.0)


def test_parts_of_a_step_and_variables_of_its_own() -> None:
    """The increments of halves add up to that of the whole, also without a closed form."""
    halves = FixedStep.declare(
        key="HALVES", order=(2,), increments=2, step=step, start=start, torque_evaluations=2
    )
    assert halves.space == "rates" and halves.order == (2,) and halves.order_in_words == "2"
    whole = engine.simulate("coning", "EXP(rate=mean)", steps=50)
    run = engine.simulate("coning", halves, steps=50)
    np.testing.assert_allclose(run.R, whole.R, atol=1e-14)
    own = engine.Problem(rate=engine.rate(measure_coning), R0=(CONE, 0.0, 0.0))
    np.testing.assert_allclose(
        engine.simulate(own, "EXP(rate=mean)", dt=0.001, steps=50).R, whole.R, atol=1e-14
    )


def test_errors_have_a_direction_and_a_drift() -> None:
    run = engine.simulate("coning", "EXP(rate=mean)")
    errors = engine.error(run)
    np.testing.assert_allclose(np.linalg.norm(errors.vectors, axis=1), errors.attitude, atol=1e-13)
    # The rotation vector of pure coning lacks Ω h − sin Ωh in each step, times sin²θ/2.
    phase = PULSATION * run.dt
    lacks = sin(CONE) ** 2 / 2 * (phase - sin(phase)) / run.dt
    np.testing.assert_allclose(errors.drift[2], -np.degrees(lacks) * 3600, rtol=0.01)
    assert abs(errors.drift[:2]).max() < 0.01 * abs(errors.drift[2])
    assert errors.last.attitude == errors.attitude[-1]


def test_the_reference_is_known_to_its_estimate() -> None:
    coarse, fine = (
        engine.simulate("coning", "RKMK853", rtol=rtol, atol=0.0, samples=20)
        for rtol in (1e-6, 1e-14)
    )
    assert coarse.cost.steps < fine.cost.steps
    errors = [engine.error(run).attitude.max() for run in (coarse, fine)]
    assert errors[1] < 1e-12 < errors[0]


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_runs_are_saved_with_what_made_them(ending: str, tmp_path: Path) -> None:
    problem = engine.problem("coning", cone=3.0, frame="space")
    run = engine.simulate(problem, "RK4-QUAT", steps=5)
    again = engine.load(run.save(tmp_path / f"run{ending}"))
    assert again.problem.label == "coning(frame=space)" and again.problem.values["cone"] == 3.0
    for name in run.series:
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    np.testing.assert_array_equal(again.rerun().R, run.R)


def test_a_custom_rate_is_not_in_a_file(tmp_path: Path) -> None:
    run = engine.simulate(engine.Problem(rate=measure_coning), "EXP(rate=mean)", steps=5)
    again = engine.load(run.save(tmp_path / "run.npz"))
    with pytest.raises(ValueError, match="does not hold the custom rate"):
        again.rerun()
    given = engine.simulate(again.problem.replace(rate=measure_coning), again.method, steps=5)
    np.testing.assert_array_equal(given.R, run.R)


@pytest.mark.parametrize("plain", ["0", "1"])
def test_a_rate_that_fails_ends_the_run(plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLHODE_PLAIN", plain)

    def rate(t: float) -> tuple[float, float, float]:
        if t > 0.5:
            raise RuntimeError("out of battery")
        return 0.0, 0.0, 1.0

    run = engine.simulate(engine.Problem(rate=rate), "RK4-QUAT", dt=0.1, steps=20)
    assert run.status == "diverged" and run.t[-1] <= 0.5
    assert "the rate raised RuntimeError: out of battery" in run.message


def test_a_prepared_run_gives_what_simulate_gives() -> None:
    run = engine.prepared("coning", "RK4-QUAT", steps=10)
    changed = run(R0=(0.1, 0.0, 0.0))
    again = engine.simulate(engine.problem("coning", R0=(0.1, 0.0, 0.0)), "RK4-QUAT", steps=10)
    np.testing.assert_array_equal(changed.R, again.R)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: engine.Problem(rate=3.0), "a function of t, a formula, or samples"),
        (lambda: engine.Problem(rate="(R[0,0], 1, 2)"), "depends on t alone, not on R"),
        (lambda: engine.Problem(rate="t"), "an angular velocity is a vector, and this is a number"),
        (lambda: engine.simulate(engine.Problem(rate=lambda t: t), "RK4-QUAT"), "three numbers"),
        (lambda: engine.simulate("coning", "NMB"), "here is an attitude with given rates"),
        (lambda: engine.simulate("free", "EXP(rate=mean)"), "moves an attitude with given rates"),
        (lambda: engine.simulate("coning", "RK4-QUAT", substeps=2), "substeps is for methods"),
        (lambda: engine.simulate("coning", "RK4-QUAT+E"), "turns one free body"),
        (lambda: engine.problem("coning", cone=120), "cone must be a number"),
        (lambda: engine.problem("coning", frame="moon"), "frame is one of body, space"),
    ],
)  # fmt: skip
def test_mistakes_are_sentences(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
def test_methods_have_their_order_and_what_they_conserve(method: engine.Method) -> None:
    """On coning at a low frequency, with a turn on top of it, so that no order is there by chance."""
    problem = engine.Problem(rate="(sin(3*t), 0.5*cos(5*t), 1)", R0=(0.3, 0.2, 0.1), dt=0.1)
    if not isinstance(method, FixedStep):
        run = engine.simulate(problem, method, duration=2.0, samples=10)
        assert run.orthogonality.max() < 1e-13
        return
    assert method.order is not None
    steps = {1: (200, 400), 2: (100, 200), 3: (80, 160), 4: (20, 40), 6: (10, 20)}[method.order[0]]
    exact = engine.exact(problem, [0.0, 2.0])
    errors = []
    for n in steps:
        run = engine.simulate(problem, method, dt=2.0 / n, steps=n, every=n)
        errors.append(engine.error(run, exact).attitude[-1])
    assert np.log2(errors[0] / errors[1]) == pytest.approx(method.order[0], abs=0.35)
    kept = method.conserves.get("orthogonality") == "always"
    assert (run.deviation("orthogonality") < 1e-13) == kept


@pytest.mark.parametrize("frame", ["body", "space"])
def test_an_exact_motion_has_the_rates_of_its_body(frame: str) -> None:
    for problem in (
        engine.problem("coning", frame=frame),
        engine.Problem(rate="(sin(3*t), 0.5*cos(5*t), 1)", frame=frame),
    ):
        run = engine.simulate(problem, "RK4-QUAT", dt=1e-4, steps=200)
        exact = engine.exact(problem, run.t)
        np.testing.assert_allclose(exact.Omega, run.Omega, atol=1e-4)
        assert np.abs(exact.Omega - run.Omega)[0].max() < 1e-12


@pytest.mark.parametrize(
    "label, reads",
    [
        ("RK4-QUAT", "the rate at 0, 1/2 and 1 of a step"),
        ("CONING(samples=2)", "the angles of 2 equal parts of a step"),
        ("EXP(rate=mean)", "the angle of a step"),
        ("RKMK853", "the rate at times of its own"),
    ],
)
def test_a_method_states_what_it_reads_of_the_rates(label: str, reads: str) -> None:
    facts = dict(describe_method(engine.algorithm(label, space="rates")))
    assert facts["Reads"] == reads and not facts.keys() & {"Symplectic", "Energy correction"}
    assert "Reads" not in dict(describe_method(engine.algorithm("NMB")))


@pytest.mark.parametrize("call", [engine.simulate, engine.prepared])
def test_samples_of_a_run_are_not_taken_for_those_of_the_method(call: Any) -> None:
    with pytest.raises(ValueError, match=r"write CONING\(samples=3\) for the option, and every=k"):
        call("coning", "CONING", samples=3)
    run = engine.simulate("coning", "CONING(samples=3)", steps=6, samples=3)
    assert run.method.label == "CONING(samples=3)" and len(run) == 4
    assert len(engine.simulate("coning", "CONING", steps=6, samples=1000)) == 7


@pytest.mark.parametrize("frame", ["body", "space"])
def test_the_rates_of_an_exact_motion_are_those_of_its_runs_or_computed_when_they_are_read(
    frame: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    t = np.linspace(0.0, 0.1, 21)
    problem = engine.problem("thrown-body", frame=frame)
    run = engine.simulate(problem, "RK4-QUAT", dt=0.005, steps=20)
    closed = engine.exact("coning", t)
    with monkeypatch.context() as without:
        without.setattr(given_rates, "list_rates", None)
        motion = engine.exact(problem, t)
        np.testing.assert_allclose(motion.Omega, run.Omega, atol=1e-6)
        np.testing.assert_array_equal(motion.select(slice(5)).Omega, motion.Omega[:5])
        with pytest.raises(TypeError):
            _ = closed.Omega
    np.testing.assert_allclose(closed.Omega, [measure_coning(time) for time in t], atol=1e-12)
    np.testing.assert_allclose(engine.exact("coning", 0.05).Omega, closed.Omega[10], atol=1e-9)


def turn_apart(step: float) -> tuple[engine.GivenRatesRun, engine.GivenRatesErrors]:
    """A run that turns from its reference by 0.6 rad/s about a common axis, in ten turns."""

    def simulate(speed: float) -> engine.GivenRatesRun:
        own = engine.Problem(rate=f"{speed} * (0.6, 0, 0.8)")
        return engine.simulate(
            own, "EXP(rate=mean)", dt=0.01, duration=105.0, every=round(step / 0.01)
        )

    run, reference = simulate(1.0), simulate(0.4)
    errors = engine.error(run, reference)
    np.testing.assert_allclose(errors.t[1], step)
    return run, errors


def test_an_error_grows_beyond_half_a_turn() -> None:
    """The rotation itself has an angle of at most π."""
    _, errors = turn_apart(0.1)
    turned = 0.6 * errors.t[:, None] * (0.6, 0.0, 0.8)
    np.testing.assert_allclose(errors.vectors, turned, atol=1e-9)
    assert errors.attitude.max() <= pi and errors.message == ""
    np.testing.assert_allclose(np.radians(errors.drift) / 3600, (0.36, 0.0, 0.48), atol=1e-9)
    (drift,) = (one for one in engine.quantities.all_quantities("rates") if one.key == "drift")
    drawn = errors.known_values(drift)
    last = int(np.flatnonzero(errors.attitude > pi / 2)[0])
    assert np.isnan(drawn[last:]).all() and "up to 90°" in drift.symbol
    np.testing.assert_allclose(drawn[1:last], np.degrees(0.6) * 3600)


@pytest.mark.parametrize(
    ("step", "known", "words"),
    [(2.0, True, "The drift holds if"), (3.0, False, "From t = 3 on, rows are too far apart")],
)
def test_sparse_rows_never_get_a_wrong_number_of_turns_in_silence(
    step: float, known: bool, words: str
) -> None:
    """A row that may be beyond the next branch is not known."""
    _, errors = turn_apart(step)
    assert words in errors.message
    assert np.isfinite(errors.vectors).all() == known
    if known:
        turned = 0.6 * errors.t[:, None] * (0.6, 0.0, 0.8)
        np.testing.assert_allclose(errors.vectors, turned, atol=1e-9)
    else:
        assert np.isnan(errors.drift).all()


def test_whole_turns_from_row_to_row_are_not_taken_for_none_in_silence() -> None:
    _, errors = turn_apart(round(2 * pi / 0.6, 2))
    assert errors.attitude.max() < 0.2 and "The drift holds if" in errors.message
