"""Drives a page without a browser: reads what is visible, sends what a click sends, and records the
answers.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import panel as pn
from bokeh.plotting import figure

from app.browser.component import Component
from app.views.dialogs.html_block import HtmlBlock
from app.views.plots.plot_canvas import PlotCanvas


def visible_parts(shown: Any) -> list[Any]:
    """Return the visible parts of a page, or of a part of it."""
    found = shown.select()
    hidden = {id(inner) for part in found if not part.visible for inner in part.select()}
    return [part for part in found if id(part) not in hidden]


def visible_html(shown: Any) -> str:
    """Return the titles, labels and HTML of the visible parts."""
    parts = visible_parts(shown)
    words = [str(getattr(part, name, "")) for part in parts for name in ("title", "label", "html")]
    canvases = (part for part in parts if isinstance(part, PlotCanvas))
    words += [plan["title"] for canvas in canvases for plan in json.loads(canvas.plans)["plots"]]
    return "\n".join(words)


def visible_text(shown: Any) -> str:
    """Return the same as text."""
    return html.unescape(visible_html(shown))


def visible_figures(shown: Any) -> list[figure]:
    """Return the visible Bokeh figures."""
    panes = (part.object for part in visible_parts(shown) if isinstance(part, pn.pane.Bokeh))
    return [drawn for drawn in panes if drawn.visible]


def visible_curves(shown: Any) -> list[dict[str, Any]]:
    """Return the data of all visible curves and points that are not empty."""
    sources = {
        r.data_source.id: r.data_source for drawn in visible_figures(shown) for r in drawn.renderers
    }
    found = [dict(source.data) for source in sources.values()]
    return [data for data in found if any(len(column) for column in data.values())]


def send_message(component: Component, message: Any) -> None:
    """Send a message from the script of a component."""
    component._receive(message)


def record_messages(component: Component) -> list[Any]:
    """Return the list to which all messages go that a component sends its script from now on."""
    heard: list[Any] = []
    component._send = heard.append
    return heard


class Buttons(HTMLParser):
    """Names and values of the enabled buttons in a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.asking: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag == "button" and "data-ask" in has and has.get("aria-disabled") != "true":
            self.asking.append((has["data-ask"] or "", has.get("value") or ""))


def find_offers(shown: Any, ask: str, value: str = "") -> list[HtmlBlock]:
    """Return the parts with this button."""
    blocks = (part for part in visible_parts(shown) if isinstance(part, HtmlBlock))
    return [block for block in blocks if (ask, value) in Buttons(block.html).asking]


def press(shown: Any, ask: str, value: str = "") -> HtmlBlock:
    """Press the one button of this name and value, and return its part."""
    (block,) = find_offers(shown, ask, value)
    send_message(block, {"ask": ask, "value": value})
    return block


def stop_when(shown: Any, enough: Callable[[], Any] = lambda: True) -> None:
    """Press Stop as soon as the button is visible and the condition holds."""

    def look(_: Any) -> None:
        # What `enough` does may change the page, and so press Stop already.
        if find_offers(shown, "stop") and enough() and find_offers(shown, "stop"):
            press(shown, "stop")

    for part in shown.select(HtmlBlock):
        part.param.watch(look, "html")
