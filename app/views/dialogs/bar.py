"""The lab's bar: lessons, undo, redo, reset, lecture mode and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from ...asset_files import read_html
from .sheet import Sheet

UNDO = "M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4"
REDO = "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h4"
RESET = "M5 5v5h5M5.6 10A7.5 7.5 0 1 1 4.6 14"
LECTURE = "M3 5h18v11H3zM12 16v4M8 20h8"
HELP = "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.01"


class Bar(Sheet):
    """Buttons, a menu of lessons, and help, which describes the scene.

    `actions` has the functions of the requests "undo", "redo" and "reset", and of "lesson", which receives a key.
    """

    def __init__(self, actions: Mapping[str, Callable[..., Any]], lessons: Mapping[str, str], scene: str) -> None:
        self._actions = actions
        html = (
            f"<div class='tools'>{_lessons_html(lessons)}"
            f"{_icon_html('undo', UNDO, 'Undo (Ctrl+Z)')}{_icon_html('redo', REDO, 'Redo (Ctrl+Shift+Z)', 'wide')}"
            f"{_icon_html('reset', RESET, 'Reset to the problem of the source', 'wide')}"
            f"{_icon_html('lecture', LECTURE, 'Lecture mode (L)', 'wide', 'does')}"
            f"{_icon_html('', HELP, 'Help and keys (?)')}{read_html('help', SCENE=escape(scene))}</div>"
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


def _lessons_html(titles: Mapping[str, str]) -> str:
    entries = ({**titles, "own": "Your own lesson …"}).items()
    items = "".join(
        f"<button role='menuitem' id='lesson-{key}' data-ask='lesson' value='{key}' popovertarget='lessons' "
        f"popovertargetaction='hide'>{escape(title)}</button>"
        for key, title in entries
    )
    opens = "<button class='opens' popovertarget='lessons' aria-haspopup='menu'>Lessons</button>"
    return f"{opens}<div popover class='menu' id='lessons' role='menu' aria-label='Lessons'>{items}</div>"


def _icon_html(ask: str, path: str, words: str, style: str = "", kind: str = "ask") -> str:
    does = f"id='{ask}' data-{kind}='{ask}'" if ask else "id='open-help' popovertarget='help' aria-haspopup='dialog'"
    return (
        f"<button class='icon {style}' {does} title='{words}' aria-label='{words}'>"
        f"<svg viewBox='0 0 24 24' aria-hidden='true'><path d='{path}'/></svg></button>"
    )
