"""The lab's bar: lessons, undo, redo, reset, lecture mode and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from itertools import starmap
from typing import Any

from ...asset_files import read_html
from .sheet import Sheet

OWN_LESSONS = {"file": "Open a lesson file …", "draft": "Write a lesson"}
"""Entries of the menu of lessons beside the included ones."""


class Bar(Sheet):
    """Buttons, a menu of lessons, and help, which describes the scene.

    `actions` has the functions of the requests "undo", "redo" and "reset", and of "lesson", which receives a key.
    """

    def __init__(self, actions: Mapping[str, Callable[..., Any]], lessons: Mapping[str, str], scene: str) -> None:
        self._actions = actions
        entries = "<hr>".join("".join(starmap(_entry_html, group.items())) for group in (lessons, OWN_LESSONS))
        html = read_html("bar", LESSONS=entries, HELP=read_html("help", SCENE=escape(scene)))
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


def _entry_html(key: str, title: str) -> str:
    return (
        f"<button role='menuitem' id='lesson-{key}' data-ask='lesson' value='{key}' popovertarget='lessons' "
        f"popovertargetaction='hide'>{escape(title)}</button>"
    )
