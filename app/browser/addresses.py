"""What the address of a page names: the page, a lesson, a setting and an excerpt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from engine.problems import find_problem

from ..state import LABS, Choice, Excerpt, Lab, lessons, links, polhode_version
from ..state import excerpt as excerpts
from ..state.excerpt import START, VIEWS
from ..state.lessons import Lesson
from ..state.view import LONGEST_LINK
from .page_links import OPENED, PAGES, QUESTIONS

MOST_WORDS = 60
"""Most words of a link that are read."""
SPACES = {LABS[space].page: space for space in LABS}
"""The spaces of the pages of runs."""


@dataclass(frozen=True)
class Address:
    """What an address names.

    Attributes
    ----------
    page : a key of `PAGES`, of `QUESTIONS`, or of `VIEWS`, the opening view and the simple one.
    lesson : the lesson that the page opens, if any.
    query : the words of the address, without the page.
    notices : a sentence for each part that was refused.
    """

    page: str
    lesson: Lesson | None
    query: dict[str, str]
    notices: list[str]


def read_address(search: str, opens: str = "") -> Address:
    """Return what the query of an address names; `opens` is the page that the plain address opens.

    A setting without a page opens the lab, and the plain address what the visitor has chosen, or
    the opening view. A problem opens the page of its lab, whichever page of a lab the address names.
    """
    query, notices = read_words(search)
    plain = opens if opens in OPENED else START
    page = query.pop("page", "lab" if search.strip("?") else plain)
    if page not in (*PAGES, *QUESTIONS, *VIEWS):
        notices.append(f"There is no page {page[:30]!r}.")
        page = "lab"
    lesson = None
    if page in SPACES:
        lesson, notices_of_lesson = find_lesson(query)
        notices += notices_of_lesson
        page = LABS[lesson.space].page if lesson else page
    if page in (*SPACES, *VIEWS) and lesson is None:
        space = find_space(query, SPACES.get(page, "so3"))
        if page in VIEWS and not LABS[space].has_simple_view:
            notices.append(describe_other_lab(LABS[space]))
        page = page if space == SPACES.get(page, "so3") else LABS[space].page
    return Address(page, lesson, query, notices)


def describe_other_lab(lab: Lab) -> str:
    """Return a notice for a link to a view of one body with a problem of another lab."""
    return f"This view shows one body. Its setting is {lab.place}."


def find_space(query: Mapping[str, str], otherwise: str) -> str:
    """Return the space of the problem that a link names, if it names one."""
    try:
        return find_problem(query["problem"]).space if query.get("problem") else otherwise
    except ValueError:
        return otherwise


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


def find_lesson(query: Mapping[str, str]) -> tuple[Lesson | None, list[str]]:
    """Return the lesson that a link names, and a notice if it does not exist."""
    try:
        return (lessons.find_lesson(query["lesson"]), []) if query.get("lesson") else (None, [])
    except ValueError as error:
        return None, [str(error)]


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
