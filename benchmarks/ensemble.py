"""Nanoseconds a step and body: many bodies side by side in one kernel, against one body after the other.

    python -m benchmarks.ensemble [--quick] [--json FILE]

Both sides are the engine's, on one thread, with the same starts, steps and step; runs alternate, and each ratio is
the median of the ratios of neighbouring runs. One body after the other watches every invariant, as `engine.simulate`
does; an ensemble watches the energy alone, and whether all is finite. Methods that iterate gain little from lanes:
they are in the table to show it.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from typing import Any

import engine
from engine.studies.ensemble import ensemble

from ._table import host, paired_ratio, table, write_json

METHODS = ("MR2", "SW", "BUSS3", "CF4", "RKMK", "AKW", "NMB")
PROBLEMS = ("free", "slow-top")
MEMBERS = 256
STEPS = 2000
SPREAD = 0.1


def measured(problem: str, method: str, members: int, steps: int, rounds: int) -> dict[str, Any]:
    """Both sides in turn, after one round to warm up."""
    body = engine.problem(problem)
    together: list[float] = []
    alone: list[float] = []
    for i in range(rounds + 1):
        found = ensemble(body, method, members=members, spread=SPREAD, duration=steps * body.dt, samples=1, workers=1)
        runs = [engine.simulate(found.member(k), method, steps=steps, samples=1) for k in range(members)]
        made = sum(run.cost.steps for run in runs)
        if made != found.made.sum():
            raise SystemExit(f"{method} on {problem}: {made} steps alone, {found.made.sum()} together")
        if i:
            together.append(found.ns_per_step)
            alone.append(1e9 * sum(run.cost.seconds for run in runs) / made)
    figures = {"together": statistics.median(together), "alone": statistics.median(alone)}
    return {"method": method, "problem": problem} | figures | {"ratio": paired_ratio(together, alone)}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ensemble", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a smoke run: one method, one round, few members")
    given = parser.parse_args(arguments)

    if given.quick:
        results = [measured("free", "MR2", 64, 100, 1)]
    else:
        results = [measured(p, m, MEMBERS, STEPS, given.rounds) for p in PROBLEMS for m in METHODS]
    rows = [
        [f"{row['method']}, {row['problem']}", f"{row['together']:.1f}", f"{row['alone']:.1f}", f"{row['ratio']:.2f}"]
        for row in results
    ]
    print(table(("ns a step and body", "side by side", "one by one", "ratio"), rows))
    if given.json:
        write_json(given.json, {"host": host(), "members": MEMBERS, "steps": STEPS, "results": results})


if __name__ == "__main__":
    main()
