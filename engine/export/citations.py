"""Citations: the BibTeX of methods, problems and compositions, and of Polhode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_lowercase

from ..algorithms.core import LOW_STORAGE, TABLEAUX, Method, all_methods, find_method
from ..parameters.names import fold, parse_name, unknown_name
from ..problems.problem import AnyProblem, all_problems, find_problem
from ..simulation import AnyRun, find_version, run_actions
from ..text.bibliography import bibtex


@dataclass(frozen=True)
class Entry:
    """One BibTeX entry, with its fields by lower-case names."""

    kind: str
    key: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        width = max(map(len, self.fields), default=0)
        lines = [f"  {name:{width}} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


_HEAD = re.compile(r"@(\w+)\s*\{\s*([^\s,{}]+)\s*")
_FIELD = re.compile(r"\s*,\s*(\w+)\s*=\s*")
_END = re.compile(r"[\s,]*\}\s*")


def parse_entries(bibtex: str) -> list[Entry]:
    """The entries of a BibTeX text; `ValueError` if it is not well formed."""
    found = []
    rest = bibtex.strip()
    while rest:
        head = _HEAD.match(rest)
        if head is None:
            raise ValueError(
                f"BibTeX begins like @article{{Key2000, author = {{…}}, …}}; got {rest[:40]!r}"
            )
        kind = head[1].lower()
        key = head[2]
        fields: dict[str, str] = {}
        at = head.end()
        while field := _FIELD.match(rest, at):
            value, at = _parse_value(rest, field.end())
            fields[field[1].lower()] = " ".join(value.split())
        end = _END.match(rest, at)
        if end is None or not fields:
            raise ValueError(f"the BibTeX entry {key} is not well formed at {rest[at : at + 40]!r}")
        found.append(Entry(kind, key, fields))
        rest = rest[end.end() :]
    return found


def _parse_value(text: str, at: int) -> tuple[str, int]:
    """A field's value without its braces or quotes, and its end; a bare word or number has none."""
    bare = re.compile(r"\w*").match(text, at)
    if bare and bare[0]:
        return bare[0], bare.end()
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        closes = "}" if text[at] == "{" else '"'
        if depth == 0 and text[i] == closes and i > at:
            return text[at + 1 : i], i + 1
    return "", at


LETTERS = {r"\o": "ø", r"\O": "Ø", r"\ss": "ß", r"\ae": "æ", r"\aa": "å", r"\l": "ł", r"\i": "i"}
ACCENTS = {
    '"': "\u0308",
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    "c": "\u0327",
    "v": "\u030c",
}


def parse_bibtex(tex: str) -> str:
    """The text of a BibTeX field."""
    for written, letter in LETTERS.items():
        tex = re.sub(rf"{re.escape(written)}(?![a-zA-Z])\s*", letter, tex)
    tex = re.sub(r"""\\(["'`^~]|[cv](?=[{\s]))\s*\{?(\w)\}?""", lambda m: m[2] + ACCENTS[m[1]], tex)
    tex = tex.replace("---", " – ").replace("--", "–").replace("~", " ").replace(r"\&", "&")
    return unicodedata.normalize("NFC", re.sub(r"[{}]", "", tex))


def list_authors(entry: Entry) -> str:
    """The authors of an entry, with first names first."""
    people = (one.partition(", ") for one in parse_bibtex(entry.fields["author"]).split(" and "))
    return ", ".join(f"{first} {last}".strip() for last, _, first in people)


def find_cited(text: str, space: str | None = None) -> Method | AnyProblem:
    """The method or the problem of this name; `space` chooses between two methods of one name.

    Case decides between a method and a problem: CONING and coning.
    """
    written = {text}
    with suppress(ValueError):
        written.add(parse_name(text)[0])
    names = set(map(fold, written))
    known_methods = all_methods(None)
    known_problems = all_problems(None)
    methods = [name for method in known_methods for name in (method.key, *method.aliases)]
    problems = [name for problem in known_problems for name in (problem.key, *problem.aliases)]
    is_problem = bool(written & set(problems)) and not written & set(methods)
    if names & set(map(fold, methods)) and not is_problem:
        return find_method(text, space=space)
    if names & set(map(fold, problems)):
        return find_problem(text)
    keys = [method.key for method in known_methods] + [problem.key for problem in known_problems]
    raise unknown_name("method or problem", text, methods + problems, keys)


@run_actions.register
def cite(*what: AnyRun | Method | AnyProblem | str) -> str:
    """The BibTeX of runs, methods and problems, sorted by keys, each entry once, with Polhode's
    own.

    For a run these are the sources of its problem and its method, with the composition, the energy
    correction and the tableau. Names are those of methods and problems: `engine.cite("slow-top",
    "BUSS3+E")`.
    """
    found: dict[str, Entry] = {}
    for origin, text in _list_references(*what):
        try:
            listed = parse_entries(text)
        except ValueError as error:
            raise ValueError(f"the reference of {origin} cannot be cited: {error}") from error
        for entry in listed:
            for key in (entry.key, *(f"{entry.key}{letter}" for letter in ascii_lowercase)):
                known = found.setdefault(key, Entry(entry.kind, key, entry.fields))
                if known.fields == entry.fields:
                    break
    return "\n\n".join(str(found[key]) for key in sorted(found, key=str.lower))


def _list_references(*what: AnyRun | Method | AnyProblem | str) -> Iterator[tuple[str, str]]:
    """The origin of each reference, and its BibTeX."""
    for one in what:
        thing = find_cited(one) if isinstance(one, str) else one
        if isinstance(thing, AnyRun):
            yield from _list_method_references(thing.method)
            yield thing.problem.label, thing.problem.reference
            yield "Polhode", _write_software_entry(thing.provenance.get("polhode"))
        elif isinstance(thing, Method):
            yield from _list_method_references(thing)
        else:
            yield thing.label, thing.reference
    if not any(isinstance(one, AnyRun) for one in what):
        yield "Polhode", _write_software_entry(None)


def _list_method_references(method: Method) -> Iterator[tuple[str, str]]:
    yield method.label, method.reference
    if method.energy_correction:
        yield "the energy correction", bibtex("Buss2000")
    tableau = (TABLEAUX | LOW_STORAGE).get(str(method.option_values().get("tableau")))
    yield "the tableau", tableau.source if tableau else ""


def _write_software_entry(used: str | None) -> str:
    """The entry of this program in the version used."""
    used = used or find_version()
    version = f"version = {{{used}}}, " if used and used[0].isdigit() else ""
    return f"""@software{{Polhode,
  author = {{{{The Polhode authors}}}},
  title  = {{Polhode: how time integrators treat a rotating rigid body}},
  {version}year = {{2026}}}}"""
