"""Notices at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence

from ...asset_files import render_template
from .sheet import Sheet

MOST = 6
"""Sentences at once."""


class Notice(Sheet):
    """Sentences that stay until they are closed or replaced; invisible without any."""

    def __init__(self, sentences: Sequence[str] = ()) -> None:
        super().__init__(lambda *_: self.show_sentences([]), style="notice", margin=0)
        self.show_sentences(sentences)

    def show_sentences(self, sentences: Sequence[str]) -> None:
        """Show these sentences as plain text: links contain strangers' words."""
        text = " ".join(sentences[:MOST]) + (" …" if len(sentences) > MOST else "")
        self.html = render_template("notice", text=text)
