"""Names as people type them: `MR2(axes=231)`, `BUSS3+E`, `DMV*yoshida4`; and the error for an
unknown name.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ..text.formatting import join_words, quote

LONGEST = 400
"""Characters of a name, with its options."""
FEW = 12
"""The most names that one sentence lists."""
NEAREST = 5

_CALL = re.compile(
    r"(?P<name>[^()+*]++)(?:\((?P<options>[^()]*+)\))?+\s*+(?P<energy>\+\s*+[Ee])?+\s*+(?:\*\s*+(?P<compose>[\w-]++))?+"
)


class Declared(Protocol):
    """What a module declares: a method, a problem, a quantity or a study."""

    @property
    def key(self) -> str:
        """Its name."""

    @property
    def module(self) -> str:
        """The module that declares it: `__main__` in a notebook, the path of a plugin."""


class OfSpace(Declared, Protocol):
    """What belongs to one space."""

    @property
    def space(self) -> str:
        """A key of `engine.text.SPACES`."""


Place = TypeVar("Place", bound=Hashable)
_tables: list[dict[Any, Any]] = []
_registries: list[dict[Any, Any]] = []
_announced: list[Callable[[], object]] = []


def new_table() -> dict[Any, Any]:
    """Return an empty registry, which `restore_tables` can restore."""
    _tables.append({})
    return _tables[-1]


def new_registry() -> dict[Any, Any]:
    """Return an empty table of one kind of what modules declare."""
    _registries.append(new_table())
    return _registries[-1]


loaded_files: dict[Path, Callable[[], object]] = new_table()
"""The plugin files of this process, each with a call that loads it in another process."""


def list_declared(module: str) -> list[Declared]:
    """Return what a module has declared, of every kind."""
    return [one for table in _registries for one in table.values() if one.module == module]


def announce_plugins(load: Callable[[], object]) -> None:
    """Let `load` declare more, once, when a name is unknown or when all of a kind are listed."""
    _announced.append(load)


def load_announced() -> None:
    """Load what was announced."""
    while _announced:
        _announced.pop()()  # removed first, because what is loaded may look up a method


def find_declaring_module() -> str:
    """Return the module that declares something now: the nearest that runs, or whose function does,
    outside the engine's own functions.
    """
    own = __name__.partition(".")[0]
    frame = inspect.currentframe()
    while frame is not None:
        name = str(frame.f_globals.get("__name__", "__main__"))
        if frame.f_code.co_name == "<module>" or name.partition(".")[0] != own:
            return name
        frame = frame.f_back
    return "__main__"


def check_owner(owner: Declared | None, name: str, declared: Declared) -> None:
    """Refuse a name of what another module declares; what a module declares again is replaced."""
    if owner is not None and (owner.key, owner.module) != (declared.key, declared.module):
        raise ValueError(f"the name {name!r} belongs to {owner.key} of {owner.module} already")


def claim_names(by_name: dict[Place, Any], names: Mapping[Place, str], declared: OfSpace) -> None:
    """Enter what is declared at the places of its names, instead of what it replaces."""
    for place, name in names.items():
        check_owner(by_name.get(place), name, declared)
    own = declared.space, declared.key
    for place in [place for place, owner in by_name.items() if (owner.space, owner.key) == own]:
        del by_name[place]
    by_name.update(dict.fromkeys(names, declared))


@contextmanager
def restore_tables() -> Iterator[None]:
    """Restore every registry after the block."""
    before = [dict(one) for one in _tables]
    try:
        yield
    finally:
        for one, entries in zip(_tables, before, strict=False):
            one.clear()
            one.update(entries)


def parse_name(text: str) -> tuple[str, dict[str, str], bool, str | None]:
    """Split a name into the name itself, its options, whether `+E` follows, and the composition
    after `*`.
    """
    # A name may itself contain a star or brackets (LIEMID[E1], LGVI*yoshida4), so only what matches
    # is split.
    match = (
        _CALL.fullmatch(" ".join(_check_length(text).split())) if isinstance(text, str) else None
    )
    if match is None:
        raise ValueError(
            f"{quote(text)} is not a name; write it like MR2, MR2(axes=231) or BUSS3+E"
        )
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in (match["options"] or "").split(","))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ValueError(f"in {quote(text)} the option {quote(part)} should read name=value")
        if fold(key) in map(fold, options):
            raise ValueError(f"in {quote(text)} the option {key.strip()} is given twice")
        options[key.strip()] = value.strip()
    return match["name"].rstrip(), options, match["energy"] is not None, match["compose"]


def split_names(text: str) -> list[str]:
    """Split a list of names at the commas outside brackets."""
    names = []
    begin = 0
    depth = 0
    for place, character in enumerate(f"{text},"):
        depth += (character == "(") - (character == ")")
        if character == "," and (depth == 0 or place == len(text)):
            names.append(text[begin:place].strip())
            begin = place + 1
    return list(filter(None, names))


def fold(name: str) -> str:
    """Normalise a name: case, spaces and underscores do not matter."""
    return _folded(_check_length(name))


@functools.lru_cache(maxsize=2048)
def _folded(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip()).casefold()


def match_name(name: str, known: Collection[str]) -> str:
    """Return the known name with this spelling, or else the only one that is equal after
    normalisation.

    If there is none, or several, return the name unchanged.
    """
    if name in known or len(name) > LONGEST:
        return name
    alike = [one for one in known if fold(one) == fold(name)]
    return alike[0] if len(alike) == 1 else name


def match_names(given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the values under the matching known names; `ValueError` if one is given twice."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        key = match_name(name, known)
        if key in found:
            raise ValueError(f"{key} is given twice")
        found[key] = value
    return found


def _check_length(name: str) -> str:
    """Return the name, unless it is too long."""
    if len(name) > LONGEST:
        raise ValueError(
            f"a name has at most {LONGEST} characters; got {len(name):,}, beginning with {name[:20]!r}"
        )
    return name


def unknown_name(kind: str, name: str, known: Iterable[str], keys: Iterable[str]) -> ValueError:
    """Return the error for an unknown name: it lists all keys if they are few, or the nearest
    names.

    Names that begin with the given one come first, such as RK4-QUAT for RK4, then the most similar
    ones.
    """
    given = fold(name)
    spellings = {fold(k): k for k in known}
    begun = [k for k in spellings if given and k.startswith(given)]
    begun.sort(key=lambda k: (not k[len(given) :].startswith("-"), len(k)))
    like = difflib.get_close_matches(given, spellings, n=NEAREST, cutoff=0.5)
    near = list(dict.fromkeys([*begun, *like]))[:NEAREST]
    everything = list(keys)
    if not near and len(everything) <= FEW:
        return ValueError(f"there is no {kind} {quote(name)}; there are {join_words(everything)}")
    near = near or difflib.get_close_matches(given, spellings, n=NEAREST, cutoff=0.0)
    verb = "the nearest name is" if len(near) == 1 else "the nearest names are"
    return ValueError(
        f"there is no {kind} {quote(name)}; {verb} {', '.join(spellings[k] for k in near)}"
    )
