"""Faults of sentences that people read: too many words, and forms that were replaced."""

from __future__ import annotations

import re

LONGEST = 22
"""Words of the longest sentence."""
LONGEST_IN_DOCUMENTATION = 26
"""The same on pages of the documentation."""
RETIRED = {
    r"\|Π\| sphere|\b(Sphere|Paths) 2D\b": "Momentum sphere, From above, Paths",
    r"\|L\|": "momentum",
    r"\b[Ff]or drift\b|\bon free take\b|\bproblem of the source\b|\bas I see it\b": "a sentence in the lab's words",
    r"\b(is|was) in [\d.,]+ (ns|µs|ms|s)\b|\bwith it does within\b": "reaches an error in a time",
    r"\btimes its first\b|\b\d+ % more energy\b|\blost \d+ %": "86 % of the first energy",
    r"\bleaves \d+ % of\b|\b(loses|gains) [\d.]+ % of\b": "ends with 86 % of the first energy",
    r"10[⁰¹²³⁴⁵⁶⁷⁸⁹]{3} times\b": "blows up",
    r"\bspin with this energy\b|\bended with this energy\b": "energy fits a spin about",
    r"\bno drift, the energy from\b|\boff by more than all\b|\buntil numbers end\b|\bgoes off by\b": "drifts, blows up",
    r"\bof the ladder\b|\bin windows up to\b": "all steps tried; some larger steps work again",
    r"\bthe others reach \d|\bswings, by\b": "a sentence of its own",
    r"\bcounts give the table, except\b(?! for one misprint\.)|\bthe claim runs all\b": "the measured claim makes all",
    r"\bbut not when it should\b|\band they do not\b|\bwhich carries the acceleration\b": "two sentences",
    r"\bhas no colour\b|\beach \d+(st|nd|rd|th) state is drawn\b|\bTrails last\b": "captions with a subject and a verb",
    r"\bbalance of rates\b|\bleast order\b|\bcopies that part\b": "Euler's equations; copies that separate",
    r"\border \d\.\d\d ± \d": "order 2 in attitude, momentum and energy",
    r"\bwas run as\b|\bdoes without\b|; \S+ takes it\b|\bfinite; the run\b|\bbetween two heights\b": "one clause each",
    r"\w\(\w+…": "a short name, or what differs",
}
"""Forms that pages no longer use, and what they say instead."""


def find_long_sentences(text: str, longest: int = LONGEST) -> list[str]:
    """Return the sentences of a text with too many words; a method's label with its options counts
    as one.
    """
    plain = re.sub(r"\([^()]*=[^()]*\)", "", text)
    return [one for one in re.split(r"(?<=[.?!]) ", plain) if len(one.split()) > longest]


def list_paragraphs(page: str) -> list[str]:
    """Return the paragraphs and the items of lists of a page in Markdown, without the addresses of
    links; code, equations, tables, headings and directives are left out.
    """
    prose = re.sub(r"(?ms)^(```|~~~|\$\$|:::).*?^\1[^\n]*$", "", page)
    prose = re.sub(r"(?m)^(?:[|#:>]|<!--|\[\w+\]: ).*$", "", prose)
    found = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", re.sub(r"\]\([^)]*\)", "]", prose))
    return [" ".join(one.split()) for one in found if one.strip()]


def find_retired(text: str) -> list[str]:
    """Return the retired forms in a text, each with its surroundings and the better form."""
    flat = " ".join(text.split())
    return [
        f"{flat[max(0, at.start() - 30) : at.end() + 30]!r}, better: {better}"
        for form, better in RETIRED.items()
        for at in re.finditer(form, flat)
    ]


def find_faults(text: str) -> list[str]:
    """Return the sentences of a text that are too long, and its retired forms."""
    return find_long_sentences(text) + find_retired(text)
