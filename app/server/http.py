"""HTTP responses beside the page: error pages, liveness, scripts, and the limit of visitors."""

from __future__ import annotations

import time
import zlib
from collections.abc import Generator
from http import HTTPStatus
from pathlib import Path
from typing import Any, ClassVar

from bokeh.application.application import Application, SessionContext
from bokeh.application.handlers.handler import Handler
from bokeh.document import Document
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import (
    GZipContentEncoding,
    HTTPError,
    OutputTransform,
    RedirectHandler,
    RequestHandler,
    StaticFileHandler,
)

from engine import web

from ..asset_files import read_html, served_script
from ..browser.page_links import BACK
from ..compat.templates import serve_styles_locally
from .counts import SharedCounts

LONGEST_ADDRESS = 16_000
"""Characters of an address: the connection repeats it in a header, whose length is limited."""

MOST_WAITING = 30
"""Sessions whose pages were fetched and have not connected."""

WITH_GZIP_HEADER = 31
"""What zlib calls the size of its window, and 16 for a header of gzip."""

FULL = "The lab is full, or about to restart. Try again in a minute."
SENTENCES = {
    HTTPStatus.FORBIDDEN: "A link may not name a session, and a page of another site may not connect.",
    HTTPStatus.MISDIRECTED_REQUEST: "This server does not accept this host name. Its operator can allow it.",
    HTTPStatus.NOT_FOUND: "This page does not exist.",
    HTTPStatus.REQUEST_URI_TOO_LONG: "This link is too long.",
    HTTPStatus.SERVICE_UNAVAILABLE: FULL,
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server failed. Your link still has your settings.",
}


class VisitorLimit(Handler):
    """Counts visitors, and admits no more when the lab is full.

    A visitor is a page that has connected. A visitor who has left can return to the same session
    for a while, unless somebody else needs the seat. A page that was only fetched takes no seat,
    but its session takes some megabytes, so that only the newest sessions are kept. A page whose
    session is gone gets a new one when it connects.
    """

    def __init__(self, most: int, counts: SharedCounts | None = None) -> None:
        super().__init__()
        self.most = most
        self.counts = counts or SharedCounts(1)
        self.present: set[str] = set()
        self.left: dict[str, None] = {}  # of those present, in the order in which they left
        self.waiting: dict[str, SessionContext] = {}
        self._contexts: dict[str, SessionContext] = {}

    def modify_document(self, doc: Document) -> None:
        """Have the page fetch its style sheets from this server."""
        serve_styles_locally(doc)

    async def on_session_created(self, session_context: SessionContext) -> None:
        """Note a page that was fetched, or that connects to another process than the one that sent
        it.
        """
        self.counts.add("sessions_total")
        self._contexts[session_context.id] = session_context
        if session_context.id not in self.present:
            self.waiting[session_context.id] = session_context
        for session_id in list(self.waiting)[:-MOST_WAITING]:
            self._end_session(session_id)

    async def on_session_destroyed(self, session_context: SessionContext) -> None:
        """Forget a visitor who left a while ago, or never connected."""
        self.waiting.pop(session_context.id, None)
        self._contexts.pop(session_context.id, None)
        self.release(session_context.id)

    def process_request(self, request: HTTPServerRequest) -> dict[str, Any]:
        """Refuse a request for the page if its address is too long or the lab is full."""
        if len(request.uri or "") > LONGEST_ADDRESS:
            raise HTTPError(HTTPStatus.REQUEST_URI_TOO_LONG)
        if not self.has_room(BACK in request.cookies) and "Upgrade" not in request.headers:
            self.counts.refuse("full")
            raise HTTPError(HTTPStatus.SERVICE_UNAVAILABLE)
        return {}

    def has_room(self, returns: bool = False) -> bool:
        """Whether a seat is free, or taken by a visitor who has left; while the server is about to
        end, only for a visitor who returns.
        """
        is_free = len(self.present) - len(self.left) < self.most
        return is_free and (returns or not self.counts.is_draining)

    @property
    def is_full(self) -> bool:
        """Whether no new visitor is admitted."""
        return not self.has_room()

    def admit(self, session_id: str, returns: bool = False) -> bool:
        """Give a page that connects a seat; False if it has none and none is free."""
        if session_id not in self.present or session_id in self.left:
            if not self.has_room(returns or session_id in self.left):
                return False
            self.left.pop(session_id, None)
        self.present.add(session_id)
        if len(self.present) > self.most:
            self._end_session(next(iter(self.left)))
        self.waiting.pop(session_id, None)
        self.counts.set("visitors", len(self.present))
        return True

    def leave(self, session_id: str) -> None:
        """Note that the last connection of a visitor has ended."""
        if session_id in self.present:
            self.left[session_id] = None

    def _end_session(self, session_id: str) -> None:
        """Free the seat of a visitor who is not connected, and what the session takes."""
        self.waiting.pop(session_id, None)
        self.release(session_id)
        context = self._contexts.get(session_id)
        if context is not None and context.session is not None:
            context.session.request_expiration()

    def release(self, session_id: str) -> None:
        """Free a seat."""
        self.present.discard(session_id)
        self.left.pop(session_id, None)
        self.counts.set("visitors", len(self.present))


def find_limits(application: Application) -> list[VisitorLimit]:
    """Return what limits the visitors; an empty list for an application of `panel serve`."""
    return [handler for handler in application.handlers if isinstance(handler, VisitorLimit)]


PROBES = ("/liveness", "/health/live", "/health/ready", "/metrics")
"""Addresses that other programs ask regularly."""


class Answer(RequestHandler):
    """An answer of the moment: HEAD has the headers of GET, and nothing can be kept by its tag."""

    def head(self, *args: Any) -> Any:
        """Answer as to GET; Tornado leaves out the content."""
        return self.get(*args)

    def compute_etag(self) -> None:
        """Return no tag."""


class Redirect(Answer, RedirectHandler):
    """Leads to another address."""


class Liveness(Answer):
    """/liveness and /health/live: whether the server answers, and the number of visitors; it opens
    no session.
    """

    def initialize(self, limit: VisitorLimit) -> None:
        """Keep what counts the visitors."""
        self.limit = limit

    def get(self) -> None:
        """Answer in JSON, for all processes together."""
        self.set_header("Cache-Control", "no-store")
        counts = self.limit.counts
        numbers = {name: getattr(counts, name) for name in ("visitors", "workers", "replaced")}
        self.write({"alive": True, "most": self.limit.most * counts.workers} | numbers)


class Readiness(Liveness):
    """/health/ready: whether the server admits visitors, which a full or ending one does not."""

    def get(self) -> None:
        """Answer 200 or 503; before kernels and first pages are made, the server answers
        nothing.
        """
        self.set_header("Cache-Control", "no-store")
        is_ready = not self.limit.is_full
        self.set_status(HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE)
        self.write({"ready": is_ready, "ending": self.limit.counts.is_draining})


class Metrics(Liveness):
    """/metrics: what all processes count together, for Prometheus."""

    def get(self) -> None:
        """Answer in Prometheus' text format."""
        self.set_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.write(self.limit.counts.report(self.limit.most))


class Scripts(StaticFileHandler):
    """The page's scripts, each with the modules that only few scripts import and without
    comments.
    """

    @classmethod
    def get_content(
        cls, abspath: str, start: int | None = None, end: int | None = None
    ) -> Generator[bytes, None, None]:
        """Return the script, or a range of its bytes."""
        yield served_script(Path(abspath))[start:end]

    def get_content_size(self) -> int:
        """Return the number of bytes."""
        return len(served_script(Path(self.absolute_path or "")))


class Kernels(Answer):
    """WebAssembly modules by their keys, which say what they are built from: browsers and proxies
    may keep them.
    """

    offered = False
    """Whether this process serves them."""

    @classmethod
    def offer(cls) -> tuple[str, type[Kernels], dict[str, Any]]:
        """Return the pattern of their addresses, and what serves them."""
        cls.offered = True
        return r"/kernels/([0-9a-f]{40})", cls, {}

    def get(self, key: str) -> None:
        """Send a module."""
        code = web.load(key)
        if code is None:
            raise HTTPError(HTTPStatus.NOT_FOUND)
        self.set_header("Content-Type", "application/wasm")
        self.set_header("Cache-Control", "public, max-age=31536000, immutable")
        self.write(code)


class Activity(OutputTransform):
    """Notes when somebody used the server last, by the monotonic clock."""

    last = 0.0

    def __init__(self, request: HTTPServerRequest) -> None:
        if not request.path.endswith(PROBES):
            self.note()

    @classmethod
    def note(cls) -> None:
        """Note a request or a message of this moment."""
        Activity.last = time.monotonic()


class ErrorPages(OutputTransform):
    """Replaces the error of any handler by a small page that loads nothing; a form and what
    programs read stay.
    """

    def __init__(self, request: HTTPServerRequest, home: str = "/") -> None:
        # Relative, because a proxy may remove another prefix.
        self._root = home if home != "/" else "../" * (request.path.count("/") - 1) or "./"

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Replace the whole response, if it is an error: these come in one piece."""
        is_page = headers.get("Content-Type", "").startswith("text/html")
        if status_code >= 400 and finishing and is_page and status_code != HTTPStatus.UNAUTHORIZED:
            chunk = error_page(status_code, self._root).encode()
            headers["Content-Type"] = "text/html; charset=UTF-8"
            headers["Content-Length"] = str(len(chunk))
            if status_code == HTTPStatus.SERVICE_UNAVAILABLE:
                headers["Retry-After"] = "60"
        return status_code, headers, chunk


class Compression(GZipContentEncoding):
    """Compresses responses in 0.6 of the time that Tornado's default takes, to 4 % more bytes, and
    each file once.

    A file has a tag that its content determines, under which its compressed bytes are kept. The tag
    is sent as a weak one, because the bytes under it depend on what the browser can unpack. Parts
    of files are sent as they are, and so are further files when there is no room to keep them.
    """

    GZIP_LEVEL = 4
    MOST_KEPT = 32_000_000
    """Bytes of compressed files in this process; all scripts and styles have half as many."""
    kept: ClassVar[dict[str, bytes]] = {}

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Begin a response, with the whole content if it is kept."""
        self._tag = headers.get("Etag", "")
        self._missing = int(headers.get("Content-Length", "0"))
        self._parts: list[bytes] = []
        packed = self.kept.get(self._tag)
        self._has_packed = packed is not None
        is_full = sum(map(len, self.kept.values())) >= self.MOST_KEPT
        self._gzipping = (
            self._gzipping
            and self._compressible_type(headers.get("Content-Type", "").split(";")[0])
            and not (finishing and len(chunk) < self.MIN_LENGTH)
            and not {"Content-Encoding", "Content-Range"} & set(headers)
            and not (self._tag and packed is None and is_full)
        )
        headers["Vary"] = ", ".join([*headers.get_list("Vary"), "Accept-Encoding"])
        if self._tag:
            headers["Etag"] = f"W/{self._tag.removeprefix('W/')}"
        if not self._gzipping:
            return status_code, headers, chunk
        headers["Content-Encoding"] = "gzip"
        if packed is None:
            # Unlike a GzipFile, which Tornado uses, it may be left without its end.
            self._compressor = zlib.compressobj(self.GZIP_LEVEL, wbits=WITH_GZIP_HEADER)
            chunk = self.transform_chunk(chunk, finishing)
        else:
            chunk = packed
        if packed is not None or finishing:
            headers["Content-Length"] = str(len(chunk))
        elif "Content-Length" in headers:
            del headers["Content-Length"]
        return status_code, headers, chunk

    def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:
        """Compress a part of the content, unless the whole has been sent."""
        if not self._gzipping:
            return chunk
        if self._has_packed:
            return b""
        self._missing -= len(chunk)
        end = zlib.Z_FINISH if finishing else zlib.Z_SYNC_FLUSH
        packed = self._compressor.compress(chunk) + self._compressor.flush(end)
        if self._tag:
            self._parts.append(packed)
            if finishing and not self._missing:  # else the browser left before the end
                self.kept[self._tag] = b"".join(self._parts)
        return packed


def error_page(code: int, root: str = "./") -> str:
    """Return the error page with a link to the lab; when the lab is full, the page reloads
    itself.
    """
    try:
        status = HTTPStatus(code)
    except ValueError:
        phrase = "Error"
        sentence = "The request failed."
        refresh = ""
    else:
        phrase = status.phrase
        sentence = SENTENCES.get(status, f"{status.phrase}.")
        refresh = (
            '<meta http-equiv="refresh" content="60">\n'
            if status == HTTPStatus.SERVICE_UNAVAILABLE
            else ""
        )
    return read_html(
        "error", CODE=str(code), PHRASE=phrase, SENTENCE=sentence, REFRESH=refresh, ROOT=root
    )
