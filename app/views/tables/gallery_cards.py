"""The gallery of the papers' figures: cards by source, and the heading of the open figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param

from engine.studies.core import recorded_with

from ...asset_files import render_template
from ...browser.component import Component
from ...charts.thumbnails import SIZE, load_thumbnails
from ...state.pages.paper_gallery import OTHERS, Item, cite_paper, count_verdicts, list_items


class Gallery(Component):
    """All cards, which the browser searches and filters, or the heading of the open figure."""

    html = param.String(default="", doc="The cards and headings.")
    opened = param.String(default="", doc="The key of the open figure or claim, if any.")

    script = "controls/paper-gallery.js"
    shared_styles = ("html-block",)
    own_styles = ("badges", "paper-gallery", "thumbnail")

    def __init__(self, opened: str = "") -> None:
        super().__init__(
            html=gallery_html(list_items()), opened=opened, sizing_mode="stretch_width", margin=0
        )

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser opens a figure or a claim, or closes it."""
        return name == "opened" and value in ("", OTHERS, *(item.key for item in list_items()))


def gallery_html(shown: Sequence[Item]) -> str:
    """Return the gallery, with a heading for each figure and claim."""
    by_paper = {
        cite_paper(item.about.reference): [
            x for x in shown if x.about.reference == item.about.reference
        ]
        for item in shown
    }
    recorded = {m.claim.key: m for item in shown for m in item.recorded}
    return render_template(
        "paper-gallery",
        shown=shown,
        by_paper=by_paper,
        cite_paper=cite_paper,
        others=OTHERS,
        claims=len(recorded),
        alone=sum(item.figure is None for item in shown),
        numbers=count_verdicts(list(recorded.values())),
        recorded_with=recorded_with(),
        search_text=search_text,
        size=SIZE,
        pictures=load_thumbnails(),
    )


def search_text(item: Item) -> str:
    """Return the words by which the browser finds a figure or claim."""
    words = [
        item.key,
        item.about.where,
        item.title,
        item.see,
        cite_paper(item.about.reference).full,
    ]
    words += [*(m.claim.says for m in item.recorded), *(item.figure.methods if item.figure else ())]
    return " ".join(words).lower()
