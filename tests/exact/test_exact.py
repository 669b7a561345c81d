"""`exact`: the right solution for each problem, and honest error estimates of reference runs."""

from __future__ import annotations

import dataclasses
import importlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from covering import first

import engine
from engine.exact import Cancelled, exact
from engine.exact.motion import estimate_effort, find_free_ends
from engine.parameters.formula import Formula
from engine.parameters.validation import check_attitude
from engine.problems.problem import Action

from .taylor import Taylor

reference = importlib.import_module("engine.exact.reference")

SERIES = json.loads((Path(__file__).parents[1] / "data" / "heavy_tops.json").read_text())
MOTIONS = json.loads((Path(__file__).parents[1] / "data" / "smooth_motions.json").read_text())[
    "motions"
]
FINE = "RKMK(tableau=butcher6)"
TURNED = check_attitude((0.3, 0.5, -0.7))

TOP = {"J": (7 / 8, 7 / 8, 1 / 4), "R0": (0.2, 0, 0), "Omega0": (0.1, 0.2, 3.0)}
HOW = {
    "free": ("free", {}),
    "prism": ("free", {}),
    "lagrange-top": ("symmetric", {}),
    "fast-top": ("symmetric", {}),
    "slow-top": ("symmetric", {}),
    "custom(torque=gravity)": ("symmetric", TOP),
    "asymmetric-top": ("reference", {}),
    "soft-wall": ("reference", {}),
    "soft-wall(sign=as-printed)": ("reference", {}),
    "custom(torque=body)": ("reference", {}),
    "custom(torque=space)": ("reference", {}),
}


def torque(t, R):
    return (0.1 * np.sin(t), 0.0, 0.3 * R[2, 0])


@pytest.mark.parametrize("key", first(HOW, 4))
def test_fine_runs_come_to_it(key):
    how, given = HOW[key]
    p = engine.problem(key).replace(**given)
    run = engine.simulate(p, FINE, dt=p.dt / 16, duration=20 * p.dt, every=16)
    motion = exact(p, run.t)
    assert how in motion.how
    np.testing.assert_allclose(motion.R, run.R, rtol=0, atol=2e-12)
    np.testing.assert_allclose(
        motion.Omega, run.Omega, rtol=0, atol=2e-12 * (1 + np.abs(run.Omega).max())
    )
    np.testing.assert_allclose(motion.Pi, run.Pi, rtol=0, atol=4e-12 * (1 + np.abs(run.Pi).max()))
    np.testing.assert_allclose(motion.pi, run.pi, rtol=0, atol=4e-12 * (1 + np.abs(run.pi).max()))
    assert 0 < max(motion.estimate) < 1e-12


@pytest.mark.parametrize("t", [SERIES["t"], [1.0, np.pi]], ids=["nodes", "between"])
def test_a_reference_run_is_as_good_as_its_estimate(t):
    case = SERIES["tops"]["asymmetric-top"]
    motion = exact("asymmetric-top", t)
    assert "reference run" in motion.how
    n = len(t) if t is SERIES["t"] else 1
    at = [SERIES["t"].index(time) for time in t[:n]]
    off = np.abs(motion.R[:n] - np.array(case["R"])[at]).max()
    assert off <= motion.estimate.attitude <= 1e-11
    assert np.abs(motion.Omega[:n] - np.array(case["Omega"])[at]).max() <= 1e-12


@pytest.mark.parametrize("key", first(MOTIONS))
def test_reference_runs_come_to_states_of_80_bits(key):
    case = MOTIONS[key]
    motion = exact(key, case["t"])
    for i in range(len(case["t"])):
        Pi = np.array(case["Omega"][i]) @ engine.problem(key).J
        attitude, momentum = reference.difference(
            motion.R[i], motion.Pi[i], np.array(case["R"][i]), Pi
        )
        assert attitude <= motion.estimates.attitude[i] < 1e-11
        assert momentum <= motion.estimates.momentum[i] < 1e-11


@pytest.mark.parametrize("key", first(["asymmetric-top", "soft-wall", "custom(torque=space)"]))
def test_it_is_the_same_at_any_times(key):
    p = engine.problem(key)
    t = np.linspace(0, 5, 101)
    nodes = exact(p, t)
    mixed = exact(p, np.append(t, [1 / 3, 4.99999]))
    off = np.abs(nodes.R - mixed.R[:-2]).max()
    assert off <= nodes.estimate.attitude + mixed.estimate.attitude < 1e-11
    assert np.abs(mixed.R.swapaxes(1, 2) @ mixed.R - np.eye(3)).max() < 1e-13
    # At a time that no node is near, against a run that ends there.
    run = engine.simulate(p, FINE, dt=4.99999 / 2**13, steps=2**13, samples=1)
    assert np.abs(run.R[-1] - mixed.R[-1]).max() < 1e-11


@pytest.mark.parametrize(
    "key", first(["free", "slow-top", "asymmetric-top", "custom(torque=body)"])
)
def test_axes_of_one_s_own(key):
    p = engine.problem(key)
    t = np.linspace(0, 3, 7)
    turned = {"J": TURNED @ p.J @ TURNED.T, "R0": p.R0 @ TURNED.T, "Omega0": TURNED @ p.Omega0}
    for vector in {"chi", "moment"} & set(p.values):
        turned[vector] = tuple(TURNED @ p.values[vector])
    if key == "slow-top":
        weight = {"torque": "gravity", "Mgl": p.values["Mgl"], "chi": tuple(TURNED[:, 2])}
        turned = turned | weight
        other = engine.problem("custom")
    else:
        other = p
    one = exact(p, t)
    same = exact(other.replace(**turned), t)
    np.testing.assert_allclose(same.R @ TURNED, one.R, rtol=0, atol=1e-12)
    np.testing.assert_allclose(same.Omega @ TURNED, one.Omega, rtol=0, atol=1e-11)


def test_a_weight_of_nothing_leaves_a_body_free():
    p = engine.problem("asymmetric-top").replace(Mg=0.0)
    motion = exact(p, [0.0, 1.0])
    assert "free body" in motion.how
    np.testing.assert_allclose(motion.pi[1], motion.pi[0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("td", [2.0, 0.0])
def test_the_book_is_spun_up_kicked_and_let_go(td):
    p = engine.problem("book-toss").replace(td=td)
    t = np.array([0.0, td / 2, td, td + 0.05, td + 0.1, 9.9])
    motion = exact(p, t, dt=0.1)
    along_x = 20 * np.minimum(t, td)
    along_y = 2.0 * np.clip(t - td, 0.0, 0.1)
    np.testing.assert_allclose(
        motion.pi, np.stack([along_x, along_y, 0 * t], axis=1), rtol=0, atol=1e-11
    )
    # It spins up about its middle axis, which makes much of the last digits of its data.
    assert np.abs(motion.estimate).max() < 1e-6
    # A run whose steps lie in one stretch each follows it as well as ever.
    moment = engine.problem("custom(torque=space)").replace(
        moment=(0.0, 2.0, 0.0), J=(5.0, 9.0, 4.5)
    )
    body = {"J": (5.0, 9.0, 4.5)}
    there = exact(p.replace(**body), [td], dt=0.1)
    run = engine.simulate(
        moment.replace(R0=there.R[0], Omega0=there.Omega[0]), FINE, dt=0.001, duration=0.1
    )
    after = exact(p.replace(**body), td + run.t, dt=0.1)
    np.testing.assert_allclose(after.R, run.R, rtol=0, atol=1e-12)
    assert np.abs(exact(p, t).R - exact(p, t, dt=p.dt).R).max() == 0.0


def test_one_time_gives_one_state_and_several_come_in_their_order():
    for key in ("free", "slow-top", "asymmetric-top"):
        several = exact(key, [2.0, 0.5, 1.0])
        one = exact(key, 0.5)
        assert one.R.shape == (3, 3) and one.Omega.shape == one.Pi.shape == one.pi.shape == (3,)
        np.testing.assert_allclose(several.R[1], one.R, rtol=0, atol=1e-13)
        np.testing.assert_allclose(
            one.pi, one.R @ one.Pi, rtol=0, atol=1e-15 * np.abs(one.Pi).max()
        )
        np.testing.assert_allclose(
            exact(key, 0.0).Omega, engine.problem(key).Omega0, rtol=1e-14, atol=1e-15
        )


def test_closed_solutions_go_backwards_too():
    for key in ("free", "slow-top"):
        past = exact(key, -1.5)
        p = engine.problem(key).replace(R0=past.R, Omega0=past.Omega)
        np.testing.assert_allclose(exact(p, 1.5).R, engine.problem(key).R0, rtol=0, atol=1e-12)


@pytest.mark.exhaustive
def test_a_torque_of_one_s_own_compiled_or_not():
    p = engine.Problem(J=(1, 2, 3), Omega0=(1, 0.5, 0.2), torque=torque)
    t = np.linspace(0, 2, 21)
    plain = exact(p, t)
    compiled = exact(p.replace(torque=engine.torque(torque)), t)
    assert "RKMK853" in plain.how and "TAYLOR" in compiled.how
    np.testing.assert_allclose(plain.R, compiled.R, rtol=0, atol=1e-13)
    run = engine.simulate(p, FINE, dt=0.1 / 32, duration=2, every=32)
    np.testing.assert_allclose(plain.R, run.R, rtol=0, atol=1e-12)


@pytest.mark.exhaustive
def test_plain_python_is_called_anew():
    strength = [0.1]
    p = engine.Problem(
        J=(1, 2, 3), Omega0=(1, 0.5, 0.2), torque=lambda t, R: (strength[0], 0.0, 0.0)
    )
    before = exact(p, 1.0)
    strength[0] = 0.2
    assert np.abs(exact(p, 1.0).R - before.R).max() > 0.01


def test_a_torque_without_series_has_a_reference_run_too():
    """One with a jump in its slope, against steps that meet it."""
    p = engine.Problem(
        J=(1, 2, 2.5), Omega0=(1, 0.5, 0.2), torque=Formula("max(1 - t, 0) * e1 - 0.2 * R @ Omega")
    )
    motion = exact(p, [0.0, 1.0, 3.0])
    assert "RKMK853" in motion.how and motion.estimate.attitude < 1e-11
    run = engine.simulate(p, FINE, dt=1 / 256, duration=3, every=256)
    apart = np.abs(run.R[[0, 1, 3]] - motion.R).max(axis=(1, 2))
    assert (apart <= motion.estimates.attitude + 1e-13).all()


def test_a_motion_that_ends_is_known_up_to_there():
    p = engine.Problem(J=(1, 2, 2.5), Omega0=(0.3, 1, 0.2), torque=Formula("1/(1 - t) * e1"))
    motion = exact(p, [0.0, 0.5, 2.0])
    assert motion.is_known.tolist() == [True, True, False]
    with pytest.raises(
        ValueError, match=r"no reference run beyond t = [01]\.?\d*: (steps|the torque)"
    ):
        exact(p, 2.0)


def test_the_estimate_contains_the_change_of_invariants():
    """The torque of another weight changes the energy, which the problem declares to be kept."""
    p = engine.problem("asymmetric-top")
    field, numbers, *_ = p.action(p.dt)
    wrong = dataclasses.replace(field, torque=lambda t, R, p: 1.0001 * field.torque(t, R, p))
    changed = dataclasses.replace(p, act=lambda values, dt: Action(wrong, numbers), Pi0=None)
    right = exact(p, [0.0, 1.0]).estimate
    assert max(right) < 1e-12 < 1e-6 < min(exact(changed, [0.0, 1.0]).estimate) < 1e-3


def test_the_effort_is_estimated():
    p = engine.problem("asymmetric-top").replace(Omega0=(0.32, 0.5, 1.0))
    assert estimate_effort(engine.problem("slow-top"), 20.0, 0.05) == 0
    assert 1000 < estimate_effort(p, 20.0, 0.05) < estimate_effort(p, 40.0, 0.05)


@pytest.mark.exhaustive
def test_threads_may_share_a_problem():
    p = engine.problem("soft-wall(sign=as-printed)")
    t = np.linspace(0, 5, 101)
    expected = exact(p, t).R
    problems = [p.replace(Omega0=p.Omega0 + 0.01 * (i % 5)) for i in range(20)]
    with ThreadPoolExecutor(4) as pool:
        motions = list(pool.map(lambda p: exact(p, t), problems))
    np.testing.assert_array_equal(motions[0].R, expected)
    for one, same in zip(motions[:5], motions[5:10], strict=True):
        np.testing.assert_array_equal(one.R, same.R)


TOPS = json.loads((Path(__file__).parents[1] / "data" / "chaotic_tops.json").read_text())["cases"]
ACTING = {
    "weight": ("asymmetric-top", "chi", {"Mg": 1.0}),
    "in_body": ("custom(torque=body)", "moment", {}),
    "in_space": ("custom(torque=space)", "moment", {}),
}


def off(motion, case):
    """Return the distance of a motion's last state from a case's."""
    apart = reference.difference(
        motion.R[-1], motion.Pi[-1], np.array(case["R"]), np.array(case["Pi"])
    )
    return tuple(float(x) for x in apart)


def estimates_and_errors(cases):
    """Return the estimate and the error of attitude and momentum, for each case within its
    horizon.
    """
    found = []
    for case in cases:
        (acts,) = case.keys() & ACTING.keys()
        key, vector, more = ACTING[acts]
        given = {name: case[name] for name in ("J", "R0", "Omega0")}
        p = engine.problem(key).replace(**given, **{vector: case[acts]}, **more)
        try:
            motion = exact(p, [0.0, case["t"]])
        except ValueError:
            continue
        found.append(list(zip(motion.estimate, off(motion, case), strict=True)))
    return np.array(found)


@pytest.mark.exhaustive
def test_estimates_hold_where_motion_is_chaotic():
    """Compared with series of many more digits, for every tenth of the 200 cases in the data."""
    found = estimates_and_errors(TOPS[::10])
    assert len(found) >= 15
    estimate, error = np.moveaxis(found, -1, 0)
    assert (error <= estimate).all()
    assert np.median(estimate[:, 0] / error[:, 0]) < 100
    assert estimate[:, 0].max() > 1e-7  # some are chaotic


@pytest.mark.parametrize("key, given", first([
    ("free", {}),
    ("slow-top", {}),
    ("free", {"Omega0": (1e-9, 1.0, 1e-9)}),
    ("lagrange-top", {"R0": (1e-9, 0.0, 0.0), "Omega0": (0.0, 0.0, 6.0)}),
], 2))  # fmt: skip
def test_estimates_of_closed_solutions_hold(key, given):
    p = engine.problem(key).replace(**given)
    weight = (0, 0, p.values["Mgl"]) if "Mgl" in p.values else (0, 0, 0)
    series = Taylor(p.J, p.R0, p.Omega0, weight)
    motion = exact(p, [0.0, 2.0, 8.0])
    for i, t in enumerate((2.0, 8.0), 1):
        R, Pi = series.until(t)
        attitude, momentum = reference.difference(motion.R[i], motion.Pi[i], R, Pi)
        assert attitude <= motion.estimates.attitude[i] and momentum <= motion.estimates.momentum[i]


def rotation_about(rng):
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return axes * np.sign(np.linalg.det(axes))


def full_matrix(kind, rng):
    """A body whose axes are not its principal axes: tumbling, symmetric, or near a steady
    rotation.
    """
    x, y, z = 10 ** rng.uniform(-1.5, 0, 3)
    moments = np.array([y + z, x + z, x + y])
    axes = rotation_about(rng)
    Omega0 = rng.normal(size=3)
    if kind == "symmetric":
        moments[1] = moments[0]
        moments[2] = min(moments[2], 1.9 * moments[0])
    elif kind != "tumbling":
        Omega0 = (
            2 * axes[:, moments.argmin() if kind == "least" else rng.integers(3)] + 1e-9 * Omega0
        )
    J = axes @ np.diag(moments) @ axes.T
    return engine.problem("free").replace(J=(J + J.T) / 2, R0=rotation_about(rng), Omega0=Omega0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["tumbling", "symmetric", "steady", "least"])
def test_estimates_of_closed_solutions_hold_where_the_principal_axes_are_rounded(kind):
    rng = np.random.default_rng(13)
    for body in (full_matrix(kind, rng) for _ in range(10)):
        series = Taylor(body.J, body.R0, body.Omega0)
        for t in (0.5, 5.0):
            true = series.until(t)
            one = find_free_ends(body, body.R0[None], body.Omega0[None], np.array([t]), body.dt)
            for motion in (exact(body, [t]), one):
                attitude, momentum = reference.difference(motion.R[0], motion.Pi[0], *true)
                assert attitude <= motion.estimate.attitude < 1e-11
                assert momentum <= motion.estimate.momentum < 1e-10


@pytest.mark.parametrize("Omega0", [(0.0213, -0.0755, 0.278), (-0.0056, 0.1515, 0.0123)])
def test_estimates_hold_of_a_small_momentum_in_a_strong_gravity(Omega0):
    rng = np.random.default_rng(15)
    for _ in range(12):
        top = engine.problem("slow-top").replace(
            J=(1, 1, 0.7), R0=rotation_about(rng), Omega0=Omega0, Mgl=30.6
        )
        motion = exact(top, [0.0])
        attitude, momentum = reference.difference(motion.R, motion.Pi, top.R0, top.J @ top.Omega0)
        assert (
            attitude[0] <= motion.estimate.attitude
            and momentum[0] <= motion.estimate.momentum < 1e-11
        )


def test_estimates_hold_of_a_top_that_is_symmetric_but_for_rounding():
    """Two moments that differ in their last digit change a slow spin, and the angle with the square
    of the time.
    """
    c, s = np.cos(1.1), np.sin(1.1)
    about_itself = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    J = about_itself @ np.diag([1.0, 1.0, 0.03]) @ about_itself.T
    top = engine.problem("slow-top").replace(
        J=(J + J.T) / 2, R0=TURNED, Omega0=(-8.9, 3.1, 0.04), Mgl=0.02
    )
    series = Taylor(top.J, top.R0, top.Omega0, (0, 0, 0.02))
    for t in (1.0, 4.0):
        motion = exact(top, [t])
        attitude, momentum = reference.difference(motion.R[0], motion.Pi[0], *series.until(t))
        assert motion.how == "the symmetric top in theta functions"
        assert (
            attitude <= motion.estimate.attitude < 1e-9
            and momentum <= motion.estimate.momentum < 1e-9
        )


def test_what_is_known_of_a_chaotic_motion_ends():
    p = engine.problem("asymmetric-top")
    t = np.arange(0.0, 400.1, 1.0)
    motion = exact(p, t)
    attitude = motion.estimates.attitude
    assert (np.diff(attitude[motion.is_known]) >= 0).all() and attitude[10] < 1e-11
    assert (
        attitude[t <= motion.horizon].max()
        <= reference.GOOD
        < attitude[t > motion.horizon + 0.1].min()
    )
    assert 60 < motion.horizon < t[motion.is_known][-1] < 250
    assert np.isnan(motion.R[~motion.is_known]).all() and np.isinf(motion.estimate).all()
    assert np.isfinite(motion.known_part().R).all()
    # The difference from another method's accurate run is within the estimate.
    other = engine.simulate(p, FINE, dt=0.002, duration=100, every=500)
    apart = np.abs(other.R - motion.R[:101]).max(axis=(1, 2))
    assert (apart[t[:101] <= motion.horizon] < 1e-5).all()
    with pytest.raises(
        ValueError, match=r"beyond t = .* the exact motion of asymmetric-top is not known"
    ):
        exact(p, 400.0)


def test_a_run_of_the_exact_motion_ends_with_it():
    run = engine.simulate("asymmetric-top", "EXACT", dt=1.0, duration=400)
    assert run.status == "no-solution" and 60 < run.t[-1] < 250 and np.isfinite(run.R).all()
    assert run.message.startswith("Beyond t = ") and "turns the body too far" not in run.message


def test_long_motions_tell_how_far_they_are_and_can_be_stopped():
    p = engine.problem("soft-wall").replace(Omega0=(0.3, 0.2, 0.1))
    reports = []
    exact(p, [0.0, 200.0], progress=lambda done, total: reports.append((done, total)))
    parts = [done / total for done, total in reports]
    assert len(reports) > 3 and parts == sorted(parts) and parts[0] > 0 and parts[-1] <= 1
    cancel = engine.Cancellation()
    with pytest.raises(Cancelled):
        exact(
            p.replace(Omega0=(0.3, 0.2, 0.2)),
            [0.0, 200.0],
            progress=lambda *_: cancel.set(),
            cancel=cancel,
        )
    # What was not finished is not kept.
    assert exact(p.replace(Omega0=(0.3, 0.2, 0.2)), [0.0, 1.0]).is_known.all()


@pytest.mark.parametrize("problem, t, dt, sentence", first([
    ("free", np.nan, None, "the times must be finite"),
    ("free", [], None, "the times must be one number, or from 1"),
    ("free", np.zeros((2, 2)), None, "the times must be one number, or from 1"),
    ("free", "soon", None, "the times must be numbers"),
    ("free", 1.0, -1.0, "dt must be a number"),
    ("tree", 1.0, None, "there is no problem 'tree'"),
    ("asymmetric-top", [-1.0, 1.0], None, "has no closed solution, and its reference run begins at t = 0"),
    ("book-toss", -1.0, None, "has no closed solution, and its reference run begins at t = 0"),
    ("custom(torque=space)", 1e9, None, "take more than 500,000 steps"),
    ("asymmetric-top", 1e9, None, "beyond t = .* the exact motion of asymmetric-top is not known"),
    (engine.problem("magnet").replace(R0=(0, 0, 0)), 1.0, None, "magnet has no reference run beyond t = 0: the motion"),
], 3))  # fmt: skip
def test_what_can_not_be_answered_is_refused_in_a_sentence(problem, t, dt, sentence):
    with pytest.raises(ValueError, match=sentence):
        exact(problem, t, dt)


PAIRS = json.loads((Path(__file__).parents[1] / "data" / "two_bodies_113_bits.json").read_text())


@pytest.mark.parametrize("key", PAIRS["motions"])
def test_the_motion_of_two_bodies_is_as_good_as_its_estimate(key):
    case = PAIRS["motions"][key]
    motion = exact(key, [case["t"], 0.0, 1.0])
    for name in ("R1", "R2"):
        off = np.sqrt(((getattr(motion, name)[0] - case[name]) ** 2).sum() / 2)
        assert off <= motion.estimates.attitude[0] < 1e-11
    between = motion.x1[0] - motion.x2[0] - (np.array(case["x1"]) - case["x2"])
    largest = np.linalg.norm(motion.x1 - motion.x2, axis=1).max()
    assert np.linalg.norm(between) / largest <= motion.estimates.place[0] < 1e-11
    pair = engine.problem(key)
    np.testing.assert_allclose(motion.R2[1], pair.R2, atol=1e-15)
    one = exact(pair, 1.0)
    assert one.R1.shape == (3, 3) and motion.horizon == case["t"]
    np.testing.assert_allclose(one.v1, motion.v1[2], atol=1e-13)


def test_bodies_of_point_masses_have_no_exact_motion():
    masses = next(p for p in engine.problems("se3") if p.attraction.pairs is None)
    with pytest.raises(ValueError, match="which only two dumbbells have"):
        exact(masses, 1.0)
