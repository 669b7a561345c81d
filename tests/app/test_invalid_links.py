"""Odd values for every word of every page's links: a valid state, and at most one sentence."""

from __future__ import annotations

import functools
from itertools import product
from urllib.parse import quote

import pytest
from covering import covering, some
from odd_texts import LONGEST, ODD, SECONDS, abbreviate
from timeouts import limit_processor_time

import engine
from app.browser import addresses
from app.browser.addresses import LONGEST_LINK, read_words
from app.state import choice as session
from app.state import excerpt
from app.state.pages import method_table, paper_gallery, study_forms

OF_FREE = tuple(engine.problem("free").declarations)
OF_RUNS = ("methods", "dt", "duration", "version", "tab", "theme", "odd", *excerpt.WORDS)


def words_of(problem: str) -> list[str]:
    """The words of a link to a page of runs, and those of the problem that it may not contain."""
    return ["problem", *OF_RUNS, *engine.problem(problem).declarations]


def of_runs(query: dict[str, str], space: str) -> list[str]:
    choice, _, notices = addresses.read_query(query, space)
    assert session.validate(choice) == choice
    return notices


def of_studies(query: dict[str, str]) -> list[str]:
    asked, notices = study_forms.read_query(query)
    asked.build_problem()
    asked.values()
    words = {name: text for name, text in asked.query().items() if name != "page"}
    again, none = study_forms.read_query(words)
    assert (again.query(), none) == (asked.query(), [])
    return notices


AS_JSON = functools.cache(method_table.as_json)
"""The JSON of a state, computed once for all links that give this state."""


def of_methods(query: dict[str, str]) -> list[str]:
    shown, notices = method_table.read_query(query)
    AS_JSON(shown)
    return notices


def of_papers(query: dict[str, str]) -> list[str]:
    found = paper_gallery.find_item(query.get("open", ""))
    assert found is None or found.key
    return []


READERS = {
    **{
        f"lab, {problem.key}": (
            lambda query: of_runs(query, "so3"), words_of(problem.key), {"problem": problem.key}
        )
        for problem in engine.problems()
    },
    **{
        f"two bodies, {problem.key}": (
            lambda query: of_runs(query, "se3"), words_of(problem.key), {"problem": problem.key}
        )
        for problem in engine.problems("se3")
    },
    **{
        f"studies, {study.key}": (
            of_studies,
            ["study", "problem", "methods", "odd", *OF_FREE, *(f.name for f in study.fields)],
            {"study": study.key},
        )
        for study in study_forms.list_studies().values()
    },
    "methods": (of_methods, ["search", "family", "order", "step", "with", "sort", "open", "compare", "odd"], {}),
    "papers": (of_papers, ["open", "odd"], {}),
}  # fmt: skip


PARTS = 5


@pytest.mark.parametrize(("name", "part"), covering(product(READERS, range(PARTS))))
def test_an_odd_link_gives_a_state_and_at_most_a_sentence(name: str, part: int) -> None:
    reader, words, beside = READERS[name]
    for word in words:
        for value in some(ODD[part::PARTS]):
            if len(value) > LONGEST_LINK and word != words[0]:
                continue  # of such a link no word is read, whichever it was
            what = f"{word}={abbreviate(value)}"
            given = {**beside, word: value}
            link = "?" + "&".join(
                f"{key}={quote(text, errors='surrogatepass')}" for key, text in given.items()
            )
            with limit_processor_time(SECONDS, what):
                query, notices = read_words(link)
                notices = [*notices, *reader(query)]
            assert len(notices) <= 1, (what, notices)
            for notice in notices:
                assert 0 < len(notice) <= LONGEST, (what, notice)
                assert notice.isprintable() and notice.endswith((".", "?")), (what, notice)


@pytest.mark.parametrize("name", READERS)
def test_a_word_that_no_link_has_is_told_in_a_sentence(name: str) -> None:
    reader, words, _ = READERS[name]
    for word in some(word for word in ODD if word not in (*words, "page")):
        query, notices = read_words(f"?{quote(word, errors='surrogatepass')}=1")
        notices = [*notices, *reader(query)]
        assert len(notices) <= 1 and all(0 < len(notice) <= LONGEST for notice in notices), (
            abbreviate(word),
            notices,
        )
