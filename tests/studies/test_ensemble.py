"""Ensembles: each member moves as it does alone, one that fails disturbs no other, and starts are
checked.
"""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import re
import threading

import numpy as np
import pytest
from covering import covering, first
from scipy.spatial.transform import Rotation

import engine
from engine.algebra import rotations
from engine.compiler import native
from engine.kernels import build, make_parts
from engine.kernels import fast_path as quick
from engine.kernels.batch import Batch
from engine.kernels.layout import MEMBER_CHOSEN
from engine.simulation import find_action, prepare_kernel
from engine.studies import ensemble
from engine.studies.ensemble import draw_starts


def alone(found, i):
    """Run one member alone."""
    return engine.simulate(found.member(i), found.method, dt=found.dt, steps=found.steps)


def assert_as_alone(found, members, within=1e-12):
    for i in members:
        run = alone(found, i)
        assert (found.status[i], found.made[i]) == (run.status, run.cost.steps)
        assert found.R[i] == pytest.approx(run.R[-1], abs=within)
        assert found.Omega[i] == pytest.approx(run.Omega[-1], rel=within, abs=within)
        energies = (found.least[i], found.most[i], found.energy[i])
        assert energies == pytest.approx(run.extrema["energy"], rel=within)


@pytest.mark.parametrize(
    ("problem", "method"),
    first(
        [
            ("slow-top", "MR2"),
            ("free", "MR2(axes=231, trig=cayley)"),
            ("free", "ABAM"),
            ("free", "RK4-QUAT"),
            ("slow-top", "NMB"),
        ],
        2,
    ),
)
def test_members_move_as_they_do_alone(problem, method):
    body = engine.problem(problem)
    found = ensemble(body, method, members=67, spread=0.3, seed=2, duration=40 * body.dt, samples=3)
    assert found.finished and len(found) == 67
    assert_as_alone(found, (0, 1, 66))


@pytest.mark.parametrize("method", first(["BUSS3+E", "MR2*yoshida4", "DMV(solver=cayley)"]))
def test_also_corrected_composed_and_with_a_solver(method):
    found = ensemble("free", method, members=5, spread=0.2, dt=0.25, duration=10.0)
    assert_as_alone(found, range(5))


def test_turns_beyond_the_quick_step_s_reach_are_made_whole():
    """At this step the body turns more than a quarter: the quick step gives nan, and the full step
    replaces it.
    """
    found = ensemble("free", "MR2", members=3, spread=0.1, dt=3.0, duration=60.0)
    assert (found.status == "done").all()
    assert found.Omega0[0].max() * found.dt > np.pi / 4
    assert_as_alone(found, range(3), within=1e-10)


def test_a_quick_step_reaches_nothing_rare():
    step = engine.algorithm("CF4").step
    assert quick.without_rare(step) is not step and quick.without_rare(step) is quick.without_rare(
        step
    )
    assert quick.without_rare(rotations.sincos)(0.5) == rotations.sincos(0.5)
    assert np.isnan(quick.without_rare(rotations.sincos)(1.0)).all()
    assert quick.iterates(engine.algorithm("NMB").step) and not quick.iterates(step)


def test_one_that_fails_disturbs_no_other():
    slow = np.array([0.1, 0.2, 0.1])
    fast = np.array([4.0, 1.0, 3.0])
    found = ensemble("free", "DMV", {"Omega0": [slow, fast, slow]}, dt=0.5, duration=50.0)
    assert list(found.status) == ["done", "no-solution", "done"] and found.finished
    assert found.made[1] < found.steps and np.isfinite(found.R[1]).all()
    assert np.array_equal(found.R[0], found.R[2])
    assert_as_alone(found, range(3))
    assert found.spreads[-1].running == 2
    assert "2 of 3 members run to the end, 1 finds no solution. " in found.conclusion
    other = ensemble("free", "DMV", {"Omega0": [fast, slow]}, dt=0.5, duration=50.0)
    assert other.conclusion.endswith("1 finds no solution. The energy error is 1.2·10⁻¹⁵.")
    other = ensemble(
        "free", "DMV", {"Omega0": [fast, slow, (0.3, 0.2, 0.1)]}, dt=0.5, duration=50.0
    )
    assert re.search(
        r" The median energy error is [^ ]*\. The largest is [^ ]*, of member [12]\.$",
        other.conclusion,
    )


def test_in_plain_python_as_compiled(monkeypatch):
    def run(method):
        return ensemble(
            "free", method, {"Omega0": [(0.1, 0.2, 0.1), (4.0, 1.0, 3.0)]}, dt=0.5, duration=10.0
        )

    compiled = {method: run(method) for method in ("MR2", "DMV", "BUSS3+E")}
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    for method, found in compiled.items():
        plain = run(method)
        assert list(plain.status) == list(found.status) and list(plain.made) == list(found.made)
        assert np.abs(plain.R - found.R).max() < 1e-11


STRICT = "TAYLOR(rtol=1e-10, atol=1e-10)"


def test_each_body_makes_steps_of_its_own_as_many_as_it_needs():
    """67 bodies are no whole number of registers, and their speeds differ."""
    found = ensemble("slow-top", STRICT, members=67, spread=0.5, seed=2, duration=4.0, samples=3)
    assert found.finished and (found.status == "done").all()
    assert len(set(found.made)) > 5 and found.made.min() >= 3
    assert [spread.running for spread in found.spreads] == [67] * 3
    for i in (0, 1, 7, 8, 63, 64, 66):
        run = alone(found, i)
        assert found.R[i] == pytest.approx(run.R[-1], abs=1e-8)
        assert found.Omega[i] == pytest.approx(run.Omega[-1], abs=1e-7)
        energies = (found.least[i], found.most[i], found.energy[i])
        assert energies == pytest.approx(run.extrema["energy"], rel=1e-8)
        assert found.R[i] @ found.R[i].T == pytest.approx(np.eye(3), abs=1e-14)
        # the order is lower than alone, and each of three samples ends a step
        assert run.cost.steps < found.made[i] < 3 * run.cost.steps


@pytest.mark.parametrize("plain", ["0", "1"])
def test_free_bodies_keep_their_momentum_whatever_its_direction(plain, monkeypatch):
    """A row is expanded, and the momentum gives the others; one body is at rest."""
    monkeypatch.setenv("POLHODE_PLAIN", plain)
    starts = {"Omega0": [*np.eye(3), *-2.0 * np.eye(3), (0.3, 1.0, 0.2), (0.0, 0.0, 0.0)]}
    body = engine.problem("free").replace(R0=Rotation.from_rotvec((0.4, -1.1, 0.3)).as_matrix())
    found = ensemble(body, STRICT, starts, duration=20.0)
    assert list(found.status) == ["done"] * 8
    momenta = np.einsum("nij,jk,nk->ni", found.R, body.J, found.Omega)
    wanted = np.einsum("nij,jk,nk->ni", found.R0, body.J, found.Omega0)
    assert np.abs(np.cross(momenta, wanted)).max() < 1e-13
    assert np.abs(found.R @ found.R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-14
    for i in range(7):
        exact = engine.exact(found.member(i), [20.0])
        assert found.R[i] == pytest.approx(exact.R[-1], abs=1e-8)
        assert found.Omega[i] == pytest.approx(exact.Omega[-1], abs=1e-8)
    assert np.array_equal(found.R[7], found.R0[7]) and not found.Omega[7].any()


def test_of_steps_of_their_own_in_plain_python_one_that_raises_disturbs_no_other(monkeypatch):
    """The torque on the second body is divided by 0."""
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    body = engine.Problem(
        J=(1, 2, 2.5), torque=engine.torque(lambda t, R, Omega: (0.0, 1.0 / Omega[0], 0.0)), dt=0.01
    )
    starts = {"Omega0": [(0.3, 1.0, 0.2), (0.0, 1.0, 0.2), (0.4, 1.0, 0.2)]}
    found = ensemble(body, STRICT, starts, duration=0.1)
    assert list(found.status) == ["done", "diverged", "done"]
    assert np.isfinite(found.R).all()


def test_bodies_of_about_the_same_energy_are_advanced_together():
    """The eight of a register make as many steps as the one with the most; results keep the order
    of the starts.
    """
    body = engine.problem("free")
    action, _ = find_action(body, engine.algorithm(STRICT), 10.0)
    kernel = prepare_kernel(body, engine.algorithm(STRICT), action, True, side_by_side=True)
    R0, Omega0 = draw_starts(body, 64, 0.5, 3)
    starts = np.concatenate([R0.reshape(-1, 9), Omega0], axis=1)
    batch = Batch(kernel, starts, 10.0)
    assert np.array_equal(batch.state(0, 12), starts)
    batch.advance_here(1)
    assert batch.first_energy == pytest.approx(
        0.5 * np.einsum("ni,ij,nj->n", Omega0, body.J, Omega0)
    )

    def count_idle(steps):
        return 1.0 - steps.sum() / (8 * steps.reshape(-1, 8).max(axis=1).sum())

    by_energy = batch.own_steps[np.argsort(batch.first_energy)]
    assert count_idle(batch._memory[0, MEMBER_CHOSEN]) == count_idle(by_energy)
    assert count_idle(by_energy) < 0.6 * count_idle(batch.own_steps)


def test_bodies_with_steps_of_their_own_in_plain_python(monkeypatch):
    def run():
        return ensemble("slow-top", STRICT, members=3, spread=0.5, duration=1.0, samples=2)

    compiled = run()
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = run()
    assert list(plain.made) == list(compiled.made) and list(plain.status) == ["done"] * 3
    assert np.abs(plain.R - compiled.R).max() < 1e-13


def test_steps_of_their_own_are_cancelled_too():
    cancel = threading.Event()
    found = ensemble(
        "slow-top",
        STRICT,
        members=64,
        dt=0.01,
        duration=1e6,
        samples=100_000,
        progress=lambda *_: cancel.set(),
        cancel=cancel,
    )
    assert not found.finished and (found.status == "cancelled").all()
    assert found.made.min() > 0 and np.isfinite(found.R).all()


@engine.torque
def spin_up(t, R, Omega):
    return 0.0, 0.0, Omega[2] ** 2


@pytest.mark.exhaustive
def test_of_steps_of_their_own_one_that_fails_disturbs_no_other(monkeypatch):
    """The second body's speed about the third axis is infinite at t = 1/2."""
    spins = engine.Problem(J=(1.0, 1.0, 1.0), torque=spin_up)
    starts = {"Omega0": [(0.0, 0.0, w) for w in (0.1, 2.0, -1.0, 0.0)]}
    for plain in ("0", "1"):
        monkeypatch.setenv("POLHODE_PLAIN", plain)
        found = ensemble(spins, STRICT, starts, dt=0.01, duration=1.0, samples=4)
        assert [alone(found, i).status for i in range(4)] == list(found.status)
        assert list(found.status) == ["done", "no-solution", "done", "done"]
        assert found.Omega[[0, 2, 3], 2] == pytest.approx([0.1 / 0.9, -0.5, 0.0], rel=1e-9)
        assert [spread.running for spread in found.spreads] == [4, 3, 3, 3]


@pytest.mark.parametrize(
    ("width", "key"), covering(itertools.product((2, 4, 8), ("slow-top", "asymmetric-top", "free")))
)
def test_it_does_not_matter_how_many_bodies_are_computed_at_once(width, key):
    """Registers of every processor give what its own give, bit for bit."""
    body = engine.problem(key)
    method = engine.algorithm(STRICT)
    action, _ = find_action(body, method, body.dt)
    kernel = prepare_kernel(body, method, action, True, side_by_side=True)
    parts = dataclasses.replace(make_parts(method, action.field).for_batches(True), width=width)
    code = build.object_code(parts)
    other = dataclasses.replace(kernel, advance=build.PROTOTYPE(native.link(code)))
    R0, Omega0 = draw_starts(body, 20, 0.5, 1)
    starts = np.concatenate([R0.reshape(-1, 9), Omega0], axis=1)
    batches = [Batch(one, starts, body.dt) for one in (kernel, other)]
    for batch in batches:
        batch.advance_here(100)
    usual, narrower = batches
    assert np.array_equal(usual.state(0, 12), narrower.state(0, 12))
    assert np.array_equal(usual.own_steps, narrower.own_steps) and usual.own_steps.min() > 3


@pytest.mark.exhaustive
def test_a_torque_of_one_s_own_and_axes_that_are_not_principal():
    body = engine.Problem(
        J=[[2, 0.3, 0], [0.3, 1.5, 0.1], [0, 0.1, 1]],
        Omega0=(0.3, 0.1, 1.0),
        torque=lambda t, R: (0.1 * np.sin(t), 0.0, 0.2 * R[0, 0]),
        dt=0.05,
    )
    found = ensemble(body, "CF4", members=3, spread=0.2, duration=0.5)
    assert_as_alone(found, range(3))
    assert (
        found.conclusion == "Commutator-free 4: 3 of 3 members run to the end."
    )  # the motion keeps no energy


def test_a_torque_that_raises_ends_its_members_and_is_told_of():
    def torque(t, R):
        if R[0, 0] < 0.0:
            raise RuntimeError("upside down")
        return (0.0, 0.0, 0.0)

    body = engine.Problem(torque=torque, dt=0.1)
    found = ensemble(body, "MR2", {"Omega0": [(0.0, 0.0, 0.1), (0.0, 0.0, 5.0)]}, duration=2.0)
    assert (
        list(found.status) == ["done", "diverged"] and found.made[1] == alone(found, 1).cost.steps
    )
    assert found.conclusion.endswith("The torque raised RuntimeError: upside down.")


def test_the_time_with_a_plain_torque_is_that_of_the_given_starts(monkeypatch):
    counted = []

    def announce_time(title, problem, methods, count_steps):
        counted.append(count_steps(methods[0]))

    declared = importlib.import_module("engine.studies.core.study")
    monkeypatch.setattr(declared, "announce_time", announce_time)
    body = engine.Problem(torque=lambda t, R: (0.0, 0.0, 0.0), dt=0.1)
    ensemble(body, "MR2", {"Omega0": [(0.0, 0.0, 0.1), (0.0, 0.0, 5.0)]}, duration=2.0)
    assert counted == [40]


def test_spreads_are_of_every_member_and_step():
    found = ensemble(
        "slow-top", "MR2", members=130, spread=0.05, duration=2.0, samples=4, workers=2
    )
    assert [spread.t for spread in found.spreads] == pytest.approx([0.5, 1.0, 1.5, 2.0])
    worst = max(max(spread.most, -spread.least) for spread in found.spreads)
    assert worst == pytest.approx(found.error.max(), rel=1e-9)
    errors = (found.energy - found.energy0) / np.abs(found.energy0)
    last = found.spreads[-1]
    assert (last.mean, last.median) == pytest.approx((errors.mean(), np.median(errors)), rel=1e-9)
    assert last.least <= last.q05 <= last.median <= last.q95 <= last.most
    assert len(found.spreads_to_frame()) == 4 and len(found.to_frame()) == 130
    assert found.error[3] == pytest.approx(
        np.abs(alone(found, 3).energy / found.energy0[3] - 1).max(), rel=1e-6
    )


def test_starts_are_draw_starts_the_problem_s_own_and_the_same_for_a_seed():
    body = engine.problem("slow-top")
    first, again, other = (
        ensemble(body, "MR2", members=500, spread=0.1, seed=s, duration=0.01) for s in (1, 1, 2)
    )
    assert np.array_equal(first.Omega0, again.Omega0) and not np.array_equal(
        first.Omega0, other.Omega0
    )
    assert np.array_equal(first.R0[0], body.R0) and np.array_equal(first.Omega0[0], body.Omega0)
    changes = (first.Omega0 - body.Omega0)[1:] / np.linalg.norm(body.Omega0)
    assert changes.std() == pytest.approx(0.1, rel=0.1)
    assert np.abs(first.R0.transpose(0, 2, 1) @ first.R0 - np.eye(3)).max() < 1e-14


def test_momenta_and_attitudes_can_be_given():
    body = engine.problem("free")
    Pi0 = np.array([[1.0, 2.0, 3.0], [0.5, 0.1, 0.2]])
    found = ensemble(body, "MR2", {"Pi0": Pi0, "R0": [np.eye(3)] * 2}, duration=1.0)
    assert found.Omega0 @ body.J == pytest.approx(Pi0)


def test_cancelled_members_stay_where_they_are():
    cancel = threading.Event()
    rows = []

    def progress(done, total, row):
        rows.append(row)
        cancel.set()

    found = ensemble(
        "free",
        "MR2",
        members=64,
        dt=0.01,
        duration=1e6,
        samples=1000,
        progress=progress,
        cancel=cancel,
    )
    assert rows == [vars(spread) for spread in found.spreads]
    assert not found.finished and (found.status == "cancelled").all()
    assert 0 < found.made.min() < found.steps and "64 were cancelled" in found.conclusion
    assert_as_alone(
        dataclasses.replace(found, steps=int(found.made[5]), status=np.array(["done"] * 64)),
        (5,),
        1e-6,
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("free", "DOP853"), "chooses its own steps"),
        (("free", "RKMK853"), "chooses its own steps"),
        (("book-toss", "TAYLOR"), "a comparison has no Taylor series. RKMK853 takes it"),
        (("free", "EXACT"), "takes no steps of a given size"),
        (("free", "MR2", {}), "starts are R0, Omega0 or Pi0"),
        (
            ("free", "MR2", {"Omega0": [1.0, 2.0, 3.0]}),
            "Omega0 of n×3 finite numbers is needed; got shape",
        ),
        (("free", "MR2", {"Omega0": [[1.0, 2.0, np.nan]]}), "some are not finite"),
        (
            ("free", "MR2", {"Omega0": np.zeros((2, 3)), "R0": [np.eye(3)]}),
            "as many of each; got 1 and 2",
        ),
        (("free", "MR2", {"R0": [2 * np.eye(3)]}), "rotation"),
        (("free", "MR2", {"Omega0": np.zeros((0, 3))}), "the number of starts"),
    ],
)
def test_what_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        ensemble(*given)


def test_starts_and_numbers_of_them_exclude_each_other():
    with pytest.raises(ValueError, match="not both"):
        ensemble("free", "MR2", {"Omega0": [[1.0, 0.0, 0.0]]}, members=3)


def test_the_chart_is_a_fan_of_percentiles_with_the_median_in_front():
    chart = ensemble(
        "slow-top", "MR2", members=40, spread=0.05, duration=2.0, samples=4, workers=1
    ).chart
    *bands, median = chart.curves
    assert median.under is None and [band.under is None for band in bands] == [False] * 3
    for wide, narrow in itertools.pairwise(bands):
        assert (wide.under <= narrow.under).all() and (narrow.y <= wide.y).all()
    assert (bands[-1].under <= median.y).all() and (median.y <= bands[-1].y).all()
