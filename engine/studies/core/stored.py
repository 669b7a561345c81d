"""Stored measurements of methods and claims, written by `python docs/measure.py`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("measured.json")
FINDING_FIELDS = ("property", "on", "declared", "measured", "contradiction")
"""The words of a line, all strings."""
VERDICTS = Path(__file__).with_name("verdicts.json")
SPEEDS = Path(__file__).with_name("speeds.json")


@functools.lru_cache(maxsize=1)
def stored_properties() -> dict[str, list[list[str]]]:
    """Return the findings by the keys of methods, line by line (see `FINDING_FIELDS`)."""
    return json.loads(FILE.read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1)
def stored_speeds() -> dict[str, Any]:
    """Return the `processor`, the `versions`, and by `methods` and problems the least nanoseconds per step."""
    return json.loads(SPEEDS.read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1)
def stored_verdicts() -> dict[str, Any]:
    """Return the `versions`, and by the keys of `claims` the verdict, the seconds and the `measured` figures.

    A number that JSON cannot hold is a string.
    """
    return json.loads(VERDICTS.read_text(encoding="utf-8"))


def recorded_with() -> str:
    """Return the software that measured the claims, with its versions."""
    return ", ".join(f"{name} {version}" for name, version in stored_verdicts()["versions"].items() if version)
