"""Trials: each is one kind of fault or of fuzzing, with its cases."""

from __future__ import annotations

import mmap
import os
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy
from timeouts import limit_processor_time

LONGEST = 20.0
"""Seconds of processor time after which a case counts as hanging."""
LONGEST_SENTENCE = 800
"""Characters."""

Cases = Callable[[int, int], None]
"""`cases(first, count)` tries cases by their numbers: the same numbers give the same cases."""


class Trial(NamedTuple):
    """One kind of fault.

    Attributes
    ----------
    key, what : its name, and the description of a case in the documentation.
    short, full : numbers of cases in the short form and in full.
    open : prepares the trial in a new folder, and yields its cases.
    """

    key: str
    what: str
    short: int
    full: int
    open: Callable[[Path], AbstractContextManager[Cases]]


TRIALS: dict[str, Trial] = {}
"""By their names, in the order in which they are declared."""


def trial(
    what: str, *, short: int, full: int
) -> Callable[[Callable[[Path], Iterator[Cases]]], Trial]:
    """Declare a trial: the function prepares it and yields its cases."""

    def declare(prepare: Callable[[Path], Iterator[Cases]]) -> Trial:
        key = prepare.__name__.replace("_", " ")
        TRIALS[key] = Trial(key, what, short, full, contextmanager(prepare))
        return TRIALS[key]

    return declare


def one_by_one(check: Callable[[int], object]) -> Cases:
    """Cases that their numbers describe."""

    def cases(first: int, count: int) -> None:
        for number in range(first, first + count):
            with limit_processor_time(LONGEST):
                check(number)

    return cases


def at_random(check: Callable[[random.Random], object]) -> Cases:
    """Cases from a random generator that is seeded with their numbers."""
    return one_by_one(lambda number: check(random.Random(number)))


def fuzzed(examples: SearchStrategy[Any], check: Callable[[Any], object]) -> Cases:
    """Cases that Hypothesis draws; it shrinks those that fail."""

    def cases(first: int, count: int) -> None:
        tried = 0

        def counted(example: Any) -> None:
            nonlocal tried
            tried += 1
            with limit_processor_time(LONGEST):
                check(example)

        quiet = settings(
            max_examples=count,
            deadline=None,
            database=None,
            derandomize=False,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        seed(first)(quiet(given(examples)(counted)))()
        assert tried >= count, f"Hypothesis found only {tried} cases"

    return cases


def check_sentence(error: BaseException | str, *kinds: type[BaseException]) -> None:
    """Fail unless an error is one of these kinds and has a message of one line."""
    said = str(error)
    if isinstance(error, BaseException):
        assert isinstance(error, kinds or ValueError), f"{type(error).__name__}: {said[:200]}"
    assert said.strip() and "\n" not in said and len(said) <= LONGEST_SENTENCE, said[
        : 2 * LONGEST_SENTENCE
    ]
    assert "Traceback" not in said and not said.endswith(": "), said


_tried: list[int] = []


@contextmanager
def trying(process: int) -> Iterator[None]:
    """Meanwhile it is another process that is tried, whose memory counts."""
    _tried.append(process)
    try:
        yield
    finally:
        _tried.remove(process)


def memory() -> float:
    """Megabytes that the process which is tried holds at the moment: the server, or this
    process.
    """
    process = _tried[-1] if _tried else os.getpid()
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * mmap.PAGESIZE / 1e6
