"""Faults of a server: messages that no browser sends, silent connections, and a clock that
jumps.
"""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import os
import random
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from odd_texts import ODD
from recording import SESSION, number_models, rename_models
from server_process import (
    HALVES,
    PROGRAM,
    Server,
    Visitor,
    event_of_script,
    find_component,
    run_visit,
    start_process,
    start_server,
)
from timeouts import wait_until
from trials import Cases, at_random, fuzzed, memory, one_by_one, trial, trying

from app.server.http import MOST_WAITING

MOST_GROWTH = 400.0
"""Megabytes by which a server may grow in a trial; each session of the last minute takes some."""


@contextmanager
def watch(served: Server) -> Iterator[None]:
    """The server still answers, logs no traceback, and does not grow."""
    with trying(served.process.pid):
        before = memory()
        yield
        assert served.liveness()["alive"] and served.ask(served.path).status in (200, 503)
        assert "Traceback" not in served.started.complaints, served.started.complaints[-3_000:]
        grown = memory() - before
    assert grown < MOST_GROWTH, f"the server has grown by {grown:.0f} MB"


# -------------------------------------------------------------------------------------------------
# messages

RECORDED: list[Any] = json.loads(SESSION.read_text(encoding="utf-8"))
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=30),
        st.sampled_from(ODD[:60]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
NAMES = (
    "id",
    "kind",
    "attr",
    "new",
    "model",
    "events",
    "msg_type",
    "msg_data",
    "name",
    "values",
    "type",
    "entries",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all parts of a message."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


@st.composite
def changed_messages(draw: st.DrawFn) -> Any:
    """A message of the recorded session with up to three parts replaced, omitted or renamed."""
    message = copy.deepcopy(draw(st.sampled_from(RECORDED)))
    for _ in range(draw(st.integers(1, 3))):
        every = list(places(message))
        if not every:
            return message
        *way, last = draw(st.sampled_from(every))
        part = message
        for key in way:
            part = part[key]
        match draw(st.integers(0, 3)):
            case 0:
                part[last] = draw(JSON)
            case 1:
                other = draw(st.sampled_from(RECORDED))
                part[last] = copy.deepcopy(other)
            case 2:
                del part[last]
            case _ if isinstance(part, dict):
                part[draw(st.sampled_from(NAMES))] = part.pop(last)
            case _:
                part *= 2
    return message


class Sender:
    """A visitor that sends invalid messages, and reconnects when the server closes the
    connection.
    """

    def __init__(self, served: Server) -> None:
        self._served = served
        self._visitor: Visitor | None = None
        self._names: dict[str, str] = {}
        self.loop = asyncio.new_event_loop()

    def send(self, message: Any) -> None:
        """Send it, and wait for an answer or the end of the connection."""
        self.loop.run_until_complete(asyncio.wait_for(self._send(message), 600))

    async def _send(self, message: Any) -> None:
        if self._visitor is None:
            self._visitor = await Visitor.of_page(self._served)
            self._names = number_models(await self._visitor.document())
        await self._visitor.say(
            "PATCH-DOC", rename_models(message, lambda name: self._names.get(name, name))
        )
        if await self._visitor.answer() is None:
            self.end()

    def end(self) -> None:
        """Leave."""
        if self._visitor is not None:
            self._visitor.leave()
            Visitor.present.remove(self._visitor)
            self._visitor = None


@trial("changed messages of a recorded session", short=10, full=5_000)
def messages(folder: Path) -> Iterator[Cases]:
    with start_server("--no-warm", "--port", "0") as started:
        sender = Sender(served := Server(started))
        served.ask(served.path)
        with watch(served):
            yield fuzzed(changed_messages(), sender.send)
            sender.end()
        sender.loop.run_until_complete(asyncio.sleep(0.05))
        sender.loop.close()


LESSON = "# A table\n\n## Step\n\n" + "| 1 " * 12 + "|\n" + "|---" * 12 + "|\n" + "| 1 |\n" * 600
MESH = (
    b"\n".join(b"v %d %d %d" % (i % 2, i // 2 % 2, i // 4) for i in range(8)) + b"\nf 1 2 3" * 9_000
)


async def send_burst(visitor: Visitor, number: int) -> None:
    """Send what a page could send, far more often than a person could."""
    document = await visitor.document()
    bar, form, export, lesson, player = (
        find_component(document, words)
        for words in (
            "data-ask='reset'", '["duration", "', 'data-ask=\\"demo\\"', '"LessonPanel"', '"Player"',
        )
    )  # fmt: skip
    kinds: list[list[Any]] = [
        [event_of_script(form, name="dt", text=f"{i + 1}e-3", moved=True) for i in range(300)],
        [event_of_script(bar, ask=("undo", "reset", "redo")[i % 3], value="") for i in range(300)],
        [event_of_script(export, ask=("demo", "runs")[i % 2], value="csv") for i in range(300)],
        [event_of_script(lesson, text=LESSON, file=f"{i}.md") for i in range(30)],
        [
            event_of_script(player, name=f"{i}.obj", part=0, parts=1, data={"type": "bytes", "data": {"id": "x"}})
            for i in range(100)
        ],
    ]  # fmt: skip
    events = kinds[number % len(kinds)]
    buffers = [MESH] if events[0]["msg_data"]["values"]["entries"][0][1]["id"] == player else []
    await visitor.say("PATCH-DOC", {"events": events}, *buffers)


@trial("bursts of well-formed messages", short=5, full=500)
def bursts(folder: Path) -> Iterator[Cases]:
    with start_server("--no-warm", "--port", "0") as started:
        served = Server(started)
        served.ask(served.path)

        def check(number: int) -> None:
            async def play() -> None:
                many = await Visitor.of_page(served, "?page=lab&picture=body")
                other = await Visitor.of_page(served)
                await other.document()
                await send_burst(many, number)
                connections = [
                    await Visitor.with_token(served, "bokeh", many.token)
                    for _ in range(number % 20)
                ]
                await other.happen("document_ready")
                assert await other.answer() == "OK"
                assert not connections or await connections[-1].hear() is not None

            run_visit(play())

        with watch(served):
            yield one_by_one(check)


# -------------------------------------------------------------------------------------------------
# connections

LINE = b"GET /liveness HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n"


def handles(process: int) -> int:
    """Return the number of open files and connections of a process."""
    return len(os.listdir(f"/proc/{process}/fd"))


@trial(
    "connections that stop in the middle of a request, and one that sends a byte at a time",
    short=9,
    full=2_000,
)
def slow_sockets(folder: Path) -> Iterator[Cases]:
    with start_server("--no-warm", "--port", "0") as started:
        served = Server(started)
        served.ask(served.path)
        before = handles(served.process.pid)

        def cases(first: int, count: int) -> None:
            for begin in range(first, first + count, 100):
                silent = []
                for number in range(begin, min(begin + 100, first + count)):
                    silent.append(socket.create_connection(("localhost", served.port), timeout=600))
                    silent[-1].sendall(HALVES[number % len(HALVES)])
                with socket.create_connection(("localhost", served.port), timeout=600) as slow:
                    slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    for byte in LINE % served.port:
                        slow.sendall(bytes([byte]))
                        if byte == ord(":"):
                            assert served.liveness()["alive"]
                    assert slow.recv(100).startswith(b"HTTP/1.1 200 ")
                assert served.ask(served.path).status == 200
                for one in silent:
                    one.close()
                wait_until(
                    lambda: handles(served.process.pid) <= before + 2,
                    "the server has closed what others closed",
                )

        with watch(served):
            yield cases


UNCONNECTED = (
    "", "?page=lab", "?show=energy&caption={}", "?page={}", "?lesson={}", "?controls=dt&dt=0.{}",
    "?page=methods&open={}", "autoload.js?bokeh-autoload-element=x{}",
)  # fmt: skip
"""Addresses of pages, most of them with words that differ each time."""
MOST_DOCUMENTS = len(UNCONNECTED) + MOST_WAITING
"""Documents of the first page of each kind, and of pages whose visitors may still connect."""


def count_documents(served: Server) -> int:
    """Return the number of documents that a server has made."""
    found = re.search(r"polhode_sessions_total (\d+)", served.ask("/metrics").text)
    assert found
    return int(found[1])


@trial(
    "eight requests at once for pages that nobody connects for, while a visitor is answered",
    short=4,
    full=30,
)
def unconnected_pages(folder: Path) -> Iterator[Cases]:
    with start_server("--no-warm", "--port", "0") as started:
        served = Server(started)
        visits = itertools.count(1)

        def check(number: int) -> None:
            async def play() -> None:
                visitor = await Visitor.of_page(served)
                paths = [f"{served.path}{each.format(number)}" for each in UNCONNECTED]
                asked = [asyncio.to_thread(served.ask, path) for path in paths]
                _, *answers = await asyncio.gather(visitor.document(), *asked)
                assert {answer.status for answer in answers} == {200}

            run_visit(play())
            assert count_documents(served) <= MOST_DOCUMENTS + next(visits)

        with watch(served):
            yield one_by_one(check)


OFTEN = """
from app.server import serve
serve.PING_INTERVAL = 2.0
"""


@trial("visitors whose browsers fall silent without closing the connection", short=2, full=6)
def silent_visitors(folder: Path) -> Iterator[Cases]:
    command = [sys.executable, "-c", OFTEN + PROGRAM, "--no-warm", "--port", "0"]
    with start_process(command) as started:
        served = Server(started)

        async def fall_silent() -> None:
            visitor = await Visitor.of_page(served, "?page=papers")
            visitor.fall_silent()
            while await visitor.hear() is not None:
                pass

        async def play(number: int) -> None:
            await asyncio.gather(*(fall_silent() for _ in range(number)))

        def cases(first: int, count: int) -> None:
            for begin in range(first, first + count, 50):
                run_visit(play(min(50, first + count - begin)))

        with watch(served):
            yield cases


# -------------------------------------------------------------------------------------------------
# the clock

WITH_A_CLOCK = """
import datetime, pathlib, sys, time, types
import bokeh.server.views.ws, bokeh.util.token
now, ahead = time.time, pathlib.Path(sys.argv.pop(1))
time.time = lambda: now() + float(ahead.read_text())

class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

# Panel compares Bokeh's dates of tokens with time.time().
for module in (bokeh.server.views.ws, bokeh.util.token):
    module.dt = types.SimpleNamespace(datetime=Clock, timezone=datetime.timezone)
"""


@trial(
    "the server's time of day jumps by up to a day, before and after a visitor connects",
    short=0,
    full=200,
)
def clock_of_servers(folder: Path) -> Iterator[Cases]:
    ahead = folder / "ahead"

    def jump(seconds: float) -> None:
        (folder / "next").write_text(str(seconds))
        os.replace(folder / "next", ahead)

    jump(0.0)
    program = [
        sys.executable,
        "-c",
        WITH_A_CLOCK + PROGRAM,
        str(ahead),
        "--no-warm",
        "--port",
        "0",
        "--visitors",
        "1000",
    ]
    with start_process(program) as started:
        served = Server(started)

        cases = itertools.count(1)

        def wait_until_empty() -> None:
            wait_until(
                lambda: served.liveness()["visitors"] == 0, "the sessions of all have been removed"
            )

        def check(chance: random.Random) -> None:
            async def play() -> None:
                there = await Visitor.of_page(served)
                jump(chance.choice((-86_400.0, -3_600.0, -60.0, 30.0, 3_600.0, 86_400.0)))
                assert await there.document(), "connected visitors stay"
                assert await (await Visitor.of_page(served)).document(), "new visitors are admitted"

            assert served.liveness()["alive"]
            run_visit(play())
            if (
                next(cases) % 40 == 0
            ):  # else the number of sessions that live at once depends on the machine's speed
                wait_until_empty()

        with watch(served):
            yield at_random(check)
            wait_until_empty()
