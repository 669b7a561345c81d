"""The gallery of the papers' figures: cards by source, and the heading of the open figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import param

from engine.papers import Measured
from engine.studies.core import recorded_with
from engine.text.formatting import capitalise

from ...browser.component import Component
from ...state.topics.paper_gallery import OTHERS, Item, Paper, cite_paper, count_verdicts, list_items

SHAPES = {
    "reproduced": '<circle cx="8" cy="8" r="7"/><path d="m4.6 8.2 2.4 2.4 4.4-4.8" class="cut"/>',
    "partly": '<circle cx="8" cy="8" r="6" class="edge"/><path d="M8 2a6 6 0 0 1 0 12z"/>',
    "refuted": '<rect x="1" y="1" width="14" height="14" rx="3"/><path d="m5 5 6 6m0-6-6 6" class="cut"/>',
    "cancelled": '<path d="M2 8h12" class="edge"/>',
}
SHAPES |= {"agrees": SHAPES["reproduced"], "differs": SHAPES["partly"], "wrong": SHAPES["refuted"]}
"""The shape of each verdict, which is legible without its colour."""


class Gallery(Component):
    """All cards, which the browser searches and filters, or the heading of the open figure."""

    html = param.String(default="", doc="The cards and headings.")
    opened = param.String(default="", doc="The key of the open figure or claim, if any.")

    script = "controls/paper-gallery.js"
    shared_styles = ("sheet",)
    own_styles = ("badges", "paper-gallery")

    def __init__(self, opened: str = "") -> None:
        super().__init__(html=gallery_html(list_items()), opened=opened, sizing_mode="stretch_width", margin=0)

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser opens a figure or a claim, or closes it."""
        return name == "opened" and value in ("", OTHERS, *(item.key for item in list_items()))


# ------------------------------------------------------------------------------------------------- HTML


def badge_html(verdict: str) -> str:
    """Return a verdict as a shape and a word."""
    shape = f'<svg viewBox="0 0 16 16" aria-hidden="true">{SHAPES[verdict]}</svg>'
    return f"<span class='badge {verdict}'>{shape}{verdict}</span>"


def verdict_html(measured: Measured, name: str = "") -> str:
    """Return the verdict on a claim, after its `name` if any, and how many of several requirements hold."""
    several = len(measured.claim.paper)
    count = f"{measured.holding} of {several} hold" if several > 1 else ""
    title = escape(measured.claim.says, quote=True)
    words = f"{badge_html(measured.verdict)}<span class=holds>{count}</span>"
    return f"<span class=judged title='{title}'>{f'<span class=holds>{escape(name)}</span>' * bool(name)}{words}</span>"


def gallery_html(shown: Sequence[Item]) -> str:
    """Return the gallery, with a heading for each figure and claim."""
    by_paper = {
        cite_paper(item.about.reference): [x for x in shown if x.about.reference == item.about.reference]
        for item in shown
    }
    recorded = {m.claim.key: m for item in shown for m in item.recorded}
    numbers = count_verdicts(list(recorded.values()))
    alone = sum(item.figure is None for item in shown)
    return f"""<div class=gallery>
<h1>The papers' results, recomputed</h1>
<p class=lead>Each figure and table of the papers behind this lab. Open one to compute it now, beside what the paper
says of it and whether that holds.</p>
<p class=summary>{" ".join(f"<span class=judged><b>{n}</b>{badge_html(word)}</span>" for word, n in numbers.items())}
<span class=quiet>{len(recorded)} claims{f", {alone} of them without a figure" if alone else ""}; recorded with
{escape(recorded_with())}</span></p>
<p class=lead><a {link_attributes(OTHERS)}><b>Others' numbers</b></a> of NASA and other sources, beside the lab's.</p>
{filters_html(numbers, by_paper)}
{"".join(section_html(paper, group) for paper, group in by_paper.items())}
</div>{OTHERS_HEADING}{"".join(heading_html(shown))}"""


def filters_html(numbers: dict[str, int], papers: Iterable[Paper]) -> str:
    """Return a search, and filters by verdict and source."""
    return f"""<form role=search aria-label="Figures">
<label><span class=unseen>Search the figures</span><input type=search id=search autocomplete=off
placeholder="Search: energy, top, SW …"></label>
{radios_html("verdict", "Verdict", [("", "All"), *((word, word.capitalize()) for word in numbers)])}
{radios_html("source", "Source", [("", "All papers"), *((paper.key, paper.short) for paper in papers)])}
<p class=told data-told role=status></p></form>"""


def radios_html(name: str, about: str, choices: Iterable[tuple[str, str]]) -> str:
    """Return a set of radio buttons."""
    inputs = "".join(
        f"<label><input type=radio name={name} value='{escape(value)}'{'' if value else ' checked'}>"
        f"{escape(text)}</label>"
        for value, text in choices
    )
    return f"<fieldset role=radiogroup aria-label='{about}'>{inputs}</fieldset>"


def section_html(paper: Paper, group: Iterable[Item]) -> str:
    """Return a paper with the cards of its figures."""
    return f"""<section data-source="{escape(paper.key)}"><h2>{escape(paper.short)}</h2>
{reference_html(paper)}<ul>{"".join(map(card_html, group))}</ul></section>"""


def reference_html(paper: Paper) -> str:
    """Return the full reference."""
    doi = f' <a href="https://doi.org/{escape(paper.doi)}" rel=noreferrer>doi</a>' if paper.doi else ""
    return f"<p class=full><span class=quiet>{escape(paper.full)}</span>{doi}</p>"


def link_attributes(key: str) -> str:
    """Return the attributes of a link that opens a figure or claim, or the gallery."""
    address = f"?page=papers&amp;open={escape(key)}" if key else "?page=papers"
    return f'href="{address}" data-open="{escape(key)}"'


OTHERS_HEADING = f"""<article data-head="{OTHERS}" hidden>
<nav class=ways aria-label="Others"><a {link_attributes("")}><b>All figures</b></a></nav>
<h1 tabindex=-1>Others' numbers</h1><p class=lead>Published numbers beside the lab's, computed now. They agree within
a tolerance; they differ if the lab has them in another setting; else they are wrong.</p></article>"""


def card_html(item: Item) -> str:
    """Return the card of a figure or claim."""
    claims = [m.claim for m in item.recorded]
    words = [item.key, item.about.where, item.title, item.see, cite_paper(item.about.reference).full]
    words += [*(claim.says for claim in claims), *(item.figure.methods if item.figure else ())]
    verdicts = " ".join(dict.fromkeys(m.verdict for m in item.recorded))
    return f"""<li data-text="{escape(" ".join(words).lower())}" data-verdicts="{verdicts}">
<a class=item {link_attributes(item.key)}><span class=where>{escape(capitalise(item.about.where))}</span>
<h3>{escape(item.title)}</h3>
<p class=see>{escape(item.see)}</p>{verdicts_html(item)}</a></li>"""


def verdicts_html(item: Item) -> str:
    """Return the verdicts on all claims of a figure; if there are several, each with its place in the paper."""
    names = [capitalise(m.claim.where) if len(item.recorded) > 1 else "" for m in item.recorded]
    return f"<div class=verdicts>{''.join(map(verdict_html, item.recorded, names))}</div>"


def heading_html(shown: Sequence[Item]) -> Iterable[str]:
    """Yield the heading of each figure and claim, with links to the gallery and to its neighbours."""
    for before, item, after in zip((None, *shown[:-1]), shown, (*shown[1:], None), strict=True):
        beside = ((before, "← {}"), (after, "{} →"))
        ways = "".join(
            f"<a {link_attributes(other.key)}>{text.format(escape(other.title))}</a>"
            for other, text in beside
            if other is not None
        )
        yield f"""<article data-head="{escape(item.key)}" hidden>
<nav class=ways aria-label="Figures"><a {link_attributes("")}><b>All figures</b></a><span></span>{ways}</nav>
<p class="where quiet">{escape(cite_paper(item.about.reference).short)}, {escape(item.about.where)}</p>
<h1 tabindex=-1>{escape(item.title)}</h1>{reference_html(cite_paper(item.about.reference))}
{verdicts_html(item)}</article>"""
