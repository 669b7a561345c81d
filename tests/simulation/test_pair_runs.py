"""Runs of two bodies: rows, extrema, endings, files, the shell."""

from __future__ import annotations

import json

import numpy as np
import pytest
from covering import first

import engine
from engine.cli import command as cli


def test_rows_and_shapes():
    run = engine.simulate("dumbbells", "LGVI", steps=10)
    assert run.t[0] == 0.0 and run.t[-1] == 10 * 0.002 and len(run) == 11
    for name in ("R1", "R2", "R"):
        assert getattr(run, name).shape == (11, 3, 3)
    for name in (
        "Omega1",
        "Omega2",
        "Pi1",
        "Pi2",
        "x1",
        "x2",
        "v1",
        "v2",
        "X",
        "V",
        "linear_momentum",
    ):
        assert getattr(run, name).shape == (11, 3), name
    assert run.energy.shape == run.orthogonality.shape == run.distance.shape == (11,)
    assert set(run.casimirs) == {"linear_momentum", "angular_momentum"}
    pair = run.problem
    np.testing.assert_allclose(run.R1[0], np.eye(3))
    np.testing.assert_allclose(run.X[0], pair.X)
    np.testing.assert_allclose(run.V[0], pair.V)
    np.testing.assert_allclose(run.Pi1[0], pair.body1.J @ pair.Omega1)
    assert np.isnan(run.increment1[0])
    assert run.increment1[1:] == pytest.approx(0.002 * 15.0, rel=0.01)
    assert run.increment2[1:] == pytest.approx(0.002 * np.sqrt(14.0), rel=0.02)


def test_what_is_observed_is_what_the_rows_say():
    run = engine.simulate("two-bodies", "LGVI", steps=20)
    pair = run.problem
    m1, m2 = pair.body1.mass, pair.body2.mass
    kinetic = 0.5 * (m1 * (run.v1**2).sum(1) + m2 * (run.v2**2).sum(1))
    kinetic += 0.5 * ((run.Omega1 * run.Pi1).sum(1) + (run.Omega2 * run.Pi2).sum(1))
    places = [
        x[:, None] + np.einsum("nij,kj->nki", R, body.positions)
        for x, R, body in ((run.x1, run.R1, pair.body1), (run.x2, run.R2, pair.body2))
    ]
    d = np.linalg.norm(places[0][:, :, None] - places[1][:, None], axis=-1)
    U = -pair.G * np.einsum("i,j,nij->n", pair.body1.masses, pair.body2.masses, 1 / d)
    np.testing.assert_allclose(run.energy, kinetic + U, rtol=1e-12)
    np.testing.assert_allclose(run.distance, d.min(axis=(1, 2)), rtol=1e-12)
    L = m1 * np.cross(run.x1, run.v1) + m2 * np.cross(run.x2, run.v2)
    L += np.einsum("nij,nj->ni", run.R1, run.Pi1) + np.einsum("nij,nj->ni", run.R2, run.Pi2)
    np.testing.assert_allclose(run.angular_momentum, L, atol=1e-12)


def test_thinning_keeps_the_ends_and_the_extrema_of_every_step():
    every = engine.simulate("dumbbells", "LGVI", steps=1003)
    thin = engine.simulate("dumbbells", "LGVI", steps=1003, every=100)
    assert list(thin.t[-2:]) == [1000 * 0.002, 1003 * 0.002] and len(thin) == 12
    assert len(engine.simulate("dumbbells", "LGVI", steps=1003, samples=50)) == pytest.approx(
        50, abs=2
    )
    np.testing.assert_array_equal(thin.x1[-1], every.x1[-1])
    np.testing.assert_array_equal(
        thin.increment1[1:], [every.increment1[i] for i in (*range(100, 1001, 100), 1003)]
    )
    assert (
        thin.extrema["energy"].min == every.energy.min()
        and thin.extrema["energy"].max == every.energy.max()
    )
    assert thin.extrema["distance"].min == pytest.approx(every.distance.min(), rel=1e-15)
    np.testing.assert_array_equal(
        thin.extrema["angular_momentum"].max, every.angular_momentum.max(axis=0)
    )
    assert thin.extrema["orthogonality"].max >= every.orthogonality.max() * (1 - 1e-15)
    assert thin.extrema["energy"].last == every.energy[-1]


def test_progress_and_cancelling():
    cancel = engine.Cancellation()
    reports = []

    def progress(done, of):
        reports.append((done, of))
        cancel.set()

    run = engine.simulate(
        "dumbbells", "LGVI", steps=50_000_000, samples=100, cancel=cancel, progress=progress
    )
    assert run.status == "cancelled" and reports and reports[0][1] == 50_000_000
    assert "Cancelled after" in run.message and 0 < run.cost.steps < 50_000_000


@pytest.mark.parametrize("ending", ["npz", "parquet", "csv"])
@pytest.mark.parametrize("problem, method", first([
    ("dumbbells(case=DB1, m1=2)", "LGVI(form=inertial-hamiltonian, solver=cayley)"), ("two-bodies", "LGM"),
    ("DB4", "DOP853"), ("DB4", "LGVI*yoshida4"),
], 1))  # fmt: skip
def test_saved_and_loaded_and_made_again(problem, method, ending, tmp_path):
    run = engine.simulate(problem, method, duration=0.1, samples=20)
    again = engine.load(run.save(tmp_path / f"run.{ending}"))
    assert again.method.label == run.method.label and again.method.space == "se3"
    assert (
        again.problem.label == run.problem.label
        and again.messages == run.messages
        and again.cost == run.cost
    )
    for name, series in run.columns().items():
        np.testing.assert_array_equal(again.columns()[name], series, err_msg=name)
    for name, extrema in run.extrema.items():
        for one, other in zip(again.extrema[name], extrema, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)
    np.testing.assert_array_equal(again.rerun().x1, run.x1)
    assert engine.cite(again) == engine.cite(run)


def test_a_table():
    frame = engine.simulate("dumbbells", "LGVI", steps=5).to_frame()
    assert len(frame) == 6
    names = (
        "t",
        "R1_11",
        "R2_33",
        "x1_1",
        "v2_3",
        "Omega1_2",
        "linear_momentum_1",
        "angular_momentum_3",
        "distance",
    )
    assert set(names) <= set(frame.columns)


@pytest.mark.exhaustive
def test_a_close_approach_is_told():
    """DB1 has one at t = 59.6, where two spheres come within 0.006: nothing that follows can be
    trusted.
    """
    near = engine.simulate("DB1", "LGVI", duration=65.0)
    assert near.status == "done" and near.extrema["distance"].min < 0.0075
    assert "Do not trust what follows the closest approach" in near.message
    assert "would have touched at 0.075; the contact is not simulated" in near.message
    assert not engine.simulate("DB1", "LGVI", duration=50.0).message
    followed = engine.simulate("DB1", "DOP853", duration=65.0, rtol=1e-10)
    assert "contact" in followed.message and "Do not trust" not in followed.message


def test_in_the_shell(capsys, tmp_path):
    path = tmp_path / "run.npz"
    words = [
        "run",
        "dumbbells",
        "LGVI",
        "--set",
        "case=DB1",
        "--set",
        "R1=0.1,0,0",
        "--steps",
        "100",
        "--json",
    ]
    assert cli.main([*words, "--out", str(path)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "done" and report["cost"]["torque_evaluations"] == 101
    assert set(report["invariants"]) == {"energy", "linear_momentum", "angular_momentum"}
    assert report["invariants"]["angular_momentum"]["promised"] == "always"
    assert engine.load(path).problem.values["case"] == "DB1"
    assert cli.main(["run", "dumbbells", "LGVI(form=inertial-lagrangian)", "--steps", "10"]) == 0
    assert "1.1 force evaluations" in capsys.readouterr().out
    assert cli.main(["show", "SRK", "--space", "se3"]) == 0
    assert "moves" in capsys.readouterr().out
    assert cli.main(["run", "dumbbells", "NMB"]) == 2
    assert cli.main(["study", "convergence", "dumbbells", "LGVI"]) == 2


def test_what_is_declared_of_bodies_is_json(capsys):
    assert cli.main(["show", "dumbbells", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["space"] == "se3" and len(report["body1"]["masses"]) == 2
    assert {p["name"] for p in report["parameters"]} == set(engine.problem("dumbbells").parameters)


def test_what_is_cited():
    assert "LeeLeokMcClamroch2007a" in engine.cite("dumbbells", "LGVI")
    assert "Yoshida1990" in engine.cite(engine.simulate("DB4", "LGVI4", steps=1))
