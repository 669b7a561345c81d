"""Garbage collection in a server with many visitors."""

from __future__ import annotations

import gc
from typing import Any

from bokeh.application.handlers.handler import Handler
from bokeh.document import Document
from tornado.ioloop import IOLoop

YOUNG_OBJECTS = 50_000
"""New objects after which Python collects garbage among the newest.

A change makes some thousands of objects that are gone at once: with a higher threshold they do not
count among the old ones, whose number brings the next full collection.
"""
COLLECT_AFTER = 120.0
"""Seconds after the end of a session until everything is searched, which delays answers."""
MOST_ENDED = 20
"""The number of ended sessions after which everything is searched at once: each leaves some
megabytes.
"""


def collect_all() -> None:
    """Collect all garbage, and have later collections search only what is new."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])


class Garbage(Handler):
    """The last handler of an application; until a session ends, collections leave out the pages
    that are complete.

    A process with 25 visitors spent 0.6 to 1.0 s on a full collection every ten seconds without it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ended = 0
        self._planned: object = None

    def modify_document(self, doc: Document) -> None:
        """Leave out all objects that exist, the new page among them."""
        gc.freeze()

    async def on_session_destroyed(self, session_context: Any) -> None:
        """Plan a collection, unless one is planned already."""
        self._ended += 1
        if self._planned is None:
            self._planned = IOLoop.current().call_later(COLLECT_AFTER, self._collect)
        elif self._ended == MOST_ENDED:
            IOLoop.current().remove_timeout(self._planned)
            self._planned = IOLoop.current().call_later(0.0, self._collect)

    def _collect(self) -> None:
        self._ended = 0
        self._planned = None
        collect_all()
