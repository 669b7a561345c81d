"""The frame of every page: the bar with the way to the others, the theme, and what a lost connection says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.events import ConnectionLost
from bokeh.models import CustomJS
from bokeh.settings import settings
from panel.reactive import Syncable
from panel.util import edit_readonly

from .bridge import Bridge
from .views.sheet import Sheet

if hasattr(Syncable, "_debounce"):
    # Panel waits so many milliseconds for a widget's next change before it tells of one; by itself it waits 50, which
    # is half of what a change may take until it is seen. What comes while the server works is read together after it.
    Syncable._debounce = 2
# With each change Panel asks models for what they do not have, and Bokeh would look for similar names: milliseconds.
settings.perform_error_diagnostics = False
# It goes through all models of a new page again, to warn of what is meant here, such as rows that are still empty.
settings.perform_document_validation = False

PAGES = {"lab": "Lab", "two-bodies": "Two bodies", "studies": "Studies", "papers": "Papers", "methods": "Methods"}
"""What each page is called in a link (`?page=…`), and by a person; the lab is the one without."""
MOST_NOTICES = 6
THEMES = ("light", "dark")
THEME = "polhode-theme"
"""The cookie in which a visitor's theme is kept."""


def link(page: str) -> str:
    """The address of a page, relative to any other."""
    return "?" if page == "lab" else f"?page={page}"


class Shell:
    """What is around the content of a page: `frame` makes the whole of it, once.

    Parameters
    ----------
    page : one of `PAGES`.
    bridge : the page's bridge, which tells what the window is like.
    """

    def __init__(self, page: str, bridge: Bridge) -> None:
        self._key, self._bridge = page, bridge
        self._page: pmui.Page | None = None
        bridge.param.watch(lambda event: self._opened(**event.new), "window")

    def frame(self, main: Any, sidebar: Sequence[Any] = (), header: Sequence[Any] = ()) -> pmui.Page:
        """The page, to be served; without anything beside it there is no sidebar."""
        style = NAV + BESIDE_ONLY if sidebar else NAV
        ways = Sheet(html=nav(self._key), style=style, margin=0, styles={"flex": "1 1 auto", "min-width": "0"})
        theme = pn.state.cookies.get(THEME, "")
        bar = pn.Row(ways, *header, sizing_mode="stretch_width", styles={"align-items": "center"}, margin=0)
        self._page = pmui.Page(
            title="Polhode",
            site_url="?",
            sidebar=[Sheet(html=nav(self._key), style=NAV_BESIDE, margin=0), *sidebar] if sidebar else [],
            sidebar_width=320,
            header=[bar],
            main=[main],
            theme_config={"light": _theme("#0b5cad"), "dark": _theme("#7db4f0")},
            sx=CALM,
            sidebar_resizable=False,
            dark_theme=theme == "dark",
            raw_css=[OPENING, *OPENING_DARK.get(theme, [])],
            meta_description="How time integrators treat a rotating rigid body.",
        )
        with edit_readonly(self._page):
            # By itself it follows the server's being busy, for which the server keeps it, and all that belongs to it,
            # for ever; and each time it goes through all models of the page, most of the time that an answer took.
            self._page.busy = param.rx(False)
        document = pn.state.curdoc
        if document is not None:
            document.js_on_event(ConnectionLost, CustomJS(code=LOST))
        self._page.param.watch(lambda event: setattr(self._bridge, "theme", THEMES[event.new]), "dark_theme")
        return self._page

    def _opened(self, dark: bool = False, narrow: bool = False) -> None:
        """A window shows the page: in the theme that its visitor prefers, and with room for the views."""
        if self._page is not None:
            if dark and THEME not in pn.state.cookies:
                self._page.dark_theme = True
            if narrow:
                self._page.sidebar_open = False


def nav(here: str) -> str:
    """The ways to all pages."""
    ways = "".join(
        f"<a href='{link(key)}'{' aria-current=page' if key == here else ''}>{escape(name)}</a>"
        for key, name in PAGES.items()
    )
    return f"<nav aria-label='Pages'>{ways}</nav>"


NAV = """
:host { padding-left: 10px; box-sizing: border-box; }
nav { display: flex; gap: 2px; overflow-x: auto; font-size: 13px; }
a { color: inherit; text-decoration: none; padding: 5px 11px; border-radius: 6px; white-space: nowrap; }
a:hover { background: var(--soft); }
a[aria-current] { font-weight: 600; background: var(--soft); }
"""
NARROW = 899
"""Pixels: up to this width the ways to the pages stand in the sidebar, where there is one."""
BESIDE_ONLY = f"@media (max-width: {NARROW}px) {{ nav {{ display: none; }} }}"
NAV_BESIDE = f"""{NAV}
:host {{ padding-left: 0; }}
nav {{ flex-wrap: wrap; }}
@media (min-width: {NARROW + 1}px) {{ :host {{ display: none; }} }}
"""

OPENING = """
#loader { background: #fff; color: #1b2733; }
#loader .spinner { all: unset; }
#loader .spinner::after { content: "One moment …"; font: 15px system-ui, sans-serif; opacity: .75; }
"""
"""Until the page is there. By itself something turns before it, and each of its frames takes from the page."""
DARK = "#loader { background: #121212; color: #e6ebf0; }"
OPENING_DARK = {"dark": [DARK], "": [f"@media (prefers-color-scheme: dark) {{ {DARK} }}"]}
"""By the theme that was chosen, if one was."""

CALM = {
    # A layer of its own: what changes beside the views is put together without them.
    ".MuiDrawer-paper": {"willChange": "opacity"},
    ".MuiAppBar-root": {
        "bgcolor": "primary.contrastText",
        "color": "primary.main",
        "backgroundImage": "none",
        "boxShadow": "none",
        "borderBottom": "1px solid",
        "borderColor": "divider",
        "& .MuiTypography-root": {"color": "text.primary"},
        "& .MuiLinearProgress-root": {"display": "none"},
        "@media (max-width: 599px)": {
            "& .MuiTypography-root": {"display": "none"},
            "& .MuiIconButton-root": {"mr": 0},
        },
    },
}
"""A bar in the colour of paper: the colours belong to the methods. A narrow one has no room for the name."""
WIDE_ONLY = "@media (max-width: 599px) { :host { display: none } }"
LOST = """
if (!document.getElementById("polhode-lost")) {
  const told = Object.assign(document.createElement("div"), {id: "polhode-lost", role: "alert"});
  told.style.cssText = "position:fixed;inset:auto 0 0 0;z-index:9999;padding:12px;text-align:center;"
    + "font:14px/1.5 sans-serif;background:#33404d;color:#fff";
  const again = Object.assign(document.createElement("button"), {textContent: "Load the page again"});
  again.style.cssText = "margin-left:12px;font:inherit;padding:2px 10px";
  again.onclick = () => location.reload();
  told.append("The connection to the server is lost; what is chosen is in the address.", again);
  document.body.append(told);
}
"""
DURATIONS = ("shortest", "shorter", "short", "standard", "complex", "enteringScreen", "leavingScreen")
"""What the widgets' library calls the times that its transitions take."""


def _theme(accent: str) -> dict[str, Any]:
    """One accent, small type, and words as they are written."""
    return {
        "palette": {"primary": {"main": accent}},
        "typography": {"fontSize": 13, "button": {"textTransform": "none"}},
        # What glides or fades takes a frame's work each 16 ms just when the answer is computed and drawn.
        "transitions": {"duration": dict.fromkeys(DURATIONS, 0)},
        # A tooltip over a neighbour does not take its clicks.
        "components": {
            "MuiTooltip": {"defaultProps": {"disableInteractive": True}},
            # A label that glides away from an empty entry would draw a frame after the other, just then as well.
            "MuiInputLabel": {"defaultProps": {"shrink": True}},
            "MuiOutlinedInput": {"defaultProps": {"notched": True}},
            "MuiMenu": {
                "defaultProps": {
                    "transitionDuration": 0,
                    "slotProps": {"transition": {"enter": False, "exit": False}},
                }
            },
            "MuiButtonBase": {"defaultProps": {"disableTouchRipple": True}},
        },
    }


def card(*parts: Any, **params: Any) -> pmui.Paper:
    """A part of a page, in a frame of its own."""
    sizing = "stretch_width"
    return pmui.Paper(*parts, sizing_mode=sizing, margin=6, elevation=0, variant="outlined", **params)


def notes(texts: Sequence[str]) -> list[pmui.Alert]:
    """What is to be told at the top of a page, until it is closed; nothing if there is nothing to tell."""
    if not texts:
        return []
    told = " ".join(texts[:MOST_NOTICES]) + (" …" if len(texts) > MOST_NOTICES else "")
    return [pmui.Alert(object=plain(told), severity="info", closeable=True, sizing_mode="stretch_width")]


def plain(text: str) -> str:
    """Words as they are, where Markdown and HTML would be understood: a link's words are those of a stranger."""
    return "".join(c if c.isalnum() or c in " .,:;=()" else f"&#{ord(c)};" for c in text)


def _drawn(path: str) -> str:
    """A line drawing for a button, 24 units wide."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="black" stroke-width="2" '
        f'stroke-linecap="round" stroke-linejoin="round"><path d="{path}"/></svg>'
    )


UNDO = _drawn("M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4")
REDO = _drawn("M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h4")
RESET = _drawn("M5 5v5h5M5.6 10A7.5 7.5 0 1 1 4.6 14")
HELP = _drawn("M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.01")


def icon_button(icon: str, words: str, act: Callable[[], Any], **params: Any) -> pmui.IconButton:
    """A button with a drawing, for the bar."""
    button = pmui.IconButton(
        icon=icon, label=words, description=words, size="small", icon_size="20px", color="primary", margin=0, **params
    )
    button.on_click(lambda _: act())
    return button
