"""The short form of each trial, and trials that must find a failure."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from covering import few
from every import TRIALS
from hypothesis import strategies as st
from timeouts import limit_processor_time
from trials import Trial, at_random, check_sentence, fuzzed, memory, trying

ELSEWHERE = {
    "killed servers",
    "messages",
    "bursts",
    "slow sockets",
    "unconnected pages",
    "silent visitors",
    "mesh files",
    "pages",
    "links",
    "cache folder changes",
    "uploads",
    "exploding files",
}
"""Trials that take long: the quick tests of processes, messages, requests, meshes, links, the cache
and files show the same of a few cases.
"""


@pytest.mark.parametrize(
    "trial",
    [
        pytest.param(
            one, marks=() if one.short and key not in ELSEWHERE else pytest.mark.exhaustive, id=key
        )
        for key, one in TRIALS.items()
    ],
)
def test_a_fault_ends_in_an_answer(trial: Trial, tmp_path: Path) -> None:
    with trial.open(tmp_path) as cases:
        cases(0, few(trial.short) or 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", ["damaged runs", "damaged sweeps"])
def test_no_damaged_byte_is_overlooked(key: str, tmp_path: Path) -> None:
    """A tenth of the bytes, from everywhere; the long form takes all."""
    with TRIALS[key].open(tmp_path) as cases:
        cases(0, TRIALS[key].full // 10)


def test_a_case_that_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(number: float) -> None:
        assert number < 0.9

    with pytest.raises(AssertionError):
        at_random(lambda chance: fail(chance.random()))(0, 100)
    with pytest.raises(AssertionError):
        fuzzed(st.floats(0, 1), fail)(0, 100)
    for said in ("", "two\nlines", "Traceback (most recent call last)", "x" * 2_000):
        with pytest.raises(AssertionError):
            check_sentence(said)
    with pytest.raises(AssertionError):
        check_sentence(KeyError("x"))
    with pytest.raises(AssertionError, match="processor time"), limit_processor_time(0.01):
        while True:
            random.random()
    monkeypatch.setattr("timeouts.TIMEOUT", 0.01)
    with pytest.raises(AssertionError, match="hangs"), limit_processor_time(60.0):
        threading.Event().wait(60.0)


def test_the_memory_is_that_of_the_process_that_is_tried() -> None:
    here = memory()
    small = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    with small, trying(small.pid):
        there = memory()
        small.communicate(b"\n")
    assert there < here / 2
    assert memory() > 2 * there
