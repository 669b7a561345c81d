"""Time to the first result: imports, the first run, the command line, each in a new process.

``python -m benchmarks.startup`` runs the cases in turn, round after round. Imports are counted
without the interpreter's own start in the same round; a first run is timed inside its process, from
the call to its return.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._table import host, table, write_json

ROOT = Path(__file__).resolve().parents[1]

RUN = """
import time, engine
begun = time.perf_counter()
engine.simulate("slow-top", "NMB", samples=1)
print(time.perf_counter() - begun)
"""

COMMAND = "python -m engine run slow-top NMB"

TARGETS = {"import engine": 0.8, "first run, kernel from the cache": 0.05}
"""Targets in seconds."""


def process(arguments: Sequence[str], cache: Path) -> tuple[float, str]:
    """Run a new Python process; return its seconds and its output."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"POLHODE_CACHE_DIR": str(cache), "PYTHONPATH": path}
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=cache, capture_output=True, text=True
    )
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(f"python {' '.join(arguments)} fails:\n{done.stderr.strip()}")
    return seconds, done.stdout


def one_round() -> dict[str, float]:
    """Every case once, in seconds, with a kernel cache that is empty at first."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        interpreter, _ = process(["-c", "pass"], cache)
        seconds = {
            "interpreter": interpreter,
            "import numpy": process(["-c", "import numpy"], cache)[0] - interpreter,
            "import engine": process(["-c", "import engine"], cache)[0] - interpreter,
            "first run, kernel compiled": float(process(["-c", RUN], cache)[1]),
            "first run, kernel from the cache": float(process(["-c", RUN], cache)[1]),
        }
        if importlib.util.find_spec("engine.__main__"):
            seconds[COMMAND] = process(["-m", "engine", "run", "slow-top", "NMB"], cache)[0]
    return seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.startup", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument(
        "--rounds", type=int, default=9, help="processes of each kind (default %(default)s)"
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run: one round")
    given = parser.parse_args(arguments)

    if not given.quick:
        one_round()  # fills the system's caches and is not counted
    counted = [one_round() for _ in range(1 if given.quick else given.rounds)]
    measured = {case: [seconds[case] for seconds in counted] for case in counted[0]}
    rows: list[list[str]] = []
    results: list[dict[str, Any]] = []
    for case, seconds in measured.items():
        median = statistics.median(seconds)
        target = TARGETS.get(case)
        verdict = (
            ["", ""]
            if target is None
            else [f"< {1e3 * target:g}", "met" if median < target else "missed"]
        )
        rows.append(
            [case, *(f"{1e3 * s:.1f}" for s in (median, min(seconds), max(seconds))), *verdict]
        )
        results.append(
            {"case": case, "median_seconds": median, "target_seconds": target, "seconds": seconds}
        )
    print(table(("new process", "ms, median", "least", "most", "target", ""), rows))
    if given.json:
        write_json(
            given.json,
            {"host": host(("polhode", "numpy", "scipy", "llvmlite")), "results": results},
        )


if __name__ == "__main__":
    main()
