"""The page Methods: a table of all methods, their cards, and a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import panel as pn

import engine
from engine.algorithms import WHERE_USED
from engine.programs import LANGUAGES

from ..asset_files import read_styles, render_template
from ..browser.script_api import ScriptApi
from ..state.fitting import find_misfits
from ..state.pages.method_table import read_query
from ..views.dialogs.html_block import HtmlBlock
from ..views.dialogs.notice import Notice
from ..views.tables.method_card import list_texts, method_html
from ..views.tables.method_comparison import Catalogue
from .frame import LONG, card, share_width, whole_page

HEADING = "<h1 class='unseen'>Methods</h1><div class='about'><a href='?page=which'>Which method should I use?</a></div>"
"""The title for screen readers, and the way to an answer without the table."""


class Methods:
    """The table, and beside it the card of the method whose name was clicked."""

    def __init__(self, query: Mapping[str, str], notices: Sequence[str] = ()) -> None:
        state, refused = read_query(query)
        self.api = ScriptApi()
        self.table = Catalogue(state, margin=0)
        self.card = HtmlBlock(
            self._on_ask, style="method-card method-heading panes", css_classes=["scrolls"]
        )
        self.side = card(
            self.card,
            styles=share_width(1, 420),
            css_classes=["pane", "side"],
            stylesheets=[read_styles("panes")],
        )
        self._language = ""
        self._notice = Notice([*notices, *refused])
        self.table.param.watch(lambda _: self._show_card(focus=True), "opened")
        self._show_card()
        self.api.publish({})

    def _show_card(self, focus: bool = False) -> None:
        """Show the card of the open method, and move the focus to it if a visitor opened it."""
        key = self.table.opened
        known = key in {method.key for method in engine.algorithms()}
        self.side.visible = known
        html = card_html(key, focus, self._language) if known else ""
        texts = list_texts(key, "so3", self._language) if known else {}
        self.card.param.update(html=html, texts=texts)

    def _on_ask(self, what: str, value: str) -> None:
        if what == "close":
            self.table.opened = ""
        elif what == "language" and value in LANGUAGES:
            self._language = value
            self._show_card()

    def page(self) -> pn.Template:
        """Return the page to be served."""
        heading = HtmlBlock(html=HEADING, style="hint", margin=(8, 8, 0, 8))
        looks: dict[str, Any] = {"stylesheets": [read_styles("panes")], "styles": LONG, "margin": 0}
        table = card(
            self.table,
            styles=share_width(20, 640),
            css_classes=["pane"],
            stylesheets=looks["stylesheets"],
        )
        both = pn.Row(table, self.side, sizing_mode="stretch_width", css_classes=["row"], **looks)
        parts = self._notice, heading, both, self.api
        page = pn.Column(*parts, sizing_mode="stretch_width", css_classes=["panes"], **looks)
        return whole_page("methods", page)


def card_html(key: str, focus: bool, language: str = "") -> str:
    """Return the card of a method, with links to other pages."""
    return render_template(
        "method-on-page",
        key=key,
        focus=focus,
        lab=f"?{urlencode({'problem': 'free', 'methods': key})}",
        # assets/js/core/frame.js replaces this setting by the lab's own, except for these problems.
        misfits=[problem.key for problem in engine.problems() if find_misfits([key], problem)],
        engines=f"?{urlencode({'page': 'engines', 'methods': key})}",
        used=engine.algorithm(key).family in WHERE_USED,
        card=method_html(key, "so3", language),
    )


def make_page(query: Mapping[str, str], notices: Sequence[str]) -> pn.Template:
    """Return the page of a link's query; `notices` say what else of the link was refused."""
    return Methods(query, notices).page()
