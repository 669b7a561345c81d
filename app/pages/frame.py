"""The frame of every page: the bar with links to the others, the theme, and the reaction to a lost
connection.
"""

from __future__ import annotations

import os
import secrets
from typing import Any

import panel as pn
from bokeh.events import ConnectionLost
from bokeh.models import CustomJS

from ..asset_files import ASSETS, SCRIPTS, list_shared_imports
from ..browser.component import Component
from ..browser.page_links import PAGES, PUBLIC_URL, THEME, THEMES, page_link
from ..compat.templates import PageTemplate, Plain, read_template
from ..server.hosts import parse_public_url
from ..server.message_guard import guard
from ..state.links import polhode_version

ABOUT = {
    "engines": "Why a rigid body blows up, stops tumbling or ends on another axis in Jolt, PhysX, Bullet, Godot, "
    "Rapier, ODE, MuJoCo and other physics engines, and the lines that cure it."
}
"""Descriptions of pages for search engines, where they differ from the common one."""


def whole_page(
    page: str,
    main: Any,
    beside: Any = None,
    tools: Any = None,
    lesson: Any = None,
    alone: bool = False,
) -> PageTemplate:
    """Return a page to be served: its main part, the part beside it, the tools in its bar, and a
    lesson beside both.

    An excerpt stands `alone`: it has no bar, and a link to the whole page.
    """
    theme = pn.state.cookies.get(THEME, "")
    attributes = {
        "theme": theme if theme in THEMES else "",
        "public": parse_public_url(os.environ.get(PUBLIC_URL, "")),
    }
    template = PageTemplate(read_template(ASSETS / "html" / "frame.html"), design=Plain)
    components: set[type[Component]] = set()
    for name, part in (("main", main), ("beside", beside), ("tools", tools), ("lesson", lesson)):
        if part is not None:
            template.add_panel(name, part)
            components |= set(map(type, part.select(Component)))
    for name, value in {
        "nonce": secrets.token_urlsafe(16),
        "html_attrs": " ".join(
            f'data-{name}="{value}"' for name, value in attributes.items() if value
        ),
        "app_favicon": "",
        "apple_icon": "",  # instead of Panel's own
        "version": polhode_version(),
        "pages": [(key, page_link(key), name) for key, name in PAGES.items()],
        "here": page,
        "about": ABOUT.get(page, "How time integrators treat a rotating rigid body."),
        "beside": beside is not None,
        "tools": tools is not None,
        "lesson": lesson is not None,
        "alone": alone,
        "imports": list_shared_imports(
            SCRIPTS / name for name in ("core/frame.js", *(each.script for each in components))
        ),
    }.items():
        template.add_variable(name, value)
    if pn.state.curdoc is not None:
        guard(pn.state.curdoc)
        pn.state.curdoc.js_on_event(ConnectionLost, CustomJS(code=LOST))
    return template


LOST = "globalThis[Symbol.for('polhode.page')]?.request('connection lost')"
"""A message to assets/js/core/frame.js, which polls the server until it answers."""

LINE = "1px solid var(--polhode-line, #8884)"
LONG = {"max-height": "none"}
"""Without Panel's limit of the height."""


CURRENT = "var(--polhode-old, 1)"
"""The opacity of a card, which assets/js/core/script-api.js fades while results are on their way."""


def column(*parts: Any) -> pn.Column:
    """Return parts of a page below each other."""
    return pn.Column(*parts, sizing_mode="stretch_width", margin=0, styles=LONG)


def side_by_side(*parts: Any, **params: Any) -> pn.FlexBox:
    """Return parts of a page beside each other, or below each other in a narrow window."""
    return pn.FlexBox(
        *parts,
        align_items="flex-start",
        sizing_mode="stretch_width",
        margin=0,
        styles=LONG,
        **params,
    )


def share_width(grow: float, width: int) -> dict[str, str]:
    """Return the styles of a part that has at least this width and takes its share of the rest."""
    return {"flex": f"{grow} 1 {width}px", "min-width": f"min({width}px, 100% - 16px)", **LONG}


def card(*parts: Any, styles: dict[str, str] | None = None, **params: Any) -> pn.Column:
    """Return parts of a page in a frame, which fades while they are out of date."""
    framed = {"border": LINE, "border-radius": "4px", "opacity": CURRENT} | (styles or {})
    return pn.Column(*parts, sizing_mode="stretch_width", margin=8, styles=framed, **params)
