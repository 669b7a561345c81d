"""A lecture hall for an hour: the server's memory, and how long visitors wait, minute by minute.

``python -m benchmarks.soak --minutes 60 --visitors 20`` serves the page as ``polhode serve`` does. Each visitor has a
connection as a browser has it, moves the slider of Δt every second or so, and leaves after some minutes; another one
comes in the place. A visitor waits from the message until the server has done all that follows from it and says so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._table import host, table, write_json
from .page import SETTING, Server, Wire, quantile, served

STAYS = 120.0, 300.0
"""Seconds that a visitor stays, from and to."""
EACH = 0.7, 1.3
"""Seconds between two changes, from and to."""


class Visitor(Wire):
    """A visitor who takes the time of each change."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._answers: dict[str, asyncio.Future[float]] = {}

    def _answer(self, number: str) -> asyncio.Future[float]:
        """When the answer to a message has come; it may come before it is asked for."""
        return self._answers.setdefault(number, asyncio.get_running_loop().create_future())

    async def change(self, by: int) -> float:
        """Move the slider, and give the seconds until that is answered."""
        begun = time.perf_counter()
        number = await self.move(by)
        answered = await self._answer(number)
        del self._answers[number]
        return answered - begun

    async def listen(self) -> None:
        """Take what comes, and note when an answer was among it."""
        while (frame := await self.connection.read_message()) is not None:
            if isinstance(frame, str) and '"reqid"' in frame[:200]:
                self._answer(json.loads(frame)["reqid"]).set_result(time.perf_counter())
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(SystemExit("the server has closed the connection"))


async def attend(server: Server, visitor: Visitor, end: float, chance: random.Random, waited: list[float]) -> None:
    """One place in the hall, which somebody always has, this visitor first."""
    while True:
        listening = asyncio.ensure_future(visitor.listen())
        leaves = min(end, time.monotonic() + chance.uniform(*STAYS))
        count = 0
        while time.monotonic() < leaves:
            waited.append(await visitor.change(-1 if count % 10 < 5 else 1))
            count += 1
            await asyncio.sleep(chance.uniform(*EACH))
        visitor.connection.close()
        await listening
        if time.monotonic() >= end:
            return
        visitor = await Visitor.open(server.link(**SETTING))


async def soak(server: Server, minutes: float, visitors: int, seed: int = 0) -> list[dict[str, float]]:
    """What each minute was like."""
    waited: list[float] = []
    first = [await Visitor.open(server.link(**SETTING)) for _ in range(visitors)]
    end = time.monotonic() + 60 * minutes
    places = [
        asyncio.ensure_future(attend(server, visitor, end, random.Random(seed + i), waited))
        for i, visitor in enumerate(first)
    ]
    found: list[dict[str, float]] = []
    begun = time.monotonic()
    while len(found) < minutes:
        cpu = server.cpu()
        await asyncio.sleep(max(0.0, begun + 60 * min(len(found) + 1, minutes) - time.monotonic()))
        for place in places:
            if place.done():
                place.result()  # nobody stays away unnoticed
        taken, waited[:] = waited[:] or [math.nan], []
        found.append(
            {
                "minute": len(found) + 1,
                "memory": server.memory(),
                "sessions": await asyncio.to_thread(server.visitors),
                "changes": len(taken),
                "median": 1000 * statistics.median(taken),
                "p95": 1000 * quantile(taken, 0.95),
                "max": 1000 * max(taken),
                "cpu": server.cpu() - cpu,
            }
        )
        print(" ".join(f"{value:9.1f}" for value in found[-1].values()), flush=True)
    await asyncio.gather(*places)
    return found


def growth(found: Sequence[dict[str, float]]) -> float:
    """Megabytes an hour by which the memory grew in the second half, by a straight line."""
    later = found[len(found) // 2 :]
    if len(later) < 2:
        return float("nan")
    slope = np.polyfit([row["minute"] for row in later], [row["memory"] for row in later], 1)[0]
    return float(60 * slope)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60, help="how long (default %(default)s)")
    parser.add_argument("--visitors", type=int, default=20, help="how many at once (default %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    given = parser.parse_args(arguments)
    heads = "minute", "memory, MB", "sessions", "changes", "median, ms", "p95, ms", "max, ms", "CPU, s"
    print(" ".join(f"{head:>9}" for head in heads), flush=True)
    with served() as server:
        found = asyncio.run(soak(server, given.minutes, given.visitors))
    half = found[len(found) // 2 :]
    rows = [
        ["first minute", f"{found[0]['memory']:.0f}", f"{found[0]['median']:.0f}", f"{found[0]['p95']:.0f}", ""],
        [
            "second half",
            f"{statistics.fmean(row['memory'] for row in half):.0f}",
            f"{statistics.median(row['median'] for row in half):.0f}",
            f"{statistics.median(row['p95'] for row in half):.0f}",
            f"{growth(found):+.0f}",
        ],
    ]
    print(table((f"{given.visitors} visitors", "memory, MB", "median, ms", "p95, ms", "MB an hour"), rows))
    if given.json:
        write_json(given.json, {"host": host(("polhode", "panel", "bokeh")), "minutes": found})


if __name__ == "__main__":
    main()
