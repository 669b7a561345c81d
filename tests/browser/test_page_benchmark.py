"""The benchmark of the page measures: a smoke run writes its figures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.mark.exhaustive
def test_a_smoke_run_of_the_benchmark(tmp_path: Path) -> None:
    figures = tmp_path / "page.json"
    command = [
        sys.executable,
        "-m",
        "benchmarks.page",
        "--quick",
        "--visitors",
        "1",
        "--json",
        str(figures),
    ]
    done = subprocess.run(
        [*command, "loading", "visitors"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(figures.read_text())
    assert measured["loading"]["page_kB"] > 1
    assert measured["loading"]["panel_kB"] > 500
    milliseconds = measured["loading"]["milliseconds"]
    assert len(milliseconds) == 3 and all(
        0 < ms < 600_000 for found in milliseconds.values() for ms in found
    )
    assert measured["visitors"]["painted"]
    assert all(0 < ms < 600_000 for ms in measured["visitors"]["painted"])
    assert "visitors at once" in done.stdout
