"""The HTML of pages, which is sent before their documents are made.

The HTML holds a page's frame and the token of a session. The browser then opens a connection, through which it
receives what the page shows. Visitors of the same page therefore receive the same HTML, and the server can make the
document while the browser loads the scripts.
"""

from __future__ import annotations

import re
import secrets
from typing import Any

from bokeh.core.types import ID
from panel.io.server import DocHandler
from tornado.ioloop import IOLoop

from ..browser.page_links import OPENS, THEME
from ..compat.server import make_page, make_token, replace_page_handler
from ..state.excerpt import WORDS
from .http import VisitorLimit

MOST_FRAMES, LONGEST_NAME = 100, 100
"""Pages whose HTML is kept, and characters of the words by which they are told apart."""
PREPARE_AFTER = 0.2
"""Seconds after which a document is made for a browser that has not connected; it fetches scripts before."""
MOST_PREPARED = 5
"""Documents that wait for a browser. Those of others are made when they connect."""

_frames: dict[tuple[Any, ...], tuple[str, str, str]] = {}
"""HTML that was sent, with its token and nonce, by what it depends on."""


def name_frame(arguments: dict[str, list[bytes]], cookies: dict[str, str]) -> tuple[Any, ...] | None:
    """Return what the HTML of a page depends on; None for an excerpt, whose HTML depends on its whole address."""
    name = (
        *(tuple(arguments.get(word, ())) for word in ("page", "lesson")),
        bool(arguments),
        *(cookies.get(cookie) for cookie in (THEME, OPENS)),
    )
    return name if arguments.keys().isdisjoint(WORDS) and len(str(name)) <= LONGEST_NAME else None


async def _get_page(handler: DocHandler, *args: Any, **kwargs: Any) -> None:
    """Send a page's HTML, at once if the same has been sent before."""
    limits = [one for one in handler.application_context.application.handlers if isinstance(one, VisitorLimit)]
    cookies = {key: cookie.value for key, cookie in handler.request.cookies.items()}
    name = name_frame(handler.request.arguments, cookies) if limits else None
    if name not in _frames:
        html = await make_page(handler, *args, **kwargs)
        token, nonce = re.search(r'"token":"([\w.-]+)"', html), re.search(r"'nonce-([\w-]+)'", html)
        if name is not None and token and nonce:
            if len(_frames) == MOST_FRAMES:
                del _frames[next(iter(_frames))]
            _frames[name] = html, token[1], nonce[1]
        return
    session_id, fresh = make_token(handler)
    html, old_token, old_nonce = _frames[name]
    html = html.replace(old_token, fresh).replace(old_nonce, secrets.token_urlsafe(16))
    handler.set_header("Cache-Control", "no-store")
    handler.write(html)
    if limits[0].counts.workers == 1:  # else another worker may take the connection
        IOLoop.current().call_later(PREPARE_AFTER, _make_document, handler, limits[0], session_id, fresh)


async def _make_document(handler: DocHandler, limit: VisitorLimit, session_id: ID, token: str) -> None:
    """Make the document of a page, unless many wait: requests that nobody connects for would fill the memory."""
    if len(limit.waiting) < MOST_PREPARED:
        await handler.application_context.create_session_if_needed(session_id, handler.request, token)


def install() -> None:
    """Send the HTML of pages that visitors share at once."""
    replace_page_handler(_get_page)
