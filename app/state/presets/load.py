"""Reads the presets from the TOML files of this folder.

A table `[[preset]]` has the attributes of `Preset`, except that

- `setting` has the arguments of `choice`; with `figure` it changes the setting of that figure of a
  paper;
- `view` has words of a link, and `paper` implies the group of the papers;
- `evidence` has the evidence for each part of the sentence in brackets, in their order: a function
  of `engine.text.evidence`, what it measures or declares, and its other arguments. Several pieces
  of evidence for one part form a list, and so do several methods. Without `on`, the setting of the
  preset itself is measured;
- `cases` repeats the table with values for the names in angle brackets; lists of cases are
  combined.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import engine.text
from engine.text import HERE, Evidence
from engine.text import sentence as prove

from ..view import View, parse_camera
from .preset import GROUPS, PAPERS, Preset, choice, of_figure

MEASURED = ("near", "measures", "times")
"""The functions of `engine.text.evidence` whose first argument is a quantity; that of most others
is the bodies.
"""
PLACE = re.compile(r"<(\w+)>")


def load_presets(*names: str) -> tuple[Preset, ...]:
    """The presets of these files, in the order of their groups."""
    texts = ((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8") for name in names)
    found = itertools.chain(*map(parse_presets, texts))
    return tuple(sorted(found, key=lambda one: (one.level or len(GROUPS), GROUPS.index(one.group))))


def parse_presets(text: str) -> Iterator[Preset]:
    """The presets of a text; a `ValueError` names the one at fault."""
    for table in tomllib.loads(text)["preset"]:
        try:
            yield from (make_preset(**case) for case in _repeat(table))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"preset {table.get('key')!r}: {error}") from error


def make_preset(
    *,
    key: str,
    sentence: str,
    group: str = PAPERS,
    figure: str = "",
    setting: Mapping[str, Any] = {},
    view: Mapping[str, str] = {},
    evidence: Iterable[Any] = (),
    **given: Any,
) -> Preset:
    """The preset of a table."""
    if group not in GROUPS:
        raise ValueError(f"there is no group {group!r}")
    words: dict[str, Any] = dict(view)
    words["camera"] = parse_camera(view.get("camera", "")) or ()
    return Preset(
        **given,
        key=key.replace("/", "-"),
        group=group,
        sentence=prove(sentence.strip(), *map(_read_proof, evidence)),
        figure=figure,
        choice=of_figure(figure, **setting) if figure else choice(**setting),
        view=View(**words),
    )


def _read_proof(entry: Any) -> tuple[Evidence, ...]:
    """The evidence for one part of a sentence."""
    if isinstance(entry, tuple):
        return tuple(itertools.chain(*map(_read_proof, entry)))
    (name, what), *rest = entry.items()
    given = dict(rest)
    make = getattr(engine.text, name)
    if name in MEASURED:
        make = partial(make, what, on=given.pop("on", HERE))
        of = given.pop("of")
    elif name in ("keeps", "declares"):
        make = partial(make, **what)
        of = given.pop("of")
    elif name == "loses":
        make = partial(make, *what)
        of = given.pop("of")
    else:
        make = partial(make, HERE)
        of = what
    proofs = (make(of=method, **given) for method in (of if isinstance(of, tuple) else (of,)))
    return tuple(itertools.chain(*(one if isinstance(one, tuple) else (one,) for one in proofs)))


def _repeat(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The table, once for each of its cases."""
    cases = table.get("cases", [{}])
    fields = {name: value for name, value in table.items() if name != "cases"}
    for combination in itertools.product(*(cases if isinstance(cases[0], list) else [cases])):
        yield _fill(fields, ChainMap(*combination))


def _fill(value: Any, case: Mapping[str, Any]) -> Any:
    """A value with those of a case for the names in angle brackets; a text that is only a name
    becomes its value.
    """
    if isinstance(value, dict):
        return {key: _fill(one, case) for key, one in value.items()}
    if isinstance(value, list):
        return tuple(_fill(one, case) for one in value)
    if not isinstance(value, str):
        return value
    if (whole := PLACE.fullmatch(value)) is not None:
        return _fill(case[whole[1]], case)
    return PLACE.sub(
        lambda name: found if isinstance(found := case[name[1]], str) else f"{found:g}", value
    )
