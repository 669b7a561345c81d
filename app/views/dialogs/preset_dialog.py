"""The dialog Presets: settings in groups, with pictures and descriptions, found by a search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

import engine

from ...browser.component import Component
from ...charts.thumbnails import SIZE, Strokes, load_thumbnails
from ...state.labs import Lab

Entry = tuple[str, str, str, str, Strokes]
"""A setting: its key, title, description, further words for the search, and picture."""
PROBLEM = "problem "
"""The beginning of the keys of problems."""


def list_presets(lab: Lab) -> dict[str, list[Entry]]:
    """Return the presets in their groups, the problems, and a random setting."""
    groups: dict[str, list[Entry]] = {}
    pictures = load_thumbnails()
    for preset in lab.presets:
        if not preset.is_listed:
            continue
        entry = (
            preset.key,
            preset.title,
            str(preset.sentence),
            preset.words,
            pictures[preset.key],
        )
        groups.setdefault(preset.heading, []).append(entry)
    for problem in engine.problems(lab.space):
        entry = PROBLEM + problem.key, problem.name, str(problem.summary), problem.words, ()
        groups.setdefault("Problems, as in their sources", []).append(entry)
    groups["Random"] = [
        ("", "Surprise me", "A random body, with random methods and a random step.", "", ())
    ]
    return groups


class PresetDialog(Component):
    """A button with a dialog, whose contents the browser requests first; `on_choose` receives the
    key of a preset.
    """

    groups = param.List(default=[], doc="Groups of entries; empty until the browser requests them.")
    size = param.List(default=list(SIZE), doc="Width and height of the pictures, in their units.")

    script = "controls/presets.js"
    shared_styles = ("html-block",)
    own_styles = ("menu", "presets", "thumbnail")

    def __init__(self, lab: Lab, on_choose: Callable[[str], Any]) -> None:
        super().__init__(margin=0)
        self._lab = lab
        self._on_choose = on_choose

    def _receive(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        groups = list_presets(self._lab)
        if data.get("open") is True and not self.groups:
            self.groups = [
                [name, [list(entry) for entry in entries]] for name, entries in groups.items()
            ]
        for key in (entry[0] for entries in groups.values() for entry in entries):
            if key == data.get("pick"):
                self._on_choose(key)
