"""The benchmarks: the reference state is correct, the helpers compute, and smoke runs write
files.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import engine

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import _table, peers, startup, sweeps
from benchmarks import ensemble as ensembles
from benchmarks import web as as_web
from benchmarks.node import executable

Array = NDArray[np.float64]

J = np.diag(peers.J)
OMEGA_END = peers.END_STATE[4:]


def test_the_task_is_the_problem_free() -> None:
    free = engine.problem("free")
    assert (free.J == J).all()
    assert np.array_equal(free.R0, np.eye(3))
    assert (free.Omega0 == peers.OMEGA0).all()
    assert free.duration == peers.END


def test_reference_by_another_integration() -> None:
    """Rotation matrix and spatial momentum in place of quaternion and angular velocity."""
    pi = J @ peers.OMEGA0

    def rhs(t: float, y: Array) -> Array:
        R = y.reshape(3, 3)
        x, y_, z = (R.T @ pi) / peers.J
        slope: Array = (R @ np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]])).ravel()
        return slope

    end = solve_ivp(
        rhs, (0.0, peers.END), np.eye(3).ravel(), method="DOP853", rtol=1e-13, atol=1e-14
    ).y[:, -1]
    R = end.reshape(3, 3)
    assert peers.attitude_error(R) < 2e-12
    assert np.abs((R.T @ pi) / peers.J - OMEGA_END).max() < 2e-12


def test_reference_keeps_what_the_motion_keeps() -> None:
    Omega0 = np.array(peers.OMEGA0)
    assert math.isclose(np.linalg.norm(peers.END_STATE[:4]), 1.0, rel_tol=4e-16)
    assert math.isclose(OMEGA_END @ J @ OMEGA_END, Omega0 @ J @ Omega0, rel_tol=1e-15)
    assert np.abs(peers.R_END @ J @ OMEGA_END - J @ Omega0).max() < 1e-15


@pytest.mark.exhaustive
def test_reference_by_its_own_recipe() -> None:
    assert (
        np.abs(np.array([float(value) for value in peers.recompute(18)]) - peers.END_STATE).max()
        < 1e-15
    )


@pytest.mark.parametrize("angle", [0.0, 1e-10, 1e-3, 2.0, math.pi])
def test_attitude_error_is_the_angle(angle: float) -> None:
    R = peers.R_END @ Rotation.from_rotvec([0.0, angle * 0.6, angle * 0.8]).as_matrix()
    assert math.isclose(peers.attitude_error(R), angle, rel_tol=1e-4, abs_tol=1e-15)
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    assert math.isclose(peers.attitude_error([-w, -x, -y, -z]), angle, rel_tol=1e-4, abs_tol=1e-15)
    assert peers.attitude_error(np.full((3, 3), np.nan)) == math.inf


def test_coarsest_setting_is_not_by_luck() -> None:
    """A setting that meets the target by chance, between two that do not, is skipped."""
    lucky = peers.SETTINGS["steps"][5]
    first = peers.SETTINGS["steps"][13]

    def solve(steps: int) -> Array:
        error = 1e-5 if steps < first and steps != lucky else 1e-7
        R: Array = peers.R_END @ Rotation.from_rotvec([error, 0.0, 0.0]).as_matrix()
        return R

    scan = peers.Scan(peers.Contestant("one", "none", "steps", solve, peers.same), 1.0)
    found = scan.coarsest(1e-6)
    assert found is not None
    assert found.setting == first
    assert scan.coarsest(1e-8) is None


def test_each_setting_is_tried_once_and_a_slow_one_ends_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A call of two seconds that misses a target is the last one for it, and for finer targets."""
    clock = [0.0]
    tried: list[float] = []
    monkeypatch.setattr(peers.time, "perf_counter", lambda: clock[0])

    def solve(tolerance: float) -> float:
        tried.append(tolerance)
        clock[0] += 1e-3 if tolerance > 1e-8 else 2.0
        return tolerance

    one = peers.Contestant("one", "none", "tolerance", solve, peers.same)
    scan = peers.Scan(one, 0.5, lambda found: 3.0 * found)
    found = scan.coarsest(1e-6)
    assert found is not None
    assert found.setting == pytest.approx(10**-6.5)
    before = len(tried)
    assert tried.count(tried[0]) == 2 and len(set(tried)) == before - 1  # the first compiles
    again = scan.coarsest(1e-6)
    assert again is not None and again.setting == found.setting and len(tried) == before
    assert scan.coarsest(1e-9) is None and tried.count(tried[-1]) == 2
    before = len(tried)
    assert scan.coarsest(1e-10) is None and len(tried) == before


def test_slow_contestants_are_in_fewer_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(peers.time, "process_time", lambda: clock[0])

    def entry(seconds: float) -> peers.TunedContestant:
        def solve(steps: int) -> None:
            clock[0] += seconds

        one = peers.Contestant("one", "none", "steps", solve, peers.same)
        return peers.TunedContestant(one, 1, 0.0)

    figures = peers.rounds_of([entry(1e-3), entry(0.2), entry(3.0)], 11)
    assert [len(figure["calls"]) for figure in figures] == [11, 2, 1]
    fast, slow, _ = [figure["calls"] for figure in figures]
    assert peers.compare_rounds(slow, fast) == pytest.approx(200.0)


def test_ratio_is_paired() -> None:
    assert _table.paired_ratio([2.0, 20.0, 6.0], [1.0, 10.0, 2.0]) == 2.0
    with pytest.raises(ValueError, match="shorter"):
        _table.paired_ratio([1.0, 2.0], [1.0])


def test_table_is_aligned() -> None:
    assert _table.table(("name", "ms"), [["a", "1.5"], ["longer", "10"]]).splitlines() == [
        "name     ms",
        "------  ---",
        "a       1.5",
        "longer   10",
    ]


def test_json_is_json(tmp_path: Path) -> None:
    data = {"host": _table.host(("numpy", "no-such-package")), "figure": np.float64(0.5)}
    _table.write_json(tmp_path / "x.json", data)
    back = json.loads((tmp_path / "x.json").read_text())
    assert back["host"]["versions"] == {"numpy": np.__version__, "no-such-package": None}
    assert back["figure"] == 0.5
    with pytest.raises(ValueError, match="JSON"):
        _table.write_json(tmp_path / "x.json", {"figure": math.nan})


def missing(task: Any) -> Any:
    """A peer that is not installed."""
    raise ImportError("no such package")


def broken(task: Any) -> Any:
    """A peer whose interface has changed."""
    raise AttributeError("no such function")


@pytest.mark.exhaustive
def test_quick_run_of_peers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        peers, "PEERS", {"scipy": peers.scipy, "numbalsoda": missing, "mujoco": broken}
    )
    peers.main(["--quick", "--problems", "free", "--json", str(tmp_path / "peers.json")])
    data = json.loads((tmp_path / "peers.json").read_text())
    assert data["peers"]["numbalsoda"] == "not installed"
    assert data["peers"]["mujoco"] == "fails with AttributeError: no such function"
    (target,) = data["targets"]
    printed = capsys.readouterr().out
    assert {"engine", "scipy"} == {result["package"] for result in target["results"]}
    for result in target["results"]:
        assert result["error"] <= target["target"]
        assert result["contestant"] in printed
        assert all(seconds > 0 for seconds in result["calls"])
        assert result["to_engine"] > 0
    own = [result for result in target["results"] if result["package"] == "engine"]
    assert all(result["kernel_seconds"] > 0 for result in own)


def test_the_record_has_the_fastest_of_each_peer() -> None:
    """Of the engine all methods that are compared; of a peer those that are fastest to a target."""
    results = [
        {"contestant": name, "package": package, "seconds": k * 1e-6}
        for k, (name, package) in enumerate(
            [
                ("heyoka, rows", "heyoka"),
                ("Polhode A", "engine"),
                ("heyoka, q", "heyoka"),
                ("Polhode B", "engine"),
            ]
        )
    ]
    other = [{"contestant": "heyoka, q", "package": "heyoka", "seconds": 9e-6}]
    found = peers.condense(
        [
            {"problem": "free", "target": 1e-6, "results": results},
            {"problem": "free", "target": 1e-8, "results": other},
        ]
    )
    assert found["microseconds"] == {
        "free": {
            "heyoka, rows": {"1e-06": 0.0},
            "Polhode A": {"1e-06": 1.0},
            "Polhode B": {"1e-06": 3.0},
            "heyoka, q": {"1e-08": 9.0},
        }
    }


@pytest.mark.exhaustive
def test_quick_run_of_startup(tmp_path: Path) -> None:
    startup.main(["--quick", "--json", str(tmp_path / "startup.json")])
    results = json.loads((tmp_path / "startup.json").read_text())["results"]
    assert {"import engine", "first run, kernel compiled", "first run, kernel from the cache"} <= {
        result["case"] for result in results
    }
    assert all(
        result["median_seconds"] > 0 for result in results if result["case"].startswith("first run")
    )


@pytest.mark.exhaustive
def test_quick_run_of_sweeps(tmp_path: Path) -> None:
    sweeps.main(["--quick", "--json", str(tmp_path / "sweeps.json")])
    found = json.loads((tmp_path / "sweeps.json").read_text())
    assert found["points"] == 512 and all(
        seconds > 0 for one in found["seconds"].values() for seconds in one
    )
    assert len(found["seconds"]) == 3 + len(sweeps.MAPS)


@pytest.mark.exhaustive
def test_quick_run_of_ensembles(tmp_path: Path) -> None:
    ensembles.main(["--quick", "--json", str(tmp_path / "ensemble.json")])
    (result,) = json.loads((tmp_path / "ensemble.json").read_text())["results"]
    assert (
        result["ratio"] == pytest.approx(result["together"] / result["alone"], rel=1e-9)
        and result["alone"] > 0
    )
    ensembles.main(["--widths", "--quick", "--json", str(tmp_path / "widths.json")])
    shared, own = json.loads((tmp_path / "widths.json").read_text())["results"]
    assert (shared["varied"], own["varied"]) == (False, True)
    assert {"256", "128"} <= set(shared["by_width"]) == set(own["by_width"])
    assert min(*shared["by_width"].values(), *own["by_width"].values()) > 0


@pytest.mark.exhaustive
@pytest.mark.skipif(executable() is None, reason="there is no Node")
def test_quick_run_of_kernels_as_webassembly(tmp_path: Path) -> None:
    as_web.main(["--quick", "--json", str(tmp_path / "web.json")])
    results = json.loads((tmp_path / "web.json").read_text())["results"]
    assert len(results) > 10 and all(
        one["apart"] < 1e-9 and one["alike"] and one["ratio"] > 0 for one in results
    )


@pytest.mark.exhaustive
def test_a_soak_takes_the_time_of_each_change_and_tells_of_each_minute(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from benchmarks import soak

    soak.main(["--minutes", "0.1", "--visitors", "2", "--json", str(tmp_path / "soak.json")])
    (minute,) = json.loads((tmp_path / "soak.json").read_text())["minutes"]
    assert minute["sessions"] == 2 and minute["memory"] > 50 and minute["changes"] >= 1
    assert 0 < minute["median"] <= minute["p95"] <= minute["max"]
    assert "MB an hour" in capsys.readouterr().out


def test_growth_is_that_of_the_second_half() -> None:
    from benchmarks.soak import format_growth, growth

    rows = [{"minute": i, "memory": 100.0 * (i < 5) + 2.0 * i} for i in range(10)]
    assert growth(rows) == pytest.approx(120.0) and format_growth(growth(rows)) == "+120"
    assert format_growth(growth(rows[:1])) == "–", "a run of a minute shows no growth"
