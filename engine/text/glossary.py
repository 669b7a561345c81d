"""The glossary: what technical words mean, for the page and for the documentation."""

from __future__ import annotations

import functools
from typing import NamedTuple

from .tables import read_toml


class Term(NamedTuple):
    """A word, its meaning in a sentence or two, and other ways to write it."""

    word: str
    meaning: str
    also: tuple[str, ...]


GLOSSARY = {
    group: tuple(Term(word, meaning, tuple(also)) for word, (meaning, *also) in words.items())
    for group, words in read_toml(__file__).items()
}
"""All words, in groups by subject."""


@functools.cache
def _by_name() -> dict[str, Term]:
    return {
        name.casefold() if len(name) > 1 else name: term
        for terms in GLOSSARY.values()
        for term in terms
        for name in (term.word, *term.also)
    }


def names() -> tuple[str, ...]:
    """Every word, as it is looked up."""
    return tuple(_by_name())


def meaning(name: str) -> str:
    """The meaning of a word, or an empty string; the single letters Π and π are two words."""
    term = _by_name().get(name.casefold() if len(name) > 1 else name)
    return term.meaning if term else ""
