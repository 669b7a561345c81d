"""What browsers send, checked where it comes in.

A page's own browser sends little: what a person sets and asks for, how large a plot is drawn, and what part of it is
seen. All else is refused by one line in the log, and who goes on with it is disconnected. A session is its visitor's
own, so that this guards the server's memory and log rather than other visitors.
"""

from __future__ import annotations

import logging
import traceback
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

from . import hosts
from .answers import FULL, Doorkeeper
from .component import made_of

LARGEST_MESSAGE = 4_000_000
"""Bytes of a message with all its parts; a file travels in parts of a megabyte."""
LARGEST_TEXT = 1_000_000
"""Characters of a part that is text, which takes a multiple of that when it is read; files travel as bytes."""
MOST_REFUSED = 20
"""Messages that are refused to one session before it is disconnected."""
MOST_EVENTS = 1000
"""In one message."""
SIMPLE = ("map", "number", "event")
"""What a message may carry besides plain JSON, by Bokeh's names, and bytes in a part of their own."""

REFUSED, TRY_AGAIN_LATER = 1008, 1013
"""Why a connection is closed, as WebSockets number it."""
LONGEST_WORD = 100
"""Characters of what a browser tells of Bokeh's own models."""
EVENTS = ("document_ready", "data_event", "tap")
"""What may have happened in a browser: the page is there, a component's script has something to say, a plot was
clicked."""

LOG = logging.getLogger(__name__)
OWN = (str(Path(__file__).parent), str(Path(__file__).parents[1] / "engine"))
_refused: WeakKeyDictionary[ServerSession, int] = WeakKeyDictionary()
_guarded: WeakKeyDictionary[Document, bool] = WeakKeyDictionary()
_received: WeakKeyDictionary[WSHandler, int] = WeakKeyDictionary()
_ended: WeakSet[WSHandler] = WeakSet()


class Nonsense(ValueError):
    """What no browser sends by itself, in a few words."""


def guard(document: Document) -> None:
    """Check all that is sent to this document; a server may have others, which are not ours."""
    _guarded[document] = True


# ------------------------------------------------------------------------------------------------- what is let in


def check(document: Document, content: Any) -> None:
    """Let changes of a document pass, or raise `Nonsense`."""
    _check_values(document, content)
    events = content.get("events") if isinstance(content, dict) else None
    if not isinstance(events, list) or len(events) > MOST_EVENTS:
        raise Nonsense("a change without a list of events")
    for event in events:
        kind = event.get("kind") if isinstance(event, dict) else None
        if kind == "ModelChanged":
            _check_change(document, event.get("model"), event.get("attr"), event.get("new"))
        elif kind == "MessageSent" and event.get("msg_type") == "bokeh_event":
            happened = event.get("msg_data")
            if not isinstance(happened, dict) or happened.get("name") not in EVENTS:
                raise Nonsense(f"an event of another kind: {str(happened)[:60]}")
        else:
            raise Nonsense(f"a change of the kind {str(kind)[:40]!r}")


def _check_values(document: Document, content: Any) -> None:
    """Let through what Bokeh decodes to no more than was sent: not packed bytes within the text, nor new models.

    A browser writes out a model that it has just been sent; where the model is known, Bokeh decodes nothing of that.
    """
    left = [content]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            kind, data, key = value.get("type"), value.get("data"), value.get("id")
            if kind == "object" and isinstance(key, str) and key in document.models:
                continue
            if kind is None or kind in SIMPLE or (kind == "bytes" and isinstance(data, dict)):
                left += value.values()
            else:
                raise Nonsense(f"a value of the type {str(kind)[:40]!r}")
        elif isinstance(value, list):
            left += value


def _check_change(document: Document, reference: Any, name: Any, value: Any) -> None:
    key = reference.get("id") if isinstance(reference, dict) else None
    if not isinstance(key, str) or not isinstance(name, str):
        raise Nonsense("a change of nothing that has a name")
    model = document.models.get_by_id(key)
    if model is None:
        if not document.models.seen(key):  # or it has gone just now
            raise Nonsense(f"a change of {key[:20]!r}, which is not there")
        return
    component = made_of(model)
    taken = component.takes(name, value) if component is not None else is_drawn(model, value)
    if not taken:
        raise Nonsense(f"{type(component or model).__name__}.{name[:40]} = {str(value)[:40]}")


def is_drawn(model: Model, value: Any) -> bool:
    """Whether Bokeh's scripts could tell this of one of its models: a size, the end of an axis, a number of columns.

    Whether the model has such a property, of this type, Bokeh sees to.
    """
    if not type(model).__module__.startswith("bokeh."):
        return False
    if isinstance(value, dict):  # a number that JSON does not know, such as nan
        value = value.get("value") if value.get("type") == "number" else value
    return (
        value is None
        or isinstance(value, bool | int | float)
        or (isinstance(value, str) and len(value) <= LONGEST_WORD)
    )


# ------------------------------------------------------------------------------------------------- the connection


async def _answered(connection: ServerConnection, message: Any) -> Any:
    """Do what a message asks for, and give the answer to it."""
    if message.msgtype == "PULL-DOC-REQ":
        return await ServerSession.pull(message, connection)
    if message.msgtype != "PATCH-DOC":
        raise Nonsense(f"a message of the kind {str(message.msgtype)[:40]!r}")
    check(connection.session.document, message.content)
    try:
        return await ServerSession.patch(message, connection)
    except Exception as error:
        if not is_own(error):
            raise Nonsense(f"{type(error).__name__}: {error}") from error
        LOG.exception("an error of the page's own")
        return connection.error(message, "something went wrong on the server")


def is_own(error: BaseException) -> bool:
    """Whether our own code was at work when this was raised, so that the traceback is of use."""
    frames = traceback.extract_tb(error.__traceback__)
    return any(frame.filename.startswith(OWN) and frame.filename != __file__ for frame in frames)


async def _assembled(handler: WSHandler, fragment: str | bytes) -> Any:
    """The message, when this part of it was the last."""
    received = _received[handler] = _received.get(handler, 0) + len(fragment)
    if received > LARGEST_MESSAGE or (isinstance(fragment, str) and len(fragment) > LARGEST_TEXT):
        raise Nonsense(f"a message of more than {received:,} bytes")
    message = await handler.receiver.consume(fragment)
    if message is not None:
        _received[handler] = 0
    return message


async def _on_message(handler: WSHandler, fragment: str | bytes) -> None:
    """A part of a message has come."""
    connection = handler.connection
    if handler in _ended:  # what was on its way still
        return None
    if connection is None:
        return _end(handler, "a message before the connection was open")
    if connection.session.destroyed or connection.session.document not in _guarded:
        return await _before["on_message"](handler, fragment)
    try:
        message = await _assembled(handler, fragment)
    except Exception as error:  # and where the next message begins is not known
        return _end(handler, f"no message: {type(error).__name__}: {error}")
    if message is None:
        return None
    try:
        answer = await _answered(connection, message)
    except Nonsense as nonsense:
        times = _refused[connection.session] = _refused.get(connection.session, 0) + 1
        if times >= MOST_REFUSED:
            return _end(handler, f"{nonsense} (the {times}th time)")
        LOG.warning("refused what a browser sent (%d): %s", times, nonsense)
        answer = connection.error(message, "refused")
    if answer is not None:
        await handler.send_message(answer)


def _open(handler: WSHandler, *args: Any, **kwargs: Any) -> Any:
    """Somebody connects."""
    try:
        return _before["open"](handler, *args, **kwargs)
    except Exception as error:
        return _end(handler, f"no token that is good here: {type(error).__name__}: {error}")


async def _async_open(handler: WSHandler, token: str) -> None:
    """Find the session of who has connected, or make it anew, if there is a seat."""
    session_id = get_session_id(token)
    doorkeepers = [one for one in handler.application_context.application.handlers if isinstance(one, Doorkeeper)]
    if not all(doorkeeper.admit(session_id) for doorkeeper in doorkeepers):
        return _end(handler, FULL, TRY_AGAIN_LATER)
    try:
        await _before["_async_open"](handler, token)
    except Exception as error:
        for doorkeeper in doorkeepers:
            doorkeeper.dismiss(session_id)
        if is_own(error):
            LOG.exception("a session could not be made")
        _end(handler, f"no session: {type(error).__name__}: {error}")


def _check_origin(handler: WSHandler, origin: str) -> bool:
    """Whether a page of this origin may connect."""
    return hosts.is_own_origin(handler.application, origin)


async def _get(handler: WSHandler, *args: Any, **kwargs: Any) -> None:
    """Refuse a page of another origin.

    Tornado fails at an origin that is no address, and takes any that equals the host for the server's own.
    """
    if _check_origin(handler, handler.request.headers.get("Origin", "")):
        await _before["get"](handler, *args, **kwargs)
    else:
        handler.send_error(HTTPStatus.FORBIDDEN)


def _end(handler: WSHandler, why: str, code: int = REFUSED) -> None:
    """Disconnect a browser, or what claims to be one."""
    _ended.add(handler)
    LOG.warning("disconnected a browser: %s", why)
    handler.close(code, "refused")


_gates = {
    "check_origin": _check_origin,
    "get": _get,
    "open": _open,
    "_async_open": _async_open,
    "on_message": _on_message,
}
_before = {name: getattr(WSHandler, name) for name in _gates}


def stand() -> None:
    """Have all connections of this process pass here, also those to a server that was made before, as Panel's is."""
    hosts.guard_all()
    for name, method in _gates.items():
        setattr(WSHandler, name, method)
