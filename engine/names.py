"""How people write names: `MR2(axes=231)`, `BUSS3+E`, `DMV*yoshida4`, and what to say when one is not known."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .wording import listed, quoted

LONGEST = 400
"""Characters of a name, with its options."""
FEW = 12
"""So many names are listed in one sentence."""
NEAREST = 5

_CALL = re.compile(
    r"(?P<name>[^()+*]++)(?:\((?P<options>[^()]*+)\))?+\s*+(?P<energy>\+\s*+[Ee])?+\s*+(?:\*\s*+(?P<compose>[\w-]++))?+"
)


_tables: list[dict[Any, Any]] = []


def table() -> dict[Any, Any]:
    """An empty table for what is declared under names."""
    _tables.append({})
    return _tables[-1]


@contextmanager
def put_back() -> Iterator[None]:
    """After the block every table is again what it was before it."""
    before = [dict(one) for one in _tables]
    try:
        yield
    finally:
        for one, entries in zip(_tables, before, strict=False):
            one.clear()
            one.update(entries)


def parsed(text: str) -> tuple[str, dict[str, str], bool, str | None]:
    """A written name's parts: name, options, whether `+E` follows, and the composition behind `*`."""
    # A name may itself contain a star or brackets (LIEMID[E1], LGVI*yoshida4), so only what matches is split.
    match = _CALL.fullmatch(" ".join(_short(text).split())) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"{quoted(text)} is not a name; write it like MR2, MR2(axes=231) or BUSS3+E")
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in (match["options"] or "").split(","))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ValueError(f"in {quoted(text)} the option {quoted(part)} should read name=value")
        if folded(key) in map(folded, options):
            raise ValueError(f"in {quoted(text)} the option {key.strip()} is given twice")
        options[key.strip()] = value.strip()
    return match["name"].rstrip(), options, match["energy"] is not None, match["compose"]


def split_names(text: str) -> list[str]:
    """Names with commas between them, where a name may have commas in its brackets."""
    names, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return [name.strip() for name in names if name.strip()]


def folded(name: str) -> str:
    """What two spellings of one name have in common: case, spaces and underscores do not matter."""
    return _folded(_short(name))


@functools.lru_cache(maxsize=2048)
def _folded(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip()).casefold()


def meant(name: str, known: Collection[str]) -> str:
    """The known name that was meant: the one written so, or else the only one that differs in spelling alone.

    If there is none, or several, it is the name as it was given.
    """
    if name in known or len(name) > LONGEST:
        return name
    alike = [one for one in known if folded(one) == folded(name)]
    return alike[0] if len(alike) == 1 else name


def under_known_names(given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """What was given, under the names that were meant; refused if one of them is given twice."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        key = meant(name, known)
        if key in found:
            raise ValueError(f"{key} is given twice")
        found[key] = value
    return found


def _short(name: str) -> str:
    """The name, refused if nobody can have meant it."""
    if len(name) > LONGEST:
        raise ValueError(f"a name has at most {LONGEST} characters; got {len(name):,}, beginning with {name[:20]!r}")
    return name


def unknown(kind: str, name: str, known: Iterable[str], keys: Iterable[str]) -> ValueError:
    """The error for a name that is not known: all keys if they are few, or the nearest names.

    Names that begin with what was given come first, as RK4-QUAT for RK4, then those most like it.
    """
    given = folded(name)
    spellings = {folded(k): k for k in known}
    begun = [k for k in spellings if given and k.startswith(given)]
    begun.sort(key=lambda k: (not k[len(given) :].startswith("-"), len(k)))
    like = difflib.get_close_matches(given, spellings, n=NEAREST, cutoff=0.5)
    near = list(dict.fromkeys([*begun, *like]))[:NEAREST]
    everything = list(keys)
    if not near and len(everything) <= FEW:
        return ValueError(f"there is no {kind} {quoted(name)}; there are {listed(everything)}")
    near = near or difflib.get_close_matches(given, spellings, n=NEAREST, cutoff=0.0)
    verb = "the nearest name is" if len(near) == 1 else "the nearest names are"
    return ValueError(f"there is no {kind} {quoted(name)}; {verb} {', '.join(spellings[k] for k in near)}")
