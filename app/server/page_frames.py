"""The HTML of pages, which is sent at once, and documents that are ready before a visitor comes.

The HTML holds a page's frame and the token of a session. The browser then opens a connection,
through which it receives what the page shows. Visitors of the same page therefore receive the same
HTML, and the server can make the document while the browser loads the scripts. Of the pages that
open first, a quiet server has a document ready.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from typing import Any

from bokeh.application.application import Application
from bokeh.core.types import ID
from bokeh.server.server import Server
from bokeh.server.session import ServerSession
from panel.io.server import DocHandler
from tornado.ioloop import IOLoop, PeriodicCallback

from ..browser.page_links import OPENS, THEME, page_link
from ..compat.server import (
    is_visit,
    make_page,
    make_token,
    replace_page_handler,
    visit_page,
)
from ..compat.sessions import serialize_ahead
from ..state import START
from ..state.excerpt import WORDS
from .http import Activity, VisitorLimit, find_limits

LOG = logging.getLogger(__name__)

MOST_FRAMES, LONGEST_NAME = 100, 100
"""Pages whose HTML is kept, and characters of the words by which they are told apart."""
QUIET, LONGEST_WAIT = 0.1, 1.0
"""Seconds without a request after which a browser has all scripts and its document is made, and the
longest wait.
"""
IDLE = 3.0
"""Seconds without a request or message after which the next visitor's document is made, which
delays answers.
"""
MOST_PREPARED = 5
"""Documents that wait for a browser. Those of others are made when they connect."""
KEPT = 60.0
"""Seconds within which a browser connects to a document that was ready."""
FIRST_PAGES = {START: "/", "lab": f"/{page_link('lab')}"}
"""Addresses of the pages whose documents are made before anybody comes."""

_ready: dict[str, ServerSession] = {}
"""Sessions of the next visitors, by page."""
_frames: dict[tuple[Any, ...], tuple[str, str, str]] = {}
"""HTML that was sent, with its token and nonce, by what it depends on."""


def name_frame(
    arguments: dict[str, list[bytes]], cookies: dict[str, str]
) -> tuple[Any, ...] | None:
    """Return what the HTML of a page depends on; None for an excerpt, whose HTML depends on its
    whole address.
    """
    name = (
        *(tuple(arguments.get(word, ())) for word in ("page", "lesson")),
        bool(arguments),
        *(cookies.get(cookie) for cookie in (THEME, OPENS)),
    )
    return name if arguments.keys().isdisjoint(WORDS) and len(str(name)) <= LONGEST_NAME else None


def name_document(arguments: dict[str, list[bytes]], cookies: dict[str, str]) -> str:
    """Return the page whose document is the same for all visitors; empty if the address has more
    than its name.
    """
    if arguments.keys() - {"page"}:
        return ""
    return b" ".join(arguments.get("page", [])).decode("latin-1") or cookies.get(OPENS, START)


async def _get_page(handler: DocHandler, *args: Any, **kwargs: Any) -> None:
    """Send a page's HTML, at once if the same has been sent before."""
    limits, visits = find_limits(handler.application_context.application), is_visit(handler.request)
    cookies = {key: cookie.value for key, cookie in handler.request.cookies.items()}
    name = name_frame(handler.request.arguments, cookies) if limits else None
    if name not in _frames or visits:
        html = await make_page(handler, *args, **kwargs)
        token, nonce = re.search(r'"token":"([\w.-]+)"', html), re.search(r"'nonce-([\w-]+)'", html)
        if name is not None and name not in _frames and token and nonce:
            if len(_frames) == MOST_FRAMES:
                del _frames[next(iter(_frames))]
            _frames[name] = html, token[1], nonce[1]
        return
    html, old_token, old_nonce = _frames[name]
    page = name_document(handler.request.arguments, cookies)
    session_id, fresh = make_token(handler, _ready[page].id if page in _ready else None)
    made = _ready.pop(page, None)
    html = html.replace(old_token, fresh).replace(old_nonce, secrets.token_urlsafe(16))
    handler.set_header("Cache-Control", "no-store")
    handler.write(html)
    if made:
        limits[0].waiting[made.id] = made.document.session_context
        IOLoop.current().call_later(KEPT, made.unblock_expiration)
    elif limits[0].counts.workers == 1:  # else another worker may take the connection
        IOLoop.current().add_callback(_make_document, handler, limits[0], session_id, fresh)


async def _make_document(
    handler: DocHandler, limit: VisitorLimit, session_id: ID, token: str
) -> None:
    """Make the document of a page, unless many wait: requests that nobody connects for would fill
    the memory.
    """
    sent = now = time.monotonic()
    while now < sent + LONGEST_WAIT and not sent < Activity.last < now - QUIET:
        await asyncio.sleep(QUIET / 4)
        now = time.monotonic()
    if len(limit.waiting) < MOST_PREPARED:
        await handler.application_context.create_session_if_needed(
            session_id, handler.request, token
        )


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
    """Send the HTML of pages that visitors share at once."""
    replace_page_handler(_get_page)
