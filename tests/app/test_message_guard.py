"""Validation of messages from browsers: any link gives a page, and nonsense gives at most a line in
the log.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import inspect
import logging
import re
import socket
import time
import warnings
import zlib
from collections.abc import Iterator
from html import unescape
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bokeh.core import serialization
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.models import Range1d
from bokeh.server.connection import ServerConnection
from bokeh.server.server import Server as BokehServer
from bokeh.server.views import ws
from bokeh.util.token import generate_jwt_token, generate_session_id, get_session_id
from bokeh.util.warnings import BokehUserWarning
from covering import first, some
from panel.io.application import Application
from server_process import (
    Server,
    Visitor,
    event_of_script,
    find_component,
    run_visit,
    start_panel_server,
    start_server,
)
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClosedError, WebSocketProtocol13, websocket_connect

import app.pages.lab  # noqa: F401  all components
from app.asset_files import SCRIPTS
from app.browser.addresses import read_words, write_search
from app.browser.component import Component
from app.browser.page_links import PAGES
from app.browser.script_api import ScriptApi
from app.compat.server import (
    KNOWN_REFERENCE,
    LATE_MESSAGE,
    close_silent_connections,
    skip_vain_compression,
)
from app.pages.routes import open_page
from app.scene.player import Player
from app.server import log, message_guard
from app.server.budget import MOST, Budget, Spending
from app.views.controls.form import Form
from app.views.controls.picker import Picker
from app.views.controls.switches import Switches
from app.views.dialogs.html_block import HtmlBlock
from app.views.dialogs.notice import Notice
from app.views.plots.plot_canvas import PlotCanvas
from app.views.tables.gallery_cards import Gallery
from benchmarks.page import models

NO_TEXT = "its value in the link is not text."


@pytest.mark.parametrize(
    ("query", "said"),
    first([
        ("?a=b?c", "'a' is no name that a link can carry."),
        ("??", "'?' is no name that a link can carry."),
        ("?dt=%00", f"dt: {NO_TEXT}"),
        ("?problem=%ff%fe", f"problem: {NO_TEXT}"),
        ("?%00=1", f"\\x00: {NO_TEXT}"),
        ("?problem=free#a#b", "problem: "),
        ("?dt=" + "1" * 5000, "The link has more than 4000 characters and was not read."),
        ("?" + "&".join(f"a{i}=" for i in range(100)), "Only the first 60 words of the link were read."),
        ("?page=methods?x", "There is no page 'methods?x'."),
        ("?page=methods&open=%00", f"open: {NO_TEXT}"),
        ("?page=papers&open=%ff", f"open: {NO_TEXT}"),
        ("?page=studies&study=%ff", f"study: {NO_TEXT}"),
        ("?page=two-bodies&G=%00", f"G: {NO_TEXT}"),
    ], 3),
)  # fmt: skip
def test_any_link_gives_a_page_that_says_what_could_not_be_read(query: str, said: str) -> None:
    page, _ = open_page(query)
    report = "".join(part.html for part in page.select(Notice))
    assert said in unescape(report)


def test_a_session_has_the_words_of_the_link_that_it_was_opened_with() -> None:
    arguments = {"problem": [b"free"], "\xc3\xa9": [b"\xff", b"a b&c=d"], "": [b"?"]}
    assert read_words(write_search(arguments)) == (
        {"problem": "free", "é": "a b&c=d", "": "?"},
        [f"é: {NO_TEXT}"],
    )


def test_a_connection_may_close_after_its_session_has_ended() -> None:
    """Bokeh discards the session of a visitor who is gone, and may learn later that the connection
    is closed.
    """
    lost: list[Any] = []
    handler: Any = SimpleNamespace(
        connection=ServerConnection.__new__(ServerConnection),
        application=SimpleNamespace(client_lost=lost.append),
    )
    handler.connection._session = None
    message_guard._on_close(handler)
    assert lost == [handler.connection]


def test_a_message_that_arrives_after_its_visitor_has_left_is_dropped() -> None:
    handler: Any = SimpleNamespace(connection=ServerConnection.__new__(ServerConnection))
    handler.connection._session = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_guard, "_closed", ())
        assert asyncio.run(message_guard._on_message(handler, "{}")) is None


def test_a_connection_waits_for_its_visitors_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting takes time from the visitor's budget, so that nobody who connects again and again
    keeps others waiting.
    """
    accepted = []
    session: Any = type("Session", (), {})()
    handler: Any = type("Handler", (), {"request": SimpleNamespace(headers={})})()

    async def accept(handler: Any) -> None:
        accepted.append(handler)

    monkeypatch.setitem(message_guard.internals.ORIGINAL, "get", accept)
    monkeypatch.setattr(message_guard.internals, "has_left", lambda _: False)
    monkeypatch.setattr(message_guard, "_check_origin", lambda *_: True)
    monkeypatch.setattr(message_guard, "find_named_session", lambda _: session)
    monkeypatch.setattr(message_guard, "has_valid_token", lambda _: True)

    async def connect() -> list[Any]:
        async with message_guard._find_budget(session).turn:
            waiting = asyncio.ensure_future(message_guard._get(handler))
            for _ in range(10):
                await asyncio.sleep(0)
            early = list(accepted)
        await waiting
        return early

    assert asyncio.run(connect()) == [] and accepted == [handler]


def test_an_address_that_sends_invalid_tokens_keeps_only_itself_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    accepted = []
    keys: dict[str, Any] = {"secret_key": b"a secret of some length", "signed": True}
    server = SimpleNamespace(secret_key=keys["secret_key"], sign_sessions=True, _sessions={})
    server.application_context = server
    valid = generate_jwt_token(generate_session_id(**keys), **keys)
    content, _, signature = valid.partition(".")
    forged = [f"{content}.{signature[::-1]}", content, "x", ""]

    async def accept(handler: Any) -> None:
        accepted.append(handler.request.token)

    def make_request(token: str) -> Any:
        headers = {"Sec-WebSocket-Protocol": f"bokeh, {token}"}
        request = SimpleNamespace(headers=headers, remote_ip="192.0.2.1", token=token)
        handler = type("Handler", (), {"request": request, "application": server})()
        handler.application_context = server
        return handler

    monkeypatch.setitem(message_guard.internals.ORIGINAL, "get", accept)
    monkeypatch.setattr(message_guard.internals, "has_left", lambda _: False)
    monkeypatch.setattr(message_guard, "_check_origin", lambda *_: True)

    async def connect() -> list[str]:
        async with message_guard._find_budget_of_address("192.0.2.1").turn:
            waiting = [
                asyncio.ensure_future(message_guard._get(make_request(token)))
                for token in (*forged, valid)
            ]
            for _ in range(10):
                await asyncio.sleep(0)
            early = list(accepted)
        await asyncio.gather(*waiting)
        return early

    assert asyncio.run(connect()) == [valid] and accepted == [valid, *forged]


def test_others_go_first_after_each_change_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """And those that exceed the visitor's time are left out."""
    ready = {"type": "event", "name": "document_ready"}
    event = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": ready}
    message = SimpleNamespace(content={"events": [event] * 20})
    connection: Any = SimpleNamespace(session=SimpleNamespace(document=Document()))
    went: list[str] = []

    async def apply_events(*_: Any) -> float:
        went.append("a change")
        return MOST / 9.5

    async def answer_others() -> None:
        while True:
            await asyncio.sleep(0)
            if went[-1:] == ["a change"]:
                went.append("another")

    async def play() -> None:
        others = asyncio.ensure_future(answer_others())
        with pytest.raises(message_guard.InvalidMessage, match="10 of 20 changes at once"):
            await message_guard._apply(connection, message, Budget(Spending(time.monotonic)))
        others.cancel()

    monkeypatch.setattr(message_guard, "apply_events", apply_events)
    monkeypatch.setattr(message_guard.internals, "has_session", lambda _: True)
    asyncio.run(play())
    assert went == [*["a change", "another"] * 9, "a change"]


def test_two_unanswered_pings_close_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ServerConnection, "send_ping", ServerConnection.send_ping)
    close_silent_connections(2)

    def ping_until_closed(answers: int) -> int:
        """Return the number of pings to a browser that answers so many of them."""
        connection = ServerConnection.__new__(ServerConnection)
        connection._ping_count = 0
        closed = []
        socket: Any = SimpleNamespace(latest_pong=-1, close=lambda *_: closed.append(True))
        connection._socket = socket

        def ping(data: bytes) -> None:
            if int(data) < answers:
                socket.latest_pong = int(data)

        socket.ping = ping
        while not closed and connection._ping_count < 10:
            connection.send_ping()
        return connection._ping_count

    assert [ping_until_closed(answers) for answers in (0, 1, 5, 10)] == [2, 3, 7, 10]


# -------------------------------------------------------------------------------------------------
# properties


def kinds(made: type[Component] = Component) -> Iterator[type[Component]]:
    """All components."""
    for kind in made.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_what_a_script_sets_is_taken() -> None:
    found = {}
    for kind in kinds():
        script = (SCRIPTS / kind.script).read_text(encoding="utf-8")
        found[kind.__name__] = {
            *re.findall(r"\bmodel\.(\w+) \+?= ", script),
            *re.findall(r'\bask\?\.\("(\w+)"', script),
        }
        if found[kind.__name__] - {"file"}:
            assert kind.accepts is not Component.accepts, (
                f"a browser sets {found[kind.__name__]} of {kind.__name__}"
            )
    assert found["Switches"] == {"chosen"} and found["Gallery"] == {"opened"}


AXIS = Switches(sets=[["Axis", "about", ["Log", "Linear"], "switch"]], chosen=["Log"])


@pytest.mark.parametrize(
    ("part", "name", "good", "bad"),
    [
        (ScriptApi(), "undo", 3, "3"),
        (ScriptApi(), "state", None, {}),
        (Form(lambda *_: None), "folded", True, 1),
        (Form(lambda *_: None), "values", None, {"dt": 3}),
        (AXIS, "chosen", ["Linear"], ["Sideways"]),
        (AXIS, "chosen", ["Log"], [["Log"]]),
        (AXIS, "chosen", ["Log"], []),
        (AXIS, "sets", None, [1]),
        (Player(bodies=[["own", "Own"]]), "body", "own", "other"),
        (Player(), "scene", None, "x"),
        (PlotCanvas(), "turned", ["Casimir"], [["Casimir"]]),
        (PlotCanvas(), "turned", [], ["x"] * 51),
        (Gallery(), "opened", "", {"type": "map"}),
        (Gallery(), "html", None, "<script>"),
        (Picker(lambda _: None), "groups", None, [1, 2]),
        (HtmlBlock(), "texts", None, {"a": 1}),
    ],
)
def test_a_component_takes_what_a_person_can_set(
    part: Component, name: str, good: Any, bad: Any
) -> None:
    assert good is None or part.accepts(name, good)
    assert not part.accepts(name, bad)


def test_changes_pass_and_nonsense_does_not() -> None:
    document = Document()
    times = Range1d(0, 1)
    root = AXIS.get_root(document)
    document.add_root(root)
    document.add_root(times)
    axis = {"id": root.data.id}
    here = {"id": times.id}

    def change(model: Any, name: Any, new: Any, kind: str = "ModelChanged") -> Any:
        return {"events": [{"kind": kind, "model": model, "attr": name, "new": new}]}

    def happened(kind: str, data: Any) -> Any:
        return {"events": [{"kind": "MessageSent", "msg_type": kind, "msg_data": data}]}

    for good in (
        change(here, "start", 0.5),
        change(here, "end", {"type": "number", "value": "nan"}),
        change(axis, "chosen", ["Linear"]),
        happened("bokeh_event", {"type": "event", "name": "document_ready"}),
    ):
        message_guard.check(document, good)
    for bad in (
        *(None, [], {}, {"events": 3}, {"events": [3]}, {"events": [{}]}),
        *(change(model, "start", 1) for model in (None, 3, {"id": 3}, {"id": "p0"}, {"id": []})),
        *(change(here, name, 1) for name in (3, None, [])),
        *(
            change(here, "start", new)
            for new in ([1], {"type": "object", "name": "Range1d", "id": "x"}, "a" * 1000)
        ),
        *(change(axis, *new) for new in (("chosen", ["x"]), ("sets", []), ("width", 3))),
        change({"id": root.id}, "width", 3),
        *(
            change(here, "start", 1, kind)
            for kind in ("ColumnsStreamed", "RootAdded", "TitleChanged", "None", "")
        ),
        *(
            happened(kind, data)
            for kind, data in (("other", 1), ("bokeh_event", 1), ("bokeh_event", {"name": "pan"}))
        ),
    ):
        with pytest.raises(message_guard.InvalidMessage):
            message_guard.check(document, bad)


def test_older_values_of_the_same_field_are_dropped() -> None:
    document = Document()
    times = Range1d(0, 1)
    form = Form(lambda *_: None)
    document.add_root(root := form.get_root(document))
    document.add_root(times)

    def change(name: str, new: float) -> dict[str, Any]:
        return {"kind": "ModelChanged", "model": {"id": times.id}, "attr": name, "new": new}

    entered = [event_of_script(root.id, name="dt", text=str(i)) for i in range(3)]
    other = event_of_script(root.id, name="duration", text="1")
    tap = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": {"name": "tap"}}
    odd = [event_of_script(root.id, name=[1]), event_of_script("nothing", name="dt")]
    sent = [entered[0], tap, change("start", 1), entered[1], *odd, other, change("end", 2)]
    sent += [change("start", 3), tap, entered[2]]
    message_guard.check(document, {"events": sent})
    assert message_guard.keep_newest(document, sent) == [
        tap, *odd, other, change("end", 2), change("start", 3), tap, entered[2],
    ]  # fmt: skip


# -------------------------------------------------------------------------------------------------
# the log


def test_a_record_is_one_line_and_a_traceback_is_written_once() -> None:
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(handler.format(record))  # type: ignore[method-assign]
    handler.addFilter(log.Short())
    logger = logging.getLogger("test of the log")
    logger.addHandler(handler)
    try:
        for i in range(3):
            try:
                raise ValueError(f"a visitor's\nwords {i}")
            except ValueError:
                logger.exception("it failed: %r", "x" * 10_000)
        logger.warning("two\nlines\x1b[2Jand a bell\a")
    finally:
        logger.removeHandler(handler)
    assert "Traceback" in lines[0]
    assert all(len(line) <= log.LONGEST + 2 and "\n" not in line for line in lines[1:])
    assert lines[3] == "two lines\\x1b[2Jand a bell\\x07"


def test_a_line_that_fits_is_left_as_it_is() -> None:
    fits = "a " * (log.LONGEST // 2 - 1) + "ab"
    assert log.format_line(fits) == fits and len(fits) == log.LONGEST
    assert log.format_line(f"{fits}c") == f"{fits} …"


def test_messages_to_who_has_left_are_told_once_a_minute() -> None:
    now = [0.0]
    reports = []
    left = log.LateMessages(lambda: now[0])

    def warn(words: str) -> None:
        record = logging.LogRecord("bokeh.server.views.ws", logging.WARNING, "", 0, words, (), None)
        if left.filter(record):
            reports.append(record.getMessage())

    assert LATE_MESSAGE in inspect.getsource(ws), "Bokeh says it in other words"
    for _ in range(500):
        now[0] += 0.1
        warn(LATE_MESSAGE)
    assert reports == ["visitors have left: 1 message could not be sent to them"]
    warn("something else")
    now[0] = 61.0
    warn(LATE_MESSAGE)
    assert reports[1:] == [
        "something else",
        "visitors have left: 500 messages could not be sent to them",
    ]


def test_a_task_that_wrote_to_a_visitor_who_has_left_logs_no_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    late = log.LateMessages()
    logger = logging.getLogger("asyncio.tasks")
    logger.addFilter(late)
    try:
        for error in (WebSocketClosedError(), WebSocketClosedError(), OSError("another")):
            logger.error("Task exception was never retrieved", exc_info=error)
    finally:
        logger.removeFilter(late)
    assert [
        (record.getMessage().partition(" [")[0], bool(record.exc_info)) for record in caplog.records
    ] == [
        ("visitors have left: 1 message could not be sent to them", False),
        ("Task exception was never retrieved", True),
    ]


def test_the_log_has_no_warning_of_a_model_that_is_described_again() -> None:
    assert f'warn(f"{KNOWN_REFERENCE} ' in inspect.getsource(serialization), (
        "Bokeh says it in other words"
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        log.keep_short()
        warnings.warn(f"{KNOWN_REFERENCE} 'p1045'", BokehUserWarning, stacklevel=1)
        warnings.warn("something else", BokehUserWarning, stacklevel=1)
    assert [str(one.message) for one in said] == ["something else"]


# -------------------------------------------------------------------------------------------------
# a server


def test_no_part_of_a_message_waits_until_the_one_before_is_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(message_guard.WSHandler, "open", message_guard._open)

    async def play() -> int:
        server = BokehServer({"/": Application()}, port=0)
        server.start()
        address = f"localhost:{server.port}"
        request = HTTPRequest(f"ws://{address}/ws", headers={"Origin": f"http://{address}"})
        token = generate_jwt_token(ID("a visitor"))
        visitor = await websocket_connect(request, subprotocols=["bokeh", token])
        assert await visitor.read_message()
        (connection,) = server._tornado._clients
        found: int = connection._socket.ws_connection.stream.socket.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY
        )
        visitor.close()
        while await visitor.read_message() is not None:
            pass  # until the connection is closed on both sides
        server.stop()
        return found

    assert asyncio.run(play())


@pytest.fixture(
    scope="module",
    params=[start_server, pytest.param(start_panel_server, marks=pytest.mark.exhaustive)],
    ids=["polhode serve", "panel serve app"],
)
def served(request: pytest.FixtureRequest) -> Iterator[Server]:
    with request.param(
        *(["--no-warm", "--port", "0"] if request.param is start_server else [])
    ) as started:
        yield Server(started)
        assert "Traceback" not in started.complaints, started.complaints


LIGHT = "?page=papers"
"""The page that takes the least time to create."""

ODD_LINKS = "??", "?a=%00", "?theme=%ff", "?problem=free#a#b"


FOREIGN = (
    b"evil.example.org", b"localhost.evil.org", b"evil-localhost", b"a:b:c", b"", b"[::2]", b"localhost, localhost",
    b"127.0.0.1.nip.io", b"localhost@evil.org", b"x" * 1000,
)  # fmt: skip


def test_only_a_host_that_the_operator_named_is_answered(served: Server) -> None:
    """Before any session exists, for any path, and with any proxy header."""
    for path in (
        served.path,
        "/liveness",
        "/static/js/bokeh.min.js",
        "/nowhere",
        f"{served.path}/autoload.js",
        "/%00",
    ):
        for host in FOREIGN:
            asked = served.raw(f"GET {path}".encode(), b"X-Forwarded-Host: localhost\r\n", host)
            assert re.match(rb"HTTP/1.1 4(21|00) ", asked), (path, host, asked[:60])
            assert (b"token" not in asked and b"<html" in asked) or b" 400 " in asked
    for host in (b"localhost", b"LocalHost", b"localhost.", b"127.0.0.1", b"[::1]"):
        assert served.raw(b"GET /static/js/bokeh.min.js", host=host).startswith(b"HTTP/1.1 200 "), (
            host
        )
    assert served.raw(f"GET {served.path}".encode(), b"Host: localhost\r\n").startswith(
        b"HTTP/1.1 400 "
    )
    assert "Traceback" not in served.started.complaints


def test_a_page_of_a_foreign_host_does_not_connect(served: Server) -> None:
    """DNS rebinding: the foreign host's name leads here, so it is both the origin and the host."""
    here = f"localhost:{served.port}"
    foreign = f"evil.example.org:{served.port}"
    for origin, host, status in [
        (here, here, 101),
        (f"LOCALHOST:{served.port}", here, 101),
        (f"[::1]:{served.port}", f"[::1]:{served.port}", 101),
        (foreign, foreign, 421),
        (here, foreign, 421),
        (foreign, here, 403),
        (f"localhost:{served.port + 1}", here, 403),
        (f"localhost:{served.port + 1}", f"localhost:{served.port + 1}", 421),
        ("[", here, 403),
        (here, f"LocalHost:{served.port}", 101),
        (here, f"localhost.:{served.port}", 101),
        (f"localhost.:{served.port}", f"localhost.:{served.port}", 101),
        (foreign.upper(), foreign.upper(), 421),
        (f"evil.example.org.:{served.port}", f"evil.example.org.:{served.port}", 421),
        (f"evil.example.org.:{served.port}", here, 403),
    ]:
        assert served.connect(f"http://{origin}", Host=host).status == status, (origin, host)
    for origin, host, named, status in [
        (here, here, foreign, 101),
        (foreign, foreign, here, 421),
        (here, foreign, here, 421),
        (foreign, here, foreign, 403),
    ]:
        found = served.connect(f"http://{origin}", Host=host, X_Forwarded_Host=named)
        assert found.status == status, (origin, host, named)
    assert served.connect("null").status == served.connect(f"file://{here}").status == 403


@pytest.mark.exhaustive
def test_a_script_of_a_foreign_page_reads_no_token(served: Server) -> None:
    script = f"{served.path.rstrip('/')}/autoload.js?bokeh-autoload-element=x"
    here = f"http://localhost:{served.port}"
    assert served.ask(script, Origin=here).headers["Access-Control-Allow-Origin"] is not None
    assert (
        served.ask(script, Origin="http://evil.example.org").headers["Access-Control-Allow-Origin"]
        is None
    )


def test_no_link_leads_into_a_session_that_somebody_else_has_opened(served: Server) -> None:
    token = served.token(LIGHT)
    session = get_session_id(token)
    for path in (served.path, f"{served.path.rstrip('/')}/autoload.js"):
        for words in (
            f"bokeh-session-id={session}",
            f"bokeh-token={token}",
            "bokeh-session-id=x",
            "bokeh-token=abc.def",
            "bokeh-token=",
        ):
            answer = served.ask(f"{path}?page=papers&bokeh-autoload-element=x&{words}")
            assert answer.status == 403 and "token" not in answer.text, words
        assert served.ask(path, Bokeh_Session_Id=session).status == 403
    assert "Traceback" not in served.started.complaints


def test_answers_have_headers(served: Server) -> None:
    for path in (served.path, "/static/js/bokeh.min.js", "/static/%00"):
        headers = served.ask(path).headers
        assert headers["Content-Security-Policy"] == "frame-ancestors 'self'"
        assert (
            headers["X-Content-Type-Options"] == "nosniff"
            and headers["Referrer-Policy"] == "same-origin"
        )
    assert served.ask("/static/%00").status == 400


def test_any_link_gives_the_page(served: Server) -> None:
    for query in some(ODD_LINKS):
        answer = served.raw(f"GET {served.path}{query}".encode())
        assert answer.startswith(b"HTTP/1.1 200 ") and b"<title>Polhode</title>" in answer, query
    assert "Traceback" not in served.started.complaints


def test_a_session_that_is_made_anew_has_its_link(served: Server) -> None:
    """Another process, which knows the link only by the token, accepts the connection."""
    arguments = {"problem": [b"slow-top"], "methods": [b"NMB"], "dt": [b"0.01"], "duration": [b"1"]}
    token = generate_jwt_token(
        ID("another"), extra_payload={"arguments": arguments, "headers": {}, "cookies": {}}
    )

    async def play() -> str:
        visitor = await Visitor.with_token(served, "bokeh", token)
        return str(await visitor.document()) if await visitor.hear() else "disconnected"

    made = run_visit(play())
    if served.path == "/":  # where only the server itself makes sessions
        assert made == "disconnected"
    else:
        assert "'slow-top'" in made and "'free'" in made  # chosen, and among what is offered
        assert made.count("'slow-top'") > made.count("'free'")


NO_TOKENS = [
    (), ("bokeh",), ("bokeh", "x"), ("bokeh", "e30"), ("bokeh", "WzFd"), ("foo", "x"), ("bokeh", "a", "b"),
    ("bokeh", "eyJzZXNzaW9uX2lkIjo1fQ"), ("bokeh", "eyJzZXNzaW9uX2lkIjoiIn0"),
]  # fmt: skip


def test_who_has_no_token_is_disconnected(served: Server) -> None:
    async def play(protocols: tuple[str, ...]) -> Any:
        return await (await Visitor.with_token(served, *protocols)).hear()

    for protocols in NO_TOKENS:
        assert run_visit(play(protocols)) is None, protocols
    assert "Traceback" not in served.started.complaints


def test_nonsense_is_refused_and_who_goes_on_is_disconnected(served: Server) -> None:
    async def play() -> list[Any]:
        visitor = await Visitor.of_page(served, "?page=lab")
        parts = {
            m["attributes"].get("class_name"): m["attributes"]
            for m in models(await visitor.document())
        }
        await visitor.set(parts["ScriptApi"]["data"]["id"], "help", 1)
        heard = [await visitor.answer()]
        for _ in range(message_guard.MOST_REFUSED):
            await visitor.set(parts["Picker"]["data"]["id"], "groups", [1, "x", {"type": "map"}])
            heard.append(await visitor.answer())
        return heard

    before = len(served.started.complaints)
    assert run_visit(play()) == ["OK"] + ["ERROR"] * (message_guard.MOST_REFUSED - 1) + [None]
    lines = [
        line for line in served.started.complaints[before:].splitlines() if "Picker.groups" in line
    ]
    assert len(lines) == message_guard.MOST_REFUSED and max(map(len, lines)) < log.LONGEST + 100


def test_what_bokeh_cannot_decode_is_refused_in_one_line(served: Server) -> None:
    async def play() -> str | None:
        visitor = await Visitor.of_page(served)
        await visitor.document()
        values = {"type": "map", "entries": [[]]}
        event = {"type": "event", "name": "data_event", "values": values}
        await visitor.patch({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})
        return await visitor.answer()

    before = len(served.started.complaints)
    assert run_visit(play()) == "ERROR"
    logged = served.started.complaints[before:]
    assert "refused a browser's message" in logged and "Traceback" not in logged


def test_a_message_with_many_changes_keeps_nobody_waiting(served: Server) -> None:
    """What takes longer than its visitor's time is dropped, and the visitor's page says so."""

    async def play() -> list[str | None]:
        many, other = [await Visitor.of_page(served, "?page=lab") for _ in range(2)]
        bar = find_component(await many.document(), "data-ask='reset'")
        api = find_component(await other.document(), '"ScriptApi"')
        await many.patch(*(event_of_script(bar, ask="reset", value="") for _ in range(1_000)))
        await other.send_msg(api, {"print": "http://localhost/"})
        answers = await asyncio.gather(many.answer(), other.answer())
        await many.hear_of("of 1000 changes at once were left out")
        return answers

    assert run_visit(play()) == ["ERROR", "OK"]
    assert re.search(r"\d+ of 1000 changes at once, which take too long", served.started.complaints)


def test_a_visitor_may_leave_while_many_changes_wait(served: Server) -> None:
    async def play() -> None:
        visitor, other = [await Visitor.of_page(served, "?page=lab") for _ in range(2)]
        bar = find_component(await visitor.document(), "data-ask='reset'")
        for _ in range(3):
            await visitor.patch(*(event_of_script(bar, ask="reset", value="") for _ in range(50)))
        visitor.leave()
        assert await other.document()

    run_visit(play())
    assert "Traceback" not in served.started.complaints


def test_a_session_has_one_connection(served: Server) -> None:
    """The newest: a browser whose connection has broken may connect again at once."""

    async def play() -> list[bool]:
        first = await Visitor.of_page(served, LIGHT)
        again = [await Visitor.with_token(served, "bokeh", first.token) for _ in range(10)]
        for _ in range(3):
            assert await again[-1].hear() is not None
        await again[-1].document()
        for visitor in (first, *again[:-1]):
            while await visitor.hear() is not None:
                pass
        await again[-1].happen("document_ready")
        return [await again[-1].answer() == "OK"]

    assert run_visit(play()) == [True]


def bytes_in_text(count: int) -> str:
    """Zeros as Bokeh packs them in a message: about a thousandth of their number of characters."""
    return base64.b64encode(gzip.compress(bytes(count))).decode()


def test_what_is_unpacked_from_a_message_is_refused(served: Server) -> None:
    """A hundred thousand characters would become 100 MB."""
    array = {
        "array": {"type": "bytes", "data": "x"},
        "shape": [1],
        "dtype": "uint8",
        "order": "little",
    }
    packed: list[Any] = [
        {"type": "bytes", "data": bytes_in_text(100_000_000)},
        [{"type": "map", "entries": [["a", {"type": "bytes", "data": bytes_in_text(100)}]]}],
        {"type": "ndarray", **array},
        {"type": "object", "name": "Range1d", "id": "p1"},
        {"type": ["map"], "entries": []},
    ]

    async def play() -> list[Any]:
        visitor = await Visitor.of_page(served)
        form = next(
            m["id"]
            for m in models(await visitor.document())
            if m["attributes"].get("class_name") == "Form"
        )
        heard = []
        for value in packed:
            await visitor.send_msg(form, {"type": "map", "entries": [["text", value]]})
            heard.append(await visitor.answer())
        return heard

    assert run_visit(play()) == ["ERROR"] * len(packed)
    assert "refused a browser's message (1): a value of the type" in served.started.complaints


def test_a_model_that_a_browser_writes_out_is_known() -> None:
    """The browser sends back a value that it has just received; the server does not decode it."""
    document = Document()
    document.add_root(known := Range1d())
    event = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": {"name": "data_event"}}
    written = {
        "type": "object",
        "id": known.id,
        "attributes": {"start": {"type": "bytes", "data": "x"}},
    }
    message_guard.check(document, {"events": [event | {"model": written}]})
    with pytest.raises(message_guard.InvalidMessage):
        message_guard.check(document, {"events": [event | {"model": written | {"id": "another"}}]})


HEAD = '{"msgid": "1", "msgtype": "PATCH-DOC"}'
NO_MESSAGES: list[list[str | bytes]] = [
    ["nonsense", "{}", "{}"],
    ["[" * 100_000, "{}", "{}"],
    [HEAD, "{}", "[" * 100_000],
    [HEAD, "{}", '"' + "x" * message_guard.LARGEST_TEXT + '"'],
    [b"bytes"],
    [
        '{"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": 1000}',
        "{}",
        "{}",
        *['{"id": "x"}', b"x" * 900_000] * 25,
    ],
]


def test_what_is_no_message_ends_the_connection(served: Server) -> None:
    async def play(parts: list[str | bytes]) -> Any:
        visitor = await Visitor.of_page(served, LIGHT)
        with_errors = [
            visitor.connection.write_message(part, binary=isinstance(part, bytes)) for part in parts
        ]
        await asyncio.gather(*with_errors, return_exceptions=True)
        return await visitor.hear()

    for parts in NO_MESSAGES:
        assert run_visit(play(parts)) is None, parts[0][:60]
    assert max(map(len, served.started.complaints.splitlines())) < log.LONGEST + 100


def odd(entries: dict[str, Any]) -> Any:
    return {"type": "map", "entries": [[name, value] for name, value in entries.items()]}


ODD_MESSAGES: list[Any] = [
    None, 3, "x", [1], odd({"pick": [1]}), odd({"pick": "nothing"}), odd({"ask": "measure", "value": "nothing"}),
    odd({"ask": [1], "value": odd({})}), odd({"ask": "runs", "value": "../../x"}),
    odd({"ask": "remove", "value": "x"}),
    odd({"name": "dt", "text": "\x00", "moved": 3}), odd({"name": "J", "text": "nan,inf,1e999", "moved": True}),
    odd({"name": "0 energy correction", "text": "x"}), odd({"name": "9 x", "text": "x"}), odd({"want": "everything"}),
    odd({"want": "csv"}), odd({"want": "table"}), odd({"ask": "csv", "value": ""}), odd({"ask": "data", "value": ""}),
    odd({"ask": "again", "value": ""}),
    odd({"name": "x", "part": -1, "parts": 2, "data": "x"}),
]  # fmt: skip


async def send_odd_messages(visitor: Visitor, components: list[dict[str, Any]]) -> None:
    """Send all to each of these components."""
    messages = some(ODD_MESSAGES)
    for component in components:
        for message in messages:
            await visitor.send_msg(component["id"], message)
        for message in messages:  # they are answered in their order
            assert await visitor.answer(), f"{component['attributes']['class_name']}: {message}"


@pytest.mark.exhaustive
def test_no_component_trusts_what_its_script_sends(served: Server) -> None:
    """Malformed messages to one component of each kind, on the first page that has it."""

    async def play() -> set[str]:
        kinds: set[str] = set()
        for shown in PAGES:
            visitor = await Visitor.of_page(served, f"?page={shown}")
            components = [
                m for m in models(await visitor.document()) if "class_name" in m["attributes"]
            ]
            others = {m["attributes"]["class_name"]: m for m in components}
            await send_odd_messages(
                visitor, [one for kind, one in others.items() if kind not in kinds]
            )
            kinds |= set(others)
            visitor.leave()
        return kinds

    assert len(run_visit(play())) > 10
    assert "Traceback" not in served.started.complaints


@pytest.mark.exhaustive
@pytest.mark.parametrize("shown", PAGES)
def test_no_component_of_a_page_trusts_what_its_script_sends(served: Server, shown: str) -> None:
    """The same to each component of each page."""

    async def play() -> int:
        visitor = await Visitor.of_page(served, f"?page={shown}")
        components = [
            m for m in models(await visitor.document()) if "class_name" in m["attributes"]
        ]
        await send_odd_messages(visitor, components)
        return len(components)

    assert run_visit(play()) > 3
    assert "Traceback" not in served.started.complaints


def test_numbers_that_would_hardly_shrink_are_sent_as_they_are():
    """Compression of a scene's numbers takes longer than anything else that the server does for a
    change.
    """
    sent = []

    async def send():
        protocol = WebSocketProtocol13.__new__(WebSocketProtocol13)
        protocol._message_bytes_out = 0
        protocol._compressor = SimpleNamespace(compress=lambda data: zlib.compress(data, 1))
        protocol._write_frame = lambda fin, opcode, data, flags: (
            sent.append(data) or asyncio.sleep(0)
        )
        for data, binary in (
            (numbers, True),
            (zeros, True),
            (numbers[:100], True),
            ("words " * 5000, False),
        ):
            await protocol.write_message(data, binary)
        assert protocol._compressor is not None

    skip_vain_compression()
    numbers = np.random.default_rng(1).bytes(30_000)
    zeros = bytes(30_000)
    asyncio.run(send())
    assert sent[0] == numbers
    assert [zlib.decompress(data) for data in sent[1:]] == [zeros, numbers[:100], b"words " * 5000]
