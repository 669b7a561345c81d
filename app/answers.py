"""What the server of `polhode serve` answers besides the page: errors in a sentence, and whether it is alive."""

from __future__ import annotations

from collections.abc import Generator
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from bokeh.application.application import SessionContext
from bokeh.application.handlers.handler import Handler
from bokeh.document import Document
from panel.io.resources import LOCAL_DIST
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import GZipContentEncoding, HTTPError, OutputTransform, RequestHandler, StaticFileHandler

from .bundle import slim
from .processes import Board

LONGEST_ADDRESS = 16_000
"""Characters of an address; the connection repeats what stands in it in a header, which has a limit."""

MOST_WAITING = 30
"""Sessions of pages that were fetched and have not connected."""

FULL = "The lab is full, try again in a minute."
SENTENCES = {
    HTTPStatus.MISDIRECTED_REQUEST: "This server does not answer to this host name; its operator can allow it.",
    HTTPStatus.NOT_FOUND: "There is no such page here.",
    HTTPStatus.REQUEST_URI_TOO_LONG: "This link is too long to be read.",
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
<p>{code} {phrase}. <a href="{root}">Go to the lab</a></p>
</body>
</html>
"""


class Doorkeeper(Handler):
    """Counts the visitors, whose pages have connected, and admits nobody else when the lab is full.

    A page that was fetched and has not connected yet takes no seat. It has a session, though, with some megabytes:
    of the sessions that wait, only the newest are kept. A page whose session is gone gets a new one when it connects.
    """

    def __init__(self, most: int, board: Board | None = None) -> None:
        super().__init__()
        self.most = most
        self.board = board or Board(1)
        self.present: set[str] = set()
        self.waiting: dict[str, SessionContext] = {}

    def modify_document(self, doc: Document) -> None:
        """Have the page's style sheets fetched from here.

        Panel sees to that where it sends the page; but a session is made anew when another process takes the
        connection, or when a visitor comes back after a while.
        """
        doc.template_variables["dist_url"] = LOCAL_DIST

    async def on_session_created(self, session_context: SessionContext) -> None:
        """A page is fetched, or connects to another process than the one that sent it."""
        if session_context.id not in self.present:
            self.waiting[session_context.id] = session_context
        for session_id in list(self.waiting)[:-MOST_WAITING]:
            session = self.waiting.pop(session_id).session
            if session is not None:
                session.request_expiration()

    async def on_session_destroyed(self, session_context: SessionContext) -> None:
        """A visitor has left a while ago, or has never connected."""
        self.waiting.pop(session_context.id, None)
        self.dismiss(session_context.id)

    def process_request(self, request: HTTPServerRequest) -> dict[str, Any]:
        """Somebody asks for the page, or connects."""
        if len(request.uri or "") > LONGEST_ADDRESS:
            raise HTTPError(HTTPStatus.REQUEST_URI_TOO_LONG)
        if self.is_full and "Upgrade" not in request.headers:
            raise HTTPError(HTTPStatus.SERVICE_UNAVAILABLE)
        return {}

    @property
    def is_full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.present) >= self.most

    def admit(self, session_id: str) -> bool:
        """Give a page that connects a seat, if it has none and there is one."""
        if session_id not in self.present and self.is_full:
            return False
        self.present.add(session_id)
        self.waiting.pop(session_id, None)
        self.board.count(len(self.present))
        return True

    def dismiss(self, session_id: str) -> None:
        """Free a seat."""
        self.present.discard(session_id)
        self.board.count(len(self.present))


class Liveness(RequestHandler):
    """/liveness: that the server answers, and how many visitors there are; it makes no session."""

    def initialize(self, doorkeeper: Doorkeeper) -> None:
        """Know whom to ask."""
        self.doorkeeper = doorkeeper

    def get(self) -> None:
        """A few words of JSON, which hold for all processes."""
        self.set_header("Cache-Control", "no-store")
        board = self.doorkeeper.board
        self.write(
            {
                "alive": True,
                "visitors": board.visitors,
                "most": self.doorkeeper.most * board.workers,
                "workers": board.workers,
                "replaced": board.replaced,
            }
        )


@cache
def _script(path: str) -> bytes:
    return slim(Path(path).read_text(encoding="utf-8")).encode()


class Scripts(StaticFileHandler):
    """The page's scripts as those need them who only run them, with fewer bytes."""

    @classmethod
    def get_content(
        cls, abspath: str, start: int | None = None, end: int | None = None
    ) -> Generator[bytes, None, None]:
        """The script, or a part of it."""
        yield _script(abspath)[start:end]

    def get_content_size(self) -> int:
        """How many bytes all of it has."""
        return len(_script(self.absolute_path or ""))


class ErrorPages(OutputTransform):
    """Every error, of whatever handler, becomes a small page that needs nothing from elsewhere."""

    def __init__(self, request: HTTPServerRequest) -> None:
        # Relative, since a proxy may serve all of this below a prefix.
        self._root = "../" * (request.path.count("/") - 1) or "./"

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """The whole answer, if it is an error: those come in one piece."""
        if status_code >= 400 and finishing:
            chunk = error_page(status_code, self._root).encode()
            headers["Content-Type"] = "text/html; charset=UTF-8"
            headers["Content-Length"] = str(len(chunk))
            if status_code == HTTPStatus.SERVICE_UNAVAILABLE:
                headers["Retry-After"] = "60"
        return status_code, headers, chunk


class Compression(GZipContentEncoding):
    """What travels by HTTP is compressed; in 0.6 of the time that Tornado takes by itself, with 4 % more bytes."""

    GZIP_LEVEL = 4


def error_page(code: int, root: str = "./") -> str:
    """What a visitor reads, with a link to the lab; when the lab is full, the page tries again by itself."""
    try:
        status = HTTPStatus(code)
    except ValueError:
        phrase, sentence, refresh = "Error", "That did not work.", ""
    else:
        phrase, sentence = status.phrase, SENTENCES.get(status, f"{status.phrase}.")
        refresh = '<meta http-equiv="refresh" content="60">\n' if status == HTTPStatus.SERVICE_UNAVAILABLE else ""
    return ERROR_PAGE.format(code=code, phrase=phrase, sentence=sentence, refresh=refresh, root=root)
