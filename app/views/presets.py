"""Settings to begin with, in a dialog: in groups, with pictures and with what there is to see, found by words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import param

from ..bundle import ASSETS, fetched, rules
from ..charts.pictures import SIZE, Strokes
from ..component import Component

Entry = tuple[str, str, str, str, Strokes]
"""A setting: its key, its title, what there is to see, words by which it is found besides, and its picture."""
Groups = Sequence[tuple[str, Sequence[Entry]]]


class Presets(Component):
    """A button with a dialog, for which a browser asks when it is first opened; `picked` is called with a key."""

    groups = param.List(default=[], doc="`Groups`; none until they are asked for.")
    size = param.List(default=list(SIZE), doc="Width and height of the pictures, in their units.")

    _bundle = ASSETS / "presets.js"
    _stylesheets: ClassVar = [fetched("sheet")]

    def __init__(self, offered: Callable[[], Groups], picked: Callable[[str], Any]) -> None:
        super().__init__(stylesheets=[rules("menu", "presets")], margin=0)
        self._offered, self._picked = offered, picked

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        if data.get("open") is True and not self.groups:
            self.groups = [[name, [list(entry) for entry in entries]] for name, entries in self._offered()]
        for key in (entry[0] for _, entries in self._offered() for entry in entries):
            if key == data.get("pick"):
                self._picked(key)
