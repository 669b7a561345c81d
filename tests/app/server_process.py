"""Start a server as a user does, and connect to it without a browser."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from timeouts import OF_REQUESTS, TIMEOUT
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from app.server import serve
from benchmarks.page import models

PROGRAM = """
import sys
from importlib.metadata import EntryPoint
from engine.cli import command as cli, page
page.entry_points = lambda **_: [EntryPoint("serve", "app.server.serve:main", "polhode.commands")]  # as if installed
sys.exit(cli.main(["serve", "--no-show", *sys.argv[1:]]))
"""

HALVES = (
    b"", b"G", b"GET /", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost", b"\x16\x03\x01\x02\x00\x01",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\nabc",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
)  # fmt: skip
"""Incomplete requests."""


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    text: str


class StartedProcess:
    """A process, with its output so far."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._files = [Path(folder, name) for name in ("out", "err")]
        with self._files[0].open("w") as out, self._files[1].open("w") as err:
            self.process = subprocess.Popen(
                command,
                cwd=serve.PAGE.parents[1],
                env=environment,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self._files[0].read_text(encoding="utf-8")

    @property
    def complaints(self) -> str:
        return self._files[1].read_text(encoding="utf-8", errors="replace")

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until its output contains a pattern."""
        end = time.monotonic() + TIMEOUT
        while True:
            gone = self.process.poll() is not None
            if found := re.search(pattern, self.said + self.complaints):
                return found
            assert not gone and time.monotonic() < end, (
                f"no {pattern!r} in:\n{self.said}{self.complaints}"
            )
            time.sleep(0.05)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        code = self.process.wait(TIMEOUT)
        return code, self.complaints


class Server:
    """A running server of `polhode serve` or `panel serve app`."""

    def __init__(self, started: StartedProcess) -> None:
        self.started = started
        self.process = started.process
        self.end = started.end
        found = started.wait_for(r"http://localhost:(\d+)(/[\w/]*)")
        self.port = int(found[1])
        self.path = found[2]

    def ask(self, path: str, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("localhost", self.port, timeout=TIMEOUT)
        try:
            connection.request(
                "GET", path, headers={name.replace("_", "-"): x for name, x in headers.items()}
            )
            answer = connection.getresponse()
            data = b"" if answer.status == 101 else answer.read()
            unpacked = (
                gzip.decompress(data) if answer.headers["Content-Encoding"] == "gzip" else data
            )
            return Answer(answer.status, answer.headers, unpacked.decode())
        finally:
            connection.close()

    def liveness(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.ask("/liveness").text)
        return found

    def raw(self, line: bytes, headers: bytes = b"", host: bytes = b"localhost") -> bytes:
        """Send a request that no client would send, and return the answer."""
        with socket.create_connection(("localhost", self.port), timeout=TIMEOUT) as connection:
            head = b"%s HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n%s\r\n" % (
                line,
                host,
                self.port,
                headers,
            )
            connection.sendall(head)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def connect(self, origin: str, **headers: str) -> Answer:
        headers |= {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
        return self.ask(
            f"{self.path.rstrip('/')}/ws",
            Origin=origin,
            Sec_WebSocket_Key="c2l4dGVlbiBieXRlcy4u",
            **headers,
        )

    def token(self, query: str = "") -> str:
        """What a fetched page needs to connect."""
        found = re.search(r'"token":\s*"([^"]+)"', self.ask(f"{self.path}{query}").text)
        assert found, "the page has no token to connect with"
        return found[1]


def event_of_script(model: str, **data: Any) -> dict[str, Any]:
    """What the script of a component sends."""
    entries = [["model", {"id": model}], ["data", {"type": "map", "entries": list(data.items())}]]
    happened = {
        "type": "event",
        "name": "data_event",
        "values": {"type": "map", "entries": entries},
    }
    return {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": happened}


def find_component(document: dict[str, Any], words: str) -> str:
    """The id of the smallest component with these words in its parameters."""
    found = [
        one
        for one in models(document)
        if "class_name" in one["attributes"] and words in json.dumps(one)
    ]
    return str(min(found, key=lambda one: len(json.dumps(one)))["id"])


class Visitor:
    """The client's end of a page's connection."""

    present: ClassVar[list[Visitor]] = []

    def __init__(self, connection: WebSocketClientConnection) -> None:
        self.connection = connection
        self.token = ""
        self._stream = connection.protocol.stream  # None after a disconnection
        self._stream.set_nodelay(True)  # as browsers do
        self.present.append(self)

    @classmethod
    async def with_token(cls, served: Server, *protocols: str, cookie: str = "") -> Visitor:
        """Connect with this token, valid or not."""
        address = f"localhost:{served.port}"
        request = HTTPRequest(
            f"ws://{address}{served.path.rstrip('/')}/ws",
            headers={"Origin": f"http://{address}", "Cookie": cookie},
            **OF_REQUESTS,
        )
        return cls(
            await websocket_connect(
                request, subprotocols=list(protocols) or None, max_message_size=100_000_000
            )
        )

    @classmethod
    async def of_page(cls, served: Server, query: str = "") -> Visitor:
        """Fetch a page and connect as it does."""
        token = await asyncio.to_thread(served.token, query)
        visitor = await cls.with_token(served, "bokeh", token)
        visitor.token = token
        for _ in range(3):  # the server greets in three parts
            assert await visitor.hear() is not None
        return visitor

    def fall_silent(self) -> None:
        """Send nothing any more, not even answers to pings."""
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        sent.set_result(None)
        self.connection.protocol._write_frame = lambda *_, **__: sent

    def leave(self) -> None:
        """Close the connection, at once."""
        self._stream.close()
        self.connection.close()

    async def hear(self) -> str | bytes | None:
        """Return the next part of a message; None when the connection is closed."""
        return await asyncio.wait_for(self.connection.read_message(), TIMEOUT)

    async def hear_of(self, words: str) -> str:
        """The next part of a message that has these words."""
        while (frame := await self.hear()) is not None:
            if isinstance(frame, str) and words in frame:
                return frame
        raise AssertionError(f"disconnected before {words!r} was heard")

    async def document(self) -> dict[str, Any]:
        """Return the page's document and confirm that it is shown; until then the server delays
        events.
        """
        await self.say("PULL-DOC-REQ", {})
        found: dict[str, Any] = json.loads(await self.hear_of('{"doc"'))["doc"]
        await self.happen("document_ready")
        assert await self.answer() == "OK"
        return found

    async def say(self, kind: str, content: Any, *buffers: bytes) -> None:
        """Send a message; its content names each buffer `x`."""
        head: dict[str, Any] = {"msgid": f"{time.monotonic_ns()}", "msgtype": kind}
        if buffers:
            head["num_buffers"] = len(buffers)
        for part in (head, {}, content):
            await self.connection.write_message(json.dumps(part))
        for buffer in buffers:
            await self.connection.write_message(json.dumps({"id": "x"}))
            await self.connection.write_message(buffer, binary=True)

    async def patch(self, *events: Any) -> None:
        await self.say("PATCH-DOC", {"events": list(events)})

    async def set(self, model: str, name: str, value: Any) -> None:
        await self.patch(
            {"kind": "ModelChanged", "model": {"id": model}, "attr": name, "new": value}
        )

    async def send_msg(self, model: str, data: Any) -> None:
        """Send a message as a component's script does."""
        await self.happen("data_event", ["model", {"id": model}], ["data", data])

    async def happen(self, name: str, *entries: Any) -> None:
        """Send an event as the browser does."""
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": entries}}
        await self.patch({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})

    async def answer(self) -> str | None:
        """Return the answer to the last message: OK or ERROR; None when the connection is
        closed.
        """
        while True:
            frame = await self.hear()
            if frame is None:
                return None
            if isinstance(frame, str) and (found := re.search(r'"msgtype":\s*"(OK|ERROR)"', frame)):
                return found[1]


def run_visit(what: Coroutine[Any, Any, Any]) -> Any:
    """Run a visit and return its result; all visitors leave at its end."""

    async def play() -> Any:
        try:
            return await asyncio.wait_for(what, TIMEOUT)
        finally:
            while Visitor.present:
                Visitor.present.pop().leave()
            await asyncio.sleep(0.05)

    return asyncio.run(play())


@contextmanager
def start_process(command: list[str], **environment: str) -> Iterator[StartedProcess]:
    """Run a process until the end of the block."""
    with tempfile.TemporaryDirectory() as folder:
        started = StartedProcess(command, Path(folder), os.environ | environment)
        try:
            yield started
        finally:
            if started.process.poll() is None:
                started.process.kill()
            started.process.wait()


@contextmanager
def start_server(*options: str, **environment: str) -> Iterator[StartedProcess]:
    """`polhode serve`."""
    with start_process([sys.executable, "-c", PROGRAM, *options], **environment) as started:
        yield started


@contextmanager
def start_panel_server(*options: str) -> Iterator[StartedProcess]:
    """`panel serve app`."""
    command = [sys.executable, "-m", "panel", "serve", "app", "--port", "0", *options]
    with start_process(command) as started:
        yield started
