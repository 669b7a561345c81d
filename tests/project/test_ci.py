"""What `.ci/run` looks for before it runs the tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = (Path(__file__).resolve().parents[2] / ".ci" / "run").read_text(encoding="utf-8")
FOLDERS = {
    "pyenv": ("PYENV_ROOT", "versions/3.14.0/bin"),
    "pyenv at home": ("", ".pyenv/versions/3.14.0/bin"),
    "uv": ("UV_PYTHON_INSTALL_DIR", "cpython-3.14-linux/bin"),
    "uv at home": ("", ".local/share/uv/python/cpython-3.14-linux/bin"),
    "asdf": ("ASDF_DATA_DIR", "installs/python/3.14.0/bin"),
    "mise": ("MISE_DATA_DIR", "installs/python/3.14.0/bin"),
    "conda": ("", "miniforge3/envs/newest/bin"),
    "the path": ("PATH", ""),
}


def find_second_python(home: Path, **variables: str) -> str:
    """Return what `.ci/run` finds, with only these variables, beside the Python of this process."""
    bash = shutil.which("bash") or pytest.skip("there is no bash")
    functions = SCRIPT.partition("# The folders in which")[2].partition("# The versions that")[0]
    (home / "programs").mkdir()
    (home / "programs" / "python3").symlink_to(sys.executable)
    path = f"{variables.pop('PATH', home)}:{home / 'programs'}:/usr/bin:/bin"
    found = subprocess.run(
        [bash, "-euc", f"#{functions}\nsecond_python"],
        env={"HOME": str(home), "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.strip()


@pytest.mark.parametrize("manager", FOLDERS)
def test_a_second_python_is_found_on_the_path_and_in_folders_of_managers(
    tmp_path: Path, manager: str
) -> None:
    if sys.version_info[:2] == (3, 14):
        pytest.skip("this Python is the newest that is supported")
    variable, inside = FOLDERS[manager]
    root = tmp_path / "a root" if variable else tmp_path
    program = root / inside / "python3.14"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    found = find_second_python(tmp_path, **({variable: str(root)} if variable else {}))
    assert found == ("python3.14" if variable == "PATH" else str(program))


def test_the_last_lines_name_what_ran_and_end_with_those_of_pytest() -> None:
    """Also if only one Python was found, which they say in capitals."""
    assert "NO SECOND PYTHON WAS FOUND" in SCRIPT
    awk = SCRIPT.rpartition("    awk ")[2].strip()
    shown = subprocess.run(
        ["bash", "-c", f"tested='Tested on two'; printf 'a\\nb\\n3 passed\\n' | awk {awk}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.splitlines() == ["a", "b", "Tested on two", "3 passed"]
