"""What is to be told at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .sheet import Sheet

MOST = 6
"""Sentences that are told at once."""
STYLE = """
.told { display: flex; align-items: flex-start; gap: 12px; margin: 6px; padding: 9px 8px 9px 14px; border-radius: 6px; border-left: 4px solid var(--accent); background: color-mix(in srgb, var(--accent) 10%, transparent); }
.told p { flex: 1; margin: 2px 0; }
.sheet .told button { border: 0; font-size: 17px; line-height: 1; padding: 4px 8px; }
"""  # noqa: E501


class Notice(Sheet):
    """Sentences until they are closed, or others come; nothing as long as there are none."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        super().__init__(lambda *_: self.tell([]), style=STYLE, margin=0)
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
