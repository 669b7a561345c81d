"""A field that opens a list to choose from: one of it, or, by a search, another one each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import param

from ..bundle import ASSETS, fetched
from ..component import Component

Pickable = tuple[str, ...]
"""What can be picked: its key, its title, words below it, the lines of its picture, drawn 24 units wide, and perhaps
words by which a search finds it besides."""
Groups = Sequence[tuple[str, Sequence[Pickable]]]
"""Entries under the titles of their groups."""


class Picker(Component):
    """A combobox with its listbox; `picked` is called with the key of what a person picks.

    What is shown is `value` alone, so that a pick which is refused changes nothing. When the list closes, the answer
    to the pick is about to be drawn: so it is small, gone at once, and tells the server nothing but the pick.
    """

    label = param.String(doc="What is chosen.")
    groups = param.List(doc="`Groups`.")
    value = param.String(default="", doc="The key of what is chosen; none in a search.")
    search = param.Boolean(default=False, doc="Whether a text finds entries, by any of their words.")
    placeholder = param.String(default="", doc="What a search says as long as it is empty.")
    about = param.String(default="", doc="What it is for.")
    wrong = param.String(default="", doc="Why what was picked cannot be had, if so.")

    _bundle = ASSETS / "picker.js"
    _stylesheets: ClassVar = [fetched("field"), fetched("picker")]

    def __init__(self, picked: Callable[[str], Any], **params: Any) -> None:
        super().__init__(**({"sizing_mode": "stretch_width", "margin": (5, 10)} | params))
        self._picked = picked

    def _handle_msg(self, data: Any) -> None:
        picked = data.get("pick") if isinstance(data, dict) else None
        for key in (entry[0] for _, entries in self.groups for entry in entries):
            if key == picked:
                self._picked(key)
