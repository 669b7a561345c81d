"""The gallery of the papers' figures: cards by their source, and the head of the one that is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, ClassVar

import param

from engine.papers import Measured
from engine.studies.stored import recorded_with
from engine.wording import capital

from ..bundle import ASSETS, fetched, rules
from ..component import Component
from ..model.gallery import Item, Paper, cited, counted, items

SHAPES = {
    "reproduced": '<circle cx="8" cy="8" r="7"/><path d="m4.6 8.2 2.4 2.4 4.4-4.8" class="cut"/>',
    "partly": '<circle cx="8" cy="8" r="6" class="edge"/><path d="M8 2a6 6 0 0 1 0 12z"/>',
    "refuted": '<rect x="1" y="1" width="14" height="14" rx="3"/><path d="m5 5 6 6m0-6-6 6" class="cut"/>',
    "cancelled": '<path d="M2 8h12" class="edge"/>',
}
"""Of each verdict, so that it is seen without its colour."""


class Gallery(Component):
    """All cards, or in their place the head of the one that is open; searched and filtered in the browser."""

    html = param.String(default="", doc="What is shown.")
    opened = param.String(default="", doc="The key of what is open; nothing is, if it is empty.")

    _bundle = ASSETS / "gallery.js"
    _stylesheets: ClassVar = [fetched("sheet"), rules("badges", "gallery")]

    def __init__(self, opened: str = "") -> None:
        super().__init__(html=html(items()), opened=opened, sizing_mode="stretch_width", margin=0)

    def takes(self, name: str, value: Any) -> bool:
        """What was opened, if anything."""
        return name == "opened" and value in ("", *(item.key for item in items()))


# ------------------------------------------------------------------------------------------------- HTML


def badge(verdict: str) -> str:
    """A verdict by a shape and a word."""
    shape = f'<svg viewBox="0 0 16 16" aria-hidden="true">{SHAPES[verdict]}</svg>'
    return f"<span class='badge {verdict}'>{shape}{verdict}</span>"


def verdict(measured: Measured) -> str:
    """The verdict on a claim, and how many of its requirements hold."""
    return f"<span class=judged>{badge(measured.verdict)}<span class=holds>{holding(measured)}</span></span>"


def holding(measured: Measured) -> str:
    """How many of a claim's requirements hold."""
    return f"{measured.holding} of {len(measured.claim.paper)} hold"


def html(shown: Sequence[Item]) -> str:
    """The gallery, and a head for each that can be opened."""
    by_paper = {
        cited(item.told.reference): [x for x in shown if x.told.reference == item.told.reference] for item in shown
    }
    recorded = {m.claim.key: m for item in shown for m in item.recorded}
    numbers = counted(list(recorded.values()))
    alone = sum(item.figure is None for item in shown)
    return f"""<div class=gallery>
<h1>What the papers show, computed anew</h1>
<p class=lead>Each figure and table of the papers behind this lab. Open one: it is computed here and now, beside what
the paper says of it and whether that holds.</p>
<p class=summary>{" ".join(f"<span class=judged><b>{n}</b>{badge(word)}</span>" for word, n in numbers.items())}
<span class=quiet>{len(recorded)} claims{f", {alone} of them without a figure" if alone else ""}; recorded with
{escape(recorded_with())}</span></p>
{filters(numbers, by_paper)}
{"".join(section(paper, group) for paper, group in by_paper.items())}
</div>{"".join(heads(shown))}"""


def filters(numbers: dict[str, int], papers: Iterable[Paper]) -> str:
    """A search, and the verdict and the source that a card may have to have."""
    return f"""<form role=search aria-label="Figures">
<label><span class=unseen>Search the figures</span><input type=search id=search autocomplete=off
placeholder="Search: energy, top, SW …"></label>
{radios("verdict", "Verdict", [("", "All"), *((word, word.capitalize()) for word in numbers)])}
{radios("source", "Source", [("", "All papers"), *((paper.key, paper.short) for paper in papers)])}
<p class=told data-told role=status></p></form>"""


def radios(name: str, about: str, choices: Iterable[tuple[str, str]]) -> str:
    """One of a set."""
    inputs = "".join(
        f"<label><input type=radio name={name} value='{escape(value)}'{'' if value else ' checked'}>"
        f"{escape(text)}</label>"
        for value, text in choices
    )
    return f"<fieldset role=radiogroup aria-label='{about}'>{inputs}</fieldset>"


def section(paper: Paper, group: Iterable[Item]) -> str:
    """A paper and the cards of its figures."""
    return f"""<section data-source="{escape(paper.key)}"><h2>{escape(paper.short)}</h2>
{full(paper)}<ul>{"".join(map(card, group))}</ul></section>"""


def full(paper: Paper) -> str:
    """The whole reference."""
    doi = f' <a href="https://doi.org/{escape(paper.doi)}" rel=noreferrer>doi</a>' if paper.doi else ""
    return f"<p class=full><span class=quiet>{escape(paper.full)}</span>{doi}</p>"


def way(key: str) -> str:
    """The attributes of a link that opens this, here or in a window of its own."""
    address = f"?page=papers&amp;open={escape(key)}" if key else "?page=papers"
    return f'href="{address}" data-open="{escape(key)}"'


def card(item: Item) -> str:
    """What is told of a figure before it is open."""
    claims = [m.claim for m in item.recorded]
    words = [item.key, item.told.where, item.title, item.see, cited(item.told.reference).full]
    words += [*(claim.says for claim in claims), *(item.figure.methods if item.figure else ())]
    verdicts = " ".join(dict.fromkeys(m.verdict for m in item.recorded))
    return f"""<li data-text="{escape(" ".join(words).lower())}" data-verdicts="{verdicts}">
<a class=item {way(item.key)}><span class=where>{escape(capital(item.told.where))}</span><h3>{escape(item.title)}</h3>
<p class=see>{escape(item.see)}</p>{of_all(item)}</a></li>"""


def of_all(item: Item) -> str:
    """The verdicts on all claims of a figure."""
    return f"<div class=verdicts>{''.join(map(verdict, item.recorded))}</div>"


def heads(shown: Sequence[Item]) -> Iterable[str]:
    """Above each that is open: the ways back and to its neighbours, and what it is."""
    for before, item, after in zip((None, *shown[:-1]), shown, (*shown[1:], None), strict=True):
        beside = ((before, "← {}"), (after, "{} →"))
        ways = "".join(
            f"<a {way(other.key)}>{text.format(escape(other.title))}</a>"
            for other, text in beside
            if other is not None
        )
        yield f"""<article data-head="{escape(item.key)}" hidden>
<nav class=ways aria-label="Figures"><a {way("")}><b>All figures</b></a><span></span>{ways}</nav>
<p class="where quiet">{escape(cited(item.told.reference).short)}, {escape(item.told.where)}</p>
<h1 tabindex=-1>{escape(item.title)}</h1>{full(cited(item.told.reference))}{of_all(item)}</article>"""
