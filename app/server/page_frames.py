"""The HTML of pages, which is sent at once, and documents that are ready before a visitor comes.

The HTML holds a page's frame and the token of a session. The browser then opens a connection,
through which it receives what the page shows. Visitors of the same page, or of excerpts with the
same kinds of parts, therefore receive the same HTML, and the server can make the document while the
browser loads the scripts. Of the pages that open first, a quiet server has a document ready.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from types import SimpleNamespace
from typing import Any

from bokeh.application.application import Application
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.server.server import Server
from bokeh.server.session import ServerSession
from panel.io.server import AutoloadJsHandler, DocHandler
from tornado.ioloop import IOLoop, PeriodicCallback

from ..browser.addresses import SPACES, read_address, read_query, write_search
from ..browser.page_links import OPENS, THEME, THEMES, page_link
from ..compat.server import (
    is_visit,
    make_documents_in_turns,
    make_page,
    make_token,
    replace_page_handlers,
    visit_page,
)
from ..compat.sessions import serialize_ahead
from ..state import START, list_parts
from ..state.excerpt import WORDS
from .http import Activity, VisitorLimit, find_limits
from .page_queue import QUEUE, Busy

LOG = logging.getLogger(__name__)

QUIET, LONGEST_WAIT = 0.1, 1.0
"""Seconds without a request after which a browser has all scripts and its document is made, and the
longest wait.
"""
IDLE = 3.0
"""Seconds without a request or message after which the next visitor's document is made, which
delays answers.
"""
MOST_PREPARED = 5
"""Documents that wait for a browser, or will be made for one. Those of others are made when they
connect: requests that nobody connects for would fill the memory.
"""
KEPT = 60.0
"""Seconds within which a browser connects to a document that was ready."""
FIRST_PAGES = {START: "/", "lab": f"/{page_link('lab')}"}
"""Addresses of the pages whose documents are made before anybody comes."""

_ready: dict[str, ServerSession] = {}
"""Sessions of the next visitors, by page."""
_expected: set[ID] = set()
"""Sessions whose documents will be made for browsers that are loading scripts."""
_frames: dict[tuple[Any, ...], tuple[str, str, str]] = {}
"""HTML that was sent, with its token and nonce, by what it depends on."""
_making = asyncio.Lock()
"""Held while HTML is made."""


def name_frame(
    arguments: dict[str, list[bytes]], cookies: dict[str, str]
) -> tuple[str, str, tuple[bool, ...]]:
    """Return what the HTML of a page depends on: the page, the theme, and the kinds of parts of an
    excerpt that stands alone. There are some dozens of names.
    """
    address = read_address(write_search(arguments), cookies.get(OPENS, ""))
    theme = cookies.get(THEME, "")
    kinds: tuple[bool, ...] = ()
    if address.page in SPACES and not address.query.keys().isdisjoint(WORDS):
        choice, excerpt, _ = read_query(address.query, SPACES[address.page])
        plots = any(part.plot and excerpt.has(part.word) for part in list_parts(choice))
        kinds = (plots, excerpt.controls != ()) if excerpt.alone else ()
    return address.page, theme if theme in THEMES else "", kinds


def name_document(arguments: dict[str, list[bytes]], cookies: dict[str, str]) -> str:
    """Return the page whose document is the same for all visitors; empty if the address has more
    than its name.
    """
    if arguments.keys() - {"page"}:
        return ""
    return b" ".join(arguments.get("page", [])).decode("latin-1") or cookies.get(OPENS, START)


async def _get_page(handler: DocHandler, *args: Any, **kwargs: Any) -> None:
    """Send a page's HTML, at once if the same has been sent before."""
    limits = find_limits(handler.application_context.application)
    request = handler.request
    if not limits or request.path == handler.application.prefix:
        await make_page(handler, *args, **kwargs)
        return
    cookies = {key: cookie.value for key, cookie in request.cookies.items()}
    name = name_frame(request.arguments, cookies)
    if is_visit(request):
        _keep_frame(name, await make_page(handler, *args, **kwargs))
        return
    async with _making:  # of visitors of the same page, the first makes the HTML
        if name not in _frames:
            _keep_frame(name, await make_page(handler, *args, **kwargs))
            return
    async with QUEUE.take_turn(request.remote_ip):
        _send_frame(handler, limits[0], name, name_document(request.arguments, cookies))


def _keep_frame(name: tuple[Any, ...], html: str) -> None:
    """Keep the HTML of a page, unless the page failed."""
    token = re.search(r'"token":"([\w.-]+)"', html)
    nonce = re.search(r"'nonce-([\w-]+)'", html)
    if name not in _frames and token and nonce:
        _frames[name] = html, token[1], nonce[1]


def _send_frame(handler: DocHandler, limit: VisitorLimit, name: tuple[Any, ...], page: str) -> None:
    """Send the HTML of a page with a token, and have its document made; a HEAD request needs no
    document.
    """
    html, old_token, old_nonce = _frames[name]
    is_read = handler.request.method == "GET"
    made = _ready.get(page) if is_read else None
    session_id, fresh = make_token(handler, made.id if made else None)
    html = html.replace(old_token, fresh).replace(old_nonce, secrets.token_urlsafe(16))
    handler.set_header("Cache-Control", "no-store")
    handler.write(html)
    if made:
        del _ready[page]
        limit.waiting[made.id] = made.document.session_context
        IOLoop.current().call_later(KEPT, made.unblock_expiration)
        return
    is_ours = limit.counts.workers == 1  # else another worker may take the connection
    if is_read and is_ours and len(limit.waiting) + len(_expected) < MOST_PREPARED:
        _expected.add(session_id)
        IOLoop.current().add_callback(_make_document, handler, session_id, fresh)


async def _make_document(handler: DocHandler, session_id: ID, token: str) -> None:
    """Make the document of a page."""
    sent = now = time.monotonic()
    while now < sent + LONGEST_WAIT and not sent < Activity.last < now - QUIET:
        await asyncio.sleep(QUIET / 4)
        now = time.monotonic()
    try:
        await handler.application_context.create_session_if_needed(
            session_id, handler.request, token
        )
    except Busy:  # it is made when the browser connects
        pass
    finally:
        _expected.discard(session_id)


async def _begin_session(handler: AutoloadJsHandler) -> SimpleNamespace:
    """Return the token of a session, whose document is made when a browser connects; the script
    depends on no document.
    """
    async with QUEUE.take_turn(handler.request.remote_ip):
        return SimpleNamespace(document=Document(), token=make_token(handler)[1])


async def make_ready(server: Server, application: Application, host: str, address: str) -> None:
    """Make the document of a page for its next visitor, and the HTML; raise an `OSError` if the
    page fails.
    """
    (limit,) = find_limits(application)
    session = await visit_page(server, address, host)
    errors = [handler.error for handler in application.handlers if handler.failed]
    if errors or limit.counts.workers > 1:  # another worker may take the visitor's connection
        session.request_expiration()
    else:
        session.block_expiration()
        serialize_ahead(session.document)
        limit.waiting.pop(session.id, None)
        request = session.document.session_context.request
        _ready[name_document(request.arguments, request.cookies)] = session
    if errors:
        raise OSError(f"the page cannot be made: {errors[0]}")


def keep_ready(server: Server, application: Application, host: str) -> None:
    """Make a document again that a visitor has taken, once the server is idle."""
    (limit,) = find_limits(application)
    if limit.counts.workers > 1:
        return

    async def replace_one() -> None:
        missing = [page for page in FIRST_PAGES if page not in _ready]
        if missing and not limit.is_full and Activity.last < time.monotonic() - IDLE:
            try:
                await make_ready(server, application, host, FIRST_PAGES[missing[0]])
            except OSError as error:  # visitors will see it, too
                LOG.error("%s", error)
                remakes.stop()

    remakes = PeriodicCallback(replace_one, 1000)
    remakes.start()


def install() -> None:
    """Send the HTML of pages that visitors share at once, and make documents in turns."""
    replace_page_handlers(_get_page, _begin_session)
    make_documents_in_turns(lambda request: QUEUE.take_turn(request.remote_ip if request else None))
