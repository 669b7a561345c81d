"""What is to be told at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .sheet import Sheet

MOST = 6
"""Sentences that are told at once."""


class Notice(Sheet):
    """Sentences until they are closed, or others come; nothing as long as there are none."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        super().__init__(lambda *_: self.tell([]), style="notice", margin=0)
        self.tell(texts)

    def tell(self, texts: Sequence[str]) -> None:
        """Tell this, of which nothing is obeyed as HTML: a link's words are those of a stranger."""
        told = " ".join(texts[:MOST]) + (" …" if len(texts) > MOST else "")
        self.html = (
            f"<div class='told' role='alert'><p>{escape(told)}</p>"
            "<button id='close-notice' data-ask='close' aria-label='Close' title='Close'>×</button></div>"
            if told
            else ""
        )
