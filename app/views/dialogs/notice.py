"""Notices at the top of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
        super().__init__(self._answer, style="notice", margin=0)
        self.show_sentences(sentences)

    def show_sentences(
        self,
        sentences: Sequence[str],
        about: Choice | None = None,
        undo: Callable[[], Any] | None = None,
    ) -> None:
        """Show these sentences as plain text: links contain strangers' words.

        A button takes back what they are about by `undo`.
        """
        self._about = about
        self._undo = undo
        text = " ".join(sentences[:MOST]) + (" …" if len(sentences) > MOST else "")
        self.html = render_template("notice", text=text, undo=undo is not None)

    def _answer(self, asked: str, _: str) -> None:
        if asked == "undo" and self._undo is not None:
            self._undo()
        else:
            self.show_sentences([])

    def follow(self, choice: Choice, before: Choice) -> None:
        """Hide sentences that do not concern this choice, which replaces another."""
        if choice.source != before.source or self._about not in (None, choice):
            self.show_sentences([])
