"""HTML with controls in it that copy or save a text, or send a request to the server.

The server makes the HTML, and the browser inserts it unchanged, so that the server must escape all
texts in it. Controls are plain buttons and inputs with these attributes:

- `data-copy="name"` copies the text of that name; with `data-absolute` the text is a query, which
  becomes the page's address.
- `data-save="name"` saves the text under the file name `data-file`.
- `data-does="name"` starts an action of the page's own scripts, such as lecture mode.
- `data-ask="name"` sends a request to the server; so does a radio button, with its name and value.

A popover opens below its button, or in the middle if it is a dialog; arrow keys move among the
buttons of a menu.

The server may answer with a file to save, of which the browser turns a drawing of type image/png
into pixels, or with a message. New HTML keeps the focus, open details and scroll positions of
elements with an id; an element with `autofocus` receives the focus, and one with `data-near`
comes into view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from ...asset_files import read_styles
from ...browser.component import Component


class HtmlBlock(Component):
    """HTML with controls (see above); `on_ask` receives the name and the value of a request.

    `style` names files of `assets/styles`, separated by spaces, besides that of all blocks.
    """

    html = param.String(default="", doc="The HTML.")
    texts = param.Dict(default={}, doc="Texts to copy or save, by name.")

    script = "controls/html-block.js"
    shared_styles = ("html-block",)

    def __init__(
        self, on_ask: Callable[[str, str], Any] | None = None, style: str = "", **params: Any
    ) -> None:
        super().__init__(
            stylesheets=[read_styles(*style.split())] if style else [],
            sizing_mode="stretch_width",
            **params,
        )
        self._on_ask = on_ask

    def _receive(self, data: Any) -> None:
        if self._on_ask is not None and isinstance(data, dict):
            self._on_ask(str(data.get("ask")), str(data.get("value")))

    def save(self, name: str, content: bytes | str, kind: str) -> None:  # type: ignore[override]
        """Have the visitor's browser save a file of this media type."""
        self._send(
            {"save": name, "type": kind, "bytes" if isinstance(content, bytes) else "text": content}
        )

    def acknowledge(self) -> None:
        """Report a request as done if it changes nothing here."""
        self._send({})

    def toggle(self, name: str) -> None:
        """Open or close the popover with this id."""
        self._send({"toggle": name})

    def show_message(self, text: str) -> None:
        """Show a message where the HTML has a place for it (`data-said`), and to screen readers."""
        self._send({"say": text})


class Prose(HtmlBlock):
    """A text whose numbers drag Δt, and whose words light up what they name."""

    script = "controls/prose-block.js"


def make_caption(height: int) -> HtmlBlock:
    """Return a block for text below a picture, of this minimum height so that new text moves
    nothing else.
    """
    return HtmlBlock(style="caption", styles={"min-height": f"{height}px"}, margin=0)
