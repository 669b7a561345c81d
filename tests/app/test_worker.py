"""What takes long, beside the page: the newest wins, it can be stopped, and an error is told and not fatal."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from typing import Any

from waiting import PATIENCE

import engine
from app.worker import Task, Worker
from engine.kernels import build
from engine.onebody.setting import parts_of


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
            return lambda *what: self.words.append((word, what[0] if what else None))

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
        told, worker = Told(), Worker()
        worker.start(told.task(until_cancelled))
        await until(lambda: 0.5 in told.of("along"))
        worker.stop()
        await until(lambda: not worker.busy)
        return told

    told = asyncio.run(visit())
    assert told.words[-2:] == [("ended", None), ("done", "stopped")]


def test_the_newest_wins() -> None:
    async def visit() -> Told:
        told, worker = Told(), Worker()
        worker.start(told.task(until_cancelled))
        await until(lambda: told.of("along"))
        for text in ("second", "third"):
            worker.start(told.task(lambda cancel, along, text=text: text))
        await until(lambda: not worker.busy)
        return told

    assert asyncio.run(visit()).of("done") == ["third"]


def test_after_an_error_the_next_is_computed() -> None:
    def broken(cancel: Any, along: Any) -> None:
        raise ArithmeticError("no")

    async def visit() -> Told:
        told, worker = Told(), Worker()
        for work in (broken, lambda cancel, along: "fine"):
            told.ended.clear()
            worker.start(told.task(work))
            await told.ended.wait()
            await until(lambda: not worker.busy)
        return told

    told = asyncio.run(visit())
    assert [str(error) for error in told.of("failed")] == ["no"]
    assert told.of("done") == ["fine"]


def test_without_events_it_is_computed_at_once() -> None:
    done: list[str] = []
    Worker().start(Task(lambda cancel, along: "now", done.append, print, print, lambda: done.append("ended")))
    assert done == ["ended", "now"]


def test_a_visitor_who_is_gone_hears_nothing_more() -> None:
    async def visit() -> Told:
        told, worker = Told(), Worker()
        worker.start(told.task(until_cancelled))
        await until(lambda: told.of("along"))
        worker.drop()
        before = len(told.words)
        await until(lambda: not worker.busy)
        assert len(told.words) == before
        return told

    told = asyncio.run(visit())
    assert told.words[-1][0] == "ended" and told.of("done") == []


def test_what_is_compiled_is_said_also_to_what_waits_for_it(monkeypatch: Any) -> None:
    """A kernel can not be left half done: a newer task says what it waits for."""
    go_on = threading.Event()

    def compile_slowly(*_: Any) -> Any:
        assert go_on.wait(20)
        raise ArithmeticError("it is not compiled here")

    monkeypatch.setattr("engine.kernels.build.object_code", compile_slowly)
    monkeypatch.setattr("engine.compiler.cache.load", lambda key: None)
    monkeypatch.setattr("engine.compiler.cache.holds", lambda key: False)
    parts = parts_of(engine.algorithm("AKW"), engine.problem("soft-wall").action(0.01))

    async def visit() -> Told:
        told, worker = Told(), Worker()

        def work(cancel: Any, along: Any) -> None:
            build.compiled(dataclasses.replace(parts, tracked=False), "AKW")

        worker.start(dataclasses.replace(told.task(work), along=lambda *what: told.words.append(("first", what))))
        await until(lambda: (0.0, "Compiling AKW, once") in told.of("first"))
        newer = dataclasses.replace(
            told.task(lambda cancel, along: "newer"), along=lambda *what: told.words.append(("newer", what))
        )
        worker.start(newer)
        await until(lambda: (0.0, "Compiling AKW, once") in told.of("newer"))
        go_on.set()
        await until(lambda: not worker.busy)
        return told

    told = asyncio.run(visit())
    assert told.of("done") == ["newer"] and told.of("failed") == []
