"""The server: websocket handlers, routes and processes of Panel, Bokeh and Tornado."""

from __future__ import annotations

import logging
import socket
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Any

import tornado.process
import tornado.tcpserver
from bokeh.core.types import ID
from bokeh.server.connection import ServerConnection
from bokeh.server.contexts import ApplicationContext
from bokeh.server.server import Server
from bokeh.server.session import ServerSession
from bokeh.server.tornado import BokehTornado
from bokeh.server.views import ws
from bokeh.server.views.auth_request_handler import AuthRequestHandler
from bokeh.server.views.session_handler import SessionHandler
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.server import AutoloadJsHandler, DocHandler, WSHandler
from tornado.concurrent import Future
from tornado.httputil import HTTPConnection, HTTPHeaders, HTTPServerRequest, RequestStartLine
from tornado.ioloop import IOLoop
from tornado.routing import Rule
from tornado.web import HTTPError
from tornado.websocket import WebSocketProtocol13

# -------------------------------------------------------------------------------------------------
# time


def use_monotonic_clock(loop: IOLoop) -> None:
    """Have an event loop count time, instead of reading the time of day, from before its first
    callback on.

    When the time of day goes back, Tornado's periodic callbacks, such as the removal of sessions,
    would wait until it is as late again. Only this loop: those of Dask's clients take times of day
    as deadlines.
    """
    loop.time = time.monotonic  # type: ignore[method-assign]


# -------------------------------------------------------------------------------------------------
# connections

ORIGINAL = {
    name: getattr(WSHandler, name)
    for name in ("check_origin", "get", "open", "_async_open", "on_message", "on_close")
}
"""Methods of the handler of connections that `replace_websocket_methods` can replace."""

send_document = ServerSession.pull
"""Answer a request for the whole document."""


def close_silent_connections(most: int) -> None:
    """Close a connection that has answered none of the last `most` pings, when the next is due."""

    def send_ping(connection: ServerConnection) -> None:
        sent = connection._ping_count
        handler = connection._socket
        if sent >= most and handler.latest_pong not in range(sent - most, sent):
            handler.close(GOING_AWAY, "no answer")
        else:
            _send_ping(connection)

    ServerConnection.send_ping = send_ping  # type: ignore[method-assign]


def has_session(connection: ServerConnection) -> bool:
    """Whether a connection still has its session, which may end before the connection is closed."""
    return connection._session is not None


def has_left(handler: WSHandler) -> bool:
    """Whether the browser has closed a connection before it was accepted."""
    return bool(handler.request.connection.stream.closed())


_send_ping = ServerConnection.send_ping
GOING_AWAY = 1001
"""The WebSocket code for closing a connection whose other end is gone."""

SAMPLE, HARDLY = 4096, 0.9
"""The bytes from the middle of a message that show how it shrinks, and the part to which it hardly
does.
"""
CONNECTION_LOG = ws.__name__
"""The logger of connections."""
REQUEST_LOGS = {"tornado.access": logging.CRITICAL, "tornado.general": logging.ERROR}
"""The loggers of requests, and the level above which their lines are not about one refused request;
a request that fails has another line.
"""
LATE_MESSAGE = "Failed sending message as connection was closed"
"""Bokeh's warning when a visitor leaves while a message is on its way."""
KNOWN_REFERENCE = "reference already known"
"""Bokeh's warning when a browser describes a model that the server has, as it does with each click
in a plot.
"""


def skip_vain_compression() -> None:
    """Have data that would hardly shrink, such as the numbers of a scene, sent as they are:
    compression takes long.

    Tornado (read in 6.6.1) compresses all messages of a connection or none.
    """
    write = WebSocketProtocol13.write_message

    def write_message(
        protocol: WebSocketProtocol13, message: Any, binary: bool = False
    ) -> Future[None]:
        compressor = protocol._compressor
        sample = message[len(message) // 2 :][:SAMPLE] if binary else b""
        if len(sample) == SAMPLE and len(zlib.compress(sample, 1)) > HARDLY * SAMPLE:
            protocol._compressor = None
        try:
            return write(protocol, message, binary)
        finally:
            protocol._compressor = compressor

    if write.__module__ != __name__:
        WebSocketProtocol13.write_message = write_message  # type: ignore[assignment]


def replace_websocket_methods(methods: Mapping[str, Callable[..., Any]]) -> None:
    """Replace methods of the handler of all connections, also those of a server that exists, as
    `panel serve` has.
    """
    for name, method in methods.items():
        setattr(WSHandler, name, method)


# -------------------------------------------------------------------------------------------------
# pages

_get = DocHandler.get
_make_session = ApplicationContext.create_session_if_needed


async def make_page(handler: DocHandler, *args: Any, **kwargs: Any) -> str:
    """Send a page with its document in a new session, and return its HTML; empty if it sends
    none.
    """
    written: list[str] = []
    send = handler.write

    def write(chunk: Any) -> None:
        written.append(str(chunk))
        send(chunk)

    handler.write = write
    await _get(handler, *args, **kwargs)
    return "".join(written)


def make_token(
    handler: DocHandler | AutoloadJsHandler, session_id: ID | None = None
) -> tuple[ID, str]:
    """Return the id and the token of a session, by default a new one, as Bokeh's `SessionHandler`
    makes them.
    """
    server = handler.application
    keys = {"secret_key": server.secret_key, "signed": server.sign_sessions}
    session_id = session_id or generate_session_id(**keys)
    payload = DocHandler._generate_token_payload(handler)
    expiration = server.session_token_expiration
    return session_id, generate_jwt_token(
        session_id, **keys, expiration=expiration, extra_payload=payload
    )


class _NoBrowser(HTTPConnection):
    """Receives the answer to a request of the server itself."""

    def __init__(self) -> None:
        self.answered: Future[None] = Future()

    def set_close_callback(self, callback: object) -> None:
        pass

    def write_headers(self, *_: object) -> Future[None]:
        return self.write(b"")

    def write(self, chunk: bytes) -> Future[None]:
        written: Future[None] = Future()
        written.set_result(None)
        return written

    def finish(self) -> None:
        self.answered.set_result(None)


SESSION_KEY = "bokeh-session-id"
"""The header, or the argument, with which a request names its session."""


def is_visit(request: HTTPServerRequest) -> bool:
    """Whether a request comes from `visit_page`."""
    return isinstance(request.connection, _NoBrowser)


def refuse_named_sessions() -> None:
    """Refuse every request for a page that names its session, unless the server itself sends it.

    Such a link would lead a visitor into the session of whoever made the link, who could then read
    and change the visitor's page.
    """

    async def prepare(handler: SessionHandler) -> None:
        request = handler.request
        names = SESSION_KEY in request.headers or not request.arguments.keys().isdisjoint(
            (SESSION_KEY, "bokeh-token")
        )
        if names and not is_visit(request):
            raise HTTPError(HTTPStatus.FORBIDDEN)
        await AuthRequestHandler.prepare(handler)

    SessionHandler.prepare = prepare  # type: ignore[method-assign]
    SessionHandler.compute_etag = lambda _: None  # type: ignore[method-assign]  # a token is new


async def visit_page(server: Server, address: str, host: str) -> ServerSession:
    """Request a page as a browser does, and return its session; `host` is one that the server
    answers to.
    """
    browser = _NoBrowser()
    application = application_of(server)
    session_id = generate_session_id(application.secret_key, application.sign_sessions)
    headers = HTTPHeaders({"Host": host, SESSION_KEY: session_id})
    line = RequestStartLine("GET", f"{server.prefix}{address}", "HTTP/1.1")
    application.find_handler(
        HTTPServerRequest(start_line=line, headers=headers, connection=browser)
    ).finish()
    await browser.answered
    return server.get_session("/", session_id)


def replace_page_handlers(
    get: Callable[..., Awaitable[None]], begin_session: Callable[..., Awaitable[object]]
) -> None:
    """Have `get` answer requests for pages, and `begin_session` give a session to autoload.js."""
    DocHandler.get = DocHandler.head = get
    AutoloadJsHandler.get_session = begin_session
    AutoloadJsHandler.head = AutoloadJsHandler.get


def make_documents_in_turns(
    take_turn: Callable[[HTTPServerRequest | None], AbstractAsyncContextManager[None]],
) -> None:
    """Make the document of each new session within the context that `take_turn` returns for the
    request.
    """

    async def create_session_if_needed(
        context: ApplicationContext,
        session_id: ID,
        request: HTTPServerRequest | None = None,
        token: str | None = None,
    ) -> ServerSession:
        if session_id in context._sessions:
            return context._sessions[session_id]
        async with take_turn(request):
            return await _make_session(context, session_id, request, token)

    ApplicationContext.create_session_if_needed = create_session_if_needed  # type: ignore[method-assign]


# -------------------------------------------------------------------------------------------------
# requests


def application_of(server: Server) -> BokehTornado:
    """Return the Tornado application of a server."""
    return server._tornado


def add_first_rules(application: BokehTornado, rules: Sequence[Rule]) -> None:
    """Put routing rules before all others."""
    application.default_router.rules[:0] = [
        application.default_router.process_rule(rule) for rule in rules
    ]


def before_each_request(act: Callable[[BokehTornado], object]) -> None:
    """Call `act` with the application before each request finds its handler.

    `panel serve` makes its server before it loads the app, so that nothing else reaches its
    application in time.
    """

    def find_handler(
        application: BokehTornado, request: HTTPServerRequest, **kwargs: Any
    ) -> object:
        act(application)
        return original(application, request, **kwargs)

    if BokehTornado.find_handler.__module__ != __name__:
        original = BokehTornado.find_handler
        BokehTornado.find_handler = find_handler


# -------------------------------------------------------------------------------------------------
# processes


def replace_fork(fork: Callable[..., int]) -> None:
    """Have `fork`, which is called with the number of processes, start them for Bokeh's server.

    Tornado's own `fork_processes` gives up when workers have died a hundred times.
    """
    tornado.process.fork_processes = fork  # type: ignore[assignment]


def replace_accept(
    accept: Callable[[socket.socket, Callable[..., None]], Callable[[], None]],
) -> None:
    """Have `accept`, which is like `tornado.netutil.add_accept_handler`, wait for connections for
    Bokeh's server.
    """
    tornado.tcpserver.add_accept_handler = accept  # type: ignore[assignment]
