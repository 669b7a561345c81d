"""A process serves sessions for days, so a closed session must leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import itertools
import time
import weakref
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from bokeh.application.handlers.document_lifecycle import DocumentLifecycleHandler
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.server.contexts import ApplicationContext, BokehSessionContext
from bokeh.server.session import ServerSession
from panel.io.application import Application
from panel.io.handlers import ScriptHandler
from panel.io.state import set_curdoc
from timeouts import TIMEOUT
from tornado.ioloop import IOLoop, PeriodicCallback

from app.browser.page_links import PAGES
from app.browser.script_api import ScriptApi, notify_visitors
from app.compat.server import use_monotonic_clock
from app.pages.explorer import Explorer
from app.server import garbage
from app.server.serve import PAGE
from app.state.labs import LABS

TIMES, AT_ONCE = 2, 2 * len(PAGES)
"""Rounds in which sessions are opened and closed, and the number of sessions open at a time."""


@pytest.fixture
def explorers(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Explorer]]:
    """References to all explorers that are created from now on."""
    made: list[weakref.ref[Explorer]] = []
    init = Explorer.__init__

    def noted(self: Explorer, *args: Any, **kwargs: Any) -> None:
        made.append(weakref.ref(self))
        init(self, *args, **kwargs)

    monkeypatch.setattr(Explorer, "__init__", noted)
    return made


async def open_session(context: ApplicationContext, session: ID, page: str) -> ServerSession:
    """A session, as Bokeh's server creates it."""
    arguments = {"page": [page.encode()]}
    request: Any = SimpleNamespace(
        arguments=arguments, cookies={}, headers={}, path="/", protocol="http", host="lab"
    )
    one = await context.create_session_if_needed(session, request)
    assert one.document.roots, "the page has been made"
    return one


async def open_and_leave(context: ApplicationContext, number: int) -> list[weakref.ref[Any]]:
    """Open sessions of all pages at the same time, close them, and return their documents."""
    pages = itertools.islice(itertools.cycle(PAGES), AT_ONCE)
    sessions = [
        await open_session(context, ID(f"{page} {number} {i}"), page)
        for i, page in enumerate(pages)
    ]
    documents = [weakref.ref(session.document) for session in sessions]
    for session in sessions:
        await context._discard_session(
            session, lambda _: True
        )  # Bokeh ends one so, and only itself, after a while
    return documents


@pytest.mark.exhaustive
def test_nothing_is_left_of_sessions_that_are_over(explorers: list[weakref.ref[Explorer]]) -> None:
    application = Application(
        ScriptHandler(filename=str(PAGE)), DocumentLifecycleHandler()
    )  # as a server has it

    async def visits() -> list[weakref.ref[Any]]:
        context = ApplicationContext(application, url="/", io_loop=IOLoop.current())
        return [
            document
            for number in range(TIMES)
            for document in await open_and_leave(context, number)
        ]

    documents = asyncio.run(visits())
    assert not [handler.error for handler in application.handlers if handler.failed]
    gc.collect()
    each = AT_ONCE // len(PAGES)
    assert (
        len(documents) == TIMES * each * len(PAGES) and len(explorers) == len(LABS) * TIMES * each
    )
    assert not [document for document in documents if document() is not None]
    assert not [explorer for explorer in explorers if explorer() is not None]


@pytest.mark.exhaustive
def test_no_collection_searches_a_page_until_a_session_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(garbage, "COLLECT_AFTER", 0.0)
    application = Application(
        ScriptHandler(filename=str(PAGE)), DocumentLifecycleHandler(), garbage.Garbage()
    )

    async def visit() -> weakref.ref[Any]:
        context = ApplicationContext(application, url="/", io_loop=IOLoop.current())
        session = await open_session(context, ID("visit"), "methods")
        document = weakref.ref(session.document)
        assert not any(one is session.document for one in gc.get_objects()), (
            "a collection would search it"
        )
        await context._discard_session(session, lambda _: True)
        del session
        for _ in range(3):  # until what was planned is done
            await asyncio.sleep(0)
        return document

    try:
        assert asyncio.run(visit())() is None
    finally:
        gc.unfreeze()


def test_many_sessions_that_end_are_searched_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr(garbage, "collect_all", lambda: collected.append(1))

    async def end_sessions(count: int) -> int:
        ending = garbage.Garbage()
        for _ in range(count):
            await ending.on_session_destroyed(None)
        for _ in range(3):
            await asyncio.sleep(0)
        return len(collected)

    assert asyncio.run(end_sessions(garbage.MOST_ENDED - 1)) == 0
    assert asyncio.run(end_sessions(2 * garbage.MOST_ENDED)) == 1


def test_sessions_are_removed_when_the_time_of_day_has_gone_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = time.time
    ahead = [0.0]
    monkeypatch.setattr(time, "time", lambda: now() + ahead[0])

    async def count_calls() -> None:
        use_monotonic_clock(IOLoop.current())
        calls = asyncio.Queue[float]()
        periodic = PeriodicCallback(lambda: calls.put_nowait(time.monotonic()), 10)
        periodic.start()
        await calls.get()
        ahead[0] -= 86_400
        for _ in range(3):
            await asyncio.wait_for(calls.get(), TIMEOUT)
        periodic.stop()

    asyncio.run(count_calls())


def test_a_notice_skips_visitors_who_have_left() -> None:
    """Until the garbage collection, their pages are in memory."""

    def open_page() -> tuple[Document, ScriptApi, BokehSessionContext]:
        document = Document()
        context = BokehSessionContext(ID("visit"), Mock(), document)
        context._request = Mock(arguments={})
        document._session_context = weakref.ref(context)
        with set_curdoc(document):
            return document, ScriptApi(), context

    left, stayed = open_page(), open_page()
    session = Mock()
    left[0].on_change_dispatch_to(session)
    left[0].destroy(session)
    notify_visitors("This server ends.")
    assert len(stayed[0].session_callbacks) == 1
