"""Garbage collection in a server with many visitors."""

from __future__ import annotations

import gc
from typing import Any

from bokeh.application.handlers.handler import Handler
from bokeh.document import Document
from tornado.ioloop import IOLoop

YOUNG_OBJECTS = 50_000
"""New objects after which Python collects garbage among the newest.

A change makes some thousands of objects that are gone at once: with a higher threshold they do not count among the
old ones, whose number brings the next full collection.
"""
COLLECT_AFTER = 120.0
"""Seconds after the end of a session until everything is searched, which delays answers by about a second."""


def collect_all() -> None:
    """Collect all garbage, and have later collections search only what is new."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])


class Garbage(Handler):
    """The last handler of an application: no collection searches a page that is complete until a session has ended.

    Otherwise full collections, every ten seconds, took 0.6 to 1.0 s each with 25 visitors of a process.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_planned = False

    def modify_document(self, doc: Document) -> None:
        """Leave out what exists, among it a new page."""
        gc.freeze()

    async def on_session_destroyed(self, session_context: Any) -> None:
        """Plan the collection of the session's garbage, together with that of others."""
        if not self._is_planned:
            self._is_planned = True
            IOLoop.current().call_later(COLLECT_AFTER, self._collect)

    def _collect(self) -> None:
        self._is_planned = False
        collect_all()
