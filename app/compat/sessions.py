"""The session behind a page: its lock, its connection, and whether there is a server at all."""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import panel as pn
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.server.connection import ServerConnection
from bokeh.server.session import ServerSession
from bokeh.util.token import check_token_signature, get_session_id
from panel.io.notebook import push
from panel.io.state import set_curdoc

from .templates import use_own_looks

T = TypeVar("T")


def _session_of(document: Document | None) -> Any:
    return getattr(document and document.session_context, "session", None)


def has_address() -> bool:
    """Whether the page has an address of its own, as in a window and not in a notebook."""
    return pn.state.curdoc is not None and pn.state.curdoc.session_context is not None


def is_served() -> bool:
    """Whether a server handles events while something computes beside them."""
    context = pn.state.curdoc and pn.state.curdoc.session_context
    if (
        context and context.server_context
    ):  # from Bokeh 3.10 on, a thread without an event loop handles its events
        return True
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def run_on_page(act: Callable[[], T]) -> T | None:
    """Call `act` as an event of this page, one event at a time, and return its result; None if the
    visitor has left.

    From Bokeh 3.10 on, threads handle events, and only the document's lock keeps them apart.
    """
    document = pn.state.curdoc
    session = _session_of(document)
    if session is None:
        with use_own_looks():
            result = act()
        _push_changes()
        return result

    def act_on_document() -> T:
        with set_curdoc(document):
            return act()

    return await session.with_document_locked(act_on_document)


def _push_changes() -> None:
    """Send what has changed to the cells of a notebook: Panel does so only when its own parameters
    change.
    """
    for _, _, document, comm in list(pn.state._views.values()):
        if comm is not None:
            push(document, comm)


def is_disconnected(document: Document | None, seconds: float) -> bool:
    """Whether the visitor has had no connection for this long."""
    session = _session_of(document)
    if session is None or session.connection_count:
        return False
    return bool(session.milliseconds_since_last_unsubscribe > 1000 * seconds)


async def apply_events(message: Any, events: Sequence[Any], connection: ServerConnection) -> float:
    """Apply some events of a message to its document, and send what follows; return the seconds of
    processor time that this takes.
    """
    part = copy.copy(message)
    elsewhere = 0.0
    here = threading.get_ident()
    part.content = {"events": list(events)}
    apply_all = part.apply_to_document

    def apply(document: Document, setter: Any) -> None:
        """Apply the events, from Bokeh 3.10 on on another thread."""
        nonlocal elsewhere
        begun = time.thread_time()
        apply_all(document, setter)
        if threading.get_ident() != here:
            elsewhere = time.thread_time() - begun

    part.apply_to_document = apply
    begun = time.thread_time()
    await ServerSession.patch(part, connection)
    return time.thread_time() - begun + elsewhere


def find_session(handler: Any, session_id: ID) -> ServerSession | None:
    """Return the session of this id, if the process has it."""
    found: ServerSession | None = handler.application_context._sessions.get(session_id)
    return found


def find_named_session(handler: Any) -> ServerSession | None:
    """Return the session that a request for a connection names by its token, which is not yet
    validated, if the process has it.
    """
    try:
        return find_session(handler, get_session_id(_find_token(handler)))
    except (ValueError, TypeError, KeyError):  # no token
        return None


def has_valid_token(handler: Any) -> bool:
    """Return whether the server has made the token of a request for a connection."""
    token = _find_token(handler)
    server = handler.application
    keys = {"secret_key": server.secret_key, "signed": server.sign_sessions}
    try:
        return bool(get_session_id(token)) and check_token_signature(token, **keys)
    except Exception:  # whatever strangers send
        return False


def _find_token(handler: Any) -> str:
    words: str = handler.request.headers.get("Sec-WebSocket-Protocol", "")
    return words.rpartition(",")[2].strip()


def list_handlers(session: ServerSession) -> list[Any]:
    """Return the handlers of a session's connections."""
    return [connection._socket for connection in session._subscribed_connections]


def serialize_ahead(document: Document) -> None:
    """Serialize a document before a browser asks for it. The result is sent once, unless the
    document changes.
    """
    serialized = document.to_json()

    def forget(_: object = None) -> None:
        vars(document).pop("to_json", None)

    def take(deferred: bool = True) -> object:
        forget()
        document.remove_on_change(forget)
        return serialized if deferred else document.to_json(deferred=False)

    document.to_json = take
    document.on_change(forget)
