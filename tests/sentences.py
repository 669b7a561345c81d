"""The length of generated sentences."""

from __future__ import annotations

import re

LONGEST = 22
"""Words of the longest sentence."""


def find_long_sentences(text: str) -> list[str]:
    """Return the sentences of a text with too many words; a method's label with its options counts
    as one.
    """
    plain = re.sub(r"\([^()]*=[^()]*\)", "", text)
    return [one for one in re.split(r"(?<=[.?!]) ", plain) if len(one.split()) > LONGEST]
