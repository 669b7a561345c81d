"""The engine with NumPy and llvmlite alone: what works, and what the rest says. And runs for
xarray.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from covering import first
from packaging.requirements import Requirement  # pytest brings it
from packaging.utils import canonicalize_name

import engine
from engine.text.extras import EXTRAS, MODULES

ROOT = Path(__file__).resolve().parents[2]
BLOCK = """
import sys
from importlib.machinery import PathFinder
from engine.text.extras import EXTRAS
find, missing = PathFinder.find_spec, {"scipy", *sum(EXTRAS.values(), ())}
PathFinder.find_spec = lambda name, *more: None if name in missing else find(name, *more)
import engine
"""
"""As where nothing but NumPy and llvmlite is installed."""

BROWSER = """
import sys, threading
for name in ("llvmlite", "_multiprocessing", "fcntl", "mmap", "termios"):
    sys.modules[name] = None
def refuse(*_):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
"""
"""As in a browser's Python (Pyodide), which has no LLVM, processes and threads."""

WORKS = """
top = engine.simulate("slow-top", "NMB", dt=0.01, duration=1)
assert top.status == "done" and top.extrema["energy"].max > 0
assert engine.simulate(engine.problems(space="se3")[0], "LGVI", duration=1).status == "done"
def lift(t, R):
    return (0.0, 0.0, R[2, 2])
own = engine.Problem(J=(1, 2, 3), R0=(0, 0, 0), Omega0=(1, 1, 1), torque=engine.torque(lift))
assert engine.simulate(own, "MR2", dt=0.01, steps=100).status == "done"
assert engine.simulate("free", "RKMK853", rtol=1e-6, duration=1).status == "done"
assert "KryslEndres" in engine.cite(top)
for name in ("run.npz", "run.csv"):
    top.save(sys.argv[1] + name)
    assert (engine.load(sys.argv[1] + name).R == top.R).all()
"""
COMMAND = """
from engine.cli import command
sys.exit(command.main(sys.argv[1:]))
"""


def run_alone(program: str, *arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", before + BLOCK + program, *arguments]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("before", ["", BROWSER], ids=["alone", "in a browser"])
def test_runs_torques_and_files_need_numpy_and_llvmlite_alone(before: str, tmp_path: Path) -> None:
    done = run_alone(WORKS, f"{tmp_path}/", before=before)
    assert done.returncode == 0, done.stderr
    with_pyarrow = engine.load(tmp_path / "run.npz")
    without = engine.load(tmp_path / "run.csv")
    assert np.array_equal(with_pyarrow.R, without.R) and without.rerun().status == "done"


def test_a_csv_file_of_pyarrow_is_read_without_it(tmp_path: Path) -> None:
    run = engine.simulate("slow-top", "NMB", dt=0.01, duration=1)
    run.save(tmp_path / "run.csv")
    program = "run = engine.load(sys.argv[1]); assert run.status == 'done'; print(repr(run.pi[-1].tolist()))"
    done = run_alone(program, str(tmp_path / "run.csv"))
    assert done.stdout.strip() == repr(run.pi[-1].tolist()), done.stderr


@pytest.mark.parametrize(
    ("words", "missing"),
    first(
        [
            (["study", "convergence", "free", "NMB"], "scipy"),
            (["study", "long-run", "free", "NMB", "--steps", "32000"], "pandas"),
            (["run", "free", "NMB", "--steps", "9", "--out", "{}/run.parquet"], "pyarrow"),
            (["serve", "--no-show"], "bokeh"),
        ]
    ),
)
def test_the_rest_says_what_to_install(tmp_path: Path, words: list[str], missing: str) -> None:
    done = run_alone(COMMAND, *(word.format(tmp_path) for word in words))
    assert done.returncode == 1
    what = {
        "scipy": "scipy`",
        "pandas": "'.[files]'` in Polhode's folder",
        "pyarrow": "'.[files]'` in Polhode's folder",
        "bokeh": "'.[lab]'` in Polhode's folder",
    }[missing]
    said = f"this needs {missing}, which is not installed; `pip install {what} installs it\n"
    assert done.stderr == f"polhode: {said}"


MISSING = """
import importlib.util
for act in (
    lambda: engine.simulate("free", "MR2", steps=3).save(sys.argv[1] + "run.parquet"),
    lambda: engine.simulate("free", "MR2", steps=3).to_frame(),
    lambda: engine.simulate("free", "MR2", steps=3).to_xarray(),
    lambda: engine.studies.sweep("free", "MR2", over={"dt": [0.1]}, steps=3),
    lambda: engine.body.from_mesh(sys.argv[1] + "body.stl", mass=1.0),
    lambda: __import__("app").explorer(),
):
    try:
        act()
    except ModuleNotFoundError as error:
        print(error.name, error)
assert importlib.util.find_spec("pandas") is None, "others may look for it"
try:
    import pandas
except ModuleNotFoundError as error:
    print(error)
"""


def test_python_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "body.stl").write_text("solid\nendsolid\n")
    done = run_alone("import engine.studies\n" + MISSING, f"{tmp_path}/")
    assert done.returncode == 0, done.stderr
    *said, plain = done.stdout.splitlines()
    extras = {
        "pyarrow": "files",
        "pandas": "files",
        "xarray": "files",
        "pyvista": "meshes",
        "bokeh": "lab",
    }
    expected = ["pyarrow", "pandas", "xarray", "xarray", "pyvista", "bokeh"]
    assert said == [
        f"{name} this needs {name}, which is not installed; `pip install '.[{extras[name]}]'` in Polhode's folder "
        "installs it"
        for name in expected
    ]
    assert plain == "No module named 'pandas'"


def test_each_extra_has_the_packages_that_its_sentence_promises() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, packages in EXTRAS.items():
        listed = {
            canonicalize_name(Requirement(line).name)
            for line in project["optional-dependencies"][extra]
        }
        assert listed - {project["name"]} == set(packages), extra
    for module, package in MODULES.items():
        importlib.import_module(module)
        assert any(package in packages for packages in EXTRAS.values())


@pytest.mark.parametrize("space", ["so3", "se3"])
def test_a_run_becomes_an_xarray_data_set(space: str) -> None:
    run = engine.simulate(
        engine.problems(space=space)[0], engine.algorithms(space=space)[0], duration=1
    )
    data = run.to_xarray()
    assert np.array_equal(data.t, run.t) and data.attrs["method"] == run.method.label
    for name, one in run.series.items():
        assert np.array_equal(data[name].values, getattr(run, name), equal_nan=True)
        assert data[name].dims == ("t", *[(), ("axis",), ("row", "column")][len(one.axes)])
    for name, values in run.observed.items():
        assert np.array_equal(data[name].values, values, equal_nan=True)
    assert set(data.data_vars) == {*run.series, *run.observed}
    (vector,) = [name for name in run.series if name in ("pi", "angular_momentum")]
    assert np.array_equal(data[vector].sel(axis="z"), getattr(run, vector)[:, 2])
