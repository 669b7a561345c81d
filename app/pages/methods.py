"""The methods' page: all of them in a table, as declared and as measured; their cards; a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlencode

import panel as pn

import engine
from engine.facts import WHERE_USED

from ..bridge import Bridge
from ..bundle import rules
from ..model.catalogue import from_query
from ..model.session import fitting
from ..shell import card, whole_page
from ..takeaway import polhode_version
from ..views import card as method_card
from ..views.catalogue import Catalogue
from ..views.notice import Notice
from ..views.sheet import Sheet

LONG = {"max-height": "none"}


class Methods:
    """The table, and beside it the card of the method whose name is clicked."""

    def __init__(self, query: Mapping[str, str], notices: Sequence[str] = ()) -> None:
        shown, more = from_query(query)
        self.bridge = Bridge()
        self.table = Catalogue(shown, margin=0)
        self.card = Sheet(self._asked, style="card beside")
        self.side = card(
            self.card,
            styles={"flex": "1 1 420px", "min-width": "min(420px, 100% - 12px)", **LONG},
            stylesheets=[rules("above")],
        )
        self._notice = Notice([*notices, *more])
        self.table.param.watch(lambda _: self._tell(focus=True), "opened")
        self._tell()
        self.bridge.say({}, polhode_version())

    def _tell(self, focus: bool = False) -> None:
        """The card of the method that is open; a visitor who opened it is led there."""
        key = self.table.opened
        known = key in {method.key for method in engine.algorithms()}
        self.side.visible = known
        texts = {"bibtex": engine.cite(key) + "\n"} if known else {}
        self.card.param.update(html=about(key, focus) if known else "", texts=texts)

    def _asked(self, what: str, _: str) -> None:
        if what == "close":
            self.table.opened = ""

    def page(self) -> pn.Template:
        """The whole page, to be served."""
        table = card(self.table, styles={"flex": "20 1 640px", "min-width": "min(640px, 100% - 12px)", **LONG})
        both = pn.FlexBox(
            table, self.side, align_items="flex-start", sizing_mode="stretch_width", margin=0, styles=LONG
        )
        heading = Sheet(html="<h1 class='unseen'>Methods</h1>", margin=0)
        main = pn.Column(self._notice, heading, both, self.bridge, sizing_mode="stretch_width", margin=0, styles=LONG)
        return whole_page("methods", main)


def about(key: str, focus: bool) -> str:
    """The card of a method, with the ways on from it."""
    lab = escape(f"?{urlencode({'problem': 'free', 'methods': key})}", quote=True)
    # assets/shell.js has the link take the lab's own setting, but for these.
    unfit = " ".join(problem.key for problem in engine.problems() if fitting([key], problem))
    engines = escape(f"?{urlencode({'page': 'engines', 'methods': key})}", quote=True)
    used = engine.algorithm(key).family in WHERE_USED
    return (
        f"<section class='card' aria-label='Method card'><div class='head' tabindex='-1'{' autofocus' * focus}>"
        f"<b>{escape(key)}</b>"
        f"<a href='{lab}' data-lab='{escape(key, quote=True)}' data-unfit='{unfit}'>Open in the lab</a>"
        + f"<a href='{engines}'>A free body at 60 Hz</a>" * used
        + f"<button data-ask='close'>Close</button></div>{method_card.as_html(key)}</section>"
    )


def page(query: Mapping[str, str], notices: Sequence[str] = ()) -> pn.Template:
    """The page as a link asks for it; `notices` has what of the link could not be read."""
    return Methods(query, notices).page()
