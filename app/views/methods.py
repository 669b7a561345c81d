"""The methods that are chosen, each in its colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import engine


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
