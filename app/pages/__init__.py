"""The pages beside the lab, and which of them a link opens."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from ..shell import PAGES

if TYPE_CHECKING:
    import panel as pn

__all__ = ["opened"]

MOST_WORDS = 60
"""Of a link's query, how many names are looked at."""


def opened(search: str) -> tuple[pn.Template, str]:
    """The page that a link's query asks for, and its title; the lab without `page=…`."""
    query = dict(parse_qsl(search.lstrip("?"), keep_blank_values=True)[:MOST_WORDS])
    key = query.pop("page", "lab")
    known = key if key in PAGES else "lab"
    if known != "lab":
        module = import_module(f"{__name__}.{known.replace('-', '_')}")
        return module.page(query), f"{PAGES[known]} · Polhode"
    from ..page import Explorer, from_query

    choice, notices = from_query(query)
    if key != known:
        notices.append(f"There is no page {key[:30]!r}.")
    return Explorer(choice, notices).page(), "Polhode"
