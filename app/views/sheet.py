"""A piece of HTML that a page shows, with controls in it that copy, save, or ask the server for something.

What is shown is made on the server and put in as it is, so whatever goes into it must be escaped there. Controls are
plain buttons and inputs with these attributes:

- `data-copy="name"` copies the text of that name; with `data-absolute` it is a query, and becomes the page's address.
- `data-save="name"` saves the text under the file name `data-file`.
- `data-does="name"` has the page do something of its own, as lecture.js has it.
- `data-ask="name"` asks the server; so does a radio button, with its name and value.

A popover opens below its button, or in the middle if it is a dialog; arrows go through the buttons of a menu.

The server may answer with a file to save, of which a drawing of the type image/png becomes pixels, or with a sentence
to say. New HTML keeps the focus, what is unfolded and how far it is scrolled, of all that has an id; an element with
`autofocus` gets the focus.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import param

from ..bundle import ASSETS, fetched, rules
from ..component import Component


class Sheet(Component):
    """HTML with controls (see above); `asked` is called with the name and the value of what a control asks for.

    `style` names files of `assets/styles`, apart by spaces, besides that of all sheets.
    """

    html = param.String(default="", doc="What is shown.")
    texts = param.Dict(default={}, doc="What can be copied or saved, by name.")

    _bundle = ASSETS / "sheet.js"
    _stylesheets: ClassVar = [fetched("sheet")]

    def __init__(self, asked: Callable[[str, str], Any] | None = None, style: str = "", **params: Any) -> None:
        super().__init__(stylesheets=[rules(*style.split())] if style else [], sizing_mode="stretch_width", **params)
        self._asked = asked

    def _handle_msg(self, data: Any) -> None:
        if self._asked is not None and isinstance(data, dict):
            self._asked(str(data.get("ask")), str(data.get("value")))

    def save(self, name: str, content: bytes | str, kind: str) -> None:  # type: ignore[override]
        """Have the visitor's browser save a file."""
        carried = {"bytes": content} if isinstance(content, bytes) else {"text": content}
        self._send_msg({"save": name, "type": kind} | carried)

    def answer(self) -> None:
        """What was asked for has been done, and nothing comes of it here."""
        self._send_msg({})

    def toggle(self, name: str) -> None:
        """Open the popover of this id, or close it."""
        self._send_msg({"toggle": name})

    def say(self, text: str) -> None:
        """Tell the visitor something, where the HTML has a place for it (`data-said`) and to screen readers."""
        self._send_msg({"say": text})


def caption(height: int) -> Sheet:
    """A place for words under a picture, at least this high; new words lay out no more than themselves."""
    return Sheet(style="caption", styles={"min-height": f"{height}px"}, margin=0)
