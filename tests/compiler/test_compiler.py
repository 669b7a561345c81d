"""The compiler: plain Python gives the same results, and the cache is never stale."""

from __future__ import annotations

import functools
import gc
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from covering import first

import engine
from engine.compiler import cache
from engine.compiler.frontend import source
from engine.kernels import build, make_parts

PACKAGE = Path(engine.__file__).parent


def python(code: str, folder: Path | str, cache_folder: Path | str, **more: str) -> str:
    """Return the output of a new process."""
    environment = (
        os.environ | {"POLHODE_CACHE_DIR": str(cache_folder), "PYTHONPATH": str(folder)} | more
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("method, dt, problem", [("DMV", 1.1, "free"), ("RK4-MATRIX", 5.0, "free")])
def test_runs_end_in_the_same_way_in_plain_python(method, dt, problem, monkeypatch):
    compiled = engine.simulate(problem, method, dt=dt, steps=300)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = engine.simulate(problem, method, dt=dt, steps=300)
    assert compiled.status == plain.status != "done"
    assert abs(compiled.failed_step - plain.failed_step) <= 1 and len(plain) == plain.failed_step


def test_a_torque_of_one_s_own_in_plain_python(monkeypatch):
    def torque(t, R):
        if t > 0.5:
            raise RuntimeError("enough")
        return 0.1 * R[2, 0], 0.0, 0.1

    problem = engine.Problem(torque=torque)
    compiled = engine.simulate(problem, "NMB", dt=0.01, steps=100)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = engine.simulate(problem, "NMB", dt=0.01, steps=100)
    assert (
        plain.status == compiled.status == "diverged" and plain.failed_step == compiled.failed_step
    )
    assert "enough" in plain.message
    np.testing.assert_allclose(plain.R, compiled.R, atol=1e-13)


RUN = (
    "import sys, engine; run = engine.simulate('slow-top', '{method}', dt=0.01, steps=50); "
    "print(repr(float(run.R[-1, 0, 0])), 'engine.compiler.frontend.compilation' in sys.modules)"
)


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the engine, and its result for a method, which is then in the cache."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(PACKAGE, folder / "engine", ignore=shutil.ignore_patterns("__pycache__"))

    @functools.cache
    def given(method):
        first, second = (
            python(RUN.format(method=method), folder, folder / "cache").split() for _ in range(2)
        )
        assert first[1] == "True"
        assert second == [first[0], "False"], "the second process compiled again"
        return first[0]

    return folder, given


EDITS = [
    ("algebra/rotations.py", "NMB", "0.5 * s * s", "0.4999 * s * s"),
    ("algebra/linear.py", "NMB", "return (c1 * b.x", "return 1.001 * (c1 * b.x"),
    ("algebra/values.py", "MR2", "self.s * v.y + self.c * v.z)", "self.s * v.y + 0.9999 * self.c * v.z)"),
    ("algorithms/core/newton.py", "NMB", "x = x - correction", "x = x - 0.999 * correction"),
    ("algorithms/core/euler.py", "NMB", "ratios.x * (Ω.y * Ω.z)", "0.99 * ratios.x * (Ω.y * Ω.z)"),
    ("algorithms/core/tableaux.toml", "RKMK", "1/6 1/3 1/3 1/6", "1/6 1/3 1/6 1/3"),
    ("problems/shared_fields.py", "NMB", "p[2] * R.zy", "1.01 * p[2] * R.zy"),
    ("kernels/advance.py", "NMB", "k += 1\n", "k += 1  # edited\n"),
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("file, method, old, new", first(EDITS))
def test_an_edited_helper_is_seen(file, method, old, new, copied):
    """A cached kernel whose sources have changed is not used: the next process gives the new
    result.
    """
    folder, given = copied
    before = given(method)
    source = (PACKAGE / file).read_text()
    assert source.count(old) >= 1
    try:
        (folder / "engine" / file).write_text(source.replace(old, new))
        after, compiled = python(RUN.format(method=method), folder, folder / "cache").split()
    finally:
        shutil.copy2(
            PACKAGE / file, folder / "engine" / file
        )  # with its time, by which Python knows its bytecode
    assert compiled == "True", "the edited source was not compiled"
    assert (after != before) == ("edited" not in new)


@pytest.mark.exhaustive
def test_a_damaged_kernel_is_compiled_anew(tmp_path):
    code = RUN.format(method="SW")
    first = python(code, PACKAGE.parent, tmp_path)
    (kernel,) = tmp_path.glob("*.o")
    content = kernel.read_bytes()
    for damaged in (content[: len(content) // 2], b"", content[:-1] + bytes([content[-1] ^ 1])):
        kernel.write_bytes(damaged)
        again = python(code, PACKAGE.parent, tmp_path)
        assert again.split() == [first.split()[0], "True"]


def test_a_full_disk_keeps_no_half_of_a_kernel(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache.os, "replace", full)
    cache.store("key", b"code")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_a_cache_that_can_not_be_written(tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    assert python(RUN.format(method="SW"), PACKAGE.parent, file).endswith("True")


KEYS = """
import json, engine
from engine.algorithms import FixedStep
from engine.algorithms.core.description import explain_no_correction
from engine.kernels import make_parts
keys = {}
for m in engine.algorithms():
    if not isinstance(m, FixedStep):
        continue
    choices = [(o.name, c) for o in m.options for c in o.choices]
    variants = [m] + [engine.algorithm(m.key, **{name: c}) for name, c in choices]
    corrected = [v.with_energy_correction() for v in variants if not explain_no_correction(v)]
    for v in variants + corrected:
        for p in engine.problems():
            field = p.action(0.1).field
            for tracked in (True, False):
                keys[f"{v.label}|{field.name}|{tracked}"] = make_parts(v, field, tracked).key()
print(json.dumps(keys))
"""


@pytest.mark.exhaustive
def test_keys_are_the_same_in_every_process_and_different_for_every_kernel(tmp_path):
    one, other = (
        json.loads(python(KEYS, PACKAGE.parent, tmp_path, PYTHONHASHSEED=seed))
        for seed in ("1", "2")
    )
    assert one == other
    same: dict[str, set[str]] = {}
    for name, key in one.items():
        label, field, tracked = name.split("|")
        m = engine.algorithm(label)
        options = sorted(m.option_values().items())
        same.setdefault(key, set()).add(f"{m.key}{options}{m.energy_correction}{field}{tracked}")
    assert all(len(kernels) == 1 for kernels in same.values())
    assert len(same) > 300


def test_without_llvmlite_the_engine_runs(tmp_path):
    blocked = "import sys; sys.modules['llvmlite'] = None; "
    out = python(blocked + "import importlib.util as u; f = u.find_spec; "
                 "u.find_spec = lambda n, *a: None if n == 'llvmlite' else f(n, *a); "
                 + RUN.format(method="NMB"), PACKAGE.parent, tmp_path)  # fmt: skip
    run = engine.simulate("slow-top", "NMB", dt=0.01, steps=50)
    assert float(out.split()[0]) == pytest.approx(run.R[-1, 0, 0], abs=1e-12)


def test_importing_the_engine_imports_nothing_slow(tmp_path):
    slow = (
        "llvmlite",
        "scipy",
        "pandas",
        "pyarrow",
        "pyvista",
        "panel",
        "multiprocessing",
        "concurrent",
    )
    code = f"import sys, engine; print([m for m in {slow} if m in sys.modules])"
    assert python(code, PACKAGE.parent, tmp_path) == "[]"


def test_kernels_call_nothing_but_the_c_library():
    """Another process can load machine code from the cache."""
    for m in (
        engine.algorithm("AKW(torque=half)"),
        engine.algorithm("ABAM"),
        engine.algorithm("BUSS3+E"),
    ):
        key = "free" if m.energy_correction else "slow-top"
        parts = make_parts(m, engine.problem(key).action(0.1).field)
        build.compile_kernel(parts)
        assert cache.holds(parts.key())


def test_a_method_that_changes_nothing_costs_nothing_to_ask_for_again():
    parts = make_parts(engine.algorithm("MR2"), engine.problem("free").action(0.1).field)
    assert build.compile_kernel(parts) is build.compile_kernel(parts)


class Garbage:
    """A reference cycle whose deletion is slow, so that another thread runs while Python parses."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.mark.exhaustive
@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="Python 3.13 counts the depth of each thread's trees"
)
def test_threads_read_sources_at_the_same_time() -> None:
    """Python 3.11 raises SystemError if two threads parse at once and one is interrupted."""
    files = [str(path) for path in sorted((PACKAGE / "algorithms").rglob("*.py"))]
    errors: list[str] = []

    def read_all() -> None:
        for file in files:
            garbage = [Garbage() for _ in range(30)]
            try:
                source._definitions(file, alone=False)
            except SystemError as error:
                errors.append(str(error))
            del garbage

    threads = [threading.Thread(target=read_all) for _ in range(4)]
    before = gc.get_threshold()
    interval = sys.getswitchinterval()
    gc.set_threshold(20)
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*before)
        sys.setswitchinterval(interval)
    assert not errors
