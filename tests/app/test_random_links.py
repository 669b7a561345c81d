"""Random links: any link opens a page, and no markup of a link reaches the page."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

import panel as pn
import pytest
from covering import first

from app.browser.page_links import PAGES
from app.pages.routes import open_page

MARKUP = "<img src=x onerror=alert(1)>"
LINKS, WORDS = 24, (5, 13)
"""How many links to each page, besides the first, which has markup in every field, and from how
many to how many words each has: many, since a page takes far longer to make than a word to read.
"""
PARTS = 12

NAMES = (
    "problem", "methods", "dt", "duration", "J", "R0", "Omega0", "Mgl", "version", "open", "compare", "study", "G",
    "m1", "x1", "page", "odd", MARKUP, "a" * 300, "\uff2a",
)  # fmt: skip
VALUES = (
    MARKUP, f"free{MARKUP}", f"NMB({MARKUP}=1)", f"'\"{MARKUP}", f"1,2,{MARKUP}", "nan", "inf", "-inf", "1e999", "-0",
    "9" * 400, "1e-320", "", " ", "(" * 200, "[[[[1,2],3]", "free(J=(1,2)", "NMB*" * 40, "NMB,AKW,MR2", "slow-top",
    "free", "DB1", "LGVI", "n" * 900, "\0", "\u0661\u0662", "\uff11", "\u00bd", "\u202e", "None", "{}", "1,2,3",
    "1,2", "[1,0,0,0,1,0,0,0,1]", "0.1", "../../etc/passwd", "javascript:alert(1)", "convergence", "&amp;", "%3Cimg",
)  # fmt: skip
BROKEN = ("%", "%zz", "%ff%fe", "%C0%BC", "+", "==", "%u003c", "?", "#", ";", "&&")


def links(key: str) -> Iterator[str]:
    """Return random values, the same each time."""
    random = Random(key)
    yield f"?page={key}&" + "&".join(
        f"{name}={quote(MARKUP)}" for name in NAMES if name.isalnum() and name != "page"
    )
    for _ in range(LINKS):
        words = [f"page={key}"] if key != "lab" else []
        for name in random.sample(NAMES, random.randint(*WORDS)):
            value = quote(random.choice(VALUES), safe="<>=" if random.random() < 0.3 else "")
            words.append(
                f"{quote(name)}={value}" + (random.choice(BROKEN) if random.random() < 0.3 else "")
            )
        random.shuffle(words)
        yield "?" + "&".join(words)


def texts(value: Any) -> Iterator[str]:
    """All texts in a value of a property."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


def html_parts(page: pn.Template) -> Iterator[tuple[str, str]]:
    """Return the HTML of a page's parts, each with its place."""
    for part in page.select(lambda part: isinstance(part, pn.viewable.Viewable)):
        for name in ("html", "object", "text", "content", "status"):
            for text in texts(getattr(part, name, None)):
                yield f"{type(part).__name__}.{name}", text


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", first(range(PARTS)))
@pytest.mark.parametrize("key", first(PAGES))
def test_any_link_gives_a_page_and_nothing_of_it_is_markup(key: str, part: int) -> None:
    markup, *others = links(key)
    repeated = False
    for link in (markup, *others[part::PARTS]):
        made, title = open_page(link)
        assert title.endswith("Polhode"), link
        for where, text in html_parts(made):
            assert "<img src=x" not in text.lower(), (link, where)
            repeated |= "&lt;img src=x" in text
    assert repeated or key == "papers", "what is refused is repeated, with its markup escaped"
