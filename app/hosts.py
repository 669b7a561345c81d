"""Which hosts the server answers to. A request that names any other host is refused before any handler sees it.

A browser sends a page of another site here if that site's name resolves to this machine (DNS rebinding), and to
the browser it is then one site: only the `Host` header shows the difference.
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

from .answers import error_page

HTTP = 80
"""The port that a host without one stands for, here and for Bokeh."""
LONGEST_HOST = 260
"""Characters of a host with its port; a name has at most 253."""
HOST = re.compile(r"(\[[0-9a-f:.]++\]|[a-z0-9_.-]++)(?::(\d{1,5}))?", re.ASCII)

_named: WeakKeyDictionary[BokehTornado, Sequence[str]] = WeakKeyDictionary()
"""The hosts of each server that is guarded; none where Bokeh knows them."""


def parse_host(text: str) -> str | None:
    """Return HOST:PORT in lower case, without the dot that may end a name, or None if that is no host."""
    found = HOST.fullmatch(text.lower()) if len(text) <= LONGEST_HOST else None
    return f"{found[1].removesuffix('.')}:{int(found[2] or HTTP)}" if found else None


def is_named(host: str | None, named: Iterable[str]) -> bool:
    """Whether a host is one of those that the operator named, each HOST or HOST:PORT; * stands for any part."""
    return host is not None and any(parse_host(name) == host or match_host(host, name) for name in named)


def named_hosts(application: BokehTornado) -> Iterable[str]:
    """The hosts that the operator of this server named.

    Those of `panel serve` stand among its options or in the environment, and Bokeh knows no address in brackets.
    """
    if named := _named.get(application):
        return named
    named = list(settings.allowed_ws_origin() or application.websocket_origins)
    here = [name.removeprefix("localhost") for name in named if name.startswith("localhost:")]
    return named + [host + port for port in here for host in ("127.0.0.1", "[::1]")]


def is_own_origin(application: BokehTornado, origin: str) -> bool:
    """Whether a page of this origin, SCHEME://HOST:PORT, is one of a named host."""
    scheme, _, host = origin.partition("://")
    return scheme in ("http", "https") and is_named(parse_host(host), named_hosts(application))


def guard(application: BokehTornado, named: Sequence[str] = (), embedders: Sequence[str] = ()) -> None:
    """Check the host of every request before any handler, and add the headers to every answer."""
    if application not in _named:
        _named[application] = named
        rules: list[Rule] = [Rule(_ForeignHost(application), _Misdirected), Rule(PathMatches(".*%00.*"), _BadAddress)]
        application.default_router.rules[:0] = [application.default_router.process_rule(rule) for rule in rules]
        application.add_transform(_headers(application, embedders))


def guard_all() -> None:
    """Guard every server of this process, also one that was made before, as that of `panel serve` is."""

    def find_handler(application: BokehTornado, request: HTTPServerRequest, **kwargs: Any) -> Any:
        guard(application)
        return found(application, request, **kwargs)

    if BokehTornado.find_handler.__module__ != __name__:
        found = BokehTornado.find_handler
        BokehTornado.find_handler = find_handler


class _ForeignHost(Matcher):
    """Matches a request for a host that nobody named, or for none or several."""

    def __init__(self, application: BokehTornado) -> None:
        self._application = application

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        hosts = request.headers.get_list("Host")
        ours = len(hosts) == 1 and is_named(parse_host(hosts[0]), named_hosts(self._application))
        return None if ours else {}


class _Refusal(RequestHandler):
    """Answers any request with an error in a sentence."""

    status: HTTPStatus

    def prepare(self) -> None:
        """Whatever the method."""
        raise HTTPError(self.status)

    def write_error(self, status_code: int, **_: Any) -> None:
        """Write the page that a visitor reads."""
        self.finish(error_page(status_code))


class _Misdirected(_Refusal):
    status = HTTPStatus.MISDIRECTED_REQUEST


class _BadAddress(_Refusal):
    """An address with a NUL byte, which no file can have in its name."""

    status = HTTPStatus.BAD_REQUEST


def _headers(application: BokehTornado, embedders: Sequence[str]) -> type[OutputTransform]:
    """The headers of every answer; pages of the embedders' hosts, and of the server's own, may show it in a frame.

    What a page may load and run, it says itself (see `app/shell.py`).
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
            # Bokeh gives autoload.js, with a token in it, to scripts of any origin.
            if "Access-Control-Allow-Origin" in headers and not is_own_origin(application, self._origin):
                del headers["Access-Control-Allow-Origin"]
            return status_code, headers, chunk

    return Headers
