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


@functools.cache
def _load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def stored_properties() -> dict[str, list[list[str]]]:
    """Return the findings by the keys of methods, line by line (see `FINDING_FIELDS`)."""
    return _load(FILE)


def stored_speeds() -> dict[str, Any]:
    """Return the `processor`, the `versions`, and by `methods` and problems the least nanoseconds
    per step.
    """
    return _load(SPEEDS)


def stored_verdicts() -> dict[str, Any]:
    """Return the `versions`, and by the keys of `claims` the verdict, the seconds and the
    `measured` figures.

    A number that JSON cannot hold is a string.
    """
    return _load(VERDICTS)


def recorded_with() -> str:
    """Return the software that measured the claims, with its versions."""
    return ", ".join(
        f"{name} {version}" for name, version in stored_verdicts()["versions"].items() if version
    )
