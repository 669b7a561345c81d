"""Fuzzing of what people write: links, command lines and lessons."""

from __future__ import annotations

import contextlib
import functools
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock
from urllib.parse import quote

from hypothesis import strategies as st
from odd_texts import LONGEST, ODD
from test_odd_words import EXIT_CODES, LINES, Cancelled
from trials import Cases, check_sentence, fuzzed, trial

import engine
from app.browser import addresses
from app.browser.addresses import read_words
from app.browser.page_links import PAGES
from app.pages import routes
from app.pages.routes import open_page
from app.server import serve
from app.state import lessons
from app.state.pages import method_table, paper_gallery, study_forms
from engine.cli import arguments, console, page
from engine.cli import command as cli

SHORT_ODD = tuple(value for value in ODD if len(value) <= 300)
KEYS = tuple(one.key for one in (*engine.problems(None), *engine.algorithms(None)))
NUMBERS = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(("1/60", "60 Hz", "1e-3", "1,2,3", "0 0 1")),
)
VALUES = st.one_of(
    st.sampled_from(SHORT_ODD),
    st.sampled_from(KEYS),
    NUMBERS,
    st.text(max_size=60),
    st.builds(
        "{}({}={})".format,
        st.sampled_from(KEYS),
        st.sampled_from(("axes", "Mgl", "J", "x")),
        NUMBERS,
    ),
    st.lists(st.sampled_from(KEYS), max_size=5).map(",".join),
)

# -------------------------------------------------------------------------------------------------
# links

PARAMETERS = {name for one in engine.problems(None) for name in one.declarations}
OF_STUDIES = {field.name for study in study_forms.list_studies().values() for field in study.fields}
OF_ANY_PAGE = {
    "problem", "methods", "dt", "duration", "version", "tab", "theme", "study", "search", "family", "order", "step",
    "with", "sort", "open", "compare", "lesson", "preset", "show", "colour",
}  # fmt: skip
WORDS = sorted(OF_ANY_PAGE | PARAMETERS | OF_STUDIES)
PAIRS = st.tuples(st.one_of(st.sampled_from(WORDS), st.sampled_from(SHORT_ODD)), VALUES)


def link(key: str, pairs: Sequence[tuple[str, str]], raw: bool, end: str) -> str:
    """A link to a page, with quoted or raw values."""
    as_it_is = (lambda text: text) if raw else functools.partial(quote, errors="surrogatepass")
    return (
        "?"
        + "&".join([f"page={key}", *(f"{as_it_is(name)}={as_it_is(text)}" for name, text in pairs)])
        + end
    )


LINKS = st.builds(
    link,
    st.sampled_from((*PAGES, "nowhere")),
    st.lists(PAIRS, max_size=8),
    st.booleans(),
    st.sampled_from(("", "%", "%ff", "&&", "#x", "?", "%00")),
)


def check_link(text: str) -> None:
    """Read a link as the page that it opens does."""
    words, notices = read_words(text)
    key = words.pop("page", "lab")
    if key == "studies":
        notices += study_forms.read_query(words)[1]
    elif key == "methods":
        notices += method_table.read_query(words)[1]
    elif key == "papers":
        paper_gallery.find_item(words.get("open", ""))
    else:
        notices += addresses.read_query(words, "se3" if key == "two-bodies" else "so3")[2]
        notices += routes.read_view(words)[1] + addresses.find_lesson(words)[1]
    for notice in notices:
        check_sentence(notice)
        assert notice.isprintable(), ascii(notice)


@trial("links with changed, repeated, misspelt and damaged words", short=400, full=20_000)
def links(folder: Path) -> Iterator[Cases]:
    yield fuzzed(LINKS, check_link)


@trial("links that open the whole page", short=2, full=100)
def pages(folder: Path) -> Iterator[Cases]:
    def check(text: str) -> None:
        assert open_page(text)[1].endswith("Polhode"), text

    yield fuzzed(LINKS, check)


# -------------------------------------------------------------------------------------------------
# command lines


@functools.cache
def options_of(command: str) -> tuple[str, ...]:
    """The long options of a command, without those that wait for input."""
    return tuple(
        name
        for name in cli.parsers()[1][command].options
        if name.startswith("--") and name != "--help"
    )


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A valid line with words omitted, replaced, repeated and added."""
    line = list(LINES[draw(st.sampled_from(sorted(LINES)))])
    command = " ".join(line[:2]) if line[0] == "study" else line[0]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(1, len(line)))
        match draw(st.integers(0, 3)):
            case 0:
                line[place : place + 1] = []
            case 1:
                line[place : place + 1] = [draw(VALUES)]
            case 2:
                line.insert(place, draw(VALUES))
            case _:
                line.append(f"{draw(st.sampled_from(options_of(command)))}={draw(VALUES)}")
    return line


def check_line(line: Sequence[str]) -> None:
    """Let the shell parse a line without running it."""
    report = io.StringIO()
    with contextlib.redirect_stderr(report), contextlib.redirect_stdout(io.StringIO()):
        code = cli.main(list(line))
    assert code in EXIT_CODES, (code, report.getvalue()[-LONGEST:])
    if code == console.USAGE_ERROR:
        assert report.getvalue().startswith("polhode: ") and report.getvalue().count("\n") == 1, (
            report.getvalue()[:LONGEST]
        )
    assert "Traceback" not in report.getvalue()


@trial("command lines with words left out, replaced, repeated and added", short=60, full=2_000)
def command_lines(folder: Path) -> Iterator[Cases]:
    def listens(*_: object, **__: object) -> None:
        raise ValueError("it would be served")

    plain = {"POLHODE_PLAIN": "1", "LANGUAGE": "C"}  # argparse looks on the disk for translations
    here = Path.cwd()
    with (
        mock.patch.dict(os.environ, plain),
        mock.patch.object(arguments, "Cancellation", Cancelled),
        mock.patch.object(serve, "SharedCounts", listens),
        mock.patch.object(cli, "parsers", functools.cache(cli.parsers)),
        mock.patch.object(page, "entry_points", functools.cache(page.entry_points)),
    ):
        os.chdir(folder)
        try:
            yield fuzzed(lines(), check_line)
        finally:
            os.chdir(here)


# -------------------------------------------------------------------------------------------------
# lessons

PIECES = (
    "# ", "## ", "\n\n", "Lab: ", "Lab: ?problem=free&methods=NMB", "Look: sphere", "Hide: plots", "Question: ",
    "- [ ] ", "- [x] ", "Reveal: ", "|", "| a | b |\n|---|---|\n", "> ", "```\n", "*", "**", "`", "[", "](", "<b>",
    "&", "\\", "$", "    ", "\t", "- ", "1. ", "\0", "\r", "\u2028", "![x](y)", "[a]: b\n", "<!--", "\ud800",
)  # fmt: skip
EDITS = st.lists(
    st.tuples(
        st.integers(0, 20_000),  # where
        st.integers(0, 80),  # how many characters go
        st.one_of(st.sampled_from(PIECES), st.sampled_from(SHORT_ODD), st.text(max_size=20)),
        st.integers(1, 40),  # how often it comes instead
    ),
    min_size=1,
    max_size=12,
)


@st.composite
def lesson_texts(draw: st.DrawFn) -> str:
    """One of the included lessons with some changes."""
    text = draw(st.sampled_from(list(lessons.read_texts().values())))
    for place, gone, piece, times in draw(EDITS):
        at = place % (len(text) + 1)
        text = text[:at] + piece * times + text[at + gone :]
    return text


def check_lesson(text: str) -> None:
    """Read a lesson as the page reads a visitor's."""
    try:
        found = lessons.parse_lesson(text)
    except lessons.NoLesson as refused:
        for sentence in str(refused).splitlines():
            check_sentence(sentence)
    else:
        assert found.steps and all("<script" not in step.words.lower() for step in found.steps)


@trial("lessons changed in up to twelve places", short=100, full=5_000)
def lesson_files(folder: Path) -> Iterator[Cases]:
    yield fuzzed(lesson_texts(), check_lesson)
