"""The chosen methods, each in its colour, and the field that adds more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

import engine
from engine.algorithms import name_engines
from engine.text.formatting import finish_sentence

from ...state.topics import choice_lists
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
    """Return the chosen methods, each in its colour, with the engines that use it and a button that removes it."""
    items = []
    for i, (label, colour) in enumerate(zip(labels, colours, strict=False)):
        name = escape(label, quote=True)
        method = engine.algorithm(label, space=space)
        engines = name_engines(method)
        words = escape(f"{engines}: {method.name}" if engines else method.name, quote=True)
        remove = (
            f"<button id='remove-{i}' data-ask='remove' value='{name}' aria-label='Remove {name}'>×</button>"
            if len(labels) > 1
            else ""
        )
        dot = f"<i class='dot' style='background:{colour}'></i>"
        items.append(f"<li title='{name}, {words}'>{dot}<b>{name}</b><span>{words}</span>{remove}</li>")
    return f"<ul aria-label='Chosen methods'>{''.join(items)}</ul>"
