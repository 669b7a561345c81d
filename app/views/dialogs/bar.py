"""The lab's bar: lessons, undo, redo, reset, lecture mode and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...asset_files import render_template
from ...state.lessons import list_outlines
from .html_block import HtmlBlock

OWN_LESSONS = {"file": "Open a lesson file …", "draft": "Write a lesson"}
"""Entries of the menu of lessons beside the included ones."""


class Bar(HtmlBlock):
    """Buttons, a menu of lessons, and help, which describes the scene. Lessons on another space
    than the page's are links.

    `actions` has the functions of the requests "undo", "redo" and "reset", and of "lesson", which
    receives a key.
    """

    def __init__(self, actions: Mapping[str, Callable[..., Any]], space: str, scene: str) -> None:
        self._actions = actions
        html = render_template(
            "bar",
            lessons=list_outlines(),
            here=list_outlines(space),
            own=OWN_LESSONS,
            scene=scene,
        )
        super().__init__(self._run_action, style="menu toolbar", html=html)
        self.sizing_mode = None

    def _run_action(self, name: str, value: str) -> None:
        try:
            if name == "lesson":
                self._actions[name](value)
            elif name in self._actions:
                self._actions[name]()
        finally:
            self.acknowledge()
