"""The methods that are chosen, each in its colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import engine

CHIPS = """
ul { list-style: none; margin: 0; padding: 0; }
li { display: flex; align-items: center; min-height: 27px; }
li b { flex: none; max-width: 75%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
li span { flex: 1; margin: 0 6px; opacity: .8; font-size: 12px; overflow: hidden; text-overflow: ellipsis; }
li span { white-space: nowrap; }
.sheet li button { border: 0; font-size: 16px; line-height: 1; padding: 3px 7px; }
"""
ROOM = "ul { min-height: 81px; }"
"""For three of them, so that nothing below moves when a third comes."""


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
