"""The lab's bar: lessons, undo, redo, reset, lecture mode and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from .sheet import Sheet

KEYS = {
    "<kbd>?</kbd>": "this help",
    "<kbd>L</kbd>": "lecture mode: the whole screen, in large type",
    "<kbd>Ctrl+P</kbd>": "print on one page",
    "<kbd>Ctrl+Z</kbd> <kbd>Ctrl+Shift+Z</kbd>": "undo, redo",
    "<kbd>Space</kbd>": "play and pause, with the scene in focus",
    "<kbd>T</kbd>": "tones there, on or off: each method's energy error as a pitch",
    "<kbd>←</kbd> <kbd>→</kbd> <kbd>Home</kbd> <kbd>End</kbd>": "step by step there, to the start, to the end",
    "drag, double click": "turn the scene; restore the view",
    "<kbd>Ctrl</kbd>+wheel": "zoom, in scene and plots; without Ctrl in a scene that you have clicked",
    "click, or drag the dashed line": "in a plot: go to this time; a double click ends a zoom",
    "<kbd>Alt</kbd>+wheel": "over a plot: change Δt",
    "<kbd>R</kbd>+drag": "turn the body, R₀, if a torque acts; for Ω₀, drag the ring on the |Π| sphere",
}

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
            f"{_icon_html('', HELP, 'Help and keys (?)')}{_help_html(scene)}</div>"
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


def _help_html(scene: str) -> str:
    keys = "".join(f"<tr><th scope='row'>{key}</th><td>{does}</td></tr>" for key, does in KEYS.items())
    return (
        "<div popover class='help' id='help' role='dialog' aria-labelledby='help-title'>"
        "<h2 id='help-title'>Polhode in three steps<button autofocus popovertarget='help' popovertargetaction='hide' "
        "aria-label='Close' title='Close'>×</button></h2><ol>"
        "<li><b>Choose</b> a problem and up to four methods on the left, and drag Δt. The whole page follows."
        "<li><b>Compare</b> what each method conserves and loses: in the plots, in the table below them, and in "
        f"the scene, {escape(scene)}."
        "<li><b>Export</b> a link, the same runs in Python, the data, or a page to show offline."
        f"</ol><table aria-label='Keys'>{keys}</table></div>"
    )
