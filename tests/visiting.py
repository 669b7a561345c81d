"""A page as a visitor has it, without a browser: what is seen of it, what a click sends, and what comes back."""

from __future__ import annotations

import html
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import panel as pn
from bokeh.plotting import figure

from app.component import Component
from app.views.sheet import Sheet


def parts(shown: Any) -> list[Any]:
    """All that is seen of a page, or of a part of it."""
    found = shown.select()
    hidden = {id(inner) for part in found if not part.visible for inner in part.select()}
    return [part for part in found if id(part) not in hidden]


def markup(shown: Any) -> str:
    """The titles, labels and HTML of what is seen."""
    return "\n".join(str(getattr(part, name, "")) for part in parts(shown) for name in ("title", "label", "html"))


def said(shown: Any) -> str:
    """The same as it is read."""
    return html.unescape(markup(shown))


def figures(shown: Any) -> list[figure]:
    """The Bokeh figures that are seen."""
    panes = (part.object for part in parts(shown) if isinstance(part, pn.pane.Bokeh))
    return [drawn for drawn in panes if drawn.visible]


def curves(shown: Any) -> list[dict[str, Any]]:
    """What each curve of a chart, or of a figure's points, is drawn from; empty ones are left out."""
    sources = {r.data_source.id: r.data_source for drawn in figures(shown) for r in drawn.renderers}
    found = [dict(source.data) for source in sources.values()]
    return [data for data in found if any(len(column) for column in data.values())]


def sends(component: Component, message: Any) -> None:
    """Let the script of a component send this; who is told of it is Panel's to name, and it has no public name."""
    component._handle_msg(message)


def answers(component: Component) -> list[Any]:
    """What a component tells its script from now on; of this, too, Panel has the only name."""
    heard: list[Any] = []
    component._send_msg = heard.append
    return heard


class Buttons(HTMLParser):
    """What the buttons in a piece of HTML ask for: names and values; those that are disabled ask for nothing."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.asking: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag == "button" and "data-ask" in has and "disabled" not in has:
            self.asking.append((has["data-ask"] or "", has.get("value") or ""))


def offering(shown: Any, ask: str, value: str = "") -> list[Sheet]:
    """The parts with a button that asks for this."""
    sheets = (part for part in parts(shown) if isinstance(part, Sheet))
    return [sheet for sheet in sheets if (ask, value) in Buttons(sheet.html).asking]


def press(shown: Any, ask: str, value: str = "") -> Sheet:
    """Press the one button that asks for this, and give the part in which it stands."""
    (sheet,) = offering(shown, ask, value)
    sends(sheet, {"ask": ask, "value": value})
    return sheet


def stop_when(shown: Any, enough: Callable[[], Any] = lambda: True) -> None:
    """Press Stop as soon as there is such a button and it is enough."""

    def look(_: Any) -> None:
        if offering(shown, "stop") and enough():
            press(shown, "stop")

    for part in shown.select(Sheet):
        part.param.watch(look, "html")
