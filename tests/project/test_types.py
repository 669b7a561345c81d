"""The types of `import engine` for those who use it: mypy accepts a right program and refuses a
wrong one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from optional import require_optional

import engine

RIGHT = """
import engine
from engine import papers, studies
from engine.body import box
from engine.twobody import Masses

run = engine.simulate("slow-top", "NMB", dt=0.01, duration=1.0)
assert isinstance(run, engine.Run)
change: float = run.deviation("energy")
steps: int = run.cost.steps
rows = run.energy.max() - run.energy.min()
method: engine.Method = engine.algorithm("MR2", axes="231")
problem = engine.problem("free").replace(J=box(1.0, 2.0, 3.0).J)
again = run.rerun(dt=0.02)
pair = Masses(masses=(1, 2, 3, 1), positions=((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, 0)))
words: str = again.message
errors = studies.convergence("free", ["NMB"], duration=1.0).to_frame()
claims = papers.verdicts()
"""
WRONG = {
    'engine.simulate("slow-top", "NMB").energies': "union-attr",
    'order: str = engine.algorithm("NMB").order': "assignment",
    "engine.cite(3)": "arg-type",
    'engine.twobody.Masses(masses="1, 2")': "call-arg",
}


def check(program: str, folder: Path) -> str:
    """Return what mypy says of a program, empty if it has no complaint."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "program.py"]
    environment = os.environ | {
        "MYPYPATH": str(Path(engine.__file__).resolve().parents[1]),
        "MYPY_CACHE_DIR": str(folder),
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.exhaustive
def test_programs_that_use_the_engine_are_checked(tmp_path: Path) -> None:
    require_optional(module="mypy")
    assert check(RIGHT, tmp_path) == ""
    said = check("\n".join(["import engine", *WRONG]), tmp_path).splitlines()
    for number, (line, code) in enumerate(WRONG.items(), 2):
        assert any(
            one.startswith(f"program.py:{number}:") and f"[{code}]" in one for one in said
        ), (line, said)
