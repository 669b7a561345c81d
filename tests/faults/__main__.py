"""All trials in full: `python -m tests.faults --long` takes about an hour, and prints a table of
its findings.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]

from every import TRIALS  # noqa: E402  (it lies beside this file)
from trials import Trial, memory  # noqa: E402

RECORD = HERE.parents[1] / "docs" / "withstands.json"
"""What the documentation shows."""
MOST_FAILURES = 20
"""Seconds after which a trial ends."""


def try_trial(one: Trial, least: int, seconds: float) -> dict[str, Any]:
    """Try at least this number of cases, and continue until the time is over."""
    begun = time.monotonic()
    cases = 0
    failures = list[str]()
    together = max(1, least // 50)
    held = 0.0
    grown = 0.0

    def failed(error: Exception, where: str) -> None:
        failures.append(f"{type(error).__name__}: {str(error).partition(chr(10))[0][:300]}")
        print(f"{one.key}, {where}: {failures[-1]}", file=sys.stderr, flush=True)

    try:
        with tempfile.TemporaryDirectory() as folder, one.open(Path(folder)) as check:
            while (cases < least or time.monotonic() - begun < seconds) and len(
                failures
            ) < MOST_FAILURES:
                try:
                    check(cases, together)
                except Exception as error:
                    failed(error, f"from case {cases}")
                cases += together
                held = held or memory()  # after the first ones, all is imported
                grown = memory() - held
    except Exception as error:
        failed(error, "at the end")
    return {
        "what": one.what,
        "cases": cases,
        "failures": len(failures),
        "seconds": round(time.monotonic() - begun),
        "growth": max(0, round(grown)),
    }


def table(rows: dict[str, dict[str, Any]]) -> str:
    """The figures as text."""
    width = max(map(len, rows))
    lines = [f"{'':{width}}  {'cases':>8}  {'failures':>8}  {'seconds':>8}  {'MB more':>8}"]
    for key, row in rows.items():
        figures = (row[name] for name in ("cases", "failures", "seconds", "growth"))
        lines.append(f"{key:{width}}  " + "  ".join(f"{figure:8,}" for figure in figures))
    return "\n".join(lines)


def main() -> int:
    """Run all trials, or some; 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("keys", nargs="*", metavar="TRIAL", help="; ".join(TRIALS))
    parser.add_argument(
        "--long", action="store_true", help="all cases of each, and more while there is time"
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="of the long form (60)")
    given = parser.parse_args()
    trials = {key: TRIALS[key] for key in given.keys or TRIALS}
    share = 60 * given.minutes / len(trials) if given.long else 0.0
    rows = {}
    for key, one in trials.items():
        rows[key] = try_trial(one, one.full if given.long else max(1, one.short), share)
        print(
            f"{key}: {rows[key]['cases']:,} cases, {rows[key]['failures']} failures",
            file=sys.stderr,
            flush=True,
        )
        if given.long:
            record(key, rows[key])
    print(table(rows))
    return int(any(row["failures"] for row in rows.values()))


def record(key: str, row: dict[str, Any]) -> None:
    """Store the figures of a trial for the documentation."""
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    known[key] = row
    report = {one: known[one] for one in TRIALS if one in known}
    RECORD.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
