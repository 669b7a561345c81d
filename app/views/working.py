"""What is seen while something is computed: what it is, how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from .sheet import Sheet

UNDER_WAY = """
.under-way { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 8px 12px; font-variant-numeric: tabular-nums; }
.under-way p { margin: 0; }
"""  # noqa: E501
PROGRESS = "progress { flex: 1; width: 100%; min-width: 60px; height: 8px; accent-color: var(--accent); }"
TITLE = """
.title { display: flex; flex-wrap: wrap; align-items: center; gap: 0 16px; min-height: 36px; padding: 0 8px; background: var(--panel-surface-color, transparent); }
h1 { font-size: 16px; font-weight: 600; margin: 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
h1 small { font-size: 12px; font-weight: 400; margin-left: 10px; opacity: .8; }
.title .under-way { flex: 1 1 280px; max-width: 560px; padding: 2px 0; margin-left: auto; }
@media print { h1 { white-space: normal; } }
@media (max-width: 599px) {
  h1 { white-space: normal; }
  h1 small { display: block; margin: 0 0 4px; }
  .title .under-way { position: fixed; z-index: 30; inset: auto 8px 8px; max-width: none; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--panel-surface-color, Canvas); box-shadow: 0 4px 18px #0004; }
  .title p { flex: 1 0 100%; }
}
"""  # noqa: E501
IN_VIEW = {"position": "sticky", "top": "-4px", "z-index": "16"}
"""It stays in view while something is under way, however far the page is scrolled."""


class Working:
    """A bar and a Stop button, there as long as they are of use; `what` are words for what is done meanwhile."""

    def __init__(self, stop: Callable[[], Any], what: str = "") -> None:
        self._what, self._stop = what, stop
        self._stopping = False
        self.panel = Sheet(self._asked, style=UNDER_WAY + PROGRESS + self._style(), margin=0)

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

    def hide(self) -> None:
        """It has ended."""
        self._stopping = False
        self._show()

    def _asked(self, what: str, _: str) -> None:
        if what == "stop":
            self._stopping = True
            self._stop()

    def _style(self) -> str:
        return ""

    def _show(self, words: str = "", controls: str = "") -> None:
        self.panel.html = _under_way(words, controls)


def _under_way(words: str, controls: str) -> str:
    """Words, which are read out when they change, and what is beside them."""
    seen = " class='under-way'" if words else ""
    return f"<div{seen}><p role='status'>{escape(words)}</p>{controls}</div>"


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

    def left(self, empty: bool = False) -> None:
        """It was stopped before anything came of it; what was there before is seen, or the page is empty."""
        self._stopping = False
        self._show(
            "Stopped before there was anything to see."
            if empty
            else "Stopped. What is seen is still what its title says.",
            "<button id='again' data-ask='again'>Go on</button>",
        )

    def _asked(self, what: str, value: str) -> None:
        if what == "again":
            self._again()
        else:
            super()._asked(what, value)

    def _style(self) -> str:
        return TITLE

    def _show(self, words: str = "", controls: str = "") -> None:
        self._said = words, controls
        self._put()

    def _put(self) -> None:
        self.panel.html = f"<div class='title'><h1>{self._title}</h1>{_under_way(*self._said)}</div>"
        styles = IN_VIEW if self._said[0] else {}
        if self.panel.styles != styles:
            self.panel.styles = styles
