"""The pages beside the lab, and which of them a link opens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from ..model.view import LONGEST_LINK
from ..shell import PAGES

if TYPE_CHECKING:
    import panel as pn

MOST_WORDS = 60
"""Of a link's query, how many names are looked at."""


def search(arguments: Mapping[str, Sequence[bytes]]) -> str:
    """The query of the address that a session was opened with.

    It is taken from here since Panel's own `Location` knows no address with a second `?`, nor a host such as `[::1]`;
    and where another process has made the page, this is handed on, but the address is not.
    """
    return urlencode({name.encode("latin-1"): values for name, values in arguments.items()}, doseq=True)


def read(search: str) -> tuple[dict[str, str], list[str]]:
    """The words of a link by their names, and what has to be said of those that cannot be read."""
    pairs = parse_qsl(search.removeprefix("?"), keep_blank_values=True, errors="surrogateescape")
    notices = []
    if sum(len(text) for _, text in pairs) > LONGEST_LINK:
        pairs = [(name, text) for name, text in pairs if name == "page"]
        notices = [f"The link has more than {LONGEST_LINK} characters, and was not read."]
    elif len(pairs) > MOST_WORDS:
        notices = [f"Only the first {MOST_WORDS} words of the link were read."]
    query = {}
    for name, text in pairs[:MOST_WORDS]:
        if (name + text).isprintable():
            query[name] = text
        else:  # bytes that are no UTF-8, or a control character
            shown = name if name.isprintable() else ascii(name)[1:-1]
            notices.append(f"{shown[:40]}: what the link has for this is no text.")
    return query, notices


def opened(search: str) -> tuple[pn.Template, str]:
    """The page that a link's query asks for, and its title; the lab without `page=…`."""
    query, notices = read(search)
    key = query.pop("page", "lab")
    known = key if key in PAGES else "lab"
    if known != "lab":
        module = import_module(f"{__name__}.{known.replace('-', '_')}")
        return module.page(query, notices), f"{PAGES[known]} · Polhode"
    from ..page import Explorer, from_query, lesson_of, view_of

    if key != known:
        notices.append(f"There is no page {key[:30]!r}.")
    choice, shown, more = from_query(query)
    lesson, unknown = lesson_of(query)
    seen, unseen = view_of(query)
    told = notices + more + unknown + unseen
    explorer = Explorer(choice, told, shown, lesson, as_it_is="problem" in query, seen=seen)
    return explorer.page(), "Polhode"
