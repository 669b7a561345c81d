"""The frame of every page: the bar with the way to the others, the theme, and what a lost connection says."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
from bokeh.document import Document
from bokeh.events import ConnectionLost
from bokeh.models import CustomJS
from bokeh.settings import settings
from jinja2 import Template
from panel.io.document import init_doc
from panel.io.resources import _env
from panel.reactive import Syncable
from panel.theme.base import Design, Theme

from .gate import guard
from .takeaway import polhode_version

if hasattr(Syncable, "_debounce"):
    # Panel waits so many milliseconds for a widget's next change before it tells of one; by itself it waits 50, which
    # is half of what a change may take until it is seen. What comes while the server works is read together after it.
    Syncable._debounce = 2
# With each change Panel asks models for what they do not have, and Bokeh would look for similar names: milliseconds.
settings.perform_error_diagnostics = False
# It goes through all models of a new page again, to warn of what is meant here, such as rows that are still empty.
settings.perform_document_validation = False

PAGES = {
    "lab": "Lab",
    "two-bodies": "Two bodies",
    "studies": "Studies",
    "papers": "Papers",
    "methods": "Methods",
    "engines": "Engines",
}
"""What each page is called in a link (`?page=…`), and by a person; the lab is the one without."""
ABOUT = {
    "engines": "Why a rigid body blows up, stops tumbling or ends on another axis in Jolt, PhysX, Bullet, Godot, "
    "Rapier, ODE, MuJoCo and other physics engines, and the lines that cure it."
}
"""What search engines tell of a page, if it is not what they tell of all."""
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
        "connect-src 'self' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""What a page may load, run and connect to: what is the server's own, and of scripts in the page itself only Bokeh's,
which have the nonce. Bokeh makes functions of the text of its callbacks, such as how ticks are written
('unsafe-eval'), and style elements of each component's styles ('unsafe-inline'); what loads the components' scripts
fetches an address that begins with blob."""
THEMES = ("light", "dark")
THEME = "polhode-theme"
"""The cookie in which a visitor's theme is kept; without one the page is as the visitor's system is."""


def link(page: str) -> str:
    """The address of a page, relative to any other."""
    return "?" if page == "lab" else f"?page={page}"


@cache
def _template() -> Template:
    found: Template = _env.from_string(Path(__file__).with_name("shell.html").read_text(encoding="utf-8"))
    return found


class Bare(Theme):
    """No colours: those of the page hold in all that is in it."""

    _name: ClassVar = "default"


class Plain(Design):
    """Nothing for each component to fetch: what it looks like is its own and the page's (assets/styles/page.css)."""

    _themes: ClassVar = {"default": Bare}


class PageTemplate(pn.Template):
    """A template that a visitor does not wait for."""

    def __repr__(self) -> str:
        """Its name: Panel asks for this with each part that is added, and by itself it goes through all of them."""
        return "PageTemplate"

    def _init_doc(self, doc: Document | None = None, *args: Any, **kwargs: Any) -> Document:
        """Put all parts into the document, which looks for all models within once, and not for each of them."""
        document = init_doc(doc or pn.state.curdoc)
        with document.models.freeze():
            return super()._init_doc(document, *args, **kwargs)


def whole_page(
    page: str, main: Any, beside: Any = None, tools: Any = None, lesson: Any = None, whole: str = ""
) -> PageTemplate:
    """A whole page, to be served: what is in it, what stands beside that, in its bar, and as a lesson beside both.

    With `whole`, the address of the page that this is an excerpt of, it has no bar.
    """
    theme = pn.state.cookies.get(THEME, "")
    template = PageTemplate(_template(), design=Plain)
    for name, part in (("main", main), ("beside", beside), ("tools", tools), ("lesson", lesson)):
        if part is not None:
            template.add_panel(name, part)
    nonce = secrets.token_urlsafe(16)
    for name, value in {
        "nonce": nonce,
        "policy": POLICY.format(nonce=nonce),
        "html_attrs": f'data-theme="{theme}"' if theme in THEMES else "",
        "app_favicon": "",
        "apple_icon": "",  # Panel's own are not ours
        "version": polhode_version(),
        "pages": [(key, link(key), name) for key, name in PAGES.items()],
        "here": page,
        "about": ABOUT.get(page, "How time integrators treat a rotating rigid body."),
        "beside": beside is not None,
        "tools": tools is not None,
        "lesson": lesson is not None,
        "whole": whole,
    }.items():
        template.add_variable(name, value)
    if pn.state.curdoc is not None:
        guard(pn.state.curdoc)
        pn.state.curdoc.js_on_event(ConnectionLost, CustomJS(code=LOST))
    return template


LOST = "document.dispatchEvent(new Event('polhode:lost'))"
"""Heard by assets/shell.js, which asks for the server until it answers."""

LINE = "1px solid var(--polhode-line, #8884)"


def card(*parts: Any, styles: dict[str, str] | None = None, **params: Any) -> pn.Column:
    """A part of a page, in a frame of its own; it is faint while it shows what is not wanted any more (bridge.js)."""
    framed = {"border": LINE, "border-radius": "4px", "opacity": "var(--polhode-old, 1)"} | (styles or {})
    return pn.Column(*parts, sizing_mode="stretch_width", margin=6, styles=framed, **params)
