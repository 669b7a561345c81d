"""Sessions come and go in one process for days, so nothing of one may be left when it is over."""

from __future__ import annotations

import asyncio
import gc
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from bokeh.application.handlers.document_lifecycle import DocumentLifecycleHandler
from bokeh.core.types import ID
from bokeh.server.contexts import ApplicationContext
from panel.io.application import Application
from panel.io.handlers import ScriptHandler
from tornado.ioloop import IOLoop

from app.page import Explorer
from app.serve import PAGE
from app.shell import PAGES

TIMES = 2
"""How often each page is opened and left."""


@pytest.fixture
def explorers(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Explorer]]:
    """All that are made from now on."""
    made: list[weakref.ref[Explorer]] = []
    init = Explorer.__init__

    def noted(self: Explorer, *args: Any, **kwargs: Any) -> None:
        made.append(weakref.ref(self))
        init(self, *args, **kwargs)

    monkeypatch.setattr(Explorer, "__init__", noted)
    return made


async def opened_and_left(context: ApplicationContext, session: ID, page: str) -> weakref.ref[Any]:
    """One session from its start to its end, in the way of Bokeh's server, and its document."""
    arguments = {"page": [page.encode()]}
    request: Any = SimpleNamespace(arguments=arguments, cookies={}, headers={}, path="/", protocol="http", host="lab")
    one = await context.create_session_if_needed(session, request)
    assert one.document.roots, "the page has been made"
    document = weakref.ref(one.document)
    await context._discard_session(one, lambda _: True)
    return document


def test_nothing_is_left_of_sessions_that_are_over(explorers: list[weakref.ref[Explorer]]) -> None:
    application = Application(ScriptHandler(filename=str(PAGE)), DocumentLifecycleHandler())  # as a server has it

    async def visits() -> list[weakref.ref[Any]]:
        context = ApplicationContext(application, url="/", io_loop=IOLoop.current())
        return [
            await opened_and_left(context, ID(f"{page} {number}"), page) for number in range(TIMES) for page in PAGES
        ]

    documents = asyncio.run(visits())
    assert not [handler.error for handler in application.handlers if handler.failed]
    gc.collect()
    assert len(documents) == TIMES * len(PAGES) and len(explorers) == 2 * TIMES
    assert not [document for document in documents if document() is not None]
    assert not [explorer for explorer in explorers if explorer() is not None]
