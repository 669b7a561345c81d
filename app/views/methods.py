"""The methods that are chosen, each in its colour, and what more are picked from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

import engine
from engine.wording import sentence

from . import lists
from .picker import Picker


def picker(picked: Callable[[str], Any], space: str = "so3", most: str = "") -> Picker:
    """A search for one more method, which tells how many there can be at `most`, if that is said."""
    about = "type a key, a name, a family or another name."
    return Picker(
        picked,
        label="Methods",
        groups=lists.methods(space),
        search=True,
        placeholder="Add one: key, name or family",
        about=f"{most}; {about}" if most else sentence(about),
    )


def chips(labels: Sequence[str], colours: Iterable[str], space: str = "so3") -> str:
    """The methods that are compared, each in its colour, with a button that removes it."""
    found = []
    for i, (label, colour) in enumerate(zip(labels, colours, strict=False)):
        name = escape(label, quote=True)
        words = escape(engine.algorithm(label, space=space).name, quote=True)
        remove = (
            f"<button id='remove-{i}' data-ask='remove' value='{name}' aria-label='Remove {name}'>×</button>"
            if len(labels) > 1
            else ""
        )
        dot = f"<i class='dot' style='background:{colour}'></i>"
        found.append(f"<li title='{words}'>{dot}<b>{name}</b><span>{words}</span>{remove}</li>")
    return f"<ul aria-label='Methods that are compared'>{''.join(found)}</ul>"
