"""What was measured of each method that comes with the engine, and written down by `python docs/measure.py`."""

from __future__ import annotations

import functools
import json
from pathlib import Path

FILE = Path(__file__).with_name("measured.json")
TOLD = ("property", "on", "declared", "measured", "contradiction")
"""The words of a line, each of them a string."""


@functools.lru_cache(maxsize=1)
def recorded() -> dict[str, list[list[str]]]:
    """By the keys of methods, what was found, line by line (see `TOLD`)."""
    return json.loads(FILE.read_text(encoding="utf-8"))
