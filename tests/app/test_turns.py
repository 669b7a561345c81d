"""Long work takes turns: no visitor waits for the end of another's, short work goes first, and all
work ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from covering import first
from timeouts import TIMEOUT, wait_until

import engine
from app.server import turns as scheduling
from app.server.turns import Turn, Turns
from engine import studies

VISITORS = 12


@contextmanager
def threads(works: list[Callable[[], None]]) -> Iterator[None]:
    """Run each in its own thread; at the end all must have ended."""
    running = [threading.Thread(target=work) for work in works]
    for thread in running:
        thread.start()
    yield
    for thread in running:
        thread.join(TIMEOUT)
        assert not thread.is_alive()


def begin_together(turns: Turns, works: list[Callable[[], None]]) -> None:
    """Run them all; none begins before all are waiting."""
    gate = Turn(turns).__enter__()
    with threads(works):
        wait_until(lambda: len(turns.waiting) == len(works), "all wait")
        gate.__exit__(None, None, None)


@pytest.fixture
def resting_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No work becomes long because the machine stalls during its turn."""
    monkeypatch.setattr(scheduling, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.mark.usefixtures("resting_clock")
def test_all_have_a_turn_before_any_has_a_second() -> None:
    turns = Turns(at_once=1, slice_=0.0)
    order = list[int]()

    def work(i: int) -> None:
        with Turn(turns) as turn:
            for _ in range(5):
                order.append(i)
                turn.is_set()

    begin_together(turns, [lambda i=i: work(i) for i in range(VISITORS)])
    rounds = [order[k : k + VISITORS] for k in range(0, len(order), VISITORS)]
    assert (
        len(rounds) == 5
        and all(one == rounds[0] for one in rounds)
        and len(set(rounds[0])) == VISITORS
    )
    assert (turns.working, turns.waiting) == ([], [])


@pytest.mark.parametrize("at_once", first([3, 1]))
def test_kernels_take_turns(at_once: int) -> None:
    """Endless runs: each makes progress, and at most as many run at a time as there are turns."""
    turns = Turns(at_once=at_once, slice_=0.0)
    far = dict.fromkeys(range(VISITORS), 0)
    mine = [Turn(turns) for _ in far]
    ended = list[str]()

    def work(i: int) -> None:
        with mine[i] as turn:
            run = engine.simulate(
                "free",
                "MR2",
                dt=1e-3,
                steps=10**12,
                samples=1,
                cancel=turn,
                progress=lambda done, _: count(i),
            )
            ended.append(run.status)

    def count(i: int) -> None:
        far[i] += 1
        assert len(turns.working) <= at_once

    with threads([lambda i=i: work(i) for i in far]):
        wait_until(lambda: min(far.values()) >= 2, "each has had two turns")
        for turn in mine:
            turn.set()
    assert ended == ["cancelled"] * VISITORS
    assert (turns.working, turns.waiting) == ([], [])


@pytest.mark.usefixtures("resting_clock")
def test_short_work_goes_first_and_does_not_keep_long_work_waiting_for_ever() -> None:
    turns = Turns(at_once=1, slice_=0.0)
    order = list[float]()

    def work(spent: float) -> None:
        mine = Turn(turns)
        mine.spent = spent
        with mine as turn:
            for _ in range(8):
                order.append(spent)
                turn.is_set()

    begin_together(turns, [lambda spent=spent: work(spent) for spent in (100.0, 100.0, 0.0, 0.0)])
    assert order[:8].count(0.0) == 6, "one turn in four goes to the visitor who has waited longest"
    assert set(order[-10:]) == {100.0}


def test_a_study_on_several_threads_takes_turns_and_ends_at_once() -> None:
    turns = Turns(at_once=1, slice_=0.0)
    ladder = [2e-7 + 1e-9 * k for k in range(40)]  # a minute of work
    study = Turn(turns)
    other = Turn(turns)
    found = list[studies.Convergence]()

    def long() -> None:
        with study:
            found.append(
                studies.convergence(
                    "free", ["MR2", "NMB"], ladder, duration=10.0, workers=2, cancel=study
                )
            )

    def beside() -> None:
        with other:
            for _ in range(20):
                other.is_set()

    with threads([long]):
        wait_until(lambda: study in turns.working, "the study works")
        with threads([beside]):
            pass
        assert not found
        study.set()
    assert not found[0].finished and (turns.working, turns.waiting) == ([], [])
