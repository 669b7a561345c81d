"""Words of the glossary in HTML: each a button that shows what it means when it is pointed at, focused or touched.

Whatever has `data-means` is such a word; `assets/terms.js` shows it.
"""

from __future__ import annotations

import re
from html import escape

from engine import glossary

_IN_TEXT = [re.escape(name) for name in sorted(glossary.names(), key=len, reverse=True) if len(name) > 4]
_WORDS = re.compile(rf"(?<![\w|])(?:{'|'.join(_IN_TEXT)})(?![\w|])", re.IGNORECASE)


def term(html: str, means: str) -> str:
    """A word, as HTML has it, with what it means; the word alone, if that is not known."""
    if not means:
        return html
    means = escape(means, quote=True)
    return f"<button type='button' class='term' data-means='{means}' aria-description='{means}'>{html}</button>"


def named(word: str) -> str:
    """A word by itself, with what the glossary says of it."""
    return term(escape(word), glossary.meaning(word))


def marked(text: str) -> str:
    """A text in which each word of the glossary is one where it comes first; symbols are left as they are."""
    met: set[str] = set()

    def shown(found: re.Match[str]) -> str:
        means = glossary.meaning(found[0])
        if means in met:
            return found[0]
        met.add(means)
        return term(found[0], means)

    return _WORDS.sub(shown, escape(text, quote=False))
