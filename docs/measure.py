"""Measures every method, and writes what is found to engine/studies/measured.json, for the methods' pages and cards.

`python docs/measure.py` from the project's folder takes some minutes; `python docs/measure.py NMB MR2` measures these
alone. Speed is left out: it is of one machine.
"""

from __future__ import annotations

import json
import sys

import engine
from engine.studies import properties
from engine.studies.properties import GROUPS
from engine.studies.recorded import FILE, TOLD, recorded


def findings(key: str) -> list[list[str]]:
    """What was measured of one method, line by line."""
    groups = [group for group in GROUPS if group != "speed"]
    return [[getattr(one, word) for word in TOLD] for one in properties(key, which=groups).findings]


def main(keys: list[str]) -> None:
    """Measure these methods, or all, and keep what is known of the others."""
    registered = [method.key for method in engine.algorithms()]
    known = dict(recorded()) if FILE.exists() else {}
    for key in keys or registered:
        known[engine.algorithm(key).key] = findings(key)
        print(key, flush=True)
    blocks = []
    for key in registered:
        if key in known:
            lines = ",\n".join(json.dumps(line, ensure_ascii=False) for line in known[key])
            blocks.append(f"{json.dumps(key)}: [\n{lines}]")
    FILE.write_text("{\n" + ",\n".join(blocks) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
