"""`polhode serve`: the page alone at the root of a server, for one person or for a lecture hall.

Beyond `panel serve app`, it has no index page; shows error pages that load nothing; limits the
number of visitors; signs sessions, so that nobody opens one beyond that limit; answers only to
named hosts, which may frame the page; compiles kernels and makes the page before the first visitor
comes; compresses files; and runs several processes, which are replaced when they die, and end
together.
"""

from __future__ import annotations

import errno
import math
import os
import re
import secrets
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bokeh.server.server import Server
from panel.io.application import Application
from panel.io.handlers import ScriptHandler
from panel.io.server import get_server
from tornado.routing import PathMatches, Rule

from engine.exact import warm as warm_kernels
from engine.simulation.progress_bar import ProgressBar
from engine.studies.core import find_dashboard
from engine.text.formatting import format_seconds

from ..asset_files import ASSETS
from ..browser.page_links import OPENS, PAGES, PUBLIC_URL, THEME
from ..browser.script_api import notify_visitors
from ..compat.server import (
    add_first_rules,
    application_of,
    replace_accept,
    use_monotonic_clock,
)
from ..state.choice import FIRST
from ..state.pages.study_forms import cluster
from ..state.results import list_kernels, prepare_kernels
from . import log, message_guard, page_frames
from .counts import SharedCounts
from .garbage import Garbage, collect_all
from .hosts import guard, is_any_address, list_hosts, parse_public_url, read_host
from .http import (
    Activity,
    Compression,
    ErrorPages,
    Kernels,
    Liveness,
    Metrics,
    Readiness,
    Redirect,
    Scripts,
    VisitorLimit,
)
from .password import ask, read_password
from .processes import Processes, accept_in_turn

PAGE = Path(__file__).parents[1] / "main.py"
ORIGINS = "POLHODE_ORIGINS"
"""The environment variable with further hosts that may connect, separated by commas or spaces."""
SCHEDULER = "POLHODE_SCHEDULER"
"""The environment variable with the address of a Dask cluster."""
SECRET = "POLHODE_SECRET"
"""The environment variable with the secret that signs sessions, which several servers behind one
proxy share.
"""
SHORTEST_SECRET = 32
"""Characters of such a secret."""

MOST_VISITORS = 100
"""Sessions at once in one process; each takes some megabytes."""
SESSION_LIFETIME, CHECK_INTERVAL, PING_INTERVAL = 60, 10, 20
"""Seconds: the lifetime of a session without a visitor, between two checks for such sessions, and
between two pings of a quiet connection, so that no proxy closes it.
"""
LONGEST_DRAIN = 3600.0
"""Seconds that visitors may have at the end."""
DRAIN_INTERVAL = 0.2
"""Seconds between two checks whether everybody has left."""
RETURN_TIME = 5.0
"""Seconds after everybody has left until the server ends: somebody's connection may have broken."""
DEFLATE_LEVEL = 1
"""The fastest compression of messages: higher levels save little for their time."""
LARGEST_BODY = 100_000
"""Bytes of a request's body; nothing here needs one."""
REQUEST_TIMEOUT = 60
"""Seconds in which a request must arrive before its connection is closed."""
SWITCH_INTERVAL = 0.0005
"""Seconds after which a computing thread hands the interpreter to the thread that answers visitors;
a tenth of Python's default.
"""
TOKEN_LIFETIME = 600
"""Seconds in which a page may connect after it was fetched: a busy browser may take long."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `polhode serve`.

    Attributes
    ----------
    port : where the server listens; 0 for any free port.
    address : the interface on which it listens; 0.0.0.0 for all, and then `origins` names the hosts
        that may connect.
    show : whether to open a browser, if there is a screen.
    origins : further hosts that the server answers to, each HOST or HOST:PORT as a browser's
        address line shows it, besides localhost and those in the environment variable
        POLHODE_ORIGINS. A pattern such as * is refused.
    embedders : hosts whose pages may show this one in a frame, each HOST, HOST:PORT or with
        https:// before it; without any, only the server's own pages may.
    prefix : the path below which everything is, as behind a proxy that passes requests on with
        their whole path; empty for the root. A proxy that removes the path needs only `public_url`.
    public_url : the address at which browsers reach the page, by default that of the environment
        variable POLHODE_PUBLIC_URL; copied links, QR codes and embedded parts have it, and the
        server answers to its host.
    password_file : a file with the password that visitors enter once; None admits everybody.
    warm : True compiles every kernel first. Unless it is False, the first pages are made before a
        visitor comes, so that nobody waits for imports and for the first page's kernels.
    processes : how many processes share the port; one answers some forty changes a second.
    visitors : the most visitors at once, in each process; further ones read that the lab is full
        (503).
    scheduler : the address of a Dask cluster that makes the runs of maps, like tcp://host:8786, by
        default that of the environment variable POLHODE_SCHEDULER; without one, this machine does.
        It must answer.
    drain : the seconds that visitors have after SIGTERM, while no new ones are admitted; the server
        ends earlier once everybody has left.
    access_log : whether to log each request.
    json_log : whether each line of the log is a JSON object.
    """

    port: int = 5006
    address: str = "localhost"
    show: bool = True
    origins: Sequence[str] = ()
    embedders: Sequence[str] = ()
    prefix: str = ""
    public_url: str | None = None
    password_file: str | None = None
    warm: bool | None = None
    processes: int = 1
    visitors: int = MOST_VISITORS
    scheduler: str | None = None
    drain: float = 0.0
    access_log: bool = False
    json_log: bool = False

    def __post_init__(self) -> None:
        bounds = {
            "port": (0, 65535),
            "processes": (1, 64),
            "visitors": (1, 100_000),
        }
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            if not (isinstance(value, int) and low <= value <= high):
                raise ValueError(f"{name} must be a whole number from {low} to {high}; got {value}")
        if not 0.0 <= self.drain <= LONGEST_DRAIN:
            raise ValueError(
                f"drain must be a number of seconds from 0 to {LONGEST_DRAIN:.0f}; got {self.drain}"
            )
        if not re.fullmatch(r"/?[\w.~/-]*", self.prefix, re.ASCII):
            raise ValueError(f"a prefix is a path, like /lab; got {self.prefix!r}")
        if self.processes > 1 and not hasattr(os, "fork"):
            raise ValueError(
                "several processes cannot share a port on this system; leave out --processes"
            )

    @cached_property
    def named_hosts(self) -> list[str]:
        """The hosts that the operator named."""
        return [
            *self.origins,
            *filter(
                None,
                [urlsplit(self.public).netloc, *re.split(r"[,\s]+", os.environ.get(ORIGINS, ""))],
            ),
        ]

    @cached_property
    def public(self) -> str:
        """The public address; empty if the operator has named none."""
        return parse_public_url(
            os.environ.get(PUBLIC_URL, "") if self.public_url is None else self.public_url
        )

    @cached_property
    def secret(self) -> bytes:
        """The secret that signs sessions: the operator's, or one of this server alone."""
        text = os.environ.get(SECRET, "")
        if text and len(text) < SHORTEST_SECRET:
            raise ValueError(
                f"{SECRET} must have at least {SHORTEST_SECRET} characters; got {len(text)}"
            )
        return text.encode() or secrets.token_bytes(32)

    @cached_property
    def password(self) -> str:
        """The password of all visitors; empty without one."""
        return read_password(self.password_file)

    @property
    def home(self) -> str:
        """The path of the page."""
        return f"/{self.prefix.strip('/')}/".replace("//", "/")

    @cached_property
    def free_port(self) -> int:
        """The port; it is known before the server listens, because the hosts that may connect
        contain it.
        """
        if self.port:
            return self.port
        with socket.create_server(
            ("" if is_any_address(self.address) else self.address, 0)
        ) as listening:
            return listening.getsockname()[1]

    @property
    def allowed(self) -> list[str]:
        """The hosts that may connect, each HOST:PORT."""
        return list_hosts(self.named_hosts, self.free_port, self.address)

    @property
    def frames(self) -> list[str]:
        """The hosts that may show the page in a frame."""
        return [
            host
            for embedder in self.embedders
            for host in read_host(embedder, scheme="(https?://)?")
        ]


def main(**options: Any) -> int:
    """Serve the page until Ctrl-C or SIGTERM, and return the exit code 0; takes the names of
    `Options`.
    """
    chosen = Options(**options)
    log.begin(chosen.json_log)
    sys.setswitchinterval(SWITCH_INTERVAL)
    allowed = chosen.allowed
    frames = chosen.frames
    password = chosen.password
    os.environ[PUBLIC_URL] = chosen.public
    if chosen.warm:
        _compile_all()
    counts = SharedCounts(chosen.processes)
    limit = VisitorLimit(chosen.visitors, counts)
    application = Application(limit, ScriptHandler(filename=str(PAGE)), Garbage())
    workers = Processes(counts, chosen.drain) if chosen.processes > 1 else None
    replace_accept(partial(accept_in_turn, counts))
    server = _listen(application, limit, chosen)
    use_monotonic_clock(server.io_loop)
    # Of several processes, only the workers reach this line.
    if password:
        ask(
            application_of(server),
            password,
            chosen.secret,
            secure=chosen.public.startswith("https:"),
        )
    if chosen.home != "/":
        add_first_rules(
            application_of(server),
            [Rule(PathMatches("/"), Redirect, {"url": chosen.home, "permanent": False})],
        )
    guard(application_of(server), allowed, frames)
    counts.begin()
    message_guard.install()
    page_frames.install()
    drain = partial(_drain, server, limit, chosen.drain)
    if workers is not None:
        workers.attach(server, drain)
    cluster.scheduler = chosen.scheduler or os.environ.get(SCHEDULER, "")
    dashboard = find_dashboard(cluster.scheduler) if cluster.scheduler else ""
    if chosen.warm is not False:
        _make_first_pages(server, application, allowed[0])
        page_frames.keep_ready(server, application, allowed[0])
    log.show_requests(chosen.access_log)
    if counts.number == 0 and not counts.ready:
        _announce(server, chosen, dashboard)
        counts.ready = True
    _run(server, application, drain)
    return 0


def _listen(application: Application, limit: VisitorLimit, options: Options) -> Server:
    """Return a server that listens and does not answer yet; with several processes, one in each."""
    port = options.free_port
    try:
        server: Server = get_server(
            {"/": application},
            port=port,
            address="" if is_any_address(options.address) else options.address,
            websocket_origin=f"localhost:{port}",  # `guard` has the whole list
            num_procs=options.processes,
            use_index=False,
            redirect_root=False,
            extra_patterns=[
                ("/(?:liveness|health/live)", Liveness, {"limit": limit}),
                ("/health/ready", Readiness, {"limit": limit}),
                ("/metrics", Metrics, {"limit": limit}),
                Kernels.offer(),
                (
                    r"/static/extensions/polhode/(js/[\w-]+/[\w-]+\.js)",
                    Scripts,
                    {"path": str(ASSETS)},
                ),
                # The name of a page leads to its address.
                (
                    f"/({'|'.join(PAGES)})",
                    Redirect,
                    {"url": "./?page={0}", "permanent": False},
                ),
            ],
            prefix=options.prefix,
            transforms=[Activity, partial(ErrorPages, home=options.home), Compression],
            include_headers=[],  # in a page's token, of all that a browser sends
            include_cookies=[THEME, OPENS],
            secret_key=options.secret,
            sign_sessions=True,
            session_token_expiration=TOKEN_LIFETIME,
            unused_session_lifetime_milliseconds=1000 * SESSION_LIFETIME,
            check_unused_sessions_milliseconds=1000 * CHECK_INTERVAL,
            keep_alive_milliseconds=1000 * PING_INTERVAL,
            websocket_max_message_size=message_guard.LARGEST_MESSAGE,
            websocket_compression_level=DEFLATE_LEVEL,
            http_server_kwargs={
                "max_body_size": LARGEST_BODY,
                "body_timeout": REQUEST_TIMEOUT,
                "idle_connection_timeout": REQUEST_TIMEOUT,
            },
        )
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(
                error.errno, f"port {port} is in use; choose another with --port"
            ) from error
        raise
    return server


# -------------------------------------------------------------------------------------------------
# at the start


def _compile_all() -> None:
    with ProgressBar("kernels", True) as bar:
        report = warm_kernels(progress=bar)
    if report.failed:
        print(f"polhode: {report}", file=sys.stderr, flush=True)


def _make_first_pages(server: Server, application: Application, host: str) -> None:
    """Make the pages that open first, so that modules are imported, kernels compiled, HTML and
    documents ready.
    """
    for kernels in list_kernels(FIRST["so3"]):
        prepare_kernels(kernels)
    for address in page_frames.FIRST_PAGES.values():
        server.io_loop.run_sync(partial(page_frames.make_ready, server, application, host, address))
    collect_all()


def _announce(server: Server, options: Options, dashboard: str) -> None:
    """Print the page's address, and open it."""
    any_address = is_any_address(options.address)
    url = f"http://{'localhost' if any_address else options.address}:{server.port}{options.home}"
    where = f"{options.public}, and on this machine at {url}" if options.public else url
    print(f"Polhode is at {where} (Ctrl-C ends it)", flush=True)
    if dashboard:
        print(f"The dashboard of its Dask cluster is at {dashboard}", flush=True)
    if any_address and not options.named_hosts:
        print(
            "Only browsers on this machine can use the page. To admit others, name the host in their address line "
            "with --origin HOST.",
            flush=True,
        )
    has_screen = (
        sys.platform in ("win32", "darwin")
        or os.environ.get("DISPLAY")
        or os.environ.get("WAYLAND_DISPLAY")
    )
    if options.show and has_screen:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


# -------------------------------------------------------------------------------------------------
# from start to end


def _drain(server: Server, limit: VisitorLimit, seconds: float) -> None:
    """Admit nobody but visitors who come back, and stop the server once everybody has left, or
    after so many seconds.
    """
    deadline = time.monotonic() + seconds
    end = -math.inf if not limit.present else deadline
    limit.counts.is_draining = True
    if seconds:
        notify_visitors(
            f"This server ends in {format_seconds(seconds)} at the latest, and long computations with it. Your link "
            "keeps your settings."
        )

    def check() -> None:
        nonlocal end
        now = time.monotonic()
        if len(limit.present) > len(limit.left):
            end = deadline
        elif end == deadline:
            end = min(deadline, now + RETURN_TIME)
        if now >= end:
            server.io_loop.stop()
        else:
            server.io_loop.call_later(DRAIN_INTERVAL, check)

    check()


def _run(server: Server, application: Application, drain: Callable[[], None]) -> None:
    """Answer until a signal arrives, then stop the page's runs. A second signal kills."""

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        server.io_loop.add_callback_from_signal(
            drain if number == signal.SIGTERM else server.io_loop.stop
        )

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # a shell's background ignores it
            signal.signal(number, end)
    server.start()
    server.io_loop.start()
    server.unlisten()
    server.io_loop.run_sync(lambda: _end_sessions(server, application))
    server.stop()


async def _end_sessions(server: Server, application: Application) -> None:
    """End every session, so that its computations are cancelled."""
    for session in server.get_sessions("/"):
        context = session.document.session_context
        if context is not None:
            await application.on_session_destroyed(context)
