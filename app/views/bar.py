"""What stands in the bar of the lab: lessons, undo, redo and reset, and help."""

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
    "<kbd>T</kbd>": "tones there, on and off: each method's energy error as a pitch",
    "<kbd>←</kbd> <kbd>→</kbd> <kbd>Home</kbd> <kbd>End</kbd>": "step by step, to the start, to the end",
    "drag, double click": "turn the scene, and back as it was",
    "<kbd>Ctrl</kbd>+wheel": "come nearer, in scene and plots; in a scene that was clicked, without Ctrl",
    "click, or drag the dashed line": "in a plot: go to this time; a double click also ends a zoom",
    "<kbd>Alt</kbd>+wheel": "over a plot: change Δt",
    "<kbd>R</kbd>+drag": "turn the body where a torque acts, R₀; Ω₀ is dragged on the |Π| sphere, by its ring",
}

UNDO = "M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4"
REDO = "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h4"
RESET = "M5 5v5h5M5.6 10A7.5 7.5 0 1 1 4.6 14"
LECTURE = "M3 5h18v11H3zM12 16v4M8 20h8"
HELP = "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.01"


class Bar(Sheet):
    """Buttons, lessons by their titles, and help, which says what can be `seen`.

    `acts` are called by their names: "undo", "redo", "reset", and "lesson" with its key.
    """

    def __init__(self, acts: Mapping[str, Callable[..., Any]], lessons: Mapping[str, str], seen: str) -> None:
        self._acts = acts
        html = (
            f"<div class='tools'>{_lessons(lessons)}"
            f"{_icon('undo', UNDO, 'Undo (Ctrl+Z)')}{_icon('redo', REDO, 'Redo (Ctrl+Shift+Z)', 'wide')}"
            f"{_icon('reset', RESET, 'Reset: the problem as its source has it', 'wide')}"
            f"{_icon('lecture', LECTURE, 'Lecture mode (L)', 'wide', 'does')}"
            f"{_icon('', HELP, 'Help and keys (?)')}{_help(seen)}</div>"
        )
        super().__init__(self._act, style="menu bar", html=html)
        self.sizing_mode = None

    def _act(self, name: str, value: str) -> None:
        try:
            if name == "lesson":
                self._acts[name](value)
            elif name in self._acts:
                self._acts[name]()
        finally:
            self.answer()


def _lessons(titles: Mapping[str, str]) -> str:
    entries = ({**titles, "own": "A lesson of your own …"}).items() if titles else ()
    items = "".join(
        f"<button role='menuitem' id='lesson-{key}' data-ask='lesson' value='{key}' popovertarget='lessons' "
        f"popovertargetaction='hide'>{escape(title)}</button>"
        for key, title in entries
    )
    opens = "<button class='opens' popovertarget='lessons' aria-haspopup='menu'>Lessons</button>"
    return (
        f"{opens}<div popover class='menu' id='lessons' role='menu' aria-label='Lessons'>{items}</div>"
        if items
        else ""
    )


def _icon(ask: str, path: str, words: str, more: str = "", kind: str = "ask") -> str:
    does = f"id='{ask}' data-{kind}='{ask}'" if ask else "id='open-help' popovertarget='help' aria-haspopup='dialog'"
    return (
        f"<button class='icon {more}' {does} title='{words}' aria-label='{words}'>"
        f"<svg viewBox='0 0 24 24' aria-hidden='true'><path d='{path}'/></svg></button>"
    )


def _help(seen: str) -> str:
    keys = "".join(f"<tr><th scope='row'>{key}</th><td>{does}</td></tr>" for key, does in KEYS.items())
    return (
        "<div popover class='help' id='help' role='dialog' aria-labelledby='help-title'>"
        "<h2 id='help-title'>Polhode in three steps<button autofocus popovertarget='help' popovertargetaction='hide' "
        "aria-label='Close' title='Close'>×</button></h2><ol>"
        "<li><b>Choose</b> a problem and up to four methods on the left, and drag Δt. Everything on the page follows."
        "<li><b>Look</b> at what each method keeps and what it loses: in the plots, in the table below them, and in "
        f"the scene, {escape(seen)}."
        "<li><b>Take it along</b>: a link, the same in Python, the data, or a page to show offline."
        f"</ol><table aria-label='Keys'>{keys}</table></div>"
    )
