"""Reads the presets from the TOML files of this folder.

A table `[[preset]]` has the attributes of `Preset`, except that

- `setting` has the arguments of `choice`; with `figure` it changes the setting of that figure of a paper;
- `view` has words of a link, and `paper` implies the group of the papers;
- `evidence` has the evidence for each part of the sentence in brackets, in their order: a function of
  `engine.text.evidence`, what it measures or declares, and its other arguments. Several pieces of evidence for one
  part form a list, and so do several methods. Without `on`, the setting of the preset itself is measured;
- `cases` repeats the table with values for the names in angle brackets; lists of cases are combined.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.text import evidence
from engine.text.evidence import HERE, Proof

from ..view import View, parse_camera
from .preset import GROUPS, PAPERS, Preset, choice, of_figure

MEASURED = ("near", "measures", "times")
"""The functions of `engine.text.evidence` whose first argument is a quantity; that of most others is the bodies."""
PLACE = re.compile(r"<(\w+)>")


def load_presets(*names: str) -> tuple[Preset, ...]:
    """The presets of these files, in the order of their groups."""
    texts = ((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8") for name in names)
    found = [make_preset(**table) for text in texts for table in _repeat(tomllib.loads(text)["preset"])]
    return tuple(sorted(found, key=lambda one: GROUPS.index(one.group)))


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
    words: dict[str, Any] = dict(view)
    words["camera"] = parse_camera(view.get("camera", "")) or ()
    return Preset(
        **given,
        key=key.replace("/", "-"),
        group=group,
        sentence=_prove(sentence.strip(), tuple(map(_read_proof, evidence))),
        choice=of_figure(figure, **setting) if figure else choice(**setting),
        view=View(**words),
    )


def _prove(sentence: str, proofs: tuple[Proof, ...]) -> str:
    return evidence.sentence(sentence, *proofs) if proofs else sentence


def _read_proof(entry: Any) -> Proof:
    """The evidence for one part of a sentence."""
    if isinstance(entry, list):
        return tuple(one for each in entry for one in _as_tuple(_read_proof(each)))
    (name, what), *rest = entry.items()
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in rest}
    methods = what if name not in ("keeps", "loses", "declares", *MEASURED) else given.get("of", "")
    if isinstance(methods, list | tuple):
        first = "of" if name in MEASURED or "of" in given else name
        return tuple(one for m in methods for one in _as_tuple(_read_proof(entry | {first: m})))
    prove = getattr(evidence, name)
    if name in MEASURED:
        return prove(what, **{"on": HERE} | given)
    if name in ("keeps", "declares"):
        return prove(
            **{key: tuple(value) if isinstance(value, list) else value for key, value in what.items()}, **given
        )
    return prove(*what, **given) if name == "loses" else prove(HERE, of=what, **given)


def _as_tuple(proof: Proof) -> tuple[evidence.Evidence, ...]:
    return proof if isinstance(proof, tuple) else (proof,)


def _repeat(tables: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The tables, those with cases once for each."""
    for table in tables:
        cases = table.pop("cases", [{}])
        for combination in itertools.product(*(cases if isinstance(cases[0], list) else [cases])):
            yield _fill(table, ChainMap(*combination))


def _fill(value: Any, case: Mapping[str, Any]) -> Any:
    """A value with those of a case for the names in angle brackets; a text that is only a name becomes its value."""
    if isinstance(value, dict):
        return {key: _fill(one, case) for key, one in value.items()}
    if isinstance(value, list):
        return [_fill(one, case) for one in value]
    if not isinstance(value, str) or not case:
        return value
    if (whole := PLACE.fullmatch(value)) is not None:
        return case[whole[1]]
    return PLACE.sub(lambda name: f"{case[name[1]]:g}" if _is_number(case[name[1]]) else str(case[name[1]]), value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)
