"""The chosen methods, each in its colour, and the field that adds more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import engine
from engine.algorithms import name_engines, name_method, name_methods, name_variants
from engine.text.formatting import finish_sentence

from ...asset_files import render_template
from ...state.pages import choice_lists
from .picker import Picker


def make_picker(on_choose: Callable[[str], Any], space: str = "so3", most: str = "") -> Picker:
    """Return a search for a method; `most` says how many there can be."""
    about = "type a key, a name, a family or another name."
    return Picker(
        on_choose,
        label="Methods",
        groups=choice_lists.list_methods(space),
        search=True,
        placeholder="Add one: key, name or family",
        about=f"{most}; {about}" if most else finish_sentence(about),
    )


def chips_html(labels: Sequence[str], colours: Iterable[str], space: str = "so3") -> str:
    """Return the chosen methods, each in its colour, with its name, its key and a button that
    removes it; options stand once, in the name or beside it.
    """
    chosen = []
    names = name_methods(labels, space=space)
    variants = name_variants(labels, space=space)
    for (label, name), colour in zip(names.items(), colours, strict=False):
        method = engine.algorithm(label, space=space)
        differs = name != name_method(label, space=space)
        key = label if not differs and label != name else method.key
        words = ": ".join(filter(None, [name_engines(method), method.name]))
        chosen.append((label, name, key, words, colour))
    return render_template("chosen-methods", chosen=chosen, variants=variants)
