"""`polhode serve`: the page alone at the root of a server, for one person or for a lecture hall.

What it adds to `panel serve app`: no index page; pages of its own for errors, which fetch nothing from elsewhere; a
limit to the visitors at once; sessions signed, so that nobody opens one past that limit; only hosts that are named
may connect; kernels and the page made ready before the first visitor comes; files that travel compressed; several
processes that end together.
"""

from __future__ import annotations

import errno
import gc
import os
import re
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, NoReturn

import panel as pn
import tornado.process
from bokeh.application.application import SessionContext
from bokeh.application.handlers.handler import Handler
from bokeh.document import Document
from bokeh.server.server import Server
from panel.io.application import Application
from panel.io.handlers import ScriptHandler
from panel.io.resources import LOCAL_DIST
from panel.io.server import get_server
from panel.io.session import generate_session
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import GZipContentEncoding, HTTPError, OutputTransform, RequestHandler

from engine.console import Bar
from engine.warm import warm as warm_kernels

from .session import Choice

PAGE = Path(__file__).with_name("main.py")
ORIGINS = "POLHODE_ORIGINS"
"""The environment variable with further hosts that may connect, with commas or spaces between them."""

MOST_VISITORS = 100
"""Sessions at once in one process; each takes some megabytes."""
PATIENCE, CHECK, KEEP_ALIVE = 60, 10, 20
"""Seconds: what a session without a visitor lasts, how often that is looked at, and how often a quiet connection is
spoken to, so that no proxy thinks it dead. A page may connect for as long as its session lasts, and no longer: it
would be made anew, past the limit."""
LARGEST_MESSAGE, LARGEST_BODY = 20_000_000, 100_000
"""Bytes that a page may send at once, and bytes behind a plain request, which nothing here wants."""

FULL = "The lab is full, try again in a minute."
SENTENCES = {
    HTTPStatus.NOT_FOUND: "There is no such page here.",
    HTTPStatus.SERVICE_UNAVAILABLE: FULL,
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong on the server. Your link still has what you chose.",
}
ERROR_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
{refresh}<title>{code} · Polhode</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34em; margin: 22vh auto 0; padding: 0 1.5em }}
p {{ opacity: .75 }}
</style>
</head>
<body>
<h1>{sentence}</h1>
<p>{code} {phrase}. <a href="/">Go to the lab</a></p>
</body>
</html>
"""


def main(
    *,
    port: int = 5006,
    address: str = "localhost",
    show: bool = True,
    origins: Iterable[str] = (),
    warm: bool | None = None,
    processes: int = 1,
    threads: int | None = None,
    visitors: int = MOST_VISITORS,
) -> int:
    """Serve the page until Ctrl-C or SIGTERM, and return the exit code 0.

    Parameters
    ----------
    port : where it listens; 0 for any that is free.
    address : the interface it listens on; 0.0.0.0 for all, and then `origins` names the hosts that may connect.
    show : whether to open a browser, where there is a screen.
    origins : further hosts, each HOST or HOST:PORT as a browser's address line has it, besides this machine itself
        and those in the environment variable POLHODE_ORIGINS. A pattern such as * is refused.
    warm : True compiles every kernel first, None what the first page needs, False nothing. Unless it is False, one
        session is made, so that the first visitor does not wait for what Python imports.
    processes : how many of them share the port; one answers some thirty changes a second.
    threads : of each process, to answer the events of visitors in; None answers one after the other.
    visitors : how many may be there at once, in each process; who comes then is told so in a sentence (503).
    """
    _within("port", port, 0, 65535)
    _within("processes", processes, 1, 64)
    _within("visitors", visitors, 1, 100_000)
    if threads is not None:
        _within("threads", threads, 1, 256)
    if processes > 1 and not hasattr(os, "fork"):
        raise ValueError("several processes can not share a port on this system; leave out --processes")
    named = [*origins, *re.split(r"[,\s]+", os.environ.get(ORIGINS, ""))]
    port = port or _free_port(address)  # known before it listens, since the hosts that may connect are named with it
    allowed = websocket_origins(named, port, address)

    if warm is not False:
        _compile(everything=bool(warm))
    application = Application(Doorkeeper(visitors), ScriptHandler(filename=str(PAGE)))
    pn.config.nthreads = threads
    lifeline = _Lifeline() if processes > 1 else None
    server = _bound(application, port, address, allowed, processes)
    # With several processes only the children come here.
    if lifeline is not None:
        lifeline.hold(server)
    if warm is not False:
        _first_visit(application)
    if not tornado.process.task_id():
        _tell(server, address, named, show)
    _run(server, application)
    return 0


def websocket_origins(named: Iterable[str], port: int, address: str = "localhost") -> list[str]:
    """The hosts whose pages may connect, each HOST:PORT: this machine's, and those that are named.

    A name without a port stands for a page at the usual ports of http and https, and at the server's own.
    """
    allowed = [f"{host}:{port}" for host in ("localhost", "127.0.0.1")]
    for origin in [*named, "" if _is_any(address) else address]:
        text = origin.strip().lower().rstrip("/")
        if not text:
            continue
        match = re.fullmatch(r"([a-z0-9_.-]+)(?::(\d{1,5}))?", text)
        if match is None:
            raise ValueError(f"an origin is a host, like lab.example.org or 192.168.1.7:5006; got {origin!r}")
        host, own_port = match.groups()
        allowed += [f"{host}:{own_port}"] if own_port else [f"{host}:80", f"{host}:{port}"]
    return list(dict.fromkeys(allowed))


def _is_any(address: str) -> bool:
    return address in ("0.0.0.0", "::", "")


def _free_port(address: str) -> int:
    with socket.create_server(("" if _is_any(address) else address, 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def _within(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}; got {value}")


# ------------------------------------------------------------------------------------------------- what is served


class Doorkeeper(Handler):
    """Counts who is there, and lets nobody in when the lab is full."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.present: set[str] = set()

    def modify_document(self, doc: Document) -> None:
        """Have the page's style sheets fetched from here.

        Panel sees to that where it sends the page; but a session is made anew when another process takes the
        connection, or when a visitor comes back after a while.
        """
        doc.template_variables["dist_url"] = LOCAL_DIST

    async def on_session_created(self, session_context: SessionContext) -> None:
        """Somebody has come."""
        self.present.add(session_context.id)

    async def on_session_destroyed(self, session_context: SessionContext) -> None:
        """Somebody has gone."""
        self.present.discard(session_context.id)

    def process_request(self, request: HTTPServerRequest) -> dict[str, Any]:
        """Somebody asks for the page."""
        if len(self.present) >= self.most:
            raise HTTPError(HTTPStatus.SERVICE_UNAVAILABLE)
        return {}


class Liveness(RequestHandler):
    """/liveness: that the server answers, and how many visitors there are; it makes no session."""

    def initialize(self, doorkeeper: Doorkeeper) -> None:
        """Know whom to ask."""
        self.doorkeeper = doorkeeper

    def get(self) -> None:
        """A few words of JSON."""
        self.set_header("Cache-Control", "no-store")
        self.write({"alive": True, "visitors": len(self.doorkeeper.present), "most": self.doorkeeper.most})


class ErrorPages(OutputTransform):
    """Every error, of whatever handler, becomes a small page that needs nothing from elsewhere."""

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """The whole answer, if it is an error: those come in one piece."""
        if status_code >= 400 and finishing:
            chunk = error_page(status_code).encode()
            headers["Content-Type"] = "text/html; charset=UTF-8"
            headers["Content-Length"] = str(len(chunk))
            if status_code == HTTPStatus.SERVICE_UNAVAILABLE:
                headers["Retry-After"] = "60"
        return status_code, headers, chunk


class Compression(GZipContentEncoding):
    """What travels by HTTP is compressed; in 0.6 of the time that Tornado takes by itself, with 4 % more bytes."""

    GZIP_LEVEL = 4


def error_page(code: int) -> str:
    """What a visitor reads; when the lab is full, the page tries again by itself."""
    with suppress(ValueError):
        status = HTTPStatus(code)
        refresh = '<meta http-equiv="refresh" content="60">\n' if status == HTTPStatus.SERVICE_UNAVAILABLE else ""
        sentence = SENTENCES.get(status, f"{status.phrase}.")
        return ERROR_PAGE.format(code=code, phrase=status.phrase, sentence=sentence, refresh=refresh)
    return ERROR_PAGE.format(code=code, phrase="Error", sentence="That did not work.", refresh="")


def _bound(application: Application, port: int, address: str, allowed: list[str], processes: int) -> Server:
    """The server, which listens and does not answer yet; with several processes, in each of them."""
    doorkeeper = next(handler for handler in application.handlers if isinstance(handler, Doorkeeper))
    try:
        return get_server(
            {"/": application},
            port=port,
            address="" if _is_any(address) else address,
            websocket_origin=allowed,
            num_procs=processes,
            use_index=False,
            redirect_root=False,
            extra_patterns=[("/liveness", Liveness, {"doorkeeper": doorkeeper})],
            transforms=[ErrorPages, Compression],
            secret_key=secrets.token_bytes(32),
            sign_sessions=True,
            session_token_expiration=PATIENCE,
            unused_session_lifetime_milliseconds=1000 * PATIENCE,
            check_unused_sessions_milliseconds=1000 * CHECK,
            keep_alive_milliseconds=1000 * KEEP_ALIVE,
            websocket_max_message_size=LARGEST_MESSAGE,
            http_server_kwargs={"max_body_size": LARGEST_BODY},
        )
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(error.errno, f"port {port} is in use; choose another with --port") from error
        raise


# ------------------------------------------------------------------------------------------------- at the start


def _compile(everything: bool) -> None:
    first = Choice()
    with Bar("kernels", everything or None) as bar:
        if everything:
            report = warm_kernels(progress=bar)
        else:  # in this process, which has them then even where nothing can be kept
            report = warm_kernels(first.methods, [first.problem], jobs=1, progress=bar)
    if report.failed:
        print(f"polhode: {report}", file=sys.stderr, flush=True)


def _first_visit(application: Application) -> None:
    """Make the page twice for nobody: all is imported then, and all is known to be there.

    Where the first has had meshes made, Panel imports for the second the whole of what makes them.
    """
    for _ in range(2):
        session = generate_session(application)
        document = session.document
        for told in set(document.session_destroyed_callbacks):
            told(document.session_context)
        document.destroy(session)
    broken = [handler.error for handler in application.handlers if handler.failed]
    if broken:
        raise OSError(f"the page can not be made: {broken[0]}")
    # Whatever was imported stays for good: each full collection would look through all of it, a quarter of a second
    # in which nobody is answered.
    gc.collect()
    gc.freeze()


def _tell(server: Server, address: str, named: Iterable[str], show: bool) -> None:
    """Say where the page is, and open it."""
    url = f"http://{'localhost' if _is_any(address) else address}:{server.port}/"
    print(f"Polhode is at {url} (Ctrl-C ends it)", flush=True)
    if _is_any(address) and not any(named):
        print(
            "Only this machine can use the page: --origin HOST lets others in, by the name they know it by.",
            flush=True,
        )
    has_screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if show and has_screen:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


# ------------------------------------------------------------------------------------------------- from start to end


class _Lifeline:
    """A pipe that only the first process holds open: when that ends, in whatever way, the others see it and end.

    The first process does nothing but wait, and start anew what has crashed.
    """

    def __init__(self) -> None:
        self.read, self.write = os.pipe()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)

    def _end(self, *_: object) -> NoReturn:
        sys.exit(0)

    def hold(self, server: Server) -> None:
        """In a child: end with the parent."""
        os.close(self.write)
        loop = server.io_loop

        def end(*_: object) -> None:
            loop.remove_handler(self.read)
            loop.stop()

        loop.add_handler(self.read, end, loop.READ)


def _run(server: Server, application: Application) -> None:
    """Answer until a signal comes; then let the page's runs end. A second signal kills."""

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        server.io_loop.add_callback_from_signal(server.io_loop.stop)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as it is for what a shell runs in the background
            signal.signal(number, end)
    server.start()
    server.io_loop.start()
    server.unlisten()
    server.io_loop.run_sync(lambda: _dismiss(server, application))
    server.stop()


async def _dismiss(server: Server, application: Application) -> None:
    """Tell every session that it is over, so that what it computes is cancelled."""
    for session in server.get_sessions("/"):
        context = session.document.session_context
        if context is not None:
            await application.on_session_destroyed(context)


__all__ = ["Doorkeeper", "ErrorPages", "error_page", "main", "websocket_origins"]
