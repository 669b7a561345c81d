"""If a worker crashes, its test is reported as failed once, and all other tests run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from timeouts import TIMEOUT

HERE = Path(__file__).parents[1]

DIES = """
import os, pytest

@pytest.fixture(scope="module")
def leaves():
    yield
    {at_the_end}

def test_before(leaves): pass
def test_at_it(leaves): {in_between}
def test_after(leaves): pass
"""
LIVES = """
import pytest

@pytest.mark.parametrize("i", range(10))
def test_lives(i): pass
"""
DEATH = "os._exit(3)"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the configuration of all tests."""
    for name in ("conftest.py", "by_file.py", "covering.py", "optional.py", "durations.py"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = exhaustive\n")
    return tmp_path


def run_pytest(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options]
    alone = os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"
    }  # each worker would load Playwright for nothing
    alone.pop("POLHODE_EXHAUSTIVE_UNTIL", None)
    return subprocess.run(
        command,
        cwd=folder,
        env=alone | environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )


@pytest.mark.exhaustive
def test_the_parts_of_the_exhaustive_tests_are_all_of_them(copy: Path) -> None:
    for number in range(5):
        marked = "".join(f"@pytest.mark.exhaustive\ndef test_{n}(): pass\n" for n in range(3))
        (copy / f"test_{number}.py").write_text(f"import pytest\n{marked}def test_quick(): pass\n")
    ran = [
        re.findall(
            r"^(\S+) PASSED",
            run_pytest(copy, POLHODE_EXHAUSTIVE_PART=f"{part}/3").stdout,
            re.MULTILINE,
        )
        for part in range(3)
    ]
    quick = {f"test_{number}.py::test_quick" for number in range(5)}
    assert all(quick < set(tests) for tests in ran)
    exhaustive = sorted(test for tests in ran for test in tests if test not in quick)
    assert exhaustive == [f"test_{number}.py::test_{n}" for number in range(5) for n in range(3)]


@pytest.mark.exhaustive
def test_each_test_runs_once_and_a_death_is_told_with_its_test(copy: Path) -> None:
    pytest.importorskip("xdist")
    files = {
        "test_1.py": DIES.format(in_between=DEATH, at_the_end="pass"),
        "test_2.py": LIVES,
        "test_3.py": DIES.format(in_between="pass", at_the_end=DEATH),
        "test_4.py": LIVES,
        "test_5.py": DIES.format(in_between=DEATH, at_the_end="pass"),
    }
    for name, text in files.items():
        (copy / name).write_text(text)
    done = run_pytest(copy, "-p", "xdist", "-n", "2")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    deaths = re.findall(r"^worker '\w+' crashed while running '(.+)'$", done.stdout, re.MULTILINE)
    assert sorted(deaths) == [
        "test_1.py::test_at_it",
        "test_3.py::test_after",
        "test_5.py::test_at_it",
    ]
    passed = re.findall(r"PASSED (\S+)", done.stdout)
    # What a worker leaves behind at the end of a file comes after the last of its tests has passed.
    assert sorted(set(passed)) == sorted(passed) and len(passed) == 2 * 10 + 3 * 3 - 2
