"""Excerpts: chosen parts of the lab, for a page of another site."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape

import panel as pn

from ..state import excerpt as excerpts
from ..state.quantities import PLOTS, Group
from ..views.dialogs.html_block import HtmlBlock
from ..views.plots.time_plots import HIGH, LOW, TimePlots
from .frame import card, whole_page
from .runs_page import SCENE_HEIGHT, ViewsPage, stack


class ExcerptPage(ViewsPage):
    """Chosen parts, for a page of another site, with a link to the whole page."""

    def _make_plots(self) -> TimePlots:
        """Return the plots of the excerpt, if any, in one group."""
        if not self.excerpt.show:
            return super()._make_plots()
        others = [part.word for part in excerpts.PARTS[self.lab.space] if not part.plot]
        words = [word for word in self.excerpt.show if word not in others]
        group = Group(
            lambda results, _: [x for x in self.lab.invariants(results) if x.declared.key in words]
        )
        return TimePlots(
            {"What is kept": group},
            HIGH if len(words) < PLOTS - 1 else LOW,
            most=len(words),
            folds=False,
        )

    @cached_property
    def _cards(self) -> Mapping[str, pn.viewable.Viewable]:
        parts = {"plots": [self.legend, self.plots.panel]} if self.plots.most else {}
        if self.excerpt.has("ledger"):
            parts["table"] = [self.ledger.panel]
            next(iter(parts.values())).insert(0, self.ledger.verdict)
        cards = {name: card(*contents) for name, contents in parts.items()}
        if self.stage:
            # An excerpt is no higher than its window, which may be a small frame in another page.
            fits = {"height": f"clamp(260px, 100vh - 150px, {SCENE_HEIGHT}px)"}
            contents = self.stage.switches, self.stage.panel
            cards["picture"] = card(*contents, height=SCENE_HEIGHT, styles=fits)
        if self.excerpt.has("card"):
            cards["card"] = card(self.card.panel)
        return cards

    def page(self) -> pn.Template:
        """Return the page to be served."""
        return whole_page(self.lab.page, self.main(), alone=True)

    def main(self) -> pn.Column:
        """Return the views, with the widgets beside them."""
        self.hide(self._hidden)
        caption = self.excerpt.caption
        html = f"<p>{escape(caption)}</p>"
        above = [HtmlBlock(style="link-caption", margin=0, html=html)] if caption else []
        widgets = [card(self.chooser.panel)] if self.excerpt.controls != () else []
        left = stack(1.6, 320, self._list_cards("picture", "card"))
        right = stack(2, 320, self._list_cards("plots", "table"))
        return self._arrange(above, [stack(1, 220, widgets), left, right])
