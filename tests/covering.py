"""The selection of combinations for the quick tests."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from itertools import islice
from typing import Any

import pytest

thorough = True
"""Whether the exhaustive tests run too; `tests/conftest.py` sets it."""


def covering(
    cases: Iterable[Any], by: Callable[..., tuple[Any, ...]] = lambda *case: case
) -> list[Any]:
    """Return cases as pytest parameters: those of the quick tests, and those whose values all occur
    in these, marked exhaustive.

    `by` gives the values of a case that are to be covered. Cases that cover the most come first,
    and among equals the first: the choice is always the same.
    """
    cases = [case if isinstance(case, tuple) else (case,) for case in cases]
    values = [set(enumerate(by(*case))) for case in cases]
    covered: set[tuple[int, Any]] = set()
    quick: set[int] = set()
    for most in range(max(map(len, values), default=0), 0, -1):
        for number, found in enumerate(values):
            if len(found - covered) >= most:
                quick.add(number)
                covered |= found
    return _mark(cases, quick)


def few(count: int, least: int = 5) -> int:
    """Return the number of examples: a fifth of `count` in the quick tests, all of them with the
    exhaustive ones.
    """
    return count if thorough else min(count, max(least, count // 5))


def some(values: Iterable[Any]) -> list[Any]:
    """Return every fifth of the values in the quick tests, all of them with the exhaustive ones."""
    return list(values) if thorough else list(values)[::5]


def first(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Return the cases of a parameter; those after the first few are marked exhaustive."""
    taken = cases if thorough else islice(cases, count)
    values = [case if isinstance(case, tuple) else (case,) for case in taken]
    return _mark(values, range(count))


def _mark(cases: Sequence[tuple[Any, ...]], quick: Container[int]) -> list[Any]:
    """Return cases as pytest parameters: those of the quick tests, by their numbers, and the others
    if they run too, so that none is collected in vain.
    """
    return [
        pytest.param(*case, marks=() if n in quick else pytest.mark.exhaustive)
        for n, case in enumerate(cases)
        if thorough or n in quick
    ]
