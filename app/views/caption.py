"""Words under a picture."""

from __future__ import annotations

from .sheet import Sheet

STYLE = """
.sheet { font: 12px/1.5 var(--bokeh-base-font, sans-serif); opacity: .8; padding: 2px 0 8px;
  min-height: var(--least); box-sizing: border-box; }
"""


def caption(height: int) -> Sheet:
    """A place for words, of at least this height; new words lay out no more than themselves."""
    return Sheet(style=f":host {{ --least: {height}px; }}{STYLE}", margin=0)
