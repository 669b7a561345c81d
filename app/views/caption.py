"""Words under a picture, and under a widget."""

from __future__ import annotations

from .sheet import Sheet

STYLE = """
:host { font: 12px/1.5 var(--bokeh-base-font, sans-serif); opacity: .8; padding: 2px 12px 8px;
  box-sizing: border-box; }
"""


ABOUT = ".about { font-size: 12px; line-height: 1.35; opacity: .78; margin: 0 }"
"""What is said beneath a widget."""


def caption(height: int) -> Sheet:
    """A place for words, of at least this height; new words lay out no more than themselves."""
    return Sheet(style=f"{STYLE}:host {{ min-height: {height}px; }}", margin=0)
