"""Measure every method, and record the results in engine/studies/core/measured.json for pages and
cards.

`python docs/measure.py` from the project's folder takes some minutes; `python docs/measure.py NMB
MR2` measures these alone. `python docs/measure.py --papers` measures the papers' claims instead,
and writes verdicts.json beside it; with keys after it, these alone, if the versions are those that
measured the others. `python docs/measure.py --speed` times all methods in turn, on a machine that
should be quiet, and writes speeds.json with the processor's name, since speed is of one machine;
with keys after it, it times these in turn with recorded methods, and records them by the ratio to
those.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

import engine
from engine import papers
from engine.papers import Measured
from engine.simulation.provenance import collect_versions, find_processor
from engine.simulation.timing import TIMED_PROBLEMS
from engine.studies import properties, property_table
from engine.studies.core.stored import (
    FILE,
    FINDING_FIELDS,
    SPEEDS,
    VERDICTS,
    stored_properties,
    stored_speeds,
    stored_verdicts,
)
from engine.studies.properties import GROUPS

NEIGHBOURS = 8
"""Of so many recorded methods one is timed with others."""
DIGITS = 9
"""Enough for every figure that a paper prints."""


def findings(key: str) -> list[list[str]]:
    """Return the measurements of one method, line by line."""
    groups = [group for group in GROUPS if group != "speed"]
    return [
        [getattr(one, word) for word in FINDING_FIELDS]
        for one in properties(key, which=groups).findings
    ]


def record_methods(keys: list[str]) -> None:
    """Measure these methods, or all, and keep the records of the others."""
    registered = [method.key for method in engine.algorithms()]
    known = dict(stored_properties()) if FILE.exists() else {}
    for key in keys or registered:
        known[engine.algorithm(key).key] = findings(key)
        print(key, flush=True)
    blocks = []
    for key in registered:
        if key in known:
            lines = ",\n".join(json.dumps(line, ensure_ascii=False) for line in known[key])
            blocks.append(f"{json.dumps(key)}: [\n{lines}]")
    FILE.write_text("{\n" + ",\n".join(blocks) + "}\n", encoding="utf-8")


def measure_speeds(keys: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
    """Time methods, by default all, one after the other in several turns."""
    rows = property_table(keys, which=["speed"]).rows
    return {
        row.method.key: {one.problem: one.minimum for one in row.speed} for row in rows if row.speed
    }


def compare_speeds(keys: list[str]) -> dict[str, dict[str, float]]:
    """Return the recorded speeds with those of these methods, by the median ratio of recorded methods
    that are timed in turn with them.
    """
    known = stored_speeds()["methods"]
    others = [key for key in known if key not in keys][::NEIGHBOURS]
    found = measure_speeds([*keys, *others])
    ratios = {
        problem: [
            known[key][problem] / found[key][problem] for key in others if problem in found[key]
        ]
        for problem in TIMED_PROBLEMS
    }
    for problem, values in ratios.items():
        low, middle, high = min(values), median(values), max(values)
        print(f"{problem}: recorded times are {middle:.3f} ({low:.3f} to {high:.3f}) of those now")
    return known | {
        key: {problem: ns * median(ratios[problem]) for problem, ns in found[key].items()}
        for key in keys
    }


def record_speeds(keys: list[str]) -> None:
    """Time all methods; or only these, and keep the records of the others."""
    keys = [engine.algorithm(key).key for key in keys]
    found = compare_speeds(keys) if keys else measure_speeds()
    methods = {
        method.key: {problem: round(ns, 1) for problem, ns in found[method.key].items()}
        for method in engine.algorithms()
        if method.key in found
    }
    of = (
        stored_speeds() if keys else {"processor": find_processor(), "versions": collect_versions()}
    )
    SPEEDS.write_text(
        json.dumps(of | {"methods": methods}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def format_figure(value: float | str) -> float | int | str:
    """Return a figure as stored in the file."""
    if isinstance(value, str):
        return value
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)


def verdict(measured: Measured) -> dict[str, Any]:
    """Return the record of a measured claim."""
    figures = {name: format_figure(value) for name, value in measured.values.items()}
    return {"verdict": measured.verdict, "seconds": round(measured.seconds, 2), "measured": figures}


def record_claims(keys: list[str]) -> None:
    """Measure these claims, or all, and keep the records of the others; measure all if other
    versions recorded them.
    """
    declared = [claim.key for claim in papers.all()]
    versions = collect_versions()
    before = stored_verdicts() if VERDICTS.exists() else {}
    if not keys or before.get("versions") != versions:
        keys = declared
    known = dict(before.get("claims", {}))
    for key in keys:
        measured = papers.find(key).measure()
        known[measured.claim.key] = verdict(measured)
        print(f"{key}: {measured.verdict}", flush=True)
    figures = {
        "versions": versions,
        "claims": {key: known[key] for key in declared if key in known},
    }
    VERDICTS.write_text(
        json.dumps(figures, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--papers"]:
        record_claims(sys.argv[2:])
    elif sys.argv[1:2] == ["--speed"]:
        record_speeds(sys.argv[2:])
    else:
        record_methods(sys.argv[1:])
