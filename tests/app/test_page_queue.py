"""The queue of requests for pages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.server.page_queue import Busy, PageQueue


def play(requests: Sequence[str], most: int = 100) -> tuple[list[str], list[str]]:
    """Return which requests get their turns, in this order, and which are refused; the first
    letter of a request is its address.
    """

    async def run() -> tuple[list[str], list[str]]:
        queue = PageQueue(most)
        granted = []
        refused = []
        at_once = []

        async def ask(request: str) -> None:
            try:
                async with queue.take_turn(request[0]):
                    at_once.append(request)
                    assert at_once == [request], "one at a time"
                    await asyncio.sleep(0)
                    granted.append(at_once.pop())
            except Busy:
                refused.append(request)

        await asyncio.gather(*map(ask, requests))
        async with queue.take_turn("later"):
            pass
        return granted, refused

    return asyncio.run(run())


def test_addresses_alternate() -> None:
    granted, refused = play(["a1", "a2", "a3", "a4", "b1", "c1", "b2"])
    assert granted == ["a1", "a2", "b1", "c1", "a3", "b2", "a4"] and refused == []


def test_a_full_queue_refuses_the_latest_request_of_the_address_with_most() -> None:
    granted, refused = play([f"a{i}" for i in range(5)] + ["b1", "c1"], most=3)
    assert granted == ["a0", "a1", "b1", "c1"] and refused == ["a4", "a3", "a2"]


def test_the_turn_of_a_request_that_is_cancelled_goes_to_the_next() -> None:
    async def run() -> str:
        queue = PageQueue()

        async def ask(address: str) -> str:
            async with queue.take_turn(address):
                await asyncio.sleep(0)
                return address

        first, second, third = (asyncio.create_task(ask(address)) for address in "abc")
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        return await third

    assert asyncio.run(run()) == "c"
