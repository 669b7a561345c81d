"""The order of what a person's words find in lists of methods and engines."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from drawing import answered

from app.pages.engines_page import list_programs
from app.state.pages.choice_lists import Groups, list_methods
from engine.algorithms import PROGRAMS


def find_keys(groups: Groups, queries: Iterable[str]) -> list[list[str]]:
    """Return the keys of the entries that each query finds, in their order."""
    entries = [
        {
            "key": key,
            "title": title,
            "words": words,
            "group": group,
            "sought": "".join(sought),
        }
        for group, members in groups
        for key, title, words, _, *sought in members
    ]
    found: list[list[str]] = answered(
        "return said.queries.map(query => findEntries(query, said.entries).map(({key}) => key));",
        queries=list(queries),
        entries=entries,
    )
    return found


def test_an_engine_as_it_comes_precedes_its_options() -> None:
    """Lists have an engine's names with its default first."""
    titles = list(dict.fromkeys(one.title for one in PROGRAMS.values()))
    for title, keys in zip(titles, find_keys(list_programs(), titles), strict=True):
        named = [one.key for one in PROGRAMS.values() if one.title == title]
        assert [key for key in keys if key in named] == named, title
        assert keys[: len(named)] == named, title


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("rk4", ["RK4-MATRIX", "RK4-QUAT", "RK4-AVG"]),
        ("RK4-AVG", ["RK4-AVG"]),
        ("mr2", ["MR2"]),
        ("newmark", ["NMB"]),
    ],
)
def test_a_method_of_this_name_comes_first_and_the_classical_before_its_variants(
    query: str, first: list[str]
) -> None:
    (keys,) = find_keys(list_methods(), [query])
    assert keys[: len(first)] == first
