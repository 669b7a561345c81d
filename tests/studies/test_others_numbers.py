"""Numbers that others published, beside the lab's: each verdict, and what the sentences say of the
differences.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import ode, solve_ivp

import engine
from engine import papers
from engine.cli import command as cli
from engine.papers import comparison
from engine.papers.comparison import AGREES, DIFFERS, WRONG, Compared
from engine.problems.field import takes_velocity
from engine.text.bibliography import bibtex

Array = NDArray[np.float64]

DATA = json.loads(
    (Path(__file__).parents[1] / "data" / "others_numbers.json").read_text(encoding="utf-8")
)
NUMBERS = Path(comparison.__file__).with_name("numbers")
KEYS = [one.key for one in papers.comparisons()]
RATES = "angular velocity in the body"
ANGLES = "yaw, pitch and roll"
VERDICTS = {
    "nesc-brick": {
        **{("SIM 04", what): AGREES for what in (RATES, ANGLES)},
        **{("SIM 01", what): AGREES for what in (RATES, ANGLES)},
        **{("SIM 05", what): AGREES for what in (RATES, ANGLES)},
        **{("SIM 02", what): WRONG for what in (RATES, ANGLES)},
        **{("SIM 06", what): WRONG for what in (RATES, ANGLES)},
    },
    "nesc-brick-damped": {
        ("SIM 04", RATES): AGREES,
        ("SIM 05", RATES): DIFFERS,
        ("SIM 06", RATES): WRONG,
        ("SIM 02", RATES): WRONG,
        ("SIM 01", RATES): WRONG,
    },
    "detest-b5": {("NSDTST", "y"): AGREES},
    "orekit-torque-free": {
        ("Orekit", "largest angle within ±t from a turn at the first rate"): AGREES,
        ("Orekit", "largest angle of the spatial momentum from its start, within ±t"): AGREES,
    },
    "exudyn-heavy-top": {
        ("Lie group RK4, 400 steps", "ω₂ in space"): AGREES,
        ("RK67, Δt = 10⁻⁴", "ω₂ in space"): AGREES,
        ("Reference of the Python test", "ω₂ in space"): WRONG,
        ("Lie group RK4, 32,000 steps", "ω₂ in space"): AGREES,
    },
    "gazebo-boxes": {
        ("Bullet", "largest change of momentum and energy"): AGREES,
        ("ODE", "largest change of momentum and energy"): DIFFERS,
        ("Simbody", "largest change of momentum and energy"): DIFFERS,
    },
    "sciml-rigid-body": {
        (f"{code}, by Hairer and Wanner", "log₁₀ of the mean error of y"): AGREES
        for code in ("dop853", "dopri5")
    },
}
DIFFERENCES = {
    ("nesc-brick", "SIM 04", RATES): 4e-10,
    ("nesc-brick", "SIM 01", RATES): 4e-10,
    ("nesc-brick", "SIM 04", ANGLES): 1e-8,
    ("nesc-brick", "SIM 01", ANGLES): 1e-8,
    ("detest-b5", "NSDTST", "y"): 1e-14,
    ("exudyn-heavy-top", "Lie group RK4, 400 steps", "ω₂ in space"): 3e-12,
    ("exudyn-heavy-top", "RK67, Δt = 10⁻⁴", "ω₂ in space"): 1e-10,
}
"""The largest differences of those that agree to many digits."""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[tuple[str, str], Compared]]:
    """Every comparison, computed once."""
    return {
        one.key: {(c.numbers.who, c.numbers.what): c for c in compared}
        for one, compared in papers.compare().items()
    }


Found = dict[str, dict[tuple[str, str], Compared]]


@pytest.mark.parametrize("key", KEYS)
def test_each_verdict_follows_from_the_numbers(found: Found, key: str) -> None:
    assert {name: c.verdict for name, c in found[key].items()} == VERDICTS[key]
    for c in found[key].values():
        assert c.doubt < max(c.numbers.tolerance * 50, c.difference), (
            "the lab knows its own numbers"
        )
        assert "{" not in c.sentence


def test_close_numbers_are_as_close_as_they_are_said_to_be(found: Found) -> None:
    for (key, *name), most in DIFFERENCES.items():
        assert found[key][tuple(name)].difference < most, (key, name)


@pytest.mark.parametrize("file", sorted(NUMBERS.glob("*.toml")), ids=lambda file: file.stem)
def test_each_file_has_sources_terms_and_reasons(file: Path) -> None:
    for key, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
        assert bibtex(table["source"])
        assert all(table[name].strip() for name in ("title", "where", "about", "known", "terms"))
        assert "the lab copies" in table["terms"]
        one = papers.find_comparison(key)
        for numbers in one.numbers:
            assert numbers.because and numbers.says and numbers.quantity in comparison.QUANTITIES
            assert numbers.says.count("{instead}") <= (numbers.instead is not None)
            assert len(numbers.published) == len(numbers.given["at"])


def read_example(published: float, **more: Any) -> Compared:
    """Compare a number of a body that turns at 1 rad/s about its first axis with the lab's, in
    degrees.
    """
    table = {
        "title": "A", "source": "Buss2000", "where": "here", "about": "", "known": "", "terms": "",
        "problem": {"key": "custom", "J": [1, 2, 3], "Omega0": [1.0, 0.0, 0.0]},
        "lab": {"methods": ["NMB"], "dt": 0.1, "duration": 1.0},
        "common": {"quantity": "rates", "unit": "°/s", "components": [0], "at": [1.0]},
        "numbers": [{"who": "me", "what": "Ω₁", "tolerance": 1e-3, "because": "", "says": "{difference}, {instead}",
                     "published": [[published]], **more}],
    }  # fmt: skip
    (compared,) = comparison._read_comparison("example", table).compare()
    return compared


@pytest.mark.parametrize(
    ("published", "more", "verdict"),
    [
        (57.2958, {}, AGREES),
        (57.3, {}, WRONG),
        (57.3, {"tolerance": 0.01}, AGREES),
        (114.5916, {"instead": {"problem": {"Omega0": [2.0, 0.0, 0.0]}}}, DIFFERS),
        (114.5916, {"instead": {"problem": {"Omega0": [2.0, 0.0, 0.0]}, "mistake": True}}, WRONG),
        (114.6, {"instead": {"problem": {"Omega0": [2.0, 0.0, 0.0]}}}, WRONG),
    ],
)
def test_a_new_reference_is_a_table(published: float, more: dict[str, Any], verdict: str) -> None:
    compared = read_example(published, **more)
    assert compared.verdict == verdict
    assert compared.difference == pytest.approx(abs(published - np.degrees(1.0)))
    assert "°/s" in compared.sentence


def test_values_have_the_digits_that_are_published() -> None:
    ((at, published, lab, _),) = read_example(57.30, tolerance=1.0).format_rows()
    assert (at, published, lab) == ("1", "57.3", "57.2958")


# -------------------------------------------------------------------------------------------------
# independently


def hat(w: Array) -> Array:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def integrate(
    problem: engine.Problem, times: Sequence[float], tolerance: float
) -> tuple[Array, Array]:
    """R and Ω at some times, by SciPy's DOP853 on the nine entries of R and on Ω."""
    J = problem.J
    values = problem.values

    def act(t: float, R: Array, w: Array) -> Array:
        if values.get("torque") == "gravity":
            return np.cross(R @ values["chi"], [0.0, 0.0, -values["Mgl"]])
        if problem.torque is None:
            return np.zeros(3)
        return np.asarray(
            problem.torque(t, R, w) if takes_velocity(problem.torque) else problem.torque(t, R)
        )

    def rate(t: float, y: Array) -> Array:
        R, w = y[:9].reshape(3, 3), y[9:]
        change = np.cross(J @ w, w) + R.T @ act(t, R, w)
        return np.concatenate([(R @ hat(w)).ravel(), np.linalg.solve(J, change)])

    start = np.concatenate([problem.R0.ravel(), problem.Omega0])
    y = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=tolerance, atol=tolerance).y.T
    return y[:, :9].reshape(-1, 3, 3), y[:, 9:]


@pytest.mark.parametrize(
    ("key", "until", "within"),
    [
        ("nesc-brick", 5.0, 1e-10),
        ("orekit-torque-free", 1.0, 1e-13),
        ("exudyn-heavy-top", 0.01, 1e-10),
        ("sciml-rigid-body", 1.0, 1e-11),
        pytest.param("nesc-brick-damped", 10.0, 1e-10, marks=pytest.mark.exhaustive),
        pytest.param("exudyn-heavy-top", 2.0, 1e-9, marks=pytest.mark.exhaustive),
    ],
)
def test_scipy_has_the_lab_s_motion(key: str, until: float, within: float) -> None:
    problem = papers.find_comparison(key).problem
    times = [until / 2, until]
    R, Omega = integrate(problem, times, 1e-13)
    motion = engine.exact(problem, times)
    np.testing.assert_allclose(motion.Omega, Omega, atol=within)
    np.testing.assert_allclose(motion.R, R, atol=within)


def test_euler_s_equations_of_detest_are_those_of_the_body() -> None:
    one = papers.find_comparison("detest-b5")
    J1, J2, J3 = (Fraction(int(J)) for J in np.diag(one.problem.J))
    s1, s2, s3 = Fraction(5, 9), Fraction(4, 3), Fraction(2, 5)
    assert one.numbers[0].given["scale"] == [float(s) for s in (s1, s2, s3)]
    assert (J2 - J3) / J1 * s1 / (s2 * s3) == 1
    assert (J3 - J1) / J2 * s2 / (s3 * s1) == -1
    assert (J1 - J2) / J3 * s3 / (s1 * s2) == Fraction(-51, 100)
    np.testing.assert_array_equal(one.problem.Omega0, [0.0, 0.75, 2.5])
    assert (s2 * Fraction(3, 4), s3 * Fraction(5, 2)) == (1, 1)


def test_of_detest_s_numbers_the_last_digits_are_off(found: Found) -> None:
    c = found["detest-b5"]["NSDTST", "y"]
    with mpmath.workdps(30):
        exact = [mpmath.ellipfun(name, 20, m=mpmath.mpf(51) / 100) for name in ("sn", "cn", "dn")]
        digits = [mpmath.nstr(one, 16) for one in exact]
        assert f"({', '.join(digits)})".replace("-", "−") in c.sentence
        for printed, known in zip(c.numbers.published[0], digits, strict=True):
            assert f"{printed:.16f}" != known
        for published, lab, true in zip(c.numbers.published[0], c.values[0], exact, strict=True):
            assert abs(published - true) < 3.1e-15 and abs(lab - true) < 5e-15


def test_the_forced_equations_are_those_of_another_body() -> None:
    problem = papers.find_comparison("sciml-rigid-body").problem
    J1, J2, J3 = (Fraction(int(J)) for J in np.diag(problem.J))
    s1, s2, s3 = Fraction(4, 5), Fraction(1, 2), Fraction(2, 5)
    assert (J2 - J3) / J1 * s1 / (s2 * s3) == -2 == Fraction(2 - 3) / Fraction(1, 2)
    assert (J3 - J1) / J2 * s2 / (s3 * s1) == Fraction(5, 4)
    assert (J1 - J2) / J3 * s3 / (s1 * s2) == Fraction(-1, 2)
    np.testing.assert_allclose(problem.Omega0 * [0.8, 0.5, 0.4], [1.0, 0.0, 0.9], rtol=1e-15)
    assert problem.torque is not None
    pushed = problem.torque(2.0, np.eye(3)) / np.diag(problem.J) * 0.4
    np.testing.assert_allclose(pushed, [0, 0, np.sin(2.0) ** 2 / 4])
    with pytest.raises(ValueError, match="no rigid body"):
        engine.Problem(J=(0.5, 2.0, 3.0))


def test_dopri5_makes_the_published_errors_anew(found: Found) -> None:
    """The curve is read right, and its error is the mean of three: Hairer and Wanner's own program
    meets each point.
    """

    def rate(t: float, y: Array) -> list[float]:
        return [-2 * y[1] * y[2], 1.25 * y[0] * y[2], -0.5 * y[0] * y[1] + 0.25 * np.sin(t) ** 2]

    start = [1.0, 0.0, 0.9]
    exact = solve_ivp(rate, (0, 10), start, "DOP853", rtol=3e-14, atol=1e-16).y[:, -1]
    c = found["sciml-rigid-body"]["dopri5, by Hairer and Wanner", "log₁₀ of the mean error of y"]
    for rtol, (published,) in zip(c.numbers.given["at"], c.numbers.published, strict=True):
        solver = ode(rate).set_integrator("dopri5", rtol=rtol, atol=rtol / 1000, nsteps=10_000)
        end = solver.set_initial_value(start).integrate(10.0)
        assert np.log10(np.abs(end - exact).mean()) == pytest.approx(published, abs=0.002)


def test_the_lab_s_dop853_is_within_a_factor_of_three_of_the_published_curve(found: Found) -> None:
    c = found["sciml-rigid-body"]["dop853, by Hairer and Wanner", "log₁₀ of the mean error of y"]
    assert c.difference < np.log10(3.0) and "decades" in c.sentence
    off = [
        row["lab"]
        for row in found["sciml-rigid-body"]["dopri5, by Hairer and Wanner", c.numbers.what].rows()
    ]
    assert all(coarse - fine > 0.8 for coarse, fine in pairwise(off))  # a decade for a decade


# -------------------------------------------------------------------------------------------------
# NASA's brick


def test_sim_06_keeps_its_energy_and_is_ahead(found: Found) -> None:
    c = found["nesc-brick"]["SIM 06", RATES]
    problem = papers.find_comparison("nesc-brick").problem
    rates = np.vstack([np.degrees(problem.Omega0), c.numbers.published])
    energy = (rates**2) @ np.diag(problem.J)
    assert np.ptp(energy) / energy[0] < 2.05e-9 and "2·10⁻⁹" in c.sentence
    assert c.instead < 2e-7 < 1e-3 < c.difference
    shifted = [
        np.degrees(engine.exact(problem, np.add([5.0, 15.0, 30.0], ahead)).Omega)
        for ahead in (-5e-4, 4e-4, 6e-4)
    ]
    for other in shifted:
        assert np.abs(other - c.numbers.published).max() > 1000 * c.instead


def test_half_a_millisecond_explains_a_fifth_of_sim_06_in_air(found: Found) -> None:
    c = found["nesc-brick-damped"]["SIM 06", RATES]
    assert "explains a fifth" in c.sentence and c.instead is not None
    problem = papers.find_comparison("nesc-brick-damped").problem
    problem = problem.replace(**c.numbers.given["instead"]["problem"])
    ahead = engine.exact(problem, np.add(c.numbers.given["at"], 5e-4))
    left = np.abs(np.degrees(ahead.Omega) - c.numbers.published).max() / c.instead
    assert left == pytest.approx(0.8, abs=0.02)


def test_sim_02_is_as_wrong_as_euler_s_steps_on_angles(found: Found) -> None:
    c = found["nesc-brick"]["SIM 02", ANGLES]
    away = c.numbers.published[-1] - c.values[-1]
    assert abs(away[2]) == c.difference > 3.7
    h = 0.02
    problem = papers.find_comparison("nesc-brick").problem
    yaw = pitch = roll = 0.0
    for p, q, r in engine.exact(problem, h * np.arange(1500)).Omega:
        s = q * np.sin(roll) + r * np.cos(roll)
        yaw, pitch, roll = (
            yaw + h * s / np.cos(pitch),
            pitch + h * (q * np.cos(roll) - r * np.sin(roll)),
            roll + h * (p + np.tan(pitch) * s),
        )
    turned = np.degrees(papers.find_comparison("nesc-brick").numbers[5].given["turned"][-1])
    euler = np.degrees([yaw, pitch, roll]) - c.values[-1] - [0.0, 0.0, turned]
    np.testing.assert_allclose((euler + 180) % 360 - 180, away, atol=0.1)


def test_the_frame_turns_with_the_earth_and_the_brick_s_longitude() -> None:
    angles = [n for n in papers.find_comparison("nesc-brick").numbers if n.quantity == "angles"]
    longitudes = DATA["check_case_2"]["longitude"]
    for numbers in angles:
        turned = [
            7.292115e-5 * float(t) + np.radians(longitude) for t, longitude in longitudes.items()
        ]
        np.testing.assert_allclose(numbers.given["turned"], turned, rtol=1e-7)


def test_the_torque_of_the_air_is_that_of_the_simulations() -> None:
    case = DATA["check_case_3"]
    problem = papers.find_comparison("nesc-brick-damped").problem
    for t in (2, 5, 10):
        torque = problem.torque(float(t), np.eye(3), np.ones(3))
        moment = case["densities_04"][str(t)] * case["speeds_04"][str(t)] * 0.22222 / 4
        np.testing.assert_allclose(
            torque, -moment * np.array([0.33333, 0.66667, 0.33333]) ** 2, rtol=2e-5
        )


def test_sim_01_has_another_length_and_denser_air() -> None:
    case = DATA["check_case_3"]
    for speed, density, rate, moment in case["sim_01"].values():
        assert np.sqrt(
            -4 * moment / (density * speed * 0.22222 * np.radians(rate))
        ) == pytest.approx(0.67, abs=2e-5)
    density = case["sim_01"]["10.0"][1]
    assert 100 * (density / case["density_04_at_10"] - 1) == pytest.approx(0.12, abs=0.005)


# -------------------------------------------------------------------------------------------------
# Exudyn, Gazebo


def test_exudyn_s_reference_is_the_next_run_of_its_series(found: Found) -> None:
    top = found["exudyn-heavy-top"]
    ours = float(top["RK67, Δt = 10⁻⁴", "ω₂ in space"].values[0, 0])
    errors = [abs(value - ours) for value in DATA["exudyn"]["rk4"].values()]
    assert errors[-2] / errors[-1] == pytest.approx(16, rel=0.1), "order four"
    wrong = top["Reference of the Python test", "ω₂ in space"]
    assert errors[-1] / wrong.difference == pytest.approx(15.5, abs=0.05)
    runs = DATA["exudyn"]["rk67"]
    assert np.ptp(runs) < 2.2e-9 and max(abs(run - ours) for run in runs) < wrong.numbers.tolerance
    coarse, fine = list(DATA["exudyn"]["rk4"].values())[-2:]
    assert abs(fine - coarse) / 16 == pytest.approx(errors[-1], rel=0.15)


def test_the_top_s_closed_form_agrees_with_a_reference_run() -> None:
    problem = papers.find_comparison("exudyn-heavy-top").problem
    runs = [
        engine.simulate(problem, "RKMK(tableau=dop853)", steps=n, dt=2 / n, samples=1)
        for n in (4000, 8000)
    ]
    omega = [float((run.R[-1] @ run.Omega[-1])[1]) for run in runs]
    motion = engine.exact(problem, 2.0)
    assert max(abs(w - (motion.R @ motion.Omega)[1]) for w in omega) < 1e-9


@pytest.mark.parametrize(
    "name",
    [
        "bullet",
        pytest.param("ode", marks=pytest.mark.exhaustive),
        pytest.param("simbody", marks=pytest.mark.exhaustive),
    ],
)
def test_all_steps_of_gazebo_s_boxes_have_all_digits(name: str) -> None:
    one = papers.find_comparison("gazebo-boxes")
    (numbers,) = (n for n in one.numbers if n.who.lower() == name)
    setting = numbers.instead or {}
    dts, momentum, energy = np.transpose(DATA["gazebo"]["rows"][name])
    given = {**numbers.given, **setting, "at": dts}
    values, _ = comparison.measure_rule(one.problem, given, comparison.Executor())
    for ours, theirs in ((values[:, 0], momentum), (values[:, 1], energy)):
        digits = 10.0 ** (np.floor(np.log10(theirs)) - 5)
        assert (np.abs(ours - theirs) < 1.01 * digits).all()
    listed = [
        list(row) for dt, *row in DATA["gazebo"]["rows"][name] if dt in one.numbers[0].given["at"]
    ]
    assert listed == numbers.published


def test_the_moments_of_the_boxes_are_those_with_six_digits() -> None:
    exact = 10 / 12 * np.array([0.4**2 + 0.9**2, 0.9**2 + 0.1**2, 0.1**2 + 0.4**2])
    np.testing.assert_array_equal(
        np.diag(papers.find_comparison("gazebo-boxes").problem.J), np.round(exact, 6)
    )


# -------------------------------------------------------------------------------------------------
# the shell


def test_the_shell_prints_both_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["papers", "--others", "detest-b5"]) == 0
    out = capsys.readouterr().out
    assert "−0.9396570798729192" in out and "agrees" in out and "Jacobi" in out
    assert cli.main(["papers", "--others", "DETEST-B5", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["published"] for row in rows] == papers.find_comparison("detest-b5").numbers[
        0
    ].published[0]
    assert cli.main(["papers", "--others", "nesc-bick"]) == 2
    assert "nesc-brick" in capsys.readouterr().err


def test_a_cancelled_comparison_has_what_was_done() -> None:
    stop = engine.Cancellation()
    done = papers.compare(["detest-b5", "gazebo-boxes"], stop, lambda *_: stop.set())
    assert [one.key for one in done] == ["detest-b5"]
