"""What the page's own components have in common: their files, and that a change of one of them is told quickly."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import panel as pn
from bokeh.embed.bundle import extension_dirs
from bokeh.events import Event
from bokeh.model import Model
from panel.custom import JSComponent
from panel.io.state import set_curdoc

from .bundle import ASSETS, joined

# Files of an extension are served to the browser as they are, to be kept there, and not sent with each session.
extension_dirs["polhode"] = ASSETS


_made: WeakValueDictionary[str, Component] = WeakValueDictionary()


def has_address() -> bool:
    """Whether the page has an address of its own, as in a window and not in a notebook."""
    return pn.state.curdoc is not None and pn.state.curdoc.session_context is not None


async def on_page(act: Callable[[], Any]) -> Any:
    """Do something to the page as its own events do: no other event of this visitor is handled meanwhile.

    From Bokeh 3.10 on threads handle the events, and only the document's lock keeps them apart. Returns what `act`
    returns, or None if the visitor is gone.
    """
    document = pn.state.curdoc
    session = getattr(document and document.session_context, "session", None)
    if session is None:
        return act()

    def acted() -> Any:
        with set_curdoc(document):
            return act()

    return await session.with_document_locked(acted)


def made_of(model: Model) -> Component | None:
    """The component whose parameters a model holds for the browser, if it is one of ours."""
    return _made.get(model.id)


def points(value: Any, size: int) -> bool:
    """Whether what a browser sent is a vector of so many numbers that has a direction."""
    numbers = isinstance(value, list) and len(value) == size and all(type(x) in (int, float) for x in value)
    return numbers and 0 < math.hypot(*value) < math.inf


class Component(JSComponent):
    """A component whose script is one of `ASSETS`."""

    @classmethod
    def _render_esm(cls, compiled: Any = True, server: bool = False) -> str:
        """The address of the script, or its text where there is no server, as in a notebook."""
        if server or not isinstance(cls._bundle, Path):
            return str(super()._render_esm(compiled, server=server))
        return joined(cls._bundle)

    def takes(self, name: str, value: Any) -> bool:
        """Whether the browser may give a parameter this value; all but a few it is only told.

        What its script sends by `send_msg` comes to `_handle_msg`, which trusts none of it either.
        """
        return False

    # What is changed of a page that is not yet loaded may never reach the browser, which has its parts already: what
    # somebody clicks so early is done when it is loaded.

    def _process_event(self, event: Event) -> None:
        pn.state.onload(partial(super()._process_event, event))

    def _process_events(self, events: dict[str, Any]) -> None:
        pn.state.onload(partial(super()._process_events, events))

    def _get_model(self, *args: Any, **kwargs: Any) -> Model:
        model = super()._get_model(*args, **kwargs)
        _made[model.data.id] = self
        return model

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        """Without Panel's sign that a component loads, some 270 bytes in each of them, which none ever shows."""
        properties = super()._process_param_change(params)
        if "stylesheets" in properties:
            properties["stylesheets"] = [x for x in properties["stylesheets"] if ".pn-loading" not in str(x)]
        return properties

    def _update_properties(self, *events: Any, doc: Any) -> dict[str, Any]:
        """Those that have changed; with each, Panel would ask its theme anew what all components look like."""
        if any(event.name == "stylesheets" for event in events):
            return super()._update_properties(*events, doc=doc)
        return self._process_param_change({event.name: event.new for event in events})
