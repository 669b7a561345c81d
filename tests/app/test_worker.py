"""Long computations beside the page: the newest wins, Stop works, and an error is reported and not
fatal.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from bokeh.application import Application
from bokeh.document import Document
from bokeh.server.contexts import ApplicationContext, BokehSessionContext
from bokeh.server.session import ServerSession
from panel.io.state import set_curdoc
from timeouts import TIMEOUT
from tornado.ioloop import IOLoop

import engine
from app.server import threads, turns, worker
from app.server.threads import PIECE, make_pause
from app.server.turns import Turns
from app.server.worker import Task, Worker
from engine.kernels import Cancelled, build, make_parts


class Told:
    """Records what a page learns about its tasks, in order."""

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
    assert cancel.wait(TIMEOUT)
    return "stopped"


async def wait_until(true: Any) -> None:
    async with asyncio.timeout(TIMEOUT):
        while not true():
            await asyncio.sleep(0.01)


def test_a_task_tells_how_far_it_is_and_is_stopped() -> None:
    async def visit() -> Told:
        report = Told()
        worker = Worker()
        worker.start(report.task(until_cancelled))
        await wait_until(lambda: 0.5 in report.of("along"))
        worker.stop()
        await wait_until(lambda: not worker.busy)
        return report

    report = asyncio.run(visit())
    assert report.words[-2:] == [("ended", None), ("done", "stopped")]


def test_the_newest_wins() -> None:
    async def visit() -> Told:
        report = Told()
        worker = Worker()
        worker.start(report.task(until_cancelled))
        await wait_until(lambda: report.of("along"))
        for text in ("second", "third"):
            worker.start(report.task(lambda cancel, along, text=text: text))
        await wait_until(lambda: not worker.busy)
        return report

    assert asyncio.run(visit()).of("done") == ["third"]


def test_after_an_error_the_next_is_computed() -> None:
    def broken(cancel: Any, along: Any) -> None:
        raise ArithmeticError("no")

    async def visit() -> Told:
        report = Told()
        worker = Worker()
        for work in (broken, lambda cancel, along: "fine"):
            report.ended.clear()
            worker.start(report.task(work))
            await report.ended.wait()
            await wait_until(lambda: not worker.busy)
        return report

    report = asyncio.run(visit())
    assert [str(error) for error in report.of("failed")] == ["no"]
    assert report.of("done") == ["fine"]


def visit_of_a_server(document: Document) -> tuple[ServerSession, BokehSessionContext]:
    """A session as Bokeh's server creates it for a visitor; the caller keeps its context alive."""
    session = ServerSession("visit", document, IOLoop.current())
    application = ApplicationContext(Application(), IOLoop.current())
    context = BokehSessionContext("visit", application.server_context, document)
    context._set_session(session)
    document._session_context = weakref.ref(context)
    return session, context


def test_a_task_that_a_thread_starts_reports_between_the_visitor_s_events() -> None:
    """Bokeh 3.10 handles events on threads, one at a time for each document, of which it holds the
    lock.
    """
    begun = threading.Event()
    go_on = threading.Event()
    computed = threading.Event()

    def work(cancel: Any, along: Any) -> str:
        begun.set()
        assert go_on.wait(TIMEOUT)
        computed.set()
        return "done"

    async def visit() -> tuple[Told, list[str]]:
        report = Told()
        document = Document()
        session, _context = visit_of_a_server(document)
        with set_curdoc(document):
            worker = Worker()

        def start() -> None:
            with set_curdoc(document):
                worker.start(report.task(work))

        async def event() -> list[str]:
            before = len(report.words)
            go_on.set()
            await wait_until(computed.is_set)
            for _ in range(1000):  # turns of the loop, in which nothing of it may reach the page
                await asyncio.sleep(0)
            return [word for word, _ in report.words[before:]]

        await asyncio.to_thread(start)
        await wait_until(begun.is_set)
        meanwhile = await session.with_document_locked(event)
        await wait_until(lambda: not worker.busy)
        return report, meanwhile

    report, meanwhile = asyncio.run(visit())
    assert meanwhile == [] and report.of("done") == ["done"]


def test_without_events_it_is_computed_at_once() -> None:
    done: list[str] = []
    Worker().start(
        Task(lambda cancel, along: "now", done.append, print, print, lambda: done.append("ended"))
    )
    assert done == ["ended", "now"]


def test_a_visitor_who_is_gone_hears_nothing_more() -> None:
    async def visit() -> Told:
        report = Told()
        worker = Worker()
        worker.start(report.task(until_cancelled))
        await wait_until(lambda: report.of("along"))
        worker.drop()
        before = len(report.words)
        await wait_until(lambda: not worker.busy)
        assert len(report.words) == before
        return report

    report = asyncio.run(visit())
    assert report.words[-1][0] == "ended" and report.of("done") == []


def test_work_stops_when_its_visitor_has_left() -> None:
    """The page itself is closed later: the visitor may come back to it."""
    connection = SimpleNamespace(connection_count=0, milliseconds_since_last_unsubscribe=0.0)

    async def visit() -> Told:
        report = Told()
        own = Worker()
        own._page = SimpleNamespace(session_context=SimpleNamespace(session=connection))  # type: ignore[assignment]
        own.start(report.task(until_cancelled))
        await wait_until(lambda: report.of("along").count(0.5) > 3)
        assert own.busy, "a visitor may reconnect immediately"
        connection.milliseconds_since_last_unsubscribe = 1000 * worker.LEFT_AFTER + 1
        await wait_until(lambda: not own.busy)
        return report

    assert asyncio.run(visit()).of("done") == ["stopped"]
    assert worker.LEFT_AFTER <= 3, "work stops within 5 s of its visitor leaving"


def test_work_that_is_stopped_before_it_has_a_result_has_none() -> None:
    def read(cancel: engine.Cancellation, along: Any) -> str:
        along(0.5)
        while not cancel.is_set():
            pass
        raise Cancelled

    async def visit() -> Told:
        report = Told()
        own = Worker(worker.TEXTS)
        own.start(report.task(read))
        await wait_until(lambda: 0.5 in report.of("along"))
        own.stop()
        await wait_until(lambda: not own.busy)
        return report

    report = asyncio.run(visit())
    assert report.of("done") == [None] and report.of("failed") == []


def test_who_waits_is_told_the_place_and_may_stop(monkeypatch: Any) -> None:
    own = Turns(at_once=1, slice_=3600.0)
    lane = worker.Lane(worker.BESIDE, own)
    monkeypatch.setattr(turns, "SHOWN_AFTER", 0.0)
    begun: list[str] = []

    async def visit() -> Told:
        first = Worker(lane)
        first_told = Told()
        report = Told()
        first.start(first_told.task(until_cancelled))
        await wait_until(lambda: 0.5 in first_told.of("along"))
        others = [Worker(lane) for _ in range(2)]
        for other in others:
            along = lambda part, words="": report.words.append(("along", words))  # noqa: E731
            work = lambda cancel, along: begun.append("worked") or cancel.is_set()  # noqa: E731
            other.start(dataclasses.replace(report.task(work), on_progress=along))
        await wait_until(
            lambda: {turns.describe_wait(1), turns.describe_wait(2)} <= set(report.of("along"))
        )
        assert not begun
        for other in others:
            other.stop()
        await wait_until(lambda: not any(other.busy for other in others))
        assert first.busy
        first.stop()
        await wait_until(lambda: not first.busy)
        return report

    report = asyncio.run(visit())
    assert report.of("done") == [True, True]
    assert (own.working, own.waiting) == ([], [])


def test_what_is_compiled_is_said_also_to_what_waits_for_it(monkeypatch: Any) -> None:
    """A kernel cannot be interrupted: a newer task reports what it waits for."""
    go_on = threading.Event()

    def compile_slowly(*_: Any) -> Any:
        assert go_on.wait(TIMEOUT)
        raise ArithmeticError("it is not compiled here")

    monkeypatch.setattr(build, "_kernels", {})
    monkeypatch.setattr("engine.compiler.addresses._addresses", {})
    monkeypatch.setattr(build, "object_code", compile_slowly)
    monkeypatch.setattr("engine.compiler.cache.load", lambda key: None)
    monkeypatch.setattr("engine.compiler.cache.holds", lambda key: False)
    parts = make_parts(engine.algorithm("AKW"), engine.problem("soft-wall").action(0.01).field)

    async def visit() -> Told:
        report = Told()
        worker = Worker()

        def work(cancel: Any, along: Any) -> None:
            build.compile_kernel(dataclasses.replace(parts, tracked=False), "AKW")

        worker.start(
            dataclasses.replace(
                report.task(work), on_progress=lambda *what: report.words.append(("first", what))
            )
        )
        await wait_until(lambda: (0.0, "Compiling AKW, once") in report.of("first"))
        newer = dataclasses.replace(
            report.task(lambda cancel, along: "newer"),
            on_progress=lambda *what: report.words.append(("newer", what)),
        )
        worker.start(newer)
        await wait_until(lambda: (0.0, "Compiling AKW, once") in report.of("newer"))
        go_on.set()
        await wait_until(lambda: not worker.busy)
        return report

    report = asyncio.run(visit())
    assert report.of("done") == ["newer"] and report.of("failed") == []


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priorities here")
@pytest.mark.parametrize(
    ("pool", "nicer"),
    [
        (worker.RUNS.threads, threads.NICER),
        (worker.TEXTS.threads, 0),  # which hold the interpreter's lock
    ],
)
def test_threads_that_work_beside_the_page_have_their_priority(
    pool: ThreadPoolExecutor, nicer: int
) -> None:
    """All threads that it starts, without the one that answers visitors."""

    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def of_a_thread_that_it_starts() -> int:
        with ThreadPoolExecutor(1) as started:
            return started.submit(niceness).result()

    before = niceness()
    lower = min(before + nicer, 19)
    assert (
        pool.submit(niceness).result() == pool.submit(of_a_thread_that_it_starts).result() == lower
    )
    assert niceness() == before


def test_python_code_on_another_thread_waits_until_the_page_has_answered(monkeypatch):
    monkeypatch.setattr(threads, "LONGEST_PAUSE", TIMEOUT)
    order = []

    async def serve():
        begun = threading.Event()
        pause = make_pause()

        def read():
            end = time.thread_time() + 2 * PIECE
            begun.set()
            while time.thread_time() < end:
                pass
            pause()
            order.append("read on")

        reading = asyncio.get_running_loop().run_in_executor(None, read)
        begun.wait()
        time.sleep(0.3)  # the answer
        order.append("answered")
        await reading

    asyncio.run(serve())
    assert order == ["answered", "read on"]
