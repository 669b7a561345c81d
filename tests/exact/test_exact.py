"""`exact`: the right solution for each problem, and reference runs that are as good as they say."""

from __future__ import annotations

import importlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.checks import attitude
from engine.exact import exact

reference = importlib.import_module("engine.exact.reference")

SERIES = json.loads((Path(__file__).parents[1] / "data" / "heavy_tops.json").read_text())
FINE = "RKMK(tableau=butcher6)"
TURNED = attitude((0.3, 0.5, -0.7))

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


@pytest.mark.parametrize("key", HOW)
def test_fine_runs_come_to_it(key):
    how, given = HOW[key]
    p = engine.problem(key).replace(**given)
    run = engine.simulate(p, FINE, dt=p.dt / 16, duration=20 * p.dt, every=16)
    motion = exact(p, run.t)
    assert how in motion.how
    np.testing.assert_allclose(motion.R, run.R, rtol=0, atol=2e-12)
    np.testing.assert_allclose(motion.Omega, run.Omega, rtol=0, atol=2e-12 * (1 + np.abs(run.Omega).max()))
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
    assert off <= 2 * motion.estimate.attitude <= 2e-12
    assert np.abs(motion.Omega[:n] - np.array(case["Omega"])[at]).max() <= 1e-12


@pytest.mark.parametrize("key", ["asymmetric-top", "soft-wall", "custom(torque=space)"])
def test_between_the_nodes_it_is_as_good_as_at_them(key):
    p = engine.problem(key)
    t = np.linspace(0, 5, 101)
    nodes, mixed = exact(p, t), exact(p, np.append(t, [1 / 3, 4.99999]))
    off = np.abs(nodes.R - mixed.R[:-2]).max()
    assert off <= 2 * (nodes.estimate.attitude + mixed.estimate.attitude) < 2e-12
    assert np.abs(mixed.R.swapaxes(1, 2) @ mixed.R - np.eye(3)).max() < 1e-13
    # At a time that no node is near, against a run that ends there.
    run = engine.simulate(p, FINE, dt=4.99999 / 2**13, steps=2**13, samples=1)
    assert np.abs(run.R[-1] - mixed.R[-1]).max() < 1e-11


@pytest.mark.parametrize("key", ["free", "slow-top", "asymmetric-top", "custom(torque=body)"])
def test_axes_of_one_s_own(key):
    p = engine.problem(key)
    t = np.linspace(0, 3, 7)
    turned = {"J": TURNED @ p.J @ TURNED.T, "R0": p.R0 @ TURNED.T, "Omega0": TURNED @ p.Omega0}
    for vector in {"chi", "moment"} & set(p.values):
        turned[vector] = tuple(TURNED @ p.values[vector])
    if key == "slow-top":
        weight = {"torque": "gravity", "Mgl": p.values["Mgl"], "chi": tuple(TURNED[:, 2])}
        turned, other = turned | weight, engine.problem("custom")
    else:
        other = p
    one, same = exact(p, t), exact(other.replace(**turned), t)
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
    along_x, along_y = 20 * np.minimum(t, td), 2.0 * np.clip(t - td, 0.0, 0.1)
    np.testing.assert_allclose(motion.pi, np.stack([along_x, along_y, 0 * t], axis=1), rtol=0, atol=1e-11)
    assert np.abs(motion.estimate).max() < 1e-10
    # A run whose steps lie in one stretch each follows it as well as ever.
    moment = engine.problem("custom(torque=space)").replace(moment=(0.0, 2.0, 0.0), J=(5.0, 9.0, 4.5))
    body = {"J": (5.0, 9.0, 4.5)}
    there = exact(p.replace(**body), [td], dt=0.1)
    run = engine.simulate(moment.replace(R0=there.R[0], Omega0=there.Omega[0]), FINE, dt=0.001, duration=0.1)
    after = exact(p.replace(**body), td + run.t, dt=0.1)
    np.testing.assert_allclose(after.R, run.R, rtol=0, atol=1e-12)
    assert np.abs(exact(p, t).R - exact(p, t, dt=p.dt).R).max() == 0.0


def test_one_time_gives_one_state_and_several_come_in_their_order():
    for key in ("free", "slow-top", "asymmetric-top"):
        several, one = exact(key, [2.0, 0.5, 1.0]), exact(key, 0.5)
        assert one.R.shape == (3, 3) and one.Omega.shape == one.Pi.shape == one.pi.shape == (3,)
        np.testing.assert_allclose(several.R[1], one.R, rtol=0, atol=1e-13)
        np.testing.assert_allclose(one.pi, one.R @ one.Pi, rtol=0, atol=1e-15 * np.abs(one.Pi).max())
        np.testing.assert_allclose(exact(key, 0.0).Omega, engine.problem(key).Omega0, rtol=1e-14, atol=1e-15)


def test_closed_solutions_go_backwards_too():
    for key in ("free", "slow-top"):
        past = exact(key, -1.5)
        p = engine.problem(key).replace(R0=past.R, Omega0=past.Omega)
        np.testing.assert_allclose(exact(p, 1.5).R, engine.problem(key).R0, rtol=0, atol=1e-12)


def test_a_torque_of_one_s_own_compiled_or_not():
    p = engine.Problem(J=(1, 2, 3), Omega0=(1, 0.5, 0.2), torque=torque)
    t = np.linspace(0, 2, 21)
    plain, compiled = exact(p, t), exact(p.replace(torque=engine.torque(torque)), t)
    np.testing.assert_allclose(plain.R, compiled.R, rtol=0, atol=1e-13)
    run = engine.simulate(p, FINE, dt=0.1 / 32, duration=2, every=32)
    np.testing.assert_allclose(plain.R, run.R, rtol=0, atol=1e-12)


def test_plain_python_is_asked_anew_and_the_rest_is_remembered():
    strength = [0.1]
    p = engine.Problem(J=(1, 2, 3), Omega0=(1, 0.5, 0.2), torque=lambda t, R: (strength[0], 0.0, 0.0))
    before = exact(p, 1.0)
    strength[0] = 0.2
    assert np.abs(exact(p, 1.0).R - before.R).max() > 0.01

    made = []
    track = reference._refined
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "_refined", lambda *given: made.append(given) or track(*given))
        p = engine.problem("asymmetric-top").replace(Omega0=(0.31, 0.5, 1.0))
        one = exact(p, np.linspace(0, 2, 41), dt=0.05)
        again = exact(p.replace(duration=3.0), np.linspace(0, 1, 21), dt=0.05)
        assert len(made) == 1
        np.testing.assert_array_equal(again.R, one.R[:21])
        assert again.estimate <= one.estimate
        exact(p, np.linspace(0, 3, 61), dt=0.05)
        exact(p.replace(Mg=11.0), np.linspace(0, 1, 21), dt=0.05)
        assert len(made) == 3


def test_memory_is_bounded_and_threads_may_share_it():
    p = engine.problem("soft-wall(sign=as-printed)")
    t = np.linspace(0, 5, 101)
    expected = exact(p, t).R
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "CACHE_BYTES", 30_000)
        problems = [p.replace(Omega0=p.Omega0 + 0.01 * (i % 5)) for i in range(20)]
        with ThreadPoolExecutor(4) as pool:
            motions = list(pool.map(lambda p: exact(p, t), problems))
        kept = reference._cache._tracks.values()
        assert 0 < sum(track.rows.nbytes + track.off.nbytes for track in kept) <= 30_000
    np.testing.assert_array_equal(motions[0].R, expected)
    for one, same in zip(motions[:5], motions[5:10], strict=True):
        np.testing.assert_array_equal(one.R, same.R)


def test_where_roundoff_grows_the_estimate_tells():
    p = engine.problem("asymmetric-top")
    t = np.arange(0.0, 100.1, 1.0)
    motion = exact(p, t)
    early = exact(p, t[:11])
    assert early.estimate.attitude < 1e-12 < motion.estimate.attitude < 1e-3
    other = engine.simulate(p, FINE, dt=0.002, duration=100, every=500)
    assert np.abs(other.R - motion.R).max() < 100 * motion.estimate.attitude


@pytest.mark.parametrize("problem, t, dt, sentence", [
    ("free", np.nan, None, "the times must be finite"),
    ("free", [], None, "the times must be one number, or from 1"),
    ("free", np.zeros((2, 2)), None, "the times must be one number, or from 1"),
    ("free", "soon", None, "the times must be numbers"),
    ("free", 1.0, -1.0, "dt must be a number"),
    ("tree", 1.0, None, "there is no problem 'tree'"),
    ("asymmetric-top", [-1.0, 1.0], None, "has no closed solution, and its reference run begins at t = 0"),
    ("book-toss", -1.0, None, "has no closed solution, and its reference run begins at t = 0"),
    ("asymmetric-top", 1e9, None, "take more than 4,000,000 steps"),
    (engine.problem("magnet").replace(R0=(0, 0, 0)), 1.0, None, "magnet has no reference run to t = 1: In step 1"),
])  # fmt: skip
def test_what_can_not_be_answered_is_refused_in_a_sentence(problem, t, dt, sentence):
    with pytest.raises(ValueError, match=sentence):
        exact(problem, t, dt)
