"""The page that a link opens, with notices about what the page cannot read of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from urllib.parse import parse_qsl, urlencode

import panel as pn

from ..browser.page_links import OPENS, PAGES
from ..state import OPENING, START, SUBJECTS, Choice, Excerpt, lessons, links, polhode_version
from ..state import excerpt as excerpts
from ..state.lessons import Lesson
from ..state.view import LONGEST_LINK, View

MOST_WORDS = 60
"""Most words of a link that are read."""
SPACES = {SUBJECTS[space].page: space for space in SUBJECTS}
"""The spaces of the pages of runs."""


def write_search(arguments: Mapping[str, Sequence[bytes]]) -> str:
    """Return the query of the address that a session was opened with.

    Panel's own `Location` cannot parse an address with a second `?`, nor a host such as `[::1]`;
    and when another process has made the page, the arguments are handed on, but not the address.
    """
    return urlencode(
        {name.encode("latin-1"): values for name, values in arguments.items()}, doseq=True
    )


def read_words(search: str) -> tuple[dict[str, str], list[str]]:
    """Return the words of a link by name, and a notice for each that cannot be read."""
    pairs = parse_qsl(search.removeprefix("?"), keep_blank_values=True, errors="surrogateescape")
    notices = []
    if sum(len(text) for _, text in pairs) > LONGEST_LINK:
        pairs = [(name, text) for name, text in pairs if name == "page"]
        notices = [f"The link has more than {LONGEST_LINK} characters and was not read."]
    elif len(pairs) > MOST_WORDS:
        notices = [f"Only the first {MOST_WORDS} words of the link were read."]
    query = {}
    for name, text in pairs[:MOST_WORDS]:
        if (name + text).isprintable():
            query[name] = text
        else:  # bytes that are not UTF-8, or a control character
            readable = name if name.isprintable() else ascii(name)[1:-1]
            notices.append(f"{readable[:40]}: its value in the link is not text.")
    return query, notices


def open_page(search: str) -> tuple[pn.Template, str]:
    """Return the page that a link's query names, and its title.

    A setting without a page opens the lab, and the plain address what the visitor has chosen, or
    the opening view.
    """
    query, notices = read_words(search)
    chosen = pn.state.cookies.get(OPENS, "")
    key = query.pop("page", "lab" if search.strip("?") else chosen if chosen in PAGES else START)
    if key not in (*PAGES, START):
        notices.append(f"There is no page {key[:30]!r}.")
        key = "lab"
    lesson = None
    if key in SPACES:
        lesson, notices_of_lesson = find_lesson(query)
        notices += notices_of_lesson
        key = SUBJECTS[lesson.space].page if lesson else key
    title = "Polhode" if key in ("lab", START) else f"{PAGES[key]} · Polhode"
    if key in (*SPACES, START):
        return _open_runs(SPACES.get(key, "so3"), query, notices, lesson, key == START), title
    make_page: Callable[..., pn.Template] = import_module(f".{key}_page", __package__).make_page
    return make_page(query, notices), title


def _open_runs(
    space: str, query: Mapping[str, str], notices: Sequence[str], lesson: Lesson | None, opens: bool
) -> pn.Template:
    from .lab import Explorer

    if opens:
        first = next(preset for preset in SUBJECTS[space].presets if preset.key == START)
        query = first.choice.query() | first.view.query() | dict(query)
    choice, excerpt, notices_of_choice = read_query(query, space)
    excerpt = OPENING if opens else excerpt
    view, notices_of_view = read_view(query, space)
    notices = [*notices, *notices_of_choice, *notices_of_view]
    return Explorer(
        choice, notices, excerpt, lesson, keeps_choice="problem" in query, view=view
    ).page()


def find_lesson(query: Mapping[str, str]) -> tuple[Lesson | None, list[str]]:
    """Return the lesson that a link names, and a notice if it does not exist."""
    try:
        return (lessons.find_lesson(query["lesson"]), []) if query.get("lesson") else (None, [])
    except ValueError as error:
        return None, [str(error)]


def read_view(query: Mapping[str, str], space: str = "so3") -> tuple[View, list[str]]:
    """Return how a link's query shows the page, and a notice for each word that is refused."""
    words, notices = SUBJECTS[space].read_view(query)
    return View(**words), notices


def read_query(query: Mapping[str, str], space: str = "so3") -> tuple[Choice, Excerpt, list[str]]:
    """Return the choice and the excerpt of a link's query, and a notice for each word that is
    refused.
    """
    words = {name: text for name, text in query.items() if name not in excerpts.WORDS}
    choice, notices = links.read_query(words, space)
    excerpt, notices_of_excerpt = excerpts.read_query(query, choice)
    notices += notices_of_excerpt
    here = polhode_version()
    if query.get("version", here) != here:
        notices.append(
            f"This link was made with version {query['version'][:20]}; this is {here}: figures may differ."
        )
    return choice, excerpt, notices
