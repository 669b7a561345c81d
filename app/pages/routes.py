"""The page that a link opens, with notices about what the page cannot read of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

import panel as pn

from ..browser.addresses import SPACES, Address, read_address, read_query
from ..browser.page_links import OPENS, PAGES, QUESTIONS
from ..state import LABS, VIEWS
from ..state.simple import FIRST_SEEN
from ..state.view import View


def open_page(search: str) -> tuple[pn.Template, str]:
    """Return the page that the query of an address names, and its title."""
    address = read_address(search, pn.state.cookies.get(OPENS, ""))
    key = address.page
    title = "Polhode" if key in ("lab", *VIEWS) else f"{(PAGES | QUESTIONS)[key]} · Polhode"
    if key in (*SPACES, *VIEWS):
        return _open_runs(address), title
    make_page: Callable[..., pn.Template] = import_module(f".{key}_page", __package__).make_page
    return make_page(address.query, address.notices), title


def _open_runs(address: Address) -> pn.Template:
    from .lab import open_lab

    space = SPACES.get(address.page, "so3")
    query = address.query
    own = VIEWS.get(address.page)
    if own is not None and "problem" not in query:
        choice, view = FIRST_SEEN[own.page]
        query = choice.query() | view.query() | query
    choice, excerpt, notices_of_choice = read_query(query, space)
    excerpt = own or excerpt
    view, notices_of_view = read_view(query, space)
    notices = [*address.notices, *notices_of_choice, *notices_of_view]
    return open_lab(
        choice, notices, excerpt, address.lesson, keeps_choice="problem" in query, view=view
    ).page()


def read_view(query: Mapping[str, str], space: str = "so3") -> tuple[View, list[str]]:
    """Return how a link's query shows the page, and a notice for each word that is refused."""
    words, notices = LABS[space].read_view(query)
    return View(**words), notices
