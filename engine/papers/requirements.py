"""Requirements of claims, as words in the files of `words`: "at least 0.1", "0.95 to 1.05", "2 ± 30 %", "done"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import claim as claims
from .claim import Between, Check, Claim, Is, Measure, Near, at_least, at_most

BOUND = re.compile(r"at (least|most) (\S+)")
RANGE = re.compile(r"([\d.e-]+) to ([\d.e-]+)(?:: (.+))?")
ABOUT = re.compile(r"(\S+) ± (\S+) %")


def read_check(text: str | int) -> Check:
    """Return the requirement: a bound, a range with words of its own or without, a number, or a word or a count."""
    if found := BOUND.fullmatch(str(text)):
        return (at_least if found[1] == "least" else at_most)(float(found[2]))
    if found := RANGE.fullmatch(str(text)):
        return Between(float(found[1]), float(found[2]), found[3] or "")
    if found := ABOUT.fullmatch(str(text)):
        return Near(float(found[1]), float(found[2]) / 100)
    return Is(text)


def claim(*, key: str, **declaration: Any) -> Callable[[Measure], Claim]:
    """Declare a claim as `engine.papers.claim` does; its requirements are declared here or stand with its texts."""
    paper = {name: read_check(text) for name, text in claims.WORDS[key].get("paper", {}).items()}
    return claims.claim(key=key, **{"paper": paper} | declaration)
