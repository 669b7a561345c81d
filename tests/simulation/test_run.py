"""Runs: their contents, saving and loading."""

from __future__ import annotations

import json
import re
import stat

import numpy as np
import pytest

import engine

RUNS = {
    "a top": lambda: engine.simulate(
        "slow-top", "MR2(axes=231, trig=cayley)", dt=0.01, steps=100, every=7
    ),
    "a changed top": lambda: engine.simulate(
        engine.problem("slow-top", gravity=15.0, J=(4, 5, 2)), "NMB", steps=20
    ),
    "a settled top": lambda: engine.simulate(
        engine.problem("lagrange-top", Mgl=3.0), "AKW(torque=half)", steps=20
    ),
    "energy corrected": lambda: engine.simulate("prism", "BUSS3(tail=False)+E", steps=50),
    "the book": lambda: engine.simulate("book-toss", "SW", dt=0.01, steps=50),
    "the wall": lambda: engine.simulate(
        "soft-wall(sign=as-printed)", "RKMK(tableau=heun)", steps=50
    ),
    "turned axes": lambda: engine.simulate(
        engine.Problem(J=[[2, 0.3, 0], [0.3, 3, 0.1], [0, 0.1, 4]]), "DMV", steps=9
    ),
    "no solution": lambda: engine.simulate("free", "DMV", dt=1.1, duration=11),
    "diverged": lambda: engine.simulate("free", "RK4-MATRIX", dt=5.0, steps=2000, every=10),
    "nothing": lambda: engine.simulate("magnet", "MR4", steps=0),
}


@pytest.mark.parametrize("ending", ["parquet", "npz", "csv"])
@pytest.mark.parametrize("name", RUNS)
def test_a_saved_run_is_the_same_and_can_be_made_again(name, ending, tmp_path):
    run = RUNS[name]()
    path = run.save(tmp_path / f"run.{ending}")
    loaded = engine.load(path)
    for what in ("t", "R", "Omega", "Pi", "pi", "energy", "orthogonality", "increment"):
        np.testing.assert_array_equal(getattr(loaded, what), getattr(run, what), err_msg=what)
    assert list(loaded.casimirs) == list(run.casimirs)
    for what, values in run.casimirs.items():
        np.testing.assert_array_equal(loaded.casimirs[what], values)
    for what, extrema in run.extrema.items():
        for one, other in zip(loaded.extrema[what], extrema, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=what)
    assert loaded.cost == run.cost and loaded.provenance == run.provenance
    assert (loaded.status, loaded.failed_step, loaded.message) == (
        run.status,
        run.failed_step,
        run.message,
    )
    assert loaded.method.label == run.method.label and loaded.problem.label == run.problem.label
    assert dict(loaded.problem.values) == dict(run.problem.values)
    again = loaded.rerun()
    np.testing.assert_array_equal(again.R, run.R)
    np.testing.assert_array_equal(again.energy, run.energy)
    assert again.status == run.status


@pytest.mark.parametrize("ending", ["parquet", "npz", "csv"])
def test_a_run_with_a_torque_of_one_s_own(ending, tmp_path):
    problem = engine.Problem(
        J=(1, 2, 2.5), torque=lambda t, R: (R[1, 2], -R[0, 2], 0), potential=lambda R: -R[2, 2]
    )
    run = engine.simulate(problem, "MR2", steps=10)
    loaded = engine.load(run.save(tmp_path / f"run.{ending}"))
    np.testing.assert_array_equal(loaded.R, run.R)
    assert loaded.problem.invariants == ("energy",)
    with pytest.raises(ValueError, match="give it again"):
        loaded.rerun()
    again = engine.simulate(
        loaded.problem.replace(torque=problem.torque, potential=None), "MR2", steps=10
    )
    np.testing.assert_array_equal(again.R, run.R)


def test_rerun_with_changes():
    run = engine.simulate("slow-top", "NMB", dt=0.01, steps=100)
    assert run.rerun(dt=0.005, duration=1.0).cost.steps == 200
    assert len(run.rerun(samples=10)) == 11
    assert run.rerun(steps=7).cost.steps == 7


def test_the_table():
    run = engine.simulate("slow-top", "NMB", steps=20)
    frame = run.to_frame()
    assert len(frame) == 21
    assert list(frame.columns[:11]) == ["t", *(f"R{i}{j}" for i in "123" for j in "123"), "Omega1"]
    np.testing.assert_array_equal(frame["R23"], run.R[:, 1, 2])
    np.testing.assert_array_equal(frame["pi3"], run.pi[:, 2])
    assert {"energy", "orthogonality", "increment", "pi_e3", "pi_chi", "gamma_norm"} <= set(
        frame.columns
    )


@pytest.mark.parametrize("name, says", [
    ("run.txt", "parquet, .npz, .csv or .glb"),
    ("run", "parquet, .npz, .csv or .glb"),
    ("nowhere/run.npz", "no folder"),
    ("folder.csv", "folder"),
    ("null.csv", "device or a pipe"),
])  # fmt: skip
def test_names_that_can_not_be_saved_under(name, says, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "null.csv").symlink_to("/dev/null")
    with pytest.raises(ValueError, match=says):
        engine.simulate("free", "MR2", steps=1).save(tmp_path / name)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = engine.simulate("free", "MR2", steps=3).save(tmp_path / "run.npz")
    before = path.read_bytes()

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        engine.simulate("free", "MR2", steps=5).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_what_is_there_keeps_its_permissions_and_its_links(tmp_path):
    run = engine.simulate("free", "MR2", steps=3)
    (tmp_path / "private").mkdir()
    target = tmp_path / "private" / "run.csv"
    link = tmp_path / "link.csv"
    new = tmp_path / "new.csv"
    run.save(new)
    (tmp_path / "plain").touch()
    assert new.stat().st_mode == (tmp_path / "plain").stat().st_mode
    run.save(target)
    target.chmod(0o600)
    link.symlink_to("private/run.csv")
    (tmp_path / "later.csv").symlink_to("private/later.csv")
    before = target.read_bytes()
    for name in ("link.csv", "later.csv"):
        run.rerun(steps=5).save(tmp_path / name)
        assert (tmp_path / name).is_symlink() and len(engine.load(tmp_path / name)) == 6
    assert target.read_bytes() != before and stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(path.name for path in target.parent.iterdir()) == ["later.csv", "run.csv"]


def test_files_that_are_no_runs(tmp_path):
    (tmp_path / "a.csv").write_text("t,x\n1,2\n")
    (tmp_path / "b.parquet").write_bytes(b"nonsense")
    np.savez(tmp_path / "c.npz", t=np.arange(3))
    for name, says in (("a.csv", "what made it"), ("b.parquet", "cannot be read"), ("c.npz", "what made it"),
                       ("d.npz", "no file"), ("e.doc", "parquet, .npz or .csv")):  # fmt: skip
        with pytest.raises(ValueError, match=says) as caught:
            engine.load(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_file_of_another_version_says_why_it_is_not_opened(tmp_path):
    path = engine.simulate("free", "MR2", steps=3).save(tmp_path / "run.csv")
    first, rest = path.read_text().split("\n", 1)
    report = json.loads(first.removeprefix("# polhode "))
    report["format"] = 99
    path.write_text(f"# polhode {json.dumps(report)}\n{rest}")
    with pytest.raises(ValueError, match="format 99"):
        engine.load(path)


def test_a_run_by_steps_of_its_own_is_not_told_as_steps_of_dt():
    assert re.fullmatch(r"<run of RADAU on free: \d+ steps of its own choice, 6 rows, done>", repr(
        engine.simulate("free", "RADAU", steps=5)
    ))  # fmt: skip
    assert (
        repr(engine.simulate("free", "NMB", steps=0))
        == "<run of NMB on free: 0 steps of 0.5, 1 row, done>"
    )


def test_what_is_no_npz_file_is_not_advised_to_be_trusted(tmp_path):
    file = tmp_path / "run.npz"
    file.write_text("hello")
    with pytest.raises(
        ValueError, match=r"run.npz cannot be read as a saved run: it is no NPZ file"
    ) as refused:
        engine.load(file)
    assert "pickle" not in str(refused.value)
