"""Methods with given rates: orders, what they are given, which are the same, and the theory of their
drift in coning.
"""

from __future__ import annotations

import functools
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from covering import first
from plain_gyro import PlainGyro, Sampled, advance, angle, attitude, find_method, length, solve
from scipy.integrate import solve_ivp

import engine
from engine.algebra import Vec3, exp
from engine.algorithms import FixedStep
from engine.algorithms.given_rates import coning

VARIANTS = [f"EULER(rate={rate})" for rate in ("start", "middle", "trapezoid", "mean")]
VARIANTS += ["EULER(renormalise=first)", "EULER(rate=mean, renormalise=yes)"]
VARIANTS += [f"EXP(rate={rate})" for rate in ("start", "middle", "trapezoid", "mean")]
VARIANTS += ["RK-QUAT(tableau=midpoint, renormalise=yes)", "RK-QUAT(tableau=kutta3)"]
VARIANTS += ["RK-MATRIX(tableau=heun)", "RKMK(tableau=euler)", "RKMK(tableau=butcher6)"]
VARIANTS += [f"MAGNUS(order={n})" for n in (2, 6)]
VARIANTS += [f"MAGNUS(order={n}, nodes=equal)" for n in (2, 4, 6)]
VARIANTS += ["CFM4(nodes=equal)", "WILCOX(terms=1)", "WILCOX(terms=2)", "px4", "ardupilot"]
VARIANTS += ["CONING(samples=1)", "CONING(samples=1, before=yes)", "CONING(samples=3)"]
VARIANTS += ["CONING(samples=4)", "CONING(samples=2, before=yes)", "CONING(intervals=4)", "savage"]
VARIANTS += ["CONING(intervals=4, sums=together)", "CONING(intervals=4, sums=late)"]
VARIANTS += ["CONING(samples=3, correction=last)", "CONING(samples=4, correction=last)"]
VARIANTS += ["CONING(samples=3, correction=polynomial)", "CONING(samples=4, correction=polynomial)"]
VARIANTS += [f"PICARD(degree={degree})" for degree in (2, 3)]
VARIANTS += [f"PICARD(rounds={rounds})" for rounds in (1, 2, 3, 4)]
VARIANTS += ["GTSAM(samples=1)", "EXP(rate=middle)*yoshida4"]
SINGLE_STEPS = [name for name in VARIANTS if "*" not in name]
"""Those that are not composed of several steps."""
METHODS = [m.key for m in engine.algorithms(space="rates") if isinstance(m, FixedStep)]


def smooth(t):
    """A rate of no special kind."""
    return math.sin(1.3 * t) + 0.2, 0.7 * math.cos(2.1 * t), 0.5 + 0.3 * math.sin(0.3 * t * t)


def constant(t):
    return 0.6, 0.5, 0.7


@functools.cache
def find_end(rate, duration):
    """The attitude by SciPy, from the attitude 1."""

    def slopes(t, y):
        x, y_, z = rate(t)
        return (y.reshape(3, 3) @ [[0, -z, y_], [z, 0, -x], [-y_, x, 0]]).ravel()

    found = solve_ivp(slopes, (0, duration), np.eye(3).ravel(), "DOP853", rtol=1e-13, atol=1e-13)
    return found.y[:, -1].reshape(3, 3)


@pytest.mark.parametrize("name", first(METHODS + SINGLE_STEPS, len(METHODS)))
def test_order(name):
    (order,) = find_method(name).order
    # The drift of this one has the direction of the attitude and would not show its order otherwise.
    rate = constant if name == "ARDUPILOT-DCM" else smooth
    steps = {6: 16, 4: 16, 3: 64}.get(order, 32)
    errors = [angle(solve(name, rate, 2.0, n), find_end(rate, 2.0)) for n in (steps, 2 * steps)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.13)


@pytest.mark.parametrize("name", first(METHODS + SINGLE_STEPS, len(METHODS)))
def test_what_a_step_is_given(name):
    method, gyro = find_method(name), PlainGyro(smooth)
    advance(name, gyro, 0.5, 1)
    assert gyro.calls == method.torque_evaluations
    assert {round(t / 0.5, 12) for t in gyro.places} == {
        round(c, 12) for c in method.state.rates_at
    }
    assert bool(method.state.increments) == (not gyro.places)


@pytest.mark.parametrize("name", first(METHODS + VARIANTS, len(METHODS)))
def test_reversible(name):
    method, gyro = find_method(name), PlainGyro(smooth)
    if "before" in name or method.promises.has_history or "*" in name:
        assert method.reversible is ("*" in name)
        return
    options = [option.meaning(value) for option, value in method.step_arguments]
    state = advance(name, gyro, 0.2, 3)
    there = method.step(gyro, 0.6, 0.2, *state, *options)
    back = method.step(gyro, 0.8, -0.2, *there, *options)
    change = max(abs(a - b) for a, b in zip(back[0], state[0], strict=True))
    assert (change < 1e-14) == method.reversible, change


@pytest.mark.parametrize("name", first(METHODS + SINGLE_STEPS, len(METHODS)))
def test_orthogonality(name):
    state = advance(name, PlainGyro(smooth), 0.5, 20)
    if len(list(state[0])) == 4:
        off = abs(length(state) - 1)
    else:
        R = attitude(state)
        off = np.abs(R.T @ R - np.eye(3)).max()
    kept = find_method(name).conserves.get("orthogonality") == "always"
    assert off < 3e-14 if kept else off > 1e-9


@pytest.mark.parametrize(
    "name",
    [
        "EXP",
        "EXP(rate=mean)",
        "RKMK",
        "MAGNUS(order=6)",
        "CFM4",
        "CONING(samples=4)",
        "CG4",
        "GTSAM",
        "px4",
    ],
)
def test_a_constant_rate_is_exact(name):
    turn = np.array(list(exp(Vec3(*(3.0 * x for x in constant(0.0)))))).reshape(3, 3)
    assert angle(solve(name, constant, 3.0, 30), turn) < 3e-15


FAST = engine.problem("coning", cone=20.0, frequency=2.0)


@pytest.mark.parametrize("name", first(["CONING", *METHODS, *SINGLE_STEPS]))
def test_compiled_steps(name):
    """Kernels compute what plain Python does, of a cone of 20° whose axis turns by 0.25 rad in a step."""
    angle_of_cone, pulsation, h = math.radians(20.0), 4 * math.pi, 0.02

    def rate(t):
        across, phase = pulsation * math.sin(angle_of_cone), pulsation * t
        along = -2 * pulsation * math.sin(angle_of_cone / 2) ** 2
        return -across * math.sin(phase), across * math.cos(phase), along

    run = engine.simulate(FAST, name, dt=h, steps=25)
    start = exp(Vec3(angle_of_cone, 0.0, 0.0))
    assert run.status == "done"
    assert angle(run.R[-1], attitude(advance(name, PlainGyro(rate), h, 25, start))) < 3e-14


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["PICARD(degree=8, rounds=12)", "MAGNUS(order=6)"])
def test_coning_to_roundoff(name):
    """A cone of 2° at 50 Hz for a second, in updates of 0.31 rad or, by the expansion, of 0.05 rad."""
    dt = 0.001 if name.startswith("PICARD") else 1 / 6400
    run = engine.simulate("coning", name, dt=dt, duration=1, samples=1)
    exact = np.array(list(exp(Vec3(math.radians(2.0), 0.0, 0.0)))).reshape(3, 3)
    assert angle(run.R[-1], exact) < 2e-13


# -----------------------------------------------------------------------------------------------
# which are the same

SAME = [
    ("EXP(rate=middle)", "MAGNUS(order=2)"),
    ("EXP(rate=middle)", "CG2"),
    ("EXP(rate=trapezoid)", "MAGNUS(order=2, nodes=equal)"),
    ("EXP(rate=trapezoid)", "openvins-discrete"),
    ("EXP(rate=mean)", "CONING(samples=1)"),
    ("EXP", "GTSAM(samples=1)"),
    ("EULER(rate=mean)", "WILCOX(terms=1)"),
    ("EULER", "RK-QUAT(tableau=euler)", "start"),
    ("EULER(rate=mean)", "betaflight"),
    ("EULER", "madgwick"),
    ("EULER", "EULER(renormalise=first)"),
    ("madgwick", "mahony"),
    ("madgwick", "fusion"),
    ("RKMK", "BORTZ"),
    ("RKMK(tableau=midpoint)", "CG2", "different"),
    ("savage", "px4", "different"),
    ("savage", "CONING(samples=1, before=yes, intervals=4, renormalise=yes)"),
    ("CONING(samples=2)", "CONING(samples=2, correction=last)"),
    ("CONING(samples=2)", "CONING(samples=2, correction=polynomial)"),
    ("CG4", "CG3", "different"),
    ("px4", "ardupilot", "different"),
    ("betaflight", "madgwick", "different"),
    ("CONING(samples=3)", "CONING(samples=3, correction=last)", "different"),
]


@pytest.mark.parametrize("names", SAME)
def test_same_attitude(names):
    one, other = names[:2]
    if names[2:] == ("start",):
        one = "EULER(rate=start)"
    difference = angle(solve(one, smooth, 2.0, 20), solve(other, smooth, 2.0, 20))
    assert (difference > 1e-9) if names[2:] == ("different",) else (difference < 1e-14)


def test_magnus_of_order_4_is_the_two_sample_correction():
    """With a rate that is linear in a step, whose increments give the rates at Gauss's nodes."""

    def linear(t):
        return 0.3 + t, 0.5 - 2.0 * t, 0.2 + 0.7 * t

    one, other = (solve(name, linear, 0.3, 1) for name in ("MAGNUS", "CONING"))
    assert angle(one, other) < 1e-15


def test_commutator_free_method_of_one_body():
    """CF4's formula with all of its stages, whose inner ones do not matter here."""
    h = 0.3
    w0, w1, w2 = (h * np.array(smooth(c * h)) for c in (0.0, 0.5, 1.0))
    exps = [
        np.array(list(exp(Vec3(*v)))).reshape(3, 3)
        for v in ((3 * w0 + 4 * w1 - w2) / 12, (-w0 + 4 * w1 + 3 * w2) / 12)
    ]
    assert angle(solve("CF4", smooth, h, 1), exps[0] @ exps[1]) < 1e-15


@pytest.mark.parametrize("rate", ["mean", "end"])
def test_normalising_does_not_change_the_attitude(rate):
    """Only the length, by √(1 + θ²/4) in each step."""
    states = [
        advance(f"EULER(rate={rate}, renormalise={how})", PlainGyro(constant), 0.1, 200)
        for how in ("no", "first", "yes")
    ]
    assert max(angle(attitude(state), attitude(states[2])) for state in states) < 1e-13
    size = math.hypot(*constant(0.0)) * 0.1
    assert length(states[0]) == pytest.approx((1 + size**2 / 4) ** 100, rel=1e-12)
    assert length(states[1]) - 1 == pytest.approx(-3 / 8 * (size**2 / 4) ** 2, rel=0.02)


@pytest.mark.parametrize(
    ("name", "turn"),
    [
        ("EULER(renormalise=yes)", lambda θ: 2 * math.atan(θ / 2)),
        ("ZHANG", lambda θ: 4 * math.atan(θ / 4)),
    ],
)
def test_turn_of_a_fast_rotation(name, turn):
    R = solve(name, lambda t: (0.0, 0.0, 1.0), 0.8, 1)
    assert math.atan2(R[1, 0], R[0, 0]) == pytest.approx(turn(0.8), abs=1e-15)


# -----------------------------------------------------------------------------------------------
# coning corrections


def test_weights_of_the_sources():
    """Miller's for three samples, Lee, Yoon, Mark and Tazartes's for four, and those for five that later tables
    have; of one sample with the one before, Savage's.
    """
    tables = {
        (2, 0): "2/3",
        (3, 0): "27/20 9/20",
        (4, 0): "214/105 92/105 54/105",
        (5, 0): "1375/504 650/504 525/504 250/504",
        (1, 1): "1/12",
    }
    for (samples, before), text in tables.items():
        assert coning.find_distance_weights(samples, before) == [
            Fraction(word) for word in text.split()
        ]
    products = dict(((i, j), weight) for i, j, weight in coning.share_equally(4, 0))
    assert products[1, 2] == products[2, 3] == products[3, 4] == pytest.approx(214 / 315)
    assert products[1, 3] == products[2, 4] == pytest.approx(46 / 105)
    assert products[1, 4] == pytest.approx(54 / 105)


def test_weights_for_polynomials():
    three = dict(((i, j), weight) for i, j, weight in coning.fit_polynomial(3, 0))
    assert three == pytest.approx({(1, 2): 57 / 80, (2, 3): 57 / 80, (1, 3): 33 / 80})
    four = dict(((i, j), weight) for i, j, weight in coning.fit_polynomial(4, 0))
    assert four == pytest.approx(
        {
            (1, 2): 736 / 945,
            (3, 4): 736 / 945,
            (1, 3): 334 / 945,
            (2, 4): 334 / 945,
            (1, 4): 526 / 945,
            (2, 3): 654 / 945,
        }
    )


def find_drift(products, samples, phase):
    """The drift of a correction in coning, per radian of the cone's phase and over the square of half
    its small angle, where a sample takes this phase.
    """
    λ = phase
    found = sum(
        weight * (2 * math.sin((j - i) * λ) - math.sin((j - i + 1) * λ) - math.sin((j - i - 1) * λ))
        for i, j, weight in products
    )
    return (0.5 * (samples * λ - math.sin(samples * λ)) - found) / (samples * λ)


CONSTANTS = {
    # samples, before: the power of the phase of an interval, and 1 over the drift at the phase 1
    (1, 0): (2, 12),
    (2, 0): (4, 960),
    (3, 0): (6, 204_120),
    (4, 0): (8, 82_575_360),
}


@pytest.mark.parametrize("numbers", CONSTANTS)
def test_constants_of_theory(numbers):
    """The printed ones, from the weights."""
    samples, before = numbers
    power, constant = CONSTANTS[numbers]
    products = coning.share_equally(samples, before)
    for phase in (0.4, 0.2):
        found = find_drift(products, samples, phase / samples) / phase**power
        if abs(found) * phase**power > 1e-12:
            assert 1 / found == pytest.approx(constant, rel=0.02 * (phase / 0.2) ** 2)


CASES = [
    ("EXP(rate=mean)", 1, 0, coning.share_equally),
    ("CONING", 2, 0, coning.share_equally),
    ("CONING(samples=3)", 3, 0, coning.share_equally),
    ("CONING(samples=4)", 4, 0, coning.share_equally),
    ("CONING(samples=3, correction=last)", 3, 0, coning.take_last),
    ("CONING(samples=4, correction=last)", 4, 0, coning.take_last),
    ("CONING(samples=3, correction=polynomial)", 3, 0, coning.fit_polynomial),
    ("CONING(samples=4, correction=polynomial)", 4, 0, coning.fit_polynomial),
    ("CONING(samples=1, before=yes)", 1, 1, coning.share_equally),
    ("CONING(samples=2, before=yes)", 2, 1, coning.share_equally),
    ("savage", 1, 1, coning.share_equally),
]
CONE = 1e-4


def measure_drift(name, phase, steps=400):
    """The drift in coning of a small angle per radian of the cone's phase, over the square of the
    angle; an update takes this phase.
    """

    def rate(t):
        ω = math.sin(CONE)
        return -ω * math.sin(t), ω * math.cos(t), -2 * math.sin(CONE / 2) ** 2

    class Closed(PlainGyro):
        def increment(self, t, h):
            a, b = math.cos(t + h) - math.cos(t), math.sin(t + h) - math.sin(t)
            return Vec3(math.sin(CONE) * a, math.sin(CONE) * b, rate(0.0)[2] * h)

    start = np.array(list(exp(Vec3(CONE, 0.0, 0.0)))).reshape(3, 3)
    angles = []
    for count in (steps, 2 * steps):
        R = start @ attitude(advance(name, Closed(rate), phase, count))
        end = count * phase
        exact = np.array(list(exp(Vec3(CONE * math.cos(end), CONE * math.sin(end), 0.0)))).reshape(
            3, 3
        )
        E = R @ exact.T
        angles.append((E[1, 0] - E[0, 1]) / 2)
    return (angles[1] - angles[0]) / (steps * phase) / CONE**2


@pytest.mark.parametrize(("name", "samples", "before", "correct"), first(CASES, 4))
def test_drift_in_coning(name, samples, before, correct):
    """As theory has it, in order and constant: the part of the drift of an update that leaves out the
    coning, ½, which remains.
    """
    intervals = find_method(name).state.increments // samples
    products = correct(samples, before)
    for phase in (0.8, 1.6):  # of an interval
        expected = find_drift(products, samples, phase / samples)
        assert measure_drift(name, phase * intervals) == pytest.approx(
            -expected, rel=2e-3, abs=2e-9
        )


PAGE = Path(engine.__file__).parent.parent / "docs" / "explained" / "given-rates.md"
ROWS = re.findall(
    r"^\| `(.+?)` \| (\S+) \| (\d) \| ([\d. ]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE
)
PHASES = {power: math.tau * turns / 400 for power, turns in ((2, 13), (4, 19), (6, 38), (8, 76))}
"""Those at which a power of the drift shows, and no higher one; 400 steps are whole turns."""


@pytest.mark.parametrize(("name", "samples", "power", "constant"), first(ROWS, 2))
def test_table_of_drifts(name, samples, power, constant):
    """The table of the documentation: samples, power and constant of each update."""
    phase = PHASES[int(power)]
    drift = abs(measure_drift(name, phase))
    assert phase ** int(power) / drift == pytest.approx(float(constant.replace(" ", "")), rel=0.04)
    state = find_method(name).state
    steps = [place * int(samples) for place in state.rates_at] if samples != "–" else []
    assert samples == "–" or all(step == round(step) for step in steps)
    assert not state.increments or state.increments == int(samples)


def test_sampled_angles_are_sums():
    """The stand-in for samples, against increments of the rate."""
    gyro, interval = PlainGyro(smooth), 0.01
    angles = [list(gyro.increment(i * interval, interval)) for i in range(200)]
    state = advance("CONING(samples=4, intervals=2)", Sampled(angles, interval), 0.08, 25)
    assert angle(attitude(state), solve("CONING(samples=4, intervals=2)", smooth, 2.0, 25)) < 1e-14
