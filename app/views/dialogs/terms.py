"""Glossary terms in HTML: buttons that explain themselves when you point at them, focus them or
touch them.

`assets/js/core/meanings.js` shows the meaning of any element with `data-means`. Arrow keys lead
from term to term on the whole page; the Tab key stops at few of them, and at none before the
picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from engine.text import glossary

_IN_TEXT = [
    re.escape(name) for name in sorted(glossary.names(), key=len, reverse=True) if len(name) > 4
]
_TERMS = re.compile(rf"(?<![\w|])({'|'.join(_IN_TEXT)})(?![\w|])([.,;:)]*)", re.IGNORECASE)


def make_term(html: str, meaning: str) -> str:
    """Return a term with its meaning, or the term alone if the meaning is unknown."""
    if not meaning:
        return html
    means = f"data-means='{escape(meaning, True)}' aria-description='{escape(meaning, True)}'"
    return f"<button type='button' class='term' tabindex='-1' {means}>{html}</button>"


def add_stop(html: str) -> str:
    """Let the Tab key stop at the first term."""
    return html.replace("tabindex='-1'", "tabindex='0'", 1)


def explain_word(word: str) -> str:
    """Return a word with its meaning from the glossary."""
    return make_term(escape(word), glossary.meaning(word))


def explain_terms(text: str, names: Iterable[str] = ()) -> str:
    """Return a text in which the first occurrence of each term has its meaning; symbols and these
    names stay plain.
    """
    explained: set[str] = set()
    plain = "|".join(re.escape(escape(name, quote=False)) for name in names)
    pattern = re.compile(f"{plain}|{_TERMS.pattern}", _TERMS.flags) if plain else _TERMS

    def explain(match: re.Match[str]) -> str:
        word, mark = match.groups()
        if word is None:
            return match[0]
        meaning = glossary.meaning(word)
        if meaning in explained:
            return match[0]
        explained.add(meaning)
        term = make_term(word, meaning)
        return (
            f"<span class='whole'>{term}{mark}</span>" if mark else term
        )  # a line does not begin with a mark

    return pattern.sub(explain, escape(text, quote=False))
