"""A lecture hall for an hour: the server's memory and the visitors' waiting times, minute by
minute.

``python -m benchmarks.soak --minutes 60 --visitors 20`` serves the page as ``polhode serve`` does.
Each visitor connects like a browser, moves the slider of Δt about every second, and leaves after
some minutes; another takes its place. The waiting time is that from the message to the server's
confirmation that it has processed it.

With ``--studies 2``, two more visitors run studies of the largest allowed size all the time; with
``--lesson``, one more uploads a lesson of the largest allowed size every few seconds. ``--runs 51``
measures at the end how long each of 51 visitors waits until a long run begins, if all start one at
once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from app.state import lessons

from ._table import host, table, write_json
from .page import SETTING, STUDY, Server, Wire, quantile, start_server

STAYS = 120.0, 300.0
"""Seconds that a visitor stays, from and to."""
EACH = 0.7, 1.3
"""Seconds between two changes, from and to."""


class Visitor(Wire):
    """A visitor that times each change."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._answers: dict[str, asyncio.Future[float]] = {}
        self._patches = 0
        """Changes of the page received so far."""

    def _answer(self, number: str) -> asyncio.Future[float]:
        """Times of the answers to messages, which may arrive before they are awaited."""
        return self._answers.setdefault(number, asyncio.get_running_loop().create_future())

    async def change(self, by: int) -> float:
        """Move the slider, and return the seconds until the answer."""
        begun = time.perf_counter()
        patches = self._patches
        number = await self.move(by)
        answered = await self._answer(number)
        del self._answers[number]
        if self._patches == patches:
            raise SystemExit("nothing follows from a change")
        return answered - begun

    async def listen(self) -> None:
        """Read everything, and record the times of answers."""
        while (frame := await self.connection.read_message()) is not None:
            head = frame[:200] if isinstance(frame, str) else ""
            self._patches += '"PATCH-DOC"' in head
            if '"reqid"' in head:
                self._answer(json.loads(frame)["reqid"]).set_result(time.perf_counter())
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(SystemExit("the server has closed the connection"))


async def attend(
    server: Server, visitor: Visitor, end: float, chance: random.Random, waited: list[float]
) -> None:
    """One seat in the hall, which is always taken; this visitor is the first."""
    while True:
        listening = asyncio.ensure_future(visitor.listen())
        await asyncio.sleep(chance.uniform(*EACH))
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


async def soak(
    server: Server,
    minutes: float,
    visitors: int,
    studies: int = 0,
    lesson: bool = False,
    seed: int = 0,
) -> list[dict[str, float]]:
    """Print the figures of each minute."""
    waited: list[float] = []
    done: Counter[str] = Counter()
    heavy = [asyncio.ensure_future(measure_studies(server, done)) for _ in range(studies)]
    heavy += [asyncio.ensure_future(upload_lessons(server, done))] if lesson else []
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
        taken = waited[:] or [math.nan]
        waited[:] = []
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
    for task in heavy:
        assert not task.done(), task
        task.cancel()
    if heavy:
        print(f"beside them: {done['studies']} studies measured, {done['lessons']} lessons read")
    return found


# -------------------------------------------------------------------------------------------------
# heavy visitors

LARGEST_STUDY = STUDY | {"steps": "1e9"}
LONG_RUN = SETTING | {"methods": "MR2", "duration": "1000"}
"""A duration that takes 10⁹ steps with Δt = 10⁻⁶."""
LESSON_EACH = 5.0
"""Seconds between two uploads of a lesson."""
WATCHED = 20.0
"""Seconds for which long runs are watched."""


def largest_lesson() -> str:
    """Return the longest possible lesson, most of it a table."""
    head = "# A table\n\n## Step\n\n"
    row = "| 1 " * 12 + "|\n"
    rule = "|---" * 12 + "|\n"
    return (
        head
        + row
        + rule
        + row * min(lessons.MOST_LINES - 6, (lessons.LONGEST - len(head)) // len(row) - 2)
    )


async def measure_studies(server: Server, done: Counter[str]) -> None:
    """Run a study of the largest size repeatedly until cancelled."""
    wire = await Wire.open(server.link(**LARGEST_STUDY))
    while True:
        await wire.send(wire.run_button, ask="run", value="")
        await wire.hear("Measured in")
        done["studies"] += 1


async def upload_lessons(server: Server, done: Counter[str]) -> None:
    """Upload the largest lesson repeatedly until cancelled."""
    wire = await Wire.open(server.link(**SETTING))
    while True:
        await wire.send(wire.lesson, text=largest_lesson())
        await wire.hear('"attr":"content"')
        done["lessons"] += 1
        await asyncio.sleep(LESSON_EACH)


async def wait_for_runs(server: Server, visitors: int) -> list[float]:
    """Return the longest wait, in seconds, until the long run of each of `visitors` begins if all
    start at once.
    """
    url = server.link(**LONG_RUN)
    wires = [await Wire.open(url) for _ in range(visitors)]

    async def begin(wire: Wire) -> float:
        asked = time.perf_counter()
        waits = False
        begun = math.inf
        await wire.send(wire.form, name="dt", text="1e-6", moved=False)
        with suppress(TimeoutError):
            async with asyncio.timeout(WATCHED):
                while True:
                    now_waits = "Waiting for its turn" in await wire.hear("<progress")
                    # Of a wait the page says nothing at first, so what it says before that does not
                    # count.
                    if now_waits and not waits:
                        waits = True
                        begun = math.inf
                    elif not now_waits:
                        begun = min(begun, time.perf_counter() - asked)
        return begun

    waited = await asyncio.gather(*(begin(wire) for wire in wires))
    for wire in wires:
        wire.connection.close()
    return list(waited)


def growth(found: Sequence[dict[str, float]]) -> float:
    """Return the growth of memory in the second half in megabytes per hour, by a straight line."""
    later = found[len(found) // 2 :]
    if len(later) < 2:
        return float("nan")
    slope = np.polyfit([row["minute"] for row in later], [row["memory"] for row in later], 1)[0]
    return float(60 * slope)


def format_growth(growth: float) -> str:
    """Return a growth in megabytes per hour in words, or a dash if it is not known."""
    return "–" if math.isnan(growth) else f"{growth:+.0f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--minutes", type=float, default=60, help="how long (default %(default)s)")
    parser.add_argument(
        "--visitors", type=int, default=20, help="how many at once (default %(default)s)"
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="processes of the server (default %(default)s)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument(
        "--studies", type=int, default=0, help="largest studies beside them (default %(default)s)"
    )
    parser.add_argument(
        "--lesson", action="store_true", help="a largest lesson every few seconds beside them"
    )
    parser.add_argument(
        "--runs", type=int, default=0, help="long runs at once, at the end (default %(default)s)"
    )
    given = parser.parse_args(arguments)
    heads = (
        "minute",
        "memory, MB",
        "sessions",
        "changes",
        "median, ms",
        "p95, ms",
        "max, ms",
        "CPU, s",
    )
    print(" ".join(f"{head:>9}" for head in heads), flush=True)
    with start_server(given.processes) as server:
        found = asyncio.run(
            soak(server, given.minutes, given.visitors, given.studies, given.lesson)
        )
        begun = asyncio.run(wait_for_runs(server, given.runs)) if given.runs else []
    half = found[len(found) // 2 :]
    rows = [
        [
            "first minute",
            f"{found[0]['memory']:.0f}",
            f"{found[0]['median']:.0f}",
            f"{found[0]['p95']:.0f}",
            "",
        ],
        [
            "second half",
            f"{statistics.fmean(row['memory'] for row in half):.0f}",
            f"{statistics.median(row['median'] for row in half):.0f}",
            f"{statistics.median(row['p95'] for row in half):.0f}",
            format_growth(growth(found)),
        ],
    ]
    print(
        table(
            (f"{given.visitors} visitors", "memory, MB", "median, ms", "p95, ms", "MB an hour"),
            rows,
        )
    )
    if begun:
        print(f"{given.runs} long runs begin after {min(begun):.1f} to {max(begun):.1f} s")
    if given.json:
        write_json(
            given.json,
            {"host": host(("polhode", "panel", "bokeh")), "minutes": found, "runs": begun},
        )


if __name__ == "__main__":
    main()
