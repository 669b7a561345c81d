"""What is seen while something is computed: what it is, how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from .sheet import Sheet

IN_VIEW = {"position": "sticky", "top": "-4px", "z-index": "16"}
"""It stays in view while something is under way, however far the page is scrolled."""


class Working:
    """A bar and a Stop button, there as long as they are of use; `what` are words for what is done meanwhile."""

    def __init__(self, stop: Callable[[], Any], what: str = "") -> None:
        self._what, self._stop = what, stop
        self._stopping = False
        self.panel = Sheet(self._asked, style="working", margin=0)

    def tell(self, done: float, words: str = "", far: str = "") -> None:
        """Of all that there is to do, this part is done; `words` say what is done just now, `far` how far it is."""
        percent = round(100 * done)
        said = words or self._what
        if self._stopping:
            said = f"Stopping: {said[:1].lower()}{said[1:]}"
        self._show(
            f"{said} …",
            f"<progress max='100' value='{percent}' aria-label='Progress'></progress>"
            f"<span>{escape(far or f'{percent} %')}</span>"
            f"<button id='stop' data-ask='stop'{' disabled' if self._stopping else ''}>Stop</button>",
        )

    def announce(self, words: str) -> None:
        """What is about to be done, in words or as always: until it is begun there is nothing to stop."""
        self._show(f"{words or self._what} …")

    def hide(self) -> None:
        """It has ended."""
        self._stopping = False
        self._show()

    def _asked(self, what: str, _: str) -> None:
        if what == "stop":
            self._stopping = True
            self._stop()

    def _show(self, words: str = "", controls: str = "") -> None:
        self.panel.html = _under_way(words, controls)


def _under_way(words: str, controls: str) -> str:
    """Words, which are read out when they change, and what is beside them."""
    seen = " class='under-way'" if words else ""
    return f"<div{seen}><p role='status'>{escape(words)}</p>{controls}</div>"


NOTHING_CAME = "Stopped before there was anything to see."
OLD_IS_SEEN = "Stopped. What is seen is still what its title says."


class Heading(Working):
    """The title of what is shown, and beside it what is computed to take its place.

    `again` is called when a visitor wants what was stopped after all.
    """

    def __init__(self, stop: Callable[[], Any], what: str, again: Callable[[], Any]) -> None:
        self._title, self._said = "", ("", "")
        self._again = again
        super().__init__(stop, what)

    def name(self, title: str, setting: str = "") -> None:
        """What is shown is this."""
        self._title = escape(title) + (f" <small>{escape(setting)}</small>" if setting else "")
        self._put()

    def left(self, words: str) -> None:
        """It was stopped; these words say before what."""
        self._stopping = False
        self._show(words, "<button id='again' data-ask='again'>Go on</button>")

    def _asked(self, what: str, value: str) -> None:
        if what == "again":
            self._again()
        else:
            super()._asked(what, value)

    def _show(self, words: str = "", controls: str = "") -> None:
        self._said = words, controls
        self._put()

    def _put(self) -> None:
        self.panel.html = f"<div class='title'><h1>{self._title}</h1>{_under_way(*self._said)}</div>"
        styles = IN_VIEW if self._said[0] else {}
        if self.panel.styles != styles:
            self.panel.styles = styles
