"""What was measured of each method and of each paper's claim, and written down by `python docs/measure.py`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("measured.json")
TOLD = ("property", "on", "declared", "measured", "contradiction")
"""The words of a line, each of them a string."""
VERDICTS = Path(__file__).with_name("verdicts.json")
SPEEDS = Path(__file__).with_name("speeds.json")


@functools.lru_cache(maxsize=1)
def stored_properties() -> dict[str, list[list[str]]]:
    """By the keys of methods, what was found, line by line (see `TOLD`)."""
    return json.loads(FILE.read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1)
def stored_speeds() -> dict[str, Any]:
    """The `processor` and the `versions` that ran, and by `methods` and problems the least nanoseconds a step."""
    return json.loads(SPEEDS.read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1)
def stored_verdicts() -> dict[str, Any]:
    """The `versions` that measured, and by the keys of `claims` the verdict, the seconds and the `measured` figures.

    A number that no file can hold is a string there.
    """
    return json.loads(VERDICTS.read_text(encoding="utf-8"))


def recorded_with() -> str:
    """What measured the claims, with its versions."""
    return ", ".join(f"{name} {version}" for name, version in stored_verdicts()["versions"].items() if version)
