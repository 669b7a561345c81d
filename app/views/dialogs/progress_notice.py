"""The progress of a computation, with a Stop button; and a page's heading with it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from .html_block import HtmlBlock

IN_VIEW = {"position": "sticky", "top": "-4px", "z-index": "16"}
"""Keeps the heading in view while something is computed, however far the page is scrolled."""
NOTHING_CAME = "Stopped before there was a result."
OLD_IS_SEEN = "Stopped. The page still shows the results of its title."


class ProgressNotice:
    """A progress bar and a Stop button, visible during a computation; `what` says what is
    computed.
    """

    def __init__(self, on_stop: Callable[[], Any], what: str) -> None:
        self._what = what
        self._on_stop = on_stop
        self._stopping = False
        self.panel = HtmlBlock(self._on_ask, style="progress", margin=0)

    def show_progress(self, done: float, words: str = "", count: str = "") -> None:
        """Show the part that is done, from 0 to 1, what is being done, and `count` in place of the
        percentage.
        """
        percent = round(100 * done)
        text = words or self._what
        if self._stopping:
            text = f"Stopping: {text[:1].lower()}{text[1:]}"
        disabled = " aria-disabled='true'" if self._stopping else ""
        self._show(
            f"{text} …",
            f"<progress max='100' value='{percent}' aria-label='Progress'></progress>"
            f"<span>{escape(count or f'{percent} %')}</span>"
            f"<button id='stop' data-ask='stop'{disabled}>Stop</button>",
        )

    def announce(self, words: str) -> None:
        """Show what is about to be computed, without a Stop button."""
        self._show(f"{words or self._what} …")

    def hide(self) -> None:
        """Hide the notice at the end of the computation."""
        self._stopping = False
        self._show()

    def _on_ask(self, what: str, _: str) -> None:
        if what == "stop":
            self._stopping = True
            self._on_stop()

    def _show(self, words: str = "", controls: str = "") -> None:
        self.panel.html = _status_html(words, controls)


def _status_html(words: str, controls: str) -> str:
    """Return a status, which screen readers read when it changes, with controls beside it."""
    shown = " class='under-way'" if words else ""
    return f"<div{shown}><p role='status'>{escape(words)}</p>{controls}</div>"


class Heading(ProgressNotice):
    """The title of what the page shows, and beside it the progress of what will replace it.

    `on_continue` is called when a visitor continues a computation that was stopped.
    """

    def __init__(
        self, on_stop: Callable[[], Any], what: str, on_continue: Callable[[], Any]
    ) -> None:
        self._title = ""
        self._status = ("", "")
        self._on_continue = on_continue
        super().__init__(on_stop, what)

    def set_title(self, title: str, setting: str = "") -> None:
        """Set the title of what the page shows."""
        self._title = escape(title) + (f" <small>{escape(setting)}</small>" if setting else "")
        self._update()

    def announce_state(self, words: str) -> None:
        """Say in words what became of the results that are shown, while nothing is computed."""
        self._show(words)

    def show_stopped(self, words: str) -> None:
        """Say that the computation was stopped, with a button to continue it."""
        self._stopping = False
        self._show(words, "<button id='again' data-ask='again'>Continue</button>")

    def _on_ask(self, what: str, value: str) -> None:
        if what == "again":
            self._on_continue()
        else:
            super()._on_ask(what, value)

    def _show(self, words: str = "", controls: str = "") -> None:
        self._status = words, controls
        self._update()

    def _update(self) -> None:
        self.panel.html = (
            f"<div class='title'><h1>{self._title}</h1>{_status_html(*self._status)}</div>"
        )
        styles = IN_VIEW if self._status[0] else {}
        if self.panel.styles != styles:
            self.panel.styles = styles
