"""A field that opens a list to choose from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from ...browser.component import Component


class Picker(Component):
    """A combobox with its listbox; `on_choose` receives the key of the entry that a person chooses.

    The field shows `value` alone, so that a refused choice changes nothing. Its list closes at the
    moment at which the page begins to draw the new choice: so it is small, closes at once, and
    sends the server nothing but the choice.
    """

    label = param.String(doc="The label of the field.")
    groups = param.List(doc="Groups of entries, as in `choice_lists`.")
    value = param.String(default="", doc="The key of the chosen entry; none in a search.")
    search = param.Boolean(default=False, doc="Whether a text finds entries by any of their words.")
    placeholder = param.String(default="", doc="The text of an empty search.")
    about = param.String(default="", doc="The purpose of the field.")
    wrong = param.String(default="", doc="The reason why a choice was refused, if so.")

    script = "controls/picker.js"
    shared_styles = ("field", "picker")

    def __init__(self, on_choose: Callable[[str], Any], **params: Any) -> None:
        super().__init__(**({"sizing_mode": "stretch_width", "margin": (8, 12, 4, 12)} | params))
        self._on_choose = on_choose

    def _receive(self, data: Any) -> None:
        chosen = data.get("pick") if isinstance(data, dict) else None
        for key in (entry[0] for _, entries in self.groups for entry in entries):
            if key == chosen:
                self._on_choose(key)
