"""Validation of the `Host` header: requests that name a host which the operator did not name are
refused.

A page of another site can reach this server if that site's name resolves to this machine (DNS
rebinding). The browser then takes both for one site, and only the `Host` header shows the
difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any
from weakref import WeakKeyDictionary

from bokeh.server.tornado import BokehTornado
from bokeh.server.util import match_host
from bokeh.settings import settings
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.routing import Matcher, PathMatches, Rule
from tornado.web import HTTPError, OutputTransform, RequestHandler

from ..compat.server import add_first_rules
from . import counts
from .http import error_page

HTTP_PORT = 80
"""The port of a host without one, here and in Bokeh."""
LONGEST_HOST = 260
"""Characters of a host with its port; a name has at most 253."""
HOST = re.compile(r"(\[[0-9a-f:.]++\]|[a-z0-9_.-]++)(?::(\d{1,5}))?", re.ASCII)

PUBLIC = re.compile(rf"https?://{HOST.pattern}(/[\w.~%/-]*)?", re.ASCII | re.IGNORECASE)

_allowed: WeakKeyDictionary[BokehTornado, Sequence[str]] = WeakKeyDictionary()
"""The hosts of each guarded server; empty where Bokeh has them."""


def parse_host(text: str) -> str | None:
    """Return HOST:PORT in lower case, without the dot that may end a name, or None if the text is
    no host.
    """
    match = HOST.fullmatch(text.lower()) if len(text) <= LONGEST_HOST else None
    return f"{match[1].removesuffix('.')}:{int(match[2] or HTTP_PORT)}" if match else None


def is_allowed(host: str | None, allowed: Iterable[str]) -> bool:
    """Whether a host is among the allowed ones, each HOST or HOST:PORT; * stands for any part."""
    return host is not None and any(
        parse_host(name) == host or match_host(host, name) for name in allowed
    )


def allowed_hosts(application: BokehTornado) -> Iterable[str]:
    """Return the hosts that the operator of this server named.

    `panel serve` has them among its options or in the environment, and Bokeh knows no address in
    brackets.
    """
    if allowed := _allowed.get(application):
        return allowed
    allowed = list(settings.allowed_ws_origin() or application.websocket_origins)
    ports = [name.removeprefix("localhost") for name in allowed if name.startswith("localhost:")]
    return allowed + [host + port for port in ports for host in ("127.0.0.1", "[::1]")]


def is_own_origin(application: BokehTornado, origin: str) -> bool:
    """Whether the host of an origin, SCHEME://HOST:PORT, is allowed."""
    scheme, _, host = origin.partition("://")
    return scheme in ("http", "https") and is_allowed(parse_host(host), allowed_hosts(application))


def list_hosts(named: Iterable[str], port: int, address: str = "localhost") -> list[str]:
    """Return the hosts whose pages may connect, each HOST:PORT: this machine's, and those that are
    named.

    A name without a port stands for the default port and for the server's own.
    """
    allowed = [f"{host}:{port}" for host in ("localhost", "127.0.0.1", "[::1]")]
    bound = f"[{address}]" if ":" in address else address
    for origin in [*named, "" if is_any_address(address) else bound]:
        for host in read_host(origin):
            allowed += (
                [host]
                if host.rpartition(":")[2].isdigit()
                else [f"{host}:{HTTP_PORT}", f"{host}:{port}"]
            )
    return list(dict.fromkeys(allowed))


def read_host(text: str, scheme: str = "") -> list[str]:
    """Return the host that an operator names, as a browser's address line shows it; an empty list
    for no text.
    """
    text = text.strip().lower().rstrip("/")
    if text and not re.fullmatch(rf"{scheme}(\[[0-9a-f:.]++\]|[a-z0-9_.-]++)(:\d{{1,5}})?", text):
        raise ValueError(
            f"an origin is a host, like lab.example.org or 192.168.1.7:5006; got {text!r}"
        )
    return [text] if text else []


def parse_public_url(text: str) -> str:
    """Return the address at which browsers reach the page, with a slash at its end; an empty text
    for no address.
    """
    text = text.strip()
    if text and not PUBLIC.fullmatch(text):
        raise ValueError(
            f"a public URL is like https://lab.example.org/polhode/, without ? and #; got {text!r}"
        )
    return text and f"{text.rstrip('/')}/"


def is_any_address(address: str) -> bool:
    """Whether a server at this address listens on all interfaces."""
    return address in ("0.0.0.0", "::", "")


def guard(
    application: BokehTornado, allowed: Sequence[str] = (), embedders: Sequence[str] = ()
) -> None:
    """Check the host of every request before any handler does, and add headers to every
    response.
    """
    if application not in _allowed:
        _allowed[application] = allowed
        add_first_rules(
            application,
            [
                Rule(_ForeignHost(application), _Misdirected),
                Rule(PathMatches(".*%00.*"), _BadAddress),
            ],
        )
        application.add_transform(_make_headers(application, embedders))


class _ForeignHost(Matcher):
    """Matches a request for a host that is not allowed, for no host, or for several."""

    def __init__(self, application: BokehTornado) -> None:
        self._application = application

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        hosts = request.headers.get_list("Host")
        ours = len(hosts) == 1 and is_allowed(
            parse_host(hosts[0]), allowed_hosts(self._application)
        )
        return None if ours else {}


class _Refusal(RequestHandler):
    """Answers any request with an error page."""

    status: HTTPStatus

    def prepare(self) -> None:
        """Refuse any method."""
        raise HTTPError(self.status)

    def write_error(self, status_code: int, **_: Any) -> None:
        """Write the error page."""
        self.finish(error_page(status_code))


class _Misdirected(_Refusal):
    status = HTTPStatus.MISDIRECTED_REQUEST

    def prepare(self) -> None:
        """Count the request, and refuse it."""
        counts.current.refuse("host")
        super().prepare()


class _BadAddress(_Refusal):
    """An address with a NUL byte, which no file name contains."""

    status = HTTPStatus.BAD_REQUEST


def _make_headers(application: BokehTornado, embedders: Sequence[str]) -> type[OutputTransform]:
    """Return what adds the headers of every response; the embedders' pages, and the server's own,
    may frame the page.

    The page itself says what it may load and run (see `app/pages/frame.py`).
    """
    constant = {
        "Content-Security-Policy": " ".join(["frame-ancestors 'self'", *embedders]),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    }

    class Headers(OutputTransform):
        def __init__(self, request: HTTPServerRequest) -> None:
            self._origin = request.headers.get("Origin", "")

        def transform_first_chunk(
            self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
        ) -> tuple[int, HTTPHeaders, bytes]:
            headers.update(constant)
            # Bokeh lets scripts of any origin read autoload.js, which contains a token.
            if "Access-Control-Allow-Origin" in headers and not is_own_origin(
                application, self._origin
            ):
                del headers["Access-Control-Allow-Origin"]
            return status_code, headers, chunk

    return Headers
