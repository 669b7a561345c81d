"""What takes long, beside the page: the newest wins, it can be stopped, and an error is told and not fatal."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from waiting import PATIENCE

from app.beside import Beside, Task


class Told:
    """What a page is told of its tasks, in order."""

    def __init__(self) -> None:
        self.words: list[tuple[str, Any]] = []
        self.ended = asyncio.Event()

    def task(self, work: Any) -> Task:
        def end() -> None:
            self.words.append(("ended", None))
            self.ended.set()

        def tell(word: str) -> Any:
            return lambda what: self.words.append((word, what))

        return Task(work, tell("done"), tell("along"), tell("failed"), end)

    def of(self, word: str) -> list[Any]:
        return [what for said, what in self.words if said == word]


def until_cancelled(cancel: threading.Event, along: Any) -> str:
    along(0.5)
    assert cancel.wait(PATIENCE)
    return "stopped"


async def until(true: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0.01)


def test_a_task_tells_how_far_it_is_and_is_stopped() -> None:
    async def visit() -> Told:
        told, beside = Told(), Beside()
        beside.start(told.task(until_cancelled))
        await until(lambda: 0.5 in told.of("along"))
        beside.stop()
        await until(lambda: not beside.busy)
        return told

    told = asyncio.run(visit())
    assert told.of("done") == ["stopped"]
    assert told.words[-1][0] == "ended"


def test_the_newest_wins() -> None:
    async def visit() -> Told:
        told, beside = Told(), Beside()
        beside.start(told.task(until_cancelled))
        await until(lambda: told.of("along"))
        for text in ("second", "third"):
            beside.start(told.task(lambda cancel, along, text=text: text))
        await until(lambda: not beside.busy)
        return told

    assert asyncio.run(visit()).of("done") == ["third"]


def test_after_an_error_the_next_is_computed() -> None:
    def broken(cancel: Any, along: Any) -> None:
        raise ArithmeticError("no")

    async def visit() -> Told:
        told, beside = Told(), Beside()
        for work in (broken, lambda cancel, along: "fine"):
            told.ended.clear()
            beside.start(told.task(work))
            await told.ended.wait()
            await until(lambda: not beside.busy)
        return told

    told = asyncio.run(visit())
    assert [str(error) for error in told.of("failed")] == ["no"]
    assert told.of("done") == ["fine"]


def test_without_events_it_is_computed_at_once() -> None:
    done: list[str] = []
    Beside().start(Task(lambda cancel, along: "now", done.append, print, print, lambda: done.append("ended")))
    assert done == ["now", "ended"]
