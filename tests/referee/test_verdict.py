"""Verdicts on the lab's own rules, whose errors are known, and the ratios of moments from motions."""

from __future__ import annotations

import json
import re
import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from covering import covering, first

import engine
from engine.algorithms import FixedStep
from engine.export.files import to_strict_json
from engine.referee import Verdict, comparison
from engine.referee.inertia import estimate_moments
from engine.referee.reading import read_trajectory
from engine.referee.trajectory import make_trajectory

JUDGE_PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "judge.md").read_text("utf-8")
J = (1.0, 2.2, 2.6)
BODY = engine.problem("free").replace(J=J, Omega0=(1.2, 2.0, -0.7), R0=(0.3, -0.5, 0.9))


def judge(motion: object, J: object = None) -> Verdict:
    """Return the verdict without a search for the rule, which takes seconds."""
    return engine.judge(motion, J, methods=())


def simulate(method: str, duration: float = 20, body: engine.Problem = BODY) -> engine.Run:
    return engine.simulate(body, method, dt=1 / 60, duration=duration)


@pytest.mark.parametrize("method", ["ode", "NMB"])
def test_the_numbers_are_those_of_the_run(method: str) -> None:
    run = simulate(method)
    verdict = judge(run)
    assert verdict.dt == pytest.approx(1 / 60)
    assert verdict.energy == pytest.approx(run.energy[-1] / run.energy[0], rel=1e-9)
    length = np.linalg.norm(run.pi, axis=1)
    assert verdict.momentum == pytest.approx(length[-1] / length[0], rel=1e-9)
    errors = engine.error(run)
    if method == "NMB":
        assert verdict.attitude == pytest.approx(errors.attitude[-1], rel=1e-6)
        assert verdict.compared.end.phase_lost != verdict.compared.end.phase_lost
    else:
        assert verdict.compared.end.phase_lost == pytest.approx(errors.phase_lost)


def test_a_rule_that_drifts_gets_one_that_does_not() -> None:
    verdict = judge(simulate("ode"))
    text = " ".join(verdict.sentences)
    assert "the energy falls to 90.6 % of the first" in text
    assert "It loses phase" in text
    assert verdict.cure is not None and verdict.cure.method.conserves["pi"]
    run = engine.simulate(BODY, verdict.cure.method, dt=1 / 60, duration=20)
    assert verdict.cure.attitude == pytest.approx(engine.error(run).attitude[-1], rel=1e-6)
    assert judge(simulate("NMB")).cure is None


@pytest.mark.parametrize(
    ("rule", "without"),
    [
        ("jolt(damping=0.05)", "without the damping of"),
        ("jolt(damping=0.05, max_speed=2.4)", "without the damping and the cap of"),
        ("jolt(damping=0)", ""),
    ],
)
def test_a_cure_that_is_judged_without_damping_and_caps_says_so(rule: str, without: str) -> None:
    verdict = engine.judge(simulate(rule, 5), methods=["jolt"])
    assert verdict.rules and verdict.cure is not None
    said = [sentence for sentence in verdict.sentences if "is judged without" in sentence]
    assert said == ([f"It is judged {without} the file's rule."] if without else [])


TORQUES = ("slow-top", "soft-wall", "asymmetric-top", "magnet")


@pytest.mark.parametrize(
    ("problem", "velocities"),
    covering(product(TORQUES, [True, False]), by=lambda *case: case),
)
def test_a_motion_under_a_torque_gets_no_cure(problem: str, velocities: bool) -> None:
    body = engine.problem(problem)
    run = engine.simulate(body, "NMB", dt=1 / 60, duration=5)
    verdict = judge((run.t, run.R, run.Omega)[: 2 + velocities], np.diag(body.J))
    assert not verdict.is_free and verdict.cure is None
    assert verdict.sentences[-1].startswith("No cure is offered: the momentum turns by more than")
    about = verdict.to_json()
    assert (about["free"], about["cure"]) == (False, "")


@pytest.mark.parametrize("velocities", [True, False])
def test_a_knock_in_one_row_is_no_free_motion(velocities: bool) -> None:
    before = simulate("ode", 3)
    knocked = BODY.replace(R0=before.R[-1], Omega0=before.Omega[-1] + (0.5, 0.0, 0.0))
    after = simulate("ode", 3, knocked)
    rows = [
        np.concatenate([one[:-1], other])
        for one, other in ((before.R, after.R), (before.Omega, after.Omega))
    ]
    motion = (np.arange(len(rows[0])) / 60, *rows)[: 2 + velocities]
    assert not judge(motion, J).is_free
    assert judge(before).is_free and judge(before).cure is not None


METHODS = [
    method.key
    for method in engine.algorithms()
    if isinstance(method, FixedStep) and method.option_values().get("gyroscopic") != "off"
]


@pytest.mark.parametrize("method", first(METHODS, 6))
def test_errors_of_rules_turn_the_momentum_by_little(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = re.search(r"up to (\S+) rad turn the momentum by at most (\S+) of", JUDGE_PAGE)
    assert stated is not None
    largest, most = map(float, stated.groups())
    monkeypatch.setattr(comparison, "DRIVEN", most)
    speed = float(np.linalg.norm(BODY.Omega0))
    for dt in (1 / 240, 1 / 60, largest / speed):
        run = engine.simulate(BODY, method, dt=dt, duration=4)
        for rates in ((run.Omega,), ()):
            motion = make_trajectory(run.t, run.R, *rates, J=J)
            assert not comparison.compare(motion, np.array(J), np.zeros(3)).is_driven, dt


def test_a_missing_gyroscopic_term_is_seen() -> None:
    run = simulate("SEMI-EULER(gyroscopic=off)", 5)
    assert any("leaves out the gyroscopic term" in sentence for sentence in judge(run).sentences)
    with pytest.raises(ValueError, match=r"keeps its direction in space.*; state the moments of"):
        judge((run.t, run.R, run.Omega))
    spin = simulate("SEMI-EULER(gyroscopic=off)", 5, BODY.replace(Omega0=(0, 0, 2)))
    assert not any("gyroscopic" in sentence for sentence in judge(spin).sentences)
    held = np.repeat(run.R[:1], len(run.t), axis=0)
    for motion in ((run.t, held), (run.t, held, run.Omega)):
        with pytest.raises(ValueError, match="the body does not move"):
            judge(motion, J)


def test_what_rounding_hides_is_said() -> None:
    exact = engine.exact(BODY, np.arange(600) / 60)
    rounded = judge((np.arange(600) / 60, exact.R.round(6), exact.Omega.round(6)), J)
    single = judge(
        (np.arange(600) / 60, exact.R.astype(np.float32), exact.Omega.astype(np.float32)), J
    )
    assert single.is_conserved and 1e-8 < single.compared.energy_doubt < 1e-6
    assert "as far as the file shows" in single.sentences[0]
    assert np.isnan(single.attitude)
    # Rounded decimals in numbers of 64 bits look like changes of the engine.
    assert not rounded.is_conserved


def test_rates_between_rows_replace_missing_velocities() -> None:
    exact = engine.exact(BODY, np.arange(600) / 60)
    verdict = judge((np.arange(600) / 60, exact.R), J)
    assert verdict.is_conserved
    assert float(verdict.compared.attitude.max()) < 1e-9
    drifting = judge((simulate("ode").t, simulate("ode").R), J)
    assert drifting.energy == pytest.approx(judge(simulate("ode")).energy, abs=0.01)


@pytest.mark.parametrize("method", ["ode", "NMB", "mujoco-euler", "MR2", "RK-MEAN"])
@pytest.mark.parametrize("velocities", [True, False])
def test_errors_of_estimated_moments_cover_the_known_ones(method: str, velocities: bool) -> None:
    run = simulate(method, 10)
    found = estimate_moments(run.t, run.R, run.Omega if velocities else None)
    assert found is not None
    off = np.abs(found.moments - np.array(J) / max(J))
    assert (off <= found.errors + 1e-12).all() and found.errors.max() < 0.1


@pytest.mark.exhaustive
def test_errors_of_estimated_moments_cover_the_known_ones_by_every_method() -> None:
    covered = []
    for method in engine.algorithms():
        if method.option_values().get("gyroscopic") == "off" or not isinstance(method, FixedStep):
            continue
        for dt in (0.01, 0.05):
            run = engine.simulate(BODY, method, dt=dt, duration=10)
            for rates in (run.Omega, None) if run.status == "done" else ():
                found = estimate_moments(run.t, run.R, rates)
                assert found is not None, method.key
                off = np.abs(found.moments - np.array(J) / max(J))
                covered.append(bool((off <= found.errors + 1e-12).all()))
    assert len(covered) > 200 and np.mean(covered) > 0.99


def test_estimated_moments_have_axes_of_their_own() -> None:
    turn = engine.simulate(BODY, "NMB", dt=0.5, steps=1).R[1]
    run = simulate("NMB", 10)
    verdict = judge((run.t, run.R @ turn.T, run.Omega @ turn.T))
    np.testing.assert_allclose(np.sort(verdict.moments), np.array(J) / 2.6, atol=1e-3)
    assert (verdict.moment_errors <= 1e-3).all()
    axes = verdict.trajectory.turn
    diagonal = axes.T @ turn @ np.diag(J) @ turn.T @ axes
    np.testing.assert_allclose(diagonal, np.diag(np.diag(diagonal)), atol=2e-3)


def test_a_spin_does_not_determine_the_moments() -> None:
    spin = simulate("NMB", 5, BODY.replace(Omega0=(0, 0, 2)))
    with pytest.raises(ValueError, match="state the moments of inertia, as in J="):
        judge((spin.t, spin.R, spin.Omega))


def test_gaps_leave_the_verdict_and_its_cure() -> None:
    run = simulate("ode", 20)
    there = np.r_[0:100, 350:1000]
    whole = judge((run.t[:1000], run.R[:1000], run.Omega[:1000]), J)
    verdict = judge((run.t[there], run.R[there], run.Omega[there]), J)
    assert verdict.dt == 1 / 60
    assert (verdict.energy, verdict.cure) == (whole.energy, whole.cure)
    turns = judge((run.t[there], run.R[there]), J)
    assert turns.energy == pytest.approx(whole.energy, abs=0.01)
    run = simulate("NMB", 5)
    there = np.r_[0:100, 150:300]
    verdict = judge((run.t[there], run.R[there], run.Omega[there]), J)
    assert verdict.attitude == pytest.approx(engine.error(run).attitude[299], rel=1e-3)


def test_large_doubts_are_no_praise() -> None:
    run = simulate("mujoco-euler", 10, BODY.replace(J=(0.31, 0.52, 0.74), Omega0=(2.1, 0.3, 1.4)))
    text = " ".join(judge((run.t, run.R, run.Omega)).sentences)
    assert "does not show whether the energy (± " in text and "the final attitude (± " in text
    assert "the moments are uncertain; state them" in text
    assert "stay the same" not in text and "is right as far" not in text
    known = " ".join(judge((run.t, run.R, run.Omega), (0.31, 0.52, 0.74)).sentences)
    assert "does not show whether" not in known and "the energy rises to" in known


@pytest.mark.parametrize(
    ("stated", "fits"),
    [
        ((2.2, 1.0, 2.6), "in the order 1, 2.2, 2.6 they do."),
        ((1.4, 2.2, 2.6), "their ratios, estimated from it, are 0.38"),
    ],
)
def test_stated_moments_that_do_not_fit_are_named(
    stated: tuple[float, float, float], fits: str
) -> None:
    run = simulate("ode")
    verdict = judge((run.t, run.R, run.Omega), stated)
    first, *_, last = verdict.sentences
    assert first.startswith("The stated moments of inertia do not fit the motion; ")
    assert fits in first
    assert (
        last == "No cure is offered: it would be computed with moments that do not fit the motion."
    )
    about = verdict.to_json()
    assert (about["objection"], about["cure"]) == (first, "")
    known = judge((run.t, run.R, run.Omega), J)
    assert known.objection == "" and known.cure is not None


@pytest.mark.parametrize("method", ["mujoco-euler", "MR2", "SEMI-EULER(gyroscopic=off)"])
def test_moments_that_fit_are_believed(method: str) -> None:
    run = simulate(method, 10)
    assert judge((run.t, run.R, run.Omega), J).objection == ""


def test_the_rule_is_among_the_tried_ones() -> None:
    run = simulate("ode", 2)
    verdict = engine.judge(run, methods=["ode", "NMB"])
    assert verdict.rules == list(verdict.to_json()["rules"]) and "ode" in verdict.rules
    assert engine.judge(run, methods=["NMB"]).rules == []


@pytest.mark.parametrize("method", ["ode", "jolt"])
def test_the_verdict_has_the_moments_by_which_its_rule_reproduces_the_rows(method: str) -> None:
    run = simulate(method, 10)
    verdict = engine.judge((run.t, run.R, run.Omega), methods=["ode", "jolt"])
    assert method in verdict.rules
    np.testing.assert_allclose(verdict.moments, np.array(J) / max(J), rtol=1e-9)
    assert verdict.energy == pytest.approx(run.energy[-1] / run.energy[0], rel=1e-6)
    assert verdict.compared.energy_doubt < 1e-6
    assert "the verdict is computed with these: 0.38461" in " ".join(verdict.remarks)
    known = engine.judge(run, methods=["ode", "jolt"])
    assert list(known.moments) == list(J) and not known.moment_errors.any()


def test_a_stopped_search_leaves_the_verdict() -> None:
    cancel = threading.Event()
    cancel.set()
    verdict = engine.judge(simulate("ode", 2), methods=["NMB"], cancel=cancel)
    assert verdict.rules == [] and "The search for its rule was stopped." in verdict.sentences


def test_the_verdict_is_json() -> None:
    about = to_strict_json(judge(simulate("NMB", 5)).to_json())
    assert json.loads(json.dumps(about, allow_nan=False))["rows"] == 301
    assert about["phase_lost"] is None


def test_the_moments_of_a_run_are_used() -> None:
    np.testing.assert_allclose(read_trajectory(simulate("NMB", 5)).J, J)
