"""The queue of requests for pages: one is answered at a time, in turns by address.

A document takes a tenth of a second or more, in which its process answers nobody. Between two of
them, the server answers all messages that have arrived.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from tornado.web import HTTPError

from . import counts

MOST_QUEUED = 100
"""Requests that wait in one process, of all addresses together."""


class Busy(HTTPError):
    """The refusal of a request that the queue has no room for."""

    def __init__(self) -> None:
        super().__init__(HTTPStatus.SERVICE_UNAVAILABLE)
        counts.current.refuse("full")


class PageQueue:
    """Grants turns, one at a time; addresses alternate, and each has its own order of arrival.

    If the queue is full, the address with the most requests loses its latest one.
    """

    def __init__(self, most: int = MOST_QUEUED) -> None:
        self._most = most
        self._waiting: dict[str | None, deque[asyncio.Future[None]]] = {}
        self._is_taken = False

    @asynccontextmanager
    async def take_turn(self, address: str | None) -> AsyncIterator[None]:
        """Wait for a turn, which lasts as long as the context; raise `Busy` if there is no room."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        if sum(map(len, self._waiting.values())) > self._most:
            longest = max(reversed(self._waiting), key=lambda each: len(self._waiting[each]))
            self._waiting[longest].pop().set_exception(Busy())
        self._grant()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._is_taken = False
                loop.call_soon(self._grant)

    def _grant(self) -> None:
        while self._waiting and not self._is_taken:
            address = next(iter(self._waiting))
            turns = self._waiting.pop(address)
            if turns:
                turn = turns.popleft()
                self._waiting |= {address: turns}  # behind the other addresses
                if not turn.done():  # else its request was cancelled
                    self._is_taken = True
                    turn.set_result(None)


QUEUE = PageQueue()
"""Of this process."""
