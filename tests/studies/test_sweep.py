"""Sweeps: every point equals a single run, on any worker; stored, missing and refined points."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import re
import signal
import socket
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from cluster import cluster_of
from covering import first
from timeouts import TIMEOUT

import engine
from engine import studies
from engine.cli.command import main
from engine.compiler import notices
from engine.parameters.parameter import Number
from engine.studies import MEASURES, sweep
from engine.studies.core import executor as executors
from engine.studies.core.errors_at_end import TrueEnd, energy_error
from engine.studies.core.measurements import deviation
from engine.studies.sweeps import convert
from engine.studies.sweeps.axes import read_over, read_values
from engine.studies.sweeps.block import STATUS

SAVED = Path(__file__).parents[1] / "data" / "saved"
OVER = {"dt": [0.01, 0.05], "Omega0.z": [1.0, 20.0, 50.0]}
MANY = {"dt": [0.01, 0.05], "Omega0.z": np.linspace(1.0, 50.0, 33)}
LARGE = {
    "dt": np.geomspace(0.001, 0.1, 8),
    "J.x": [1.0, 1.05, 1.1],
    "Omega0.z": np.linspace(1, 5, 40),
}


def spun(z: float, problem: str = "slow-top", **changes: object) -> engine.Problem:
    """A problem with another spin."""
    body = engine.problem(problem, **changes)
    return body.replace(Omega0=(*body.Omega0[:2], z))


def speed(run: engine.Run) -> float:
    """The angular speed at the end."""
    return float(np.linalg.norm(run.Omega[-1]))


# ----------------------------------------------------------------------------------------------------
# the numbers


def test_each_point_is_the_run_by_hand():
    names = [
        "energy",
        "attitude",
        "momentum",
        "pi_e3",
        "gamma_norm",
        "orthogonality",
        "steps",
        "torques",
        "cos_tilt",
    ]
    data = sweep("slow-top", ["NMB", "RK4-QUAT"], over=OVER, measure=[*names, speed], duration=2.0)
    assert data.sizes == {"algorithm": 2, "dt": 2, "Omega0.z": 3} and data.attrs["finished"] == 1
    for method in ("NMB", "RK4-QUAT"):
        for dt in OVER["dt"]:
            for z in OVER["Omega0.z"]:
                run = engine.simulate(spun(z), method, dt=dt, duration=2.0)
                off = TrueEnd.of(spun(z), 2.0, dt).errors(run)
                there = data.sel({"algorithm": method, "dt": dt, "Omega0.z": z})
                assert there["status"] == 0
                assert float(there["energy"]) == energy_error(run)
                assert (
                    float(there["steps"]) == run.cost.steps
                    and float(there["torques"]) == run.cost.torque_evaluations
                )
                assert float(there["cos_tilt"]) == run.R[-1, 2, 2] and float(
                    there["speed"]
                ) == speed(run)
                for name in ("pi_e3", "gamma_norm", "orthogonality"):
                    assert float(there[name]) == deviation(run, name)
                for name in ("attitude", "momentum"):
                    assert float(there[name]) == pytest.approx(off[name], rel=1e-6)


def test_starts_side_by_side_are_the_runs_one_by_one():
    data = sweep("slow-top", ["MR2", "DMV"], over=MANY, measure=["energy", "steps"], duration=2.0)
    for method in ("MR2", "DMV"):
        for dt in MANY["dt"]:
            for z in MANY["Omega0.z"][::8]:
                run = engine.simulate(spun(z), method, dt=dt, duration=2.0)
                there = data.sel({"algorithm": method, "dt": dt, "Omega0.z": z})
                assert (
                    STATUS[int(there["status"])] == run.status
                    and float(there["steps"]) == run.cost.steps
                )
                if run.status == "done":
                    assert float(there["energy"]) == pytest.approx(
                        energy_error(run), rel=1e-9, abs=1e-13
                    )
                else:
                    assert np.isnan(there["energy"])


@pytest.mark.parametrize(
    ("problem", "weight"), first([("slow-top", "Mgl"), ("kovalevskaya-top", "Mg")])
)
def test_steps_of_their_own_side_by_side(problem, weight):
    """Each point has its own weight and start, and those of one tolerance run together, of an order
    that is lower than alone.
    """
    over = {weight: (3.0, 20.0), "Omega0.z": np.linspace(1.0, 9.0, 9), "rtol": (1e-9, 1e-6)}
    names = ["energy", "steps", "cos_tilt"]
    data = sweep(problem, "TAYLOR", over=over, measure=names, dt=0.5, duration=2.0)
    assert (data["status"] == 0).all()
    body = engine.problem(problem)
    made = []
    for w, z, rtol in itertools.product((3.0, 20.0), (1.0, 6.0), (1e-9, 1e-6)):
        point = body.replace(**{weight: w, "Omega0": (*body.Omega0[:2], z)})
        run = engine.simulate(point, "TAYLOR", dt=0.5, duration=2.0, rtol=rtol)
        there = data.sel({weight: w, "Omega0.z": z, "rtol": rtol}).squeeze()
        made.append((run.cost.steps, float(there["steps"])))
        tilt = MEASURES["cos_tilt"].of(run)
        assert float(there["cos_tilt"]) == pytest.approx(tilt, abs=300 * rtol)
        assert 0.0 <= float(there["energy"]) < 300 * rtol
    alone, together = map(sum, zip(*made, strict=True))
    assert alone < together < 3 * alone


@pytest.mark.parametrize(
    ("problem", "over"),
    [
        ("slow-top", {"dt": np.geomspace(0.01, 1, 22), "Omega0.z": np.linspace(1, 50, 15)}),
        pytest.param(
            "book-toss",
            {"dt": np.geomspace(0.02, 0.2, 15), "Omega0.z": np.linspace(1, 5, 8)},
            marks=pytest.mark.exhaustive,
        ),
        (
            engine.Problem(J=[[2, 0.3, 0.1], [0.3, 2.5, 0.2], [0.1, 0.2, 3]], Omega0=(0.1, 1, 0.2)),
            {"dt": np.geomspace(0.01, 1, 15), "Omega0.z": np.linspace(1, 5, 22)},
        ),
        pytest.param(
            "asymmetric-top",
            {"J.x": np.linspace(2.9, 3.1, 8), "dt": np.geomspace(0.01, 0.5, 15)},
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["slow-top", "book-toss", "own", "asymmetric-top"],
)
def test_what_is_measured_at_the_end_is_that_of_the_run_by_hand(problem, over):
    """Points share exact motions, and no digit of a point depends on the others."""
    names = ["attitude", "momentum", "cos_tilt"]
    data = sweep(problem, "NMB", over=over, measure=names, duration=3.0)
    few = sweep(
        problem,
        "NMB",
        over={name: at[::2] for name, at in over.items()},
        measure=names,
        duration=3.0,
    )
    for name in names:
        np.testing.assert_array_equal(few[name], data[name][:, ::2, ::2])
    (across, xs), (up, ys) = over.items()
    for x in xs[::7]:
        for y in ys[::7]:
            there = data.sel({"algorithm": "NMB", across: x, up: y})
            body = engine.problem(problem) if isinstance(problem, str) else problem
            dt = x
            if up == "dt":
                J, dt = body.J.copy(), y
                J[0, 0] = x
                body = body.replace(J=J)
            else:
                body = body.replace(Omega0=(*body.Omega0[:2], y))
            run = engine.simulate(body, "NMB", dt=dt, duration=3.0)
            assert run.status == STATUS[int(there["status"])] == "done"
            off = TrueEnd.of(body, run.steps * run.dt, dt).errors(run)
            for name in ("attitude", "momentum"):
                assert float(there[name]) == pytest.approx(off[name], rel=1e-6, abs=1e-11)
            tilt = run.R[-1, 2] @ body.action(dt).axis
            assert float(there["cos_tilt"]) == pytest.approx(tilt, abs=1e-9)


def test_a_run_that_fails_has_a_status_and_no_number():
    data = sweep(
        "slow-top",
        "DMV",
        over={"dt": [0.01, 0.2], "Omega0.z": [50.0]},
        measure=["energy", "steps"],
        duration=3.0,
    )
    good, bad = (
        data.isel({"algorithm": 0, "Omega0.z": 0}).transpose("dt").isel(dt=0),
        data.isel(algorithm=0, dt=1),
    )
    assert good["status"] == 0 and good["energy"] > 0
    assert STATUS[int(bad["status"].item())] == "no-solution" and np.isnan(bad["energy"].item())
    assert (
        bad["steps"].item() == engine.simulate(spun(50.0), "DMV", dt=0.2, duration=3.0).cost.steps
    )


def test_a_body_that_cannot_be_is_refused_and_the_others_go_on():
    data = sweep("free", "NMB", over={"J.x": [0.1, 1.0, 1.5]}, duration=1.0)
    assert [STATUS[int(code)] for code in data["status"].values[0]] == ["refused", "done", "done"]
    assert "no rigid body has the principal moments" in data.attrs["refused"]


def test_a_function_that_raises_leaves_its_point_out():
    def picky(run):
        if run.dt > 0.02:
            raise ValueError("not that one")
        return 1.0

    data = sweep("free", "NMB", over={"dt": [0.01, 0.05]}, measure=picky, duration=1.0)
    assert [STATUS[int(code)] for code in data["status"].values[0]] == ["done", "not-measured"]
    assert "not that one" in data.attrs["refused"]


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("J", [[1.0, 2.0, 2.5], [1.0, 1.5, 2.0]], lambda v: engine.problem("free", J=v)),
        ("Omega0", [[0.0, 0.0, 1.0], [1.0, 2.0, 3.0]], lambda v: engine.problem("free", Omega0=v)),
        ("Pi0", [[0.0, 0.1, 1.0], [1.0, 2.0, 3.0]], lambda v: engine.problem("free", Pi0=v)),
        ("R0", [[0.1, 0.2, 0.3], [0.0, 0.0, 3.0]], lambda v: engine.problem("free", R0=v)),
        ("R0.y", [0.1, 0.5], lambda v: engine.problem("free", R0=(0.0, v, 0.0))),
        ("Pi0.x", [0.1, 0.5], None),
    ],
)
def test_vectors_and_components(name, values, problem):
    data = sweep("free", "NMB", over={name: values}, measure=["energy", "attitude"], steps=20)
    for i, value in enumerate(values):
        if problem is None:
            body = engine.problem("free")
            body = body.replace(Pi0=(value, *body.Pi0[1:]))
        else:
            body = problem(value)
        run = engine.simulate(body, "NMB", steps=20)
        assert float(data["energy"][0, i]) == pytest.approx(energy_error(run), rel=1e-6)
    if name == "J":
        assert list(data.coords["J.z"].values) == [2.5, 2.0]


def test_parameters_of_the_problem_and_options_of_methods():
    over = {"gravity": [5.0, 9.81], "axes": ["123", "231"]}
    data = sweep("lagrange-top", ["MR2", "NMB"], over=over, steps=50)
    for gravity in over["gravity"]:
        body = engine.problem("lagrange-top", gravity=gravity)
        for axes in over["axes"]:
            there = data.sel({"gravity": gravity, "axes": axes})["energy"]
            assert float(there.sel(algorithm="MR2")) == energy_error(
                engine.simulate(body, "MR2", axes=axes, steps=50)
            )
            assert float(there.sel(algorithm="NMB")) == energy_error(
                engine.simulate(body, "NMB", steps=50)
            )
    assert data.coords["gravity"].attrs["long_name"]


@pytest.mark.exhaustive
def test_every_choice_of_a_method_can_be_varied():
    for method in engine.algorithms():
        for option in method.options:
            if option.choices:
                data = sweep(
                    "free", method.key, over={option.name: ",".join(option.choices)}, steps=2
                )
                assert list(data[option.name].values) == list(option.choices)
                assert data.attrs["finished"] == 1


def test_seeds_draw_the_starts_of_an_ensemble():
    data = sweep(
        "free", "MR2", over={"seed": range(20)}, spread=0.1, measure=["energy"], duration=2.0
    )
    again = sweep(
        "free",
        "MR2",
        over={"seed": range(20)},
        spread=0.1,
        measure=["energy", "pi_norm"],
        duration=2.0,
    )
    assert len(set(data["energy"].values[0])) == 20
    np.testing.assert_allclose(data["energy"], again["energy"], rtol=1e-9)


def test_a_list_of_points():
    points = pd.DataFrame({"dt": [0.01, 0.02, 0.02], "Omega0.z": [1.0, 20.0, 30.0]})
    data = sweep("slow-top", "MR2", over=points, duration=1.0)
    same = sweep("slow-top", "MR2", over=points.to_dict("records"), duration=1.0)
    assert data.sizes == {"algorithm": 1, "point": 3} and data.identical(same)
    for i, point in points.iterrows():
        run = engine.simulate(spun(point["Omega0.z"]), "MR2", dt=point["dt"], duration=1.0)
        assert float(data["energy"][0, i]) == energy_error(run)
        assert float(data["dt"][i]) == point["dt"]


def test_two_bodies():
    key = engine.problems("se3")[0].key
    method = "LGVI"
    data = sweep(key, method, over={"dt": [0.001, 0.002]}, measure=["energy", "steps"], steps=20)
    for i, dt in enumerate(data["dt"].values):
        assert float(data["energy"][0, i]) == energy_error(
            engine.simulate(key, method, dt=float(dt), steps=20)
        )


@pytest.mark.parametrize("spin", [0.2, 0.4])
def test_the_period_and_the_flips_of_a_tennis_racket(spin):
    """The rotation about the intermediate axis has the period 4K(m)/rate (Landau and Lifshitz,
    §37).
    """
    from scipy.special import ellipk

    J = np.array([1.0, 2.0, 3.0])
    Omega = np.array([0.01, spin, 0.02])
    data = sweep(
        engine.Problem(J=J, Omega0=Omega),
        "MR4",
        over={"dt": [0.02]},
        measure=["period", "flips"],
        duration=600.0,
    )
    E2, M2 = J @ Omega**2, np.sum((J * Omega) ** 2)
    J1, J2, J3 = J if E2 * J[1] < M2 else J[::-1]
    rate = np.sqrt(abs((J3 - J2) * (M2 - E2 * J1) / (J1 * J2 * J3)))
    m = (J2 - J1) * (E2 * J3 - M2) / ((J3 - J2) * (M2 - E2 * J1))
    period = 4 * ellipk(m) / rate
    assert float(data["period"].item()) == pytest.approx(period, rel=1e-3)
    assert abs(data["flips"].item() - 2 * 600.0 / period) <= 1


@pytest.mark.parametrize(
    ("method", "Omega", "flips"),
    [
        ("LINEAR-EULER", (0.01, 1, 0.02), 0),
        ("DMV", (0.01, 1, 0.02), 13),
        ("MR4", (0.01, 1, 0.02), 12),
        ("MR4", (1, 0.1, 0.1), 0),
    ],
)
def test_flips_are_those_of_the_lab(method, Omega, flips):
    """A spin whose rotation about the middle axis swings about zero is no flip."""
    body = engine.Problem(J=(1, 2, 3), Omega0=Omega)
    found = sweep(body, method, over={"dt": [0.4]}, measure="flips", duration=200.0)
    assert found["flips"].item() == flips
    in_lab = engine.error(engine.simulate(body, method, dt=0.4, duration=200.0)).flips
    assert flips == (len(in_lab.run) if in_lab else 0)


def test_the_drift_of_a_method_that_loses_energy():
    data = sweep(
        "free", "RK4-QUAT", over={"dt": [0.1, 0.2]}, measure=["drift", "energy"], duration=200.0
    )
    lost = data["drift"].values[0] * 200.0
    np.testing.assert_allclose(abs(lost), data["energy"].values[0], rtol=0.3)


# ----------------------------------------------------------------------------------------------------
# workers


@pytest.fixture(scope="module")
def here():
    return sweep("free", ["MR2", "NMB"], over=LARGE, measure=["energy", "steps"], steps=100)


def test_an_executor_gives_the_same(here):
    with ThreadPoolExecutor(1) as threads:
        assert here.identical(sweep("free", ["MR2", "NMB"], over=LARGE, measure=["energy", "steps"], steps=100,
                                    executor=threads))  # fmt: skip


@pytest.mark.exhaustive
def test_a_process_that_dies_is_replaced(here):
    killed = []

    def kill(done, total):
        if done and not killed:
            victim = multiprocessing.active_children()[0]
            killed.append(victim.pid)
            os.kill(victim.pid, signal.SIGKILL)

    again = sweep("free", ["MR2", "NMB"], over=LARGE, measure=["energy", "steps"], steps=100, executor="processes",
                  progress=kill)  # fmt: skip
    assert killed and here.identical(again)


@pytest.mark.exhaustive
def test_processes_that_wait_for_ever_do_not_keep_a_sweep_from_its_end(here):
    """As those do that share a lock with one that was killed."""
    before = multiprocessing.active_children()
    stopped = []

    def stop(done, total):
        if done == total and not stopped:
            stopped.extend(
                one.pid for one in multiprocessing.active_children() if one not in before
            )
            for process in stopped:
                os.kill(process, signal.SIGSTOP)

    with ThreadPoolExecutor(1) as beside:
        again = beside.submit(sweep, "free", ["MR2", "NMB"], over=LARGE, measure=["energy", "steps"], steps=100,
                              executor="processes", progress=stop)  # fmt: skip
        try:
            assert here.identical(again.result(TIMEOUT))
        finally:
            for process in stopped:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
    assert stopped


@pytest.mark.exhaustive
def test_a_cluster_loses_a_worker_and_then_its_scheduler(here, tmp_path):
    from dask.distributed import Client

    asked = {"over": LARGE, "measure": ["energy", "steps"], "steps": 100}
    killed = []
    with cluster_of(2) as cluster:
        with Client(cluster) as client:
            pids = list(client.run(os.getpid).values())

            def kill(done, total):
                if done and not killed:
                    killed.append(pids[0])
                    os.kill(pids[0], signal.SIGKILL)

            again = sweep("free", ["MR2", "NMB"], **asked, executor=client, progress=kill)
            assert killed and here.identical(again)

            @engine.torque
            def spring(t, R):
                return (0.0, 0.0, -0.3 * R[1, 0])

            own = {"over": {"Omega0.z": [1.0, 2.0]}, "measure": [speed, "energy"], "steps": 50}
            body = engine.Problem(torque=spring)
            assert sweep(body, "NMB", **own).identical(sweep(body, "NMB", **own, executor=client))

        gone = []

        def end(done, total):
            if done and not gone:
                gone.append(cluster.scheduler.address)
                cluster.close()

        with pytest.raises(ConnectionError, match="has gone"):
            sweep(
                "free",
                ["MR2", "NMB"],
                **asked,
                executor=cluster.scheduler_address,
                keep=tmp_path / "kept",
                progress=end,
            )
    kept = sweep.status(tmp_path / "kept")
    assert 0 < kept.done < kept.total
    assert here.identical(sweep("free", ["MR2", "NMB"], **asked, keep=tmp_path / "kept"))


@pytest.mark.exhaustive
def test_a_cluster_without_workers_is_told_of_and_goes_on_when_one_comes(here, monkeypatch):
    monkeypatch.setattr(executors, "SILENT", 0.1)
    reports = []
    with cluster_of(0) as cluster:

        def heard(words):
            reports.append(notices.describe_compiling(words))
            if "has none" in words:
                cluster.scale(1)

        with notices.listen(heard):
            late = sweep("free", ["MR2", "NMB"], over=LARGE, measure=["energy", "steps"], steps=100,
                         executor=cluster.scheduler_address)  # fmt: skip
    assert [words for words in reports if not words.startswith("Compiling")] == [
        executors.WITHOUT_WORKERS,
        "",
    ]
    assert here.identical(late)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dashboard", [":0", None])
def test_the_shell_names_the_dashboard_of_a_cluster_that_has_one(dashboard, capsys):
    arguments = [
        "study",
        "sweep",
        "free",
        "NMB",
        "--over",
        "dt=0.1,0.2",
        "--steps",
        "9",
        "--progress",
        "--scheduler",
    ]
    with cluster_of(1, dashboard) as cluster:
        assert main([*arguments, cluster.scheduler_address]) == 0
    named = re.findall(
        r"^polhode: the cluster's dashboard is at http://\S+/status$",
        capsys.readouterr().err,
        re.MULTILINE,
    )
    assert len(named) == (dashboard is not None)


def test_what_cannot_go_to_another_process_is_refused_at_once():
    class Stuck:
        __name__ = "stuck"

        def __call__(self, run):
            return 0.0

        def __reduce__(self):
            raise TypeError("it holds on to this process")

    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(ValueError, match="cannot go to other processes: it holds on"),
    ):
        sweep("free", "MR2", over={"dt": [0.1]}, measure=Stuck(), executor=pool)


@pytest.mark.exhaustive
def test_a_port_that_never_answers_is_refused_soon(monkeypatch):
    """A server that accepts the connection and stays silent: no client is made, which would wait
    for minutes.
    """
    monkeypatch.setattr(executors, "ANSWERS_WITHIN", 0.2)
    monkeypatch.setattr(
        "dask.distributed.Client", lambda *_, **__: pytest.fail("a client waits for minutes")
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ValueError, match=f"no Dask scheduler answers at '{address}'"):
            sweep("free", "MR2", over={"dt": [0.1]}, executor=address)


@pytest.mark.exhaustive
@pytest.mark.parametrize("executor", ["somewhere", 3, "tcp://127.0.0.1:9"])
def test_no_such_place(executor, monkeypatch):
    monkeypatch.setattr(executors, "ANSWERS_WITHIN", 1)
    with pytest.raises(ValueError, match=r"executor is|no Dask scheduler answers"):
        sweep("free", "MR2", over={"dt": [0.1]}, executor=executor)


# ----------------------------------------------------------------------------------------------------
# stores


@pytest.mark.exhaustive
def test_what_is_kept_is_not_done_again(tmp_path, here):
    asked = {
        "over": LARGE,
        "measure": ["energy", "steps"],
        "steps": 100,
        "keep": tmp_path / "kept",
    }
    stop = engine.Cancellation()
    reports = []
    part = sweep(
        "free",
        ["MR2", "NMB"],
        **asked,
        cancel=stop,
        progress=lambda done, total: done > 300 and stop.set(),
    )
    status = sweep.status(asked["keep"])
    assert 300 < status.done < status.total == here["status"].size and not status.finished
    assert part.attrs["finished"] == 0 and int((part["status"] >= 0).sum()) == status.done
    seen = sweep.load(asked["keep"])
    assert int((seen["status"] >= 0).sum()) == status.done and list(seen["algorithm"].values) == [
        "MR2",
        "NMB",
    ]
    whole = sweep(
        "free", ["MR2", "NMB"], **asked, progress=lambda done, total: reports.append(done)
    )
    assert reports[0] == status.done and reports[-1] == status.total
    assert whole.identical(here) and sweep.status(asked["keep"]).finished
    assert "done" in str(sweep.status(asked["keep"]))
    assert sweep.load(asked["keep"]).identical(here)


@pytest.mark.parametrize("is_store", [True, False])
def test_a_sweep_of_an_earlier_version_is_read(is_store, tmp_path):
    """Its dimension `method`, which is a keyword of `sel`, has today's name; commit 44311aa wrote
    both files.
    """
    file = SAVED / "sweep.nc"
    if is_store:
        for read in (sweep.load, sweep.status):
            with pytest.raises(
                ValueError, match=r"an earlier version; .* engine\.studies\.sweeps\.convert"
            ):
                read(SAVED / "sweep.zarr")
        file = tmp_path / "sweep.nc"
        convert.convert_store(str(SAVED / "sweep.zarr"), str(file))
    data = sweep.load(file)
    assert data.sizes == {"algorithm": 2, "dt": 2} and data.attrs["finished"] == 1
    now = sweep("free", ["MR2", "NMB"], over={"dt": [0.1, 0.2]}, steps=20)
    for method in ("MR2", "NMB"):
        then = data["energy"].sel(algorithm=method)
        np.testing.assert_allclose(then, now["energy"].sel(algorithm=method), rtol=1e-9)
        assert then.sel(dt=0.19, method="nearest") == then.sel(dt=0.2)


BARRIERS: dict[int, Any] = {}
"""The barrier of several processes, by their number."""
AT_ONCE = {
    "over": {"dt": np.geomspace(0.01, 0.1, 24), "Omega0.z": np.linspace(1, 5, 24)},
    "steps": 20,
}
"""A sweep whose refinement covers a part."""


def share(barriers: dict[int, Any]) -> None:
    """In a new process: set the barrier."""
    BARRIERS.update(barriers)


def swept_at_once(count: int, keep: Path, refine: dict[str, float] | None) -> xr.Dataset:
    """In one of several processes: run a sweep that all of them start together in one folder."""
    BARRIERS[count].wait(TIMEOUT)
    return sweep(
        "slow-top", "NMB", **AT_ONCE, measure=["energy", "steps"], keep=keep, refine=refine
    )


@pytest.fixture(scope="module")
def processes():
    """Up to four processes; each test starts some of them together."""
    spawn = multiprocessing.get_context("spawn")
    barriers = {count: spawn.Barrier(count) for count in (2, 4)}
    with ProcessPoolExecutor(4, spawn, share, (barriers,)) as pool:
        yield pool


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("count", "times"),
    [(2, 1), *(pytest.param(n, 20, marks=pytest.mark.exhaustive) for n in (2, 4))],
)
@pytest.mark.parametrize(
    "refine", [None, pytest.param({"energy": 1e-3}, marks=pytest.mark.exhaustive)]
)
def test_processes_can_work_on_one_folder_at_once(count, times, refine, processes, tmp_path):
    alone = sweep("slow-top", "NMB", **AT_ONCE, measure=["energy", "steps"], refine=refine)
    for i in range(times):
        kept = tmp_path / str(i)
        for data in processes.map(swept_at_once, [count] * count, [kept] * count, [refine] * count):
            assert data.identical(alone)
        again = sweep(
            "slow-top", "NMB", **AT_ONCE, measure=["energy", "steps"], refine=refine, keep=kept
        )
        assert again.identical(alone)


def test_a_block_appears_when_it_is_whole(tmp_path, monkeypatch):
    """A process that is killed while it writes leaves no block, and another goes on."""
    asked = {"over": {"dt": [0.1, 0.2]}, "steps": 5, "keep": tmp_path / "kept"}
    write = np.savez
    seen = []

    def write_and_look(file, *arrays):
        write(file, *arrays)
        seen.append(sweep.status(asked["keep"]).done)
        if len(seen) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", write_and_look)
    with pytest.raises(KeyboardInterrupt):
        sweep("free", "MR2", **asked)
    once = sweep("free", "MR2", **asked)
    assert seen[:2] == [0, 0], "what is not whole is not there"
    assert once.identical(sweep.load(asked["keep"])) and once.attrs["finished"] == 1


def test_what_a_killed_process_left_of_a_folder_is_made_whole(tmp_path):
    """The file that makes a folder a store is written at once."""
    kept = tmp_path / "kept"
    once = sweep("free", "MR2", over={"dt": [0.1, 0.2]}, keep=kept, steps=5)
    (kept / "sweep.json").rename(kept / ".sweep.json.0f.json")
    with pytest.raises(ValueError, match="there is no sweep in"):
        sweep.status(kept)
    assert sweep("free", "MR2", over={"dt": [0.1, 0.2]}, keep=kept, steps=5).identical(once)
    assert sweep.status(kept).finished


def test_a_store_of_another_question_is_refused(tmp_path):
    kept = tmp_path / "kept"
    sweep("free", "MR2", over={"dt": [0.1, 0.2]}, keep=kept, steps=5)
    for change in ({"over": {"dt": [0.1, 0.3]}}, {"steps": 6}, {"measure": speed}):
        with pytest.raises(ValueError, match="holds another sweep"):
            sweep(
                "free", "MR2", **({"over": {"dt": [0.1, 0.2]}, "steps": 5, "keep": kept} | change)
            )
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path):
        with pytest.raises(ValueError, match="is there already, and is no sweep"):
            sweep("free", "MR2", over={"dt": [0.1]}, keep=path)
    with pytest.raises(ValueError, match="there is no sweep in"):
        sweep.status(tmp_path)


def test_a_torque_that_was_changed_is_another_question(tmp_path):
    def body(strength):
        return engine.Problem(torque=lambda t, R: (0.0, 0.0, -strength * R[1, 0]))

    sweep(body(0.1), "MR2", over={"dt": [0.1]}, keep=tmp_path / "kept", steps=5)
    with pytest.raises(ValueError, match="holds another sweep"):
        sweep(body(0.2), "MR2", over={"dt": [0.1]}, keep=tmp_path / "kept", steps=5)


def test_a_disk_that_is_full_leaves_what_was_kept(tmp_path):
    """A limit on file size acts like a full disk: in the middle of a write."""
    resource = pytest.importorskip("resource")
    over = {"dt": np.geomspace(0.01, 0.1, 40), "Omega0.z": np.linspace(1, 5, 400)}
    asked = {"over": over, "steps": 20, "keep": tmp_path / "kept"}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(done, total):
        if done:
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))

    try:
        with pytest.raises(OSError, match="what was measured before is kept"):
            sweep("free", "MR2", **asked, progress=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    status = sweep.status(tmp_path / "kept")
    assert 0 < status.done < status.total
    assert sweep("free", "MR2", **asked).identical(sweep("free", "MR2", over=over, steps=20))


@pytest.mark.parametrize("steps", [[0.01, 0.02, 0.04], ["1/100", "1/50", "1/25"]])
def test_steps_are_counted_with_an_exact_motion_for_each_start(steps):
    def count(over, measure):
        given = {"over": over, "measure": measure, "duration": 1.0, "dt": 0.01}
        return studies.find("sweep").count_steps(engine.problem("slow-top"), ["NMB"], given)

    of_starts = {"Omega0.z": [1.0, 2.0, 3.0]}
    of_steps = {"dt": steps}
    motion = count(of_steps, "attitude") - count(of_steps, "energy")
    assert count(of_starts, "attitude") - count(of_starts, "energy") == pytest.approx(3 * motion)
    assert motion > 1


# ----------------------------------------------------------------------------------------------------
# refinement


@pytest.mark.parametrize(
    ("problem", "over", "refine"),
    [
        (
            "slow-top",
            {"dt": np.geomspace(0.01, 1.0, 65), "Omega0.z": np.linspace(1, 50, 65)},
            {"energy": 1e-3},
        ),
        pytest.param(
            "free",
            {"J.x": np.linspace(0.1, 3.0, 65), "J.z": np.linspace(0.1, 3.0, 65)},
            "status",
            marks=pytest.mark.exhaustive,
        ),
        ("slow-top", {"Omega0.z": np.linspace(1, 50, 200)}, {"energy": 1e-4}),
        ("slow-top", {"Omega0.z": np.linspace(1, 50, 200), "dt": [0.02]}, {"energy": 1e-4}),
    ],
)
def test_a_boundary_is_found_with_fewer_runs(problem, over, refine):
    whole = sweep(problem, "NMB", over=over, steps=20)
    refined = sweep(problem, "NMB", over=over, steps=20, refine=refine)
    if refine == "status":
        region = whole["status"].astype(float)
    else:
        region = xr.where(
            whole["status"] == 0,
            (whole["energy"] > refine["energy"]).astype(float),
            -1.0 - whole["status"],
        )
    agree = float((region == refined["region"]).mean())
    assert agree > 0.97
    runs = int((~refined["status"].isin([5])).sum())
    assert runs == refined.attrs["runs"] < 0.5 * whole["status"].size
    looked = refined["status"].values != 5
    np.testing.assert_array_equal(refined["status"].values[looked], whole["status"].values[looked])
    np.testing.assert_allclose(
        refined["energy"].values[looked], whole["energy"].values[looked], rtol=1e-9, atol=1e-13
    )
    assert not np.isnan(refined["region"].values).any()


def test_a_refinement_is_kept_too(tmp_path):
    over = {"dt": np.geomspace(0.01, 1.0, 33), "Omega0.z": np.linspace(1, 50, 33)}
    asked = {"over": over, "steps": 20, "refine": {"energy": 1e-3}}
    once = sweep("slow-top", "NMB", **asked, keep=tmp_path / "kept")
    reports = []
    again = sweep(
        "slow-top",
        "NMB",
        **asked,
        keep=tmp_path / "kept",
        progress=lambda done, total: reports.append(done),
    )
    assert once.identical(again) and set(reports) == {once.attrs["runs"]}


# ----------------------------------------------------------------------------------------------------
# requests


def test_values_as_they_are_typed():
    kind = Number()
    assert read_values("0.1, 0.2", kind, "dt") == [0.1, 0.2]
    np.testing.assert_allclose(read_values("1:50:3", kind, "dt"), [1, 25.5, 50])
    np.testing.assert_allclose(read_values("log:1e-3:1:4", kind, "dt"), [1e-3, 1e-2, 1e-1, 1])
    assert read_over("dt=log:1e-3:1:4; Omega0.z = 1,2") == {"dt": "log:1e-3:1:4", "Omega0.z": "1,2"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"over": {}}, "over needs at least one name"),
        ({"over": 3}, "over is a dict"),
        ({"over": {"dt": []}}, "the values of dt must be a list of numbers"),
        ({"over": {"dt": [[1, 2]]}}, "each value of dt must be 1 numbers"),
        ({"over": {"dt": "1:2"}}, "a range of dt is from:to:how many"),
        ({"over": {"dt": "log:-1:1:5"}}, "lies on one side of 0"),
        ({"over": {"dt": "a:1:5"}}, "dt must be a number"),
        ({"over": {"dt": [float("nan")]}}, "must be finite"),
        ({"over": {"tilt": [1.0]}}, "has no parameter 'tilt'"),
        ({"over": {"dt.x": [1.0]}}, "dt is one value"),
        ({"over": {"Omega0.q": [1.0]}}, "a component is x, y or z"),
        ({"over": {"Omega0": [[1, 2, 3]], "Omega0.z": [1]}}, "is a part of Omega0"),
        ({"over": {"Omega0.z": [1], "Pi0.z": [1]}}, "decide the same"),
        ({"over": {"dt": [0.1]}, "dt": 0.1}, "dt is swept and given"),
        ({"over": {"steps": [1.5]}}, "whole numbers"),
        ({"over": {"steps": [5]}, "duration": 1.0}, "not both"),
        (
            {"over": {"dt": [0.1] * 2_000, "Omega0.x": [0.1] * 2_000, "Omega0.y": [0.1] * 2_000}},
            "at most 100,000,000",
        ),
        ({"over": [{"dt": 1.0}, {"steps": 3}]}, "all points of a list have the same names"),
        ({"over": {"dt": [0.1]}, "measure": "speed"}, "no measure"),
        ({"over": {"dt": [0.1]}, "measure": []}, "say what to measure"),
        ({"over": {"dt": [0.1]}, "measure": 3.0}, "a measure is a name or a function"),
        ({"over": {"dt": [0.1]}, "measure": lambda run: 1.0}, "needs a name of its own"),
        ({"over": {"dt": [0.1]}, "measure": ["energy", "energy"]}, "energy is measured twice"),
        (
            {"over": {"dt": [0.1]}, "measure": "gamma_norm"},
            "gamma_norm is measured only where a torque acts",
        ),
        ({"over": {"dt": [0.1]}, "refine": "drift"}, "refine is one of status, energy"),
        ({"over": {"dt": [0.1]}, "refine": {"energy": "much"}}, "the level of energy"),
        ({"over": {"dt": [0.1]}, "methods": []}, "at least one method"),
        ({"over": {"dt": [0.1]}, "methods": ["MR2", "mr2"]}, "MR2 is given twice"),
        ({"over": pd.DataFrame({"dt": [0.1, 0.2]}), "refine": "status"}, "sweep a grid"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(given, said):
    methods = given.pop("methods", "MR2")
    with pytest.raises(ValueError, match=said) as refused:
        sweep("free", methods, **given)
    assert "\n" not in str(refused.value)


def test_the_result_is_labelled_and_can_be_saved(tmp_path):
    data = sweep("slow-top", "NMB", over=OVER, measure=["energy", "attitude"], duration=1.0)
    data.to_netcdf(tmp_path / "map.nc", engine="scipy")
    read = xr.open_dataset(tmp_path / "map.nc", engine="scipy")
    np.testing.assert_array_equal(read["energy"], data["energy"])
    assert (
        read["attitude"].attrs["units"] == "rad" and read["Omega0.z"].attrs["units"] == "rad/time"
    )
    assert read["status"].attrs["flag_meanings"].split() == list(STATUS.values())
    report = json.loads(data.attrs["setting"])
    assert report["problem"]["key"] == "slow-top" and report["versions"]["numpy"] == np.__version__
    assert studies.sweep is sweep and "energy" in MEASURES


def test_more_bodies_than_are_run_together():
    """A block of any size runs some thousands of points at a time, and each point as it would among
    few.
    """
    over = {"Omega0.z": np.linspace(1, 5, 20_000)}
    many = sweep("free", "MR2", over=over, steps=5)
    few = sweep("free", "MR2", over={"Omega0.z": over["Omega0.z"][::500]}, steps=5)
    assert (many["status"] == 0).all()
    np.testing.assert_array_equal(many["energy"].values[0, ::500], few["energy"].values[0])


def test_what_a_torque_raises_is_told():
    def fragile(t, R):
        if t > 0.05:
            raise RuntimeError("the spring has broken")
        return (0.0, 0.0, -R[1, 0])

    data = sweep(
        engine.Problem(torque=fragile),
        "MR2",
        over={"Omega0.z": np.linspace(1, 2, 20)},
        dt=0.02,
        steps=10,
    )
    assert not (data["status"] == 0).any() and "the spring has broken" in data.attrs["refused"]


def test_a_deviation_has_the_scale_that_its_words_give():
    body = engine.Problem(J=(1, 2, 3), Omega0=(0.03, 0.02, 0.01))
    run = engine.simulate(body, "RK4-MATRIX", dt=5.0, steps=20)
    assert run.first("casimir") < 1 and run.deviation("casimir") > 0
    scales = {"casimir": 1.0, "pi_norm": np.linalg.norm(run.pi[0]), "pi": np.linalg.norm(run.pi[0])}
    for name, scale in scales.items():
        assert MEASURES[name].of(run) == pytest.approx(run.deviation(name) / scale, rel=1e-14)
        assert ("length of π" in MEASURES[name].doc) == (scale != 1.0)
    assert MEASURES["orthogonality"].of(run) == run.extrema["orthogonality"].max
