"""Validation of messages from the browser.

A page's own browser sends little: what a person enters or clicks, how large a plot is, and which
part of it is in view. The guard refuses everything else with one line in the log, and disconnects a
browser that continues. A session belongs to its visitor alone, and has one connection. What it
asks for is carried out one change at a time, within the visitor's `Budget`, so that it neither
fills the server's memory and log nor keeps other visitors waiting.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
import traceback
from collections.abc import Hashable, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from bokeh.document import Document
from bokeh.model import Model
from bokeh.server.connection import ServerConnection
from bokeh.server.session import ServerSession
from bokeh.util.token import get_session_id
from panel.io.server import WSHandler

from ..browser.component import Component
from ..browser.page_links import BACK
from ..browser.script_api import notify_visitors
from ..compat import server as internals
from ..compat.components import component_of
from ..compat.sessions import (
    apply_events,
    find_named_session,
    find_session,
    has_valid_token,
    list_handlers,
)
from . import counts, hosts
from .budget import Budget, Spending
from .http import FULL, Activity, find_limits
from .page_queue import Busy

LARGEST_MESSAGE = 4_000_000
"""Bytes of a message with all its parts; a file travels in parts of a megabyte."""
LARGEST_TEXT = 1_000_000
"""Characters of a part that is text, which takes several times as much memory; files travel as
bytes.
"""
MOST_UNANSWERED = 2
"""Pings without an answer after which a connection is closed."""
MOST_ADDRESSES = 1000
"""Addresses that have sent invalid tokens, of which the times are kept."""
MOST_REFUSED = 20
"""Refused messages of one session before it is disconnected."""
SIMPLE = ("map", "number", "event")
"""Bokeh's types of values that a message may contain beside plain JSON, and bytes in a part of
their own.
"""

REFUSED, TRY_AGAIN_LATER = 1008, 1013
"""WebSocket codes for closing a connection."""
LONGEST_WORD = 100
"""Characters of a text that a browser may set on Bokeh's own models."""
EVENTS = ("document_ready", "data_event", "tap")
"""Events that a browser may report: the page is loaded, a component's script sends a message, a
plot was clicked.
"""

LOG = logging.getLogger(__name__)
OWN = tuple(str(Path(__file__).parents[2] / name) for name in ("app", "engine"))
PASSING_ON = (__file__, apply_events.__code__.co_filename)
"""Files through which every message passes on its way to Bokeh."""
_refused: WeakKeyDictionary[ServerSession, int] = WeakKeyDictionary()
_budgets: WeakKeyDictionary[ServerSession, Budget] = WeakKeyDictionary()
_of_all = Spending(time.monotonic)
_guarded: WeakSet[Document] = WeakSet()
_received: WeakKeyDictionary[WSHandler, int] = WeakKeyDictionary()
_closed: WeakSet[WSHandler] = WeakSet()
_upgrading: WeakKeyDictionary[WSHandler, tuple[Budget, float]] = WeakKeyDictionary()
"""Connections that are being accepted, each with its visitor's budget and when this began."""


class InvalidMessage(ValueError):
    """A message that an unmodified page never sends; the text gives the reason in a few words."""


def guard(document: Document) -> None:
    """Validate all messages to this document; a server may have other documents."""
    _guarded.add(document)


# -------------------------------------------------------------------------------------------------
# content


def check(document: Document, content: Any) -> None:
    """Raise `InvalidMessage` unless the content is a valid change of the document."""
    _check_values(document, content)
    events = content.get("events") if isinstance(content, dict) else None
    if not isinstance(events, list):
        raise InvalidMessage("a change without a list of events")
    for event in events:
        kind = event.get("kind") if isinstance(event, dict) else None
        if kind == "ModelChanged":
            _check_change(document, event.get("model"), event.get("attr"), event.get("new"))
        elif kind == "MessageSent" and event.get("msg_type") == "bokeh_event":
            data = event.get("msg_data")
            if not isinstance(data, dict) or data.get("name") not in EVENTS:
                raise InvalidMessage(f"an event of another kind: {str(data)[:60]}")
        else:
            raise InvalidMessage(f"a change of the kind {str(kind)[:40]!r}")


def _check_values(document: Document, content: Any) -> None:
    """Refuse values that Bokeh decodes to more than was sent: packed bytes within text, and new
    models.

    A browser sends a model in full that it has just received; Bokeh decodes nothing of a model that
    it knows.
    """
    left = [content]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            kind = value.get("type")
            data = value.get("data")
            key = value.get("id")
            if kind == "object" and isinstance(key, str) and key in document.models:
                continue
            if kind is None or kind in SIMPLE or (kind == "bytes" and isinstance(data, dict)):
                left += value.values()
            else:
                raise InvalidMessage(f"a value of the type {str(kind)[:40]!r}")
        elif isinstance(value, list):
            left += value


def _check_change(document: Document, reference: Any, name: Any, value: Any) -> None:
    key = reference.get("id") if isinstance(reference, dict) else None
    if not isinstance(key, str) or not isinstance(name, str):
        raise InvalidMessage("a change without the name of a model and a property")
    model = document.models.get_by_id(key)
    if model is None:
        if not document.models.seen(key):  # a model that has just been removed is no mistake
            raise InvalidMessage(f"a change of {key[:20]!r}, which does not exist")
        return
    component = component_of(model)
    valid = (
        component.accepts(name, value)
        if isinstance(component, Component)
        else is_plot_property(model, value)
    )
    if not valid:
        raise InvalidMessage(f"{type(component or model).__name__}.{name[:40]} = {str(value)[:40]}")


def is_plot_property(model: Model, value: Any) -> bool:
    """Whether Bokeh's scripts could set this value on a Bokeh model: a size, the end of an axis, a
    number of columns.

    Bokeh itself checks that the model has such a property, of this type.
    """
    if not type(model).__module__.startswith("bokeh."):
        return False
    if isinstance(value, dict):  # a number that JSON does not have, such as nan
        value = value.get("value") if value.get("type") == "number" else value
    return (
        value is None
        or isinstance(value, bool | int | float)
        or (isinstance(value, str) and len(value) <= LONGEST_WORD)
    )


def keep_newest(document: Document, events: Sequence[Any]) -> list[Any]:
    """Return valid events without the older values of what later ones set again."""
    newest: dict[Hashable, Any] = {}
    for number, event in enumerate(events):
        field = _find_field(document, event)
        key = number if field is None else field
        newest.pop(key, None)
        newest[key] = event
    return list(newest.values())


def _find_field(document: Document, event: Any) -> Hashable:
    """Return what a valid event sets; None if it counts also when the same happens again."""
    if event["kind"] == "ModelChanged":
        return event["model"]["id"], event["attr"]
    values = _read_entries(event["msg_data"].get("values"))
    key = _read_entries(values.get("model")).get("id")
    model = document.models.get_by_id(key) if isinstance(key, str) else None
    parameters = getattr(model, "data", None)
    component = component_of(parameters) if isinstance(parameters, Model) else None
    if not isinstance(component, Component):
        return None
    field = component.find_field(_read_entries(values.get("data")))
    return None if field is None else (key, field)


def _read_entries(value: Any) -> dict[str, Any]:
    """Return the entries of an encoded map whose keys are texts; empty for anything else."""
    if not isinstance(value, dict):
        return {}
    pairs = value.get("entries") if value.get("type") == "map" else list(value.items())
    if not isinstance(pairs, list):
        return {}
    return {
        pair[0]: pair[1]
        for pair in pairs
        if isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)
    }


# -------------------------------------------------------------------------------------------------
# connections


def _find_budget(session: ServerSession) -> Budget:
    """Return the budget of a visitor."""
    if session not in _budgets:
        _budgets[session] = Budget(_of_all)
    return _budgets[session]


@functools.lru_cache(MOST_ADDRESSES)
def _find_budget_of_address(address: str | None) -> Budget:
    """Return the budget for the invalid tokens of an address, so that they keep only it waiting."""
    return Budget(_of_all)


async def _answer(connection: ServerConnection, message: Any) -> Any:
    """Carry out a valid message and return the answer to it; None if the visitor has left."""
    if message.msgtype not in ("PULL-DOC-REQ", "PATCH-DOC"):
        raise InvalidMessage(f"a message of the kind {str(message.msgtype)[:40]!r}")
    budget = _find_budget(connection.session)
    async with budget.turn:
        await asyncio.sleep(budget.rest)
        if not internals.has_session(connection):
            return None
        if message.msgtype == "PATCH-DOC":
            return await _apply(connection, message, budget)
        begun = time.thread_time()
        try:
            return await internals.send_document(message, connection)
        finally:
            budget.spend(time.thread_time() - begun)


async def _apply(connection: ServerConnection, message: Any, budget: Budget) -> Any:
    """Apply the changes of a message within the visitor's budget, with a rest after each."""
    document = connection.session.document
    remaining = budget.remaining
    begun = time.thread_time()
    check(document, message.content)
    events = keep_newest(document, message.content["events"])
    spent = time.thread_time() - begun
    budget.spend(spent)
    for number, event in enumerate(events):
        if number and spent > remaining:
            dropped = f"{len(events) - number} of {len(events)} changes at once"
            notify_visitors(f"{dropped} were left out: they take too long.", document)
            raise InvalidMessage(f"{dropped}, which take too long")
        await asyncio.sleep(budget.rest if number else 0)
        if not internals.has_session(connection):
            return None
        try:
            seconds = await apply_events(message, [event], connection)
        except Exception as error:
            if not is_own(error):
                raise InvalidMessage(f"{type(error).__name__}: {error}") from error
            LOG.exception("the page failed")
            return connection.error(message, "the server failed")
        spent += seconds
        budget.spend(seconds)
    return connection.ok(message)


def is_own(error: BaseException) -> bool:
    """Whether the project's own code was running when the error was raised, so that the traceback
    is of use.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return any(
        frame.filename.startswith(OWN) and frame.filename not in PASSING_ON for frame in frames
    )


async def _assemble(handler: WSHandler, fragment: str | bytes) -> Any:
    """Return the message if this part of it is the last, else None."""
    received = _received[handler] = _received.get(handler, 0) + len(fragment)
    if received > LARGEST_MESSAGE or (isinstance(fragment, str) and len(fragment) > LARGEST_TEXT):
        raise InvalidMessage(f"a message of more than {received:,} bytes")
    message = await handler.receiver.consume(fragment)
    if message is not None:
        _received[handler] = 0
    return message


async def _on_message(handler: WSHandler, fragment: str | bytes) -> None:
    """Receive a part of a message."""
    Activity.note()
    arrived = time.monotonic()
    connection = handler.connection
    if connection is None and handler not in _closed:
        return _disconnect(handler, "a message before the connection was open")
    if connection is None or handler in _closed or not internals.has_session(connection):
        return None  # a part that was on its way
    if connection.session.destroyed or connection.session.document not in _guarded:
        await internals.ORIGINAL["on_message"](handler, fragment)
        return None
    try:
        message = await _assemble(handler, fragment)
    except Exception as error:  # the beginning of the next message is unknown
        return _disconnect(handler, f"no message: {type(error).__name__}: {error}")
    if message is None:
        return None
    try:
        answer = await _answer(connection, message)
    except InvalidMessage as invalid:
        times = _refused[connection.session] = _refused.get(connection.session, 0) + 1
        if times >= MOST_REFUSED:
            return _disconnect(handler, f"{invalid} (the {times}th time)")
        LOG.warning("refused a browser's message (%d): %s", times, invalid)
        counts.current.refuse("message")
        answer = connection.error(message, f"refused: {invalid}")
    counts.current.note_answer(time.monotonic() - arrived)
    if answer is not None:
        await handler.send_message(answer)


def _open(handler: WSHandler, *args: Any, **kwargs: Any) -> Any:
    """Open a connection, unless its token is invalid."""
    handler.set_nodelay(
        True
    )  # else a part of a message waits for the receipt of the one before, often 40 ms
    try:
        return internals.ORIGINAL["open"](handler, *args, **kwargs)
    except Exception as error:
        return _disconnect(handler, f"no valid token: {type(error).__name__}: {error}")
    finally:
        if handler in _upgrading:
            budget, begun = _upgrading.pop(handler)
            budget.spend(time.thread_time() - begun)


async def _async_open(handler: WSHandler, token: str) -> None:
    """Find the session of a connection, or make it again, if a seat is free."""
    session_id = get_session_id(token)
    limits = find_limits(handler.application_context.application)
    returns = BACK in handler.request.cookies
    if not all(limit.admit(session_id, returns) for limit in limits):
        return _disconnect(handler, FULL, TRY_AGAIN_LATER)
    session = find_session(handler, session_id)
    try:
        if session is None:
            await internals.ORIGINAL["_async_open"](handler, token)
        else:  # a visitor who connects again, maybe often: in order, so that the newest stays
            budget = _find_budget(session)
            async with budget.turn:
                await asyncio.sleep(budget.rest)
                begun = time.thread_time()
                await internals.ORIGINAL["_async_open"](handler, token)
                _keep_only(handler)
                budget.spend(time.thread_time() - begun)
    except Exception as error:
        for limit in limits:
            limit.release(session_id)
        if isinstance(error, Busy):
            _closed.add(handler)
            return handler.close(TRY_AGAIN_LATER, "refused")
        if is_own(error):
            LOG.exception("the page could not be made")
        _disconnect(handler, f"no session: {type(error).__name__}: {error}")


def _keep_only(handler: WSHandler) -> None:
    """Close the earlier connections of a visitor who connects again."""
    connection = handler.connection
    if connection is None or not internals.has_session(connection):
        return
    for other in list_handlers(connection.session):
        if other is not handler:
            _closed.add(other)
            other.close(REFUSED, "connected elsewhere")
            _on_close(other)  # now: a client that does not answer keeps the socket for a while


def _on_close(handler: WSHandler) -> None:
    """Note the end of a connection, also if its session has ended already."""
    connection = handler.connection
    session = (
        connection.session if connection is not None and internals.has_session(connection) else None
    )
    if connection is None or session is not None:
        internals.ORIGINAL["on_close"](handler)
        if session is not None and not session.connection_count:
            for limit in find_limits(handler.application_context.application):
                limit.leave(session.id)
    else:
        handler.application.client_lost(connection)


def _check_origin(handler: WSHandler, origin: str) -> bool:
    """Whether a page of this origin may connect."""
    return hosts.is_own_origin(handler.application, origin)


async def _get(handler: WSHandler, *args: Any, **kwargs: Any) -> None:
    """Accept a connection within its visitor's budget, and refuse a page of another origin.

    Tornado fails on an origin that is no address, and accepts any origin that equals the host.
    """
    if not _check_origin(handler, handler.request.headers.get("Origin", "")):
        handler.send_error(HTTPStatus.FORBIDDEN)
        return
    session = find_named_session(handler)
    budget = None
    if not has_valid_token(handler):
        budget = _find_budget_of_address(handler.request.remote_ip)
    elif session is not None:
        budget = _find_budget(session)
    if budget is not None:
        async with budget.turn:
            await asyncio.sleep(budget.rest)
        if internals.has_left(handler):
            return
        _upgrading[handler] = budget, time.thread_time()
    await internals.ORIGINAL["get"](handler, *args, **kwargs)


def _disconnect(handler: WSHandler, why: str, code: int = REFUSED) -> None:
    _closed.add(handler)
    counts.current.refuse("full" if code == TRY_AGAIN_LATER else "message")
    LOG.warning("disconnected a browser: %s", why)
    handler.close(code, "refused")


def install() -> None:
    """Validate the hosts, origins and messages of all connections of this process."""
    internals.skip_vain_compression()
    internals.before_each_request(
        hosts.guard
    )  # also of a server that exists, as that of `panel serve` does
    internals.refuse_named_sessions()
    internals.close_silent_connections(MOST_UNANSWERED)
    internals.replace_websocket_methods(
        {
            "check_origin": _check_origin,
            "get": _get,
            "open": _open,
            "_async_open": _async_open,
            "on_message": _on_message,
            "on_close": _on_close,
        }
    )
