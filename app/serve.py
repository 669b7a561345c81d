"""`polhode serve`: the page alone at the root of a server, for one person or for a lecture hall.

What it adds to `panel serve app`: no index page; pages of its own for errors, which fetch nothing from elsewhere; a
limit to the visitors at once; sessions signed, so that nobody opens one past that limit; only hosts that are named
are answered, and may show the page in a frame; kernels and the page made ready before the first visitor comes; files
that travel compressed; several processes, of which none is missed for long, and which end together.
"""

from __future__ import annotations

import errno
import gc
import logging
import os
import re
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterable, Sequence
from pathlib import Path

import panel as pn
from bokeh.server.server import Server
from panel.io.application import Application
from panel.io.handlers import ScriptHandler
from panel.io.server import get_server
from panel.io.session import generate_session
from tornado.web import RedirectHandler

from engine.shell.console import ProgressBar
from engine.studies.sweeps.workers import check_scheduler
from engine.warm import warm as warm_kernels

from . import gate, log
from .answers import Compression, Doorkeeper, ErrorPages, Liveness, Scripts
from .bundle import ASSETS
from .hosts import HTTP, guard
from .model.studies import cluster
from .processes import Board, Processes
from .shell import PAGES, THEME

PAGE = Path(__file__).with_name("main.py")
ORIGINS = "POLHODE_ORIGINS"
"""The environment variable with further hosts that may connect, with commas or spaces between them."""
SCHEDULER = "POLHODE_SCHEDULER"
"""The environment variable with the address of a Dask cluster."""

MOST_VISITORS = 100
"""Sessions at once in one process; each takes some megabytes."""
PATIENCE, CHECK, KEEP_ALIVE = 60, 10, 20
"""Seconds: what a session without a visitor lasts, how often that is looked at, and how often a quiet connection is
spoken to, so that no proxy thinks it dead."""
DEFLATE_LEVEL = 1
"""Of what travels by a page's connection: the fastest, after which each further one gains little for its time."""
LARGEST_BODY = 100_000
"""Bytes behind a plain request, which nothing here wants."""
REQUEST = 60
"""Seconds in which a request arrives; a connection on which none does is closed."""
TOKEN = 600
"""Seconds in which a page connects after it was fetched: on a busy day a browser may take a while."""


def main(
    *,
    port: int = 5006,
    address: str = "localhost",
    show: bool = True,
    origins: Iterable[str] = (),
    embedders: Iterable[str] = (),
    warm: bool | None = None,
    processes: int = 1,
    threads: int | None = None,
    visitors: int = MOST_VISITORS,
    scheduler: str | None = None,
) -> int:
    """Serve the page until Ctrl-C or SIGTERM, and return the exit code 0.

    Parameters
    ----------
    port : where it listens; 0 for any that is free.
    address : the interface it listens on; 0.0.0.0 for all, and then `origins` names the hosts that may connect.
    show : whether to open a browser, where there is a screen.
    origins : further hosts that the server answers to, each HOST or HOST:PORT as a browser's address line has it,
        besides localhost and those in the environment variable POLHODE_ORIGINS. A pattern such as * is refused.
    embedders : hosts whose pages may show this one in a frame, each HOST, HOST:PORT or with https:// before it; none
        but the server itself if there are none.
    warm : True compiles every kernel first. Unless it is False, the page is made before the first visitor comes, who
        then does not wait for what Python imports and for what the first page compiles.
    processes : how many of them share the port; one answers some thirty changes a second.
    threads : of each process, to answer the events of visitors in; None answers one after the other.
    visitors : how many may be there at once, in each process; who comes then is told so in a sentence (503).
    scheduler : the address of a Dask cluster that makes the runs of maps, like tcp://host:8786; that of the
        environment variable POLHODE_SCHEDULER, if there is one, or else this machine does. It has to answer.
    """
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    log.keep_short()
    _within("port", port, 0, 65535)
    _within("processes", processes, 1, 64)
    _within("visitors", visitors, 1, 100_000)
    if threads is not None:
        _within("threads", threads, 1, 256)
    if processes > 1 and not hasattr(os, "fork"):
        raise ValueError("several processes cannot share a port on this system; leave out --processes")
    named = [*origins, *re.split(r"[,\s]+", os.environ.get(ORIGINS, ""))]
    port = port or _free_port(address)  # known before it listens, since the hosts that may connect are named with it
    allowed = websocket_origins(named, port, address)
    frames = [host for embedder in embedders for host in _hosts(embedder, scheme="(https?://)?")]

    if warm:
        _compile_all()
    board = Board(processes)
    doorkeeper = Doorkeeper(visitors, board)
    application = Application(doorkeeper, ScriptHandler(filename=str(PAGE)))
    pn.config.nthreads = threads
    workers = Processes(board) if processes > 1 else None
    server = _bound(application, doorkeeper, port, address, allowed, frames)
    # With several processes only the workers come here.
    if workers is not None:
        workers.hold(server)
    cluster.scheduler = scheduler or os.environ.get(SCHEDULER, "")
    if cluster.scheduler:
        check_scheduler(cluster.scheduler)
    if warm is not False:
        _first_visit(application)
    if board.number == 0 and not board.ready:
        _tell(server, address, named, show)
        board.ready = True
    _run(server, application)
    return 0


def websocket_origins(named: Iterable[str], port: int, address: str = "localhost") -> list[str]:
    """The hosts whose pages may connect, each HOST:PORT: this machine's, and those that are named.

    A name without a port stands for a page at the usual ports of http and https, and at the server's own.
    """
    allowed = [f"{host}:{port}" for host in ("localhost", "127.0.0.1", "[::1]")]
    bound = f"[{address}]" if ":" in address else address
    for origin in [*named, "" if _is_any(address) else bound]:
        for host in _hosts(origin):
            allowed += [host] if host.rpartition(":")[2].isdigit() else [f"{host}:{HTTP}", f"{host}:{port}"]
    return list(dict.fromkeys(allowed))


def _hosts(text: str, scheme: str = "") -> list[str]:
    """A host as a browser's address line has it, with its port if it has one; none if nothing is named."""
    text = text.strip().lower().rstrip("/")
    if text and not re.fullmatch(rf"{scheme}(\[[0-9a-f:.]++\]|[a-z0-9_.-]++)(:\d{{1,5}})?", text):
        raise ValueError(f"an origin is a host, like lab.example.org or 192.168.1.7:5006; got {text!r}")
    return [text] if text else []


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


def _bound(
    application: Application,
    doorkeeper: Doorkeeper,
    port: int,
    address: str,
    allowed: Sequence[str],
    frames: Sequence[str],
) -> Server:
    """The server, which listens and does not answer yet; with several processes, in each of them."""
    try:
        server: Server = get_server(
            {"/": application},
            port=port,
            address="" if _is_any(address) else address,
            websocket_origin=f"localhost:{port}",  # `guard` has the whole list
            num_procs=doorkeeper.board.workers,
            use_index=False,
            redirect_root=False,
            extra_patterns=[
                ("/liveness", Liveness, {"doorkeeper": doorkeeper}),
                (r"/static/extensions/polhode/([\w-]+\.js)", Scripts, {"path": str(ASSETS)}),
                # What people type, or find: it leads to the page's own address.
                (f"/({'|'.join(PAGES)})", RedirectHandler, {"url": "./?page={0}", "permanent": False}),
            ],
            transforms=[ErrorPages, Compression],
            include_headers=[],  # in what a page connects with, of all that a browser says of itself
            include_cookies=[THEME],
            secret_key=secrets.token_bytes(32),
            sign_sessions=True,
            session_token_expiration=TOKEN,
            unused_session_lifetime_milliseconds=1000 * PATIENCE,
            check_unused_sessions_milliseconds=1000 * CHECK,
            keep_alive_milliseconds=1000 * KEEP_ALIVE,
            websocket_max_message_size=gate.LARGEST_MESSAGE,
            websocket_compression_level=DEFLATE_LEVEL,
            http_server_kwargs={
                "max_body_size": LARGEST_BODY,
                "body_timeout": REQUEST,
                "idle_connection_timeout": REQUEST,
            },
        )
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(error.errno, f"port {port} is in use; choose another with --port") from error
        raise
    guard(server._tornado, allowed, frames)
    gate.stand()
    return server


# ------------------------------------------------------------------------------------------------- at the start


def _compile_all() -> None:
    with ProgressBar("kernels", True) as bar:
        report = warm_kernels(progress=bar)
    if report.failed:
        print(f"polhode: {report}", file=sys.stderr, flush=True)


def _first_visit(application: Application) -> None:
    """Make the page once for nobody: all is imported then, and all is known to be there."""
    session = generate_session(application)
    document = session.document
    for told in set(document.session_destroyed_callbacks):
        told(document.session_context)
    document.destroy(session)
    broken = [handler.error for handler in application.handlers if handler.failed]
    if broken:
        raise OSError(f"the page cannot be made: {broken[0]}")
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
            "Only browsers on this machine can use the page; --origin HOST admits those that know it as HOST.",
            flush=True,
        )
    has_screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if show and has_screen:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


# ------------------------------------------------------------------------------------------------- from start to end


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
