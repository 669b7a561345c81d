"""Words under a picture."""

from __future__ import annotations

from .sheet import Sheet

STYLE = """
:host { font: 12px/1.5 var(--bokeh-base-font, sans-serif); opacity: .8; padding: 2px 12px 8px;
  box-sizing: border-box; }
"""


def caption(height: int) -> Sheet:
    """A place for words, of at least this height; new words lay out no more than themselves."""
    return Sheet(style=f"{STYLE}:host {{ min-height: {height}px; }}", margin=0)
