"""Notices at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence

from ...asset_files import render_template
from ...state.choice import Choice
from .html_block import HtmlBlock

MOST = 6
"""Sentences at once."""


class Notice(HtmlBlock):
    """Sentences that stay until they are closed or replaced; invisible without any.

    Sentences about a choice disappear with any change of it, others with a change of the problem.
    """

    def __init__(self, sentences: Sequence[str] = ()) -> None:
        super().__init__(lambda *_: self.show_sentences([]), style="notice", margin=0)
        self.show_sentences(sentences)

    def show_sentences(self, sentences: Sequence[str], about: Choice | None = None) -> None:
        """Show these sentences as plain text: links contain strangers' words."""
        self._about = about
        text = " ".join(sentences[:MOST]) + (" …" if len(sentences) > MOST else "")
        self.html = render_template("notice", text=text)

    def follow(self, choice: Choice, before: Choice) -> None:
        """Hide sentences that do not concern this choice, which replaces another."""
        if choice.problem != before.problem or self._about not in (None, choice):
            self.show_sentences([])
